// features: SIFT. How: features/sift.h.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vedette/plugin/cpp/features_checks.hpp>

#include "features/sift.h"
#include "formats.h"
#include "kernels/per_isa.h"
#include "parallel.h"
#include "stages.h"

namespace vedette::cpu {

VEDETTE_CPU_KERNELS(SiftKernels, sift_kernels)

namespace {

using features::descriptor_length;

features::SiftParameters parameters_of(const vdt_features_params& params) {
    return {params.octave_layers, params.sigma};
}

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8);
    answer.output_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32);
    // The values are the same on every run, thread count and instruction set; against OpenCV a descriptor's number may
    // differ by a few of 255.
    answer.determinism = VDT_DETERMINISM_TOLERANCE;
    answer.tolerance = 8;
    if (query.input_count == 0) return;
    const auto& params = *static_cast<const vdt_features_params*>(query.params);
    plugin::check_features(params, features::most_octave_layers);
    plugin::check_features_images(query);
    answer.scratch_bytes =
        features::make_shape(parameters_of(params), query.inputs[0]->width, query.inputs[0]->height).bytes;
}

// Counted for screens: a keypoint on every 85 pixels (measured on 4K desktops).
void cost(const Device&, const vdt_query& query, vdt_cost& cost) {
    const auto& params = *static_cast<const vdt_features_params*>(query.params);
    const vdt_image& image = *query.inputs[0];
    constexpr double pixels_for_a_keypoint = 85;
    const double pixels = 4.0 * image.width * image.height;
    const double layers = params.octave_layers;
    const double step = std::pow(2, 1 / layers);
    // Products and sums of all blurs of a pixel: two passes, pairs of taps share a product.
    double taps = 0, widest = params.sigma;
    for (std::uint32_t layer = 1; layer < params.octave_layers + 3; ++layer) {
        widest = params.sigma * std::pow(step, layer - 1) * std::sqrt(step * step - 1);
        taps += 8 * widest + 2;
    }
    taps += 8 * params.sigma + 2;
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    double octave_pixels = pixels;
    for (double side = 2.0 * std::min(image.width, image.height); side > 10; side /= 2, octave_pixels /= 4) {
        const double all_layers = layers + 3;
        // Blur: each layer's rows are read and written once beyond the first caches.
        add_loop(cost, octave_pixels * taps * 3, 2 * 8 * widest, octave_pixels, octave_pixels * all_layers * 8,
                 octave_pixels * taps * 2);
        // Search: each layer read once; the 26 neighbours of few pixels.
        add_loop(cost, octave_pixels * layers * 4, 26, octave_pixels, octave_pixels * all_layers * 4,
                 octave_pixels * all_layers);
    }
    const double keypoints = pixels / 4 / pixels_for_a_keypoint;
    const double samples = 37.0 * 37.0;  // of a descriptor; the directions have half as many
    add_loop(cost, keypoints * samples * (70 + 20), samples, keypoints, keypoints * samples * 4,
             keypoints * samples * 14);
    // Bands of 2^19 pixels (or what is left): a fork and join for every layer, the search, directions and descriptors.
    const double bands = std::max(1.0, pixels * 4 / 3 / (1 << 19));
    cost.launches = static_cast<std::uint32_t>(std::min(1e9, bands * (layers + 6)));
    cost.scratch_bytes = static_cast<std::uint64_t>(pixels * 4 / 3);
}

class FeaturesPlan final : public Plan {
public:
    FeaturesPlan(const Device& device, const vdt_query& query)
        : device_(device),
          sift_(device, select_sift_kernels(device.isa),
                parameters_of(*static_cast<const vdt_features_params*>(query.params)), query.inputs[0]->width,
                query.inputs[0]->height),
          parameters_(parameters_of(*static_cast<const vdt_features_params*>(query.params))) {}

    vdt_code run(const vdt_call& call) override {
        const auto& params = *static_cast<const vdt_features_params*>(call.params);
        plugin::check_features(params, features::most_octave_layers);
        if (params.octave_layers != parameters_.octave_layers || params.sigma != parameters_.sigma)
            throw Failure(VDT_E_ARGUMENT, "features: octave_layers or sigma differ from what the plan was made for");
        if (call.list_in_count != 0 || call.list_out_count != 1)
            throw Failure(VDT_E_ARGUMENT, "features gives one list, of keypoints");
        vdt_list& list = *call.lists_out[0];
        if (list.capacity != 0 && list.item_size < sizeof(vdt_keypoint))
            throw Failure(VDT_E_ARGUMENT, "features: the list's items are smaller than a keypoint");
        list.count = 0;
        list.needed = 0;
        const vdt_image& descriptors = *call.outputs[0];
        const std::uint64_t asked = params.max_features != 0 ? params.max_features : UINT64_MAX;
        const std::uint64_t room = std::min<std::uint64_t>(list.capacity, descriptors.height);
        const vdt_image* const mask = call.inputs[1]->format == VDT_FORMAT_NONE ? nullptr : call.inputs[1];
        features::Strongest& found =
            sift_.run(*call.inputs[0], mask, {params.contrast_threshold, params.edge_threshold}, std::min(asked, room),
                      call.token);
        const std::vector<std::uint32_t>& slots = found.finish();
        constexpr std::uint32_t grain = 256;
        parallel_for(device_, call.token, 0, static_cast<std::uint32_t>(slots.size()), grain,
                     [&](std::uint32_t first, std::uint32_t last, std::uint32_t) {
                         for (std::uint32_t i = first; i < last; ++i) {
                             std::memcpy(static_cast<unsigned char*>(list.items) + std::size_t{i} * list.item_size,
                                         &found.keypoint(slots[i]), sizeof(vdt_keypoint));
                             const std::uint8_t* const descriptor = found.descriptor(slots[i]);
                             float* const row = row_of<float>(descriptors, 0, i);
                             for (std::uint32_t k = 0; k < descriptor_length; ++k) row[k] = descriptor[k];
                         }
                     });
        list.count = slots.size();
        list.needed = std::min(asked, found.offered());
        return list.needed > list.count ? VDT_INCOMPLETE : VDT_OK;
    }

private:
    const Device& device_;
    features::Sift sift_;
    features::SiftParameters parameters_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<FeaturesPlan>(device, query);
}

constexpr const char* variants[] = {"banded"};

}  // namespace

const OperationEntry features_operation = {VDT_OP_FEATURES, variants, 1, support, cost, plan};

}  // namespace vedette::cpu
