// Tilted sums. With P(j, k) the sum of the first k pixels of row j (k cut to 0 .. width),
//
//     T(x, y) = A(x, y) - B(x, y),   A(x, y) = sum over j < y of P(j, x + (y - 1 - j)),
//                                    B(x, y) = sum over j < y of P(j, x - 1 - (y - 1 - j)),
//
// so A and B are running sums along the two diagonals: A(x, y) = A(x + 1, y - 1) + P(y - 1, x) and
// B(x, y) = B(x - 1, y - 1) + P(y - 1, x - 1); right of the image A is that of x = width, left of it B is 0. Rows are
// cut into bands: sums inside each band, then what enters it from above, then the rows themselves.
//
// Bytes: P is written once and read twice, outputs once; about four additions a pixel. 4K, 32-bit: 8 + 33 + 66 + 33 MB,
// of which the second reading of P hits the L2.
#include "kernels/integral.h"

#include "device/memory.cuh"
#include "device/warp.cuh"
#include "runtime/launch.h"

#include <algorithm>
#include <type_traits>

namespace vedette::cuda::detail {

namespace {

constexpr int band_rows = 32;
constexpr int threads = 256;
constexpr int row_threads = 32;  // a warp a row in the first kernel
constexpr int rows_of_block = 8;

// A sum along a diagonal and what it is made from: P fits 32 bits for bytes (65535 x 255).
template <class Sum>
struct Diagonals {
    using Prefix = std::conditional_t<std::is_same_v<Sum, double>, double, unsigned>;
    Prefix* prefix;      // [row][0 .. width]
    Sum* falling;        // [band][0 .. width]: of A, inside the band down to its end
    Sum* rising;         // the same of B
    Sum* falling_above;  // [band][0 .. width]: A at the band's first row
    Sum* rising_above;
    std::size_t pitch;  // elements of a row of any of these
    std::int32_t width, height, bands;
};

// A warp: one row. Four pixels a lane and step.
template <class Pixel, class Sum>
__global__ void prefix_rows(View<const Pixel> in, Diagonals<Sum> d) {
    using Prefix = typename Diagonals<Sum>::Prefix;
    const int y = static_cast<int>(blockIdx.x * rows_of_block + threadIdx.y);
    if (y >= d.height) return;
    const int lane = static_cast<int>(threadIdx.x);
    Prefix* const out = d.prefix + d.pitch * static_cast<std::size_t>(y);
    const Pixel* const row = in.row(y);
    Prefix carry = 0;
    for (int base = 0; base <= d.width; base += 128) {
        const int x = base + 4 * lane;
        Prefix value[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) value[k] = x + k < d.width ? static_cast<Prefix>(row[x + k]) : Prefix{0};
        const Prefix own = value[0] + value[1] + value[2] + value[3];
        const Prefix scan = warp_scan(own);
        const Prefix before = __shfl_up_sync(all_lanes, scan, 1);
        Prefix sum = carry + (lane == 0 ? Prefix{0} : before);
        for (int k = 0; k < 4; ++k) {
            if (x + k <= d.width) out[x + k] = sum;
            sum += value[k];
        }
        carry += __shfl_sync(all_lanes, scan, 31);
    }
}

// A thread: the two diagonals that end below the last row of a band at x.
template <class Sum>
__global__ void sum_bands(Diagonals<Sum> d) {
    const int x = static_cast<int>(blockIdx.x * threads + threadIdx.x);
    const int band = static_cast<int>(blockIdx.y);
    if (x > d.width) return;
    const int begin = band * band_rows;
    const int end = min(d.height, begin + band_rows);
    Sum falling = 0;
    Sum rising = 0;
    for (int j = begin; j < end; ++j) {
        const auto* const prefix = d.prefix + d.pitch * static_cast<std::size_t>(j);
        falling += prefix[min(d.width, x + (end - 1 - j))];
        rising += prefix[max(0, x - (end - j))];
    }
    const std::size_t at = d.pitch * static_cast<std::size_t>(band) + static_cast<std::size_t>(x);
    d.falling[at] = falling;
    d.rising[at] = rising;
}

// A thread: one diagonal through all bands. Those of A enter the image from the right, those of B from the left.
template <class Sum>
__global__ void carry_bands(Diagonals<Sum> d) {
    const int index = static_cast<int>(blockIdx.x * threads + threadIdx.x);
    const int reach = d.bands * band_rows;
    if (index > d.width + reach) return;
    const bool of_rising = blockIdx.y == 1;
    const Sum* const inside = of_rising ? d.rising : d.falling;
    Sum* const above = of_rising ? d.rising_above : d.falling_above;
    const int step = of_rising ? band_rows : -band_rows;
    // Where the diagonal meets the first row of the first band.
    int x = of_rising ? index - reach : index;
    Sum sum = 0;
#pragma unroll 4
    for (int band = 0; band < d.bands; ++band) {
        const std::size_t row = d.pitch * static_cast<std::size_t>(band);
        if (x >= 0 && x <= d.width) above[row + static_cast<std::size_t>(x)] = sum;
        x += step;
        sum += inside[row + static_cast<std::size_t>(min(d.width, max(0, x)))];
    }
}

// A block: `threads` columns of one band. Diagonals keep their places in shared memory while the rows go down; those
// that enter the block from its sides on the way are carried along in the margins.
template <class Sum, class Out>
__global__ void tilt_rows(Diagonals<Sum> d, View<Out> out) {
    constexpr int margin = band_rows;
    __shared__ Sum falling[threads + margin];  // of the diagonal that meets the band's first row at first + i
    __shared__ Sum rising[threads + margin];   // ... at first - margin + i
    const int first = static_cast<int>(blockIdx.x) * threads;
    const int band = static_cast<int>(blockIdx.y);
    const int begin = band * band_rows;
    const int end = min(d.height, begin + band_rows - 1);  // the last row of outputs; the next band has its own
    const std::size_t above = d.pitch * static_cast<std::size_t>(band);
    const int thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < threads + margin; i += threads) {
        falling[i] = d.falling_above[above + static_cast<std::size_t>(min(d.width, first + i))];
        const int x = first - margin + i;
        rising[i] = x < 0 ? Sum{0} : d.rising_above[above + static_cast<std::size_t>(min(d.width, x))];
    }
    __syncthreads();
    const int x = first + thread;
    for (int y = begin; y <= end; ++y) {
        const int down = y - begin;
        if (x <= d.width) out.row(y)[x] = static_cast<Out>(falling[thread + down] - rising[thread + margin - down]);
        if (y == end) break;
        __syncthreads();
        const auto* const prefix = d.prefix + d.pitch * static_cast<std::size_t>(y);
        // One row further down, diagonal i of A stands at first + i - (down + 1), that of B at
        // first - margin + i + down + 1.
        for (int i = thread; i < threads + margin; i += threads) {
            falling[i] += prefix[min(d.width, max(0, first + i - down - 1))];
            rising[i] += prefix[min(d.width, max(0, first - margin + i + down))];
        }
        __syncthreads();
    }
}

std::size_t rounded(std::size_t bytes) {
    return (bytes + 127) / 128 * 128;
}

std::int32_t band_count(const IntegralShape& shape) {
    // The output has one row more than the input; it is the first of a band when the input's bands are full.
    return shape.height / band_rows + 1;
}

template <class Sum>
std::size_t lay_out(const IntegralShape& shape, std::byte* scratch, Diagonals<Sum>& d) {
    d.width = shape.width;
    d.height = shape.height;
    d.bands = band_count(shape);
    d.pitch = (static_cast<std::size_t>(shape.width) + 1 + 31) / 32 * 32;
    const std::size_t prefix_bytes =
        rounded(d.pitch * static_cast<std::size_t>(shape.height) * sizeof(typename Diagonals<Sum>::Prefix));
    const std::size_t band_bytes = rounded(d.pitch * static_cast<std::size_t>(d.bands) * sizeof(Sum));
    d.prefix = reinterpret_cast<typename Diagonals<Sum>::Prefix*>(scratch);
    d.falling = reinterpret_cast<Sum*>(scratch + prefix_bytes);
    d.rising = reinterpret_cast<Sum*>(scratch + prefix_bytes + band_bytes);
    d.falling_above = reinterpret_cast<Sum*>(scratch + prefix_bytes + 2 * band_bytes);
    d.rising_above = reinterpret_cast<Sum*>(scratch + prefix_bytes + 3 * band_bytes);
    return prefix_bytes + 4 * band_bytes;
}

template <class Pixel, class Sum, class Out>
void start(const IntegralShape& shape, const IntegralImages& images, std::byte* scratch, cudaStream_t stream) {
    Diagonals<Sum> d;
    lay_out(shape, scratch, d);
    const auto columns = static_cast<std::size_t>(d.width) + 1;
    const auto bands = static_cast<unsigned>(d.bands);
    LaunchShape rows;
    rows.block = dim3(row_threads, rows_of_block);
    rows.grid = dim3(blocks_for(static_cast<std::size_t>(d.height), rows_of_block));
    launch(prefix_rows<Pixel, Sum>, rows, stream, images.in.as<const Pixel>(d.width), d);
    LaunchShape tiles;
    tiles.block = dim3(threads);
    tiles.grid = dim3(blocks_for(columns, threads), bands);
    launch(sum_bands<Sum>, tiles, stream, d);
    LaunchShape diagonals;
    diagonals.block = dim3(threads);
    diagonals.grid = dim3(blocks_for(columns + std::size_t{bands} * band_rows, threads), 2);
    launch(carry_bands<Sum>, diagonals, stream, d);
    launch(tilt_rows<Sum, Out>, tiles, stream, d, images.tilted.as<Out>(d.width + 1));
}

}  // namespace

std::size_t tilted_scratch_bytes(const IntegralShape& shape) {
    if (!shape.bytes) {
        Diagonals<double> d;
        return lay_out(shape, nullptr, d);
    }
    if (shape.tilted == SumType::integer) {
        Diagonals<unsigned> d;
        return lay_out(shape, nullptr, d);
    }
    Diagonals<unsigned long long> d;
    return lay_out(shape, nullptr, d);
}

void integrate_tilted(const IntegralShape& shape, const IntegralImages& images, std::byte* scratch,
                      cudaStream_t stream) {
    if (!shape.bytes) return start<float, double, double>(shape, images, scratch, stream);
    if (shape.tilted == SumType::integer)
        return start<std::uint8_t, unsigned, unsigned>(shape, images, scratch, stream);
    start<std::uint8_t, unsigned long long, double>(shape, images, scratch, stream);
}

}  // namespace vedette::cuda::detail
