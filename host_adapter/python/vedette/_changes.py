"""What differs between consecutive frames."""

from __future__ import annotations

import ctypes as c
from typing import TYPE_CHECKING, Any, List, Optional, Tuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

Area = Tuple[int, int, int, int]
"""left, top, right, bottom: pixels with left <= x < right, top <= y < bottom."""

# Rows compared at once: 32 rows of a screen fit the second-level cache twice, and a call costs nothing beside them.
BAND = 32
# Changes nearer than this are taken as one.
GAP = 32

_memcmp = c.CDLL(None).memcmp
_memcmp.restype = c.c_int
_memcmp.argtypes = [c.c_void_p, c.c_void_p, c.c_size_t]


class Changes:
    """Compares each frame with the one before, of which it keeps a copy: the caller may reuse his memory."""

    def __init__(self) -> None:
        self._last: Optional["npt.NDArray[Any]"] = None
        self._order = ""

    def update(self, frame: "npt.NDArray[Any]", order: str) -> Optional[List[Area]]:
        """The areas that differ, [] when none does; None when everything counts as new."""
        last = self._last
        if last is None or last.shape != frame.shape or last.dtype != frame.dtype or self._order != order:
            self._last, self._order = np.array(frame, order="C"), order
            return None
        areas: List[Area] = []
        together = frame.flags.c_contiguous
        row_bytes = last.strides[0]
        for top in range(0, frame.shape[0], BAND):
            new, old = frame[top : top + BAND], last[top : top + BAND]
            if together:
                start = top * row_bytes
                same = _memcmp(frame.ctypes.data + start, last.ctypes.data + start, new.shape[0] * row_bytes) == 0
            else:
                same = bool(np.array_equal(new, old))
            if not same:
                areas += _areas(new != old, top)
                old[...] = new
        return areas


def _areas(differs: "npt.NDArray[np.bool_]", top: int) -> List[Area]:
    """Where a band differs: a rectangle for each run of columns."""
    if differs.ndim == 3:
        differs = np.logical_or.reduce(differs, 2)
    columns = np.flatnonzero(differs.any(0))
    breaks = np.flatnonzero(np.diff(columns) > GAP) + 1
    areas = []
    for run in np.split(columns, breaks):
        left, right = int(run[0]), int(run[-1]) + 1
        rows = np.flatnonzero(differs[:, left:right].any(1))
        areas.append((left, top + int(rows[0]), right, top + int(rows[-1]) + 1))
    return areas


def grown(areas: List[Area], dx: int, dy: int, width: int, height: int) -> List[Area]:
    """The areas, larger by dx and dy on each side, within the frame."""
    return [(max(left - dx, 0), max(top - dy, 0), min(right + dx, width), min(bottom + dy, height))
            for left, top, right, bottom in areas]


def joined(areas: List[Area]) -> List[Area]:
    """Areas that meet become the box around them, until none do."""
    result: List[Area] = []
    for area in areas:
        while True:
            meeting = next((other for other in result if meets(area, other)), None)
            if meeting is None:
                break
            result.remove(meeting)
            area = (min(area[0], meeting[0]), min(area[1], meeting[1]), max(area[2], meeting[2]),
                    max(area[3], meeting[3]))
        result.append(area)
    return result


def meets(a: Area, b: Area) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def pixels_of(areas: List[Area]) -> int:
    return sum((right - left) * (bottom - top) for left, top, right, bottom in areas)
