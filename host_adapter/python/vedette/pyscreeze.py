"""Makes PyScreeze find with Vedette, and with it PyAutoGUI, ImageHorizon and whatever else calls it.

Importing this module is all: ``import vedette.pyscreeze``. Scripts need not even do that when they are started by
``python -m vedette.run script.py``, or with ``VEDETTE_HOOK=pyscreeze`` in the environment.

All functions keep their signatures, return types and exceptions. What differs:

- The best match comes first, and no place is reported twice.
- ``confidence`` is the least score (zero-mean normalised correlation over all colours), inclusive: an identical patch
  has 1.0. Below the default of 0.999 other display scales are tried after a miss.
- A match is also verified: another state, tint or digit is refused, and the exception says where it differs.
- Transparent pixels of a needle take no part. A needle of one colour is found where that colour is, else not.
- Colour counts unless ``grayscale=True`` is passed; ``step`` is accepted and makes no difference.
- Boxes have ``score`` and ``match`` (vedette.Match); ``last_found()`` tells of the last search, misses included.

``settings`` holds what scripts cannot pass; ``VEDETTE_PYSCREEZE="grayscale=1;verify=0;strictness=0.67;fallbacks=none"``
sets it from outside. On displays whose screenshots have more pixels than the mouse has points (Retina)
``settings.pixel_ratio`` (``VEDETTE_PYSCREEZE="pixel_ratio=2"``) makes the functions that take screenshots take regions
and give places in points, where PyAutoGUI clicks; a box's ``match`` has both.
"""

from __future__ import annotations

import functools
import os
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, Optional, Tuple

import pyscreeze as _original

from . import errors
from ._context import Pattern, default_context
from ._options import FALLBACKS, pixel_ratio_of
from .results import Found, Match, Reason

DEFAULT_CONFIDENCE = 0.999
DEFAULT_LIMIT = 10000
MOST_RESULTS = 100000  # the library's bound
KEPT_PATTERNS = 64
# How far below the confidence the best candidate is still told: a search for lower ones costs several times as much.
TOLD_BELOW = 0.1


@dataclass
class Settings:
    """How the locate functions search where a script does not say."""

    grayscale: bool = False
    """What ``grayscale=None`` means. PyScreeze's own default would be True."""
    verify: bool = True
    """False: the score alone decides, as in PyScreeze."""
    strictness: float = 1.0
    """Of the verification: 1.25 tells states apart more sharply, 0.67 tolerates lossy streams."""
    fallbacks: Tuple[str, ...] = ("scales",)
    """What to try after a miss when ``confidence`` is below its default: "scales", "features"."""
    pixel_ratio: float = 1.0
    """Pixels of a screenshot for one point of the mouse; 2 on Retina displays. Pictures that a script brings along have
    pixels alone."""

    @classmethod
    def from_text(cls, text: str) -> "Settings":
        """From "name=value;..."; raises ConfigurationError."""
        result = cls()
        for part in filter(None, (piece.strip() for piece in text.split(";"))):
            name, _, value = (piece.strip() for piece in part.partition("="))
            try:
                if name in ("grayscale", "verify"):
                    setattr(result, name, {"0": False, "1": True}[value])
                elif name == "strictness":
                    result.strictness = float(value)
                elif name == "pixel_ratio":
                    result.pixel_ratio = pixel_ratio_of(value)
                elif name == "fallbacks":
                    names = () if value == "none" else tuple(value.split(","))
                    if not set(names) <= set(FALLBACKS):
                        raise ValueError
                    result.fallbacks = names
                else:
                    raise KeyError(name)
            except (KeyError, ValueError):
                raise errors.ConfigurationError(
                    f"VEDETTE_PYSCREEZE has {part!r}; it takes grayscale=0|1, verify=0|1, strictness=NUMBER, "
                    "fallbacks=none|scales|features|scales,features and pixel_ratio=NUMBER, separated by "
                    "semicolons.") from None
        return result


settings = Settings.from_text(os.environ.get("VEDETTE_PYSCREEZE", ""))
_state = threading.local()
_patterns: "OrderedDict[Tuple[Any, ...], Pattern]" = OrderedDict()
_lock = threading.Lock()


class Box(_original.Box):  # type: ignore[misc]
    """PyScreeze's Box with the match it stands for."""

    match: Optional[Match] = None

    @property
    def score(self) -> Optional[float]:
        return None if self.match is None else self.match.score


def last_found() -> Optional[Found]:
    """What this thread's last search found, or why it found nothing; None before the first."""
    return getattr(_state, "found", None)


def _pattern(needle: Any) -> Pattern:
    """The needle as a pattern; those of files are kept until the file changes."""
    if not isinstance(needle, (str, os.PathLike)):
        return default_context().pattern(needle)
    try:
        status = os.stat(needle)
    except OSError:
        return default_context().pattern(needle)
    key = (os.getpid(), os.path.abspath(needle), status.st_mtime_ns, status.st_size, status.st_ino)
    with _lock:
        if key in _patterns:
            _patterns.move_to_end(key)
            return _patterns[key]
    pattern = default_context().pattern(needle)
    with _lock:
        _patterns[key] = pattern
        while len(_patterns) > KEPT_PATTERNS:
            _patterns.popitem(last=False)
    return pattern


def _region(region: Any, size: Tuple[int, int]) -> Tuple[int, int, int, int]:
    """The part of the region that lies on the screenshot."""
    x, y, w, h = (int(value) for value in region)
    left, top = max(x, 0), max(y, 0)
    return left, top, min(x + w, size[0]) - left, min(y + h, size[1]) - top


def _search(needle: Any, haystack: Any, grayscale: Optional[bool], limit: int, region: Any,
            confidence: float) -> Found:
    try:
        pattern = _pattern(needle)
        screen = default_context().screen(haystack)
    except errors.ArgumentError as error:
        if isinstance(needle, (str, os.PathLike)) and isinstance(haystack, (str, os.PathLike)):
            raise
        raise TypeError(f"expected an image filename, OpenCV numpy array, or PIL image: {error}") from error
    except (errors.FileError, errors.FormatError) as error:
        raise OSError(f"Failed to read the image because file is missing, has improper permissions, or is an "
                      f"unsupported or invalid format: {error}") from error
    options: Dict[str, Any] = {}
    searched = screen.size
    if region:
        options["region"] = _region(region, screen.size)
        searched = options["region"][2:]
    if pattern.size[0] > searched[0] or pattern.size[1] > searched[1]:
        raise ValueError("needle dimension(s) exceed the haystack image or region dimensions")
    gray = settings.grayscale if grayscale is None else grayscale
    options.update(threshold=confidence, floor=max(confidence - TOLD_BELOW, -1.0), color="gray" if gray else "auto",
                   verify=settings.verify, strictness=settings.strictness, pixel_ratio=settings.pixel_ratio,
                   fallbacks=settings.fallbacks if confidence < DEFAULT_CONFIDENCE else ())
    if limit == 1:
        return default_context().find(screen, pattern, **options)
    return default_context().find_all(screen, pattern, max_results=min(limit, MOST_RESULTS), **options)


def _not_found(found: Found) -> str:
    best = found.best
    if best is None:
        return f"Could not locate the image ({found.reason_text})"
    text = "Could not locate the image (highest confidence = %.3f" % best.score
    if found.reason not in (Reason.NONE, Reason.BELOW_SCORE):
        text += f", refused: {found.reason_text}"
        if best.worst is not None:
            text += ", most at %d,%d" % best.worst[:2]
    return text + ")"


def locateAll(needleImage: Any, haystackImage: Any, grayscale: Optional[bool] = None,
              limit: Optional[int] = DEFAULT_LIMIT, region: Any = None, step: int = 1,
              confidence: Optional[float] = DEFAULT_CONFIDENCE) -> Iterator[Box]:
    """PyScreeze's locateAll: a generator of boxes, best first."""
    wanted = DEFAULT_LIMIT if limit is None else int(limit)
    least = DEFAULT_CONFIDENCE if confidence is None else float(confidence)
    found = _search(needleImage, haystackImage, grayscale, max(wanted, 1), region, least)
    _state.found = found
    if not found or wanted < 1:
        if _original.USE_IMAGE_NOT_FOUND_EXCEPTION:
            raise _original.ImageNotFoundException(_not_found(found))
        return
    for match in found:
        box = Box(*match.box)
        box.match = match
        yield box


def _in_points(box: Any) -> Any:
    """A box of a screenshot's pixels in the points of the mouse."""
    if not isinstance(box, Box) or box.match is None:
        return box
    result = Box(*box.match.logical_box)
    result.match = box.match
    return result


def _scaled(options: Dict[str, Any]) -> Dict[str, Any]:
    """Keywords of a search in points, for one in pixels."""
    region = options.get("region")
    if not region:
        return options
    return {**options, "region": tuple(round(value * settings.pixel_ratio) for value in region)}


def _of_screen(name: str) -> Callable[..., Any]:
    """PyScreeze's function of that name, which takes a screenshot, with regions and places in points."""
    original = getattr(_original, name)

    @functools.wraps(original)
    def on_screen(*arguments: Any, **options: Any) -> Any:
        if settings.pixel_ratio == 1.0:
            return original(*arguments, **options)
        found = original(*arguments, **_scaled(options))
        return (_in_points(box) for box in found) if name == "locateAllOnScreen" else _in_points(found)

    return on_screen


# PyScreeze's other functions call these.
_ours: Dict[str, Callable[..., Any]] = {"locateAll": locateAll, "locateOnScreen": _of_screen("locateOnScreen"),
                                        "locateAllOnScreen": _of_screen("locateAllOnScreen")}
_replaced: Dict[str, Any] = {}


def install() -> None:
    """Makes pyscreeze use this module; done when it is imported."""
    for name, function in _ours.items():
        if name not in _replaced:
            _replaced[name] = getattr(_original, name)
            setattr(_original, name, function)


def uninstall() -> None:
    """Makes pyscreeze what it was."""
    for name, function in _replaced.items():
        setattr(_original, name, function)
    _replaced.clear()


install()
