// Help for plugins written in C++; not part of the ABI. What ops.h asks of restore.
#ifndef VEDETTE_PLUGIN_CPP_RESTORE_CHECKS_HPP
#define VEDETTE_PLUGIN_CPP_RESTORE_CHECKS_HPP

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>

#include "check.hpp"
#include "fft_checks.hpp"

namespace vedette::plugin {

// Squares below each other and what is done with them.
struct RestoreRequest {
    uint32_t method = 0;
    uint32_t side = 0;
    uint32_t batch = 0;
    uint32_t iterations = 0;
    float epsilon = 0;  // positive
};

// What a valid question is about. Throws Failure.
inline RestoreRequest checked_restore(const vdt_query& query) {
    const auto& params = params_of<vdt_restore_params>(query);
    if (params.method < VDT_RESTORE_MIA_BLIND || params.method > VDT_RESTORE_RICHARDSON_LUCY)
        throw Failure(VDT_E_ARGUMENT, "restore: there is no method " + std::to_string(params.method) +
                                          "; it is MIA blind (1), MIA known (2) or Richardson-Lucy (3)");
    if (params.batch == 0) throw Failure(VDT_E_ARGUMENT, "restore: the batch must be at least 1");
    if (!(params.epsilon > 0) || !std::isfinite(params.epsilon))
        throw Failure(VDT_E_ARGUMENT, "restore: epsilon must be a positive, finite number");
    const bool blind = params.method == VDT_RESTORE_MIA_BLIND;
    if (query.input_count != 2 || query.output_count != (blind ? 2u : 1u))
        throw Failure(VDT_E_ARGUMENT, std::string("restore takes two inputs and, with this method, ") +
                                          (blind ? "two outputs" : "one output"));
    const vdt_image& first = *query.inputs[0];
    for (uint32_t index = 0; index < query.input_count + query.output_count; ++index) {
        const bool input = index < query.input_count;
        const vdt_image& image = input ? *query.inputs[index] : *query.outputs[index - query.input_count];
        if (image.format != VDT_FORMAT_GRAYF32)
            throw Failure(VDT_E_UNSUPPORTED_FORMAT, "restore: all images are GRAYF32");
        if (image.width != first.width || image.height != first.height)
            throw Failure(VDT_E_SIZE,
                          "restore: the point-spread function and the outputs have the size of the blurred image");
    }
    check_transform_side("restore", first.width);
    if (first.height != uint64_t{first.width} * params.batch)
        throw Failure(VDT_E_SIZE, "restore: " + std::to_string(params.batch) + " images of side " +
                                      std::to_string(first.width) + " below each other are not " +
                                      std::to_string(first.height) + " rows high");
    const double epsilon = std::clamp(params.epsilon, double{FLT_MIN}, double{FLT_MAX});
    return {params.method, first.width, params.batch, params.iterations, static_cast<float>(epsilon)};
}

}  // namespace vedette::plugin
#endif
