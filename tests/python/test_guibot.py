"""guibot, unmodified, finding with Vedette."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np
from guibot.config import GlobalConfig
from guibot.controller import Controller
from guibot.errors import FindError
from guibot.finder import CVParameter, Finder, HybridFinder, TemplateFinder
from guibot.imagelogger import ImageLogger
from guibot.region import Region
from guibot.target import Image
from PIL import Image as Picture
from support import FOLDER, FOLDER_CORNERS, KEY7, KEY7_BOX, SCREEN, UNDO, gray_screen, placed, texture

import vedette
import vedette.guibot as adapter


def rgb(array):
    return Picture.fromarray(np.ascontiguousarray(array[:, :, ::-1]))


def boxes(matches):
    return [(match.x, match.y, match.width, match.height) for match in matches]


class Screens(Controller):
    """A controller whose screen is a picture."""

    def __init__(self, picture):
        super().__init__(configure=False, synchronize=False)
        self._picture = picture
        self._width, self._height = picture.size

    def capture_screen(self, *args):
        region = args[0] if args else None
        if region is None:
            return Image(None, self._picture)
        return Image(None, self._picture.crop((region.x, region.y, region.x + region.width, region.y + region.height)))


class Answers(unittest.TestCase):
    def setUp(self):
        self.finder = adapter.VedetteFinder()
        self.screen = Image(SCREEN)

    def find(self, needle, haystack=None):
        return self.finder.find(needle if isinstance(needle, Image) else Image(needle), haystack or self.screen)

    def test_matches(self):
        match, = self.find(KEY7)
        self.assertEqual(boxes([match]), [KEY7_BOX])
        self.assertEqual(match.similarity, 1.0)
        self.assertEqual((match.target.x, match.target.y), (100, 299))
        self.assertEqual([box[:2] for box in boxes(self.find(FOLDER))], FOLDER_CORNERS)

    def test_offsets(self):
        target = Image(KEY7).with_center_offset(10, -5)
        match, = self.find(target)
        self.assertEqual((match.target.x, match.target.y), (110, 294))

    def test_refusals(self):
        self.assertEqual(self.find(UNDO), [])
        self.assertEqual(adapter.last_found.reason, vedette.Reason.DIFFERS_EVERYWHERE)
        self.assertEqual(self.find(SCREEN, Image(KEY7)), [])

    def test_parameters(self):
        self.finder.params["find"]["similarity"] = CVParameter(0.0, 0.0, 1.0)
        self.assertEqual(boxes(self.find(UNDO))[0][:2], (771, 123))
        self.finder.params["find"]["similarity"] = CVParameter(0.9, 0.0, 1.0)
        self.finder.params["template"]["nocolor"].value = True
        self.assertEqual(boxes(self.find(KEY7)), [KEY7_BOX])
        self.assertEqual(self.finder.copy().params["find"]["similarity"].value, 0.9)

    def test_other_sizes_only_where_asked_for(self):
        small = texture(28, 36, seed=4)
        needle = Image(None, rgb(small.repeat(2, 0).repeat(2, 1)))
        haystack = Image(None, rgb(placed(gray_screen(), small, 120, 90)))
        self.assertEqual(self.find(needle, haystack), [])
        with mock.patch.object(adapter.settings, "fallbacks", ("scales",)):
            self.assertEqual(boxes(self.find(needle, haystack)), [(120, 90, 36, 28)])

    def test_what_is_told_of_a_miss(self):
        near = Image(None, rgb(np.clip(texture(30, 40, seed=5).astype(int) // 2 +
                                       texture(30, 40, seed=6) // 3, 0, 255).astype(np.uint8)))
        haystack = Image(None, rgb(placed(gray_screen(), texture(30, 40, seed=5), 50, 60)))
        self.assertEqual(self.find(near, haystack), [])
        quiet = adapter.last_found
        with mock.patch.object(adapter.settings, "told_below", 0.6):
            self.assertEqual(self.find(near, haystack), [])
        self.assertIsNotNone(adapter.last_found.best)
        self.assertEqual((adapter.last_found.best.x, adapter.last_found.best.y), (50, 60))
        self.assertTrue(quiet.best is None or quiet.best.score >= 0.75)

    def test_transparent_patterns(self):
        """guibot's own finder stops at them: the types of pattern and screen differ."""
        icon = texture(30, 30, seed=1)
        alpha = np.zeros((30, 30), np.uint8)
        alpha[5:25, 5:25] = 255
        needle = Image(None, Picture.fromarray(np.dstack([icon[:, :, ::-1], alpha])))
        screen = gray_screen()
        screen[105:125, 65:85] = icon[5:25, 5:25]
        haystack = Image(None, rgb(screen))
        self.assertEqual(boxes(self.find(needle, haystack)), [(60, 100, 30, 30)])
        with self.assertRaises(Exception):
            TemplateFinder().find(needle, haystack)

    def test_patterns_of_one_colour(self):
        screen = Image(None, rgb(placed(gray_screen(), texture(50, 50), 20, 20)))
        self.assertEqual(self.find(Image(None, rgb(gray_screen(20, 20, 90))), screen), [])

    def test_pictures_of_the_log(self):
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "log")
            with mock.patch.multiple(GlobalConfig, _image_logging_level=0, _image_logging_destination=place), \
                    mock.patch.object(ImageLogger, "step", 2):
                self.finder = adapter.VedetteFinder()
                self.find(KEY7)
                self.find(UNDO)
                self.assertEqual(sum(name.endswith(".png") and "hotmap" in name for name in os.listdir(place)), 4)


class InGuiBot(unittest.TestCase):
    def region(self, cv=None, picture=None):
        return Region(dc=Screens(picture or Picture.open(SCREEN).convert("RGB")), cv=cv or adapter.VedetteFinder())

    def test_find_in_a_region(self):
        region = self.region()
        with mock.patch.multiple(GlobalConfig, _wait_for_animations=False, _save_needle_on_error=False):
            match = region.find(Image(KEY7), timeout=0)
            self.assertEqual(boxes([match]), [KEY7_BOX])
            part = Region(50, 250, 200, 200, dc=region.dc_backend, cv=region.cv_backend)
            self.assertEqual(boxes([part.find(Image(KEY7), timeout=0)]), [KEY7_BOX])
            self.assertTrue(region.exists(Image(FOLDER)))
            with self.assertRaises(FindError):
                region.find(Image(UNDO), timeout=0)

    def test_every_template_finder(self):
        adapter.install()
        self.addCleanup(adapter.uninstall)
        self.assertEqual(TemplateFinder().find(Image(UNDO), Image(SCREEN)), [])
        self.assertEqual(boxes(HybridFinder().find(Image(KEY7), Image(SCREEN))), [KEY7_BOX])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "own.match")
            Finder.to_match_file(TemplateFinder(), path)
            self.assertEqual(boxes(Finder.from_match_file(path).find(Image(KEY7), Image(SCREEN))), [KEY7_BOX])
        adapter.uninstall()
        self.assertNotEqual(TemplateFinder().find(Image(UNDO), Image(SCREEN)), [], "guibot's own finds it")

    def test_a_script_that_knows_nothing_of_it(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(UNDO, folder)
            script = os.path.join(folder, "script.py")
            with open(script, "w", encoding="utf-8") as file:
                file.write("from guibot.guibot import GuiBot\nfrom guibot.finder import TemplateFinder\n"
                           "from guibot.target import Image\n"
                           f"print(TemplateFinder().find(Image({UNDO!r}), Image({SCREEN!r})))\n")
            done = subprocess.run([sys.executable, "-m", "vedette.run", script], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.stdout.splitlines(), ["[]"], done.stderr)

    def test_many_finds_do_not_grow(self):
        """guibot runs out of memory after some fifty finds when its log is kept."""
        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        finder = adapter.VedetteFinder()
        for _ in range(10):
            finder.find(Image(KEY7), Image(SCREEN))
        before = resident()
        for _ in range(60):
            finder.find(Image(KEY7), Image(SCREEN))
        self.assertEqual((finder.imglog.hotmaps, finder.imglog.similarities), ([], []))
        # A screenshot of the sample takes 6 MB.
        self.assertLess(resident() - before, 30 << 20)


if __name__ == "__main__":
    unittest.main()
