// The sums that scores are made of, exact, for every position of a pattern on a scene.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>
#include <vector>

namespace vedette::opencv {

// Products of sums: a pattern of more than 6.8 million pixels would leave 64 bits.
__extension__ typedef __int128 Wide;

// Of one position, over the pixels taken by the mask: I scene, T pattern, n pixels; sums over all channels c.
struct Moments {
    std::int64_t product = 0;  // sum I T
    std::int64_t squares = 0;  // sum I^2
    Wide covariance = 0;       // sum_c (n sum I_c T_c - sum I_c sum T_c)
    Wide variance = 0;         // sum_c (n sum I_c^2 - (sum I_c)^2)
};

// A pattern made ready to be correlated with scenes of one size. Immutable: any number of threads may use it.
//
// Correlations are products of spectra in double, tile by tile, and their results, which are whole numbers, are
// rounded. A transform of N values errs by less than 7 log2(N) 2^-53 of their root-sum-square (Higham, Accuracy and
// Stability of Numerical Algorithms, chapter 24), so the three transforms of a correlation by less than
//   21 log2(N) 2^-53 |I| |T|,  |I| <= 255 sqrt(N channels), |T| <= 255 sqrt(n channels)
// (of squares with a mask: |I^2| <= 3 * 255^2 sqrt(N), |mask| <= sqrt(n)). With N, n <= 2^24 and three channels that is
// 0.18, where rounding allows 0.5; with a tile of 512 x 512 and a pattern of 64 x 64 it is 0.0003.
class WindowSums {
public:
    // Whether a pattern of this size can be transformed at all.
    static bool can_hold(const cv::Size& pattern, const cv::Size& scene);

    // `pattern` CV_8U with 1 or 3 channels; `mask` CV_8U of its size (0 = ignored) or empty; `scene`: the size of
    // scenes, at least the pattern's.
    WindowSums(const cv::Mat& pattern, const cv::Mat& mask, const cv::Size& scene);

    std::int64_t count() const { return count_; }      // n
    std::int64_t squares() const { return squares_; }  // sum T^2
    Wide variance() const;                             // sum_c (n sum T_c^2 - (sum T_c)^2)

    // Pieces of the positions, to be computed one by one.
    const std::vector<cv::Rect>& tiles() const { return tiles_; }

    // Moments of all positions of `tile` on `scene` (of the pattern's type); position (x, y) of the scene has
    // row y - tile.y, column x - tile.x.
    class Tile;
    Tile sums(const cv::Mat& scene, const cv::Rect& tile) const;

private:
    cv::Mat transformed(const cv::Mat& channel) const;

    cv::Size pattern_size_, transform_size_;
    std::vector<cv::Rect> tiles_;
    std::vector<cv::Mat> pattern_spectra_;  // of the channels, ignored pixels 0
    cv::Mat mask_spectrum_;                 // empty: no mask
    std::int64_t count_ = 0;
    std::vector<std::int64_t> sums_;  // of the channels
    std::int64_t squares_ = 0;
};

class WindowSums::Tile {
public:
    Moments at(int row, int column) const;

private:
    friend class WindowSums;
    const WindowSums* pattern_ = nullptr;
    cv::Mat product_, squares_, sums_;  // CV_64F; `sums_` has the scene's channels
};

}  // namespace vedette::opencv
