"""Vedette finds elements on screenshots.

    import vedette

    result = vedette.find("screen.png", "button.png")
    if result:
        print(result.center)
    else:
        print(result.why)

The functions here use one context for the process; make a Context of your own for other settings. Pictures are numpy
arrays (BGR, as OpenCV's, unless order="rgb"), PIL images, names of files, or bytes of one. Errors are exceptions of
vedette.errors; "not found" is none.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ContextManager, List, Optional, Tuple, Union, overload

from . import errors
from ._context import Context, Pattern, PatternLike, Patterns, Screen, ScreenLike, default_context
from ._explain import Candidate, ExplainedCall, Explanation
from ._library import library, text_of
from ._options import Cancel
from ._pixels import write_png
from ._watch import Watch
from .errors import Error
from .results import (Backend, Detection, Found, Keypoint, Match, Matched, Reason, Run, Skipped, Stage)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Unpack

    from ._options import FindKeywords
    from ._pixels import Picture
    from ._restore import Spread
    from ._watch import Source

from ._version import VERSION as __version__

__all__ = [
    "Backend", "Cancel", "Candidate", "Context", "Detection", "Error", "ExplainedCall", "Explanation", "Found",
    "Keypoint", "Match", "Matched", "Pattern", "Reason", "Run", "Screen", "Skipped", "Stage", "Watch", "annotate",
    "default_context", "detect", "errors", "explain", "features", "find", "find_all", "library_version", "match",
    "match_template", "restore", "wait", "wait_vanish", "write_png",
]


def library_version() -> str:
    """Of libvedette."""
    return text_of(library().vdt_version())


@overload
def find(screen: ScreenLike, pattern: Patterns, **options: "Unpack[FindKeywords]") -> List[Found]: ...


@overload
def find(screen: ScreenLike, pattern: PatternLike, **options: "Unpack[FindKeywords]") -> Found: ...


def find(screen: ScreenLike, pattern: Any, **options: Any) -> Any:
    """The best match: Context.find on the default context."""
    return default_context().find(screen, pattern, **options)


@overload
def find_all(screen: ScreenLike, pattern: Patterns, **options: "Unpack[FindKeywords]") -> List[Found]: ...


@overload
def find_all(screen: ScreenLike, pattern: PatternLike, **options: "Unpack[FindKeywords]") -> Found: ...


def find_all(screen: ScreenLike, pattern: Any, **options: Any) -> Any:
    """All matches: Context.find_all on the default context."""
    return default_context().find_all(screen, pattern, **options)


def annotate(screen: ScreenLike, pattern: Union[PatternLike, Patterns], path: Union[str, "os.PathLike[str]"],
             **options: Any) -> Any:
    """All matches, and a picture of them: Context.annotate on the default context."""
    return default_context().annotate(screen, pattern, path, **options)


@overload
def wait(source: "Source", pattern: Patterns, *, timeout: Optional[float] = 10.0, interval: Optional[float] = None,
         order: str = "bgr", incremental: bool = True, **options: "Unpack[FindKeywords]") -> List[Found]: ...


@overload
def wait(source: "Source", pattern: PatternLike, *, timeout: Optional[float] = 10.0, interval: Optional[float] = None,
         order: str = "bgr", incremental: bool = True, **options: "Unpack[FindKeywords]") -> Found: ...


def wait(source: "Source", pattern: Any, **options: Any) -> Any:
    """Waits until something is there: Context.wait on the default context."""
    return default_context().wait(source, pattern, **options)


def wait_vanish(source: "Source", pattern: Union[PatternLike, Patterns], **options: Any) -> bool:
    """Waits until something has gone: Context.wait_vanish on the default context."""
    return default_context().wait_vanish(source, pattern, **options)


def match_template(scene: "Picture", pattern: "Picture", method: Union[int, str] = "ccoeff_normed", mask: Any = None,
                   **options: Any) -> "npt.NDArray[np.float32]":
    """A map of scores: Context.match_template on the default context."""
    return default_context().match_template(scene, pattern, method, mask, **options)


def detect(screen: "Picture", cascade: Union[str, "os.PathLike[str]", bytes], **options: Any) -> List[Detection]:
    """What a cascade detects: Context.detect on the default context."""
    return default_context().detect(screen, cascade, **options)


def features(picture: "Picture", mask: Any = None,
             **options: Any) -> Tuple[List[Keypoint], "npt.NDArray[np.float32]"]:
    """SIFT keypoints and descriptors: Context.features on the default context."""
    return default_context().features(picture, mask, **options)


def match(screen: ScreenLike, pattern: PatternLike, **options: Any) -> Matched:
    """A pattern found by its keypoints: Context.match on the default context."""
    return default_context().match(screen, pattern, **options)


def explain(*, measure: bool = False) -> ContextManager[Explanation]:
    """Why which backend: Context.explain on the default context, for a `with`."""
    return default_context().explain(measure=measure)


def restore(picture: "Picture", spread: "Spread" = ("gaussian", 1.5), **options: Any) -> "npt.NDArray[np.uint8]":
    """A blurred picture sharpened: Context.restore on the default context."""
    return default_context().restore(picture, spread, **options)
