#include "ops/cascade_search.h"

#include <cascade/axis.h>
#include <cascade/whole_leaves.h>
#include <runtime/launch.h>
#include <runtime/stream.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "operands.h"
#include "ops/cascade_program.h"

namespace vedette::cuda_plugin {

namespace {

// Scaled images of a batch together, unless one alone is larger. With a scale factor of 1.1 they are five times the
// source: a screen of 3840 x 2160 is one batch, of some two milliseconds (estimate), and the call's limits are heeded
// between those of larger ones.
constexpr std::size_t batch_bytes = std::size_t{64} << 20;
constexpr std::uint32_t least_capacity = 1u << 16;
// When set, each call logs how many of the lanes' places were needed in each stage.
constexpr const char* count_variable = "VEDETTE_CUDA_COUNT_LANES";

void upload(void* to, const void* from, std::size_t bytes) {
    cuda::check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copying a cascade to the device");
}

std::uint32_t divided(std::int32_t extent, std::int32_t size) {
    return static_cast<std::uint32_t>((extent + size - 1) / size);
}

// Tables of all levels' axes, one after another.
struct Axes {
    std::vector<std::int32_t> first;
    std::vector<std::uint16_t> weight;

    std::size_t append(int source, int scaled) {
        const cascade::Axis axis = cascade::resampling_axis(source, scaled);
        const std::size_t at = first.size();
        first.insert(first.end(), axis.first.begin(), axis.first.end());
        weight.insert(weight.end(), axis.weight.begin(), axis.weight.end());
        return at;
    }
};

}  // namespace

CascadeSearch::CascadeSearch(const Device& device, const cascade::Model& model, const cascade::Search& search,
                             std::int32_t width, std::int32_t height, cuda::CascadeVariant variant)
    : device_(device),
      pace_(device),
      kind_(kind_of(model)),
      variant_(variant),
      counts_lanes_(std::getenv(count_variable) != nullptr) {
    for (const cascade::Scale& scale : cascade::scales_of(model, search, width, height))
        if (scale.columns != 0 && scale.rows != 0) scales_.push_back(scale);
    if (scales_.empty()) return;
    for (const int step : {1, 2}) {
        layouts_[step - 1] = cuda::cascade_layout(device.cuda.limits, step, model.width, model.height, model.has_tilted,
                                                  cached_stumps_of(model));
        if (layouts_[step - 1].bytes == 0)
            throw Failure(VDT_E_UNSUPPORTED, "cascade_detect: the sums under a window of " +
                                                 std::to_string(model.width) + " x " + std::to_string(model.height) +
                                                 " pixels do not fit into this GPU's shared memory; use another "
                                                 "backend for this cascade");
        upload_program(model, step);
    }
    make_batches(model, width, height);
    counters_ = cuda::Block<std::byte>(device.cuda.memory, counted_stages() * sizeof(cuda::CascadeCounts) +
                                                               (1 + batches_.size()) * sizeof(std::uint32_t));
    counters_on_host_ = cuda::Block<std::byte>(device.cuda.pinned, counters_.size());
    grow(least_capacity);
    cuda::prepare_cascade(batches_.front());
    // Copies of ordinary memory may still be under way on the default stream, which ours do not wait for.
    cuda::synchronize(nullptr);
}

void CascadeSearch::upload_program(const cascade::Model& model, int step) {
    const CascadeImage image = image_of(model, layouts_[step - 1]);
    cuda::Block<std::byte>& memory = program_memory_[step - 1];
    memory = cuda::Block<std::byte>(device_.cuda.memory, image.bytes.size());
    upload(memory.data(), image.bytes.data(), image.bytes.size());
    programs_[step - 1] = image.at(memory.data());
}

void CascadeSearch::make_batches(const cascade::Model& model, std::int32_t width, std::int32_t height) {
    Axes axes;
    std::vector<cuda::CascadeLevel> levels;
    std::vector<std::size_t> column_at, row_at, pixels_at;
    std::size_t most_bytes = 0;
    std::uint32_t most_tiles = 0;
    std::size_t bytes = 0;  // of the batch's images
    for (std::size_t index = 0; index < scales_.size(); ++index) {
        const cascade::Scale& scale = scales_[index];
        const bool is_source = scale.width == width && scale.height == height;
        cuda::CascadeLevel level{};
        level.pitch = pitch_of(static_cast<std::size_t>(scale.width));
        level.width = scale.width;
        level.height = scale.height;
        level.columns = scale.columns;
        level.rows = scale.rows;
        level.step = scale.step;
        const std::size_t level_bytes = is_source ? 0 : level.pitch * static_cast<std::size_t>(scale.height);
        if (batches_.empty() || (bytes != 0 && bytes + level_bytes > batch_bytes)) {
            cuda::CascadeBatch batch{};
            batch.first_level = static_cast<std::uint32_t>(index);
            batches_.push_back(batch);
            bytes = 0;
        }
        cuda::CascadeBatch& batch = batches_.back();
        const cuda::CascadeLayout& layout = layouts_[scale.step - 1];
        level.tiles_across = static_cast<std::int32_t>(divided(scale.columns, layout.columns));
        level.first_tile = batch.tiles;
        level.first_block = batch.blocks;
        batch.tiles += static_cast<std::uint32_t>(level.tiles_across) * divided(scale.rows, layout.rows);
        if (!is_source)
            batch.blocks +=
                divided(scale.width, cuda::cascade_block_width) * divided(scale.height, cuda::cascade_block_height);
        ++batch.level_count;
        column_at.push_back(is_source ? 0 : axes.append(width, scale.width));
        row_at.push_back(is_source ? 0 : axes.append(height, scale.height));
        pixels_at.push_back(bytes);
        bytes += level_bytes;
        most_bytes = std::max(most_bytes, bytes);
        most_tiles = std::max(most_tiles, batch.tiles);
        levels.push_back(level);
    }
    const auto& memory = device_.cuda.memory;
    scaled_ = cuda::Block<std::uint8_t>(memory, std::max<std::size_t>(most_bytes, 1));
    axes_ = cuda::Block<std::byte>(memory, std::max<std::size_t>(axes.first.size(), 1) * 6);
    auto* const first = reinterpret_cast<std::int32_t*>(axes_.data());
    auto* const weight = reinterpret_cast<std::uint16_t*>(axes_.data() + axes.first.size() * 4);
    upload(first, axes.first.data(), axes.first.size() * 4);
    upload(weight, axes.weight.data(), axes.weight.size() * 2);
    for (std::size_t index = 0; index < levels.size(); ++index) {
        cuda::CascadeLevel& level = levels[index];
        if (level.width == width && level.height == height) continue;
        level.column = first + column_at[index];
        level.row = first + row_at[index];
        level.column_weight = weight + column_at[index];
        level.row_weight = weight + row_at[index];
        level.pixels = scaled_.data() + pixels_at[index];
    }
    levels_ = cuda::Block<cuda::CascadeLevel>(memory, levels.size());
    upload(levels_.data(), levels.data(), levels.size() * sizeof levels.front());
    const auto tile_words = [](const cuda::CascadeLayout& layout) {
        return static_cast<std::size_t>(layout.columns * layout.rows + 31) / 32;
    };
    bitmap_ = cuda::Block<unsigned>(memory, most_tiles * std::max(tile_words(layouts_[0]), tile_words(layouts_[1])));
    const double area = static_cast<double>(model.width - 2) * (model.height - 2);
    for (cuda::CascadeBatch& batch : batches_) {
        batch.levels = levels_.data() + batch.first_level;
        batch.kind = kind_;
        batch.variant = variant_;
        std::copy(std::begin(layouts_), std::end(layouts_), batch.layout);
        std::copy(std::begin(programs_), std::end(programs_), batch.program);
        batch.window_width = model.width;
        batch.window_height = model.height;
        batch.norm_area = area;
        batch.norm_limit = cascade::flat_norm(area);
        batch.bitmap = bitmap_.data();
    }
}

CascadeSearch::Counters CascadeSearch::counters_at(std::byte* memory) const noexcept {
    auto* const lanes = reinterpret_cast<cuda::CascadeCounts*>(memory);
    auto* const windows = reinterpret_cast<std::uint32_t*>(lanes + counted_stages());
    return {counts_lanes_ ? lanes : nullptr, windows, windows + 1};
}

void CascadeSearch::grow(std::uint32_t windows) {
    capacity_ = windows;
    found_ = cuda::Block<cuda::CascadeWindow>(device_.cuda.memory, capacity_);
    kept_ = cuda::Block<cuda::CascadeWindow>(device_.cuda.pinned, capacity_);
    const Counters counters = counters_at(counters_.data());
    for (std::size_t index = 0; index < batches_.size(); ++index) {
        cuda::CascadeBatch& batch = batches_[index];
        batch.windows = found_.data();
        batch.found = counters.found + index;
        batch.capacity = capacity_;
        batch.kept = kept_.data();
        batch.kept_count = counters.kept;
        batch.kept_capacity = capacity_;
        batch.counts = counters.lanes;
    }
}

std::uint32_t CascadeSearch::missing() const {
    const Counters counters = counters_at(counters_on_host_.data());
    const std::uint32_t most =
        std::max(*counters.kept, *std::max_element(counters.found, counters.found + batches_.size()));
    return most > capacity_ ? most : 0;
}

void CascadeSearch::log_lanes() const {
    const Counters counters = counters_at(counters_on_host_.data());
    for (std::size_t stage = 0; stage < counted_stages(); ++stage) {
        const std::string text =
            "cascade_detect: stage " + std::to_string(stage + 1) + " of " + std::to_string(counted_stages()) + ": of " +
            std::to_string(counters.lanes[stage].issued) + " places of lanes for weak classifiers " +
            std::to_string(counters.lanes[stage].needed) + " were needed";
        device_.host->log(device_.host->ctx, VDT_LOG_INFO, text.c_str());
    }
}

const std::vector<cuda::CascadeWindow>& CascadeSearch::run(const cuda::View<const std::uint8_t>& image,
                                                           cudaStream_t stream, vdt_token* token) {
    sorted_.clear();
    pace_.start(token, stream);
    if (batches_.empty()) return sorted_;
    for (;;) {
        cuda::check(cudaMemsetAsync(counters_.data(), 0, counters_.size(), stream), "clearing counters");
        for (cuda::CascadeBatch& batch : batches_) {
            pace_.step();
            batch.source = image;
            cuda::run_cascade(batch, stream);
        }
        cuda::check(cudaMemcpyAsync(counters_on_host_.data(), counters_.data(), counters_.size(),
                                    cudaMemcpyDeviceToHost, stream),
                    "reading counters");
        cuda::synchronize(stream);
        pace_.check();
        const std::uint32_t needed = missing();
        if (needed == 0) break;
        grow(needed + needed / 4);
    }
    if (counts_lanes_) log_lanes();
    sorted_.assign(kept_.data(), kept_.data() + *counters_at(counters_on_host_.data()).kept);
    std::sort(sorted_.begin(), sorted_.end(), [](const cuda::CascadeWindow& a, const cuda::CascadeWindow& b) {
        if (a.level != b.level) return a.level < b.level;
        return a.row != b.row ? a.row < b.row : a.column < b.column;
    });
    return sorted_;
}

}  // namespace vedette::cuda_plugin
