// From exact sums over a window to the values of template_map and template_find. Formulas: vedette/plugin/ops.h. The
// host and the device compute the same bits: integers, then single operations of IEEE double arithmetic.
#pragma once

#include "runtime/view.h"

#include <cmath>

namespace vedette::cuda {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

// Numbers as OpenCV's.
enum class MatchMethod : int { sqdiff, sqdiff_normed, ccorr, ccorr_normed, ccoeff, ccoeff_normed };

// Sums over the pixels of a window that the pattern takes; values as they are, 0 to 255.
struct WindowSums {
    unsigned long long product = 0;  // I T, all channels
    unsigned long long square = 0;   // I^2, all channels
    unsigned long long sum[3] = {};  // I, by channel
};

// The same of a pattern.
struct TemplateSums {
    unsigned long long area = 0;  // pixels taken
    unsigned long long square = 0;
    unsigned long long sum[3] = {};
    double variance = 0;      // v_T, rounded once
    bool narrow = true;       // 64 bits hold what a window's moments are made of
    bool given_mask = false;  // there is a mask, whatever it takes
};

// Rounded to nearest, ties to even, as the host's compiler converts.
VEDETTE_CUDA_BOTH inline double to_double(Wide value) {
    const bool negative = value < 0;
    const auto magnitude = negative ? -static_cast<UnsignedWide>(value) : static_cast<UnsignedWide>(value);
    auto high = static_cast<unsigned long long>(magnitude >> 64);
    const auto low = static_cast<unsigned long long>(magnitude);
    double result = 0;
    if (high == 0) {
        result = static_cast<double>(low);
    } else {
        int shift = 0;
        while ((high >> 63) == 0) {
            high <<= 1;
            ++shift;
        }
        const UnsignedWide shifted = magnitude << shift;
        // The top 64 bits; one more that says whether anything is below stands far under the last bit kept.
        const auto top =
            static_cast<unsigned long long>(shifted >> 64) | (static_cast<unsigned long long>(shifted) != 0 ? 1u : 0u);
        result = ldexp(static_cast<double>(top), 64 - shift);
    }
    return negative ? -result : result;
}

// n sum I T - sum I sum T and n sum I^2 - (sum I)^2, summed over the channels; of gray the others' sums are 0, and
// loops of fixed length keep them in registers.
VEDETTE_CUDA_BOTH inline void moments_of(const TemplateSums& pattern, const WindowSums& window, double& covariance,
                                         double& variance) {
    if (pattern.narrow) {
        auto product = static_cast<long long>(pattern.area * window.product);
        auto square = static_cast<long long>(pattern.area * window.square);
        for (int c = 0; c < 3; ++c) {
            product -= static_cast<long long>(window.sum[c] * pattern.sum[c]);
            square -= static_cast<long long>(window.sum[c] * window.sum[c]);
        }
        covariance = static_cast<double>(product);
        variance = static_cast<double>(square);
        return;
    }
    Wide product = static_cast<Wide>(pattern.area) * static_cast<Wide>(window.product);
    Wide square = static_cast<Wide>(pattern.area) * static_cast<Wide>(window.square);
    for (int c = 0; c < 3; ++c) {
        product -= static_cast<Wide>(window.sum[c]) * static_cast<Wide>(pattern.sum[c]);
        square -= static_cast<Wide>(window.sum[c]) * static_cast<Wide>(window.sum[c]);
    }
    covariance = to_double(product);
    variance = to_double(square);
}

// The score of template_find, CCOEFF_NORMED of template_map.
VEDETTE_CUDA_BOTH inline double score_of(const TemplateSums& pattern, const WindowSums& window) {
    double covariance = 0;
    double variance = 0;
    moments_of(pattern, window, covariance, variance);
    if (variance == 0 || pattern.variance == 0) return 0;
    const double score = covariance / sqrt(variance * pattern.variance);
    if (score > 1) return 1;
    return score < -1 ? -1 : score;
}

VEDETTE_CUDA_BOTH inline double map_value(const TemplateSums& pattern, const WindowSums& window, MatchMethod method) {
    switch (method) {
        case MatchMethod::ccoeff_normed:
            return score_of(pattern, window);
        case MatchMethod::ccoeff: {
            double covariance = 0;
            double variance = 0;
            moments_of(pattern, window, covariance, variance);
            return pattern.area == 0 ? 0 : covariance / static_cast<double>(pattern.area);
        }
        default:
            break;
    }
    const auto product = static_cast<long long>(window.product);
    const auto square = static_cast<long long>(window.square);
    const auto own = static_cast<long long>(pattern.square);
    const double norm = sqrt(static_cast<double>(square) * static_cast<double>(own));
    if (method == MatchMethod::ccorr) return static_cast<double>(product);
    if (method == MatchMethod::ccorr_normed) {
        const double value = norm == 0 ? 0 : static_cast<double>(product) / norm;
        return value > 1 ? 1 : value;
    }
    const long long difference = square + own - 2 * product;
    if (method == MatchMethod::sqdiff) return static_cast<double>(difference);
    if (norm == 0) return difference == 0 ? 0 : 1;
    const double value = static_cast<double>(difference) / norm;
    return pattern.given_mask || value < 1 ? value : 1;  // OpenCV caps the value without a mask only
}

}  // namespace vedette::cuda
