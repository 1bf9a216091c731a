#!/usr/bin/env python3
"""What a find takes and answers in each tool, with its own search and with Vedette's: measure_tools.py [SCREEN.png...]

Runs in an environment with the tools (tests/python/tools.txt). For each screen, by default the sample screenshot: a crop
of it, something that is not on it, the crop in another tint (another state), and a patch of one colour that is not
on it. Prints a table in Markdown: the least milliseconds of some runs, and whether the answer is right.
"""

import logging
import os
import sys
import tempfile
import time

import numpy as np
from PIL import Image
from support import SCREEN, texture

import vedette

logging.disable(logging.CRITICAL)
RUNS = 5


def needles(screen, folder):
    """Files to look for, and where each is: a corner, or None when it is nowhere."""
    from vedette._pixels import bgr_or_gray

    pixels = bgr_or_gray(screen)
    height, width = pixels.shape[:2]

    def detail(at):
        """The lesser of what changes along rows and along columns."""
        part = pixels[at[1] : at[1] + 40, at[0] : at[0] + 120].astype(float)
        return min(np.abs(np.diff(part, axis=axis)).mean() for axis in (0, 1))

    windows = [(x, y) for y in range(40, height - 80, 37) for x in range(40, width - 160, 53)]
    for x, y in sorted(windows, key=detail, reverse=True):
        crop = pixels[y : y + 40, x : x + 120].copy()
        if len(vedette.find_all(pixels, crop, verify=False, threshold=0.9)) == 1:
            break
    tinted = crop.copy()
    tinted[:, :, 0] //= 2
    pictures = {
        "there": (crop, (x, y)),
        "not there": (texture(40, 120, seed=1) // 4 + 150, None),
        "other tint": (tinted, None),
        "one colour": (np.full((40, 120, 3), (181, 33, 197), np.uint8), None),
    }
    result = {}
    for name, (picture, place) in pictures.items():
        path = os.path.join(folder, name.replace(" ", "-") + ".png")
        vedette.write_png(path, picture)
        result[name] = (path, place)
    return result


def pyscreeze_tool(screen):
    import pyscreeze

    import vedette.pyscreeze as adapter

    haystack = Image.open(screen).convert("RGB")

    def find(needle):
        try:
            return tuple(pyscreeze.locate(needle, haystack))[:2]
        except pyscreeze.ImageNotFoundException:
            return None

    return f"PyScreeze {pyscreeze.__version__}", find, adapter


def airtest_tool(screen):
    import cv2
    from airtest import __version__
    from airtest.core.api import Template

    import vedette.airtest as adapter

    picture = cv2.imread(screen)

    def find(needle):
        result = Template(needle)._cv_match(picture)
        return tuple(int(value) for value in result["rectangle"][0]) if result else None

    return f"Airtest {__version__}", find, adapter


def guibot_tool(screen):
    from importlib.metadata import version

    from guibot.finder import TemplateFinder
    from guibot.target import Image as Target

    import vedette.guibot as adapter

    haystack = Target(screen)

    def find(needle):
        matches = TemplateFinder().find(Target(needle), haystack)
        return (matches[0].x, matches[0].y) if matches else None

    return f"guibot {version('guibot')}", find, adapter


def cv2_tool(screen):
    import cv2

    from vedette import cv2_hook

    class Finite:
        install = staticmethod(lambda: cv2_hook.install(finite=True))
        uninstall = staticmethod(cv2_hook.uninstall)

    picture = cv2.imread(screen)

    def find(needle):
        scores = cv2.matchTemplate(picture, cv2.imread(needle), cv2.TM_CCOEFF_NORMED)
        _, best, _, place = cv2.minMaxLoc(scores)
        return place if best > 0.9 else None

    return f"cv2 {cv2.__version__}", find, Finite


def measured(find, needle):
    answer, least = None, float("inf")
    for _ in range(RUNS):
        begin = time.perf_counter()
        answer = find(needle)
        least = min(least, time.perf_counter() - begin)
    return answer, least * 1000


def main():
    print("| tool | screen | looked for | its own | with Vedette |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for screen in sys.argv[1:] or [SCREEN]:
            size = "%d x %d" % vedette.default_context().screen(screen).size
            wanted = needles(screen, folder)
            for make in (pyscreeze_tool, airtest_tool, guibot_tool, cv2_tool):
                try:
                    name, find, adapter = make(screen)
                except ImportError as problem:
                    print(f"| {make.__name__} | - | not installed: {problem} | - | - |")
                    continue
                for what, (needle, place) in wanted.items():
                    cells = []
                    for switch in (adapter.uninstall, adapter.install):
                        switch()
                        answer, milliseconds = measured(find, needle)
                        verdict = "right" if answer == place else f"wrong: {answer}"
                        cells.append(f"{milliseconds:.0f} ms, {verdict}")
                    print(f"| {name} | {size} | {what} | {cells[0]} | {cells[1]} |", flush=True)
                adapter.uninstall()


if __name__ == "__main__":
    main()
