"""Makes Airtest find with Vedette: ``import vedette.airtest``, ``python -m vedette.run`` or ``VEDETTE_HOOK=airtest``.

Adds the method ``vedette`` to Airtest's MATCHING_METHODS and makes it ST.CVSTRATEGY, so that Template, touch, exists,
wait, assert_exists and find_all use it; a script may set its own strategy, also with "vedette" in it. What is not there
is not looked for again by Airtest's methods, which would find something like it: install(others=True) lets them.

Transparent pixels of a template file take no part; Airtest drops the transparency when it reads a file, so its reading
is replaced as well. A template that is nowhere at the size that Airtest's RESIZE_METHOD gives it, because the recorded
resolution is wrong, is searched once more as it was recorded.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
from airtest.core import cv as _cv
from airtest.core.settings import Settings as _settings

from ._context import default_context
from ._pixels import decoded_file, file_name
from .errors import Error
from .results import Found, Match

NAME = "vedette"


@dataclass
class Settings:
    """How templates are searched beside the threshold that Airtest passes."""

    color: str = "auto"
    """Colour counts, whatever a template's rgb says; "gray" ignores it unless rgb is True."""
    strictness: float = 1.0
    """Of the verification; 0.67 tolerates what a lossy stream of the device's screen makes of it."""
    verify: bool = True
    fallbacks: Tuple[str, ...] = ("scales", "features")


settings = Settings()


class WithAlpha(np.ndarray):
    """What Airtest reads of a file, BGR, with the transparency beside it. Whatever is made of it has none."""

    alpha: Any = None


def _imread(template: Any) -> Any:
    """Template._imread, which keeps the transparency."""
    picture = _originals["imread"](template)
    try:
        decoded = decoded_file(file_name(template.filepath) or b"")
    except Error:
        return picture
    if decoded.ndim == 3 and decoded.shape[2] == 4 and decoded.shape[:2] == picture.shape[:2]:
        picture = picture.view(WithAlpha)
        picture.alpha = decoded[:, :, 3]
    return picture


def _result(match: Match, took: float) -> Dict[str, Any]:
    x, y, w, h = match.box
    return {"result": match.center, "rectangle": ((x, y), (x, y + h), (x + w, y + h), (x + w, y)),
            "confidence": match.score, "time": took}


class VedetteMatching:
    """A matching method of Airtest."""

    METHOD_NAME = "Vedette"
    MAX_RESULT_COUNT = 10

    def __init__(self, im_search: Any, im_source: Any, threshold: float = 0.8, rgb: bool = True) -> None:
        self.im_search = im_search
        self.im_source = im_source
        self.threshold = threshold
        self.rgb = rgb
        self.found: Optional[Found] = None
        """Of the last search: the score and, when nothing was found, why."""

    def _search(self, every: bool) -> List[Dict[str, Any]]:
        begin = time.time()
        context = default_context()
        search = context.find_all if every else context.find
        alpha = getattr(self.im_search, "alpha", None)
        wanted = self.im_search if alpha is None else np.dstack([self.im_search, alpha])
        self.found = search(self.im_source, wanted, threshold=self.threshold,
                            color="auto" if self.rgb else settings.color, strictness=settings.strictness,
                            verify=settings.verify, fallbacks=settings.fallbacks,
                            max_results=self.MAX_RESULT_COUNT + 1)
        took = time.time() - begin
        return [_result(match, took) for match in self.found]

    def find_best_result(self) -> Optional[Dict[str, Any]]:
        results = self._search(False)
        return results[0] if results else None

    def find_all_results(self) -> Optional[List[Dict[str, Any]]]:
        return self._search(True) or None


class AsRecorded(VedetteMatching):
    """The template in its recorded size, in the place of Airtest's "mstpl", which is given that one."""

    METHOD_NAME = "VedetteAsRecorded"

    def __init__(self, im_search: Any, im_source: Any, threshold: float = 0.8, rgb: bool = True, record_pos: Any = None,
                 resolution: Any = (), scale_max: int = 800, scale_step: float = 0.005) -> None:
        super().__init__(im_search, im_source, threshold, rgb)
        size = self.im_source.shape[1], self.im_source.shape[0]
        # Not resized, it has been searched already.
        self._done = NAME in _settings.CVSTRATEGY and (not resolution or tuple(resolution) == size)

    def find_best_result(self) -> Optional[Dict[str, Any]]:
        return None if self._done else super().find_best_result()


_originals: Dict[str, Any] = {}


def install(*, others: bool = False) -> None:
    """Makes Airtest use Vedette; others=True leaves its own methods in the strategy, after Vedette's."""
    if not _originals:
        _originals.update(strategy=list(_settings.CVSTRATEGY), mstpl=_cv.MATCHING_METHODS.get("mstpl"),
                          matching=_cv.TemplateMatching, imread=_cv.Template._imread)
    _cv.MATCHING_METHODS[NAME] = VedetteMatching
    _cv.MATCHING_METHODS["mstpl"] = AsRecorded
    _cv.TemplateMatching = VedetteMatching  # find_all's
    _cv.Template._imread = _imread
    rest = [name for name in _originals["strategy"] if name != "mstpl"] if others else []
    _settings.CVSTRATEGY = [NAME, "mstpl"] + rest


def uninstall() -> None:
    """Makes Airtest what it was."""
    if _originals:
        _settings.CVSTRATEGY = _originals["strategy"]
        _cv.MATCHING_METHODS.pop(NAME, None)
        _cv.MATCHING_METHODS["mstpl"] = _originals["mstpl"]
        _cv.TemplateMatching = _originals["matching"]
        _cv.Template._imread = _originals["imread"]
        _originals.clear()


install()
