"""Restoration of a whole picture: squares with wrap-around, overlapped and blended, as the command does it."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, List, Tuple, Union

import numpy as np

from . import _pixels as p
from . import _records as r
from ._operations import RESTORE, run_operation
from .errors import ArgumentError

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._context import Context

METHODS = {"blind": 1, "mia": 2, "richardson-lucy": 3}
SQUARES_A_CALL = 36
LIFT = 1.0  # multiplicative methods cannot leave 0, so black is lifted off it
LEAST_DIVISOR = 1e-3
RAMP = 12  # pixels over which neighbouring squares are blended
MORE_MARGIN = 8  # beside twice the reach: what iterations carry further than one blur does
USUAL_SIDE, LARGEST_SIDE = 256, 512
MOST_REACH = 64  # a square of 512 leaves room for it and its margins

Spread = Union["npt.NDArray[Any]", Tuple[str, float], Tuple[str, float, float], str, "os.PathLike[str]"]


def _sampled(reach: int, density: Any) -> "npt.NDArray[np.float64]":
    """Each weight is the share of `density` on its pixel: the mean over 16 x 16 samples inside."""
    at = np.arange(-reach - 0.5 + 1 / 32, reach + 0.5, 1 / 16)
    values = density(at[None, :], at[:, None])
    side = 2 * reach + 1
    sums: "npt.NDArray[np.float64]" = np.asarray(values, float).reshape(side, 16, side, 16).sum((1, 3))
    return sums


def _motion(length: float, degrees: float) -> "npt.NDArray[np.float64]":
    """A straight, even movement: points along the way, each shared by the four pixels around it."""
    reach = max(1, math.ceil(length / 2 + 1))
    weights = np.zeros((2 * reach + 1, 2 * reach + 1))
    points = 1 + 32 * math.ceil(length)
    along = ((np.arange(points) + 0.5) / points - 0.5) * length
    x, y = along * math.cos(math.radians(degrees)), -along * math.sin(math.radians(degrees))
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    right, low = x - left, y - top
    for dx, share_x in ((0, 1 - right), (1, right)):
        for dy, share_y in ((0, 1 - low), (1, low)):
            np.add.at(weights, (top + dy + reach, left + dx + reach), share_x * share_y)
    return weights


def _pixels_of_spread(picture: Any) -> "npt.NDArray[np.float64]":
    weights = np.asarray(picture if isinstance(picture, np.ndarray) else p.bgr_or_gray(picture), float)
    if weights.ndim == 3:
        weights = weights.sum(2)
    if weights.ndim != 2 or max(weights.shape) > 2 * MOST_REACH + 1 or not np.isfinite(weights).all():
        raise ArgumentError(f"The point-spread function has the shape {weights.shape}; it must be a picture of at most "
                            f"{2 * MOST_REACH + 1} x {2 * MOST_REACH + 1} finite weights.")
    height, width = weights.shape
    reach = max(1, max(width, height) // 2)
    centred = np.zeros((2 * reach + 1, 2 * reach + 1))
    centred[reach - height // 2 :, reach - width // 2 :][:height, :width] = weights
    return centred


def spread_of(spread: Spread) -> "npt.NDArray[np.float64]":
    """A point-spread function, its middle the centre, weights that add up to 1."""
    if isinstance(spread, tuple):
        kind, size = spread[0], float(spread[1])
        most = {"gaussian": MOST_REACH / 3, "disk": float(MOST_REACH), "motion": 2.0 * (MOST_REACH - 1)}.get(kind)
        if most is None or len(spread) != (3 if kind == "motion" else 2):
            raise ArgumentError(f'The point-spread function is {spread!r}; it must be ("gaussian", sigma), ("disk", '
                                'radius), ("motion", length, angle) or a picture.')
        least = 0.2 if kind == "gaussian" else 0.5
        if not least <= size <= most:
            raise ArgumentError(f"The point-spread function's size is {size}; it must be from {least} to {most:.4g} "
                                "pixels.")
        if kind == "gaussian":
            weights = _sampled(max(1, math.ceil(3 * size)), lambda x, y: np.exp(-(x * x + y * y) / (2 * size * size)))
        elif kind == "disk":
            weights = _sampled(max(1, math.ceil(size)), lambda x, y: x * x + y * y <= size * size)
        else:
            weights = _motion(size, float(spread[2]))  # type: ignore[misc]
    else:
        weights = _pixels_of_spread(spread)
    if not weights.sum() > 0 or weights.min() < 0:
        raise ArgumentError("The point-spread function has negative weights, or nothing but zeros.")
    normal: "npt.NDArray[np.float64]" = weights / weights.sum()
    return normal


class Tiling:
    """Where squares lie. The outermost `margin` pixels of each are not used, the next RAMP are blended."""

    def __init__(self, width: int, height: int, reach: int) -> None:
        self.width, self.height = width, height
        self.margin = 2 * reach + MORE_MARGIN
        frame = 2 * (self.margin + RAMP)
        self.side = USUAL_SIDE if frame <= USUAL_SIDE // 2 else LARGEST_SIDE
        while self.side > 32 and max(width, height) <= self.side // 2 - frame:
            self.side //= 2
        self.stride = self.side - 2 * self.margin - RAMP

        def count(size: int) -> int:
            return 1 + max(0, size - (self.side - frame) + self.stride - 1) // self.stride

        self.columns, self.rows = count(width), count(height)
        at = np.arange(self.side)
        inside = np.minimum(at - self.margin, self.side - self.margin - 1 - at)
        weight = np.where(inside >= 0, np.minimum(1, (inside + 0.5) / RAMP), 0).astype(np.float32)
        self.weight = weight[:, None] * weight[None, :]

    def _mirrored(self, first: int, size: int) -> "npt.NDArray[np.intp]":
        at = np.arange(first, first + self.side) % (2 * size)
        return np.where(at < size, at, 2 * size - 1 - at)

    def _corner(self, column: int, row: int) -> Tuple[int, int]:
        return column * self.stride - self.margin - RAMP, row * self.stride - self.margin - RAMP

    def read(self, plane: "npt.NDArray[np.float32]", column: int, row: int) -> "npt.NDArray[np.float32]":
        """A square; outside the picture it goes on mirrored, and its opposite edges run into each other."""
        left, top = self._corner(column, row)
        tile = plane[self._mirrored(top, self.height)][:, self._mirrored(left, self.width)]
        fade = self.margin // 2
        share = (0.5 * (1 - np.arange(fade, dtype=np.float32) / np.float32(fade))).astype(np.float32)
        for near, far in ((tile[:, :fade], tile[:, ::-1][:, :fade]), (tile.T[:, :fade], tile.T[:, ::-1][:, :fade])):
            difference = far - near
            near += share * difference
            far -= share * difference
        return tile

    def add(self, tile: "npt.NDArray[np.float32]", column: int, row: int, total: "npt.NDArray[np.float32]") -> None:
        left, top = self._corner(column, row)
        y0, y1 = max(self.margin, -top), min(self.side - self.margin, self.height - top)
        x0, x1 = max(self.margin, -left), min(self.side - self.margin, self.width - left)
        if y0 < y1 and x0 < x1:
            total[top + y0 : top + y1, left + x0 : left + x1] += (tile * self.weight)[y0:y1, x0:x1]


def _wrapped(spread: "npt.NDArray[np.float64]", side: int) -> "npt.NDArray[np.float32]":
    square = np.zeros((side, side), np.float32)
    reach = spread.shape[0] // 2
    square[: spread.shape[0], : spread.shape[0]] = spread
    return np.roll(square, (-reach, -reach), (0, 1))


def _unwrapped(square: "npt.NDArray[np.float32]", reach: int) -> "npt.NDArray[np.float64]":
    spread = np.roll(square, (reach, reach), (0, 1))[: 2 * reach + 1, : 2 * reach + 1].astype(float)
    normal: "npt.NDArray[np.float64]" = spread / spread.sum()
    return normal


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
    if not 1 <= iterations <= 100000:
        raise ArgumentError(f"iterations is {iterations}; it must be 1 to 100000.")
    array, _ = p.array_of(picture, order)
    if array.dtype != np.uint8 or array.ndim not in (2, 3):
        raise ArgumentError("Only 8-bit pictures can be restored.")
    restored = array.reshape(array.shape[0], array.shape[1], -1).copy()
    weights = spread_of(spread)
    reach = weights.shape[0] // 2
    planes = [restored[:, :, channel].astype(np.float32) + np.float32(LIFT)
              for channel in range(min(restored.shape[2], 3))]
    tiling = Tiling(restored.shape[1], restored.shape[0], reach)

    def run(number: int, squares: "npt.NDArray[np.float32]", spreads: "npt.NDArray[np.float32]",
            ) -> Tuple["npt.NDArray[np.float32]", "npt.NDArray[np.float32]"]:
        out, found = np.empty_like(squares), np.empty_like(spreads)
        outputs = [(out, p.GRAYF32)] + ([(found, p.GRAYF32)] if number == METHODS["blind"] else [])
        parameters = r.sized(r.RestoreParameters, method=number, iterations=iterations,
                             batch=squares.shape[0] // tiling.side, epsilon=LEAST_DIVISOR)
        run_operation(context, RESTORE, parameters, [(squares, p.GRAYF32), (spreads, p.GRAYF32)], outputs,
                      backend=backend)
        return out, found

    places: List[Tuple[int, int]] = [(column, row) for row in range(tiling.rows) for column in range(tiling.columns)]
    number = METHODS[method]
    if number == METHODS["blind"]:
        # One lens took the whole picture, so its spread is found where there is most structure.
        means = [np.mean([tiling.read(plane, *place) for plane in planes], 0, np.float32) for place in places]
        busiest = max(means, key=lambda tile: float((np.diff(tile, axis=0) ** 2).sum() +
                                                    (np.diff(tile, axis=1) ** 2).sum()))
        _, found = run(number, np.ascontiguousarray(busiest), _wrapped(weights, tiling.side))
        weights = _unwrapped(found, reach)
        number = METHODS["mia"]
    wrapped = _wrapped(weights, tiling.side)
    totals = [np.zeros_like(plane) for plane in planes]
    work = [(place, channel) for place in places for channel in range(len(planes))]
    for begin in range(0, len(work), SQUARES_A_CALL):
        part = work[begin : begin + SQUARES_A_CALL]
        squares = np.concatenate([tiling.read(planes[channel], *place) for place, channel in part])
        out, _ = run(number, np.ascontiguousarray(squares), np.tile(wrapped, (len(part), 1)))
        for index, (place, channel) in enumerate(part):
            tiling.add(out[index * tiling.side : (index + 1) * tiling.side], *place, totals[channel])
    for channel, total in enumerate(totals):
        restored[:, :, channel] = np.clip(np.floor(total - np.float32(LIFT) + np.float32(0.5)), 0, 255)
    return restored.reshape(array.shape)
