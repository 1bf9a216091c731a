#!/usr/bin/env python3
"""What a find takes and answers in each tool, with its own search and with Vedette's: measure_tools.py [SCREEN.png...]

Runs in an environment with the tools (tests/python/tools.txt). For each screen, by default the sample screenshot and one
of 3840 x 2160 made of it: a crop of it, something that is not on it, the crop in another tint (another state), and a
patch of one colour that is not on it. The tools have their default settings. Prints a table in Markdown: the least
milliseconds of some runs, each search beside the other's, and whether the answer is right. Tools in other languages:
tests/opencv_preload/measure_programs.py.
"""

import logging
import multiprocessing
import os
import resource
import sys
import tempfile
import time

import numpy as np
from PIL import Image
from support import SCREEN, texture

import vedette

logging.disable(logging.CRITICAL)
RUNS = 5
# A tool may make an object of every place on the screen.
MOST_MEMORY = 6 << 30
SLOW = 3000  # milliseconds after which a search is not repeated
HEADING = "| tool | hooked by | screen | looked for | its own | with Vedette |\n| --- | --- | --- | --- | --- | --- |"


def large_screen(folder):
    """Four of the sample, mirrored so that nothing on one is on another."""
    picture = Image.open(SCREEN).convert("RGB")
    width, height = picture.size
    large = Image.new("RGB", (2 * width, 2 * height))
    for column in (0, 1):
        for row in (0, 1):
            part = picture.transpose(Image.FLIP_LEFT_RIGHT) if column else picture
            part = part.transpose(Image.FLIP_TOP_BOTTOM) if row else part
            large.paste(part, (column * width, row * height))
    path = os.path.join(folder, "large.png")
    large.save(path, compress_level=1)
    return path


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
        # guibot keeps pictures by the names of their files.
        path = os.path.join(folder, f"{width}-{name.replace(' ', '-')}.png")
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

    return f"PyScreeze {pyscreeze.__version__} (PyAutoGUI, ImageHorizon)", "`vedette.run`, import", find, adapter


def airtest_tool(screen):
    import cv2
    from airtest import __version__
    from airtest.core.api import Template

    import vedette.airtest as adapter

    picture = cv2.imread(screen)

    def find(needle):
        result = Template(needle)._cv_match(picture)
        return tuple(int(value) for value in result["rectangle"][0]) if result else None

    return f"Airtest {__version__}", "`vedette.run`, import", find, adapter


def guibot_tool(screen):
    from importlib.metadata import version

    from guibot.finder import TemplateFinder
    from guibot.target import Image as Target

    import vedette.guibot as adapter

    haystack = Target(screen)

    def find(needle):
        matches = TemplateFinder().find(Target(needle), haystack)
        return (matches[0].x, matches[0].y) if matches else None

    return f"guibot {version('guibot')}", "`vedette.run`, import", find, adapter


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

    return f"cv2 {cv2.__version__}, CCOEFF_NORMED > 0.9", "`vedette.run --hook cv2-finite`", find, Finite


def measured(find, needle):
    begin = time.perf_counter()
    try:
        answer = find(needle)
    except MemoryError:
        answer = "out of memory"
    return answer, (time.perf_counter() - begin) * 1000


def cell(answers, milliseconds, place):
    """One cell of the table: all runs gave one answer."""
    assert answers.count(answers[0]) == len(answers), answers
    if isinstance(answers[0], str):
        return f"{answers[0]} after {min(milliseconds) / 1000:.0f} s"
    verdict = "right" if answers[0] == place else f"wrong: {'found' if answers[0] else 'not found'}"
    return f"{min(milliseconds):.{0 if min(milliseconds) >= 10 else 1}f} ms, {verdict}"


def measure(make, screen, wanted, size):
    """The lines of one tool on one screen."""
    try:
        name, hooked, find, adapter = make(screen)
    except ImportError as problem:
        print(f"| {make.__name__} | - | - | not installed: {problem} | - | - |")
        return
    for what, (needle, place) in wanted.items():
        runs = ([], [])
        for _ in range(RUNS):
            for which, switch in enumerate((adapter.uninstall, adapter.install)):
                switch()
                if not runs[which] or runs[which][-1][1] < SLOW:
                    runs[which].append(measured(find, needle))
        cells = [cell(*zip(*one), place) for one in runs]
        print(f"| {name} | {hooked} | {size} | {what} | {cells[0]} | {cells[1]} |", flush=True)


def main():
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    print(HEADING, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for screen in sys.argv[1:] or [SCREEN, large_screen(folder)]:
            size = "%d x %d" % vedette.default_context().screen(screen).size
            wanted = needles(screen, folder)
            for make in (pyscreeze_tool, airtest_tool, guibot_tool, cv2_tool):
                # A process for each: what one tool keeps, or breaks, is not the next one's.
                process = multiprocessing.get_context("spawn").Process(target=measure, args=(make, screen, wanted, size))
                process.start()
                process.join()


if __name__ == "__main__":
    main()
