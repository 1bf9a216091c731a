#include "cascade_run.h"

namespace vedette::ops {

vdt_cascade_params params_for(const std::string& cascade) {
    vdt_cascade_params params{};
    params.struct_size = sizeof params;
    params.cascade = cascade.data();
    params.cascade_bytes = cascade.size();
    params.scale_factor = 1.2;
    params.min_neighbors = 2;
    return params;
}

Detection detect(const TestImage& image, const vdt_cascade_params& params) {
    TestList list(200000);
    Operation operation;
    operation.op = VDT_OP_CASCADE_DETECT;
    operation.params = &params;
    operation.inputs = {image.ptr()};
    operation.lists_out = {list.ptr()};
    const Outcome outcome = backend().run(operation);
    Detection detection{outcome.code, outcome.text, {}};
    if (VDT_IS_ERROR(outcome.code)) return detection;
    BOOST_CHECK(list.guards_intact());
    detection.items = list.items();
    return detection;
}

}  // namespace vedette::ops
