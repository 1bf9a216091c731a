// feature_match: pairs of nearest descriptors and the homography that they follow. How: features/top_two.h, ransac.h.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vedette/plugin/cpp/feature_match_checks.hpp>

#include "features/ransac.h"
#include "features/top_two.h"
#include "formats.h"
#include "kernels/per_isa.h"
#include "parallel.h"
#include "stages.h"

namespace vedette::cpu {

VEDETTE_CPU_KERNELS(MatchKernels, match_kernels)

namespace {

void support(const Device&, const vdt_query& query, vdt_op_support& answer) {
    if (!plugin::answer_feature_match(query, answer)) return;
    answer.scratch_bytes =
        features::TopTwo::bytes(query.inputs[0]->width, query.inputs[0]->height, query.inputs[1]->height);
}

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const auto& params = *static_cast<const vdt_feature_match_params*>(query.params);
    const double queries = query.inputs[0]->height, train = query.inputs[1]->height, length = query.inputs[0]->width;
    const double products = queries * train * length;
    // Values that one 32-bit lane takes in one operation.
    const double together = device.isa == Isa::avx512 ? 4 : 2;
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    // To bytes, packed: on one thread, a vector at a time.
    add_pieces(device, cost, (queries + train) * length * 4, 4, 1, (queries + train) * length * 8, 0);
    // Products; the train set is read once for every 96 queries.
    add_loop(cost, products / together, train * length / together, queries, train * length * std::ceil(queries / 96),
             products / together / 6);
    // RANSAC over an eighth of the queries that have a pair, half of it right: 110 samples.
    const double samples = std::min<double>(params.max_iterations, 110);
    add_serial(cost, samples * queries / 8 * 20, 0, samples * queries / 8 * 4);
    cost.scratch_bytes =
        features::TopTwo::bytes(query.inputs[0]->width, query.inputs[0]->height, query.inputs[1]->height);
}

// Reads the keypoints of a list; their places must be finite.
class Places {
public:
    Places(const vdt_list& list, const vdt_image& descriptors, const char* name) : list_(list) {
        if (list.count != 0 && list.item_size < sizeof(vdt_keypoint))
            throw Failure(VDT_E_ARGUMENT, "feature_match: the items of a list are smaller than a keypoint");
        if (list.count > descriptors.height)
            throw Failure(VDT_E_SIZE,
                          "feature_match: there are more " + std::string(name) + " keypoints than rows of descriptors");
        for (std::uint32_t i = 0; i < list.count; ++i) {
            const matching::Point place = at(i);
            if (!std::isfinite(place.x) || !std::isfinite(place.y))
                throw Failure(VDT_E_ARGUMENT, "feature_match: the place of " + std::string(name) + " keypoint " +
                                                  std::to_string(i) + " is not finite");
        }
    }
    std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(list_.count); }
    matching::Point at(std::uint32_t i) const noexcept {
        vdt_keypoint keypoint;
        std::memcpy(&keypoint, static_cast<const unsigned char*>(list_.items) + std::uint64_t{i} * list_.item_size,
                    sizeof keypoint);
        return {static_cast<double>(keypoint.x), static_cast<double>(keypoint.y)};
    }

private:
    const vdt_list& list_;
};

class FeatureMatchPlan final : public Plan {
public:
    FeatureMatchPlan(const Device& device, const vdt_query& query)
        : top_two_(device, select_match_kernels(device.isa), query.inputs[0]->width, query.inputs[0]->height,
                   query.inputs[1]->height) {
        pairs_.reserve(query.inputs[0]->height);
        ransac_.reserve(query.inputs[0]->height);
    }

    vdt_code run(const vdt_call& call) override {
        const auto& params = *static_cast<const vdt_feature_match_params*>(call.params);
        plugin::check_feature_match(params);
        if (call.list_in_count != 2 || call.list_out_count != 1)
            throw Failure(VDT_E_ARGUMENT, "feature_match takes two lists of keypoints and gives one of pairs");
        vdt_list& list = *call.lists_out[0];
        if (list.capacity != 0 && list.item_size < sizeof(vdt_descriptor_match))
            throw Failure(VDT_E_ARGUMENT, "feature_match: the items of the list are smaller than a pair");
        list.count = 0;
        list.needed = 0;
        const Places query(*call.lists_in[0], *call.inputs[0], "query"),
            train(*call.lists_in[1], *call.inputs[1], "train");
        find_pairs(call, query, train, params.ratio);
        const matching::Homography homography = follow(query, train, params);
        for (std::uint32_t y = 0; y < 3; ++y)
            std::memcpy(row_of<double>(*call.outputs[0], 0, y), homography.data() + std::size_t{y} * 3,
                        3 * sizeof(double));
        list.needed = pairs_.size();
        list.count = std::min<std::uint64_t>(list.needed, list.capacity);
        for (std::uint64_t i = 0; i < list.count; ++i)
            std::memcpy(static_cast<unsigned char*>(list.items) + i * list.item_size, &pairs_[i], sizeof pairs_[i]);
        return list.needed > list.count ? VDT_INCOMPLETE : VDT_OK;
    }

private:
    // Query descriptors whose nearest neighbour is clearly nearer than the second; none where there is no second.
    void find_pairs(const vdt_call& call, const Places& query, const Places& train, double ratio) {
        pairs_.clear();
        if (query.count() == 0 || train.count() < 2) return;
        const std::vector<features::Neighbors>& neighbors =
            top_two_.run(*call.inputs[0], query.count(), *call.inputs[1], train.count(), call.token);
        for (std::uint32_t i = 0; i < query.count(); ++i) {
            const double first = std::sqrt(neighbors[i].first), second = std::sqrt(neighbors[i].second);
            if (first < ratio * second) pairs_.push_back({i, neighbors[i].index, static_cast<float>(first), 0});
        }
    }

    matching::Homography follow(const Places& query, const Places& train, const vdt_feature_match_params& params) {
        ransac_.clear();
        for (const vdt_descriptor_match& pair : pairs_) ransac_.add(query.at(pair.query), train.at(pair.train));
        matching::Homography homography{};
        if (!ransac_.run({params.max_iterations, params.reprojection, params.seed}, homography)) return {};
        for (std::size_t i = 0; i < pairs_.size(); ++i) pairs_[i].inlier = ransac_.fits()[i];
        return homography;
    }

    features::TopTwo top_two_;
    matching::Ransac ransac_;
    std::vector<vdt_descriptor_match> pairs_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<FeatureMatchPlan>(device, query);
}

constexpr const char* variants[] = {"brute-force"};

}  // namespace

const OperationEntry feature_match_operation = {VDT_OP_FEATURE_MATCH, variants, 1, support, cost, plan};

}  // namespace vedette::cpu
