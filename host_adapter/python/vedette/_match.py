"""A pattern found by its keypoints: the guards that tell a place from chance.

The bounds are those of the library's own finds and of the command (host_adapter/find/feature_place.h).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, List, Optional, Set, Tuple

import numpy as np

from . import _pixels as p
from . import _records as r
from ._operations import FEATURE_MATCH, RawFeatures, gray_of, list_of, raw_features, run_operation
from .errors import ArgumentError
from .results import Matched, Point

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._context import Context

LEAST_INLIERS = 12
LEAST_SHARE = 0.25
LEAST_AREA, MOST_AREA = 0.1, 10.0
LEAST_INSIDE = 0.7
# What a keypoint calls x, edges of pixels call x + this.
KEYPOINT_TO_EDGE = 0.25
LEAST_PLANE = 1e-6

Quad = List[Point]


def mask_of(picture: p.Picture, order: str) -> Optional["npt.NDArray[np.uint8]"]:
    """The mask that a pattern's alpha gives: as in a find."""
    array, _ = p.array_of(picture, order)
    if array.ndim != 3 or array.shape[2] != 4:
        return None
    alpha = array[:, :, 3] if array.dtype == np.uint8 else (array[:, :, 3].astype(np.uint32) + 128) // 257
    opaque, visible = np.count_nonzero(alpha == 255), np.count_nonzero(alpha)
    least = 128 if opaque * 10 < visible else 255
    return np.ascontiguousarray(alpha >= least).view(np.uint8) * np.uint8(255)


def shifted(h: "npt.NDArray[np.float64]", shift: float) -> "npt.NDArray[np.float64]":
    """The same map where both pictures' coordinates begin `shift` earlier."""
    move = np.array([[1, 0, shift], [0, 1, shift], [0, 0, 1]])
    return move @ h @ np.linalg.inv(move)


def corners(h: "npt.NDArray[np.float64]", width: int, height: int) -> Optional[Quad]:
    """Where the pattern's corners go; None when one does not arrive on this side of infinity."""
    middle = h[2] @ (width / 2, height / 2, 1)
    quad: Quad = []
    for x, y in ((0, 0), (width, 0), (width, height), (0, height)):
        to = h @ (x, y, 1)
        if middle == 0 or not to[2] / middle > LEAST_PLANE:
            return None
        place = float(to[0] / to[2]), float(to[1] / to[2])
        if not all(math.isfinite(value) for value in place):
            return None
        quad.append(place)
    return quad


def clockwise(quad: Quad) -> bool:
    """Every turn from corner to corner is clockwise on the screen (y down)."""
    for i in range(4):
        a, b, c = quad[i], quad[(i + 1) % 4], quad[(i + 2) % 4]
        if not (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) > 0:
            return False
    return True


def area(polygon: List[Point]) -> float:
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(polygon, polygon[1:] + polygon[:1])) / 2


def share_inside(quad: Quad, width: int, height: int) -> float:
    """Share of a convex quad's area that lies on the screen [Sutherland, Hodgman 1974]."""
    polygon = list(quad)
    sides: List[Tuple[int, float, int]] = [(0, 0.0, 1), (0, -float(width), -1), (1, 0.0, 1), (1, -float(height), -1)]
    for axis, offset, sign in sides:
        clipped: List[Point] = []
        for a, b in zip(polygon, polygon[1:] + polygon[:1]):
            at_a, at_b = sign * a[axis] - offset, sign * b[axis] - offset
            if at_a >= 0:
                clipped.append(a)
            if (at_a >= 0) != (at_b >= 0):
                share = at_a / (at_a - at_b)
                clipped.append((a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])))
        polygon = clipped
    return area(polygon) / area(quad) if polygon else 0.0


def judge(pattern: RawFeatures, screen: RawFeatures, pairs: Any, count: int, homography: "npt.NDArray[np.float64]",
          size: Tuple[int, int], screen_size: Tuple[int, int]) -> Tuple[str, Optional[Quad], int]:
    """Why the place is no match ("" when it is one), its corners, and how many pairs agree on it."""
    of_pattern: Set[Tuple[int, int]] = set()
    of_screen: Set[Tuple[int, int]] = set()
    agreeing = 0
    for pair in pairs[:count]:
        if pair.inlier:
            agreeing += 1
            for spots, point in ((of_pattern, pattern.records[pair.query]), (of_screen, screen.records[pair.train])):
                spots.add((math.floor(point.x + 0.5), math.floor(point.y + 0.5)))
    inliers = min(len(of_pattern), len(of_screen))
    if not homography.any():
        few = f"only {count} pairs of keypoints are alike; four are needed"
        return few if count < 4 else "the pairs of keypoints agree on no place", None, inliers
    quad = corners(shifted(homography, KEYPOINT_TO_EDGE), *size)
    flaws = []
    if inliers < LEAST_INLIERS:
        flaws.append(f"only {inliers} pairs of keypoints agree on a place; a match has at least {LEAST_INLIERS}")
    if agreeing < LEAST_SHARE * count:
        flaws.append(f"only {inliers} of {count} pairs of keypoints agree on a place; a match has at least a quarter")
    if quad is None:
        flaws.append("the pattern's corners map to both sides of the horizon")
    elif not clockwise(quad):
        flaws.append("the place is mirrored" if clockwise(quad[::-1]) else
                     "the pattern's corners map to no convex figure")
    else:
        times = area(quad) / (size[0] * size[1])
        if not LEAST_AREA <= times <= MOST_AREA:
            flaws.append(f"the place has {times:.3g} times the pattern's area; a match has {LEAST_AREA:.3g} to "
                         f"{MOST_AREA:.3g} times")
        inside = share_inside(quad, *screen_size)
        if not inside >= LEAST_INSIDE:
            flaws.append(f"only {100 * inside:.0f} % of the place lie on the screen; of a match at least "
                         f"{100 * LEAST_INSIDE:.0f} %")
    return flaws[0] if flaws else "", quad, inliers


def match(
    context: "Context",
    screen: p.Picture,
    pattern: p.Picture,
    *,
    ratio: float = 0.75,
    reprojection: float = 3.0,
    seed: int = 0,
    order: str = "bgr",
    backend: str = "auto",
) -> Matched:
    """A pattern found by its keypoints; see Context.match."""
    if not 0 <= ratio <= 1:
        raise ArgumentError(f"ratio is {ratio}; it must be from 0 to 1.")
    if not 0.01 <= reprojection <= 1000:
        raise ArgumentError(f"reprojection is {reprojection}; it must be from 0.01 to 1000 pixels.")
    gray, scene = gray_of(context, pattern, order), gray_of(context, screen, order)
    query = raw_features(context, gray, mask_of(pattern, order), backend=backend)
    train = raw_features(context, scene, backend=backend)
    pairs = (r.DescriptorMatch * max(query.count, 1))()
    list_out = list_of(pairs, 0)
    homography = np.zeros((3, 3))
    parameters = r.sized(r.FeatureMatchParameters, max_iterations=10000, ratio=ratio, reprojection=reprojection,
                         seed=seed)
    _, run = run_operation(
        context, FEATURE_MATCH, parameters, [(query.descriptors, p.GRAYF32), (train.descriptors, p.GRAYF32)],
        [(homography, p.F64)], [list_of(query.records, query.count), list_of(train.records, train.count)], [list_out],
        backend)
    count = int(list_out.count)
    reason, quad, inliers = judge(query, train, pairs, count, homography, gray.shape[::-1], scene.shape[::-1])
    return Matched(not reason, reason, tuple(quad) if quad else None, inliers, count,  # type: ignore[arg-type]
                   query.count, train.count, run)
