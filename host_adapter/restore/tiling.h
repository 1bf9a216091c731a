// An image cut into overlapping squares and put together again, for operations that take squares with wrap-around.
#pragma once

#include <cstdint>
#include <vector>

namespace vedette::host {

// 8-bit colour channels as floats, one plane after the other, each width x height.
struct FloatPlanes {
    int width = 0, height = 0, channels = 0;
    std::vector<float> values;

    FloatPlanes(int w, int h, int c)
        : width(w),
          height(h),
          channels(c),
          values(static_cast<std::size_t>(w) * static_cast<std::size_t>(h) * static_cast<std::size_t>(c)) {}
    float& at(int channel, int x, int y) { return values[index(channel, x, y)]; }
    float at(int channel, int x, int y) const { return values[index(channel, x, y)]; }

private:
    std::size_t index(int channel, int x, int y) const {
        return (static_cast<std::size_t>(channel) * static_cast<std::size_t>(height) + static_cast<std::size_t>(y)) *
                   static_cast<std::size_t>(width) +
               static_cast<std::size_t>(x);
    }
};

// Where tiles lie. Of a tile's pixels the outermost `margin` on each side are not used: what comes from outside the
// tile, or round its edge, reaches them only. The next `ramp` are blended with the neighbour's, with weights that add
// up to 1, so that no seam shows.
class Tiling {
public:
    // `reach`: of the point-spread function, at most side / 8.
    Tiling(int width, int height, int reach);

    int side() const { return side_; }
    int columns() const { return columns_; }
    int rows() const { return rows_; }

    // The tile's pixels, side x side. Outside the image it goes on mirrored. Towards its own edges the two opposite
    // sides run into each other, so that the wrap-around finds no step there.
    void read(const FloatPlanes& image, int channel, int column, int row, float* tile) const;
    // Adds the tile's share to `sum`, which begins with zeros.
    void add(const float* tile, int channel, int column, int row, FloatPlanes& sum) const;

private:
    int width_, height_, margin_, side_ = 0;
    int columns_ = 1, rows_ = 1;
    std::vector<float> weight_;  // of a tile's column or row
};

}  // namespace vedette::host
