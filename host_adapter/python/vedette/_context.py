"""Contexts, screens, patterns and finds."""

from __future__ import annotations

import contextlib
import ctypes as c
import json
import os
import weakref
from typing import (TYPE_CHECKING, Any, Callable, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union,
                    overload)

from . import _records as r
from ._library import call, library, text_of
from ._options import find_options, pixel_ratio_of, rectangle
from ._pixels import Picture, PixelRecord, array_of, encoded_bytes, file_name
from .errors import ArgumentError
from .results import Backend, Detection, Found, Keypoint, Match, Matched, Reason, Run, Skipped, Stage

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Unpack

    from ._explain import Explanation
    from ._options import FindKeywords
    from ._restore import Spread
    from ._watch import Source

Log = Callable[[int, str], None]
PatternLike = Union["Pattern", Picture]
ScreenLike = Union["Screen", Picture]
Patterns = Union[List[Any], Tuple[Any, ...]]


def _destroy(name: str, handle: c.c_void_p, process: int) -> None:
    # After a fork the parent's objects are not ours to free.
    if os.getpid() == process:
        getattr(library(), name)(handle)


class _Owner:
    """Owns a handle of the library; frees it when nothing refers to this object any more."""

    def __init__(self, handle: c.c_void_p, destroy: str) -> None:
        self._handle = handle
        self._free = weakref.finalize(self, _destroy, destroy, handle, os.getpid())

    def close(self) -> None:
        """Frees it now. It must not be in use."""
        self._free()
        self._handle = c.c_void_p()

    def _size(self, name: str) -> Tuple[int, int]:
        width, height = c.c_uint32(), c.c_uint32()
        call(name, self._handle, c.byref(width), c.byref(height))
        return width.value, height.value


class Screen(_Owner):
    """A screenshot with what was prepared from it, for several finds. Made by Context.screen."""

    def __init__(self, handle: c.c_void_p, context: "Context") -> None:
        super().__init__(handle, "vdt_screen_destroy")
        self._context = context

    @property
    def size(self) -> Tuple[int, int]:
        """Width and height in pixels."""
        return self._size("vdt_screen_size")


class Pattern(_Owner):
    """An element to look for, with its mask and statistics. Made by Context.pattern; reusing it saves time."""

    def __init__(self, handle: c.c_void_p, context: "Context") -> None:
        super().__init__(handle, "vdt_pattern_destroy")
        self._context = context

    @property
    def size(self) -> Tuple[int, int]:
        """Width and height in pixels."""
        return self._size("vdt_pattern_size")

    def exclude(self, rectangles: Iterable[Sequence[int]]) -> None:
        """Rectangles (x, y, width, height) of the pattern that take no part in the comparison."""
        areas = [rectangle(area, "a rectangle to exclude") for area in rectangles]
        if areas:
            call("vdt_pattern_exclude", self._handle, (r.Rect * len(areas))(*areas), len(areas))


class Context(_Owner):
    """Loaded backends, configuration and thread pool. May be used by several threads at the same time.

    threads: of the pool, the caller's included; 0 = as the configuration says, else one per core.
    config: the path of a configuration file, or the configuration itself as a mapping.
    plugin_directory: an absolute folder with backends, searched before the configured ones.
    backend: "auto" or the backend to prefer; others serve what it cannot do.
    log: called with a level (1 error to 4 debug) and a line, from any thread; messages above log_level are dropped.
    """

    def __init__(
        self,
        *,
        threads: int = 0,
        config: Union[None, str, "os.PathLike[str]", Mapping[str, Any]] = None,
        plugin_directory: Optional[Union[str, "os.PathLike[str]"]] = None,
        backend: str = "auto",
        log: Optional[Log] = None,
        log_level: int = 2,
    ) -> None:
        if not 0 <= threads < 2**32:
            raise ArgumentError(f"threads is {threads}; it must be 0 or above.")
        options = r.sized(r.ContextOptions, threads=threads, log_level=log_level)
        if isinstance(config, Mapping):
            options.config_text = json.dumps(config).encode()
        elif config is not None:
            options.config_file = os.fsencode(config)
        if plugin_directory is not None:
            options.plugin_directory = os.fsencode(plugin_directory)
        # The library calls it as long as the context lives.
        self._log = r.LogFunction(lambda _, level, text: log(level, text_of(text)) if log else None)
        if log is not None:
            options.log = self._log
        handle = c.c_void_p()
        call("vdt_context_create", c.byref(options), c.byref(handle))
        super().__init__(handle, "vdt_context_destroy")
        if backend != "auto":
            self.prefer(backend)

    def prefer(self, backend: str, device: int = -1) -> None:
        """The backend ("auto" or a name) and device (-1 = any) to use where they can."""
        call("vdt_set_preferable_backend", self._handle, backend.encode())
        call("vdt_set_preferable_target", self._handle, device)

    @property
    def backends(self) -> List[Backend]:
        """Devices of the backends; loads all of them."""
        result = []
        for index in range(library().vdt_backend_count(self._handle)):
            info = r.sized(r.BackendInfo)
            call("vdt_backend_at", self._handle, index, c.byref(info))
            names = [text_of(library().vdt_operation_name(op)) for op in range(64) if info.operations >> op & 1]
            result.append(Backend(text_of(info.backend), info.device_index, text_of(info.device_name),
                                  text_of(info.plugin_version), text_of(info.description), text_of(info.library),
                                  tuple(name for name in names if name), bool(info.quarantined)))
        return result

    @property
    def skipped(self) -> List[Skipped]:
        """Backends that were not loaded, and why; loads all."""
        result = []
        for index in range(library().vdt_skipped_count(self._handle)):
            info = r.sized(r.SkippedInfo)
            call("vdt_skipped_at", self._handle, index, c.byref(info))
            result.append(Skipped(text_of(info.backend), text_of(info.library), text_of(info.stage),
                                  text_of(info.reason)))
        return result

    def screen(self, picture: ScreenLike, *, order: str = "bgr") -> Screen:
        """A screen of a picture: numpy array, PIL image, name of a file, or bytes of one. The pixels are copied."""
        if isinstance(picture, Screen):
            return picture
        return Screen(self._made("screen", picture, order), self)

    def pattern(self, picture: PatternLike, *, order: str = "bgr", exclude: Iterable[Sequence[int]] = ()) -> Pattern:
        """A pattern of a picture, as for a screen; transparent pixels take no part, nor do excluded rectangles."""
        pattern = picture if isinstance(picture, Pattern) else Pattern(self._made("pattern", picture, order), self)
        pattern.exclude(exclude)
        return pattern

    def _made(self, kind: str, picture: Picture, order: str) -> c.c_void_p:
        handle = c.c_void_p()
        name, data = file_name(picture), encoded_bytes(picture)
        if name is not None:
            call(f"vdt_{kind}_from_file", self._handle, name, c.byref(handle))
        elif data is not None:
            call(f"vdt_{kind}_from_memory", self._handle, data, len(data), c.byref(handle))
        else:
            pixels = PixelRecord(*array_of(picture, order))
            call(f"vdt_{kind}_create", self._handle, c.byref(pixels.record), c.byref(handle))
        return handle

    @overload
    def find(self, screen: ScreenLike, pattern: "Patterns",
             **options: "Unpack[FindKeywords]") -> List[Found]: ...

    @overload
    def find(self, screen: ScreenLike, pattern: PatternLike, **options: "Unpack[FindKeywords]") -> Found: ...

    def find(self, screen: Any, pattern: Any, **options: Any) -> Any:
        """The best match of a pattern, or of each pattern of a list. Options: vedette.FindKeywords."""
        return self._find(screen, pattern, False, options)

    @overload
    def find_all(self, screen: ScreenLike, pattern: "Patterns",
                 **options: "Unpack[FindKeywords]") -> List[Found]: ...

    @overload
    def find_all(self, screen: ScreenLike, pattern: PatternLike, **options: "Unpack[FindKeywords]") -> Found: ...

    def find_all(self, screen: Any, pattern: Any, **options: Any) -> Any:
        """All matches of a pattern, best first, or of each pattern of a list. Options: vedette.FindKeywords."""
        return self._find(screen, pattern, True, options)

    def annotate(self, screen: ScreenLike, pattern: Any, path: Union[str, "os.PathLike[str]"], *, every: bool = True,
                 **options: Any) -> Any:
        """As find_all (or find), and writes a PNG: matches framed in green, the best refused candidate in red."""
        return self._find(screen, pattern, every, options, path)

    @overload
    def wait(self, source: "Source", pattern: "Patterns", *, timeout: Optional[float] = 10.0,
             interval: Optional[float] = None, order: str = "bgr", incremental: bool = True,
             **options: "Unpack[FindKeywords]") -> List[Found]: ...

    @overload
    def wait(self, source: "Source", pattern: PatternLike, *, timeout: Optional[float] = 10.0,
             interval: Optional[float] = None, order: str = "bgr", incremental: bool = True,
             **options: "Unpack[FindKeywords]") -> Found: ...

    def wait(self, source: "Source", pattern: Any, *, timeout: Optional[float] = 10.0, interval: Optional[float] = None,
             order: str = "bgr", incremental: bool = True, **options: Any) -> Any:
        """Waits until a pattern, or one of a list, is on a frame; Found or a list, as of `find` on that frame.

        source: gives the frames, as a callable or an iterable; None for a frame stands for one equal to the last.
        timeout: seconds, None = none. When it is over, or the frames are, the result of the last frame is given.
        interval: seconds from frame to frame at least; 1/60 for a callable, 0 for an iterable.
        incremental: of frames that differ in parts, search only those; see Watch.
        """
        from ._watch import wait

        return wait(self, source, pattern, timeout, interval, order, incremental, options)

    def wait_vanish(self, source: "Source", pattern: Any, *, timeout: Optional[float] = 10.0,
                    interval: Optional[float] = None, order: str = "bgr", incremental: bool = True,
                    **options: "Unpack[FindKeywords]") -> bool:
        """Waits until a pattern, or all of a list, are on a frame no more; False when the time or the frames are over.

        Arguments as of `wait`.
        """
        from ._watch import wait_vanish

        return wait_vanish(self, source, pattern, timeout, interval, order, incremental, options)

    def match_template(self, scene: Picture, pattern: Picture, method: Union[int, str] = "ccoeff_normed",
                       mask: Any = None, *, order: str = "bgr", backend: str = "auto",
                       out: Any = None) -> "npt.NDArray[np.float32]":
        """The whole map of scores, (scene - pattern + 1) values: those of OpenCV's matchTemplate, always finite.

        method: a name such as "sqdiff_normed", or OpenCV's number. mask: of the pattern's size; 0 = takes no part.
        out: a float32 array of the right shape to use.
        """
        from ._operations import match_template

        return match_template(self, scene, pattern, method, mask, order=order, backend=backend, out=out)

    def detect(self, screen: Picture, cascade: Union[str, "os.PathLike[str]", bytes], *, scale_factor: float = 1.1,
               min_neighbors: int = 3, min_size: Tuple[int, int] = (0, 0), max_size: Tuple[int, int] = (0, 0),
               order: str = "bgr", backend: str = "auto") -> List[Detection]:
        """What an OpenCV cascade (file or its bytes; Haar or LBP, old or new format) detects, the surest first.

        The detections are those of OpenCV's CascadeClassifier.detectMultiScale; sizes of 0 are the classifier's window
        and the screen.
        """
        from ._operations import detect

        return detect(self, screen, cascade, scale_factor=scale_factor, min_neighbors=min_neighbors,
                      min_size=min_size, max_size=max_size, order=order, backend=backend)

    def features(self, picture: Picture, mask: Any = None, *, most: int = 20000, order: str = "bgr",
                 backend: str = "auto") -> Tuple[List[Keypoint], "npt.NDArray[np.float32]"]:
        """SIFT keypoints, the strongest first, and their descriptors, a row of 128 for each."""
        from ._operations import features

        return features(self, picture, mask, most=most, order=order, backend=backend)

    def match(self, screen: ScreenLike, pattern: PatternLike, *, ratio: float = 0.75, reprojection: float = 3.0,
              seed: int = 0, order: str = "bgr", backend: str = "auto") -> Matched:
        """The four corners of a pattern found by its keypoints: turned, scaled, in perspective.

        ratio: a keypoint's nearest neighbour counts when it is nearer than this times the second. reprojection: pixels
        by which a pair may miss the common place. seed: of the random samples; the same one gives the same answer.
        """
        from ._match import match

        return match(self, screen, pattern, ratio=ratio, reprojection=reprojection, seed=seed, order=order,
                     backend=backend)

    def restore(self, picture: Picture, spread: "Spread" = ("gaussian", 1.5), *, method: str = "richardson-lucy",
                iterations: int = 30, order: str = "bgr", backend: str = "auto") -> "npt.NDArray[np.uint8]":
        """A blurred picture sharpened; channels and alpha as they came.

        spread: what the lens made of a point: ("gaussian", sigma), ("disk", radius), ("motion", length, angle) in
        pixels and degrees, or a picture of it, its middle the centre; for "blind" the first guess.
        method: "richardson-lucy", "mia" or "blind".
        """
        from ._restore import restore

        return restore(self, picture, spread, method=method, iterations=iterations, order=order, backend=backend)

    @contextlib.contextmanager
    def explain(self, *, measure: bool = False) -> "Iterator[Explanation]":
        """Writes down, for every operation inside a `with`, which backends were weighed, and why one was taken.

            with context.explain() as explanation:
                context.find(screen, pattern)
            print(explanation.calls[0].reason)

        measure: run every candidate as well, to set its time beside the prediction; takes as long as that takes.
        The results inside are the same as outside. One at a time in a context.
        """
        from ._explain import Explanation

        call("vdt_explain_start", self._handle, 1 if measure else 0)
        explanation = Explanation()
        try:
            yield explanation
        finally:
            text = c.c_char_p()
            call("vdt_explain_stop", self._handle, c.byref(text))
            explanation._read(text_of(text.value))

    def _find(self, screen: Any, pattern: Any, every: bool, keywords: Any, annotate: Any = None) -> Any:
        several = isinstance(pattern, (list, tuple))
        wanted = [self.pattern(one) for one in (pattern if several else [pattern])]
        if not wanted:
            return []
        searched = self.screen(screen)
        record, keep = find_options(every, keywords)
        handles = (c.c_void_p * len(wanted))(*[one._handle for one in wanted])
        result = c.c_void_p()
        call("vdt_find", self._handle, searched._handle, handles, len(wanted), c.byref(record), c.byref(result))
        del keep
        try:
            if annotate is not None:
                call("vdt_result_annotate", result, searched._handle, os.fsencode(annotate))
            found = _read_result(result, len(wanted), pixel_ratio_of(keywords.get("pixel_ratio")))
        finally:
            library().vdt_result_destroy(result)
        return found if several else found[0]


def _read_result(result: c.c_void_p, patterns: int, pixel_ratio: float) -> List[Found]:
    info = r.sized(r.RunInfo)
    call("vdt_result_run", result, c.byref(info))
    run = run_of(info)
    matches: List[List[Match]] = [[] for _ in range(patterns)]
    for index in range(library().vdt_result_match_count(result)):
        record = r.sized(r.MatchRecord)
        call("vdt_result_match", result, index, c.byref(record))
        matches[record.pattern].append(_match_of(record, pixel_ratio))
    found = []
    for pattern in range(patterns):
        outcome = r.sized(r.OutcomeRecord)
        outcome.best.struct_size = c.sizeof(r.MatchRecord)
        call("vdt_result_outcome", result, pattern, c.byref(outcome))
        best = _match_of(outcome.best, pixel_ratio) if outcome.has_best else None
        text = text_of(library().vdt_reason_text(outcome.reason))
        found.append(Found(tuple(matches[pattern]), best, Reason(outcome.reason), text, outcome.margin,
                           bool(outcome.margin_is_bound), outcome.copies, run))
    return found


def run_of(info: r.RunInfo) -> Run:
    return Run(text_of(info.backend), text_of(info.device), text_of(info.variant), text_of(info.choice),
               info.predicted_ms, info.measured_ms)


def _match_of(record: r.MatchRecord, pixel_ratio: float) -> Match:
    worst, quad = record.worst, tuple(record.quad)
    return Match(record.x, record.y, record.w, record.h, record.score, record.scale, record.residual,
                 record.residual_limit, record.evidence, Stage(record.stage), Reason(record.reason),
                 (worst.x, worst.y, worst.w, worst.h) if worst.w else None,
                 (quad[0:2], quad[2:4], quad[4:6], quad[6:8]), record.pattern, pixel_ratio)


_default: Optional[Tuple[int, Context]] = None


def default_context() -> Context:
    """The context that the functions of the package use: one for each process, made when it is first needed."""
    global _default
    if _default is None or _default[0] != os.getpid():
        _default = (os.getpid(), Context())
    return _default[1]
