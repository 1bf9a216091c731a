"""Where libvedette is, its functions with their types, and calls that raise.

The library is, in this order: the file named by ``VEDETTE_LIBRARY`` (a libvedette.so, or a folder with one); the one
that a wheel put into this package (``vedette/lib``); the one the system's loader finds (``libvedette.so.1``). ctypes
releases the global interpreter lock during every call, so other threads of Python run while the library works.
"""

from __future__ import annotations

import ctypes as c
import os
import threading
from typing import Any, List, Optional, Tuple

from . import _records as r
from .errors import LibraryNotFound, error_of

NAME = "libvedette.so.1"
MAJOR = 1

_P = c.POINTER
_HANDLE = c.c_void_p
_CODE = c.c_int32
_U32 = c.c_uint32
_ERROR = _P(r.ErrorRecord)

# Name, result, arguments. Functions with an error record are called through `call`.
_FUNCTIONS: List[Tuple[str, Any, List[Any]]] = [
    ("vdt_version", c.c_char_p, []),
    ("vdt_code_name", c.c_char_p, [_CODE]),
    ("vdt_context_create", _CODE, [_P(r.ContextOptions), _P(_HANDLE), _ERROR]),
    ("vdt_context_destroy", None, [_HANDLE]),
    ("vdt_backend_count", _U32, [_HANDLE]),
    ("vdt_backend_at", _CODE, [_HANDLE, _U32, _P(r.BackendInfo), _ERROR]),
    ("vdt_skipped_count", _U32, [_HANDLE]),
    ("vdt_skipped_at", _CODE, [_HANDLE, _U32, _P(r.SkippedInfo), _ERROR]),
    ("vdt_operation_name", c.c_char_p, [_U32]),
    ("vdt_set_preferable_backend", _CODE, [_HANDLE, c.c_char_p, _ERROR]),
    ("vdt_set_preferable_target", _CODE, [_HANDLE, c.c_int32, _ERROR]),
    ("vdt_screen_create", _CODE, [_HANDLE, _P(r.Pixels), _P(_HANDLE), _ERROR]),
    ("vdt_screen_from_file", _CODE, [_HANDLE, c.c_char_p, _P(_HANDLE), _ERROR]),
    ("vdt_screen_from_memory", _CODE, [_HANDLE, c.c_char_p, c.c_uint64, _P(_HANDLE), _ERROR]),
    ("vdt_screen_size", _CODE, [_HANDLE, _P(_U32), _P(_U32), _ERROR]),
    ("vdt_screen_destroy", None, [_HANDLE]),
    ("vdt_pixels_from_file", _CODE, [c.c_char_p, _P(r.Pixels), _ERROR]),
    ("vdt_pixels_free", None, [_P(r.Pixels)]),
    ("vdt_pixels_to_file", _CODE, [_P(r.Pixels), c.c_char_p, _ERROR]),
    ("vdt_pattern_create", _CODE, [_HANDLE, _P(r.Pixels), _P(_HANDLE), _ERROR]),
    ("vdt_pattern_from_file", _CODE, [_HANDLE, c.c_char_p, _P(_HANDLE), _ERROR]),
    ("vdt_pattern_from_memory", _CODE, [_HANDLE, c.c_char_p, c.c_uint64, _P(_HANDLE), _ERROR]),
    ("vdt_pattern_size", _CODE, [_HANDLE, _P(_U32), _P(_U32), _ERROR]),
    ("vdt_pattern_exclude", _CODE, [_HANDLE, _P(r.Rect), _U32, _ERROR]),
    ("vdt_pattern_destroy", None, [_HANDLE]),
    ("vdt_find_options_init", None, [_P(r.FindOptions)]),
    ("vdt_reason_text", c.c_char_p, [_U32]),
    ("vdt_find", _CODE,
     [_HANDLE, _HANDLE, _P(_HANDLE), _U32, _P(r.FindOptions), _P(_HANDLE), _ERROR]),
    ("vdt_result_match_count", _U32, [_HANDLE]),
    ("vdt_result_match", _CODE, [_HANDLE, _U32, _P(r.MatchRecord), _ERROR]),
    ("vdt_result_outcome", _CODE, [_HANDLE, _U32, _P(r.OutcomeRecord), _ERROR]),
    ("vdt_result_run", _CODE, [_HANDLE, _P(r.RunInfo), _ERROR]),
    ("vdt_result_destroy", None, [_HANDLE]),
    ("vdt_cancel_create", _CODE, [_P(_HANDLE), _ERROR]),
    ("vdt_cancel_set", None, [_HANDLE]),
    ("vdt_cancel_reset", None, [_HANDLE]),
    ("vdt_cancel_destroy", None, [_HANDLE]),
    ("vdt_result_annotate", _CODE, [_HANDLE, _HANDLE, c.c_char_p, _ERROR]),
    ("vdt_feature_options_init", None, [_P(r.FeatureOptions)]),
    ("vdt_find_by_features", _CODE,
     [_HANDLE, _HANDLE, _HANDLE, _P(r.FeatureOptions), _P(r.FeaturePlace), _P(r.RunInfo), _ERROR]),
    ("vdt_restore_options_init", None, [_P(r.RestoreOptions)]),
    ("vdt_restore", _CODE,
     [_HANDLE, _P(r.Pixels), _P(r.RestoreOptions), _P(r.Pixels), c.c_void_p, _P(r.RunInfo), _ERROR]),
    ("vdt_explain_start", _CODE, [_HANDLE, _U32, _ERROR]),
    ("vdt_explain_stop", _CODE, [_HANDLE, _P(c.c_char_p), _ERROR]),
    ("vdt_run_operation", _CODE,
     [_HANDLE, _U32, c.c_void_p, _P(_P(r.Image)), _U32, _P(_P(r.Image)), _U32, _P(_P(r.List)), _U32, _P(_P(r.List)),
      _U32, c.c_char_p, _P(r.RunInfo), _ERROR]),
]

_lock = threading.Lock()
_loaded: Optional[c.CDLL] = None


def candidates() -> List[str]:
    """The names under which the library is looked for, in order."""
    named = os.environ.get("VEDETTE_LIBRARY")
    if named:
        named = os.path.abspath(named)
        return [os.path.join(named, NAME) if os.path.isdir(named) else named]
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", NAME)
    return ([beside] if os.path.exists(beside) else []) + [NAME]


def _open() -> c.CDLL:
    reasons = []
    for name in candidates():
        try:
            loaded = c.CDLL(name)
        except OSError as error:
            reasons.append(str(error))
            continue
        for function, result, arguments in _FUNCTIONS:
            try:
                entry = getattr(loaded, function)
            except AttributeError:
                raise LibraryNotFound(f"{name} has no {function}: it is another library, or older than this package.")
            entry.restype = result
            entry.argtypes = arguments
        version = loaded.vdt_version().decode()
        if version.split(".")[0] != str(MAJOR):
            raise LibraryNotFound(f"{name} is version {version}; this package works with version {MAJOR}.")
        return loaded
    raise LibraryNotFound("libvedette cannot be loaded (" + "; ".join(reasons) + "). Install it, or set "
                          "VEDETTE_LIBRARY to the path of libvedette.so.")


def library() -> c.CDLL:
    """The library, loaded when it is first needed. Raises LibraryNotFound."""
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                _loaded = _open()
    return _loaded


def call(name: str, *arguments: Any) -> int:
    """Calls a function that ends with an error record; raises what it reports, else gives its code (0 or above)."""
    lib = library()
    error = r.sized(r.ErrorRecord)
    code: int = getattr(lib, name)(*arguments, c.byref(error))
    if code < 0:
        text = error.text.decode("utf-8", "replace")
        raise error_of(code, lib.vdt_code_name(code).decode(), text, error.native_code)
    return code


def text_of(value: Optional[bytes]) -> str:
    return "" if value is None else value.decode("utf-8", "replace")
