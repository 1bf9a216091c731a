#!/usr/bin/env python3
"""Drives a calculator and an editor by sight. It knows nothing of Vedette; with its finds:

    examples/desktop/start python3 -m vedette.run examples/pyautogui/calculate.py
"""

import os

import pyautogui

pictures = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "desktop", "")


def place(name):
    return pyautogui.locateCenterOnScreen(pictures + name + ".png", minSearchTime=10, confidence=0.95)


for key in ("six", "times", "seven", "equals"):
    pyautogui.click(place(key))
print("the display says 42, at", place("forty-two"))

pyautogui.click(place("editor"))
pyautogui.move(0, 100)
pyautogui.write("six times seven is 42", interval=0.02)
print("the text is written, at", place("written"))
pyautogui.click(place("save"))
print("the file is saved, as is said at", place("saved"))
pyautogui.screenshot("calculate.png")
