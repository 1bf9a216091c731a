"""The options of a find, checked and put into the library's record."""

from __future__ import annotations

import ctypes as c
from typing import TYPE_CHECKING, Any, Iterable, List, Sequence, Tuple, Union

from . import _records as r
from ._library import call, library
from .errors import ArgumentError

if TYPE_CHECKING:
    from typing_extensions import TypedDict

    class FindKeywords(TypedDict, total=False):
        """Keywords of every find. What is left out has the library's default."""

        threshold: float
        """Least score of a match, -1 to 1; 0.75."""
        floor: float
        """The best candidate is reported exactly down to this score; 0.6, -1 = however low."""
        strictness: float
        """Above 1 stricter (1.25 tells states apart), below 1 more tolerant (0.67 for lossy streams); 0.25 to 4."""
        overlap: float
        """Of two matches whose intersection over union is above, only the better stays; 0.5."""
        verify: bool
        """Judge candidates by colour residual and evidence (True), or by score alone."""
        max_results: int
        """For each pattern; 400."""
        region: Sequence[int]
        """x, y, width, height: search only here."""
        exclude: Iterable[Sequence[int]]
        """No match may meet these rectangles."""
        scales: Sequence[float]
        """Factors of the pattern's size to try instead of 1 alone; then there are no fallbacks."""
        fallbacks: Union[bool, Iterable[str]]
        """What to try after a miss: True (all), False, or some of "scales", "features"."""
        color: str
        """"auto" (colour unless screen and pattern are both gray), "gray" or "bgr"."""
        time_limit: float
        """Seconds, then TimeLimitError; 0 = none."""
        cancel: "Cancel"
        """A switch that ends the find from another thread."""
        backend: str
        """"NAME" or "NAME:DEVICE": this backend and no other."""
        pixel_ratio: float
        """Pixels of the screen for one logical point, 2 on Retina displays: matches then tell their place in both. The
        other options stay in pixels."""

else:
    FindKeywords = dict

COLORS = {"auto": 0, "gray": 1, "bgr": 2}
FALLBACKS = {"scales": 1, "features": 2}


class Cancel:
    """A switch that stops finds from another thread; stays set until reset."""

    def __init__(self) -> None:
        handle = c.c_void_p()
        call("vdt_cancel_create", c.byref(handle))
        self._handle = handle

    def set(self) -> None:
        library().vdt_cancel_set(self._handle)

    def reset(self) -> None:
        library().vdt_cancel_reset(self._handle)

    def __del__(self) -> None:
        handle = getattr(self, "_handle", None)
        if handle is not None:
            library().vdt_cancel_destroy(handle)


def rectangle(values: Sequence[int], name: str) -> r.Rect:
    try:
        x, y, w, h = (int(value) for value in values)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} is {values!r}; it must be four whole numbers: x, y, width, height.") from None
    if any(not -(2**31) <= value < 2**31 for value in (x, y, w, h)):
        raise ArgumentError(f"{name} is {values!r}, which is outside the range of 32 bits.")
    return r.Rect(x, y, w, h)


def fallback_bits(value: Union[bool, str, Iterable[str]]) -> int:
    if isinstance(value, bool):
        return 3 if value else 0
    names = [value] if isinstance(value, str) else list(value)
    unknown = [name for name in names if name not in FALLBACKS]
    if unknown:
        raise ArgumentError(f'fallbacks names {unknown[0]!r}; known are "scales" and "features".')
    return sum(FALLBACKS[name] for name in set(names))


def pixel_ratio_of(value: Any) -> float:
    """An option pixel_ratio, checked; None is 1."""
    ratio = 1.0 if value is None else float(value)
    if not 0.1 <= ratio <= 10:
        raise ArgumentError(f"pixel_ratio is {value!r}; it must be 0.1 to 10.")
    return ratio


def find_options(every: bool, keywords: "FindKeywords") -> Tuple[r.FindOptions, List[Any]]:
    """The record for vdt_find, and what must live as long as it."""
    options = r.sized(r.FindOptions)
    library().vdt_find_options_init(c.byref(options))
    options.all = 1 if every else 0
    keep: List[Any] = []
    for name, value in keywords.items():
        if value is None:
            continue
        if name in ("threshold", "floor", "strictness", "overlap", "time_limit"):
            setattr(options, name, float(value))  # type: ignore[arg-type]
        elif name == "verify":
            options.verify = 1 if value else 0
        elif name == "max_results":
            count = int(value)  # type: ignore[call-overload]
            if not 0 < count < 2**32:
                raise ArgumentError(f"max_results is {count}; it must be at least 1.")
            options.max_results = count
        elif name == "region":
            options.region = rectangle(value, "region")  # type: ignore[arg-type]
            if options.region.w <= 0 or options.region.h <= 0:
                raise ArgumentError(f"region is {value!r}: it has no pixels.")
        elif name == "exclude":
            areas = [rectangle(area, "exclude") for area in value]  # type: ignore[attr-defined]
            options.exclude = (r.Rect * max(len(areas), 1))(*areas)
            options.exclude_count = len(areas)
        elif name == "scales":
            factors = [float(factor) for factor in value]  # type: ignore[attr-defined]
            if not factors:
                raise ArgumentError("scales is empty: name at least one factor, or leave it out.")
            options.scales = (c.c_double * len(factors))(*factors)
            options.scale_count = len(factors)
        elif name == "fallbacks":
            options.fallbacks = fallback_bits(value)  # type: ignore[arg-type]
        elif name == "color":
            if value not in COLORS:
                raise ArgumentError(f'color is {value!r}; it must be "auto", "gray" or "bgr".')
            options.color = COLORS[value]
        elif name == "cancel":
            keep.append(value)
            options.cancel = value._handle  # type: ignore[attr-defined]
        elif name == "backend":
            options.backend = str(value).encode()
        elif name == "pixel_ratio":
            pixel_ratio_of(value)  # is the results' matter
        else:
            raise TypeError(f"a find has no option {name!r}")
    return options, keep
