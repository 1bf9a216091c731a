// direct_kernel: a thread owns four neighbouring positions of a row, a block 128 x 8 of them. The pattern passes in
// chunks of 16 rows x 64 bytes (48 of colour), with the screen's pixels under all windows in shared memory, copied so
// that the first position's window begins at a word. A word of four pixels costs a thread 4 funnel shifts, and for
// every position one dp4a for I T, one for I^2 and one a channel for I: 12 (gray) or 20 (colour) dp4a, and the floor is
// their number over the device's rate (a quarter or half of the fp32 lanes).
#include "kernels/template_direct.h"

#include "kernels/template_offer.cuh"
#include "kernels/template_scene.cuh"
#include "kernels/template_words.cuh"
#include "runtime/launch.h"

namespace vedette::cuda {

namespace {

constexpr int group = 4;  // positions of a thread
constexpr int tile_columns = 32 * group;
constexpr int tile_rows = 8;
constexpr int chunk_rows = 16;

struct MapStore {
    View<float> map;
    MatchMethod method;
    __device__ void operator()(int x, int y, const TemplateSums& pattern, const WindowSums& window) const {
        map.row(y)[x] = static_cast<float>(map_value(pattern, window, method));
    }
};

struct ScoreStore {
    double* scores;
    int columns;
    Exclusions exclusions;
    __device__ void operator()(int x, int y, const TemplateSums& pattern, const WindowSums& window) const {
        scores[static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(x)] =
            is_excluded(exclusions, x, y) ? no_score : score_of(pattern, window);
    }
};

template <int channels, class Store>
__global__ void __launch_bounds__(32 * tile_rows)
    direct_kernel(TemplateScene scene, TemplateWords pattern, TemplateSums sums, Store store) {
    constexpr int chunk_words = direct_chunk_words(channels);
    constexpr int tile_words = tile_columns * channels / 4 + chunk_words + channels;
    __shared__ unsigned tile[tile_rows + chunk_rows - 1][tile_words];
    __shared__ unsigned pixels[chunk_rows][chunk_words];
    __shared__ unsigned mask[chunk_rows][chunk_words];
    const int thread = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
    const int tile_x = static_cast<int>(blockIdx.x) * tile_columns;
    const int tile_y = static_cast<int>(blockIdx.y) * tile_rows;
    const int last = last_word(scene);
    WindowSums window[group];
    for (int row = 0; row < pattern.height; row += chunk_rows) {
        const int rows = min(chunk_rows, pattern.height - row);
        for (int word = 0; word < pattern.words; word += chunk_words) {
            const int words = min(chunk_words, (pattern.words - word + channels - 1) / channels * channels);
            __syncthreads();
            for (int i = thread; i < rows * chunk_words; i += 32 * tile_rows) {
                const std::size_t from =
                    static_cast<std::size_t>(row + i / chunk_words) * static_cast<std::size_t>(pattern.stride) +
                    static_cast<std::size_t>(word + i % chunk_words);
                pixels[i / chunk_words][i % chunk_words] = pattern.pixels[from];
                mask[i / chunk_words][i % chunk_words] = pattern.mask[from];
            }
            for (int i = thread; i < (tile_rows + rows - 1) * tile_words; i += 32 * tile_rows) {
                const int y = min(scene.top + tile_y + row + i / tile_words, scene.bytes.height - 1);
                const int byte = channels * (scene.left + tile_x) + 4 * (word + i % tile_words);
                tile[i / tile_words][i % tile_words] = unaligned_word(row_words(scene, y), byte, last);
            }
            __syncthreads();
            // A chunk adds at most 1024 * 255^2 to a sum.
            unsigned product[group] = {};
            unsigned square[group] = {};
            unsigned sum[group][channels] = {};
            for (int r = 0; r < rows; ++r) {
                const unsigned* const line = &tile[threadIdx.y + r][channels * threadIdx.x];
                unsigned held[channels + 1];
#pragma unroll
                for (int i = 0; i < channels; ++i) held[i] = line[i];
                for (int j = 0; j < words; j += channels) {
#pragma unroll
                    for (int step = 0; step < channels; ++step) {
                        held[channels] = line[j + step + channels];
                        const unsigned t = pixels[r][j + step];
                        const unsigned m = mask[r][j + step];
#pragma unroll
                        for (int p = 0; p < group; ++p) {
                            const int byte = channels * p;
                            const unsigned value =
                                __funnelshift_r(held[byte / 4], held[byte / 4 + 1], 8 * (byte % 4)) & m;
                            add_word<channels>(value, t, step, product[p], square[p], sum[p]);
                        }
#pragma unroll
                        for (int i = 0; i < channels; ++i) held[i] = held[i + 1];
                    }
                }
            }
#pragma unroll
            for (int p = 0; p < group; ++p) {
                window[p].product += product[p];
                window[p].square += square[p];
#pragma unroll
                for (int c = 0; c < channels; ++c) window[p].sum[c] += sum[p][c];
            }
        }
    }
    const int y = tile_y + static_cast<int>(threadIdx.y);
    if (y >= scene.rows) return;
#pragma unroll
    for (int p = 0; p < group; ++p) {
        const int x = tile_x + group * static_cast<int>(threadIdx.x) + p;
        if (x < scene.columns) store(x, y, sums, window[p]);
    }
}

template <class Store>
void start_direct(const TemplateScene& scene, const TemplateWords& pattern, const TemplateSums& sums,
                  const Store& store, cudaStream_t stream) {
    LaunchShape shape;
    shape.block = dim3(32, tile_rows);
    shape.grid = dim3(blocks_for(static_cast<std::size_t>(scene.columns), tile_columns),
                      blocks_for(static_cast<std::size_t>(scene.rows), tile_rows));
    if (scene.channels == 3)
        launch(direct_kernel<3, Store>, shape, stream, scene, pattern, sums, store);
    else
        launch(direct_kernel<1, Store>, shape, stream, scene, pattern, sums, store);
}

}  // namespace

void direct_map(const TemplateScene& scene, const TemplateWords& pattern, const TemplateSums& sums, MatchMethod method,
                View<float> map, cudaStream_t stream) {
    start_direct(scene, pattern, sums, MapStore{map, method}, stream);
}

void direct_scores(const TemplateScene& scene, const TemplateWords& pattern, const TemplateSums& sums,
                   const Exclusions& exclusions, double* scores, cudaStream_t stream) {
    start_direct(scene, pattern, sums, ScoreStore{scores, scene.columns, exclusions}, stream);
}

}  // namespace vedette::cuda
