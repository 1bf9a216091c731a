"""Pictures and places that the tests of the Python package share."""

import os
import sys
import unittest

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLE = os.path.join(ROOT, "examples", "sample")
COMMAND = os.environ.get("VEDETTE_COMMAND", "")
SHARED = os.environ.get("VEDETTE_SHARED_DIR", "")

SCREEN = os.path.join(SAMPLE, "screen.png")
KEY7 = os.path.join(SAMPLE, "key7.png")
UNDO = os.path.join(SAMPLE, "undo-enabled.png")
FOLDER = os.path.join(SAMPLE, "folder.png")
MAGNIFIER = os.path.join(SAMPLE, "magnifier.png")

KEY7_BOX = (71, 282, 59, 34)
FOLDER_CORNERS = [(1546, 169), (259, 669), (356, 669), (453, 669), (550, 669)]


def texture(height, width, channels=3, seed=0):
    """Noise that is like nothing else, smoothed enough to be seen at other sizes."""
    noise = np.random.default_rng(seed).integers(0, 256, (height + 2, width + 2, channels)).astype(float)
    smooth = (noise[:-2, :-2] + noise[1:-1, 1:-1] * 2 + noise[2:, 2:]) / 4
    return smooth.astype(np.uint8)


def placed(screen, pattern, x, y):
    """A copy of the screen with the pattern on it."""
    result = screen.copy()
    result[y : y + pattern.shape[0], x : x + pattern.shape[1]] = pattern
    return result


def gray_screen(height=300, width=400, value=200):
    return np.full((height, width, 3), value, np.uint8)


def needs_command(test):
    return unittest.skipUnless(COMMAND and os.path.exists(COMMAND), "VEDETTE_COMMAND names no program")(test)


def run_module(name):
    """Runs the tests of one module; 77 when all were skipped."""
    suite = unittest.defaultTestLoader.loadTestsFromName(name)
    result = unittest.TextTestRunner(verbosity=2, stream=sys.stdout).run(suite)
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    if not result.wasSuccessful():
        return 1
    return 77 if result.testsRun == 0 or len(result.skipped) == result.testsRun else 0
