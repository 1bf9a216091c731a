#include "cascade_run.h"

#include <algorithm>

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

namespace {

Detection detect(const TestImage& image, const vdt_cascade_params& params, std::uint32_t variant,
                 std::uint32_t& variants, Limit* limit = nullptr) {
    TestList list(200000);
    Operation operation;
    operation.op = VDT_OP_CASCADE_DETECT;
    operation.variant = variant;
    operation.params = &params;
    operation.inputs = {image.ptr()};
    operation.lists_out = {list.ptr()};
    operation.limit = limit;
    const Outcome outcome = backend().run(operation);
    Detection detection{outcome.code, outcome.text, {}};
    if (VDT_IS_ERROR(outcome.code)) return detection;
    variants = outcome.support.variant_count;
    BOOST_CHECK(list.guards_intact());
    detection.items = list.items();
    return detection;
}

bool same(const vdt_item& a, const vdt_item& b) {
    return a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h && a.score == b.score && a.neighbors == b.neighbors;
}

}  // namespace

Detection detect(const TestImage& image, const vdt_cascade_params& params) {
    std::uint32_t variants = 1;
    const Detection detection = detect(image, params, 0, variants);
    for (std::uint32_t variant = 1; variant < variants; ++variant) {
        const Detection other = detect(image, params, variant, variants);
        BOOST_CHECK_EQUAL(other.code, detection.code);
        BOOST_CHECK_MESSAGE(
            std::equal(detection.items.begin(), detection.items.end(), other.items.begin(), other.items.end(), same),
            "variant " << variant << " finds something else");
    }
    return detection;
}

Detection detect_until(const TestImage& image, const vdt_cascade_params& params, Limit& limit) {
    std::uint32_t variants = 1;
    return detect(image, params, 0, variants, &limit);
}

}  // namespace vedette::ops
