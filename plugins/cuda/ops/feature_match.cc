// feature_match: pairs of nearest descriptors and the homography that they follow. How: cuda/kernels/feature_match.h.
#include <kernels/feature_match.h>

#include <vedette/plugin/cpp/check.hpp>
#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/feature_match_checks.hpp>
#include <vedette/plugin/cpp/list.hpp>
#include <vedette/plugin/cpp/loop.hpp>

#include "operands.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace vedette::cuda_plugin {

namespace {

std::uint64_t scratch_bytes(const Device& device, const vdt_query& query) {
    const cuda::MatchSizes sizes =
        cuda::match_sizes(cuda::match_split(device.cuda.limits, query.inputs[0]->height, query.inputs[1]->height));
    const auto& params = plugin::params_of<vdt_feature_match_params>(query);
    // Bytes, norm, neighbour, two places, pair and mark of a query; bytes, key and place of a train descriptor.
    return sizes.query_rows * (cuda::longest_byte_descriptor + 4 + 8 + 8 + 16 + 16 + 1) +
           sizes.train_rows * (cuda::longest_byte_descriptor + 4 + 8) + sizes.partial_bytes + 4 * sizes.passed_words +
           std::uint64_t{4} * params.max_iterations;
}

void support(const Device& device, const vdt_query& query, vdt_op_support& answer) {
    if (!plugin::answer_feature_match(query, answer)) return;
    answer.scratch_bytes = scratch_bytes(device, query);
}

// As for descriptors like SIFT's.
void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const auto& params = plugin::params_of<vdt_feature_match_params>(query);
    const double length = query.inputs[0]->width;
    const cuda::MatchSplit split =
        cuda::match_split(device.cuda.limits, query.inputs[0]->height, query.inputs[1]->height);
    const double queries = split.padded_queries, train = split.padded_train;
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    cost.launches = 5;

    vdt_cost_stage pack{};
    pack.work = (queries + train) * length * 4;
    pack.span = 4 * 4 + 10;
    pack.width = (queries + train) * 32;
    pack.divergence = 1;
    pack.global_bytes = (queries + train) * (length * 5 + 4);
    pack.global_refs = pack.global_bytes / 128;
    plugin::add_stage(cost, pack);

    // A tensor core takes 4096 products of a warp in one step; 1.5 operations a product pair of rows for selection.
    vdt_cost_stage products{};
    const bool by_bytes = query.inputs[0]->width <= cuda::longest_byte_descriptor;
    products.work =
        by_bytes ? queries * train * (cuda::longest_byte_descriptor / 32.0 + 2.5) : queries * train * length * 2;
    products.span = by_bytes ? split.chunk / 8.0 * 16 : split.float_chunk / 4.0 * length;
    products.width = by_bytes ? queries * split.chunks : queries * split.float_chunks * 4;
    products.divergence = 1;
    products.global_bytes = queries / 256 * train * 132 + queries * split.chunks * 16;
    products.global_refs = products.global_bytes / 128;
    products.shared_refs = queries / 32 * train / 8 * 2 * 4;
    plugin::add_stage(cost, products);

    vdt_cost_stage choose{};
    choose.work = queries * (split.chunks * 6.0 + 4 * 40);
    choose.span = 4 * 40 + queries / 256 * 10;
    choose.width = queries * 8;
    choose.divergence = 1;
    choose.global_bytes = queries * (split.chunks * 16.0 + 5 * 128 + 40);
    choose.global_refs = choose.global_bytes / 128;
    choose.atomic_refs = queries / 32;
    plugin::add_stage(cost, choose);

    // Over an eighth of the queries that have a pair, half of it right: 110 samples.
    const double pairs = queries / 8, samples = std::min<double>(params.max_iterations, 110);
    vdt_cost_stage score{};
    score.work = samples * (pairs * 20 + 300 * 32);
    score.span = 300 + pairs / 32 * 20;
    score.width = samples * 32;
    score.divergence = 1;
    score.global_bytes = pairs * 16;
    score.global_refs = samples * pairs / 8;
    score.atomic_refs = samples;
    plugin::add_stage(cost, score);

    // Two rounds of six passes and five solutions of eight equations.
    vdt_cost_stage fit{};
    fit.work = 2 * (6 * pairs / 2 * 60 + 5 * 400);
    fit.span = 2 * (6 * (pairs / 256 * 60 + 60) + 5 * 400);
    fit.width = 128;
    fit.divergence = 1;
    fit.global_bytes = pairs * 32;
    fit.global_refs = 12 * pairs / 8;
    fit.shared_refs = 12 * 2 * 28 * 4;
    plugin::add_stage(cost, fit);

    cost.bytes_to_device = 8 * (queries + train);
    cost.bytes_to_host = 16 * pairs;
    cost.scratch_bytes = scratch_bytes(device, query);
    cost.shared_bytes = 33 * 1024;
}

// Copies the places of a list of keypoints, two floats each; they must be finite.
void read_places(const vdt_list& list, const char* name, float* to) {
    bool finite = true;
    for (std::uint64_t i = 0; i < list.count; ++i) {
        const auto keypoint = plugin::item_at<vdt_keypoint>(list, i);
        to[2 * i] = keypoint.x;
        to[2 * i + 1] = keypoint.y;
        finite = finite && std::isfinite(keypoint.x) && std::isfinite(keypoint.y);
    }
    if (finite) return;
    std::uint64_t first = 0;
    while (std::isfinite(to[2 * first]) && std::isfinite(to[2 * first + 1])) ++first;
    throw Failure(VDT_E_ARGUMENT, "feature_match: the place of " + std::string(name) + " keypoint " +
                                      std::to_string(first) + " is not finite");
}

std::uint32_t count_of(const vdt_list& list, const vdt_image& descriptors, const char* name) {
    if (list.count > descriptors.height)
        throw Failure(VDT_E_SIZE,
                      "feature_match: there are more " + std::string(name) + " keypoints than rows of descriptors");
    return static_cast<std::uint32_t>(list.count);
}

void check_finite_descriptors(std::uint32_t bad_row, const char* name) {
    if (bad_row == 0xffffffff) return;
    throw Failure(VDT_E_ARGUMENT, "feature_match: " + std::string(name) + " descriptor " + std::to_string(bad_row) +
                                      " has a value that is not finite");
}

class FeatureMatchPlan final : public Plan {
public:
    FeatureMatchPlan(const Device& device, const vdt_query& query)
        : device_(device),
          operands_(device),
          side_(cuda::make_stream()),
          arrived_(cuda::make_event()),
          state_(device.cuda.memory, 1) {
        const std::uint32_t queries = query.inputs[0]->height, train = query.inputs[1]->height;
        make_room(cuda::match_sizes(cuda::match_split(device.cuda.limits, queries, train)),
                  plugin::params_of<vdt_feature_match_params>(query).max_iterations);
        const std::size_t most = std::size_t{queries} + train;
        places_ = cuda::Block<float>(device.cuda.memory, 2 * most);
        host_places_ = cuda::Block<float>(device.cuda.pinned, 2 * most);
        header_ = cuda::Block<cuda::MatchHeader>(device.cuda.pinned, 1);
        results_ = cuda::Block<uint4>(device.cuda.pinned, queries);
    }

    ~FeatureMatchPlan() override { (void)cudaStreamSynchronize(side_.get()); }

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_feature_match_params>(call);
        plugin::check_feature_match(params);
        plugin::ListWriter<vdt_descriptor_match> list(*call.lists_out[0]);
        const std::uint32_t queries = count_of(*call.lists_in[0], *call.inputs[0], "query");
        const std::uint32_t train = count_of(*call.lists_in[1], *call.inputs[1], "train");
        plugin::throw_if_cancelled(*device_.host, call.token);

        Operands::Call running(operands_, call);
        const cudaStream_t stream = operands_.stream();
        const cuda::RansacParameters ransac{params.max_iterations, params.reprojection, params.seed};
        const auto homography = operands_.output(0).view<double>();
        // The last run's end restores it, if it came so far.
        if (!state_ready_) {
            const cuda::MatchState initial;
            cuda::check(cudaMemcpyAsync(state_.data(), &initial, sizeof initial, cudaMemcpyHostToDevice, stream),
                        "copying to the device");
            running.wait();
        }
        state_ready_ = false;
        // No pair passes where there is no second neighbour.
        const bool any = queries != 0 && train >= 2;
        if (any) {
            start_search(call, queries, train, params);
        } else {
            read_places(*call.lists_in[0], "query", host_places_.data());
            read_places(*call.lists_in[1], "train", host_places_.data() + 2 * std::size_t{queries});
        }
        cuda::MatchMemory memory = memory_of(queries);
        cuda::fit_pairs(ransac, memory, homography, stream);
        running.wait();
        check_finite_descriptors(header_.data()->bad_query, "query");
        check_finite_descriptors(header_.data()->bad_train, "train");
        if (any && header_.data()->fractional != 0) {
            plugin::throw_if_cancelled(*device_.host, call.token);
            cuda::nearest_floats(query_view_, train_view_, split_, memory, stream);
            cuda::choose_pairs(false, params.ratio, split_, memory, stream);
            cuda::fit_pairs(ransac, memory, homography, stream);
            running.wait();
        }
        state_ready_ = true;
        running.finish();

        static_assert(sizeof(vdt_descriptor_match) == sizeof(uint4));
        const std::uint32_t pairs = header_.data()->pairs;
        list.count_found(pairs);
        for (std::uint32_t i = 0; i < pairs; ++i) {
            vdt_descriptor_match match;
            std::memcpy(&match, results_.data() + i, sizeof match);
            list.write(match);
        }
        return list.finish();
    }

private:
    template <class T>
    void grow(cuda::Block<T>& block, std::size_t count) {
        cuda::make_room(block, device_.cuda.memory, count, operands_.stream());
    }

    // Fewer descriptors may be cut into more chunks than the plan's.
    void make_room(const cuda::MatchSizes& sizes, std::uint32_t iterations) {
        grow(query_bytes_, sizes.query_rows * cuda::longest_byte_descriptor);
        grow(train_bytes_, sizes.train_rows * cuda::longest_byte_descriptor);
        grow(norms_, sizes.query_rows);
        grow(keys_, sizes.train_rows);
        grow(partials_, sizes.partial_bytes);
        grow(nearest_, sizes.query_rows);
        grow(passed_, sizes.passed_words);
        grow(pair_places_, sizes.query_rows);
        grow(pairs_, sizes.query_rows);
        grow(fits_, sizes.query_rows);
        grow(counts_, std::max(iterations, 1u));
    }

    cuda::MatchMemory memory_of(std::uint32_t queries) const {
        cuda::MatchMemory memory;
        memory.query_bytes = query_bytes_.data();
        memory.train_bytes = train_bytes_.data();
        memory.query_norms = norms_.data();
        memory.train_keys = keys_.data();
        memory.partials = partials_.data();
        memory.nearest = nearest_.data();
        memory.passed = passed_.data();
        memory.query_places = reinterpret_cast<const float2*>(places_.data());
        memory.train_places = memory.query_places + queries;
        memory.pair_places = pair_places_.data();
        memory.pairs = pairs_.data();
        memory.counts = counts_.data();
        memory.fits = fits_.data();
        memory.state = state_.data();
        memory.header = header_.data();
        memory.results = results_.data();
        return memory;
    }

    // Queues what leads to the list of pairs of bytes. The keypoints' places are read and copied while the device
    // searches.
    void start_search(const vdt_call& call, std::uint32_t queries, std::uint32_t train,
                      const vdt_feature_match_params& params) {
        split_ = cuda::match_split(device_.cuda.limits, queries, train);
        make_room(cuda::match_sizes(split_), params.max_iterations);
        const cudaStream_t stream = operands_.stream();
        query_view_ = operands_.input(0).view<const float>();
        train_view_ = operands_.input(1).view<const float>();
        query_view_.height = static_cast<std::int32_t>(queries);
        train_view_.height = static_cast<std::int32_t>(train);
        const cuda::MatchMemory memory = memory_of(queries);
        cuda::pack_descriptors(query_view_, train_view_, split_, memory, stream);
        const bool bytes = call.inputs[0]->width <= cuda::longest_byte_descriptor;
        if (bytes) cuda::nearest_bytes(split_, memory, stream);

        // An earlier call that failed may still be copying.
        cuda::synchronize(side_.get());
        read_places(*call.lists_in[0], "query", host_places_.data());
        read_places(*call.lists_in[1], "train", host_places_.data() + 2 * std::size_t{queries});
        cuda::check(
            cudaMemcpyAsync(places_.data(), host_places_.data(), 2 * sizeof(float) * (std::size_t{queries} + train),
                            cudaMemcpyHostToDevice, side_.get()),
            "copying places to the device");
        cuda::check(cudaEventRecord(arrived_.get(), side_.get()), "recording an event");
        cuda::check(cudaStreamWaitEvent(stream, arrived_.get(), 0), "waiting for places");
        if (bytes) cuda::choose_pairs(true, params.ratio, split_, memory, stream);
    }

    const Device& device_;
    Operands operands_;
    cuda::Stream side_;
    cuda::Event arrived_;
    cuda::MatchSplit split_;
    cuda::View<const float> query_view_, train_view_;
    cuda::Block<cuda::MatchState> state_;
    cuda::Block<std::uint8_t> query_bytes_, train_bytes_, fits_;
    cuda::Block<std::int32_t> norms_, keys_;
    cuda::Block<std::byte> partials_;
    cuda::Block<uint2> nearest_;
    cuda::Block<std::uint32_t> passed_, counts_;
    cuda::Block<float4> pair_places_;
    cuda::Block<uint4> pairs_, results_;
    cuda::Block<float> places_, host_places_;
    cuda::Block<cuda::MatchHeader> header_;
    bool state_ready_ = false;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<FeatureMatchPlan>(device, query);
}

constexpr const char* variants[] = {"brute force"};

}  // namespace

const Operation feature_match_operation = {VDT_OP_FEATURE_MATCH, variants, 1, support, cost, plan};

}  // namespace vedette::cuda_plugin
