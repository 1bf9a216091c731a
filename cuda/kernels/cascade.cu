// The three kernels of cascade_detect, and how tiles are laid out.
#include "kernels/cascade.h"

#include "device/shared.cuh"
#include "kernels/cascade_search.cuh"
#include "runtime/launch.h"

#include <algorithm>

namespace vedette::cuda {

namespace {

// The level that has number `at` of the tiles or blocks, which are numbered level by level.
template <std::uint32_t CascadeLevel::*first>
__device__ __forceinline__ unsigned level_with(const CascadeLevel* levels, unsigned count, unsigned at) {
    unsigned low = 0;
    for (unsigned high = count; high - low > 1;) {
        const unsigned middle = (low + high) / 2;
        if (levels[middle].*first <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// A block: 128 x 32 pixels of a scaled image; a thread four pixels of every eighth row. Exactly as cv::resize with
// INTER_LINEAR_EXACT. Bytes: four neighbours a pixel, mostly from the L2 (the source is read by all levels), one byte
// out; about 12 operations a pixel.
__global__ __launch_bounds__(256) void scale_levels(const __grid_constant__ CascadeBatch batch) {
    const unsigned number = level_with<&CascadeLevel::first_block>(batch.levels, batch.level_count, blockIdx.x);
    const CascadeLevel level = batch.levels[number];
    if (level.column == nullptr) return;
    const unsigned across = static_cast<unsigned>(level.width + cascade_block_width - 1) / cascade_block_width;
    const unsigned block = blockIdx.x - level.first_block;
    const int x = static_cast<int>(block % across) * cascade_block_width + 4 * static_cast<int>(threadIdx.x);
    const int top = static_cast<int>(block / across) * cascade_block_height + static_cast<int>(threadIdx.y);
    if (x >= level.width) return;
    int column[4];
    unsigned weight[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int at = min(x + k, level.width - 1);
        column[k] = level.column[at];
        weight[k] = level.column_weight[at];
    }
    for (int y = top; y < min(level.height, top + cascade_block_height); y += 8) {
        const unsigned down = level.row_weight[y];
        const std::uint8_t* const above = batch.source.row(level.row[y]);
        const std::uint8_t* const below = batch.source.row(level.row[y] + 1);
        unsigned four = 0;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int at = column[k];
            const unsigned left = above[at] * (256 - down) + below[at] * down;
            const unsigned right = above[at + 1] * (256 - down) + below[at + 1] * down;
            four |= (left * (256 - weight[k]) + right * weight[k] + 32768) >> 16 << 8 * k;
        }
        *reinterpret_cast<unsigned*>(level.pixels + static_cast<std::size_t>(y) * level.pitch + x) = four;
    }
}

// A block: a tile of windows. Shared memory: the table of sums, norms, queues (before them the pixels, in their place),
// the bit map and the first stumps. Work: the table about 20 operations a pixel, twice for Haar; then the stumps that
// windows meet, about 8 loads from shared memory each. Floor: those loads at 32 a clock and multiprocessor.
template <CascadeKind kind, bool straight, bool counting>
__global__ __launch_bounds__(cascade_threads, 2) void search_tiles(const __grid_constant__ CascadeBatch batch) {
    __shared__ unsigned counts[3][32];
    __shared__ unsigned level_number;
    auto* const shared = dynamic_shared<unsigned char>();
    constexpr bool haar = kind != CascadeKind::lbp;
    if (threadIdx.x == 0)
        level_number = level_with<&CascadeLevel::first_tile>(batch.levels, batch.level_count, blockIdx.x);
    if (threadIdx.x < 96) counts[threadIdx.x / 32][threadIdx.x % 32] = 0;
    __syncthreads();
    const CascadeLevel& level = batch.levels[level_number];
    const CascadeLayout& layout = batch.layout[level.step - 1];
    const CascadeProgram& program = batch.program[level.step - 1];
    const unsigned tile = blockIdx.x - level.first_tile;
    CascadeTileState s;
    s.batch = &batch;
    s.layout = &layout;
    s.program = &program;
    s.table = reinterpret_cast<unsigned*>(shared);
    s.norm = reinterpret_cast<float*>(shared + layout.norm_at);
    s.lists = reinterpret_cast<std::uint16_t*>(shared + layout.lists_at);
    s.bitmap = reinterpret_cast<unsigned*>(shared + layout.bitmap_at);
    auto* const stumps = reinterpret_cast<uint4*>(shared + layout.stumps_at);
    s.stumps = reinterpret_cast<const CascadeStump*>(stumps);
    s.counts = counts;
    s.level = batch.first_level + level_number;
    s.column = tile % static_cast<unsigned>(level.tiles_across) * static_cast<unsigned>(layout.columns);
    s.row = tile / static_cast<unsigned>(level.tiles_across) * static_cast<unsigned>(layout.rows);

    auto* const pixels = shared + layout.lists_at;
    const bool is_source = level.column == nullptr;
    load_pixels(layout, is_source ? batch.source.data : level.pixels, is_source ? batch.source.stride : level.pitch,
                level.width, level.height, static_cast<int>(s.column) * level.step,
                static_cast<int>(s.row) * level.step, pixels);
    if constexpr (kind == CascadeKind::stumps)
        for (unsigned word = threadIdx.x; word < program.cached_stumps * 3; word += cascade_threads)
            stumps[word] = reinterpret_cast<const uint4*>(program.stumps)[word];
    __syncthreads();
    if constexpr (haar) {
        sum_pixels<true>(layout, pixels, s.table);
        const auto windows = static_cast<unsigned>(layout.columns * layout.rows);
        for (unsigned window = threadIdx.x; window < windows; window += cascade_threads) {
            const unsigned* const at = s.table + window_place(layout, window);
            s.norm[window] = __uint_as_float(at[layout.norm_place[0]] - at[layout.norm_place[1]] -
                                             at[layout.norm_place[2]] + at[layout.norm_place[3]]);
        }
        __syncthreads();
    }
    sum_pixels<false>(layout, pixels, s.table);
    if (haar && layout.tilted != 0) tilt_sums(layout, s.table);

    const unsigned columns = static_cast<unsigned>(level.columns) - s.column;
    const unsigned rows = static_cast<unsigned>(level.rows) - s.row;
    if constexpr (straight)
        search_straight<kind, counting>(s, columns, rows);
    else
        search_compacted<kind, counting>(s, columns, rows);
    __syncthreads();
    const auto words = static_cast<unsigned>(layout.columns * layout.rows + 31) / 32;
    // Tiles of one step have equally many words; those of the other step at most as many.
    const auto pitch =
        static_cast<unsigned>(
            max(batch.layout[0].columns * batch.layout[0].rows, batch.layout[1].columns * batch.layout[1].rows) + 31) /
        32;
    for (unsigned word = threadIdx.x; word < words; word += cascade_threads)
        batch.bitmap[std::size_t{blockIdx.x} * pitch + word] = s.bitmap[word];
}

// A thread: one window that passed. OpenCV skips the window that follows one which the first stage rejects, and a
// skipped one rejects nothing: so of a run of windows that it would reject every second one is visited, from the first
// on, and the window after the run is visited if the run is of even length.
__global__ __launch_bounds__(256) void drop_skipped(const __grid_constant__ CascadeBatch batch) {
    const unsigned found = min(*batch.found, batch.capacity);
    const auto pitch =
        static_cast<unsigned>(
            max(batch.layout[0].columns * batch.layout[0].rows, batch.layout[1].columns * batch.layout[1].rows) + 31) /
        32;
    for (unsigned index = blockIdx.x * blockDim.x + threadIdx.x; index < found; index += gridDim.x * blockDim.x) {
        const CascadeWindow window = batch.windows[index];
        const CascadeLevel& level = batch.levels[window.level - batch.first_level];
        const CascadeLayout& layout = batch.layout[level.step - 1];
        const auto columns = static_cast<unsigned>(layout.columns);
        const auto rows = static_cast<unsigned>(layout.rows);
        const unsigned first_tile = level.first_tile + window.row / rows * static_cast<unsigned>(level.tiles_across);
        bool even = true;
        for (unsigned column = window.column; column > 0; even = !even) {
            --column;
            const unsigned place = window.row % rows * columns + column % columns;
            const unsigned word = batch.bitmap[std::size_t{first_tile + column / columns} * pitch + place / 32];
            if ((word >> place % 32 & 1) != 0) break;
        }
        if (!even) continue;
        const unsigned place = atomicAdd(batch.kept_count, 1u);
        if (place < batch.kept_capacity) batch.kept[place] = window;
    }
}

using SearchKernel = void (*)(const CascadeBatch);

template <CascadeKind kind>
SearchKernel search_kernel(bool straight, bool counting) {
    if (straight) return counting ? search_tiles<kind, true, true> : search_tiles<kind, true, false>;
    return counting ? search_tiles<kind, false, true> : search_tiles<kind, false, false>;
}

SearchKernel search_kernel(const CascadeBatch& batch) {
    const bool straight = batch.variant == CascadeVariant::straight;
    const bool counting = batch.counts != nullptr;
    switch (batch.kind) {
        case CascadeKind::stumps:
            return search_kernel<CascadeKind::stumps>(straight, counting);
        case CascadeKind::trees:
            return search_kernel<CascadeKind::trees>(straight, counting);
        case CascadeKind::lbp:
            break;
    }
    return search_kernel<CascadeKind::lbp>(straight, counting);
}

std::uint32_t shared_bytes(const CascadeBatch& batch) {
    return std::max(batch.layout[0].bytes, batch.layout[1].bytes);
}

std::uint32_t rounded(std::uint32_t bytes) {
    return (bytes + 15) / 16 * 16;
}

// A tile of the windows at `width` x `height` pixels.
CascadeLayout layout_of(std::int32_t width, std::int32_t height, std::int32_t step, std::int32_t window_width,
                        std::int32_t window_height, bool tilted, std::uint32_t cached_stumps) {
    CascadeLayout layout{};
    layout.step = step;
    layout.columns = width / step;
    layout.rows = height / step;
    layout.pixel_width = (layout.columns - 1) * step + window_width;
    layout.pixel_height = (layout.rows - 1) * step + window_height;
    if (step == 1) {
        layout.pitch = (layout.pixel_width + 1) | 1;
    } else {
        // Odd columns begin half the banks further, so that neighbours are written without conflicts.
        layout.half = ((layout.pixel_width + 2) / 2 + 15) / 32 * 32 + 16;
        layout.pitch = 2 * layout.half + 1;
    }
    const std::int32_t elements = layout.pitch * (layout.pixel_height + 1);
    layout.tilted = tilted ? elements : 0;
    layout.bank_windows = layout.rows * ((layout.columns + 31) / 32);
    const std::int32_t right = window_width - 1;
    const std::int32_t bottom = window_height - 1;
    layout.norm_place[0] = layout.place(1, 1);
    layout.norm_place[1] = layout.place(right, 1);
    layout.norm_place[2] = layout.place(1, bottom);
    layout.norm_place[3] = layout.place(right, bottom);
    const auto windows = static_cast<std::uint32_t>(layout.columns * layout.rows);
    layout.norm_at = rounded(static_cast<std::uint32_t>(elements) * (tilted ? 2 : 1) * sizeof(unsigned));
    layout.lists_at = layout.norm_at + rounded(windows * static_cast<std::uint32_t>(sizeof(float)));
    const auto pixel_bytes =
        static_cast<std::uint32_t>((layout.pixel_width + 3) / 4 * 4) * static_cast<std::uint32_t>(layout.pixel_height);
    const auto list_bytes =
        2 * 32 * static_cast<std::uint32_t>(layout.bank_windows) * static_cast<std::uint32_t>(sizeof(std::uint16_t));
    layout.bitmap_at = layout.lists_at + rounded(std::max(pixel_bytes, list_bytes));
    layout.stumps_at = layout.bitmap_at + rounded((windows + 31) / 32 * static_cast<std::uint32_t>(sizeof(unsigned)));
    layout.bytes = layout.stumps_at + cached_stumps * static_cast<std::uint32_t>(sizeof(CascadeStump));
    // Places are kept in 16 bits.
    if (elements * (tilted ? 2 : 1) > 65536) layout.bytes = 0;
    return layout;
}

// Pixels between the first windows of neighbouring tiles, the best first. H200: 128 x 48 was the fastest.
struct TileSize {
    std::int32_t width, height;
};
constexpr TileSize tile_sizes[] = {{128, 48}, {128, 32}, {64, 48}, {64, 32}, {64, 16}, {32, 32}, {32, 16}, {32, 8}};

}  // namespace

CascadeLayout cascade_layout(const DeviceLimits& limits, std::int32_t step, std::int32_t window_width,
                             std::int32_t window_height, bool tilted, std::uint32_t cached_stumps) {
    // What the kernel has besides, and the driver's own part of each block.
    constexpr std::uint32_t reserved = 2048;
    const auto most = static_cast<std::uint32_t>(limits.shared_bytes) - reserved;
    for (const std::uint32_t bytes : {most / 2, most})
        for (const TileSize& size : tile_sizes) {
            // Larger tiles are worth more than a second block where windows are large.
            const bool wide_enough = size.width >= 64 || bytes == most;
            const CascadeLayout layout =
                layout_of(size.width, size.height, step, window_width, window_height, tilted, cached_stumps);
            if (wide_enough && layout.bytes != 0 && layout.bytes <= bytes) return layout;
        }
    return {};
}

void prepare_cascade(const CascadeBatch& batch) {
    allow_shared(search_kernel(batch), shared_bytes(batch));
}

void run_cascade(const CascadeBatch& batch, cudaStream_t stream) {
    LaunchShape shape;
    if (batch.blocks != 0) {
        shape.block = dim3(32, 8);
        shape.grid = dim3(batch.blocks);
        launch(scale_levels, shape, stream, batch);
    }
    LaunchShape tiles;
    tiles.block = dim3(cascade_threads);
    tiles.grid = dim3(batch.tiles);
    tiles.shared_bytes = shared_bytes(batch);
    launch(search_kernel(batch), tiles, stream, batch);
    LaunchShape found;
    found.block = dim3(256);
    found.grid = dim3(64);
    launch(drop_skipped, found, stream, batch);
}

}  // namespace vedette::cuda
