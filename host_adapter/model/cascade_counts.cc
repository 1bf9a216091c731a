#include "cascade_counts.h"

#include <cmath>

namespace vedette::model {
namespace {

constexpr double rectangles = 3;
constexpr double corners = 4;
constexpr double description_words = 5;  // left, top, width, height, weight
constexpr double threshold_and_leaves = 3;
constexpr double word_bytes = 4;
constexpr double cpu_multiplication = 2;

double near_refs_of_classifier() {
    return rectangles * description_words + threshold_and_leaves;
}

}  // namespace

ClassifierOperations classifier_operations() noexcept {
    // Three additions join four corners, three rectangles: 9; two join their products; one adds the leaf to the stage.
    // Three products with the weights; one of the threshold with the window's deviation.
    return {rectangles * (corners - 1) + (rectangles - 1) + 1, rectangles + 1, 1};
}

double classifier_operations_on_cpu() noexcept {
    return classifier_operations().on(cpu_multiplication);
}

double classifier_operations_on_gpu() noexcept {
    return classifier_operations().on(1);
}

double classifier_global_refs(bool in_constant_memory) noexcept {
    return rectangles * corners + (in_constant_memory ? 0 : near_refs_of_classifier());
}

std::uint32_t classifier_bytes() noexcept {
    return static_cast<std::uint32_t>(near_refs_of_classifier() * word_bytes);
}

std::uint32_t classifiers_that_fit(std::uint64_t constant_bytes) noexcept {
    return static_cast<std::uint32_t>(constant_bytes / classifier_bytes());
}

std::uint32_t parts_of(std::uint32_t classifiers, std::uint64_t constant_bytes) noexcept {
    const std::uint32_t fit = classifiers_that_fit(constant_bytes);
    return fit == 0 ? 0 : (classifiers + fit - 1) / fit;
}

std::vector<double> windows_by_scale(const CascadeSearch& search) {
    std::vector<double> windows;
    for (double factor = 1;; factor *= search.step) {
        const double side = std::floor(search.window * factor);
        if (search.step <= 1 || side > search.width || side > search.height) return windows;
        // The step over the image grows with the window.
        const double columns = std::floor((search.width - side) / factor) + 1;
        const double rows = std::floor((search.height - side) / factor) + 1;
        windows.push_back(columns * rows);
    }
}

double cascade_operations_on_cpu(const CascadeSearch& search) {
    double windows = 0;
    for (const double of_scale : windows_by_scale(search)) windows += of_scale;
    return windows * search.classifiers * classifier_operations_on_cpu();
}

AlgorithmCounts cascade_counts_on_gpu(const CascadeSearch& search, bool in_constant_memory,
                                      std::uint64_t constant_bytes) {
    AlgorithmCounts counts;
    counts.bytes_to_device = (search.width + 1.0) * (search.height + 1.0) * word_bytes;
    // Memory that holds no classifier is no place for them.
    in_constant_memory = in_constant_memory && parts_of(search.classifiers, constant_bytes) != 0;
    const std::uint32_t parts = in_constant_memory ? parts_of(search.classifiers, constant_bytes) : 1;
    for (const double windows : windows_by_scale(search)) {
        counts.bytes_to_host += windows;
        const double each = windows * search.classifiers / parts;
        const StageCounts part{each * classifier_operations_on_gpu(), each * classifier_global_refs(in_constant_memory),
                               in_constant_memory ? each * near_refs_of_classifier() : 0};
        counts.stages.insert(counts.stages.end(), parts, part);
    }
    return counts;
}

}  // namespace vedette::model
