"""The records of vedette.h and the plugin headers that go over the C border, field by field.

Each begins with ``struct_size``, so that a library of another minor version knows which fields are there.
"""

from __future__ import annotations

import ctypes as c
from typing import Any, Type, TypeVar

T = TypeVar("T", bound=c.Structure)


def sized(record: Type[T], **fields: Any) -> T:
    """A record of zeros with its size and some fields set."""
    value = record(**fields)
    value.struct_size = c.sizeof(record)
    return value


class ErrorRecord(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("code", c.c_int32), ("native_code", c.c_int64), ("text", c.c_char * 240)]


class Rect(c.Structure):
    _fields_ = [("x", c.c_int32), ("y", c.c_int32), ("w", c.c_int32), ("h", c.c_int32)]


LogFunction = c.CFUNCTYPE(None, c.c_void_p, c.c_uint32, c.c_char_p)


class ContextOptions(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("threads", c.c_uint32),
        ("config_file", c.c_char_p),
        ("config_text", c.c_char_p),
        ("plugin_directory", c.c_char_p),
        ("log", LogFunction),
        ("log_user", c.c_void_p),
        ("log_level", c.c_uint32),
        ("reserved", c.c_uint32),
    ]


class BackendInfo(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("device_index", c.c_uint32),
        ("device_kind", c.c_uint32),
        ("quarantined", c.c_uint32),
        ("backend", c.c_char_p),
        ("plugin_version", c.c_char_p),
        ("description", c.c_char_p),
        ("device_name", c.c_char_p),
        ("device_uid", c.c_char_p),
        ("driver", c.c_char_p),
        ("library", c.c_char_p),
        ("operations", c.c_uint64),
    ]


class SkippedInfo(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("code", c.c_int32),
        ("backend", c.c_char_p),
        ("library", c.c_char_p),
        ("stage", c.c_char_p),
        ("reason", c.c_char_p),
    ]


class Pixels(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("format", c.c_uint32),
        ("width", c.c_uint32),
        ("height", c.c_uint32),
        ("stride", c.c_int64),
        ("bytes", c.c_uint64),
        ("data", c.c_void_p),
    ]


class FindOptions(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("color", c.c_uint32),
        ("threshold", c.c_double),
        ("floor", c.c_double),
        ("strictness", c.c_double),
        ("overlap", c.c_double),
        ("verify", c.c_uint32),
        ("all", c.c_uint32),
        ("max_results", c.c_uint32),
        ("exclude_count", c.c_uint32),
        ("region", Rect),
        ("exclude", c.POINTER(Rect)),
        ("scales", c.POINTER(c.c_double)),
        ("scale_count", c.c_uint32),
        ("fallbacks", c.c_uint32),
        ("time_limit", c.c_double),
        ("cancel", c.c_void_p),
        ("backend", c.c_char_p),
    ]


class FeatureOptions(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("reserved", c.c_uint32),
        ("ratio", c.c_double),
        ("reprojection", c.c_double),
        ("seed", c.c_uint64),
        ("backend", c.c_char_p),
    ]


class FeaturePlace(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("found", c.c_uint32),
        ("has_quad", c.c_uint32),
        ("pairs", c.c_uint32),
        ("inliers", c.c_uint32),
        ("pattern_keypoints", c.c_uint32),
        ("screen_keypoints", c.c_uint32),
        ("reserved", c.c_uint32),
        ("quad", c.c_double * 8),
        ("reason", c.c_char * 128),
    ]


class RestoreOptions(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("method", c.c_uint32),
        ("iterations", c.c_uint32),
        ("spread", c.c_uint32),
        ("spread_size", c.c_double),
        ("spread_angle", c.c_double),
        ("spread_weights", c.POINTER(c.c_double)),
        ("spread_width", c.c_uint32),
        ("spread_height", c.c_uint32),
        ("backend", c.c_char_p),
        ("progress", c.c_void_p),
        ("progress_user", c.c_void_p),
    ]


class MatchRecord(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("pattern", c.c_uint32),
        ("x", c.c_double),
        ("y", c.c_double),
        ("w", c.c_double),
        ("h", c.c_double),
        ("score", c.c_double),
        ("scale", c.c_double),
        ("residual", c.c_double),
        ("residual_limit", c.c_double),
        ("evidence", c.c_double),
        ("stage", c.c_uint32),
        ("reason", c.c_uint32),
        ("worst", Rect),
        ("quad", c.c_double * 8),
    ]


class OutcomeRecord(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("match_count", c.c_uint32),
        ("has_best", c.c_uint32),
        ("reason", c.c_uint32),
        ("margin", c.c_double),
        ("margin_is_bound", c.c_uint32),
        ("copies", c.c_uint32),
        ("best", MatchRecord),
    ]


class RunInfo(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("device_index", c.c_uint32),
        ("backend", c.c_char_p),
        ("device", c.c_char_p),
        ("variant", c.c_char_p),
        ("choice", c.c_char_p),
        ("predicted_ms", c.c_double),
        ("measured_ms", c.c_double),
    ]


class Plane(c.Structure):
    _fields_ = [("base", c.c_void_p), ("offset", c.c_uint64), ("row_stride", c.c_int64), ("bytes", c.c_uint64)]


class Image(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("format", c.c_uint32),
        ("width", c.c_uint32),
        ("height", c.c_uint32),
        ("memory", c.c_uint32),
        ("plane_count", c.c_uint32),
        ("flags", c.c_uint32),
        ("reserved", c.c_uint32),
        ("device", c.c_void_p),
        ("ready", c.c_void_p),
        ("resident", c.c_void_p),
        ("next", c.c_void_p),
        ("plane", Plane * 4),
    ]


class Item(c.Structure):
    _fields_ = [
        ("x", c.c_float),
        ("y", c.c_float),
        ("w", c.c_float),
        ("h", c.c_float),
        ("score", c.c_double),
        ("pattern", c.c_uint32),
        ("scale", c.c_uint32),
        ("neighbors", c.c_int32),
        ("flags", c.c_uint32),
    ]


class KeypointRecord(c.Structure):
    _fields_ = [
        ("x", c.c_float),
        ("y", c.c_float),
        ("size", c.c_float),
        ("angle", c.c_float),
        ("response", c.c_float),
        ("octave", c.c_int32),
    ]


class DescriptorMatch(c.Structure):
    _fields_ = [("query", c.c_uint32), ("train", c.c_uint32), ("distance", c.c_float), ("inlier", c.c_uint32)]


class List(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("item_size", c.c_uint32),
        ("capacity", c.c_uint64),
        ("count", c.c_uint64),
        ("needed", c.c_uint64),
        ("items", c.c_void_p),
    ]


class ConvertParameters(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("flags", c.c_uint32), ("scale", c.c_double), ("offset", c.c_double)]


class TemplateMapParameters(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("method", c.c_uint32)]


class CascadeParameters(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("flags", c.c_uint32),
        ("cascade", c.c_void_p),
        ("cascade_bytes", c.c_uint64),
        ("scale_factor", c.c_double),
        ("min_neighbors", c.c_int32),
        ("min_w", c.c_int32),
        ("min_h", c.c_int32),
        ("max_w", c.c_int32),
        ("max_h", c.c_int32),
        ("reserved", c.c_uint32),
    ]


class FeaturesParameters(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("max_features", c.c_uint32),
        ("octave_layers", c.c_uint32),
        ("flags", c.c_uint32),
        ("contrast_threshold", c.c_double),
        ("edge_threshold", c.c_double),
        ("sigma", c.c_double),
    ]


class FeatureMatchParameters(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("max_iterations", c.c_uint32),
        ("ratio", c.c_double),
        ("reprojection", c.c_double),
        ("seed", c.c_uint64),
    ]


class RestoreParameters(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32),
        ("method", c.c_uint32),
        ("iterations", c.c_uint32),
        ("batch", c.c_uint32),
        ("epsilon", c.c_double),
    ]
