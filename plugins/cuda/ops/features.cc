// features: SIFT. How: cuda/kernels/sift.h.
#include <kernels/sift.h>

#include <vedette/plugin/cpp/check.hpp>
#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/features_checks.hpp>
#include <vedette/plugin/cpp/list.hpp>
#include <vedette/plugin/cpp/loop.hpp>

#include "operands.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace vedette::cuda_plugin {

namespace {

constexpr double pixels_for_a_keypoint = 85;  // measured on 4K desktops
// Room for extrema to begin with, in pixels for each; a call that finds more makes more.
constexpr std::uint64_t pixels_for_an_extremum = 16;

void check_images(const vdt_query& query) {
    plugin::check_features_images(query);
    const vdt_image& image = *query.inputs[0];
    if (std::max(image.width, image.height) > cuda::widest_sift_image)
        throw Failure(VDT_E_UNSUPPORTED_SIZE, "features: an image of " + plugin::size_text(image.width, image.height) +
                                                  " pixels is too large; " + std::to_string(cuda::widest_sift_image) +
                                                  " a side is the most here");
}

cuda::SiftShape shape_of(const vdt_query& query) {
    const auto& params = plugin::params_of<vdt_features_params>(query);
    return cuda::sift_shape(params.octave_layers, params.sigma, query.inputs[0]->width, query.inputs[0]->height);
}

std::uint32_t power_of_two(std::uint64_t least) {
    std::uint64_t power = 1024;
    while (power < least) power *= 2;
    if (power > 1u << 31) throw Failure(VDT_E_OUT_OF_MEMORY, "features: there are too many keypoints");
    return static_cast<std::uint32_t>(power);
}

std::uint32_t first_room(std::uint32_t width, std::uint32_t height) {
    return static_cast<std::uint32_t>(
        std::max<std::uint64_t>(std::uint64_t{width} * height / pixels_for_an_extremum, 4096));
}

std::uint64_t scratch_bytes(const vdt_query& query, const cuda::SiftShape& shape) {
    const std::uint64_t room = first_room(query.inputs[0]->width, query.inputs[0]->height);
    return sizeof(float) * (shape.layer_floats + 2 * shape.enlarged_floats + shape.weights) +
           room * (sizeof(cuda::SiftExtremum) + sizeof(cuda::SiftPlace) + 2 * sizeof(cuda::SiftKeypoint) + 8) +
           std::uint64_t{power_of_two(room + room / 2)} * 8 + std::uint64_t{power_of_two(room)} * 16;
}

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8);
    answer.output_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32);
    // The values are the same on every run; against OpenCV a descriptor's number may differ by a few of 255.
    answer.determinism = VDT_DETERMINISM_TOLERANCE;
    answer.tolerance = 8;
    if (query.input_count == 0) return;
    plugin::check_features(plugin::params_of<vdt_features_params>(query), cuda::most_octave_layers);
    check_images(query);
    answer.scratch_bytes = scratch_bytes(query, shape_of(query));
}

void cost(const Device&, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& image = *query.inputs[0];
    const cuda::SiftShape shape = shape_of(query);
    const double layers = shape.space.octave_layers, all_layers = layers + 3;
    double taps = 0;
    for (const std::vector<float>& blur : shape.blurs) taps += 2.0 * (2.0 * static_cast<double>(blur.size()) - 1);
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    const auto add = [&](double work, double span, double width, double bytes, double shared) {
        vdt_cost_stage stage{};
        stage.work = work;
        stage.span = span;
        stage.width = width;
        stage.divergence = 1;
        stage.global_bytes = bytes;
        stage.global_refs = bytes / 128;
        stage.shared_refs = shared;
        plugin::add_stage(cost, stage);
    };
    for (int index = 0; index < shape.space.octaves; ++index) {
        const cuda::SiftOctave& octave = shape.space.octave[index];
        const double pixels = static_cast<double>(octave.width) * octave.height;
        const double made = index == 0 ? all_layers : all_layers - 1;
        // Blurs follow each other; a thread sums 16 pixels downwards, then about as many across.
        add(pixels * taps, 16 * taps, pixels / 16, pixels * 4 * 2 * made, pixels * made * 10);
        add(pixels * layers * 4, layers * 10, pixels, pixels * 4 * all_layers, 0);
        cost.launches += static_cast<std::uint32_t>(made) + 1;
    }
    const double keypoints = static_cast<double>(image.width) * image.height / pixels_for_a_keypoint;
    constexpr double direction_samples = 27 * 27, samples = 1800;
    add(keypoints * 4 * 200, 5 * 200, keypoints * 4, keypoints * 4 * 36 * 32, 0);
    add(keypoints * direction_samples * 40, direction_samples / 32 * 40, keypoints * 32,
        keypoints * direction_samples * 8, keypoints * direction_samples * 2);
    const double steps = std::log2(std::max(keypoints, 2.0));
    add(keypoints * steps * steps * 5, steps * steps * 5, keypoints / 2, keypoints * 32 * steps, 0);
    add(keypoints * samples * 90, samples / 32 * 90, keypoints * 32, keypoints * (samples * 8 + 512),
        keypoints * samples * 16);
    // Refinement, directions, one step in memory for each distance above a block's, ranks, descriptors.
    const double far = std::max(0.0, std::ceil(steps) - 10);
    cost.launches += 4 + static_cast<std::uint32_t>(far * (far + 1) / 2 + far + 1);
    constexpr double descriptor_bytes = 128 * sizeof(float);
    cost.bytes_to_host = keypoints * (sizeof(vdt_keypoint) + descriptor_bytes);
    cost.scratch_bytes = scratch_bytes(query, shape);
    cost.shared_bytes = 32 * 1024;
}

class FeaturesPlan final : public Plan {
public:
    FeaturesPlan(const Device& device, const vdt_query& query)
        : device_(device),
          operands_(device),
          octave_layers_(plugin::params_of<vdt_features_params>(query).octave_layers),
          sigma_(plugin::params_of<vdt_features_params>(query).sigma),
          shape_(shape_of(query)),
          counts_(device.cuda.memory, 1),
          host_counts_(device.cuda.pinned, 1) {
        if (shape_.space.octaves == 0) return;
        layers_ = cuda::Block<float>(device.cuda.memory, shape_.layer_floats);
        if (shape_.enlarged_floats != 0) scratch_ = cuda::Block<float>(device.cuda.memory, shape_.enlarged_floats);
        weights_ = cuda::Block<float>(device.cuda.memory, shape_.weights);
        std::vector<float> weights;
        for (const std::vector<float>& blur : shape_.blurs) weights.insert(weights.end(), blur.begin(), blur.end());
        cuda::check(cudaMemcpy(weights_.data(), weights.data(), weights.size() * sizeof(float), cudaMemcpyHostToDevice),
                    "copying weights to the device");
        space_ = shape_.space;
        cuda::place_layers(space_, layers_.data());
        make_room(first_room(query.inputs[0]->width, query.inputs[0]->height),
                  first_room(query.inputs[0]->width, query.inputs[0]->height));
        cuda::prepare_sift();
    }

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_features_params>(call);
        plugin::check_features(params, cuda::most_octave_layers);
        if (params.octave_layers != octave_layers_ || params.sigma != sigma_)
            throw Failure(VDT_E_ARGUMENT, "features: octave_layers or sigma differ from what the plan was made for");
        plugin::ListWriter<vdt_keypoint> list(*call.lists_out[0]);
        plugin::throw_if_cancelled(*device_.host, call.token);
        Operands::Call running(operands_, call);
        const cuda::View<float> descriptors = operands_.output(0).view<float>();
        const std::uint32_t found = space_.octaves == 0 ? 0 : find(call, params, running);
        plugin::throw_if_cancelled(*device_.host, call.token);

        const std::uint32_t asked =
            params.max_features != 0 ? std::min<std::uint32_t>(params.max_features, found) : found;
        const auto wanted = static_cast<std::uint32_t>(
            std::min({std::uint64_t{asked}, call.lists_out[0]->capacity, std::uint64_t{call.outputs[0]->height}}));
        operands_.keep_rows(0, wanted);
        if (wanted != 0) {
            if (keypoints_.size() < wanted) keypoints_ = cuda::Block<cuda::SiftKeypoint>(device_.cuda.pinned, wanted);
            cuda::order_sift_keypoints(lists_, found, wanted, operands_.stream());
            cuda::describe_sift_keypoints(space_, lists_, found, wanted, descriptors, operands_.stream());
            cuda::check(cudaMemcpyAsync(keypoints_.data(), lists_.ordered, wanted * sizeof(cuda::SiftKeypoint),
                                        cudaMemcpyDeviceToHost, operands_.stream()),
                        "copying keypoints from the device");
            running.wait();
        }
        running.finish();
        list.count_found(asked);
        static_assert(sizeof(vdt_keypoint) == sizeof(cuda::SiftKeypoint));
        for (std::uint32_t i = 0; i < wanted; ++i) {
            vdt_keypoint keypoint;
            std::memcpy(&keypoint, keypoints_.data() + i, sizeof keypoint);
            list.write(keypoint);
        }
        const vdt_code code = list.finish();
        return wanted < asked ? VDT_INCOMPLETE : code;
    }

private:
    // Finds the keypoints, without order and descriptors; returns how many.
    std::uint32_t find(const vdt_call& call, const vdt_features_params& params, Operands::Call& running) {
        const cudaStream_t stream = operands_.stream();
        const int multiprocessors = device_.cuda.limits.multiprocessors;
        const auto image = operands_.input(0).view<const std::uint8_t>();
        cuda::View<const std::uint8_t> mask;
        if (call.inputs[1]->format != VDT_FORMAT_NONE) mask = operands_.input(1).view<const std::uint8_t>();
        const cuda::SiftTests tests =
            cuda::sift_tests(params.contrast_threshold, params.edge_threshold, params.octave_layers);
        cuda::build_sift_space(image, shape_, space_, scratch_.data(), weights_.data(), stream);
        for (;;) {
            cuda::check(cudaMemsetAsync(lists_.counts, 0, sizeof(cuda::SiftCounts), stream), "clearing memory");
            cuda::check(cudaMemsetAsync(lists_.known, 0, std::size_t{lists_.known_slots} * 8, stream),
                        "clearing memory");
            cuda::find_sift_places(space_, tests, lists_, multiprocessors, stream);
            cuda::find_sift_directions(space_, mask, lists_, multiprocessors, stream);
            cuda::check(cudaMemcpyAsync(host_counts_.data(), lists_.counts, sizeof(cuda::SiftCounts),
                                        cudaMemcpyDeviceToHost, stream),
                        "copying counts from the device");
            running.wait();
            const cuda::SiftCounts& counts = *host_counts_.data();
            if (counts.extrema <= lists_.place_room && counts.keypoints <= lists_.keypoint_room)
                return counts.keypoints;
            plugin::throw_if_cancelled(*device_.host, call.token);
            make_room(std::max(counts.extrema, lists_.place_room), std::max(counts.keypoints, lists_.keypoint_room));
        }
    }

    template <class T>
    T* grown(cuda::Block<T>& block, std::size_t count) {
        return cuda::make_room(block, device_.cuda.memory, count, operands_.stream());
    }

    void make_room(std::uint32_t places, std::uint32_t keypoints) {
        lists_.counts = counts_.data();
        lists_.place_room = places;
        lists_.keypoint_room = keypoints;
        lists_.known_slots = power_of_two(std::uint64_t{places} + places / 2);
        lists_.order_slots = power_of_two(keypoints);
        lists_.extrema = grown(extrema_, places);
        lists_.places = grown(places_, places);
        lists_.known = grown(known_, lists_.known_slots);
        lists_.keypoints = grown(found_, keypoints);
        lists_.place_of = grown(place_of_, keypoints);
        lists_.rank = grown(rank_, keypoints);
        lists_.order = grown(order_, lists_.order_slots);
        lists_.ordered = grown(ordered_, keypoints);
    }

    const Device& device_;
    Operands operands_;
    std::uint32_t octave_layers_;
    double sigma_;
    cuda::SiftShape shape_;
    cuda::SiftSpace space_;
    cuda::SiftLists lists_;
    cuda::Block<cuda::SiftCounts> counts_, host_counts_;
    cuda::Block<float> layers_, scratch_, weights_;
    cuda::Block<cuda::SiftExtremum> extrema_;
    cuda::Block<cuda::SiftPlace> places_;
    cuda::Block<unsigned long long> known_;
    cuda::Block<cuda::SiftKeypoint> found_, ordered_, keypoints_;
    cuda::Block<std::uint32_t> place_of_, rank_;
    cuda::Block<uint4> order_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<FeaturesPlan>(device, query);
}

constexpr const char* variants[] = {"whole layers"};

}  // namespace

const Operation features_operation = {VDT_OP_FEATURES, variants, 1, support, cost, plan};

}  // namespace vedette::cuda_plugin
