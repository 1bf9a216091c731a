"""Finds on a stream of frames, of which only what can have changed is searched again."""

from __future__ import annotations

import itertools
import time
from typing import Any, Callable, Iterable, Iterator, List, Optional, Sequence, Union

from ._changes import Area, Changes, grown, joined, meets, pixels_of
from ._context import Context, Pattern, Screen
from ._options import fallback_bits, rectangle
from ._pixels import Picture, array_of
from .errors import ArgumentError
from .results import Found, Stage

Frame = Union[Screen, Picture, None]
Source = Union[Callable[[], Frame], Iterable[Frame]]

# A window's score depends on its pixels, its colour residual on those one pixel beyond, and whether it is a candidate on
# its eight neighbours.
REACH = 2
# Above this share of the frame a search of its parts costs as much as one of the whole.
MOST_SHARE = 0.5
# Other sizes and features are looked for when the screen has come to rest, or this many seconds after they were last.
FALLBACK_DELAY = 1.0
USUAL_INTERVAL = 1 / 60
NO_FRAME = "The source of frames ended, or the time was over, before it gave a frame."


class Watch:
    """Tells of each frame whether patterns are on it, with the answer that a find of the whole frame gives.

    Only the areas in which a frame differs from the one before are searched, at the pattern's own size; when something
    may be there, or may have gone, the whole frame decides. What a find does after a miss (other sizes, local features)
    looks at all of the screen: it is done for the first frame, for a frame equal to its predecessor, and on a screen
    that never rests once a second. With the option ``scales``, with screens instead of pictures, and with
    ``incremental=False`` every changed frame is searched as a whole.
    """

    def __init__(self, context: Context, patterns: Sequence[Pattern], *, order: str = "bgr", incremental: bool = True,
                 **options: Any) -> None:
        self.context = context
        self.patterns = list(patterns)
        self.full_searches = 0
        """Searches of a whole frame so far."""
        self.part_searches = 0
        """Searches of a part of a frame so far."""
        self._order = order
        self._options = options
        self._incremental = incremental and not options.get("scales")
        self._has_fallbacks = fallback_bits(options.get("fallbacks", True)) != 0 and not options.get("scales")
        self._changes = Changes()
        self._frame: Any = None  # the last one: a screen, or an array and its order
        self._results: List[Found] = []
        self._unsearched = False  # something changed since the last search of the whole
        self._owed = False  # what changed has not been searched by fallbacks
        self._last_fallback = float("-inf")
        sizes = [pattern.size for pattern in self.patterns]
        self._width = max(size[0] for size in sizes)
        self._height = max(size[1] for size in sizes)

    @property
    def results(self) -> List[Found]:
        """Of the last search of a whole frame, one for each pattern; [] before the first frame."""
        return self._results

    def found(self, frame: Frame) -> bool:
        """Whether one of the patterns is on this frame. None stands for one equal to the last."""
        areas = self._take(frame)
        if areas is None:
            return self._search_whole(not self._incremental or isinstance(frame, Screen) or self._fallback_due())
        if not areas:
            return any(self._results) or (self._owed and self._search_whole(True))
        if any(self._results) and self._still_there(areas):
            return True
        parts = self._parts(areas)
        if any(self._results) or parts is None or self._fallback_due():
            return self._search_whole(self._fallback_due())
        return any(self._search_part(part) for part in parts) and self._search_whole(False)

    def settle(self) -> bool:
        """Brings `results` up to the last frame; whether one of the patterns is on it."""
        return self._search_whole(True) if self._unsearched or self._owed else any(self._results)

    def _take(self, frame: Frame) -> Optional[List[Area]]:
        """Keeps the frame; what is new on it: areas, nothing ([]) or everything (None)."""
        areas: Optional[List[Area]] = []
        if isinstance(frame, Screen):
            areas = [] if frame is self._frame else None
            self._frame = frame
        elif frame is not None:
            self._frame = array_of(frame, self._order)
            areas = self._changes.update(*self._frame)
        if areas != []:
            self._unsearched, self._owed = True, self._has_fallbacks
        return areas if self._incremental or areas == [] else None

    def _fallback_due(self) -> bool:
        return self._has_fallbacks and time.monotonic() - self._last_fallback > FALLBACK_DELAY

    def _search_whole(self, fallbacks: bool) -> bool:
        screen = self._frame
        if not isinstance(screen, Screen):
            screen = self.context.screen(screen[0], order=screen[1])
        options = self._options if fallbacks else {**self._options, "fallbacks": False}
        self._results = self.context.find(screen, self.patterns, **options)
        self.full_searches += 1
        self._unsearched = False
        if fallbacks or any(self._results):
            self._owed = False
            self._last_fallback = time.monotonic()
        return any(self._results)

    def _still_there(self, areas: List[Area]) -> bool:
        """Whether a match of the last search lies where nothing has changed."""
        for result in self._results:
            for match in result:
                left, top, width, height = match.box
                window = (left - 1, top - 1, left + width + 1, top + height + 1)
                if match.stage in (Stage.SAME, Stage.FLAT) and not any(meets(window, area) for area in areas):
                    return True
        return False

    def _parts(self, areas: List[Area]) -> Optional[List[Area]]:
        """What to search of the frame; None when that is so much that it may as well be all."""
        height, width = self._frame[0].shape[:2]
        parts = joined(grown(areas, self._width - 1 + REACH, self._height - 1 + REACH, width, height))
        return parts if pixels_of(parts) <= MOST_SHARE * width * height else None

    def _search_part(self, part: Area) -> bool:
        left, top, right, bottom = part
        array, order = self._frame
        options = {**self._options, "fallbacks": False}
        # Only whether there is a match counts here, so nothing below the threshold is looked for.
        options["floor"] = options.get("threshold", 0.75)
        if options.get("region") is not None:
            region = rectangle(options["region"], "region")
            x0, y0 = max(region.x - left, 0), max(region.y - top, 0)
            x1, y1 = min(region.x + region.w, right) - left, min(region.y + region.h, bottom) - top
            if x0 >= x1 or y0 >= y1:
                return False
            options["region"] = (x0, y0, x1 - x0, y1 - y0)
        if options.get("exclude") is not None:
            options["exclude"] = [(x - left, y - top, w, h) for x, y, w, h in options["exclude"]]
        self.part_searches += 1
        return any(self.context.find(self.context.screen(array[top:bottom, left:right], order=order), self.patterns,
                                     **options))


def frames_of(source: Source, timeout: Optional[float], interval: Optional[float]) -> Iterator[Frame]:
    """The frames of a callable or an iterable until the time is over; at least one."""
    end = None if timeout is None else time.monotonic() + timeout
    if callable(source):
        pause = USUAL_INTERVAL if interval is None else interval
        following: Iterator[Frame] = (source() for _ in itertools.count())
    else:
        pause = interval or 0.0
        following = iter(source)
    while True:
        begin = time.monotonic()
        try:
            frame = next(following)
        except StopIteration:
            return
        yield frame
        now = time.monotonic()
        if end is not None and now >= end:
            return
        until = begin + pause if end is None else min(begin + pause, end)
        if until > now:
            time.sleep(until - now)


def _watch(context: Context, pattern: Any, order: str, incremental: bool, options: Any) -> Watch:
    patterns = [context.pattern(one) for one in (pattern if isinstance(pattern, (list, tuple)) else [pattern])]
    if not patterns:
        raise ArgumentError("There is no pattern to wait for.")
    return Watch(context, patterns, order=order, incremental=incremental, **options)


def wait(context: Context, source: Source, pattern: Any, timeout: Optional[float], interval: Optional[float],
         order: str, incremental: bool, options: Any) -> Any:
    """See Context.wait."""
    watch = _watch(context, pattern, order, incremental, options)
    for frame in frames_of(source, timeout, interval):
        if watch.found(frame):
            break
    else:
        watch.settle()
    if not watch.results:
        raise ArgumentError(NO_FRAME)
    return watch.results if isinstance(pattern, (list, tuple)) else watch.results[0]


def wait_vanish(context: Context, source: Source, pattern: Any, timeout: Optional[float], interval: Optional[float],
                order: str, incremental: bool, options: Any) -> bool:
    """See Context.wait_vanish."""
    watch = _watch(context, pattern, order, incremental, options)
    for frame in frames_of(source, timeout, interval):
        if not watch.found(frame) and watch.results and not watch.settle():
            return True
    if not watch.results:
        raise ArgumentError(NO_FRAME)
    return False
