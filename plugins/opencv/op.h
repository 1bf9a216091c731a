// What an operation of this backend gives the plugin's glue, and what the glue gives it.
#pragma once

#include <vedette/plugin/plugin.h>

#include <cstdint>
#include <memory>
#include <vedette/plugin/cpp/guard.hpp>

namespace vedette::opencv {

using plugin::Failure;

struct Device {
    const vdt_host* host = nullptr;
};

// One operation made ready for one shape of input. The glue has checked before `run` that the call's images have the
// formats and sizes of the query, that their rows lie inside their buffers, that the parameters have their full size,
// and that nothing that is due is NULL.
class Plan {
public:
    virtual ~Plan() = default;
    // VDT_OK or VDT_INCOMPLETE; throws Failure or cv::Exception.
    virtual vdt_code run(const vdt_call& call) = 0;
};

// One operation.
struct OperationEntry {
    vdt_op op;
    std::uint32_t params_size;  // of its parameter struct
    // Numbers of images and lists that it takes; images: the least and the most.
    std::uint32_t least_inputs, most_inputs;
    std::uint32_t least_outputs, most_outputs;
    std::uint32_t lists_in, lists_out;
    // The general answer: bit masks of what inputs[0] and outputs[0] may be.
    std::uint64_t input_formats, output_formats;
    // Checks a query whose images and parameters are there; narrows the answer and fills determinism and tolerance.
    // Throws Failure with the code that says why the query cannot be done.
    void (*support)(const vdt_query& query, vdt_op_support& support);
    // After `support` accepted the query.
    std::unique_ptr<Plan> (*plan)(const Device& device, const vdt_query& query);
    // Bytes of an item of its input lists and of its output lists.
    std::uint32_t item_in = sizeof(vdt_item), item_out = sizeof(vdt_item);
};

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

// Marks an answer as bit for bit what ops.h says.
inline void promise_exact(vdt_op_support& support) {
    support.determinism = VDT_DETERMINISM_EXACT;
    support.tolerance = 0;
}
inline void promise_within(vdt_op_support& support, double tolerance) {
    support.determinism = VDT_DETERMINISM_TOLERANCE;
    support.tolerance = tolerance;
}

template <class Params>
const Params& params_of(const vdt_query& query) {
    return *static_cast<const Params*>(query.params);
}
template <class Params>
const Params& params_of(const vdt_call& call) {
    return *static_cast<const Params*>(call.params);
}

}  // namespace vedette::opencv
