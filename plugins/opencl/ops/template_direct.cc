#include "template_direct.h"

#include <vedette/plugin/cpp/check.hpp>
#include <vedette/plugin/cpp/cost.hpp>

#include <string>

namespace vedette::opencl {

namespace {

// As in kernels/template_direct.cl.
constexpr std::uint32_t chunk_rows = 8, chunk_columns = 32;
constexpr std::uint32_t most_across = 16;

// Multiplications of one launch: a tenth of a second of a small integrated GPU, whose driver may take a launch of
// seconds for a hang.
constexpr double launch_work = 0x1p35;

// n * 255^2 for every channel stays below 2^32.
bool is_small(const TemplateShape& shape) {
    return static_cast<double>(shape.width) * shape.height * shape.channels * 65025 < 0x1p32;
}

// n^2 * 255^2 for every channel, the largest moment, stays below 2^63.
bool is_wide(const TemplateShape& shape) {
    const double area = static_cast<double>(shape.width) * shape.height;
    return area * area * 65025.0 * shape.channels >= 9.2e18;
}

std::uint32_t group_of(const DeviceLimits& limits) {
    // Processors keep what each work-item of a group holds between barriers in memory: small groups stay in the first
    // cache.
    return limits.kind == Kind::cpu ? 64 : 256;
}

}  // namespace

TemplateSearch template_search(const vdt_image& scene, const vdt_rect& region, const TemplateShape& shape) noexcept {
    TemplateSearch search;
    search.width = scene.width;
    search.height = scene.height;
    search.channels = shape.channels;
    search.left = static_cast<std::uint32_t>(region.x);
    search.top = static_cast<std::uint32_t>(region.y);
    search.columns = static_cast<std::uint32_t>(region.w) - shape.width + 1;
    search.rows = static_cast<std::uint32_t>(region.h) - shape.height + 1;
    search.pattern_width = shape.width;
    search.pattern_height = shape.height;
    search.pattern_stride = TemplatePattern::stride(shape.width);
    return search;
}

void check_template_memory(const Device& device, const char* name, const TemplateShape& shape, double columns,
                           double rows, double position_bytes) {
    const double most = static_cast<double>(device.limits().largest_allocation);
    const double needed = std::max(static_cast<double>(TemplatePattern::device_floats(shape)) * sizeof(float),
                                   columns * rows * position_bytes);
    if (needed > most)
        throw Failure(VDT_E_UNSUPPORTED_SIZE,
                      std::string(name) + ": a pattern of " + plugin::size_text(shape.width, shape.height) +
                          " on this scene takes a buffer of " + std::to_string(static_cast<std::uint64_t>(needed)) +
                          " bytes, this device allows " + std::to_string(device.limits().largest_allocation));
}

DirectSums::DirectSums(const Device& device, const char* file, const char* kernel, const TemplateShape& shape) {
    const std::string defines =
        std::string("-D MASKED=") + (shape.masked ? "1" : "0") + " -D SUM=" + (is_small(shape) ? "uint" : "ulong") +
        " -D WIDE=" + (is_wide(shape) ? "1" : "0") + " -D SLIDE=" + (device.limits().kind == Kind::cpu ? "0" : "1");
    kernel_ = device.programs.kernel(file, kernel, defines);
    const auto items = static_cast<std::uint32_t>(group_within(kernel_, group_of(device.limits()), most_across));
    across_ = std::min(most_across, items);
    down_ = items / across_;
    while (down_ > 1 && tile_bytes() > device.limits().local_bytes / 2) --down_;
}

std::size_t DirectSums::tile_bytes() const noexcept {
    return sizeof(float) * (down_ + chunk_rows - 1) * (std::size_t{across_} * lanes + chunk_columns);
}

std::uint32_t DirectSums::band_rows(const TemplateSearch& search) const noexcept {
    const double row_work =
        static_cast<double>(search.columns) * search.pattern_width * search.pattern_height * search.channels;
    const double rows = std::min<double>(launch_work / row_work, search.rows);
    return std::max(down_, static_cast<std::uint32_t>(rows) / down_ * down_);
}

void DirectSums::add_cost(vdt_cost& cost, const Device& device, const TemplateShape& shape, double columns, double rows,
                          double out_bytes) {
    // Operations of a score or value in double precision, or in the integers that stand for it.
    const double score_operations = device.limits().doubles ? 60 : 1500;
    const double positions = columns * rows;
    const double pixels = static_cast<double>(shape.width) * shape.height * shape.channels;
    const double group = group_of(device.limits()), down = group / most_across;
    // Pixels that enter the tile of a group, for each pixel of the pattern and position: rows above and columns beside.
    const double chunk_height = std::min<double>(chunk_rows, shape.height);
    const double chunk_width = std::min<double>(chunk_columns, shape.width);
    const double tile =
        (1 + (chunk_height - 1) / down) / chunk_height * (1 + chunk_width / (most_across * lanes)) / chunk_width;
    // A fused operation for the product; sums at the ends or of each; three operations for a pixel that enters.
    const double operations = pixels * ((shape.masked ? 4 : 1.4) + 3 * tile) + score_operations;
    const double scene = (columns + shape.width - 1) * (rows + shape.height - 1) * shape.channels;
    vdt_cost_stage stage = plugin::even_stage(
        positions * operations, lanes * operations, positions / lanes,
        scene + static_cast<double>(TemplatePattern::device_floats(shape)) * sizeof(float) + out_bytes * positions,
        transaction_bytes);
    stage.shared_refs = positions * pixels * (1.0 / lanes + tile);
    plugin::add_launch(cost, stage);
    const double launches = positions * pixels / launch_work;
    if (launches > 1) cost.launches += static_cast<std::uint32_t>(std::min(launches, 1e6));
    cost.shared_bytes = std::max<std::uint64_t>(
        cost.shared_bytes,
        static_cast<std::uint64_t>(sizeof(float) * (down + chunk_rows - 1) * (most_across * lanes + chunk_columns)));
}

}  // namespace vedette::opencl
