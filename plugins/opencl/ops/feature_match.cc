// feature_match: the two nearest descriptors on the device, by exact sums (kernels/feature_match.cl); the ratio test
// and the homography on the host, in double precision, which many devices lack: a few hundred pairs of some thousand
// descriptors pass, and what the processor beside the device does with them takes about a millisecond.
#include <vedette/plugin/cpp/check.hpp>
#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/feature_match_checks.hpp>
#include <vedette/plugin/cpp/list.hpp>
#include <vedette/plugin/cpp/loop.hpp>

#include <features/ransac.h>

#include "trial.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace vedette::opencl {

namespace {

// Longest descriptor of bytes whose sums are exact in floats: 258 * 255^2 < 2^24.
constexpr std::uint32_t longest_whole = 258;
constexpr std::uint32_t no_row = 0xffffffff;

// As the kernels' records.
struct Nearest {
    float first, second;
    std::uint32_t index, unused;
};
struct NearestReal {
    double first, second;
    std::uint32_t index, unused;
};
static_assert(sizeof(Nearest) == 16 && sizeof(NearestReal) == 24);

// How a search is cut.
struct Form {
    std::uint32_t vector, lanes, queries;

    std::uint32_t train_side() const { return lanes * vector; }
    std::string defines() const {
        return "-D VECTOR=" + std::to_string(vector) + " -D LANES=" + std::to_string(lanes) +
               " -D QUERIES=" + std::to_string(queries);
    }
};

Form form_of(const DeviceLimits& limits) {
    if (limits.kind == Kind::cpu) return {limits.native_floats >= 8 ? 8U : 4U, 1, 8};
    return {4, 32, 4};
}

std::uint32_t rounded_up(std::uint32_t value, std::uint32_t unit) {
    return (value + unit - 1) / unit * unit;
}

struct Split {
    std::uint32_t padded;  // values of a descriptor
    std::uint32_t query_blocks, train_blocks;
    std::uint32_t blocks, parts;  // blocks of train descriptors a part
};

// So many parts that there are eight groups for each compute unit, but parts of 16 blocks at least: each costs a record
// for every query.
Split split_of(const DeviceLimits& limits, const Form& form, std::uint32_t length, std::uint32_t queries,
               std::uint32_t train) {
    Split split{};
    split.padded = rounded_up(length, 4);
    split.query_blocks = rounded_up(queries, form.queries) / form.queries;
    split.train_blocks = rounded_up(train, form.train_side()) / form.train_side();
    const std::uint32_t wanted = std::max(1U, 32 * limits.compute_units / std::max(1U, split.query_blocks));
    split.blocks = std::max((split.train_blocks + wanted - 1) / wanted, std::min(split.train_blocks, 16U));
    split.blocks = std::max(split.blocks, 1U);
    split.parts = (split.train_blocks + split.blocks - 1) / split.blocks;
    return split;
}

std::uint64_t scratch_bytes(const Device& device, const vdt_query& query) {
    const Form form = form_of(device.limits());
    const Split split =
        split_of(device.limits(), form, query.inputs[0]->width, query.inputs[0]->height, query.inputs[1]->height);
    const std::uint64_t queries = std::uint64_t{split.query_blocks} * form.queries;
    const std::uint64_t train = std::uint64_t{split.train_blocks} * form.train_side();
    return (queries + train) * (split.padded + 1) * sizeof(float) +
           queries * (std::uint64_t{split.parts} * form.lanes + 1) * sizeof(Nearest);
}

void support(const Device& device, const vdt_query& query, vdt_op_support& answer) {
    if (!plugin::answer_feature_match(query, answer)) return;
    answer.scratch_bytes = scratch_bytes(device, query);
}

// As for descriptors like SIFT's. What the host does is counted as operations of the device: the cost model has no
// other place for it.
void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const auto& params = plugin::params_of<vdt_feature_match_params>(query);
    const double length = query.inputs[0]->width, queries = query.inputs[0]->height, train = query.inputs[1]->height;
    const Form form = form_of(device.limits());
    const Split split =
        split_of(device.limits(), form, query.inputs[0]->width, query.inputs[0]->height, query.inputs[1]->height);
    const double items = static_cast<double>(split.query_blocks) * form.lanes * split.parts;
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    const auto add = [&](double work, double span, double width, double bytes) {
        plugin::add_launch(cost, plugin::even_stage(work, span, width, bytes, transaction_bytes));
    };
    add(queries * length * 4, length * 4, queries, queries * length * 8);
    add(train * length * 4, length * 4, train, train * length * 8);
    add(queries * train * (length * 2 + 6), queries * train * (length * 2 + 6) / items / form.vector, items,
        train * length * 4 * std::max(1.0, queries / 256));
    add(queries * split.parts * form.lanes * 6, split.parts * form.lanes * 6.0, queries,
        queries * split.parts * form.lanes * sizeof(Nearest));
    // Over an eighth of the queries that have a pair, half of it right: 110 samples, and two rounds of least squares.
    // A host's core tests a pair in about a nanosecond, by independent operations of which it starts several in a
    // clock: half of what one dependent operation takes a GPU.
    const double pairs = queries / 8, samples = std::min<double>(params.max_iterations, 110);
    const double tests = samples * (pairs + 15) + pairs * 50;
    plugin::add_stage(cost, plugin::even_stage(tests, tests / 2, 1, 0, transaction_bytes));
    cost.bytes_to_host = queries * sizeof(Nearest);
    cost.scratch_bytes = scratch_bytes(device, query);
}

// Copies the places of a list of keypoints; they must be finite.
void read_places(const vdt_list& list, const char* name, std::vector<matching::Point>& places) {
    places.clear();
    for (std::uint64_t index = 0; index < list.count; ++index) {
        const auto keypoint = plugin::item_at<vdt_keypoint>(list, index);
        if (!std::isfinite(keypoint.x) || !std::isfinite(keypoint.y))
            throw Failure(VDT_E_ARGUMENT, "feature_match: the place of " + std::string(name) + " keypoint " +
                                              std::to_string(index) + " is not finite");
        places.push_back({keypoint.x, keypoint.y});
    }
}

std::uint32_t count_of(const vdt_list& list, const vdt_image& descriptors, const char* name) {
    if (list.count > descriptors.height)
        throw Failure(VDT_E_SIZE,
                      "feature_match: there are more " + std::string(name) + " keypoints than rows of descriptors");
    return static_cast<std::uint32_t>(list.count);
}

void check_finite_rows(std::uint32_t bad_row, const char* name) {
    if (bad_row == no_row) return;
    throw Failure(VDT_E_ARGUMENT, "feature_match: " + std::string(name) + " descriptor " + std::to_string(bad_row) +
                                      " has a value that is not finite");
}

// `second` is nearer than no other of `into`.
void merge_into(NearestReal& into, const NearestReal& other) {
    if (other.first < into.first) {
        into.second = std::min(into.first, other.second);
        into.first = other.first;
        into.index = other.index;
    } else {
        into.second = std::min(into.second, other.first);
    }
}

class FeatureMatchPlan final : public Plan {
public:
    FeatureMatchPlan(const Device& device, const vdt_query& query)
        : device_(device), operands_(device), form_(form_of(device.limits())) {
        const std::string defines = form_.defines();
        prepare_ = device.programs.kernel("feature_match", "prepare", defines);
        nearest_ = device.programs.kernel("feature_match", "nearest", defines);
        merge_ = device.programs.kernel("feature_match", "merge", defines);
        if (device.limits().doubles) nearest_reals_ = device.programs.kernel("feature_match", "nearest_reals", defines);
        flags_ = device.buffer<std::uint32_t>(3);
        const std::uint32_t queries = query.inputs[0]->height, train = query.inputs[1]->height;
        make_room(split_of(device.limits(), form_, query.inputs[0]->width, queries, train));
        measure_groups(split_of(device.limits(), form_, query.inputs[0]->width, queries, train));
        places_[0].reserve(queries);
        places_[1].reserve(train);
        pairs_.reserve(queries);
        found_.reserve(queries);
        ransac_.reserve(queries);
    }

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_feature_match_params>(call);
        plugin::check_feature_match(params);
        plugin::ListWriter<vdt_descriptor_match> list(*call.lists_out[0]);
        const std::uint32_t queries = count_of(*call.lists_in[0], *call.inputs[0], "query");
        const std::uint32_t train = count_of(*call.lists_in[1], *call.inputs[1], "train");
        plugin::throw_if_cancelled(*device_.host, call.token);

        Operands::Call running(operands_, call);
        const DeviceImage out = operands_.output(0);
        pairs_.clear();
        // No pair passes where there is no second neighbour.
        const bool any = queries != 0 && train >= 2;
        if (any) start_search(call, queries, train);
        read_places(*call.lists_in[0], "query", places_[0]);
        read_places(*call.lists_in[1], "train", places_[1]);
        if (any) finish_search(call, queries, train, params.ratio);
        plugin::throw_if_cancelled(*device_.host, call.token);
        homography_ = follow(params);
        for (std::size_t row = 0; row < 3; ++row)
            check(cl::api().EnqueueWriteBuffer(operands_.queue(), out.memory[0], cl::queued,
                                               out.offset[0] + row * out.stride, 3 * sizeof(double),
                                               homography_.data() + 3 * row, 0, nullptr, nullptr),
                  "copying a homography to the device");
        running.finish();
        list.count_found(pairs_.size());
        for (const vdt_descriptor_match& pair : pairs_) list.write(pair);
        return list.finish();
    }

private:
    template <class T>
    void grow(Buffer<T>& buffer, std::size_t count) {
        if (buffer.size() < count) buffer = device_.buffer<T>(count);
    }

    // Fewer descriptors may be cut into more parts than the plan's.
    void make_room(const Split& split) {
        const std::size_t queries = std::size_t{split.query_blocks} * form_.queries;
        const std::size_t train = std::size_t{split.train_blocks} * form_.train_side();
        grow(queries_, queries * split.padded);
        grow(query_norms_, queries);
        grow(train_, train * split.padded);
        grow(train_norms_, train);
        grow(partials_, queries * split.parts * form_.lanes);
        grow(nearest_of_, queries);
    }

    // `together`: blocks of queries of a group.
    void search(cl::Queue queue, const Split& split, std::size_t together) const {
        launch(queue, nearest_, cover({form_.lanes, split.query_blocks, split.parts}, {form_.lanes, together, 1}),
               queries_, split.query_blocks, train_, train_norms_, split.train_blocks, split.padded, split.blocks,
               partials_);
    }

    void measure_groups(const Split& split) {
        // The recorded default first: of GPUs, then of processors.
        std::vector<std::uint32_t> possible;
        std::string key = form_.defines() + ", about " + std::to_string(std::bit_width(split.query_blocks)) + " by " +
                          std::to_string(std::bit_width(split.train_blocks)) + " bits of blocks; together";
        const auto offer = [&](std::uint32_t together) {
            if (std::size_t{form_.lanes} * together > nearest_.group_size() ||
                together > device_.limits().item_sizes[1])
                return;
            possible.push_back(together);
            key += " " + std::to_string(together);
        };
        if (form_.lanes == 1)
            for (const std::uint32_t together : {1U, 4U}) offer(together);
        else
            for (const std::uint32_t together : {4U, 2U, 8U, 1U}) offer(together);
        if (possible.empty()) possible.push_back(1);
        together_ = possible[choose_way(device_, "feature_match", key, possible.size(), [&](cl::Queue queue) {
            // So few blocks of both that a launch is short.
            Split few = split;
            few.query_blocks = std::min(split.query_blocks, 512U);
            few.blocks = std::min(split.blocks, 16U);
            few.parts = std::min(split.parts, 4U);
            for (const Buffer<float>* each : {&queries_, &train_, &train_norms_}) fill_zero(queue, *each, each->size());
            return [this, queue, few, &possible](std::size_t way) { search(queue, few, possible[way]); };
        })];
    }

    void start_search(const vdt_call& call, std::uint32_t queries, std::uint32_t train) {
        const cl::Queue queue = operands_.queue();
        const std::uint32_t length = call.inputs[0]->width;
        const Split split = split_of(device_.limits(), form_, length, queries, train);
        make_room(split);
        query_image_ = operands_.input(0);
        train_image_ = operands_.input(1);
        static constexpr std::array<std::uint32_t, 3> none = {0, no_row, no_row};
        write(queue, flags_, none.data(), none.size());
        const auto prepare = [&](const DeviceImage& image, std::uint32_t count, std::uint32_t side,
                                 const Buffer<float>& to, const Buffer<float>& norms, std::uint32_t bad) {
            const std::uint32_t rounded = rounded_up(count, side);
            launch(queue, prepare_, cover({rounded}, {group_within(prepare_, 64)}), image.plane(), length, split.padded,
                   count, rounded, side, to, norms, flags_, bad);
        };
        prepare(query_image_, queries, form_.queries, queries_, query_norms_, 1);
        prepare(train_image_, train, form_.train_side(), train_, train_norms_, 2);
        if (length <= longest_whole) {
            search(queue, split, together_);
            launch(queue, merge_, cover({queries}, {group_within(merge_, 64)}), partials_, split.parts * form_.lanes,
                   split.query_blocks * form_.queries, queries, query_norms_, nearest_of_);
        }
        check(cl::api().Flush(queue), "sending off a queue");
    }

    void finish_search(const vdt_call& call, std::uint32_t queries, std::uint32_t train, double ratio) {
        const cl::Queue queue = operands_.queue();
        std::array<std::uint32_t, 3> flags{};
        read(queue, flags_, flags.data(), flags.size());
        check_finite_rows(flags[1], "query");
        check_finite_rows(flags[2], "train");
        if (flags[0] == 0 && call.inputs[0]->width <= longest_whole) {
            host_nearest_.resize(queries);
            read(queue, nearest_of_, host_nearest_.data(), queries);
            found_.resize(queries);
            for (std::uint32_t query = 0; query < queries; ++query)
                found_[query] = {host_nearest_[query].first, host_nearest_[query].second, host_nearest_[query].index,
                                 0};
        } else {
            plugin::throw_if_cancelled(*device_.host, call.token);
            search_reals(call, queries, train);
        }
        for (std::uint32_t query = 0; query < queries; ++query) {
            const double first = std::sqrt(found_[query].first), second = std::sqrt(found_[query].second);
            if (first < ratio * second) pairs_.push_back({query, found_[query].index, static_cast<float>(first), 0});
        }
    }

    // Where the device has no double precision, on the host.
    void search_reals(const vdt_call& call, std::uint32_t queries, std::uint32_t train) {
        const std::uint32_t length = call.inputs[0]->width;
        const std::uint32_t wanted = std::max(1U, 256 * device_.limits().compute_units / std::max(1U, queries));
        const std::uint32_t parts = nearest_reals_ ? std::clamp(train / 64, 1U, wanted) : 1;
        const std::uint32_t rows = (train + parts - 1) / parts, used = (train + rows - 1) / rows;
        host_partials_.resize(std::size_t{queries} * used);
        if (nearest_reals_) {
            grow(real_partials_, host_partials_.size());
            launch(operands_.queue(), nearest_reals_, cover({queries, used}, {group_within(nearest_reals_, 64), 1}),
                   query_image_.plane(), train_image_.plane(), length, queries, train, rows, real_partials_);
            read(operands_.queue(), real_partials_, host_partials_.data(), host_partials_.size());
        } else {
            search_on_host(call, queries, train, length);
        }
        found_.assign(host_partials_.begin(), host_partials_.begin() + queries);
        for (std::uint32_t part = 1; part < used; ++part)
            for (std::uint32_t query = 0; query < queries; ++query)
                merge_into(found_[query], host_partials_[std::size_t{part} * queries + query]);
    }

    void search_on_host(const vdt_call& call, std::uint32_t queries, std::uint32_t train, std::uint32_t length) {
        std::vector<float> values[2];
        const DeviceImage* const images[2] = {&query_image_, &train_image_};
        const std::uint32_t counts[2] = {queries, train};
        for (int side = 0; side < 2; ++side) {
            const std::size_t pitch = images[side]->stride / sizeof(float);
            // The last row only as far as it goes.
            values[side].resize(pitch * counts[side]);
            check_wait(cl::api().EnqueueReadBuffer(operands_.queue(), images[side]->memory[0], cl::blocking,
                                                   images[side]->offset[0],
                                                   ((counts[side] - 1) * pitch + length) * sizeof(float),
                                                   values[side].data(), 0, nullptr, nullptr),
                       "copying from the device");
        }
        const std::size_t from = query_image_.stride / sizeof(float), to = train_image_.stride / sizeof(float);
        plugin::parallel_for(
            *device_.host, call.token, 0, queries, 1, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
                for (std::uint32_t query = begin; query < end; ++query) {
                    constexpr double never = std::numeric_limits<double>::infinity();
                    NearestReal best{never, never, 0, 0};
                    for (std::uint32_t row = 0; row < train; ++row) {
                        double sum = 0;
                        for (std::uint32_t k = 0; k < length && sum < best.second; ++k) {
                            const double difference = static_cast<double>(values[0][query * from + k]) -
                                                      static_cast<double>(values[1][row * to + k]);
                            sum += difference * difference;
                        }
                        merge_into(best, {sum, never, row, 0});
                    }
                    host_partials_[query] = best;
                }
            });
    }

    matching::Homography follow(const vdt_feature_match_params& params) {
        ransac_.clear();
        for (const vdt_descriptor_match& pair : pairs_) ransac_.add(places_[0][pair.query], places_[1][pair.train]);
        matching::Homography homography{};
        if (!ransac_.run({params.max_iterations, params.reprojection, params.seed}, homography)) return {};
        for (std::size_t index = 0; index < pairs_.size(); ++index) pairs_[index].inlier = ransac_.fits()[index];
        return homography;
    }

    const Device& device_;
    Operands operands_;
    Form form_;
    std::uint32_t together_ = 1;
    Kernel prepare_, nearest_, merge_, nearest_reals_;
    DeviceImage query_image_, train_image_;
    Buffer<std::uint32_t> flags_;
    Buffer<float> queries_, query_norms_, train_, train_norms_;
    Buffer<Nearest> partials_, nearest_of_;
    Buffer<NearestReal> real_partials_;
    std::vector<Nearest> host_nearest_;
    std::vector<NearestReal> host_partials_, found_;
    std::vector<matching::Point> places_[2];
    std::vector<vdt_descriptor_match> pairs_;
    matching::Ransac ransac_;
    matching::Homography homography_{};
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<FeatureMatchPlan>(device, query);
}

constexpr const char* variants[] = {"brute force"};

}  // namespace

extern const Operation feature_match_operation;
const Operation feature_match_operation = {VDT_OP_FEATURE_MATCH, variants, 1, support, cost, plan};

}  // namespace vedette::opencl
