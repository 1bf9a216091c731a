"""PyScreeze and PyAutoGUI, unmodified, finding with Vedette."""

import copy
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import numpy as np
import pyscreeze
from PIL import Image
from support import FOLDER, FOLDER_CORNERS, KEY7, KEY7_BOX, SCREEN, UNDO, gray_screen, placed, texture

import vedette
import vedette.pyscreeze as adapter


class Answers(unittest.TestCase):
    def test_locate(self):
        box = pyscreeze.locate(KEY7, SCREEN)
        self.assertEqual(box, KEY7_BOX)
        self.assertIsInstance(box, pyscreeze.Box)
        self.assertEqual((box.left, box.top, box.width, box.height), KEY7_BOX)
        self.assertTrue(all(type(value) is int for value in box))
        self.assertEqual(box.score, 1.0)
        self.assertEqual(pyscreeze.center(box), (100, 299))
        self.assertEqual(repr(box), "Box(left=71, top=282, width=59, height=34)")
        for same in (copy.copy(box), pickle.loads(pickle.dumps(box))):
            self.assertEqual((same, same.score), (box, 1.0))

    def test_confidence_of_one_finds_an_identical_patch(self):
        self.assertEqual(pyscreeze.locate(KEY7, SCREEN, confidence=1.0), KEY7_BOX)

    def test_all_best_first_without_duplicates(self):
        for confidence in (0.999, 0.8):
            boxes = list(pyscreeze.locateAll(FOLDER, SCREEN, confidence=confidence))
            self.assertEqual([box[:2] for box in boxes], FOLDER_CORNERS)
        self.assertEqual(len(list(pyscreeze.locateAll(FOLDER, SCREEN, limit=2))), 2)

    def test_every_kind_of_picture(self):
        opened, decoded = Image.open(SCREEN), vedette._pixels.bgr_or_gray(SCREEN)
        for haystack in (SCREEN, opened, decoded):
            for needle in (KEY7, Image.open(KEY7), vedette._pixels.bgr_or_gray(KEY7)):
                self.assertEqual(pyscreeze.locate(needle, haystack), KEY7_BOX)
        with self.assertRaises(TypeError):
            pyscreeze.locate(7, decoded)

    def test_region(self):
        self.assertEqual(pyscreeze.locate(FOLDER, SCREEN, region=(300, 600, 500, 200))[:2], (356, 669))
        self.assertEqual(pyscreeze.locate(FOLDER, SCREEN, region=(300, 600, 5000, 2000))[:2], (356, 669))
        with self.assertRaises(pyscreeze.ImageNotFoundException):
            pyscreeze.locate(KEY7, SCREEN, region=(300, 600, 500, 200))

    def test_grayscale_and_step_are_accepted(self):
        for keywords in ({"grayscale": True}, {"grayscale": False}, {"step": 2}, {"limit": 5}):
            self.assertEqual(pyscreeze.locate(KEY7, SCREEN, **{**keywords, "limit": 1}), KEY7_BOX)

    def test_exceptions(self):
        with self.assertRaises(pyscreeze.ImageNotFoundException) as caught:
            pyscreeze.locate(UNDO, SCREEN)
        self.assertIn("highest confidence = 1.000", str(caught.exception))
        self.assertIn("differs everywhere", str(caught.exception))
        with self.assertRaisesRegex(ValueError, "needle dimension"):
            pyscreeze.locate(SCREEN, KEY7)
        with self.assertRaisesRegex(ValueError, "needle dimension"):
            pyscreeze.locate(KEY7, SCREEN, region=(0, 0, 20, 20))
        with self.assertRaisesRegex(OSError, "Failed to read.*no-such"):
            pyscreeze.locate("no-such.png", SCREEN)
        generator = pyscreeze.locateAll(UNDO, SCREEN)
        with self.assertRaises(pyscreeze.ImageNotFoundException):
            next(generator)

    def test_without_exceptions(self):
        with mock.patch.object(pyscreeze, "USE_IMAGE_NOT_FOUND_EXCEPTION", False):
            self.assertIsNone(pyscreeze.locate(UNDO, SCREEN))
            self.assertEqual(list(pyscreeze.locateAll(UNDO, SCREEN)), [])

    def test_the_last_search_is_told(self):
        with self.assertRaises(pyscreeze.ImageNotFoundException):
            pyscreeze.locate(UNDO, SCREEN)
        found = adapter.last_found()
        self.assertEqual(found.reason, vedette.Reason.DIFFERS_EVERYWHERE)
        self.assertEqual((found.best.x, found.best.y), (771, 123))
        seen = []
        thread = threading.Thread(target=lambda: seen.append(adapter.last_found()))
        thread.start()
        thread.join()
        self.assertEqual(seen, [None])

    def test_a_needle_file_that_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "n\u00e4del \u91dd.png")
            shutil.copy(KEY7, path)
            self.assertEqual(pyscreeze.locate(path, SCREEN), KEY7_BOX)
            shutil.copy(FOLDER, path)
            self.assertEqual(pyscreeze.locate(path, SCREEN)[:2], FOLDER_CORNERS[0])


class FaultsOfOld(unittest.TestCase):
    """What PyScreeze's own search answers wrongly; the right answers."""

    def not_found(self, needle, haystack, **keywords):
        with self.assertRaises(pyscreeze.ImageNotFoundException):
            pyscreeze.locate(needle, haystack, **keywords)

    def test_needle_of_one_colour(self):
        red = np.full((20, 30, 3), (0, 0, 255), np.uint8)
        for confidence in (0.999, 0.8, 0.5):
            self.not_found(red, gray_screen(), confidence=confidence)
            self.assertEqual(pyscreeze.locate(red, placed(gray_screen(), red, 77, 55), confidence=confidence),
                             (77, 55, 30, 20))

    def test_icon_in_the_first_corner(self):
        screen = placed(gray_screen(), texture(16, 16, seed=1), 0, 0)
        self.assertEqual(pyscreeze.locate(texture(16, 16, seed=1), screen), (0, 0, 16, 16))

    def test_pale_fields(self):
        field = np.full((9, 8, 3), (255, 246, 238), np.uint8)
        field[0], field[-1], field[:, 0], field[:, -1] = [(243, 234, 226)] * 4
        screen = gray_screen(value=250)
        screen[:40] = np.linspace(230, 250, 400)[None, :, None].astype(np.uint8)
        places = [(300 - 40 * i, 120 + 30 * i) for i in range(5)]
        for place in places:
            screen = placed(screen, field, *place)
        boxes = list(pyscreeze.locateAll(field, screen))
        self.assertEqual([box[:2] for box in boxes], places)

    def test_hundreds_of_overlapping_boxes(self):
        screen = placed(placed(gray_screen(), texture(40, 60, seed=2), 50, 60), texture(40, 60, seed=2), 200, 180)
        for confidence in (0.3, 0.6, 0.9):
            boxes = list(pyscreeze.locateAll(texture(40, 60, seed=2), screen, confidence=confidence))
            self.assertEqual([box[:2] for box in boxes], [(50, 60), (200, 180)], confidence)

    def test_a_button_of_another_colour(self):
        red = gray_screen(24, 60)
        red[2:22, 2:58] = (40, 40, 200)
        red[8:16, 20:40] = 255
        blue = np.ascontiguousarray(red[:, :, ::-1])
        self.not_found(red, placed(gray_screen(), blue, 50, 50))
        self.not_found(red, placed(gray_screen(), blue, 50, 50), confidence=0.6)
        both = placed(placed(gray_screen(), blue, 50, 50), red, 250, 150)
        self.assertEqual(pyscreeze.locate(red, both)[:2], (250, 150))

    def test_a_disabled_button(self):
        self.not_found(UNDO, SCREEN, confidence=0.9)
        with mock.patch.object(adapter.settings, "verify", False):
            self.assertEqual(pyscreeze.locate(UNDO, SCREEN, confidence=0.9)[:2], (771, 123))

    def test_the_best_not_the_first(self):
        noise = np.random.default_rng(4).normal(0, 6, (30, 30, 3))
        like = np.clip(texture(30, 30, seed=3) + noise, 0, 255).astype(np.uint8)
        screen = placed(placed(gray_screen(), like, 10, 10), texture(30, 30, seed=3), 200, 200)
        self.assertEqual(pyscreeze.locate(texture(30, 30, seed=3), screen, confidence=0.9)[:2], (200, 200))

    def test_another_display_scale(self):
        small = texture(28, 36, seed=4)
        needle = small.repeat(2, 0).repeat(2, 1)
        screen = placed(gray_screen(), small, 120, 90)
        self.assertEqual(pyscreeze.locate(needle, screen, confidence=0.9), (120, 90, 36, 28))
        self.not_found(needle, screen)

    def test_a_transparent_surround(self):
        icon = texture(30, 30, seed=5)
        alpha = np.zeros((30, 30), np.uint8)
        alpha[5:25, 5:25] = 255
        needle = Image.fromarray(np.dstack([icon[:, :, ::-1], alpha]))
        for ground in (20, 120, 240):
            screen = gray_screen(value=ground)
            screen[105:125, 65:85] = icon[5:25, 5:25]
            self.assertEqual(pyscreeze.locate(needle, screen), (60, 100, 30, 30))

    def test_rgba_needle_on_rgb_screen_and_palette_files(self):
        screen = Image.open(SCREEN).convert("RGB")
        self.assertEqual(pyscreeze.locate(Image.open(KEY7).convert("RGBA"), screen), KEY7_BOX)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "palette.png")
            Image.open(KEY7).convert("RGB").quantize(256).save(path)
            self.assertEqual(pyscreeze.locate(path, screen, confidence=0.9), KEY7_BOX)

    def test_names_that_are_not_ascii(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sch\u00f6ne T\u00e4ste \u4e03.png")
            shutil.copy(KEY7, path)
            self.assertEqual(pyscreeze.locate(path, SCREEN), KEY7_BOX)

    def test_a_second_search_with_more_confidence_remembers_nothing(self):
        noise = np.random.default_rng(5).normal(0, 14, (30, 30, 3))
        like = np.clip(texture(30, 30, seed=3) + noise, 0, 255).astype(np.uint8)
        screen = placed(gray_screen(), like, 60, 40)
        with mock.patch.object(adapter.settings, "strictness", 0.5):
            self.assertEqual(pyscreeze.locate(texture(30, 30, seed=3), screen, confidence=0.8)[:2], (60, 40))
            score = adapter.last_found().match.score
            self.not_found(texture(30, 30, seed=3), screen, confidence=(1 + score) / 2)

    def test_text_that_is_drawn_half_a_pixel_away(self):
        """As the same text is after scrolling, with sub-pixel positions."""
        text = Image.open(SCREEN).convert("RGB").crop((70, 282, 330, 432))  # keys of the calculator
        moved = text.transform(text.size, Image.AFFINE, (1, 0, 0.5, 0, 1, 0), Image.BILINEAR)
        needle, screen = text.crop((0, 0, 60, 34)), Image.new("RGB", (400, 300), (240, 240, 240))
        screen.paste(moved, (50, 40))
        box = pyscreeze.locate(needle, screen, confidence=0.85)
        self.assertLessEqual(max(abs(box[0] - 50), abs(box[1] - 40)), 1)
        self.assertLess(box.score, 0.99)

    def test_the_noise_of_a_remote_desktop(self):
        """JPEG at a low quality, as remote desktops send it; the tolerant setting is for them."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "remote.jpg")
            Image.open(SCREEN).convert("RGB").save(path, quality=50)
            with mock.patch.object(adapter.settings, "strictness", 0.67):
                box = pyscreeze.locate(KEY7, path, confidence=0.9)
                self.assertEqual(box, KEY7_BOX)
                self.not_found(UNDO, path, confidence=0.9)

    def test_many_searches_take_no_more_memory(self):
        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        screen = Image.open(SCREEN).convert("RGB")
        for _ in range(3):
            pyscreeze.locate(KEY7, screen)
        before = resident()
        for _ in range(60):
            pyscreeze.locate(KEY7, screen)
        # A screenshot of the sample takes 6 MB.
        self.assertLess(resident() - before, 12 << 20)

    def test_patterns_kept_are_bounded(self):
        for i in range(80):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "needle.png")
                vedette.write_png(path, texture(10, 10, seed=i))
                pyscreeze.locate(path, placed(gray_screen(60, 60), texture(10, 10, seed=i), 5, 5))
        self.assertLessEqual(len(adapter._patterns), adapter.KEPT_PATTERNS)


class OnScreen(unittest.TestCase):
    """The functions that take screenshots, with pictures for screenshots."""

    def setUp(self):
        self.frames = [Image.open(SCREEN)]
        patch = mock.patch.object(pyscreeze, "screenshot", self.screenshot)
        patch.start()
        self.addCleanup(patch.stop)

    def screenshot(self, region=None):
        frame = self.frames.pop(0) if len(self.frames) > 1 else self.frames[0]
        frame.load()
        return frame

    def test_functions(self):
        self.assertEqual(pyscreeze.locateOnScreen(KEY7), KEY7_BOX)
        self.assertEqual(pyscreeze.locateCenterOnScreen(KEY7), (100, 299))
        self.assertIsInstance(pyscreeze.locateCenterOnScreen(KEY7), pyscreeze.Point)
        self.assertEqual([box[:2] for box in pyscreeze.locateAllOnScreen(FOLDER)], FOLDER_CORNERS)
        with self.assertRaises(pyscreeze.ImageNotFoundException):
            pyscreeze.locateOnScreen(UNDO)

    def test_a_display_with_two_pixels_for_a_point(self):
        """Regions and places are in points, where the mouse clicks; a box's match has both."""
        wide = Image.open(SCREEN).convert("RGB").resize((3840, 2160), Image.NEAREST)
        self.frames = [wide]
        key, folder = wide.crop((142, 564, 260, 632)), Image.open(FOLDER).convert("RGBA")
        folder = folder.resize((2 * folder.width, 2 * folder.height), Image.NEAREST)
        self.assertEqual(pyscreeze.locateOnScreen(key), (142, 564, 118, 68), "without being told")
        with mock.patch.object(adapter.settings, "pixel_ratio", 2.0):
            box = pyscreeze.locateOnScreen(key)
            self.assertEqual(box, KEY7_BOX)
            self.assertIsInstance(box, pyscreeze.Box)
            self.assertTrue(all(type(value) is int for value in box))
            self.assertEqual((box.match.box, box.match.logical_box, box.score), ((142, 564, 118, 68), KEY7_BOX, 1.0))
            self.assertEqual(pyscreeze.locateCenterOnScreen(key), (100, 299))
            boxes = list(pyscreeze.locateAllOnScreen(folder))
            self.assertEqual([box[:2] for box in boxes], FOLDER_CORNERS)
            self.assertEqual(pyscreeze.locateOnScreen(folder, region=(300, 600, 500, 200))[:2], (356, 669))
            # A needle of a display with one pixel for a point.
            found = pyscreeze.locateCenterOnScreen(KEY7, confidence=0.9, region=(0, 200, 400, 200))
            self.assertLessEqual(max(abs(found[0] - 100), abs(found[1] - 299)), 1)
            with self.assertRaises(pyscreeze.ImageNotFoundException):
                pyscreeze.locateOnScreen(folder, region=(0, 0, 100, 100))
            with mock.patch.object(pyscreeze, "USE_IMAGE_NOT_FOUND_EXCEPTION", False):
                self.assertIsNone(pyscreeze.locateOnScreen(folder, region=(0, 0, 100, 100)))
            # Pictures that the script brings along have no points.
            self.assertEqual(pyscreeze.locate(key, wide), (142, 564, 118, 68))

    def test_min_search_time(self):
        empty = Image.new("RGB", (1920, 1080), "white")
        self.frames = [empty, empty, Image.open(SCREEN)]
        self.assertEqual(pyscreeze.locateOnScreen(KEY7, minSearchTime=20), KEY7_BOX)


class Activation(unittest.TestCase):
    SCRIPT = ("import sys, pyscreeze\n"
              "print(pyscreeze.locateAll.__module__, sys.argv[1:], __name__)\n"
              f"print(len(list(pyscreeze.locateAll({FOLDER!r}, {SCREEN!r}))))\n")

    def run_script(self, before, **variables):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "script.py")
            with open(script, "w", encoding="utf-8") as file:
                file.write(self.SCRIPT)
            environment = {name: value for name, value in os.environ.items() if name != "VEDETTE_HOOK"}
            done = subprocess.run([sys.executable, *before, script, "one", "two"], env={**environment, **variables},
                                  capture_output=True, text=True, check=False)
            return done.stdout.splitlines(), done.stderr

    def test_run(self):
        lines, problems = self.run_script(["-m", "vedette.run"])
        self.assertEqual(lines, ["vedette.pyscreeze ['one', 'two'] __main__", "5"], problems)

    def test_hook_by_environment(self):
        # The line that a wheel puts where Python reads it at its start.
        start = 'import os; os.environ.get("VEDETTE_HOOK") and __import__("vedette.site_hook"); import runpy, sys; ' \
                'sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name="__main__")'
        lines, problems = self.run_script(["-c", start], VEDETTE_HOOK="pyscreeze")
        self.assertEqual(lines, ["vedette.pyscreeze ['one', 'two'] __main__", "5"], problems)
        lines, _ = self.run_script(["-c", start])
        self.assertEqual(lines[0], "pyscreeze ['one', 'two'] __main__")
        _, problems = self.run_script(["-c", start], VEDETTE_HOOK="nosuch")
        self.assertIn("nosuch", problems)

    def test_settings_from_outside(self):
        settings = adapter.Settings.from_text("grayscale=1; verify=0;strictness=0.67;fallbacks=scales,features")
        self.assertEqual((settings.grayscale, settings.verify, settings.strictness, settings.fallbacks),
                         (True, False, 0.67, ("scales", "features")))
        self.assertEqual(adapter.Settings.from_text("fallbacks=none").fallbacks, ())
        self.assertEqual(adapter.Settings.from_text("pixel_ratio=1.5").pixel_ratio, 1.5)
        for wrong in ("verify=2", "nosuch=1", "strictness=x", "fallbacks=sizes", "pixel_ratio=0", "pixel_ratio=two"):
            with self.assertRaises(vedette.errors.ConfigurationError):
                adapter.Settings.from_text(wrong)

    def test_uninstall(self):
        adapter.uninstall()
        try:
            for function in (pyscreeze.locateAll, pyscreeze.locateOnScreen, pyscreeze.locateAllOnScreen):
                self.assertEqual(function.__code__.co_filename, pyscreeze.__file__)
        finally:
            adapter.install()


class PyAutoGui(unittest.TestCase):
    def test_locate_functions(self):
        if shutil.which("Xvfb") is None:
            self.skipTest("Xvfb is not installed, and PyAutoGUI cannot be imported without a display")
        code = (
            "import pyautogui, pyscreeze, vedette.pyscreeze\n"
            "from PIL import Image\n"
            f"pyscreeze.screenshot = lambda region=None: Image.open({SCREEN!r}).convert('RGB')\n"
            f"print(pyautogui.locateOnScreen({KEY7!r}), pyautogui.locateCenterOnScreen({KEY7!r}, confidence=0.9))\n"
            f"print(len(list(pyautogui.locateAllOnScreen({FOLDER!r}))))\n"
            "try:\n"
            f"    pyautogui.locateOnScreen({UNDO!r})\n"
            "except pyautogui.ImageNotFoundException:\n"
            "    print('not found')\n")
        done = subprocess.run(["xvfb-run", "-a", sys.executable, "-c", code], capture_output=True, text=True,
                              check=False)
        if "tkinter" in done.stderr or "No module named 'pyautogui'" in done.stderr:
            self.skipTest("PyAutoGUI cannot be imported: " + done.stderr.strip().splitlines()[-1])
        self.assertEqual(done.stdout.splitlines(),
                         ["Box(left=71, top=282, width=59, height=34) Point(x=100, y=299)", "5", "not found"],
                         done.stderr)


if __name__ == "__main__":
    unittest.main()
