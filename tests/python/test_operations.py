"""Score maps, cascades, features and restoration, against OpenCV's Python binding and the command."""

import json
import os
import subprocess
import tempfile
import unittest

import numpy as np
import vedette
from support import COMMAND, KEY7, SCREEN, needs_command, placed, texture
from vedette._operations import METHODS
from vedette._pixels import bgr_or_gray

try:
    import cv2
except ImportError:
    cv2 = None

CASCADES = "/usr/share/opencv4"
needs_cv2 = unittest.skipIf(cv2 is None, "OpenCV's Python binding is not installed")


def relative_error(ours, theirs):
    return float(np.max(np.abs(ours - theirs)) / max(1.0, float(np.max(np.abs(theirs)))))


class ScoreMaps(unittest.TestCase):
    @needs_cv2
    def test_values_of_opencv(self):
        screen = bgr_or_gray(SCREEN)[200:500, 40:500]
        key = bgr_or_gray(KEY7)
        # Where a window hardly varies, OpenCV's own rounding is all that its quotient shows.
        sums, squares = cv2.integral2(screen.astype(np.float64).sum(2))[:2]

        def windows(table):
            h, w = key.shape[:2]
            return (table[h:, w:] - table[:-h, w:] - table[h:, :-w] + table[:-h, :-w]) / (h * w)

        lively = windows(squares) - windows(sums) ** 2 > 3600
        self.assertGreater(lively.mean(), 0.3)
        for color in (screen, key), (screen[:, :, 1], key[:, :, 1]):
            for number, name in enumerate(METHODS):
                ours = vedette.match_template(*color, name)
                theirs = cv2.matchTemplate(np.ascontiguousarray(color[0]), np.ascontiguousarray(color[1]), number)
                self.assertEqual(ours.shape, theirs.shape)
                self.assertLess(relative_error(ours[lively], theirs[lively]), 1e-4, name)
                self.assertEqual(vedette.match_template(*color, number).tobytes(), ours.tobytes())

    @needs_cv2
    def test_masked_values_of_opencv(self):
        screen, pattern = texture(90, 120, seed=1), texture(20, 30, seed=2)
        mask = np.zeros((20, 30), np.uint8)
        mask[3:17, 5:22] = 1
        for number, name in enumerate(METHODS):
            ours = vedette.match_template(screen, pattern, name, mask)
            theirs = cv2.matchTemplate(screen, pattern, number, mask=cv2.merge([mask, mask, mask]))
            self.assertLess(relative_error(ours, theirs), 1e-4, name)

    def test_always_finite(self):
        flat = np.full((40, 50, 3), 7, np.uint8)
        pattern = texture(10, 12, seed=3)
        nothing = np.zeros((10, 12), np.uint8)
        for name in METHODS:
            for scene in (flat, np.zeros_like(flat)):
                self.assertTrue(np.isfinite(vedette.match_template(scene, pattern, name)).all())
                mask = nothing.copy()
                mask[2:8, 2:8] = 1
                self.assertTrue(np.isfinite(vedette.match_template(scene, pattern, name, mask)).all())
            uniform = vedette.match_template(texture(40, 50, seed=4), flat[:10, :12], name)
            self.assertTrue(np.isfinite(uniform).all())
        self.assertEqual(float(vedette.match_template(texture(40, 50), flat[:5, :5]).max()), 0.0)

    def test_wrong_arguments(self):
        for scene, pattern, method, mask in (
            (texture(10, 10), texture(11, 5), 5, None),
            (texture(10, 10), texture(5, 5)[:, :, 0], 5, None),
            (texture(10, 10), texture(5, 5), 6, None),
            (texture(10, 10), texture(5, 5), "nosuch", None),
            (texture(10, 10), texture(5, 5), 5, np.ones((4, 5))),
        ):
            with self.assertRaises(ValueError):
                vedette.match_template(scene, pattern, method, mask)


class Cascades(unittest.TestCase):
    @needs_cv2
    def test_detections_of_opencv(self):
        path = os.path.join(CASCADES, "haarcascades", "haarcascade_frontalface_default.xml")
        if not os.path.exists(path):
            self.skipTest("opencv-data is not installed")
        if not hasattr(cv2, "CascadeClassifier"):
            self.skipTest(f"OpenCV {cv2.__version__} for Python has no CascadeClassifier")
        picture = bgr_or_gray(SCREEN)[:600, :900]
        theirs = cv2.CascadeClassifier(path).detectMultiScale(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), 1.2, 0)
        ours = vedette.detect(picture, path, scale_factor=1.2, min_neighbors=0)
        self.assertGreater(len(ours), 0)
        self.assertEqual(sorted((one.x, one.y, one.w, one.h) for one in ours), sorted(map(tuple, theirs.tolist())))
        with open(path, "rb") as file:
            self.assertEqual(vedette.detect(picture, file.read(), scale_factor=1.2, min_neighbors=0), ours)

    def test_damaged_and_missing_classifiers(self):
        with self.assertRaises(vedette.errors.FormatError):
            vedette.detect(SCREEN, b"<opencv_storage/>")
        with self.assertRaises(OSError):
            vedette.detect(SCREEN, "no-such.xml")


class Features(unittest.TestCase):
    @needs_cv2
    def test_keypoints_of_opencv(self):
        picture = bgr_or_gray(SCREEN)[:400, :600]
        gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        theirs, their_descriptors = cv2.SIFT_create().detectAndCompute(gray, None)
        ours, descriptors = vedette.features(picture)
        self.assertEqual(descriptors.shape, (len(ours), 128))
        self.assertLess(abs(len(ours) - len(theirs)), 0.02 * len(theirs) + 2)
        near = {}
        for row, point in enumerate(ours):
            near.setdefault((round(point.x), round(point.y)), []).append(row)
        hits = sum(
            any(np.abs(descriptors[row] - their_descriptors[index]).max() < 16
                for row in near.get((round(point.pt[0]), round(point.pt[1])), []))
            for index, point in enumerate(theirs))
        self.assertGreater(hits, 0.95 * len(theirs))

    def test_a_turned_pattern_and_one_that_is_not_there(self):
        pattern = texture(120, 160, seed=5)
        screen = placed(texture(400, 500, seed=6) // 3 + 80, np.rot90(pattern).copy(), 200, 100)
        found = vedette.match(screen, pattern)
        self.assertTrue(found, found.reason)
        for corner, expected in zip(found.quad, [(200, 260), (200, 100), (320, 100), (320, 260)]):
            self.assertLess(np.hypot(corner[0] - expected[0], corner[1] - expected[1]), 1.5)
        absent = vedette.match(screen, texture(120, 160, seed=7))
        self.assertFalse(absent)
        self.assertNotEqual(absent.reason, "")
        few = vedette.match(np.full((200, 200, 3), 9, np.uint8), pattern)
        self.assertIn("four are needed", few.reason)

    def test_screens_and_patterns_that_are_used_again(self):
        screen, pattern = vedette.default_context().screen(SCREEN), bgr_or_gray(SCREEN)[560:760, 200:700]
        first = vedette.match(screen, pattern)
        self.assertTrue(first, first.reason)
        for corner, expected in zip(first.quad, [(200, 560), (700, 560), (700, 760), (200, 760)]):
            self.assertLess(np.hypot(corner[0] - expected[0], corner[1] - expected[1]), 0.5)
        # A find's fallback keeps fewer features with the screen; they are not taken for these.
        vedette.find(screen, texture(60, 80, seed=11))
        again = vedette.match(screen, pattern)
        self.assertEqual((again.quad, again.inliers, again.screen_keypoints),
                         (first.quad, first.inliers, first.screen_keypoints))
        self.assertEqual(first.run.backend, again.run.backend)

    def test_excluded_areas_take_no_part(self):
        pattern = bgr_or_gray(SCREEN)[560:760, 200:700]
        whole = vedette.match(SCREEN, pattern)
        half = vedette.match(SCREEN, vedette.default_context().pattern(pattern, exclude=[(0, 0, 250, 200)]))
        self.assertTrue(half, half.reason)
        self.assertLess(half.pattern_keypoints, 0.8 * whole.pattern_keypoints)

    def test_wrong_arguments_of_match(self):
        for keywords, word in (({"ratio": 1.5}, "ratio"), ({"reprojection": 0}, "reprojection"),
                               ({"ratio": float("nan")}, "ratio"), ({"backend": "nobody"}, "nobody")):
            with self.assertRaises(vedette.Error) as caught:
                vedette.match(texture(90, 90), texture(40, 40), **keywords)
            self.assertIn(word, str(caught.exception))

    @needs_command
    def test_the_same_as_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            part = os.path.join(folder, "part.png")
            vedette.write_png(part, bgr_or_gray(SCREEN)[560:760, 200:700])
            answer = json.loads(subprocess.run([COMMAND, "match", SCREEN, part, "--json"], check=False,
                                               capture_output=True, text=True).stdout)
            found = vedette.match(SCREEN, part)
        self.assertEqual(found.found, answer["status"] == "found")
        self.assertEqual((found.inliers, found.pairs), (answer["inliers"], answer["pairs"]))
        for corner, point in zip(found.quad, answer["quad"]):
            self.assertAlmostEqual(corner[0], point["x"], places=6)
            self.assertAlmostEqual(corner[1], point["y"], places=6)


class Explanations(unittest.TestCase):
    def test_of_a_find(self):
        context = vedette.Context()
        with context.explain() as explanation:
            found = context.find(SCREEN, KEY7)
            self.assertEqual(explanation.calls, [])
        self.assertTrue(found)
        self.assertFalse(explanation.measured)
        self.assertIn("template_find", [one.operation for one in explanation.calls])
        for one in explanation.calls:
            self.assertIn(one.backend, [candidate.backend for candidate in one.candidates], one.raw)
            self.assertNotEqual(one.reason, "")
        search = next(one for one in explanation.calls if one.operation == "template_find")
        self.assertEqual(search.backend, found.run.backend)
        self.assertGreater(search.candidates[0].terms_ms["total"], 0)
        self.assertEqual(json.loads(explanation.text)["left_out"], explanation.left_out)

    def test_measured_and_after_an_exception(self):
        context = vedette.Context()
        with context.explain(measure=True) as explanation:
            context.match_template(texture(60, 80), texture(9, 9))
        self.assertTrue(explanation.measured)
        self.assertGreater(explanation.calls[0].candidates[0].measured_ms, 0)
        with self.assertRaises(KeyError):
            with context.explain():
                raise KeyError
        with context.explain():  # the one before has ended
            with self.assertRaises(vedette.Error):
                with context.explain():
                    pass


class Restoration(unittest.TestCase):
    @needs_command
    def test_the_same_as_the_command(self):
        picture = bgr_or_gray(SCREEN)[200:520, 40:420]
        with tempfile.TemporaryDirectory() as folder:
            before, after = os.path.join(folder, "before.png"), os.path.join(folder, "after.png")
            for spread, text, method in ((("gaussian", 1.2), "gaussian:1.2", "richardson-lucy"),
                                         (("motion", 5, 30), "motion:5,30", "mia"),
                                         (("disk", 2), "disk:2", "blind")):
                vedette.write_png(before, picture)
                subprocess.run([COMMAND, "restore", before, after, "--psf", text, "--method", method, "--iterations",
                                "6"], check=True, capture_output=True)
                ours = vedette.restore(picture, spread, method=method, iterations=6)
                theirs = bgr_or_gray(after)
                self.assertLessEqual(int(np.abs(ours.astype(int) - theirs).max()), 1, text)

    def test_a_blurred_key_is_told_more_surely(self):
        screen = bgr_or_gray(SCREEN)[200:520, 40:420].astype(float)
        kernel = np.exp(-np.arange(-5, 6) ** 2 / 2)
        kernel /= kernel.sum()
        for axis in (0, 1):
            screen = np.apply_along_axis(lambda line: np.convolve(np.pad(line, 5, "edge"), kernel, "valid"), axis,
                                         screen)
        blurred = np.clip(screen + 0.5, 0, 255).astype(np.uint8)
        before = vedette.find(blurred, KEY7, verify=False, fallbacks=False).best
        restored = vedette.restore(blurred, ("gaussian", 1.0), iterations=60)
        after = vedette.find(restored, KEY7, fallbacks=False).match
        self.assertEqual(after.box, (31, 82, 59, 34))
        self.assertGreater(after.score, before.score + 0.05)

    def test_layout_and_alpha_stay(self):
        picture = np.dstack([texture(50, 60, seed=8), np.arange(3000, dtype=np.uint8).reshape(50, 60)])
        restored = vedette.restore(picture, iterations=2)
        self.assertEqual(restored.shape, picture.shape)
        self.assertTrue(np.array_equal(restored[:, :, 3], picture[:, :, 3]))
        self.assertEqual(vedette.restore(picture[:, :, 0], iterations=2).shape, (50, 60))

    def test_wrong_arguments(self):
        for spread, keywords in ((("gaussian", 100), {}), (("gaussian",), {}), (("square", 3), {}),
                                 (np.zeros((3, 3)), {}), (("disk", 2), {"method": "nosuch"}),
                                 (("disk", 2), {"iterations": 0})):
            with self.assertRaises((ValueError, IndexError)):
                vedette.restore(texture(30, 30), spread, **keywords)


if __name__ == "__main__":
    unittest.main()
