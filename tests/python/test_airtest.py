"""Airtest, unmodified, finding with Vedette."""

import logging
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import cv2
import numpy as np
from airtest.core import cv as airtest_cv
from airtest.core.api import G, Template, exists, find_all, wait
from airtest.core.error import TargetNotFoundError
from airtest.core.settings import Settings as ST
from support import FOLDER, FOLDER_CORNERS, KEY7, SCREEN, UNDO, gray_screen, placed, texture

import vedette
import vedette.airtest as adapter

logging.getLogger("airtest").setLevel(logging.ERROR)


class Device:
    """A screen that shows frames one after the other."""

    uuid = "test"

    def __init__(self, *frames):
        self.frames = list(frames)

    def snapshot(self, filename=None, quality=None, **_):
        return self.frames.pop(0) if len(self.frames) > 1 else self.frames[0]


class WithAirtest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.screen = cv2.imread(SCREEN)
        adapter.install()

    def file(self, picture, name="template.png"):
        path = os.path.join(self.folder.name, name)
        vedette.write_png(path, picture)
        return path

    def show(self, *frames):
        patch = mock.patch.object(G, "_DEVICE", Device(*frames))
        patch.start()
        self.addCleanup(patch.stop)


class Answers(WithAirtest):
    def test_where_to_click(self):
        self.assertEqual(Template(KEY7).match_in(self.screen), (100, 299))
        self.assertEqual(Template(KEY7, target_pos=1).match_in(self.screen), (71, 282))
        result = Template(KEY7)._cv_match(self.screen)
        self.assertEqual(result["rectangle"], ((71, 282), (71, 316), (130, 316), (130, 282)))
        self.assertEqual(result["confidence"], 1.0)
        self.assertGreater(result["time"], 0)

    def test_all_places(self):
        results = Template(FOLDER).match_all_in(self.screen)
        self.assertEqual([one["rectangle"][0] for one in results], FOLDER_CORNERS)
        self.assertIsNone(Template(UNDO).match_all_in(self.screen))

    def test_functions_of_scripts(self):
        self.show(gray_screen(1080, 1920), self.screen)
        with mock.patch.object(ST, "LOG_DIR", None):
            self.assertEqual(wait(Template(KEY7), timeout=20, interval=0.01), (100, 299))
            self.assertEqual(len(find_all(Template(FOLDER))), 5)
            with mock.patch.object(ST, "FIND_TIMEOUT_TMP", 0):
                self.assertFalse(exists(Template(UNDO)))
            with self.assertRaises(TargetNotFoundError):
                wait(Template(UNDO), timeout=0.1, interval=0.01)

    def test_a_disabled_button_is_none(self):
        self.assertIsNone(Template(UNDO).match_in(self.screen))
        adapter.uninstall()
        try:
            self.assertIsNotNone(Template(UNDO).match_in(self.screen), "Airtest's own strategy finds it")
        finally:
            adapter.install()

    def test_texts_that_share_a_character(self):
        def text(words):
            picture = np.full((30, 150, 3), 245, np.uint8)
            cv2.putText(picture, words, (4, 22), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (20, 20, 20), 1, cv2.LINE_AA)
            return picture

        path = self.file(text("Confirm 7")[:, :110])
        self.assertIsNone(Template(path).match_in(placed(gray_screen(value=245), text("Confirm 1"), 100, 100)))
        self.assertIsNone(Template(path).match_in(placed(gray_screen(value=245), text("Conform 7"), 100, 100)))
        self.assertEqual(Template(path).match_in(placed(gray_screen(value=245), text("Confirm 7"), 100, 100)),
                         (155, 115))

    def test_templates_of_one_colour(self):
        path = self.file(gray_screen(20, 20, 90))
        self.assertIsNone(Template(path).match_in(placed(gray_screen(), texture(50, 50), 20, 20)))

    def test_a_template_larger_than_the_screen(self):
        self.assertIsNone(Template(SCREEN).match_in(self.screen[:500, :500]))

    def test_few_features_are_no_error(self):
        path = self.file(texture(40, 40, seed=1))
        self.assertIsNone(Template(path).match_in(gray_screen()))


class Resolutions(WithAirtest):
    def test_a_screen_of_another_resolution(self):
        small = cv2.resize(self.screen, (1280, 720), interpolation=cv2.INTER_AREA)
        path = self.file(self.screen[100:160, 600:900])
        for template in (Template(path, resolution=(1920, 1080)), Template(path)):
            place = template.match_in(small)
            self.assertIsNotNone(place)
            self.assertLess(np.hypot(place[0] - 750 * 2 / 3, place[1] - 130 * 2 / 3), 2)

    def test_a_wrong_recorded_resolution(self):
        """Resized by it, the template is nowhere; as it was recorded it is."""
        path = self.file(self.screen[100:160, 600:900])
        place = Template(path, resolution=(700, 400), record_pos=(0.1, 0.1)).match_in(self.screen)
        self.assertEqual(place, (750, 130))

    def test_a_strategy_with_airtests_name_alone(self):
        with mock.patch.object(ST, "CVSTRATEGY", ["mstpl"]):
            self.assertEqual(Template(KEY7).match_in(self.screen), (100, 299))


class Load(WithAirtest):
    def test_screens_full_of_features(self):
        """Airtest's own methods take all keypoints, and run out of memory: here the strongest are kept."""
        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        template = Template(self.file(texture(200, 300, seed=8)))
        self.assertEqual(vedette.match(texture(1080, 1920, seed=7), texture(60, 60)).screen_keypoints, 20000)
        self.assertIsNone(template.match_in(texture(720, 1280, seed=7)))
        threads = len(os.listdir("/proc/self/task"))
        # The descriptors of one screen take 10 MB: kept, they would make every three screens take 30. What the allocator
        # takes once is not taken again.
        growth = []
        while len(growth) < 3 and (not growth or growth[-1] >= 20 << 20):
            memory = resident()
            for seed in range(3):
                self.assertIsNone(template.match_in(texture(720, 1280, seed=3 * len(growth) + seed)))
            growth.append(resident() - memory)
        self.assertLess(growth[-1], 20 << 20, f"bytes of every three screens: {growth}")
        self.assertEqual(len(os.listdir("/proc/self/task")), threads)


class Activation(WithAirtest):
    def test_strategy(self):
        self.assertEqual(ST.CVSTRATEGY, ["vedette", "mstpl"])
        self.assertIs(airtest_cv.MATCHING_METHODS["vedette"], adapter.VedetteMatching)
        adapter.install(others=True)
        self.assertEqual(ST.CVSTRATEGY, ["vedette", "mstpl", "tpl", "sift", "brisk"])
        adapter.uninstall()
        self.assertEqual(ST.CVSTRATEGY, ["mstpl", "tpl", "sift", "brisk"])
        self.assertNotIn("vedette", airtest_cv.MATCHING_METHODS)
        self.assertEqual(airtest_cv.MATCHING_METHODS["mstpl"].__module__,
                         "airtest.aircv.multiscale_template_matching")

    def test_a_script_that_knows_nothing_of_it(self):
        script = os.path.join(self.folder.name, "script.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write("from airtest.core.api import *\nfrom airtest.core.settings import Settings\n"
                       "print(Settings.CVSTRATEGY)\n")
        done = subprocess.run([sys.executable, "-m", "vedette.run", script], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.stdout.splitlines(), ["['vedette', 'mstpl']"], done.stderr)

    def test_airtests_own_runner(self):
        folder = os.path.join(self.folder.name, "script.air")
        os.mkdir(folder)
        with open(os.path.join(folder, "script.py"), "w", encoding="utf-8") as file:
            file.write("from airtest.core.api import *\nimport cv2\n"
                       f"print('clicks at', Template({KEY7!r}).match_in(cv2.imread({SCREEN!r})), ST.CVSTRATEGY)\n")
        done = subprocess.run([sys.executable, "-m", "vedette.run", "-m", "airtest", "run", folder],
                              capture_output=True, text=True, check=False, cwd=self.folder.name)
        self.assertIn("clicks at (100, 299) ['vedette', 'mstpl']", done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main()
