// A block makes a tile of rows x pixels results, 64 x 64 where they fit: it loads what they stand on once into shared
// memory (1.34 times the pixels for 11 x 11; all of it but the first time from the last cache), filters across into a
// second piece of shared memory and from there down into the image. A thread makes eight neighbours of a line at once
// from n + 7 values in its registers, so shared memory gives 1.6 values for a result of 11 taps in each direction.
// Every pixel is read and written once from memory: 66 MB for 4K floats, 16 us at 4.2 TB/s. 11 taps symmetric: 22
// operations and about 20 of moving a result.
//
// filter_tile_kernel: single precision, across first. fixed_tile_kernel: bytes in fixed point, down first, as the
// rounding between the directions wants it. matrix_tile_kernel: all weights of a matrix.
#include "kernels/filter_tile.cuh"

namespace vedette::cuda {

namespace {

template <class In, class Out>
__global__ void __launch_bounds__(filter_threads)
    lines_tile_kernel(FilterJob job, FilterGroups groups, int tile_pixels, int tile_rows) {
    using Sums = RealSums<Out>;
    const FilterGroup& group = groups.group[blockIdx.z];
    const TileShape shape(tile_pixels, tile_rows, job.elements, job.kernel_width, job.kernel_height);
    const int left = static_cast<int>(blockIdx.x) * shape.pixels, top = static_cast<int>(blockIdx.y) * shape.rows;
    float* const tile = dynamic_shared<float>();
    float* const middle = tile + shape.in_rows * shape.in_pitch;
    load_tile<In>(job, group, shape, left, top, tile);
    __syncthreads();
    run_across<Sums>(tile, shape.in_pitch, shape.in_rows, job.elements, shape, job.across, middle, shape.pitch);
    __syncthreads();
    const int columns = min(shape.pixels, job.width - left) * job.elements;
    for (int item = static_cast<int>(threadIdx.x); item < shape.columns * (shape.rows / filter_run);
         item += filter_threads) {
        const int column = item % shape.columns, row = item / shape.columns * filter_run;
        if (column >= columns || top + row >= job.height) continue;
        float sum[filter_run];
        run_line<Sums>(middle + row * shape.pitch + column, shape.pitch, job.down, sum);
        const std::ptrdiff_t at = (static_cast<std::ptrdiff_t>(left) * job.elements + column) * group.out_step;
#pragma unroll
        for (int r = 0; r < filter_run; ++r)
            if (top + row + r < job.height) out_row<Out>(group, top + row + r)[at] = finished<Out>(sum[r], job.delta);
    }
}

// Writes the tile's results from shared memory.
template <class Out, class Finish>
__device__ __forceinline__ void store_tile(const FilterJob& job, const FilterGroup& group, const TileShape& shape,
                                           int left, int top, const Finish& finish) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int columns = min(shape.pixels, job.width - left) * job.elements;
    for (int row = warp; row < shape.rows && top + row < job.height; row += filter_threads / 32) {
        Out* const to =
            out_row<Out>(group, top + row) + static_cast<std::ptrdiff_t>(left) * job.elements * group.out_step;
        for (int column = lane; column < columns; column += 32)
            to[column * group.out_step] = finish(row * shape.pitch + column);
    }
}

__global__ void __launch_bounds__(filter_threads)
    fixed_tile_kernel(FilterJob job, FilterGroups groups, int tile_pixels, int tile_rows) {
    const FilterGroup& group = groups.group[blockIdx.z];
    const TileShape shape(tile_pixels, tile_rows, job.elements, job.kernel_width, job.kernel_height);
    const int left = static_cast<int>(blockIdx.x) * shape.pixels, top = static_cast<int>(blockIdx.y) * shape.rows;
    int* const tile = dynamic_shared<int>();
    int* const words = tile + shape.in_rows * shape.in_pitch;
    load_tile<std::uint8_t>(job, group, shape, left, top, tile);
    __syncthreads();
    for (int item = static_cast<int>(threadIdx.x); item < shape.in_columns * (shape.rows / filter_run);
         item += filter_threads) {
        const int column = item % shape.in_columns, row = item / shape.in_columns * filter_run;
        int sum[filter_run];
        run_line<FixedDown>(tile + row * shape.in_pitch + column, shape.in_pitch, job.down, sum);
#pragma unroll
        for (int r = 0; r < filter_run; ++r) words[(row + r) * shape.in_pitch + column] = sum[r];
    }
    __syncthreads();
    // The pixels are not needed any more: their place takes the results.
    run_across<FixedAcross>(words, shape.in_pitch, shape.rows, job.elements, shape, job.across, tile, shape.pitch);
    __syncthreads();
    store_tile<std::uint8_t>(job, group, shape, left, top,
                             [tile](int at) { return static_cast<std::uint8_t>(tile[at]); });
}

template <class In, class Out>
__global__ void __launch_bounds__(filter_threads)
    matrix_tile_kernel(FilterJob job, FilterGroups groups, int tile_pixels, int tile_rows) {
    using Sums = RealSums<Out>;
    const FilterGroup& group = groups.group[blockIdx.z];
    const TileShape shape(tile_pixels, tile_rows, job.elements, job.kernel_width, job.kernel_height);
    const int left = static_cast<int>(blockIdx.x) * shape.pixels, top = static_cast<int>(blockIdx.y) * shape.rows;
    float* const tile = dynamic_shared<float>();
    float* const results = tile + shape.in_rows * shape.in_pitch;
    load_tile<In>(job, group, shape, left, top, tile);
    __syncthreads();
    const int elements = job.elements, runs = shape.pixels / filter_run * elements;
    for (int item = static_cast<int>(threadIdx.x); item < shape.rows * runs; item += filter_threads) {
        const int row = item % shape.rows, run = item / shape.rows;
        const int column = run / elements * filter_run * elements + run % elements;
        float sum[filter_run] = {};
        for (int j = 0; j < job.kernel_height; ++j) {
            const float* const from = tile + (row + j) * shape.in_pitch + column;
            const float* const weight = job.matrix + static_cast<std::ptrdiff_t>(j) * job.kernel_width;
            // value[(i + r) % filter_run] is what result r stands on for weight i.
            float value[filter_run], part[filter_run] = {};
#pragma unroll
            for (int r = 0; r + 1 < filter_run; ++r) value[r] = from[r * elements];
            for (int begin = 0; begin < job.kernel_width; begin += filter_run) {
#pragma unroll
                for (int u = 0; u < filter_run; ++u) {
                    const int i = begin + u;
                    if (i < job.kernel_width) {
                        value[(u + filter_run - 1) % filter_run] = from[(i + filter_run - 1) * elements];
                        const float w = weight[i];
#pragma unroll
                        for (int r = 0; r < filter_run; ++r)
                            part[r] = Sums::add(w, value[(u + r) % filter_run], part[r]);
                    }
                }
            }
#pragma unroll
            for (int r = 0; r < filter_run; ++r) sum[r] += part[r];
        }
#pragma unroll
        for (int r = 0; r < filter_run; ++r) results[row * shape.pitch + column + r * elements] = sum[r];
    }
    __syncthreads();
    store_tile<Out>(job, group, shape, left, top,
                    [results, delta = job.delta](int at) { return finished<Out>(results[at], delta); });
}

// Calls use(kernel) with the kernel for `job`.
template <class Use>
void with_tile_kernel(const FilterJob& job, const Use& use) {
    if (job.kind == FilterKind::fixed_lines) return use(fixed_tile_kernel);
    with_filtered_types(job, [&]<class In, class Out>() {
        if (job.kind == FilterKind::lines)
            use(lines_tile_kernel<In, Out>);
        else
            use(matrix_tile_kernel<In, Out>);
    });
}

std::size_t shared_bytes_of(const FilterJob& job, std::int32_t pixels, std::int32_t rows) noexcept {
    const std::int64_t in_pitch = ((std::int64_t{pixels} + job.kernel_width - 1) * job.elements) | 1;
    const std::int64_t in_rows = std::int64_t{rows} + job.kernel_height - 1;
    const std::int64_t pitch = (std::int64_t{pixels} * job.elements) | 1;
    std::int64_t second = rows * pitch;
    if (job.kind == FilterKind::lines) second = in_rows * pitch;
    if (job.kind == FilterKind::fixed_lines) second = rows * in_pitch;
    return static_cast<std::size_t>(4 * (in_rows * in_pitch + second));
}

}  // namespace

FilterTile filter_tile(const FilterJob& job, std::size_t shared_limit) noexcept {
    // Several blocks share a multiprocessor, so that some load while others sum: an estimate.
    constexpr std::size_t preferred_bytes = 48 * 1024;
    constexpr std::int32_t rows[] = {64, 32, 16, 8};
    // About 64 elements, a multiple of filter_run pixels.
    const std::int32_t widest = job.elements == 1 ? 64 : (job.elements == 3 ? 24 : 16);
    FilterTile largest;
    for (std::int32_t pixels = widest; pixels >= filter_run; pixels = pixels / 2 / filter_run * filter_run)
        for (const std::int32_t high : rows) {
            const std::size_t bytes = shared_bytes_of(job, pixels, high);
            if (bytes > shared_limit) continue;
            const FilterTile tile{pixels, high, bytes};
            if (bytes <= preferred_bytes && pixels == widest && high >= 32) return tile;
            if (pixels * high > largest.pixels * largest.rows) largest = tile;
        }
    return largest;
}

void allow_filter_tiles(const FilterJob& job, const FilterTile& tile) {
    with_tile_kernel(job, [&](auto* kernel) { allow_shared(kernel, tile.shared_bytes); });
}

void filter_by_tiles(const FilterJob& job, const FilterTile& tile, const FilterGroups& groups, cudaStream_t stream) {
    LaunchShape shape;
    shape.block = dim3(filter_threads);
    shape.grid = dim3(blocks_for(static_cast<std::size_t>(job.width), static_cast<std::size_t>(tile.pixels)),
                      blocks_for(static_cast<std::size_t>(job.height), static_cast<std::size_t>(tile.rows)),
                      static_cast<unsigned>(job.groups));
    shape.shared_bytes = tile.shared_bytes;
    with_tile_kernel(job, [&](auto* kernel) { launch(kernel, shape, stream, job, groups, tile.pixels, tile.rows); });
}

}  // namespace vedette::cuda
