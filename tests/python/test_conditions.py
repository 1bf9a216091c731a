"""Finds under what real screens do to an element: pixels for a point, theme, colour, size."""

import unittest

import numpy as np
import vedette
from support import KEY7, KEY7_BOX, SCREEN, gray_screen, placed, texture
from vedette import Reason, Stage

SAMPLE = vedette._pixels.bgr_or_gray(SCREEN)


def doubled(picture):
    """As a display shows it that has two pixels for each point."""
    return picture.repeat(2, 0).repeat(2, 1)


def shrunk(picture, width, height):
    """By averages, as a display of fewer pixels shows it."""
    from PIL import Image

    return np.asarray(Image.fromarray(picture).resize((width, height), Image.BOX))


class PixelRatio(unittest.TestCase):
    """Displays whose screenshots have more pixels than there are points to click on."""

    def test_places_in_both(self):
        left, top, width, height = KEY7_BOX
        key = doubled(SAMPLE[top : top + height, left : left + width])
        screen = vedette.default_context().screen(doubled(SAMPLE))
        match = vedette.find(screen, key, pixel_ratio=2).match
        self.assertEqual((match.box, match.center), ((142, 564, 118, 68), (201, 598)))
        self.assertEqual((match.logical_box, match.logical_center), (KEY7_BOX, (100, 299)))
        # A pattern of another display, with one pixel for a point, is there at twice its size.
        found = vedette.find(screen, KEY7, pixel_ratio=2, scales=[2], region=(0, 400, 800, 400))
        self.assertEqual((found.match.box, found.match.logical_box), ((142, 564, 118, 68), KEY7_BOX))
        found = vedette.find(screen, KEY7, pixel_ratio=2, region=(0, 400, 800, 400))
        self.assertEqual(found.match.stage, Stage.SCALE)
        # The size is found in steps, the middle exactly.
        self.assertLessEqual(np.abs(np.subtract(found.match.logical_center, (100, 299))).max(), 1)

    def test_a_ratio_that_is_no_whole_number(self):
        screen = placed(gray_screen(), texture(30, 45, seed=1), 150, 90)
        found = vedette.find(screen, texture(30, 45, seed=1), pixel_ratio=1.5)
        self.assertEqual((found.match.box, found.match.logical_box), ((150, 90, 45, 30), (100, 60, 30, 20)))
        self.assertEqual((found.center, found.logical_center), ((172, 105), (115, 70)))

    def test_without_one_both_are_the_same(self):
        match = vedette.find(SCREEN, KEY7).match
        self.assertEqual((match.logical_box, match.logical_center), (match.box, match.center))

    def test_of_the_best_that_is_refused_and_of_frames(self):
        screen = placed(gray_screen(), texture(30, 40, seed=2), 60, 80)
        other = placed(texture(30, 40, seed=2), texture(12, 12, seed=3), 9, 9)
        found = vedette.find(screen, other, pixel_ratio=2, threshold=0.99, fallbacks=False)
        self.assertFalse(found)
        self.assertEqual(found.best.logical_box, (30, 40, 20, 15))
        self.assertIsNone(found.logical_center)
        shown = vedette.wait(iter([gray_screen(), screen]), texture(30, 40, seed=2), pixel_ratio=2)
        self.assertEqual(shown.logical_center, (40, 47))

    def test_wrong_ratios(self):
        for ratio in (0, -2, 1000, float("nan")):
            with self.assertRaisesRegex(ValueError, "pixel_ratio"):
                vedette.find(SCREEN, KEY7, pixel_ratio=ratio)


class Themes(unittest.TestCase):
    def test_a_dark_theme(self):
        """Buttons and text that differ from their ground by a few levels."""
        ground, word = 30, texture(14, 60, seed=4) // 16 + 38
        screen = placed(gray_screen(value=ground), word, 120, 90)
        screen = placed(screen, texture(14, 60, seed=5) // 16 + 38, 120, 140)
        for at in (90, 140):
            found = vedette.find(screen, screen[at - 4 : at + 18, 112:188].copy())
            self.assertEqual((found.match.box, found.match.score), ((112, at - 4, 76, 22), 1.0))
        # As another frame has it.
        noise = np.random.default_rng(9).integers(-1, 2, screen.shape)
        found = vedette.find((screen + noise).astype(np.uint8), screen[86:108, 112:188].copy())
        self.assertEqual(found.match.box, (112, 86, 76, 22))

    def test_the_score_ignores_brightness_and_contrast(self):
        key = vedette._pixels.bgr_or_gray(KEY7).astype(float)
        expected = KEY7_BOX[:2]
        for gain, offset in ((0.35, 10), (0.6, 90), (-1, 255)):
            other = np.clip(key * gain + offset, 0, 255).round().astype(np.uint8)
            found = vedette.find(SCREEN, other, verify=False, fallbacks=False, color="gray", threshold=-1, floor=-1)
            if gain > 0:
                self.assertEqual((found.match.x, found.match.y), expected, gain)
                self.assertGreater(found.match.score, 0.999)
            else:
                self.assertLess(found.match.score, 0.9, "a negative is another picture")


class Colours(unittest.TestCase):
    """Whether colour counts is the caller's to say."""

    def setUp(self):
        self.red = gray_screen(24, 60, 90)
        self.red[4:20, 6:54] = (40, 40, 200)
        self.red[8:16, 20:40] = 240
        self.blue = np.ascontiguousarray(self.red[:, :, ::-1])

    def test_of_two_buttons_of_one_shape(self):
        # As bright as the other: what a gray picture cannot tell apart.
        weights = np.array([0.114, 0.587, 0.299])
        bright = self.blue.astype(float) + (self.red @ weights - self.blue @ weights)[:, :, None]
        other = np.clip(bright, 0, 255).round().astype(np.uint8)
        screen = placed(gray_screen(), other, 50, 50)
        self.assertFalse(vedette.find(screen, self.red))
        self.assertFalse(vedette.find(screen, self.red, color="bgr"))
        self.assertEqual(vedette.find(screen, self.red, color="gray").match.box, (50, 50, 60, 24))
        both = placed(screen, self.red, 250, 150)
        self.assertEqual([match.box[:2] for match in vedette.find_all(both, self.red)], [(250, 150)])
        gray = vedette.find_all(both, self.red, color="gray")
        self.assertEqual(sorted(match.box[:2] for match in gray), [(50, 50), (250, 150)])


class Sizes(unittest.TestCase):
    def test_a_small_difference_in_a_large_pattern(self):
        """The score of a large element hardly changes when a part of it is another one."""
        left, top, width, height = 60, 160, 900, 600
        pattern = SAMPLE[top : top + height, left : left + width].copy()
        self.assertEqual(vedette.find(SAMPLE, pattern, fallbacks=False).match.box, (left, top, width, height))
        pattern[300:312, 400:412] = 255 - pattern[300:312, 400:412]
        found = vedette.find(SAMPLE, pattern, fallbacks=False)
        self.assertFalse(found)
        self.assertEqual((found.reason, found.best.box[:2]), (Reason.DIFFERS_LOCALLY, (left, top)))
        self.assertGreater(found.best.score, 0.99)
        x, y = found.best.worst[:2]
        self.assertTrue(455 <= x < 475 and 455 <= y < 475, (x, y))

    def test_the_same_noise_has_the_same_score_at_any_size(self):
        random = np.random.default_rng(6)
        scores = []
        for height, width in ((20, 30), (80, 120), (240, 320)):
            pattern = texture(height, width, seed=height)
            noisy = np.clip(pattern + random.normal(0, 12, pattern.shape), 0, 255).round().astype(np.uint8)
            found = vedette.find(placed(gray_screen(), noisy, 30, 20), pattern, verify=False, fallbacks=False)
            self.assertEqual((found.match.x, found.match.y), (30, 20))
            scores.append(found.match.score)
        self.assertLess(max(scores) - min(scores), 0.02)

    def test_an_icon_of_ninety_pixels_shown_with_seventy(self):
        try:
            import PIL  # noqa: F401
        except ImportError:
            self.skipTest("Pillow is not installed")
        icon = SAMPLE[140:230, 1530:1620]  # a folder with its name
        screen = placed(gray_screen(), shrunk(icon, 70, 70), 150, 110)
        found = vedette.find(screen, icon)
        self.assertEqual(found.match.stage, Stage.SCALE)
        self.assertLessEqual(np.abs(np.subtract(found.match.box, (150, 110, 70, 70))).max(), 1)
        self.assertFalse(vedette.find(screen, icon, fallbacks=False))


class Shapes(unittest.TestCase):
    def test_a_masked_icon_beside_plain_ground(self):
        """Its true place is the best one, and no plain ground is taken for it."""
        icon = texture(32, 32, seed=8) // 3 + 60
        across, down = np.meshgrid(np.arange(32) - 15.5, np.arange(32) - 15.5)
        alpha = np.where(across**2 + down**2 < 15**2, 255, 0).astype(np.uint8)
        screen = gray_screen()
        for i, brown in enumerate(((42, 75, 120), (60, 90, 110), (30, 60, 90), (80, 100, 140))):
            screen[20 + 60 * i : 70 + 60 * i, 10:200] = brown
        there = screen[120:152, 250:282]
        there[alpha > 0] = icon[alpha > 0]
        found = vedette.find_all(screen, np.dstack([icon, alpha]))
        self.assertEqual([match.box for match in found], [(250, 120, 32, 32)])
        there[:] = 200
        self.assertFalse(vedette.find(screen, np.dstack([icon, alpha])))


if __name__ == "__main__":
    unittest.main()
