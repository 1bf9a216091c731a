"""Finds: answers, reasons, odd input, threads."""

import gc
import os
import resource
import tempfile
import threading
import time
import unittest

import numpy as np
import vedette
from support import FOLDER, FOLDER_CORNERS, KEY7, KEY7_BOX, SCREEN, UNDO, gray_screen, placed, texture
from vedette import Reason, Stage


def png(array, order="bgr"):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.png")
        vedette.write_png(path, array, order)
        with open(path, "rb") as file:
            return file.read()


class SampleFinds(unittest.TestCase):
    def test_best_match(self):
        found = vedette.find(SCREEN, KEY7)
        self.assertTrue(found)
        self.assertEqual(len(found), 1)
        match = found.match
        self.assertEqual(match.box, KEY7_BOX)
        self.assertEqual(found.center, (100, 299))
        self.assertEqual(match.score, 1.0)
        self.assertEqual((match.stage, match.reason, match.scale), (Stage.SAME, Reason.NONE, 1.0))
        self.assertEqual(match.quad, ((71, 282), (130, 282), (130, 316), (71, 316)))
        self.assertEqual(found.run.backend, "cpu")
        self.assertGreater(found.run.measured_ms, 0)

    def test_another_state_is_refused_with_a_reason(self):
        found = vedette.find(SCREEN, UNDO)
        self.assertFalse(found)
        self.assertIsNone(found.match)
        self.assertEqual(found.reason, Reason.DIFFERS_EVERYWHERE)
        self.assertGreater(found.best.residual, found.best.residual_limit)
        self.assertIn("differs everywhere", found.why)
        self.assertTrue(vedette.find(SCREEN, UNDO, verify=False), "by score alone it is there")

    def test_all_matches_best_first_without_duplicates(self):
        found = vedette.find_all(SCREEN, FOLDER)
        self.assertEqual([(match.x, match.y) for match in found], FOLDER_CORNERS)
        self.assertEqual(found.copies, 4)
        self.assertEqual([match.score for match in found], sorted((match.score for match in found), reverse=True))

    def test_several_patterns_at_once(self):
        key, undo, folder = vedette.find(SCREEN, [KEY7, UNDO, FOLDER])
        self.assertEqual((bool(key), bool(undo), bool(folder)), (True, False, True))
        self.assertEqual(folder.match.pattern, 2)
        self.assertEqual(vedette.find(SCREEN, []), [])

    def test_region_and_excluded_areas(self):
        left = vedette.find_all(SCREEN, FOLDER, region=(0, 600, 500, 200))
        self.assertEqual([match.x for match in left], [259, 356])
        rest = vedette.find_all(SCREEN, FOLDER, exclude=[(0, 600, 500, 200)])
        self.assertEqual([match.x for match in rest], [1546, 550])

    def test_the_best_below_the_threshold_is_told(self):
        screen = placed(gray_screen(), texture(30, 40, seed=1), 50, 60)
        noisy = np.clip(texture(30, 40, seed=1).astype(int) + np.random.default_rng(2).normal(0, 25, (30, 40, 3)), 0,
                        255).astype(np.uint8)
        found = vedette.find(screen, noisy, threshold=0.99, fallbacks=False)
        self.assertFalse(found)
        self.assertEqual(found.reason, Reason.BELOW_SCORE)
        self.assertEqual((found.best.x, found.best.y), (50, 60))
        self.assertTrue(0.6 < found.best.score < 0.99)

    def test_another_size_by_fallback_or_by_list(self):
        pattern = texture(24, 30, seed=4).repeat(2, 0).repeat(2, 1)
        screen = placed(gray_screen(), texture(24, 30, seed=4), 100, 90)
        found = vedette.find(screen, pattern)
        self.assertEqual((found.match.stage, found.match.scale), (Stage.SCALE, 0.5))
        self.assertEqual(found.match.box, (100, 90, 30, 24))
        self.assertFalse(vedette.find(screen, pattern, fallbacks=False))
        self.assertEqual(vedette.find(screen, pattern, scales=[0.5]).match.box, (100, 90, 30, 24))

    def test_annotated_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bild-\u00fc.png")
            found = vedette.annotate(SCREEN, [KEY7, UNDO], path)
            self.assertEqual([bool(one) for one in found], [True, False])
            self.assertEqual(vedette.default_context().screen(path).size, (1920, 1080))


class FlatPatterns(unittest.TestCase):
    """Patterns of one colour, which correlation finds everywhere or nowhere."""

    def test_one_colour_that_is_nowhere(self):
        found = vedette.find(gray_screen(), np.full((20, 20, 3), (0, 0, 255), np.uint8))
        self.assertFalse(found)
        self.assertEqual(found.reason, Reason.COLOR_ABSENT)

    def test_one_colour_where_it_is(self):
        red = np.full((20, 30, 3), (0, 0, 255), np.uint8)
        found = vedette.find(placed(gray_screen(), red, 120, 80), red)
        self.assertEqual((found.match.box, found.match.stage), ((120, 80, 30, 20), Stage.FLAT))

    def test_flat_under_its_mask(self):
        pattern = np.zeros((20, 20, 4), np.uint8)
        pattern[5:15, 5:15] = (0, 0, 255, 255)
        red = np.full((10, 10, 3), (0, 0, 255), np.uint8)
        self.assertFalse(vedette.find(gray_screen(), pattern))
        found = vedette.find(placed(gray_screen(), red, 65, 75), pattern)
        self.assertEqual((found.match.x, found.match.y), (60, 70))

    def test_textured_pattern_on_a_flat_screen(self):
        self.assertFalse(vedette.find(gray_screen(), texture(20, 20)))

    def test_tiny_patterns_end(self):
        screen = placed(gray_screen(), np.array([[[0, 0, 0], [255, 255, 255]]], np.uint8), 40, 30)
        found = vedette.find_all(screen, screen[30:31, 40:42].copy(), verify=False, max_results=50)
        self.assertLessEqual(len(found), 50)
        self.assertEqual((found[0].x, found[0].y), (40, 30))
        self.assertEqual(len({match.box for match in found}), len(found))
        one = vedette.find_all(screen, screen[30:31, 40:41].copy())
        self.assertEqual([match.box for match in one], [(40, 30, 1, 1)])

    def test_icon_in_the_corner_with_little_contrast(self):
        icon = gray_screen(9, 8, 238)
        icon[2:7, 2:6] = (255, 240, 228)
        screen = placed(gray_screen(value=238), icon, 0, 0)
        screen = placed(screen, icon, 200, 150)
        found = vedette.find_all(screen, icon, threshold=1.0, verify=False)
        self.assertEqual([match.box[:2] for match in found], [(0, 0), (200, 150)])


class Masks(unittest.TestCase):
    def test_transparent_pixels_take_no_part(self):
        shape = texture(30, 30, seed=5)
        for background in (0, 90, 255):
            screen = placed(gray_screen(value=background), shape, 77, 88)
            pattern = np.dstack([shape, np.full((30, 30), 255, np.uint8)])
            pattern[:, 20:] = 0
            screen[88:118, 97:107] = background
            found = vedette.find(screen, pattern)
            self.assertEqual((found.match.x, found.match.y, found.match.score), (77, 88, 1.0))

    def test_masked_scores_are_mean_free(self):
        """A masked pattern is not found on plain ground, however its brightness."""
        pattern = np.dstack([texture(20, 20, seed=6), np.full((20, 20), 255, np.uint8)])
        pattern[0:4] = 0
        for value in (30, 128, 250):
            self.assertFalse(vedette.find(gray_screen(value=value), pattern))

    def test_excluded_rectangles_of_a_pattern(self):
        original = texture(30, 40, seed=7)
        changed = original.copy()
        changed[10:20, 10:20] = 0
        screen = placed(gray_screen(), changed, 30, 40)
        self.assertFalse(vedette.find(screen, original))
        pattern = vedette.default_context().pattern(original, exclude=[(10, 10, 10, 10)])
        self.assertEqual(vedette.find(screen, pattern).match.box, (30, 40, 40, 30))
        with self.assertRaises(ValueError):
            pattern.exclude([(0, 0, 40, 30)])


class OddInput(unittest.TestCase):
    def test_pattern_larger_than_the_screen(self):
        for size in ((400, 500), (10, 500), (400, 10)):
            found = vedette.find(gray_screen(300, 400), texture(*size))
            self.assertFalse(found)
            self.assertEqual(found.reason, Reason.TOO_LARGE)

    def test_every_kind_of_png(self):
        from PIL import Image

        rgb = Image.fromarray(texture(24, 30, seed=8)[:, :, ::-1])
        quantised = rgb.quantize(64)
        pictures = {"palette": quantised, "rgb": rgb, "rgba": rgb.convert("RGBA"), "gray": rgb.convert("L"),
                    "gray with alpha": rgb.convert("LA"), "one bit": rgb.convert("1")}
        with tempfile.TemporaryDirectory() as folder:
            for name, picture in pictures.items():
                path = os.path.join(folder, name + " \u65e5\u672c.png")
                picture.save(path)
                visible = np.asarray(picture.convert("RGB"))[:, :, ::-1]
                found = vedette.find(placed(gray_screen(), visible, 60, 50), path)
                self.assertEqual(found.match.box, (60, 50, 30, 24), name)

    def test_colour_pattern_with_alpha_on_a_screen_without_and_the_other_way(self):
        shape = texture(30, 30, seed=9)
        screen = placed(gray_screen(), shape, 10, 20)
        opaque = np.full((30, 30), 255, np.uint8)
        self.assertTrue(vedette.find(screen, np.dstack([shape, opaque])))
        self.assertTrue(vedette.find(np.dstack([screen, np.zeros(screen.shape[:2], np.uint8)]), shape))
        gray = np.ascontiguousarray(screen[:, :, 1])
        self.assertEqual(vedette.find(gray, gray[20:50, 10:40]).match.box, (10, 20, 30, 30))

    def test_errors_name_what_is_wrong(self):
        cases = [
            (lambda: vedette.find("no-such-file.png", KEY7), OSError, "no-such-file.png"),
            (lambda: vedette.find(SCREEN, b"not a picture"), vedette.errors.FormatError, ""),
            (lambda: vedette.find(SCREEN, KEY7, threshold=2), ValueError, "threshold"),
            (lambda: vedette.find(SCREEN, KEY7, region=(0, 0, 5000, 10)), ValueError, "region"),
            (lambda: vedette.find(SCREEN, KEY7, region=(0, 0, 10)), ValueError, "region"),
            (lambda: vedette.find(SCREEN, KEY7, color="red"), ValueError, "color"),
            (lambda: vedette.find(SCREEN, KEY7, fallbacks=["sizes"]), ValueError, "sizes"),
            (lambda: vedette.find(SCREEN, KEY7, backend="nosuch"), vedette.errors.DeviceError, "nosuch"),
            (lambda: vedette.find(SCREEN, np.zeros((0, 5, 3), np.uint8)), ValueError, "no pixels"),
            (lambda: vedette.find(SCREEN, np.zeros((5, 5, 3), float)), ValueError, "float64"),
            (lambda: vedette.find(SCREEN, np.zeros((5, 5, 2), np.uint8)), ValueError, "(5, 5, 2)"),
            (lambda: vedette.find(SCREEN, np.zeros((5, 5, 4), np.uint8)), ValueError, "transparent"),
            (lambda: vedette.find(SCREEN, 7), ValueError, "int"),
            (lambda: vedette.find(SCREEN, KEY7, treshold=1), TypeError, "treshold"),
            (lambda: vedette.Context(config={"schema": 99}), vedette.errors.ConfigurationError, "schema"),
            (lambda: vedette.Context(backend="nosuch"), ValueError, "nosuch"),
        ]
        for action, kind, text in cases:
            with self.assertRaises(kind) as caught:
                action()
            self.assertIn(text, str(caught.exception))
        with self.assertRaises(vedette.Error) as caught:
            vedette.find("no-such-file.png", KEY7)
        self.assertEqual((caught.exception.code, caught.exception.status), (-105, "VDT_E_FILE"))

    def test_encoded_files_in_memory(self):
        pattern = texture(20, 25, seed=10)
        found = vedette.find(png(placed(gray_screen(), pattern, 3, 4)), bytearray(png(pattern)))
        self.assertEqual(found.match.box, (3, 4, 25, 20))


class Threads(unittest.TestCase):
    def test_one_context_from_many_threads(self):
        context = vedette.Context(threads=2)
        screen, pattern = context.screen(SCREEN), context.pattern(KEY7)
        wrong = []

        def work():
            for _ in range(5):
                if context.find(screen, pattern).match.box != KEY7_BOX:
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_python_runs_while_the_library_works(self):
        context = vedette.Context(threads=1)
        noise = context.screen(texture(1080, 1920, seed=11))
        pattern = context.pattern(texture(64, 64, seed=12))
        ticks = []
        done = threading.Event()

        def work():
            context.find(noise, pattern, floor=-1, fallbacks=False)
            done.set()

        thread = threading.Thread(target=work)
        begin = time.monotonic()
        thread.start()
        while not done.is_set():
            time.sleep(0.001)
            ticks.append(time.monotonic())
        thread.join()
        took = time.monotonic() - begin
        longest = max(b - a for a, b in zip([begin] + ticks, ticks))
        self.assertGreater(took, 0.01, "the find is too short to show anything")
        self.assertLess(longest, max(0.8 * took, 0.05), "the interpreter stood still during the find")

    def test_a_find_can_be_cancelled_and_limited(self):
        screen = texture(1080, 1920, seed=13)
        pattern = texture(100, 100, seed=14)
        cancel = vedette.Cancel()
        cancel.set()
        with self.assertRaises(vedette.errors.Cancelled):
            vedette.find(screen, pattern, cancel=cancel)
        cancel.reset()
        self.assertFalse(vedette.find(screen, pattern, cancel=cancel, fallbacks=False))
        with self.assertRaises(TimeoutError):
            vedette.find(screen, pattern, time_limit=1e-4, floor=-1)

    def test_after_a_fork_the_child_makes_a_context_of_its_own(self):
        self.assertTrue(vedette.find(SCREEN, KEY7))
        context = vedette.default_context()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                forked = False
                try:
                    context.find(SCREEN, KEY7)
                except vedette.errors.ForkedError:
                    forked = True
                status = 0 if forked and vedette.find(SCREEN, KEY7) else 1
            finally:
                os._exit(status)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertTrue(context.find(SCREEN, KEY7))


class Memory(unittest.TestCase):
    def test_finds_do_not_grow(self):
        screen = placed(gray_screen(600, 800), texture(30, 40, seed=15), 50, 60)
        pattern = texture(30, 40, seed=15)

        def resident():
            gc.collect()
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * resource.getpagesize()

        # Other backends may be opened while these go on, which takes memory once.
        for _ in range(30):
            vedette.find_all(screen, pattern, backend="cpu")
        before = resident()
        for _ in range(200):
            self.assertTrue(vedette.find_all(screen, pattern, backend="cpu"))
        # One lost copy of the screen would be 288 MB by now.
        self.assertLess(resident() - before, 30e6)


if __name__ == "__main__":
    unittest.main()
