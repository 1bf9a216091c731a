// phases_kernel: means of the blocks of step x step pixels that begin at each pixel, sorted by phase. A thread owns 16
// neighbouring pixels and `segment` rows of them; it reads each row once, as 16 + step - 1 bytes. A byte is summed as
// its upper and its lower bits, four pixels to a word, so that no sum leaves its byte: M = sum of I / step^2 + (sum of
// I mod step^2 + step^2 / 2) / step^2, both rounded down. About 7 operations a pixel; the floor is the screen read and
// written once.
#include "kernels/template_coarse.h"

#include "device/previous.cuh"
#include "kernels/template_rows.cuh"
#include "kernels/template_scene.cuh"
#include "runtime/launch.h"

namespace vedette::cuda {

namespace {

constexpr int threads = 128;
constexpr int pixels = 16;  // of a thread
constexpr int words = pixels / 4;
constexpr int segment = 4;  // rows of a thread
static_assert(segment % coarse_largest_step == 0);

// Sums of four neighbouring pixels' upper and lower bits, for each of four pixels.
struct Halves {
    unsigned upper[words];
    unsigned lower[words];
};

// Bytes shifted towards the first by `count`.
__device__ __forceinline__ unsigned moved(unsigned word, unsigned next, int count) {
    return __funnelshift_r(word, next, static_cast<unsigned>(8 * count));
}

// Sums along a row, over `step` pixels from each one on.
template <int step>
__device__ __forceinline__ Halves row_sums(const unsigned (&row)[words + 1]) {
    constexpr int bits = step == 2 ? 2 : 4;  // of step^2
    constexpr unsigned low_mask = 0x01010101u * ((1u << bits) - 1);
    constexpr unsigned high_mask = 0x01010101u * (0xffu >> bits);
    unsigned upper[words + 1];
    unsigned lower[words + 1];
#pragma unroll
    for (int i = 0; i <= words; ++i) {
        upper[i] = row[i] >> bits & high_mask;
        lower[i] = row[i] & low_mask;
    }
#pragma unroll
    for (int distance = 1; distance < step; distance *= 2) {
#pragma unroll
        for (int i = 0; i <= words; ++i) {
            // Of the last word the first bytes alone are ever used.
            const unsigned upper_next = i < words ? upper[i + 1] : 0;
            const unsigned lower_next = i < words ? lower[i + 1] : 0;
            upper[i] += moved(upper[i], upper_next, distance);
            lower[i] += moved(lower[i], lower_next, distance);
        }
    }
    Halves sums;
#pragma unroll
    for (int i = 0; i < words; ++i) {
        sums.upper[i] = upper[i];
        sums.lower[i] = lower[i];
    }
    return sums;
}

template <int step>
__device__ __forceinline__ void store_phases(const PhasePlanes& planes, const unsigned (&mean)[words], int x, int y) {
    constexpr int own = pixels / step;  // columns of a phase
    if (x / step >= planes.width || y / step >= planes.height) return;
    const std::size_t phase_bytes = static_cast<std::size_t>(planes.width) * static_cast<std::size_t>(planes.height);
    std::uint8_t* to = planes.bytes + static_cast<std::size_t>(y % step * step) * phase_bytes +
                       static_cast<std::size_t>(y / step) * static_cast<std::size_t>(planes.width) + x / step;
    if constexpr (step == 2) {
#pragma unroll
        for (int a = 0; a < step; ++a, to += phase_bytes) {
            const unsigned take = a == 0 ? 0x6420u : 0x7531u;
            *reinterpret_cast<uint2*>(to) =
                uint2{__byte_perm(mean[0], mean[1], take), __byte_perm(mean[2], mean[3], take)};
        }
    } else {
        static_assert(own == 4);
        const unsigned low[2] = {__byte_perm(mean[0], mean[1], 0x5140), __byte_perm(mean[2], mean[3], 0x5140)};
        const unsigned high[2] = {__byte_perm(mean[0], mean[1], 0x7362), __byte_perm(mean[2], mean[3], 0x7362)};
#pragma unroll
        for (int a = 0; a < step; ++a, to += phase_bytes) {
            const unsigned(&pair)[2] = a < 2 ? low : high;
            *reinterpret_cast<unsigned*>(to) = __byte_perm(pair[0], pair[1], a % 2 == 0 ? 0x5410u : 0x7632u);
        }
    }
}

template <int step>
__global__ void __launch_bounds__(threads) phases_kernel(TemplateScene scene, PhasePlanes planes, Cleared cleared) {
    let_next_begin();
    clear_words(cleared);
    const int x = (static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x)) * pixels;
    const int y = static_cast<int>(blockIdx.y) * segment;
    const int last = last_word(scene);
    const int first_byte = scene.left + x;
    const bool aligned = (first_byte & 15) == 0 && first_byte / 4 + words <= last;
    const auto read = [&](int r, unsigned(&row)[words + 1]) {
        const std::uint32_t* const from = row_words(scene, min(scene.top + r, scene.bytes.height - 1));
        if (aligned) {
            const uint4 four = __ldg(reinterpret_cast<const uint4*>(from + first_byte / 4));
            row[0] = four.x;
            row[1] = four.y;
            row[2] = four.z;
            row[3] = four.w;
            row[words] = __ldg(from + first_byte / 4 + words);
        } else {
#pragma unroll
            for (int i = 0; i <= words; ++i) row[i] = unaligned_word(from, first_byte + 4 * i, last);
        }
    };
    if (x < step * planes.width) {
        // Of the rows before, by turns.
        Halves held[step];
#pragma unroll
        for (int r = 0; r < step - 1; ++r) {
            unsigned row[words + 1];
            read(y + r, row);
            held[r] = row_sums<step>(row);
        }
#pragma unroll
        for (int r = 0; r < segment; ++r) {
            unsigned row[words + 1];
            read(y + r + step - 1, row);
            held[(r + step - 1) % step] = row_sums<step>(row);
            unsigned mean[words];
#pragma unroll
            for (int i = 0; i < words; ++i) {
                constexpr unsigned half = 0x01010101u * (step * step / 2);
                constexpr int bits = step == 2 ? 2 : 4;
                unsigned upper = 0;
                unsigned lower = half;
#pragma unroll
                for (int k = 0; k < step; ++k) {
                    upper += held[k].upper[i];
                    lower += held[k].lower[i];
                }
                mean[i] = upper + (lower >> bits & 0x01010101u * (0xffu >> bits));
            }
            store_phases<step>(planes, mean, x, y + r);
        }
    }
    // Who waits for this kernel relies on the one before it, too.
    wait_for_previous();
}

}  // namespace

PhasePlanes phase_planes(const TemplateScene& scene, int width, int height, int step) {
    PhasePlanes planes;
    planes.step = step;
    planes.width = (scene.columns + width - 1 + 16 * step - 1) / (16 * step) * 16;
    planes.height = (scene.rows + height - 1 + step - 1) / step;
    return planes;
}

void screen_phases(const TemplateScene& scene, const PhasePlanes& planes, const Cleared& cleared, bool early,
                   cudaStream_t stream) {
    LaunchShape shape;
    shape.early = early;
    shape.block = dim3(threads);
    shape.grid =
        dim3(blocks_for(static_cast<std::size_t>(planes.width) * static_cast<std::size_t>(planes.step),
                        std::size_t{threads} * pixels),
             blocks_for(static_cast<std::size_t>(planes.height) * static_cast<std::size_t>(planes.step), segment));
    launch(planes.step == 2 ? phases_kernel<2> : phases_kernel<4>, shape, stream, scene, planes, cleared);
}

}  // namespace vedette::cuda
