#!/usr/bin/env python3
"""PyScreeze on files, which needs no display; one import makes it find with Vedette."""

import os

import pyscreeze
import vedette.pyscreeze

sample = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "sample")
screen = os.path.join(sample, "screen.png")

for name in ("key7.png", "folder.png", "undo-enabled.png"):
    try:
        for box in pyscreeze.locateAll(os.path.join(sample, name), screen):
            print(name, tuple(box), "score %.4f" % box.score)
    except pyscreeze.ImageNotFoundException as problem:
        print(name, "-", problem)
