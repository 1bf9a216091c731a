"""Finds on streams of frames: the same answers as finds of whole frames, and little work."""

import threading
import time
import unittest
from unittest import mock

import numpy as np
import vedette
from support import KEY7, KEY7_BOX, SCREEN, UNDO, gray_screen, placed, texture
from vedette._changes import Changes

BUTTON = texture(22, 36, seed=1)
OTHER = texture(18, 28, seed=2)


def desktop(seed=3):
    """A screen with some things on it."""
    screen = gray_screen(480, 640)
    for i in range(6):
        screen = placed(screen, texture(30 + 7 * i, 50, seed=seed + i), 20 + 100 * i, 60 * i + 10)
    return screen


class ChangedAreas(unittest.TestCase):
    def test_areas_cover_what_differs_and_little_more(self):
        random = np.random.default_rng(5)
        changes = Changes()
        frame = desktop()
        self.assertIsNone(changes.update(frame, "bgr"))
        self.assertEqual(changes.update(frame, "bgr"), [])
        for _ in range(60):
            before = frame.copy()
            for _ in range(random.integers(0, 4)):
                x, y = random.integers(0, 600), random.integers(0, 440)
                w, h = random.integers(1, 40, 2)
                frame[y : y + h, x : x + w] = random.integers(0, 256, 3)
            areas = changes.update(frame, "bgr")
            differs = (before != frame).any(2)
            covered = np.zeros_like(differs)
            for left, top, right, bottom in areas:
                self.assertTrue(differs[top:bottom, left:right].any())
                covered[top:bottom, left:right] = True
            self.assertFalse((differs & ~covered).any())

    def test_a_single_pixel(self):
        changes = Changes()
        frame = desktop()
        changes.update(frame, "bgr")
        frame[479, 639, 2] ^= 1
        self.assertEqual(changes.update(frame, "bgr"), [(639, 479, 640, 480)])
        view = np.zeros((480, 700, 3), np.uint8)
        view[:, :640] = frame
        self.assertEqual(changes.update(view[:, :640], "bgr"), [])
        view[0, 0] += 1
        self.assertEqual(changes.update(view[:, :640], "bgr"), [(0, 0, 1, 1)])

    def test_another_size_or_order_is_new(self):
        changes = Changes()
        changes.update(desktop(), "bgr")
        self.assertIsNone(changes.update(desktop(), "rgb"))
        self.assertIsNone(changes.update(desktop()[:300], "rgb"))


class SameAnswers(unittest.TestCase):
    """Random screens that change in parts: each frame's answer is that of a find of the whole frame."""

    def run_sequence(self, seed, frames, incremental=True, **options):
        random = np.random.default_rng(seed)
        context = vedette.default_context()
        patterns = [context.pattern(BUTTON), context.pattern(OTHER)]
        watch = vedette.Watch(context, patterns, incremental=incremental, **options)
        frame = desktop()
        answers = []
        for i in range(frames):
            if i % 10 == 9:  # what came goes in steps
                frame[: 160 * (i // 10 % 3 + 1)] = desktop()[: 160 * (i // 10 % 3 + 1)]
            for _ in range(random.integers(0, 3)):
                x, y = int(random.integers(0, 640 - 36)), int(random.integers(0, 480 - 22))
                kind = random.integers(0, 12)
                thing = BUTTON if kind == 0 else OTHER if kind == 1 else BUTTON // 2 + 60 if kind == 2 else None
                if thing is None:
                    frame[y : y + 30, x : x + 40] = random.integers(0, 256, 3)
                else:
                    # Sometimes only a part, so that it comes in two steps.
                    rows = int(random.integers(1, thing.shape[0] + 1)) if kind == 1 else thing.shape[0]
                    frame[y : y + rows, x : x + thing.shape[1]] = thing[:rows]
            whole = context.find(frame, patterns, **options)
            expected = any(whole)
            self.assertEqual(watch.found(frame), expected)
            if expected and watch.settle():
                self.assertEqual([one.matches for one in watch.results], [one.matches for one in whole])
            answers.append(expected)
        self.assertTrue(any(answers) and not all(answers), "the sequence shows nothing")
        return watch

    def test_at_own_size(self):
        watch = self.run_sequence(7, 120, fallbacks=False)
        self.assertGreater(watch.part_searches, 20)
        self.assertLess(watch.full_searches, 110)

    def test_with_a_region_and_excluded_areas(self):
        self.run_sequence(11, 120, fallbacks=False, region=(40, 60, 560, 380), exclude=[(200, 200, 80, 80)])

    def test_gray_and_tolerant(self):
        self.run_sequence(12, 60, fallbacks=False, color="gray", threshold=0.6, strictness=0.5)

    def test_every_frame_as_a_whole(self):
        watch = self.run_sequence(13, 30, incremental=False)
        self.assertEqual(watch.part_searches, 0)

    def test_the_caller_reuses_his_frame(self):
        frame = desktop()
        watch = vedette.Watch(vedette.default_context(), [vedette.default_context().pattern(BUTTON)])
        self.assertFalse(watch.found(frame))
        frame[200:222, 300:336] = BUTTON
        self.assertTrue(watch.found(frame))
        frame[208:214, 310:330] = 0
        self.assertFalse(watch.found(frame))


class Work(unittest.TestCase):
    def test_still_screens_are_not_searched(self):
        watch = vedette.Watch(vedette.default_context(), [vedette.default_context().pattern(UNDO)])
        frame = vedette._pixels.bgr_or_gray(SCREEN)
        self.assertFalse(watch.found(frame))
        begin = time.process_time()
        for _ in range(60):
            self.assertFalse(watch.found(frame))
        self.assertEqual((watch.full_searches, watch.part_searches), (1, 0))
        self.assertFalse(watch.found(None))
        # 60 searches take seconds of processor time; comparing takes some 60 ms.
        self.assertLess(time.process_time() - begin, 1.0)

    def test_a_cursor_that_blinks_costs_its_surroundings(self):
        frame = vedette._pixels.bgr_or_gray(SCREEN).copy()
        watch = vedette.Watch(vedette.default_context(), [vedette.default_context().pattern(UNDO)], fallbacks=False)
        watch.found(frame)
        with mock.patch.object(watch.context, "screen", wraps=watch.context.screen) as made:
            for i in range(20):
                frame[500:516, 700:702] = 255 * (i % 2)
                self.assertFalse(watch.found(frame))
            self.assertEqual(watch.full_searches, 1)
            for call in made.call_args_list:
                if isinstance(call.args[0], np.ndarray):
                    self.assertLess(call.args[0].shape[0] * call.args[0].shape[1], 70 * 70)
            self.assertEqual(watch.part_searches, 20)


class Fallbacks(unittest.TestCase):
    def setUp(self):
        self.small = texture(24, 30, seed=20)
        self.pattern = vedette.default_context().pattern(self.small.repeat(2, 0).repeat(2, 1))

    def test_they_run_when_the_screen_has_come_to_rest(self):
        watch = vedette.Watch(vedette.default_context(), [self.pattern])
        self.assertFalse(watch.found(desktop()))
        shown = placed(desktop(), self.small, 400, 300)
        self.assertFalse(watch.found(shown), "a frame that changed is searched at the pattern's own size")
        self.assertTrue(watch.found(shown))
        self.assertEqual(watch.results[0].match.stage, vedette.Stage.SCALE)
        self.assertFalse(watch.found(desktop()))

    def test_they_run_on_a_screen_that_never_rests(self):
        watch = vedette.Watch(vedette.default_context(), [self.pattern])
        shown = placed(desktop(), self.small, 400, 300)
        watch.found(desktop())
        end = time.monotonic() + 5
        found = False
        while not found and time.monotonic() < end:
            shown[470:475, 600:610] ^= 255
            found = watch.found(shown)
        self.assertTrue(found)

    def test_the_last_frame_gets_them(self):
        shown = placed(desktop(), self.small, 400, 300)
        found = vedette.wait([desktop(), shown], self.pattern)
        self.assertEqual(found.match.stage, vedette.Stage.SCALE)


class Waiting(unittest.TestCase):
    def test_a_callable_until_it_shows(self):
        shown = placed(desktop(), BUTTON, 111, 222)
        calls = []

        def source():
            calls.append(time.monotonic())
            return shown if len(calls) > 5 else desktop()

        found = vedette.wait(source, BUTTON, interval=0.01)
        self.assertEqual(found.match.box, (111, 222, 36, 22))
        self.assertEqual(len(calls), 6)
        self.assertGreater(calls[-1] - calls[0], 0.045)

    def test_frames_of_every_kind(self):
        found = vedette.wait(iter([None, gray_screen(), SCREEN]), KEY7, fallbacks=False)
        self.assertEqual(found.match.box, KEY7_BOX)
        screen = vedette.default_context().screen(SCREEN)
        self.assertTrue(vedette.wait([screen, screen], KEY7))

    def test_time_over(self):
        begin = time.monotonic()
        found = vedette.wait(lambda: desktop(), BUTTON, timeout=0.3)
        self.assertFalse(found)
        self.assertTrue(0.25 < time.monotonic() - begin < 5)
        self.assertEqual(found.reason, vedette.find(desktop(), BUTTON).reason)

    def test_one_of_several(self):
        frames = [desktop(), placed(desktop(), OTHER, 300, 400)]
        button, other = vedette.wait(frames, [BUTTON, OTHER])
        self.assertEqual((bool(button), bool(other)), (False, True))

    def test_vanishing(self):
        shown = placed(desktop(), BUTTON, 111, 222)
        moved = placed(desktop(), BUTTON, 300, 350)
        frames = iter([shown, shown, moved, desktop(), shown])
        self.assertTrue(vedette.wait_vanish(frames, BUTTON))
        self.assertTrue(np.array_equal(next(frames), shown), "it stops at the frame without it")
        self.assertFalse(vedette.wait_vanish([shown, moved], BUTTON))
        self.assertFalse(vedette.wait_vanish(lambda: shown, BUTTON, timeout=0.1))

    def test_a_covered_match_with_another_left(self):
        both = placed(placed(desktop(), BUTTON, 111, 222), BUTTON, 300, 350)
        one = both.copy()
        one[222:244, 111:147] = 0
        none = one.copy()
        none[350:372, 300:336] = 0
        self.assertFalse(vedette.wait_vanish([both, one], BUTTON))
        self.assertTrue(vedette.wait_vanish([both, one, none], BUTTON))

    def test_no_frames(self):
        for action in (vedette.wait, vedette.wait_vanish):
            with self.assertRaises(ValueError):
                action([], BUTTON)
            with self.assertRaises(ValueError):
                action(lambda: None, BUTTON, timeout=0.05)

    def test_errors_of_the_source_arrive(self):
        def source():
            raise RuntimeError("no display")

        with self.assertRaisesRegex(RuntimeError, "no display"):
            vedette.wait(source, BUTTON)

    def test_frames_from_another_thread(self):
        frames = {"now": desktop()}
        timer = threading.Timer(0.1, lambda: frames.update(now=placed(desktop(), BUTTON, 5, 6)))
        timer.start()
        found = vedette.wait(lambda: frames["now"], BUTTON, timeout=20)
        timer.join()
        self.assertEqual(found.match.box, (5, 6, 36, 22))


if __name__ == "__main__":
    unittest.main()
