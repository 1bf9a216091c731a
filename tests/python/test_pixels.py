"""Pictures of every layout give the same find."""

import unittest

import numpy as np
import vedette
from support import gray_screen, placed, texture

PATTERN = texture(24, 30, seed=1)
SCREEN = placed(texture(200, 260, seed=2) // 2, PATTERN, 71, 52)
PLACE = (71, 52, 30, 24)


class Layouts(unittest.TestCase):
    def check(self, screen, pattern=PATTERN, place=PLACE, **orders):
        context = vedette.default_context()
        found = context.find(context.screen(screen, **orders), context.pattern(pattern))
        self.assertEqual(found.match and found.match.box, place)
        self.assertEqual(found.match.score, 1.0)

    def test_in_place(self):
        self.check(SCREEN)

    def test_rows_longer_than_the_picture(self):
        wide = np.zeros((200, 300, 3), np.uint8)
        wide[:, 17:277] = SCREEN
        self.check(wide[:, 17:277])

    def test_rows_from_the_bottom(self):
        upside_down = np.ascontiguousarray(SCREEN[::-1])
        self.check(upside_down[::-1])

    def test_every_second_row(self):
        self.check(SCREEN.repeat(2, 0)[::2])

    def test_channels_reversed_in_place(self):
        rgb = np.ascontiguousarray(SCREEN[:, :, ::-1])
        view = rgb[:, :, ::-1]
        record = vedette._pixels.PixelRecord(view, "bgr")
        self.assertTrue(np.shares_memory(record.array, rgb), "no copy is needed")
        self.check(view)
        self.check(rgb, order="rgb")

    def test_columns_reversed_and_transposed(self):
        self.check(np.ascontiguousarray(SCREEN[:, ::-1])[:, ::-1])
        self.check(np.asfortranarray(SCREEN))
        self.check(np.ascontiguousarray(SCREEN.transpose(1, 0, 2)).transpose(1, 0, 2))

    def test_wrong_order_is_another_picture(self):
        self.assertFalse(vedette.find(vedette.default_context().screen(SCREEN, order="rgb"), PATTERN))

    def test_one_row_and_one_pixel(self):
        self.assertEqual(vedette.find(SCREEN, SCREEN[60:61, 100:160]).match.box, (100, 60, 60, 1))
        self.assertTrue(vedette.find(SCREEN[10:11, 20:21], SCREEN[10:11, 20:21]))

    def test_sixteen_bits(self):
        self.check(SCREEN.astype(np.uint16) * 257)
        self.check((SCREEN.astype(np.uint16) * 257).astype(">u2"))

    def test_channels_of_one_and_four(self):
        gray = SCREEN[:, :, 0].copy()
        self.check(gray[:, :, None], gray[52:76, 71:101])
        self.check(np.dstack([SCREEN, gray]))

    def test_array_interface(self):
        class Screenshot:
            def __init__(self, array):
                self.__array_interface__ = array.__array_interface__
                self.kept = array

        self.check(Screenshot(np.dstack([SCREEN, SCREEN[:, :, 0]])))

    def test_the_caller_keeps_his_pixels(self):
        pixels = SCREEN.copy()
        screen = vedette.default_context().screen(pixels)
        pixels[:] = 0
        self.assertTrue(vedette.find(screen, PATTERN))

    def test_read_only_arrays(self):
        pixels = SCREEN.copy()
        pixels.setflags(write=False)
        self.check(pixels)


class PillowImages(unittest.TestCase):
    def setUp(self):
        try:
            from PIL import Image
        except ImportError:
            self.skipTest("Pillow is not installed")
        self.image = Image

    def test_modes(self):
        rgb = self.image.fromarray(np.ascontiguousarray(SCREEN[:, :, ::-1]))
        pattern = rgb.crop((71, 52, 101, 76))
        for mode in ("RGB", "RGBA", "RGBX", "CMYK", "L", "LA", "YCbCr"):
            screen, part = rgb.convert(mode), pattern.convert(mode)
            found = vedette.find(screen, part)
            self.assertEqual(found.match and found.match.box, PLACE, mode)

    def test_sixteen_bit_gray(self):
        gray = SCREEN[:, :, 0].astype(np.uint16) * 257
        screen = self.image.fromarray(gray)
        found = vedette.find(screen, SCREEN[52:76, 71:101, 0].copy())
        self.assertEqual(found.match.box, PLACE)

    def test_palette_with_transparency(self):
        picture = self.image.fromarray(np.ascontiguousarray(PATTERN[:, :, ::-1])).quantize(32)
        picture.putpixel((0, 0), 0)
        picture.info["transparency"] = 0
        visible = np.asarray(picture.convert("RGBA"))
        screen = placed(gray_screen(), visible[:, :, 2::-1], 20, 30)
        screen[30:54, 20:50][visible[:, :, 3] == 0] = (9, 9, 9)
        found = vedette.find(screen, picture)
        self.assertEqual((found.match.x, found.match.y, found.match.score), (20, 30, 1.0))


if __name__ == "__main__":
    unittest.main()
