"""A pattern found by its keypoints: vdt_find_by_features."""

from __future__ import annotations

import ctypes as c
from typing import TYPE_CHECKING

from . import _records as r
from ._library import call, library, text_of
from .results import Matched

if TYPE_CHECKING:
    from ._context import Context, PatternLike, ScreenLike


def match(
    context: "Context",
    screen: "ScreenLike",
    pattern: "PatternLike",
    *,
    ratio: float = 0.75,
    reprojection: float = 3.0,
    seed: int = 0,
    order: str = "bgr",
    backend: str = "auto",
) -> Matched:
    """A pattern found by its keypoints; see Context.match."""
    from ._context import run_of

    scene, element = context.screen(screen, order=order), context.pattern(pattern, order=order)
    options = r.sized(r.FeatureOptions)
    library().vdt_feature_options_init(c.byref(options))
    options.ratio, options.reprojection = ratio, reprojection
    options.seed, options.backend = seed, backend.encode()
    place, info = r.sized(r.FeaturePlace), r.sized(r.RunInfo)
    call("vdt_find_by_features", context._handle, scene._handle, element._handle, c.byref(options), c.byref(place),
         c.byref(info))
    quad = None
    if place.has_quad:
        quad = tuple((place.quad[i], place.quad[i + 1]) for i in range(0, 8, 2))
    return Matched(bool(place.found), text_of(place.reason), quad, place.inliers,  # type: ignore[arg-type]
                   place.pairs, place.pattern_keypoints, place.screen_keypoints, run_of(info))
