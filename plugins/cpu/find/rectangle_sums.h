// Sums of values over rectangles, in double.
#pragma once

#include <cstddef>
#include <vector>

namespace vedette::cpu::find {

// set() takes w x h values, of() gives the sum over a rectangle.
class RectangleSums {
public:
    template <class Value>
    void set(int w, int h, const Value& value) {
        stride_ = static_cast<std::size_t>(w) + 1;
        sums_.assign(stride_ * (static_cast<std::size_t>(h) + 1), 0);
        for (int y = 0; y < h; ++y) {
            double row = 0;
            double* const out = sums_.data() + (static_cast<std::size_t>(y) + 1) * stride_ + 1;
            for (int x = 0; x < w; ++x) {
                row += value(x, y);
                out[x] = row + out[x - static_cast<std::ptrdiff_t>(stride_)];
            }
        }
    }
    double of(int x, int y, int w, int h) const {
        const double* const a = sums_.data() + static_cast<std::size_t>(y) * stride_ + static_cast<std::size_t>(x);
        const double* const b = a + static_cast<std::size_t>(h) * stride_;
        return b[w] - b[0] - a[w] + a[0];
    }

private:
    std::size_t stride_ = 0;
    std::vector<double> sums_;
};

}  // namespace vedette::cpu::find
