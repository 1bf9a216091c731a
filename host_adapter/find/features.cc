#include "features.h"

#include "../core/failure.h"
#include "feature_parameters.h"
#include "feature_place.h"

#include <cstring>

namespace vedette::host {
namespace {

constexpr std::uint32_t kDescriptor = 128;

// Nobody offers the operation, or it is beyond what is offered: the find goes without.
bool means_not_offered(vdt_code code) {
    return VDT_IS_UNSUPPORTED(code) || VDT_IS_UNAVAILABLE(code) || code == VDT_E_SIZE;
}

// What `call` gives, or nothing in that case.
template <class Call>
auto if_offered(Call&& call) -> decltype(call()) {
    try {
        return call();
    } catch (const Failure& failure) {
        if (!means_not_offered(failure.code())) throw;
        return {};
    }
}

vdt_list list_of(void* items, std::size_t item_size, std::size_t capacity) {
    vdt_list list{};
    list.struct_size = sizeof list;
    list.item_size = static_cast<std::uint32_t>(item_size);
    list.capacity = capacity;
    list.items = items;
    return list;
}

}  // namespace

std::shared_ptr<const FeatureSet> extract_features(Context& context, const std::string& backend, CallLimit* limit,
                                                   SharedImage& picture, SharedImage* mask, double step_x,
                                                   double step_y, std::uint32_t most, RunReport& report) {
    const vdt_features_params params = usual_features(most);
    auto set = std::make_shared<FeatureSet>();
    set->keypoints.resize(most);
    Image rows(VDT_FORMAT_GRAYF32, kDescriptor, most);
    vdt_list list = list_of(set->keypoints.data(), sizeof(vdt_keypoint), most);
    Operation operation;
    operation.op = VDT_OP_FEATURES;
    operation.params = &params;
    operation.inputs = {OperationImage::of(picture),
                        mask != nullptr ? OperationImage::of(*mask) : OperationImage::none()};
    operation.outputs = {OperationImage::of(rows.view())};
    operation.lists_out = {&list};
    run_operation(context, operation, backend, limit, report);
    set->keypoints.resize(list.count);
    const auto full_size = [](float place, double step) {
        return static_cast<float>((static_cast<double>(place) + kKeypointToEdge) * step - kKeypointToEdge);
    };
    for (vdt_keypoint& keypoint : set->keypoints) {
        keypoint.x = full_size(keypoint.x, step_x);
        keypoint.y = full_size(keypoint.y, step_y);
        keypoint.size = static_cast<float>(static_cast<double>(keypoint.size) * step_x);
    }
    if (list.count == 0) return set;
    // Of the size that is needed: the set is kept with the screen.
    set->descriptors = Image(VDT_FORMAT_GRAYF32, kDescriptor, static_cast<std::uint32_t>(list.count));
    for (std::uint32_t y = 0; y < list.count; ++y)
        std::memcpy(set->descriptors.row(y), rows.row(y), kDescriptor * sizeof(float));
    return set;
}

FeaturePairs pair_features(Context& context, const std::string& backend, CallLimit* limit, const FeatureSet& pattern,
                           const FeatureSet& screen, const PairSettings& settings, RunReport& report) {
    FeaturePairs result;
    if (pattern.keypoints.empty() || screen.keypoints.empty()) return result;
    vdt_feature_match_params params{};
    params.struct_size = sizeof params;
    params.max_iterations = settings.iterations;
    params.ratio = settings.ratio;
    params.reprojection = settings.tolerance;
    params.seed = settings.seed;
    result.pairs.resize(pattern.keypoints.size());
    Image homography(VDT_FORMAT_F64, 3, 3);
    vdt_list pairs = list_of(result.pairs.data(), sizeof(vdt_descriptor_match), result.pairs.size());
    const auto input = [](const FeatureSet& set) {
        // The operation only reads it; lists that go in and lists that come out are of one type.
        vdt_list list =
            list_of(const_cast<vdt_keypoint*>(set.keypoints.data()), sizeof(vdt_keypoint), set.keypoints.size());
        list.count = list.needed = set.keypoints.size();
        return list;
    };
    const vdt_list of_pattern = input(pattern);
    const vdt_list of_screen = input(screen);
    Operation operation;
    operation.op = VDT_OP_FEATURE_MATCH;
    operation.params = &params;
    operation.inputs = {OperationImage::of(pattern.descriptors.view()), OperationImage::of(screen.descriptors.view())};
    operation.outputs = {OperationImage::of(homography.view())};
    operation.lists_in = {&of_pattern, &of_screen};
    operation.lists_out = {&pairs};
    run_operation(context, operation, backend, limit, report);
    result.pairs.resize(pairs.count);
    for (std::uint32_t y = 0; y < 3; ++y)
        std::memcpy(result.homography.data() + std::size_t{3} * y, homography.row(y), 3 * sizeof(double));
    result.homography = shifted(result.homography, kKeypointToEdge);
    // A backend is somebody else's code: rows that cannot be are not followed.
    for (const vdt_descriptor_match& pair : result.pairs)
        if (pair.query >= pattern.keypoints.size() || pair.train >= screen.keypoints.size())
            throw Failure(VDT_E_CONTRACT,
                          "A backend answered feature_match with a row that cannot be; choose another "
                          "backend and report this to its author.");
    return result;
}

FeatureOperations feature_operations(Context& context, const std::string& backend, CallLimit* limit) {
    FeatureOperations operations;
    operations.extract = [&context, backend, limit](SharedImage& picture, SharedImage* mask, double step_x,
                                                    double step_y, std::uint32_t most) {
        return if_offered([&] {
            RunReport report;
            return extract_features(context, backend, limit, picture, mask, step_x, step_y, most, report);
        });
    };
    operations.match = [&context, backend, limit](const FeatureSet& pattern, const FeatureSet& screen,
                                                  double tolerance) {
        return if_offered([&]() -> std::optional<FeaturePairs> {
            PairSettings settings;
            settings.tolerance = tolerance;
            RunReport report;
            return pair_features(context, backend, limit, pattern, screen, settings, report);
        });
    };
    operations.made_by = backend;
    return operations;
}

}  // namespace vedette::host
