"""Restoration of a whole picture: vdt_restore."""

from __future__ import annotations

import ctypes as c
import os
from typing import TYPE_CHECKING, Any, Tuple, Union

import numpy as np

from . import _pixels as p
from . import _records as r
from ._library import call, library
from .errors import ArgumentError

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._context import Context

METHODS = {"blind": 1, "mia": 2, "richardson-lucy": 3}
SPREADS = {"gaussian": 1, "disk": 2, "motion": 3}
WEIGHTS = 4

Spread = Union["npt.NDArray[Any]", Tuple[str, float], Tuple[str, float, float], str, "os.PathLike[str]"]


def _set_spread(options: r.RestoreOptions, spread: Spread) -> Any:
    """Fills the options; gives what they point to."""
    if isinstance(spread, tuple):
        kind = SPREADS.get(spread[0]) if spread else None
        if kind is None or len(spread) != (3 if spread[0] == "motion" else 2):
            raise ArgumentError(f'The point-spread function is {spread!r}; it must be ("gaussian", sigma), ("disk", '
                                'radius), ("motion", length, angle) or a picture.')
        options.spread, options.spread_size = kind, float(spread[1])
        options.spread_angle = float(spread[2]) if len(spread) == 3 else 0.0
        return None
    weights = np.asarray(spread if isinstance(spread, np.ndarray) else p.bgr_or_gray(spread), float)
    if weights.ndim == 3:
        weights = weights.sum(2)
    if weights.ndim != 2:
        raise ArgumentError(f"The point-spread function has the shape {weights.shape}; it must be a picture.")
    weights = np.ascontiguousarray(weights)
    options.spread = WEIGHTS
    options.spread_weights = weights.ctypes.data_as(c.POINTER(c.c_double))
    options.spread_height, options.spread_width = weights.shape
    return weights


def restore(
    context: "Context",
    picture: p.Picture,
    spread: Spread = ("gaussian", 1.5),
    *,
    method: str = "richardson-lucy",
    iterations: int = 30,
    order: str = "bgr",
    backend: str = "auto",
) -> "npt.NDArray[np.uint8]":
    """A blurred picture sharpened; see Context.restore."""
    if method not in METHODS:
        raise ArgumentError(f"method is {method!r}; it must be one of {', '.join(METHODS)}.")
    if not 0 <= iterations < 2**32:
        raise ArgumentError(f"iterations is {iterations}; it must be 1 to 100000.")
    array, form = p.array_of(picture, order)
    pixels = p.PixelRecord(array, form)
    options = r.sized(r.RestoreOptions)
    library().vdt_restore_options_init(c.byref(options))
    options.method, options.iterations, options.backend = METHODS[method], iterations, backend.encode()
    weights = _set_spread(options, spread)
    restored = r.sized(r.Pixels)
    call("vdt_restore", context._handle, c.byref(pixels.record), c.byref(options), c.byref(restored), None, None)
    del weights
    try:
        memory = (c.c_uint8 * restored.bytes).from_address(restored.data)
        result: "npt.NDArray[np.uint8]" = np.frombuffer(memory, np.uint8).reshape(array.shape).copy()
    finally:
        library().vdt_pixels_free(c.byref(restored))
    return result
