"""cv2.matchTemplate of programs that bring their own OpenCV, computed by Vedette: ``vedette.cv2_hook.install()``.

Values are OpenCV's within 1e-4 (SQDIFF, CCORR and CCOEFF: of the largest value), for all six methods, gray and colour,
with and without mask. Where a window hardly varies, OpenCV's own rounding in single precision is larger than that, and
Vedette's value is the exact one. Calls that this module does not know (other element types, UMat, weights for a mask, a
template larger than the image, wrong arguments) go to OpenCV, and so does whatever Vedette refuses.

``finite=True``: what OpenCV answers with infinity, NaN or, for a template of one colour, 1.0 everywhere, is the finite
value of plugin/ops.h, which no threshold takes for a match. Without it such calls give what OpenCV gives.
``cascades=True``: CascadeClassifier.detectMultiScale, with the same detections. ``sift=True``: SIFT_create's detect and
detectAndCompute; keypoints come with the strongest first.

Code that did ``from cv2 import matchTemplate`` before keeps OpenCV's.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Optional, Tuple

import cv2
import numpy as np

from . import _operations as operations
from ._context import default_context
from .errors import Error

_originals: Dict[str, Any] = {}
_finite = False
MOST_KEYPOINTS = 1 << 20


def _plain(array: Any) -> bool:
    """8-bit pixels, gray or BGR."""
    return (isinstance(array, np.ndarray) and array.dtype == np.uint8 and array.size > 0
            and (array.ndim == 2 or (array.ndim == 3 and array.shape[2] == 3)))


def _mask_plane(mask: Any, template: Any) -> Optional[Any]:
    """A binary mask of one plane, or None when OpenCV would weight by it or channels differ."""
    if not isinstance(mask, np.ndarray) or mask.dtype != np.uint8 or mask.shape[:2] != template.shape[:2]:
        return None
    if mask.ndim == 2:
        return mask
    if mask.ndim != 3 or mask.shape[2] not in (1, template.shape[2] if template.ndim == 3 else 1):
        return None
    first = mask[:, :, 0]
    same = all(np.array_equal(first != 0, mask[:, :, i] != 0) for i in range(1, mask.shape[2]))
    return first if same else None


def _degenerate(template: Any, method: int, mask: Any) -> bool:
    """OpenCV divides 0 by 0 for this template, wherever it is."""
    pixels = template.reshape(-1, template.shape[2] if template.ndim == 3 else 1)
    if mask is not None:
        pixels = pixels[mask.reshape(-1) != 0]
        if not len(pixels):
            return True
    if method == cv2.TM_CCOEFF_NORMED:
        return bool((pixels == pixels[0]).all())
    return not pixels.any()


def match_template(image: Any, templ: Any, method: int, result: Any = None, mask: Any = None) -> Any:
    """cv2.matchTemplate."""
    original = _originals["matchTemplate"]

    def by_opencv() -> Any:
        if mask is None:
            return original(image, templ, method) if result is None else original(image, templ, method, result)
        return original(image, templ, method, result, mask)

    if not (_plain(image) and _plain(templ) and image.ndim == templ.ndim and isinstance(method, int)
            and 0 <= method <= 5 and all(a >= b for a, b in zip(image.shape, templ.shape))):
        return by_opencv()
    plane = None
    if mask is not None:
        plane = _mask_plane(mask, templ)
        if plane is None:
            return by_opencv()
    normed = method in (cv2.TM_SQDIFF_NORMED, cv2.TM_CCORR_NORMED, cv2.TM_CCOEFF_NORMED)
    if normed and not _finite and _degenerate(templ, method, plane):
        return by_opencv()
    try:
        scores = operations.match_template(default_context(), image, templ, method, plane, out=result)
    except Error:
        return by_opencv()
    # With a mask OpenCV has no guard against windows whose denominator is 0: those have these values here.
    if normed and plane is not None and not _finite:
        suspicious = 1.0 if method == cv2.TM_SQDIFF_NORMED else 0.0
        if (scores == suspicious).any():
            return by_opencv()
    return scores


def _size(size: Any) -> Tuple[int, int]:
    return (0, 0) if size is None else (int(size[0]), int(size[1]))


class CascadeClassifier:
    """cv2.CascadeClassifier with Vedette's detectMultiScale; everything else is OpenCV's.

    It holds one of OpenCV's and is none: OpenCV 4.6 crashes when an object of a class derived from its own is freed.
    """

    def __init__(self, *arguments: Any) -> None:
        self._original = _originals["CascadeClassifier"](*arguments)
        self._text: Optional[bytes] = None
        if arguments and not self._original.empty():
            self._keep(arguments[0])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def _keep(self, filename: str) -> None:
        try:
            self._text = operations.cascade_text(filename)
        except Error:
            self._text = None

    def load(self, filename: str) -> bool:
        self._text = None
        loaded = bool(self._original.load(filename))
        if loaded:
            self._keep(filename)
        return loaded

    def read(self, node: Any) -> bool:
        self._text = None
        return bool(self._original.read(node))

    def detectMultiScale(self, image: Any, scaleFactor: float = 1.1, minNeighbors: int = 3, flags: int = 0,
                         minSize: Any = None, maxSize: Any = None) -> Any:
        if self._text is not None and flags == 0 and _plain(image):
            try:
                context = default_context()
                found = operations.detect_items(
                    context, operations.gray_of(context, image), self._text, scale_factor=scaleFactor,
                    min_neighbors=minNeighbors, min_size=_size(minSize), max_size=_size(maxSize))
                if not found:
                    return ()
                return np.array([(item.x, item.y, item.w, item.h) for item in found], np.float32).astype(np.int32)
            except Error:
                pass
        keywords = {name: value for name, value in (("minSize", minSize), ("maxSize", maxSize)) if value is not None}
        return self._original.detectMultiScale(image, scaleFactor, minNeighbors, flags, **keywords)


class Sift:
    """cv2.SIFT with Vedette's detect and detectAndCompute; everything else is OpenCV's."""

    def __init__(self, original: Any, count: int, parameters: Dict[str, Any]) -> None:
        self._original = original
        self._count = count
        self._parameters = parameters

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def _features(self, image: Any, mask: Any) -> Optional[operations.RawFeatures]:
        if not _plain(image) or not (mask is None or (isinstance(mask, np.ndarray) and mask.dtype == np.uint8
                                                      and mask.shape == image.shape[:2])):
            return None
        context = default_context()
        gray = operations.gray_of(context, image)
        taken = None if mask is None else np.ascontiguousarray(mask)
        most = self._count or 1 << 14
        try:
            while True:
                found = operations.raw_features(context, gray, taken, most=most, **self._parameters)
                if self._count or found.count < most or most >= MOST_KEYPOINTS:
                    return found
                most *= 4
        except Error:
            return None

    @staticmethod
    def _keypoints(found: operations.RawFeatures) -> Tuple[Any, ...]:
        return tuple(cv2.KeyPoint(one.x, one.y, one.size, one.angle, one.response, one.octave)
                     for one in found.records[: found.count])

    def detect(self, image: Any, mask: Any = None) -> Any:
        found = self._features(image, mask)
        return self._original.detect(image, mask) if found is None else self._keypoints(found)

    def detectAndCompute(self, image: Any, mask: Any, descriptors: Any = None,
                         useProvidedKeypoints: bool = False) -> Any:
        found = None if useProvidedKeypoints or descriptors is not None else self._features(image, mask)
        if found is None:
            return self._original.detectAndCompute(image, mask, descriptors, useProvidedKeypoints)
        return self._keypoints(found), found.descriptors[: found.count].copy() if found.count else None


def sift_create(nfeatures: int = 0, nOctaveLayers: int = 3, contrastThreshold: float = 0.04, edgeThreshold: float = 10,
                sigma: float = 1.6, *more: Any, **named: Any) -> Any:
    """cv2.SIFT_create."""
    original = _originals["SIFT_create"](nfeatures, nOctaveLayers, contrastThreshold, edgeThreshold, sigma, *more,
                                         **named)
    if more or named:
        return original
    return Sift(original, nfeatures, {"octave_layers": nOctaveLayers, "contrast_threshold": contrastThreshold,
                                      "edge_threshold": edgeThreshold, "sigma": sigma})


def _replace(name: str, replacement: Any) -> None:
    # While cv2 is imported there are two modules of that name, one after the other.
    module = sys.modules["cv2"]
    if name not in _originals and hasattr(module, name):
        _originals[name] = getattr(module, name)
    if name in _originals:
        setattr(module, name, replacement)


def install(*, finite: bool = False, cascades: bool = False, sift: bool = False) -> None:
    """Replaces cv2.matchTemplate and, where asked, CascadeClassifier and SIFT_create. May be called again."""
    global _finite
    _finite = finite
    _replace("matchTemplate", match_template)
    if cascades:
        _replace("CascadeClassifier", CascadeClassifier)
    if sift:
        _replace("SIFT_create", sift_create)


def uninstall() -> None:
    """Makes cv2 what it was."""
    for name in list(_originals):
        setattr(sys.modules["cv2"], name, _originals.pop(name))


def installed() -> List[str]:
    """Names of cv2 that are Vedette's now."""
    return sorted(_originals)


__all__ = ["install", "installed", "uninstall"]
