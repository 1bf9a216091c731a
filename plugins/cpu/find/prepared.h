// A pattern with everything that is computed from it alone, shared by plans and runs.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "bound.h"
#include "fft.h"
#include "masked.h"
#include "pattern.h"
#include "search.h"

namespace vedette::cpu::find {

class Prepared {
public:
    explicit Prepared(Pattern pattern);

    const Pattern& pattern() const { return pattern_; }
    const DenseCoefficients& dense() const { return dense_; }  // only for patterns that are small()
    // Made on first use; any thread.
    const std::vector<BlockGrid>& grids() const;
    const Bound& bound(const BlockGrid& grid) const;
    const MaskedBound& masked_bound(BlockShape shape) const;
    const PatternSpectrum& spectrum(const Kernels& kernels, int n) const;

private:
    Pattern pattern_;
    DenseCoefficients dense_;
    mutable std::mutex mutex_;
    mutable std::optional<std::vector<BlockGrid>> grids_;
    mutable std::map<BlockGrid, std::unique_ptr<const Bound>> bounds_;
    mutable std::map<std::pair<int, int>, std::unique_ptr<const MaskedBound>> masked_bounds_;
    mutable std::map<int, std::unique_ptr<const PatternSpectrum>> spectra_;
};

// Finds the prepared form of a pattern: with the pattern's resident, or in `last` when the pixels are the same as then.
std::shared_ptr<const Prepared> prepare(const vdt_image& image, const vdt_image* mask,
                                        const std::shared_ptr<const Prepared>& last);

}  // namespace vedette::cpu::find
