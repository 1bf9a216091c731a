"""cv2 with the hook: OpenCV's values, and sane ones where it has none."""

import os
import subprocess
import sys
import threading
import unittest
from unittest import mock

import cv2
import numpy as np
from support import KEY7, SCREEN, gray_screen, placed, texture

from vedette import cv2_hook

DATA = "/usr/share/opencv4"
METHODS = range(6)
OPENCV = cv2.matchTemplate


def close(ours, theirs, summed=0.0):
    """Within 1e-4, of the largest value where values are sums; OpenCV takes those from sums of `summed` in float."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return False
    finite = np.isfinite(theirs)
    if not np.array_equal(finite, np.isfinite(ours)):
        return False
    if not finite.any():
        return True
    scale = max(1.0, float(np.abs(theirs[finite]).max()))
    return float(np.abs(ours[finite] - theirs[finite]).max()) < max(1e-4 * scale, 2**-22 * summed)


class Hooked(unittest.TestCase):
    finite = False

    def setUp(self):
        cv2_hook.install(finite=self.finite)
        self.addCleanup(cv2_hook.uninstall)
        self.ours = 0
        run = cv2_hook.operations.match_template

        def counted(*arguments, **keywords):
            self.ours += 1
            return run(*arguments, **keywords)

        patch = mock.patch.object(cv2_hook.operations, "match_template", counted)
        patch.start()
        self.addCleanup(patch.stop)


class Values(Hooked):
    def test_every_method_gray_and_colour(self):
        for shape, pattern in (((120, 160), (24, 30)), ((64, 64), (1, 9)), ((50, 70), (50, 70)), ((90, 90), (33, 7))):
            for channels in (1, 3):
                image = texture(*shape, channels, seed=1).squeeze()
                template = texture(*pattern, channels, seed=2)
                template = template if channels == 3 else template[:, :, 0]
                products = float(OPENCV(image, template, cv2.TM_CCORR).max())
                for method in METHODS:
                    summed = products if method == cv2.TM_CCOEFF else 0.0
                    ours, theirs = cv2.matchTemplate(image, template, method), OPENCV(image, template, method)
                    self.assertTrue(close(ours, theirs, summed), (shape, pattern, channels, method, ours, theirs))
        self.assertEqual(self.ours, 4 * 2 * 6)

    def test_masks(self):
        image, template = texture(80, 100, seed=3), texture(20, 24, seed=4)
        mask = (texture(20, 24, 1, seed=5)[:, :, 0] > 127).astype(np.uint8)
        three = cv2.merge([mask * 255] * 3)
        for method in METHODS:
            for one in (mask, mask * 255, three):
                expected = OPENCV(image, template, method, None, one)
                self.assertTrue(close(cv2.matchTemplate(image, template, method, mask=one), expected), method)
            gray = image[:, :, 1].copy(), template[:, :, 1].copy()
            self.assertTrue(close(cv2.matchTemplate(*gray, method, None, mask), OPENCV(*gray, method, None, mask)))
        self.assertEqual(self.ours, 6 * 4)

    def test_real_screens(self):
        screen, key = cv2.imread(SCREEN), cv2.imread(KEY7)
        for method in (cv2.TM_SQDIFF, cv2.TM_CCORR_NORMED):
            self.assertTrue(close(cv2.matchTemplate(screen, key, method), OPENCV(screen, key, method)))
        scores = cv2.matchTemplate(screen, key, cv2.TM_CCOEFF_NORMED)
        self.assertEqual(cv2.minMaxLoc(scores)[3], (71, 282))
        self.assertGreaterEqual(cv2.minMaxLoc(scores)[1], 1.0 - 1e-6)

    def test_layouts_and_a_place_for_the_result(self):
        image, template = texture(80, 100, seed=6), texture(20, 24, seed=7)
        expected = OPENCV(image, template, cv2.TM_CCOEFF_NORMED)
        for view in (np.asfortranarray(image), image[:, ::-1][:, ::-1], image[::-1][::-1],
                     np.dstack([image, image])[:, :, :3]):
            self.assertTrue(close(cv2.matchTemplate(view, template, cv2.TM_CCOEFF_NORMED), expected))
        place = np.zeros_like(expected)
        self.assertIs(cv2.matchTemplate(image, template, cv2.TM_CCOEFF_NORMED, place), place)
        self.assertTrue(close(place, expected))

    def test_calls_from_new_threads_take_no_more_memory(self):
        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        scene, template = texture(300, 400), texture(300, 400)[20:40, 30:60].copy()
        expected = OPENCV(scene, template, cv2.TM_CCOEFF_NORMED)

        def search(times):
            for _ in range(times):
                answers = []
                thread = threading.Thread(
                    target=lambda: answers.append(cv2.matchTemplate(scene, template, cv2.TM_CCOEFF_NORMED)))
                thread.start()
                thread.join()
                self.assertTrue(close(answers[0], expected))

        # What is kept for a thread that has ended grows with every call; what the allocator takes once, on a busy machine
        # later than on an idle one, does not.
        search(20)
        calls = 20
        growth = []
        while len(growth) < 4 and (not growth or growth[-1] >= 1 << 20):
            before = resident()
            search(75)
            calls += 75
            growth.append(resident() - before)
        self.assertEqual(self.ours, calls)
        self.assertLess(growth[-1], 1 << 20, f"bytes of every 75 calls: {growth}")

    def test_what_is_unusual_goes_to_opencv(self):
        image, template = texture(80, 100, seed=8), texture(20, 24, seed=9)
        weights = np.linspace(0, 1, 480, dtype=np.float32).reshape(20, 24)
        for arguments in ((image.astype(np.float32), template.astype(np.float32), 5),
                          (image, template, 3, None, np.dstack([weights] * 3))):
            self.assertTrue(close(cv2.matchTemplate(*arguments), OPENCV(*arguments)))
        for wrong in ((image, template[:, :, 0], 5), (image, np.zeros((100, 24, 3), np.uint8), 5), (image, None, 5),
                      (image, template, 17), (image.astype(np.uint16), template.astype(np.uint16), 5)):
            with self.assertRaises(cv2.error):
                OPENCV(*wrong)
            with self.assertRaises(cv2.error):
                cv2.matchTemplate(*wrong)
        self.assertEqual(self.ours, 0)

    def test_degenerate_input_is_opencvs(self):
        """Without the option not even nonsense changes."""
        image = placed(gray_screen(80, 100), texture(20, 30, seed=10), 20, 20)
        flat = gray_screen(10, 12, 90)
        mask = np.zeros((10, 12, 3), np.uint8)
        for template in (flat, np.zeros_like(flat), texture(10, 12, seed=11)):
            for method in (1, 3, 5):
                self.assertTrue(close(cv2.matchTemplate(image, template, method), OPENCV(image, template, method)))
                for values in (0, 1):
                    mask[2:8, 3:9] = values
                    self.assertTrue(close(cv2.matchTemplate(image, template, method, None, mask),
                                          OPENCV(image, template, method, None, mask)), (method, values))


class FiniteValues(Hooked):
    finite = True

    def test_templates_of_one_colour(self):
        image = placed(gray_screen(80, 100), texture(20, 30, seed=12), 20, 20)
        flat = gray_screen(10, 12, 90)
        self.assertTrue((OPENCV(image, flat, cv2.TM_CCOEFF_NORMED) == 1).all(), "OpenCV sees it everywhere")
        self.assertTrue((cv2.matchTemplate(image, flat, cv2.TM_CCOEFF_NORMED) == 0).all())
        self.assertTrue((cv2.matchTemplate(image, flat[:1, :1], cv2.TM_CCOEFF_NORMED) == 0).all())

    def test_masked_windows_without_contrast(self):
        image = placed(gray_screen(80, 100), texture(20, 30, seed=13), 20, 20)
        template = texture(20, 30, seed=13)
        mask = np.zeros((20, 30, 3), np.uint8)
        mask[4:16, 5:25] = 255
        self.assertFalse(np.isfinite(OPENCV(image, template, cv2.TM_CCOEFF_NORMED, None, mask)).all())
        scores = cv2.matchTemplate(image, template, cv2.TM_CCOEFF_NORMED, None, mask)
        self.assertTrue(np.isfinite(scores).all())
        self.assertLessEqual(float(scores.max()), 1.0)
        self.assertEqual(cv2.minMaxLoc(scores)[3], (20, 20))
        black = np.zeros_like(image)
        black[:, 50:] = 9
        for method in METHODS:
            self.assertTrue(np.isfinite(cv2.matchTemplate(black, template, method, None, mask)).all())
            self.assertTrue(np.isfinite(cv2.matchTemplate(image, template, method, None, mask * 0)).all())


@unittest.skipUnless(hasattr(cv2, "CascadeClassifier"), "this OpenCV has no CascadeClassifier")
class Cascades(unittest.TestCase):
    def setUp(self):
        self.path = os.path.join(DATA, "haarcascades", "haarcascade_frontalface_default.xml")
        if not os.path.exists(self.path):
            self.skipTest("opencv-data is not installed")
        cv2_hook.install(cascades=True)
        self.addCleanup(cv2_hook.uninstall)
        self.original = cv2_hook._originals["CascadeClassifier"]

    def test_the_same_detections(self):
        picture = cv2.imread(SCREEN)[:600, :900]
        gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        loaded = cv2.CascadeClassifier()
        self.assertTrue(loaded.load(self.path))
        counts = []
        for image in (picture, gray):
            for keywords in ({"minNeighbors": 0, "scaleFactor": 1.2}, {"minNeighbors": 1}, {"minNeighbors": 50},
                             {"minSize": (40, 40), "maxSize": (120, 120), "minNeighbors": 0}):
                expected = self.original(self.path).detectMultiScale(image, **keywords)
                for classifier in (cv2.CascadeClassifier(self.path), loaded):
                    found = classifier.detectMultiScale(image, **keywords)
                    self.assertEqual(type(found), type(expected))
                    if len(expected):
                        self.assertEqual(found.dtype, expected.dtype)
                        self.assertEqual(sorted(map(tuple, found)), sorted(map(tuple, expected)))
                    counts.append(len(found))
        self.assertGreater(max(counts), 0)
        self.assertEqual(min(counts), 0)

    def test_the_rest_is_opencvs(self):
        classifier = cv2.CascadeClassifier(self.path)
        self.assertFalse(classifier.empty())
        self.assertEqual(classifier.getOriginalWindowSize(), (24, 24))
        self.assertTrue(cv2.CascadeClassifier("no-such.xml").empty())
        with self.assertRaises(cv2.error):
            cv2.CascadeClassifier().detectMultiScale(np.zeros((50, 50), np.uint8))


@unittest.skipUnless(hasattr(cv2, "SIFT_create"), "this OpenCV has no SIFT")
class Features(unittest.TestCase):
    def setUp(self):
        cv2_hook.install(sift=True)
        self.addCleanup(cv2_hook.uninstall)

    def test_keypoints_match_opencvs(self):
        gray = cv2.cvtColor(cv2.imread(SCREEN)[:400, :600], cv2.COLOR_BGR2GRAY)
        theirs, their_descriptors = cv2_hook._originals["SIFT_create"]().detectAndCompute(gray, None)
        ours, descriptors = cv2.SIFT_create().detectAndCompute(gray, None)
        self.assertIsInstance(ours[0], cv2.KeyPoint)
        self.assertEqual((descriptors.shape, descriptors.dtype), ((len(ours), 128), np.float32))
        self.assertLess(abs(len(ours) - len(theirs)), 0.02 * len(theirs) + 2)
        # Each of theirs has one of ours at its place with nearly its descriptor.
        pairs = cv2.BFMatcher().match(their_descriptors, descriptors)
        near = [np.hypot(*np.subtract(theirs[pair.queryIdx].pt, ours[pair.trainIdx].pt)) < 1 and pair.distance < 60
                for pair in pairs]
        self.assertGreater(np.mean(near), 0.95)

    def test_limits_masks_and_pictures_without_features(self):
        gray = cv2.cvtColor(cv2.imread(SCREEN)[:400, :600], cv2.COLOR_BGR2GRAY)
        self.assertEqual(len(cv2.SIFT_create(50).detect(gray)), 50)
        mask = np.zeros_like(gray)
        mask[:, :200] = 255
        points = cv2.SIFT_create().detect(gray, mask)
        self.assertGreater(len(points), 0)
        self.assertTrue(all(point.pt[0] < 201 for point in points))
        none, descriptors = cv2.SIFT_create().detectAndCompute(gray_screen()[:, :, 0].copy(), None)
        self.assertEqual((len(none), descriptors), (0, None))
        points, _ = cv2.SIFT_create().compute(gray, cv2.SIFT_create(20).detect(gray))
        self.assertEqual(len(points), 20)


class Activation(unittest.TestCase):
    def test_before_cv2_is_imported(self):
        code = ("import vedette.site_hook, cv2, numpy\n"
                "print(cv2.matchTemplate.__module__)\n"
                "image = numpy.random.default_rng(1).integers(0, 255, (60, 60), numpy.uint8)\n"
                "print(cv2.minMaxLoc(cv2.matchTemplate(image, image[11:31, 22:42].copy(), 5))[3])\n")
        done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "VEDETTE_HOOK": "cv2"},
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout.splitlines(), ["vedette.cv2_hook", "(22, 11)"], done.stderr)

    def test_uninstall(self):
        cv2_hook.install()
        cv2_hook.install(finite=True)
        cv2_hook.uninstall()
        self.assertIs(cv2.matchTemplate, OPENCV)
        self.assertEqual(cv2_hook.installed(), [])


if __name__ == "__main__":
    unittest.main()
