"""Single operations of the library on numpy arrays: score maps, cascades, local features."""

from __future__ import annotations

import ctypes as c
import os
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _pixels as p
from . import _records as r
from ._library import call
from .errors import ArgumentError, FileError
from .results import Detection, Keypoint, Run

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._context import Context

CONVERT, RESTORE, TEMPLATE_MAP, CASCADE_DETECT, FEATURES, FEATURE_MATCH = 1, 6, 8, 10, 12, 13
INCOMPLETE = 1
METHODS = ("sqdiff", "sqdiff_normed", "ccorr", "ccorr_normed", "ccoeff", "ccoeff_normed")
DESCRIPTOR_LENGTH = 128
MOST_CASCADE_BYTES = 1 << 28


def run_operation(
    context: "Context",
    op: int,
    parameters: c.Structure,
    inputs: Sequence[Tuple[Optional["npt.NDArray[Any]"], int]],
    outputs: Sequence[Tuple["npt.NDArray[Any]", int]] = (),
    lists_in: Sequence[r.List] = (),
    lists_out: Sequence[r.List] = (),
    backend: str = "auto",
) -> Tuple[int, Run]:
    """Runs one operation on arrays with their formats; an input of None is one that is left out."""
    from ._context import run_of

    def images(arrays: Sequence[Tuple[Any, int]]) -> Tuple[List[r.Image], Any]:
        views = [r.sized(r.Image) if array is None else p.image_view(array, form) for array, form in arrays]
        return views, (c.POINTER(r.Image) * max(len(views), 1))(*[c.pointer(view) for view in views])

    def lists(of: Sequence[r.List]) -> Any:
        return (c.POINTER(r.List) * max(len(of), 1))(*[c.pointer(one) for one in of])

    views_in, first_in = images(inputs)
    views_out, first_out = images(outputs)
    info = r.sized(r.RunInfo)
    code = call("vdt_run_operation", context._handle, op, c.byref(parameters), first_in, len(views_in), first_out,
                len(views_out), lists(lists_in), len(lists_in), lists(lists_out), len(lists_out), backend.encode(),
                c.byref(info))
    return code, run_of(info)


def list_of(items: Any, count: int) -> r.List:
    """A list over an array of records."""
    return r.sized(r.List, item_size=c.sizeof(items._type_), capacity=len(items), count=count, needed=count,
                   items=c.addressof(items))


def gray_of(context: "Context", picture: p.Picture, order: str = "bgr") -> "npt.NDArray[np.uint8]":
    """8-bit gray pixels, as OpenCV's BGR to gray."""
    array = p.bgr_or_gray(picture, order)
    if array.ndim == 2:
        return array
    gray = np.empty(array.shape[:2], np.uint8)
    run_operation(context, CONVERT, r.sized(r.ConvertParameters, scale=1.0), [(array, p.BGR8)], [(gray, p.GRAY8)])
    return gray


def method_number(method: Union[int, str]) -> int:
    if isinstance(method, str):
        if method.lower() in METHODS:
            return METHODS.index(method.lower())
    elif int(method) in range(len(METHODS)):
        return int(method)
    raise ArgumentError(f"method is {method!r}; it must be one of {', '.join(METHODS)}, or OpenCV's number of it.")


def match_template(
    context: "Context",
    scene: p.Picture,
    pattern: p.Picture,
    method: Union[int, str] = "ccoeff_normed",
    mask: Optional["npt.NDArray[Any]"] = None,
    *,
    order: str = "bgr",
    backend: str = "auto",
    out: Optional["npt.NDArray[np.float32]"] = None,
) -> "npt.NDArray[np.float32]":
    """The whole score map; see Context.match_template."""
    image, template = p.bgr_or_gray(scene, order), p.bgr_or_gray(pattern, order)
    if image.ndim != template.ndim:
        raise ArgumentError("The scene and the pattern must both be gray or both be in colour.")
    shape = (image.shape[0] - template.shape[0] + 1, image.shape[1] - template.shape[1] + 1)
    if min(shape) < 1:
        raise ArgumentError(f"The pattern of {template.shape[1]} x {template.shape[0]} pixels is larger than the scene "
                            f"of {image.shape[1]} x {image.shape[0]}.")
    form = p.GRAY8 if image.ndim == 2 else p.BGR8
    taken = None
    if mask is not None:
        taken = np.ascontiguousarray(np.asarray(mask) != 0, np.uint8)
        if taken.shape != template.shape[:2]:
            raise ArgumentError(f"The mask has the shape {np.shape(mask)}; it must be {template.shape[:2]}, as the "
                                "pattern.")
    usable = (out is not None and out.shape == shape and out.dtype == np.float32 and out.flags.c_contiguous
              and out.flags.writeable)
    result = out if usable and out is not None else np.empty(shape, np.float32)
    parameters = r.sized(r.TemplateMapParameters, method=method_number(method))
    run_operation(context, TEMPLATE_MAP, parameters, [(image, form), (template, form), (taken, p.GRAY8)],
                  [(result, p.GRAYF32)], backend=backend)
    return result


def cascade_text(cascade: Union[str, "os.PathLike[str]", bytes]) -> bytes:
    """The text of a classifier: bytes as they are, else a file's."""
    if isinstance(cascade, bytes):
        return cascade
    try:
        with open(cascade, "rb") as file:
            text = file.read(MOST_CASCADE_BYTES + 1)
    except OSError as error:
        raise FileError(f"The classifier '{os.fspath(cascade)}' cannot be read: {error.strerror}.", -105,
                        "VDT_E_FILE", error.errno or 0) from None
    if not 0 < len(text) <= MOST_CASCADE_BYTES:
        raise FileError(f"The classifier '{os.fspath(cascade)}' cannot be read: it has {len(text)} bytes or more.",
                        -105, "VDT_E_FILE")
    return text


def detect_items(
    context: "Context",
    gray: "npt.NDArray[np.uint8]",
    text: bytes,
    *,
    scale_factor: float,
    min_neighbors: int,
    min_size: Tuple[int, int],
    max_size: Tuple[int, int],
    backend: str = "auto",
) -> List[r.Item]:
    """The detections in the operation's order."""
    buffer = c.create_string_buffer(text, len(text))
    parameters = r.sized(
        r.CascadeParameters, cascade=c.addressof(buffer), cascade_bytes=len(text), scale_factor=scale_factor,
        min_neighbors=min_neighbors, min_w=min_size[0], min_h=min_size[1], max_w=max_size[0], max_h=max_size[1])
    room = 4096
    while True:
        items = (r.Item * room)()
        found = list_of(items, 0)
        code, _ = run_operation(context, CASCADE_DETECT, parameters, [(gray, p.GRAY8)], lists_out=[found],
                                backend=backend)
        if code != INCOMPLETE:
            return list(items[: found.count])
        room = int(found.needed)


def detect(
    context: "Context",
    screen: p.Picture,
    cascade: Union[str, "os.PathLike[str]", bytes],
    *,
    scale_factor: float = 1.1,
    min_neighbors: int = 3,
    min_size: Tuple[int, int] = (0, 0),
    max_size: Tuple[int, int] = (0, 0),
    order: str = "bgr",
    backend: str = "auto",
) -> List[Detection]:
    """What an OpenCV cascade detects; see Context.detect."""
    items = detect_items(context, gray_of(context, screen, order), cascade_text(cascade), scale_factor=scale_factor,
                         min_neighbors=min_neighbors, min_size=min_size, max_size=max_size, backend=backend)
    detections = [Detection(round(item.x), round(item.y), round(item.w), round(item.h), item.neighbors, item.score)
                  for item in items]
    return sorted(detections, key=lambda one: (-one.neighbors, -one.score, one.y, one.x, one.w))


class RawFeatures:
    """Keypoints as the library's records, with a row of 128 floats for each."""

    def __init__(self, records: Any, count: int, descriptors: "npt.NDArray[np.float32]", run: Run) -> None:
        self.records = records
        self.count = count
        self.descriptors = descriptors
        self.run = run


def raw_features(
    context: "Context",
    gray: "npt.NDArray[np.uint8]",
    mask: Optional["npt.NDArray[np.uint8]"] = None,
    *,
    most: int = 20000,
    octave_layers: int = 3,
    contrast_threshold: float = 0.04,
    edge_threshold: float = 10,
    sigma: float = 1.6,
    backend: str = "auto",
) -> RawFeatures:
    """SIFT of gray pixels: at most `most` keypoints, the strongest."""
    records = (r.KeypointRecord * most)()
    descriptors = np.empty((most, DESCRIPTOR_LENGTH), np.float32)
    found = list_of(records, 0)
    parameters = r.sized(r.FeaturesParameters, max_features=most, octave_layers=octave_layers,
                         contrast_threshold=contrast_threshold, edge_threshold=edge_threshold, sigma=sigma)
    _, run = run_operation(context, FEATURES, parameters, [(gray, p.GRAY8), (mask, p.GRAY8)],
                           [(descriptors, p.GRAYF32)], lists_out=[found], backend=backend)
    return RawFeatures(records, int(found.count), descriptors, run)


def features(
    context: "Context",
    picture: p.Picture,
    mask: Optional["npt.NDArray[Any]"] = None,
    *,
    most: int = 20000,
    order: str = "bgr",
    backend: str = "auto",
) -> Tuple[List[Keypoint], "npt.NDArray[np.float32]"]:
    """SIFT keypoints, the strongest first, and their descriptors; see Context.features."""
    if most < 1:
        raise ArgumentError(f"most is {most}; it must be at least 1.")
    gray = gray_of(context, picture, order)
    taken = None
    if mask is not None:
        taken = np.ascontiguousarray(np.asarray(mask) != 0, np.uint8)
        if taken.shape != gray.shape:
            raise ArgumentError(f"The mask has the shape {taken.shape}; it must be {gray.shape}, as the picture.")
    found = raw_features(context, gray, taken, most=most, backend=backend)
    keypoints = [Keypoint(one.x, one.y, one.size, one.angle, one.response, one.octave)
                 for one in found.records[: found.count]]
    return keypoints, found.descriptors[: found.count].copy()
