// features: SIFT. All on the device, with two read-backs: how many keypoints there are, then the strongest with their
// descriptors. How: kernels/features_*.cl. [Xu and Wang, J. Computer Applications 2016: SIFT in OpenCL]
#include <vedette/plugin/cpp/check.hpp>
#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/features_checks.hpp>
#include <vedette/plugin/cpp/list.hpp>
#include <vedette/plugin/cpp/loop.hpp>

#include "features_space.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace vedette::opencl {

namespace {

constexpr double pixels_for_a_keypoint = 85;  // measured on 4K desktops
// Room for extrema to begin with, in pixels for each; a call that finds more makes more.
constexpr std::uint64_t pixels_for_an_extremum = 16;
constexpr std::int32_t border = 5;  // as BORDER of the kernels
constexpr std::size_t most_sort_items = 256;

// As the kernels' records.
struct Extremum {
    std::uint16_t x, y, octave, layer;
};
struct Place {
    std::uint16_t x, y, octave, layer;
    float x_offset, y_offset, layer_offset, response;
};
static_assert(sizeof(Extremum) == 8 && sizeof(Place) == 24 && sizeof(vdt_keypoint) == 24);

struct SortRecord {
    std::uint32_t words[4];
};

SiftShape shape_of(const vdt_query& query) {
    const auto& params = plugin::params_of<vdt_features_params>(query);
    return sift_shape(params.octave_layers, params.sigma, query.inputs[0]->width, query.inputs[0]->height);
}

std::uint32_t power_of_two(std::uint64_t least) {
    if (least > 1u << 30) throw Failure(VDT_E_OUT_OF_MEMORY, "features: there are too many keypoints");
    return static_cast<std::uint32_t>(std::bit_ceil(std::max<std::uint64_t>(least, 1024)));
}

std::uint32_t first_room(std::uint32_t width, std::uint32_t height) {
    return static_cast<std::uint32_t>(
        std::max<std::uint64_t>(std::uint64_t{width} * height / pixels_for_an_extremum, 4096));
}

std::uint32_t known_slots(std::uint32_t places) {
    return power_of_two(std::uint64_t{places} + places / 2);
}

std::uint64_t scratch_bytes(const vdt_query& query, const SiftShape& shape) {
    const std::uint64_t room = first_room(query.inputs[0]->width, query.inputs[0]->height);
    return sizeof(float) * std::uint64_t{shape.floats} +
           room * (sizeof(Extremum) + sizeof(Place) + 2 * sizeof(vdt_keypoint) + 8) +
           std::uint64_t{known_slots(static_cast<std::uint32_t>(room))} * 4 + std::uint64_t{power_of_two(room)} * 16;
}

void support(const Device& device, const vdt_query& query, vdt_op_support& answer) {
    answer.input_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAY8);
    answer.output_formats = VDT_FORMAT_BIT(VDT_FORMAT_GRAYF32);
    // The values are the same on every run; against OpenCV a descriptor's number may differ by a few of 255.
    answer.determinism = VDT_DETERMINISM_TOLERANCE;
    answer.tolerance = 8;
    if (query.input_count == 0) return;
    plugin::check_features(plugin::params_of<vdt_features_params>(query), most_octave_layers);
    plugin::check_features_images(query);
    const vdt_image& image = *query.inputs[0];
    const auto refuse = [&](const std::string& why) {
        throw Failure(VDT_E_UNSUPPORTED_SIZE, "features: an image of " + plugin::size_text(image.width, image.height) +
                                                  " pixels is too large; " + why);
    };
    if (std::max(image.width, image.height) > widest_sift_image)
        refuse(std::to_string(widest_sift_image) + " a side is the most here");
    const SiftShape shape = shape_of(query);
    if (shape.floats > device.limits().largest_allocation / sizeof(float))
        refuse("its layers take " + std::to_string(shape.floats * sizeof(float)) + " bytes, this device allows " +
               std::to_string(device.limits().largest_allocation));
    answer.scratch_bytes = scratch_bytes(query, shape);
}

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const vdt_image& image = *query.inputs[0];
    const SiftShape shape = shape_of(query);
    const SiftForm form = sift_form(device.limits());
    const double layers = shape.octave_layers, all_layers = shape.layers();
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
        stage.global_refs = bytes / transaction_bytes;
        stage.shared_refs = shared;
        plugin::add_stage(cost, stage);
    };
    for (std::size_t index = 0; index < shape.octaves.size(); ++index) {
        const double pixels = static_cast<double>(shape.octaves[index].width) * shape.octaves[index].height;
        const double made = index == 0 ? all_layers : all_layers - 1;
        add(pixels * taps, form.vector * taps, pixels / form.vector, pixels * 4 * 2 * made, pixels * made * 10);
        add(pixels * layers * 4, layers * 10, pixels / form.vector, pixels * 4 * all_layers, 0);
        cost.launches += static_cast<std::uint32_t>(all_layers) + 2;
    }
    const double keypoints = static_cast<double>(image.width) * image.height / pixels_for_a_keypoint;
    constexpr double direction_samples = 27 * 27, samples = 1800;
    add(keypoints * 4 * 200, 5 * 200, keypoints * 4, keypoints * 4 * 36 * 32, 0);
    add(keypoints * direction_samples * 40, direction_samples / form.lanes * 40, keypoints * form.lanes,
        keypoints * direction_samples * 8, keypoints * direction_samples * 2);
    const double steps = std::log2(std::max(keypoints, 2.0));
    add(keypoints * steps * steps * 5, steps * steps * 5, keypoints / 2, keypoints * 32 * steps, 0);
    add(keypoints * samples * 90, samples / form.lanes * 90, keypoints * form.lanes, keypoints * (samples * 8 + 512),
        keypoints * samples * 16);
    // Places, which are distinct, directions, one step in memory for each distance above a piece's, descriptors.
    const double far = std::max(0.0, std::ceil(steps) - 9);
    cost.launches += 4 + static_cast<std::uint32_t>(far * (far + 1) / 2 + far + 1);
    constexpr double descriptor_bytes = 128 * sizeof(float);
    cost.bytes_to_host = keypoints * (sizeof(vdt_keypoint) + descriptor_bytes);
    cost.scratch_bytes = scratch_bytes(query, shape);
    cost.shared_bytes = 16 * 1024;
}

class FeaturesPlan final : public Plan {
public:
    FeaturesPlan(const Device& device, const vdt_query& query)
        : device_(device),
          operands_(device),
          sigma_(plugin::params_of<vdt_features_params>(query).sigma),
          shape_(shape_of(query)),
          form_(sift_form(device.limits())) {
        if (shape_.octaves.empty()) return;
        space_ = std::make_unique<SiftSpace>(device, shape_, form_);
        const std::string defines = form_.defines(shape_);
        extrema_ = device.programs.kernel("features_points", "extrema", defines);
        places_of_ = device.programs.kernel("features_points", "places", defines);
        distinct_ = device.programs.kernel("features_points", "distinct", defines);
        directions_ = device.programs.kernel("features_directions", "directions", defines);
        describe_ =
            device.programs.kernel(form_.rows ? "features_describe_alone" : "features_describe", "describe", defines);
        for (sort_items_ = most_sort_items; sort_items_ > 1; sort_items_ /= 2) {
            const std::string piece = defines + " -D PIECE=" + std::to_string(2 * sort_items_);
            sort_pieces_ = device.programs.kernel("features_order", "sort_pieces", piece);
            sort_far_ = device.programs.kernel("features_order", "sort_far", piece);
            if (form_.rows) rank_ = device.programs.kernel("features_order", "rank", piece);
            if (sort_pieces_.group_size() >= sort_items_) break;
        }
        counts_ = device.buffer<std::uint32_t>(3);
        const std::uint32_t room = first_room(query.inputs[0]->width, query.inputs[0]->height);
        make_room(room, room);
    }

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_features_params>(call);
        plugin::check_features(params, most_octave_layers);
        if (params.octave_layers != shape_.octave_layers || params.sigma != sigma_)
            throw Failure(VDT_E_ARGUMENT, "features: octave_layers or sigma differ from what the plan was made for");
        plugin::ListWriter<vdt_keypoint> list(*call.lists_out[0]);
        plugin::throw_if_cancelled(*device_.host, call.token);
        Operands::Call running(operands_, call);
        const DeviceImage descriptors = operands_.output(0);
        const std::uint32_t found = space_ == nullptr ? 0 : find(call, params);
        plugin::throw_if_cancelled(*device_.host, call.token);

        const std::uint32_t asked = params.max_features != 0 ? std::min(params.max_features, found) : found;
        const auto wanted = static_cast<std::uint32_t>(
            std::min({std::uint64_t{asked}, call.lists_out[0]->capacity, std::uint64_t{call.outputs[0]->height}}));
        operands_.keep_rows(0, wanted);
        if (wanted != 0) {
            order(found);
            describe(found, wanted, descriptors);
            if (host_keypoints_.size() < wanted) host_keypoints_.resize(wanted);
            read(operands_.queue(), ordered_, host_keypoints_.data(), wanted, cl::queued);
        }
        running.finish();
        if (call.stream != nullptr) running.wait();  // the list is written here
        list.count_found(asked);
        for (std::uint32_t index = 0; index < wanted; ++index) list.write(host_keypoints_[index]);
        const vdt_code code = list.finish();
        return wanted < asked ? VDT_INCOMPLETE : code;
    }

private:
    // Finds the keypoints, without order and descriptors; returns how many.
    std::uint32_t find(const vdt_call& call, const vdt_features_params& params) {
        const cl::Queue queue = operands_.queue();
        const DeviceImage image = operands_.input(0);
        space_->build(queue, image);
        // A kernel without mask still takes an image in its place.
        const bool masked = call.inputs[1]->format != VDT_FORMAT_NONE;
        const DeviceImage mask = masked ? operands_.input(1) : image;
        for (;;) {
            search(params, mask, masked);
            std::array<std::uint32_t, 3> counts{};
            read(queue, counts_, counts.data(), counts.size());
            if (counts[0] <= place_room_ && counts[2] <= keypoint_room_) return counts[2];
            plugin::throw_if_cancelled(*device_.host, call.token);
            make_room(std::max(counts[0], place_room_), std::max(counts[2], keypoint_room_));
        }
    }

    void search(const vdt_features_params& params, const DeviceImage& mask, bool masked) {
        const cl::Queue queue = operands_.queue();
        const auto contrast = static_cast<float>(params.contrast_threshold);
        const auto edge = static_cast<float>(params.edge_threshold);
        // Of a difference, to be looked at at all.
        const auto threshold =
            static_cast<float>(std::floor(0.5 * params.contrast_threshold / shape_.octave_layers * 255));
        fill_zero(queue, counts_, 3);
        fill_zero(queue, known_, slots_);
        for (std::uint32_t index = 0; index < shape_.octaves.size(); ++index) {
            const auto across = static_cast<std::size_t>(shape_.octaves[index].width - 2 * border);
            const auto down = static_cast<std::size_t>(shape_.octaves[index].height - 2 * border);
            const std::size_t group = group_within(extrema_, 64);
            const std::size_t columns = std::min<std::size_t>(group, 16);
            const Range range =
                form_.rows ? cover({1, down}, {1, 1})
                           : cover({(across + form_.vector - 1) / form_.vector, down}, {columns, group / columns});
            launch(queue, extrema_, range, space_->layers(), space_->octaves(), index, threshold, counts_,
                   extrema_list_, place_room_);
        }
        // Each of these takes as many as there are, in steps of the whole range.
        const auto over = [&](const Kernel& kernel) {
            const std::size_t group = group_within(kernel, 64);
            return groups_of(std::size_t{device_.limits().compute_units} * (form_.rows ? 4 : 16), group);
        };
        launch(queue, places_of_, over(places_of_), space_->layers(), space_->octaves(), contrast, edge, counts_,
               extrema_list_, place_room_, places_);
        launch(queue, distinct_, over(distinct_), counts_, place_room_, places_, known_, slots_, kept_);
        const std::size_t groups = std::size_t{device_.limits().compute_units} * 32;
        launch(queue, directions_, cover({form_.lanes, groups * form_.keys}, {form_.lanes, form_.keys}),
               space_->layers(), space_->octaves(), shape_.sigma, mask.plane(),
               static_cast<std::int32_t>(masked ? mask.width : 0), static_cast<std::int32_t>(mask.height), counts_,
               places_, kept_, keypoints_, place_of_, keypoint_room_);
    }

    void order(std::uint32_t found) {
        const cl::Queue queue = operands_.queue();
        const auto piece = static_cast<std::uint32_t>(2 * sort_items_);
        const std::uint32_t slots = std::max(std::bit_ceil(found), piece);
        const auto pieces = [&](std::uint32_t from, std::uint32_t to, std::uint32_t make) {
            launch(queue, sort_pieces_, groups_of(slots / piece, sort_items_), keypoints_, order_, found, from, to,
                   make);
        };
        pieces(1, piece, 1);
        for (std::uint32_t run = 2 * piece; run <= slots; run *= 2) {
            for (std::uint32_t distance = run / 2; distance >= piece; distance /= 2)
                launch(queue, sort_far_, cover({slots / 2}, {group_within(sort_far_, 64)}), keypoints_, order_,
                       slots / 2, run, distance);
            pieces(run / 2, run, 0);
        }
    }

    void describe(std::uint32_t found, std::uint32_t wanted, const DeviceImage& descriptors) {
        const cl::Queue queue = operands_.queue();
        if (!form_.rows) {
            launch(queue, describe_, cover({form_.lanes, wanted}, {form_.lanes, form_.keys}), space_->layers(),
                   space_->octaves(), shape_.sigma, places_, keypoints_, place_of_, order_, wanted, ordered_,
                   descriptors.plane());
            return;
        }
        launch(queue, rank_, cover({found}, {group_within(rank_, 64)}), order_, found, rank_of_);
        launch(queue, describe_, cover({1, found}, {1, 1}), space_->layers(), space_->octaves(), shape_.sigma, places_,
               keypoints_, place_of_, rank_of_, found, wanted, ordered_, descriptors.plane());
    }

    template <class T>
    void grow(Buffer<T>& buffer, std::size_t count) const {
        if (buffer.size() < count) buffer = device_.buffer<T>(count);
    }

    void make_room(std::uint32_t places, std::uint32_t keypoints) {
        place_room_ = places;
        keypoint_room_ = keypoints;
        slots_ = known_slots(places);
        grow(extrema_list_, places);
        grow(places_, places);
        grow(kept_, places);
        grow(known_, slots_);
        grow(keypoints_, keypoints);
        grow(place_of_, keypoints);
        grow(ordered_, keypoints);
        if (form_.rows) grow(rank_of_, keypoints);
        grow(order_, power_of_two(keypoints));
    }

    const Device& device_;
    Operands operands_;
    double sigma_;
    SiftShape shape_;
    SiftForm form_;
    std::unique_ptr<SiftSpace> space_;
    Kernel extrema_, places_of_, distinct_, directions_, sort_pieces_, sort_far_, rank_, describe_;
    std::size_t sort_items_ = 0;
    std::uint32_t place_room_ = 0, keypoint_room_ = 0, slots_ = 0;
    Buffer<std::uint32_t> counts_, known_, kept_, place_of_, rank_of_;
    Buffer<Extremum> extrema_list_;
    Buffer<Place> places_;
    Buffer<vdt_keypoint> keypoints_, ordered_;
    Buffer<SortRecord> order_;
    std::vector<vdt_keypoint> host_keypoints_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<FeaturesPlan>(device, query);
}

constexpr const char* variants[] = {"whole layers"};

}  // namespace

extern const Operation features_operation;
const Operation features_operation = {VDT_OP_FEATURES, variants, 1, support, cost, plan};

}  // namespace vedette::opencl
