// Counts of Viola-Jones on an integral image [A]: weak classifiers of up to three weighted rectangles.
#pragma once

#include "estimate.h"

#include <cstdint>
#include <vector>

namespace vedette::model {

// A weak classifier with `rectangles` of them: four corner sums each joined by three additions, one product each with
// its weight, joined; the weighted sum against the threshold. With three: 12 additions, 4 multiplications, 1
// comparison.
struct ClassifierOperations {
    double additions = 0;
    double multiplications = 0;
    double comparisons = 0;
    double on(double multiplication) const noexcept {
        return additions + multiplication * multiplications + comparisons;
    }
};
ClassifierOperations classifier_operations() noexcept;
// A multiplication counts as two operations on the CPU and one on the GPU: 21 and 17.
double classifier_operations_on_cpu() noexcept;
double classifier_operations_on_gpu() noexcept;

// Global references of a weak classifier, one window a thread: for each of three rectangles four corners and five words
// of description, then the threshold and two leaf values: 30. With the classifiers in constant memory only the corners
// are left: 12.
double classifier_global_refs(bool in_constant_memory) noexcept;
// Words of description, threshold and leaves of 32 bits: 72 bytes.
std::uint32_t classifier_bytes() noexcept;
// 910 in 64 KiB.
std::uint32_t classifiers_that_fit(std::uint64_t constant_bytes) noexcept;
// How many times constant memory is filled for `classifiers` of them.
std::uint32_t parts_of(std::uint32_t classifiers, std::uint64_t constant_bytes) noexcept;

// Windows of one scale of an image: every place of a window of `side` grown by `factor`, at steps of the factor.
struct CascadeSearch {
    std::uint32_t width = 0, height = 0;
    std::uint32_t window = 24;
    double step = 1.2;  // from one scale to the next
    std::uint32_t classifiers = 2913;
};
// Windows of each scale whose window fits the image, smallest first.
std::vector<double> windows_by_scale(const CascadeSearch& search);

// Operations on one CPU as the source estimates them: every window passes every stage.
double cascade_operations_on_cpu(const CascadeSearch& search);
// One stage for each scale; the image is copied to the device as 32-bit sums and a flag for each window comes back. In
// constant memory the classifiers are references of kind K, and go by parts: a stage for each part of each scale.
AlgorithmCounts cascade_counts_on_gpu(const CascadeSearch& search, bool in_constant_memory,
                                      std::uint64_t constant_bytes);

}  // namespace vedette::model
