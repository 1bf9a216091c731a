#!/usr/bin/env python3
"""Finds elements on a screenshot: find_button.py [SCREEN PATTERN...]. Writes found.png with the places framed."""

import os
import sys

import vedette

sample = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "sample")
usual = [os.path.join(sample, name) for name in ("screen.png", "key7.png", "folder.png", "undo-enabled.png")]
screen, *patterns = sys.argv[1:] or usual

for pattern, found in zip(patterns, vedette.annotate(screen, patterns, "found.png")):
    print(os.path.basename(pattern), "-", found.why)
    for match in found:
        print("  x %d, y %d, %d x %d, score %.4f" % (*match.box, match.score))
