// What an operation of this backend gives the plugin's glue, and what the glue gives it.
#pragma once

#include <cstdint>
#include <memory>
#include <vedette/plugin/cpp/operation_entries.hpp>

namespace vedette::opencv {

using plugin::Failure;

struct Device {
    const vdt_host* host = nullptr;
};

using OperationEntry = plugin::Operation<Device>;
using plugin::check_count;
using plugin::check_finite;
using plugin::check_format;
using plugin::params_of;
using plugin::Plan;  // here `run` may throw cv::Exception too
using plugin::promise_exact;
using plugin::promise_within;

// Pixels of the largest image: OpenCV counts the elements of an image in int.
constexpr std::uint64_t max_pixels = std::uint64_t{1} << 29;

// Every operation is done in one way.
inline constexpr const char* variants[] = {"reference"};

extern const OperationEntry convert_operation;
extern const OperationEntry resize_operation;
extern const OperationEntry integral_operation;
extern const OperationEntry filter_operation;
extern const OperationEntry pyramid_operation;
extern const OperationEntry fft2_operation;
extern const OperationEntry restore_operation;
extern const OperationEntry template_map_operation;
extern const OperationEntry template_find_operation;
#ifdef VEDETTE_OPENCV_CASCADE
extern const OperationEntry group_operation;
extern const OperationEntry cascade_detect_operation;
#endif
#ifdef VEDETTE_OPENCV_FEATURES
extern const OperationEntry features_operation;
extern const OperationEntry feature_match_operation;
#endif

}  // namespace vedette::opencv
