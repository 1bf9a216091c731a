"""Pictures of Python as pixels for the library, in place where their layout allows it.

A picture is a numpy array (height x width, or x 1, 3 or 4 channels; 8 or 16 bit), anything with numpy's array
interface, a PIL image, the name of a file, or the bytes of an encoded file. Arrays are in the order of OpenCV (BGR,
BGRA) unless ``order`` says ``"rgb"``; PIL images carry their own order.
"""

from __future__ import annotations

import ctypes as c
import os
from typing import TYPE_CHECKING, Any, Optional, Tuple, Union

import numpy as np

from . import _records as r
from ._library import call, library
from .errors import ArgumentError

if TYPE_CHECKING:
    import numpy.typing as npt
    import PIL.Image

    Picture = Union[npt.NDArray[Any], PIL.Image.Image, str, "os.PathLike[str]", bytes, bytearray, memoryview]
else:
    Picture = Any

GRAY8, BGR8, BGRA8, RGB8, RGBA8, GRAY16, BGR16, BGRA16, RGB16, RGBA16, GRAYF32 = range(1, 12)
F64 = 17

_FORMATS = {
    (1, 1, "bgr"): GRAY8, (1, 1, "rgb"): GRAY8, (1, 3, "bgr"): BGR8, (1, 3, "rgb"): RGB8, (1, 4, "bgr"): BGRA8,
    (1, 4, "rgb"): RGBA8, (2, 1, "bgr"): GRAY16, (2, 1, "rgb"): GRAY16, (2, 3, "bgr"): BGR16, (2, 3, "rgb"): RGB16,
    (2, 4, "bgr"): BGRA16, (2, 4, "rgb"): RGBA16,
}
_CHANNELS = {GRAY8: 1, BGR8: 3, BGRA8: 4}


def is_pil(picture: Any) -> bool:
    return hasattr(picture, "convert") and hasattr(picture, "mode") and hasattr(picture, "size")


def encoded_bytes(picture: Any) -> Optional[bytes]:
    """The bytes of an encoded file in memory, or None when the picture is something else."""
    return bytes(picture) if isinstance(picture, (bytes, bytearray, memoryview)) else None


def file_name(picture: Any) -> Optional[bytes]:
    """The name of a file, or None when the picture is something else."""
    if not isinstance(picture, (str, os.PathLike)):
        return None
    name = os.fsencode(picture)
    if b"\0" in name:
        raise ArgumentError(f"The file name {picture!r} has a zero byte in it.")
    return name


def array_of_pil(image: Any) -> Tuple["npt.NDArray[Any]", str]:
    """A PIL image of any mode as an array and its order."""
    mode = image.mode
    if mode in ("L", "RGB", "RGBA"):
        return np.asarray(image), "rgb"
    if mode in ("LA", "PA", "La", "RGBa") or (mode == "P" and "transparency" in getattr(image, "info", {})):
        return np.asarray(image.convert("RGBA")), "rgb"
    if mode.startswith("I;16"):
        return np.asarray(image).astype(np.uint16, copy=False), "rgb"
    if mode == "I":  # what PIL makes of 16-bit files
        wide = np.asarray(image)
        if wide.size and 0 <= wide.min() and wide.max() <= 65535:
            return wide.astype(np.uint16), "rgb"
    if mode == "1":
        return np.asarray(image.convert("L")), "rgb"
    return np.asarray(image.convert("RGB")), "rgb"


def array_of(picture: Any, order: str = "bgr") -> Tuple["npt.NDArray[Any]", str]:
    """The pixels of a picture and their order, "bgr" or "rgb". Files are decoded by the library."""
    if order not in ("bgr", "rgb"):
        raise ArgumentError(f'order is {order!r}; it must be "bgr" or "rgb".')
    name = file_name(picture)
    if name is not None:
        return decoded_file(name), "bgr"
    if is_pil(picture):
        return array_of_pil(picture)
    if isinstance(picture, np.ndarray):
        return picture, order
    if hasattr(picture, "__array_interface__") or hasattr(picture, "__array__"):
        return np.asarray(picture), order
    if encoded_bytes(picture) is not None:
        raise ArgumentError("An encoded file in memory cannot be used here: give its name, or decode it first.")
    raise ArgumentError(f"A picture cannot be made of {type(picture).__name__}: give a numpy array, a PIL image, the "
                        "name of a file or the bytes of one.")


def decoded_file(name: bytes) -> "npt.NDArray[np.uint8]":
    """The pixels of an image file: gray, BGR or BGRA."""
    pixels = r.sized(r.Pixels)
    call("vdt_pixels_from_file", name, c.byref(pixels))
    try:
        channels = _CHANNELS[pixels.format]
        shape = (pixels.height, pixels.width) + ((channels,) if channels > 1 else ())
        strides = (pixels.stride, channels) + ((1,) if channels > 1 else ())
        block = (c.c_uint8 * pixels.bytes).from_address(pixels.data)
        return np.ndarray(shape, np.uint8, block, 0, strides).copy()
    finally:
        library().vdt_pixels_free(c.byref(pixels))


def _checked(array: "npt.NDArray[Any]") -> "npt.NDArray[Any]":
    if array.dtype == np.bool_:
        array = array.view(np.uint8) * np.uint8(255)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype not in (np.uint8, np.uint16):
        raise ArgumentError(f"The array has elements of {array.dtype}; pixels are uint8 or uint16.")
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (3, 4)):
        raise ArgumentError(f"The array has the shape {array.shape}; a picture is height x width, or height x width x "
                            "1, 3 or 4 channels.")
    if 0 in array.shape:
        raise ArgumentError(f"The array has the shape {array.shape}: there are no pixels in it.")
    return array


class PixelRecord:
    """A record for the C API and the array that owns its pixels; keep it while the call lasts."""

    def __init__(self, array: "npt.NDArray[Any]", order: str) -> None:
        array = _checked(array)
        size = array.itemsize
        channels = array.shape[2] if array.ndim == 3 else 1
        address = array.__array_interface__["data"][0]
        # Rows as they lie when the pixels of each row are together; the channels may be reversed, as in a[:, :, ::-1].
        backwards = channels == 3 and array.strides[2] == -size and array.strides[1] == 3 * size
        if backwards:
            address -= 2 * size
            order = "rgb" if order == "bgr" else "bgr"
        elif array.strides[1] != channels * size or (channels > 1 and array.strides[2] != size):
            array = np.ascontiguousarray(array)
            address = array.__array_interface__["data"][0]
        height, width = array.shape[:2]
        self.array = array
        self.record = r.sized(
            r.Pixels, format=_FORMATS[size, channels, order], width=min(width, 2**32 - 1),
            height=min(height, 2**32 - 1), stride=array.strides[0] if height > 1 else width * channels * size,
            bytes=(height - 1) * abs(array.strides[0]) + width * channels * size, data=address)


def image_view(array: "npt.NDArray[Any]", form: int) -> r.Image:
    """A view for vdt_run_operation of a C-contiguous row layout; the array must outlive it."""
    rows = array.shape[0]
    view = r.sized(r.Image, format=form, width=array.shape[1], height=rows, plane_count=1)
    view.plane[0].base = array.__array_interface__["data"][0]
    row = array.shape[1] * array.itemsize * (array.shape[2] if array.ndim == 3 else 1)
    stride = array.strides[0] if rows > 1 else row
    view.plane[0].row_stride = stride
    lowest = (rows - 1) * stride if stride < 0 else 0
    view.plane[0].base += lowest
    view.plane[0].offset = -lowest
    view.plane[0].bytes = (rows - 1) * abs(stride) + row
    return view


def rows_together(array: "npt.NDArray[Any]") -> "npt.NDArray[Any]":
    """The same array, or a copy where the pixels of a row do not lie together."""
    channels = array.shape[2] if array.ndim == 3 else 1
    good = array.strides[1] == channels * array.itemsize and (array.ndim == 2 or array.strides[2] == array.itemsize)
    return array if good else np.ascontiguousarray(array)


def bgr_or_gray(picture: Any, order: str = "bgr") -> "npt.NDArray[np.uint8]":
    """8-bit pixels without alpha, gray (2 dimensions) or BGR, each row's pixels together."""
    array, order = array_of(picture, order)
    array = _checked(array)
    if array.dtype == np.uint16:
        array = ((array.astype(np.uint32) + 128) // 257).astype(np.uint8)
    if array.ndim == 3:
        array = array[:, :, 2::-1] if order == "rgb" else array[:, :, :3]
    return rows_together(array)


def write_png(path: Any, picture: Any, order: str = "bgr") -> None:
    """Writes 8-bit pixels as a PNG file, which appears whole or not at all."""
    name = file_name(path)
    if name is None:
        raise ArgumentError(f"{path!r} is no file name.")
    array, order = array_of(picture, order)
    pixels = PixelRecord(array, order)
    call("vdt_pixels_to_file", c.byref(pixels.record), name)
