// Direct sums over the windows of all positions: the form of kernels/template_direct.cl for a pattern, its launches and
// their counts.
#pragma once

#include "template_pattern.h"

#include <vedette/plugin/cpp/loop.hpp>

#include <algorithm>

namespace vedette::opencl {

// TemplateSearch of the kernels.
struct TemplateSearch {
    std::uint32_t width = 0, height = 0;
    std::uint32_t channels = 1;
    std::uint32_t left = 0, top = 0;
    std::uint32_t columns = 0, rows = 0;
    std::uint32_t first_row = 0;
    std::uint32_t pattern_width = 0, pattern_height = 0;
    std::uint32_t pattern_stride = 0;
};
static_assert(sizeof(TemplateSearch) == 44);

// The search of a pattern that fits into `region` of a scene.
TemplateSearch template_search(const vdt_image& scene, const vdt_rect& region, const TemplateShape& shape) noexcept;

// Throws Failure when the pattern, or `position_bytes` for each of columns x rows positions, do not fit into one
// allocation of the device. `name` of the operation.
void check_template_memory(const Device& device, const char* name, const TemplateShape& shape, double columns,
                           double rows, double position_bytes);

// One kernel for patterns of one shape.
class DirectSums {
public:
    DirectSums() = default;
    DirectSums(const Device& device, const char* file, const char* kernel, const TemplateShape& shape);

    explicit operator bool() const noexcept { return static_cast<bool>(kernel_); }
    const Kernel& kernel() const noexcept { return kernel_; }

    // Calls start(range, search, tile) for bands of rows that are short enough for a screen that the same device
    // draws; between bands waits, and looks whether the call was cancelled.
    template <class Start>
    void run(const Device& device, cl::Queue queue, const vdt_call& call, TemplateSearch search,
             const Start& start) const {
        const std::uint32_t step = band_rows(search);
        for (search.first_row = 0; search.first_row < search.rows; search.first_row += step) {
            if (search.first_row != 0) {
                finish(queue);
                plugin::throw_if_cancelled(*device.host, call.token);
            }
            const std::size_t rows = std::min(step, search.rows - search.first_row);
            start(cover({(std::size_t{search.columns} + lanes - 1) / lanes, rows}, {across_, down_}), search,
                  LocalBytes{tile_bytes()});
        }
    }

    // Counts of one search; `out_bytes` of each position.
    static void add_cost(vdt_cost& cost, const Device& device, const TemplateShape& shape, double columns, double rows,
                         double out_bytes);

private:
    static constexpr std::uint32_t lanes = 8;  // positions of a work-item

    std::uint32_t band_rows(const TemplateSearch& search) const noexcept;
    std::size_t tile_bytes() const noexcept;

    Kernel kernel_;
    std::uint32_t across_ = 1, down_ = 1;  // work-items of a group
};

}  // namespace vedette::opencl
