// test_kernel: one to eight warps own a position, a block up to 32 of them at a time; it keeps the words of the pattern
// in registers, eight or sixteen in a thread, and reads the windows from memory: two loads, a shift and three to five
// dp4a a word. Scores of all its positions are then made at once. The floor is the windows' bytes over the bandwidth of
// the caches. window_kernel: a warp owns a position and reads pattern and window, whatever their size.
#include "device/previous.cuh"
#include "kernels/template_direct.h"
#include "kernels/template_offer.cuh"
#include "kernels/template_scene.cuh"
#include "kernels/template_words.cuh"
#include "runtime/launch.h"

#include <algorithm>
#include <type_traits>

namespace vedette::cuda {

namespace {

constexpr int warps = 8;

// What a lane adds up of a window, 32 bits each.
template <int channels>
struct LaneSums {
    unsigned product = 0;
    unsigned square = 0;
    unsigned sum[channels] = {};

    // `value`: four bytes of the window, `t` of the pattern, `phase` of the word in the row, modulo 3.
    __device__ __forceinline__ void add(unsigned value, unsigned t, int phase) {
        if constexpr (channels == 1) {
            add_word<1>(value, t, 0, product, square, sum);
        } else {
            product = __dp4a(value, t, product);
            square = __dp4a(value, value, square);
#pragma unroll
            for (int c = 0; c < channels; ++c) {
                const unsigned ones = phase == 0   ? bytes_of_channel<3>(0, c)
                                      : phase == 1 ? bytes_of_channel<3>(1, c)
                                                   : bytes_of_channel<3>(2, c);
                sum[c] = __dp4a(value, ones, sum[c]);
            }
        }
    }

    __device__ __forceinline__ void move_to(WindowSums& window) {
        window.product += product;
        window.square += square;
#pragma unroll
        for (int c = 0; c < channels; ++c) window.sum[c] += sum[c];
        *this = {};
    }
};

// Sums of the window whose rows begin at byte `first_byte` of the screen's rows y and further, in every lane.
template <int channels>
__device__ __forceinline__ WindowSums window_at(const TemplateScene& scene, const TemplateWords& pattern,
                                                int first_byte, int y) {
    // A power of two of lanes shares a row; words are counted so that 32 bits hold what a lane adds up: a word adds at
    // most 4 * 255^2.
    constexpr int most_words = 16384;
    int lanes = 1;
    while (lanes < 32 && lanes < pattern.words) lanes *= 2;
    const int lane = static_cast<int>(lane_index());
    const int last = last_word(scene);
    WindowSums window;
    LaneSums<channels> own;
    const int step = 32 / lanes;
    for (int j = lane % lanes; j < pattern.words; j += lanes) {
        for (int begin = lane / lanes; begin < pattern.height; begin += most_words * step) {
            const int end = min(pattern.height, begin + most_words * step);
            // Many rows are on their way at a time.
#pragma unroll 8
            for (int r = begin; r < end; r += step) {
                const std::size_t at = static_cast<std::size_t>(r) * static_cast<std::size_t>(pattern.stride) +
                                       static_cast<std::size_t>(j);
                const unsigned value = unaligned_word(row_words(scene, y + r), first_byte + 4 * j, last);
                own.add(value & __ldg(pattern.mask + at), __ldg(pattern.pixels + at), j % 3);
            }
            own.move_to(window);
        }
    }
    window.product = warp_sum(window.product);
    window.square = warp_sum(window.square);
#pragma unroll
    for (int c = 0; c < channels; ++c) window.sum[c] = warp_sum(window.sum[c]);
    return window;
}

// Positions that are tested: candidates, or all.
struct Places {
    Candidates candidates;
    unsigned count;
    unsigned columns;

    __device__ __forceinline__ Places(const TemplateScene& scene, const Candidates& given, const HitTest& test)
        : candidates(given),
          count(given.places != nullptr ? min(test.progress->candidates, given.capacity)
                                        : static_cast<unsigned>(scene.columns) * static_cast<unsigned>(scene.rows)),
          columns(static_cast<unsigned>(scene.columns)) {}

    // y << 16 | x
    __device__ __forceinline__ unsigned at(unsigned i) const {
        return candidates.places != nullptr ? candidates.places[i] : i / columns << 16 | i % columns;
    }
};

template <int channels>
__global__ void __launch_bounds__(32 * warps) window_kernel(TemplateScene scene, PlaceTest given) {
    let_next_begin();
    wait_for_previous();
    constexpr int kinds = 2 + channels;
    __shared__ unsigned long long parts[2][warps][kinds];  // of two positions in turn
    const HitTest& test = given.test;
    const Places places(scene, given.candidates, test);
    const int warp = static_cast<int>(threadIdx.x / 32);
    const int begin = given.pattern.height * warp / warps;
    TemplateWords own = given.pattern;
    own.height = given.pattern.height * (warp + 1) / warps - begin;
    const std::size_t skipped = static_cast<std::size_t>(begin) * static_cast<std::size_t>(own.stride);
    own.pixels += skipped;
    own.mask += skipped;
    int turn = 0;
    for (unsigned i = blockIdx.x; i < places.count; i += gridDim.x) {
        const unsigned place = places.at(i);
        const int x = static_cast<int>(place & 0xffffu);
        const int y = static_cast<int>(place >> 16);
        if (is_excluded(given.exclusions, x, y)) continue;
        const WindowSums part = window_at<channels>(scene, own, channels * (scene.left + x), scene.top + y + begin);
        if (lane_index() == 0) {
            parts[turn][warp][0] = part.product;
            parts[turn][warp][1] = part.square;
#pragma unroll
            for (int c = 0; c < channels; ++c) parts[turn][warp][2 + c] = part.sum[c];
        }
        __syncthreads();
        const unsigned long long(&all)[warps][kinds] = parts[turn];
        turn ^= 1;
        if (warp != 0) continue;
        WindowSums whole;
#pragma unroll
        for (int w = 0; w < warps; ++w) {
            whole.product += all[w][0];
            whole.square += all[w][1];
#pragma unroll
            for (int c = 0; c < channels; ++c) whole.sum[c] += all[w][2 + c];
        }
        offer(test, lane_index() == 0, x, y, score_of(given.sums, whole));
    }
}

// Words of a thread: as few as do, since a test waits for memory most of the time and more blocks wait for more of it.
constexpr int few_words = 8;
constexpr int most_words_held = 16;
constexpr unsigned round_most = 32;  // positions that a block takes at a time

constexpr int blocks_for_words(int held_words) {
    return held_words == few_words ? 3 : 2;  // of a multiprocessor
}

// Words of a row of the pattern that test_kernel takes: of colour whole groups of three, so that a word's first channel
// follows from its number alone.
__host__ __device__ constexpr int row_words_taken(const TemplateWords& pattern, int channels) {
    return (pattern.words + channels - 1) / channels * channels;
}

// A thread's words of the pattern: the first is number `thread` of the team, the next ones a team's threads further.
template <int held_words>
struct HeldWords {
    unsigned pixels[held_words];
    unsigned mask[held_words];
    unsigned offset[held_words];  // of the screen's word from the window's first one, bytes

    __device__ __forceinline__ HeldWords(const TemplateScene& scene, const TemplateWords& pattern, int row_words,
                                         unsigned thread, unsigned team_threads) {
        const unsigned count = static_cast<unsigned>(row_words) * static_cast<unsigned>(pattern.height);
#pragma unroll
        for (int i = 0; i < held_words; ++i) {
            const unsigned number = thread + static_cast<unsigned>(i) * team_threads;
            const unsigned row = number / static_cast<unsigned>(row_words);
            const unsigned column = number % static_cast<unsigned>(row_words);
            const bool taken = number < count;
            const unsigned at = row * static_cast<unsigned>(pattern.stride) + column;
            pixels[i] = taken ? __ldg(pattern.pixels + at) : 0;
            mask[i] = taken ? __ldg(pattern.mask + at) : 0;
            offset[i] = taken ? row * static_cast<unsigned>(scene.bytes.stride) + 4 * column : 0;
        }
    }
};

// Sums of a window over one thread's words, by 32 bits.
template <int channels>
struct ThreadSums {
    unsigned product = 0;
    unsigned square = 0;
    unsigned sum[channels] = {};  // of colour, that of channel (c + first word's number) modulo 3
};

template <int channels, int team_warps, int held_words>
__device__ __forceinline__ ThreadSums<channels> sums_at(const HeldWords<held_words>& held, const unsigned char* window,
                                                        int used, unsigned shift) {
    ThreadSums<channels> own;
    // Several words at a time are on their way; those past the last one have an empty mask.
    constexpr int together = 8;
#pragma unroll
    for (int begin = 0; begin < held_words; begin += together) {
        if (begin >= used) break;
        unsigned value[together];
#pragma unroll
        for (int k = 0; k < together; ++k) {
            const auto* const word = reinterpret_cast<const unsigned*>(window + held.offset[begin + k]);
            value[k] = __funnelshift_r(__ldg(word), __ldg(word + 1), shift) & held.mask[begin + k];
        }
#pragma unroll
        for (int k = 0; k < together; ++k) {
            own.product = __dp4a(value[k], held.pixels[begin + k], own.product);
            own.square = __dp4a(value[k], value[k], own.square);
            if constexpr (channels == 1) {
                own.sum[0] = __dp4a(value[k], 0x01010101u, own.sum[0]);
            } else {
                // Byte b of a word of number n belongs to channel (n + b) modulo 3.
                const int n = (begin + k) * 32 * team_warps;
                own.sum[n % 3] = __dp4a(value[k], 0x01000001u, own.sum[n % 3]);
                own.sum[(n + 1) % 3] = __dp4a(value[k], 0x00000100u, own.sum[(n + 1) % 3]);
                own.sum[(n + 2) % 3] = __dp4a(value[k], 0x00010000u, own.sum[(n + 2) % 3]);
            }
        }
    }
    return own;
}

template <int channels, int team_warps, int held_words>
__device__ __forceinline__ void test_places(const TemplateScene& scene, const PlaceTest& given) {
    const TemplateWords& pattern = given.pattern;
    const HitTest& test = given.test;
    constexpr int kinds = 2 + channels;
    constexpr unsigned teams = warps / team_warps;
    // Positions of a round and their windows' sums: product, squares, channels. Of two rounds in turn.
    __shared__ unsigned round_places[2][round_most];
    __shared__ unsigned round_sums[2][round_most * kinds];
    static_assert(round_most * kinds <= 32 * warps);
    const unsigned lane = lane_index();
    const unsigned warp = threadIdx.x / 32;
    const unsigned thread = threadIdx.x % (32 * team_warps);
    const int row_words = row_words_taken(pattern, channels);
    const int used = (row_words * pattern.height + 32 * team_warps - 1) / (32 * team_warps);
    const int last = last_word(scene);
    // No kernel writes a pattern, so that this need not wait.
    const HeldWords<held_words> held(scene, pattern, row_words, thread, 32 * team_warps);
    wait_for_previous();
    const Places places(scene, given.candidates, test);
    const unsigned round = min(round_most, (places.count + gridDim.x - 1) / gridDim.x);
    if (blockIdx.x * round >= places.count) return;
    int turn = 0;
    for (unsigned first = blockIdx.x * round; first < places.count; first += gridDim.x * round) {
        const unsigned count = min(round, places.count - first);
        unsigned* const at = round_places[turn];
        unsigned* const window = round_sums[turn];
        turn ^= 1;
        if (threadIdx.x < count) at[threadIdx.x] = places.at(first + threadIdx.x);
        if (threadIdx.x < round_most * kinds) window[threadIdx.x] = 0;
        __syncthreads();
        for (unsigned i = warp / team_warps; i < count; i += teams) {
            const int y = scene.top + static_cast<int>(at[i] >> 16);
            const int byte = channels * (scene.left + static_cast<int>(at[i] & 0xffffu));
            // Next to the right edge of the screen the word after a row's last one may not exist.
            const bool inside = byte / 4 + row_words <= last;
            unsigned sum[kinds] = {};
            if (inside) {
                const ThreadSums<channels> own = sums_at<channels, team_warps>(
                    held, scene.bytes.row(y) + byte / 4 * 4, used, static_cast<unsigned>(8 * (byte & 3)));
                sum[0] = warp_sum(own.product);
                sum[1] = warp_sum(own.square);
                const unsigned phase = channels == 1 ? 0 : thread % 3;
#pragma unroll
                for (int c = 0; c < channels; ++c)
                    sum[2 + c] = warp_sum(phase == 0   ? own.sum[c]
                                          : phase == 1 ? own.sum[(c + channels - 1) % channels]
                                                       : own.sum[(c + 1) % channels]);
            } else if (warp % team_warps == 0) {
                const WindowSums whole = window_at<channels>(scene, pattern, byte, y);
                sum[0] = static_cast<unsigned>(whole.product);
                sum[1] = static_cast<unsigned>(whole.square);
#pragma unroll
                for (int c = 0; c < channels; ++c) sum[2 + c] = static_cast<unsigned>(whole.sum[c]);
            }
            if (lane == 0) {
#pragma unroll
                for (int k = 0; k < kinds; ++k) atomicAdd(&window[i * kinds + static_cast<unsigned>(k)], sum[k]);
            }
        }
        __syncthreads();
        // A lane a position: a score takes two dozen double-precision operations one after another.
        if (warp != 0) continue;
        const bool has = lane < count;
        const unsigned place = has ? at[lane] : 0;
        const int x = static_cast<int>(place & 0xffffu);
        const int y = static_cast<int>(place >> 16);
        WindowSums whole;
        whole.product = window[lane * kinds];
        whole.square = window[lane * kinds + 1];
#pragma unroll
        for (int c = 0; c < channels; ++c) whole.sum[c] = window[lane * kinds + 2 + static_cast<unsigned>(c)];
        const bool take = has && !is_excluded(given.exclusions, x, y);
        offer(test, take, x, y, take ? score_of(given.sums, whole) : no_score);
    }
}

template <int channels, int team_warps, int held_words>
__global__ void __launch_bounds__(32 * warps, blocks_for_words(held_words))
    test_kernel(TemplateScene scene, PlaceTest given) {
    let_next_begin();
    test_places<channels, team_warps, held_words>(scene, given);
}

// Calls launch_with(warps of a team, words of a thread) for patterns that threads can hold; false where they cannot.
template <class Launch>
bool with_team(int words, const Launch& launch_with) {
    constexpr int warp_words = 32 * most_words_held;
    constexpr std::integral_constant<int, most_words_held> most;
    if (words > 8 * warp_words) return false;
    if (words > 4 * warp_words)
        launch_with(std::integral_constant<int, 8>(), most);
    else if (words > 2 * warp_words)
        launch_with(std::integral_constant<int, 4>(), most);
    else if (words > warp_words)
        launch_with(std::integral_constant<int, 2>(), most);
    else if (words > 32 * few_words)
        launch_with(std::integral_constant<int, 1>(), most);
    else
        launch_with(std::integral_constant<int, 1>(), std::integral_constant<int, few_words>());
    return true;
}

bool rows_too_far(const TemplateScene& scene, const TemplateWords& pattern) {
    return scene.bytes.stride > 0xffffffffu / static_cast<unsigned>(pattern.height + 1);
}

template <int channels>
void start(const TemplateScene& scene, const PlaceTest& test, const DeviceLimits& limits, cudaStream_t stream) {
    LaunchShape shape;
    shape.early = limits.early_launch && test.candidates.places != nullptr;
    shape.block = dim3(32 * warps);
    // About as many blocks as are resident at once; how many candidates there are is known on the device only.
    const std::size_t positions = static_cast<std::size_t>(scene.columns) * static_cast<std::size_t>(scene.rows);
    const auto most = static_cast<unsigned>(4 * limits.multiprocessors);
    const auto grid_of = [&](unsigned team_warps) {
        return dim3(std::min(most, blocks_for(positions, warps / team_warps)));
    };
    const bool held =
        !rows_too_far(scene, test.pattern) &&
        with_team(row_words_taken(test.pattern, channels) * test.pattern.height, [&](auto team_warps, auto words) {
            shape.grid = grid_of(team_warps);
            launch(test_kernel<channels, decltype(team_warps)::value, decltype(words)::value>, shape, stream, scene,
                   test);
        });
    if (held) return;
    shape.grid = grid_of(warps);
    launch(window_kernel<channels>, shape, stream, scene, test);
}

}  // namespace

void direct_test(const TemplateScene& scene, const PlaceTest& test, const DeviceLimits& limits, cudaStream_t stream) {
    if (scene.channels == 3)
        start<3>(scene, test, limits, stream);
    else
        start<1>(scene, test, limits, stream);
}

}  // namespace vedette::cuda
