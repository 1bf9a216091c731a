#!/usr/bin/env python3
"""A PyAutoGUI script as it is everywhere: it knows nothing of Vedette.

    python3 -m vedette.run click_button.py IMAGE.png

finds the image with Vedette and clicks it. Needs a display.
"""

import sys

import pyautogui

try:
    place = pyautogui.locateCenterOnScreen(sys.argv[1], confidence=0.9, minSearchTime=5)
except pyautogui.ImageNotFoundException as problem:
    sys.exit(f"not on the screen: {problem.__cause__ or problem.__context__ or problem}")
pyautogui.click(place)
print("clicked", place)
