#!/usr/bin/env python3
"""Waits until an element shows, looking 60 times a second: here on frames made up from the sample screenshot."""

import os
import time

import vedette
from PIL import Image

sample = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "sample")
complete = Image.open(os.path.join(sample, "screen.png")).convert("RGB")
without = complete.copy()
without.paste((255, 255, 255), (60, 270, 140, 330))
begin = time.monotonic()


def screenshot():
    """Take a real one here, for example by mss or PIL.ImageGrab."""
    return complete if time.monotonic() - begin > 1 else without


found = vedette.wait(screenshot, os.path.join(sample, "key7.png"), timeout=10)
print("after %.1f s: %s" % (time.monotonic() - begin, found.why))
