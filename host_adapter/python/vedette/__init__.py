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

from typing import TYPE_CHECKING, Any, List

from . import errors
from ._context import Context, Pattern, Screen, default_context
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

    from ._options import FindKeywords

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


def find(screen: Any, pattern: Any, **options: Any) -> Any:
    """The best match: Context.find on the default context."""
    return default_context().find(screen, pattern, **options)


def find_all(screen: Any, pattern: Any, **options: Any) -> Any:
    """All matches: Context.find_all on the default context."""
    return default_context().find_all(screen, pattern, **options)


def annotate(screen: Any, pattern: Any, path: Any, **options: Any) -> Any:
    """All matches, and a picture of them: Context.annotate on the default context."""
    return default_context().annotate(screen, pattern, path, **options)


def wait(source: Any, pattern: Any, **options: Any) -> Any:
    """Waits until something is there: Context.wait on the default context."""
    return default_context().wait(source, pattern, **options)


def wait_vanish(source: Any, pattern: Any, **options: Any) -> bool:
    """Waits until something has gone: Context.wait_vanish on the default context."""
    return default_context().wait_vanish(source, pattern, **options)


def match_template(scene: Any, pattern: Any, method: Any = "ccoeff_normed", mask: Any = None,
                   **options: Any) -> "npt.NDArray[np.float32]":
    """A map of scores: Context.match_template on the default context."""
    return default_context().match_template(scene, pattern, method, mask, **options)


def detect(screen: Any, cascade: Any, **options: Any) -> List[Detection]:
    """What a cascade detects: Context.detect on the default context."""
    return default_context().detect(screen, cascade, **options)


def features(picture: Any, mask: Any = None, **options: Any) -> Any:
    """SIFT keypoints and descriptors: Context.features on the default context."""
    return default_context().features(picture, mask, **options)


def match(screen: Any, pattern: Any, **options: Any) -> Matched:
    """A pattern found by its keypoints: Context.match on the default context."""
    return default_context().match(screen, pattern, **options)


def explain(*, measure: bool = False) -> Any:
    """Why which backend: Context.explain on the default context, for a `with`."""
    return default_context().explain(measure=measure)


def restore(picture: Any, spread: Any = ("gaussian", 1.5), **options: Any) -> "npt.NDArray[np.uint8]":
    """A blurred picture sharpened: Context.restore on the default context."""
    return default_context().restore(picture, spread, **options)
