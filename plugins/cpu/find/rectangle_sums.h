// Sums of values over rectangles.
#pragma once

#include <cstddef>
#include <vector>

namespace vedette::cpu::find {

// set() takes w x h values, of() gives the sum over a rectangle. All sums fit T.
template <class T>
class RectangleSumsOf {
public:
    template <class Value>
    void set(int w, int h, const Value& value) {
        stride_ = static_cast<std::size_t>(w) + 1;
        sums_.assign(stride_ * (static_cast<std::size_t>(h) + 1), 0);
        for (int y = 0; y < h; ++y) {
            T row = 0;
            T* const out = sums_.data() + (static_cast<std::size_t>(y) + 1) * stride_ + 1;
            for (int x = 0; x < w; ++x) {
                row += value(x, y);
                out[x] = row + out[x - static_cast<std::ptrdiff_t>(stride_)];
            }
        }
    }
    T of(int x, int y, int w, int h) const {
        const T* const a = sums_.data() + static_cast<std::size_t>(y) * stride_ + static_cast<std::size_t>(x);
        const T* const b = a + static_cast<std::size_t>(h) * stride_;
        return b[w] - b[0] - a[w] + a[0];
    }

private:
    std::size_t stride_ = 0;
    std::vector<T> sums_;
};

using RectangleSums = RectangleSumsOf<double>;

}  // namespace vedette::cpu::find
