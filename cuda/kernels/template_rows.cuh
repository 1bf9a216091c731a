// Reading image rows by threads that own eight neighbouring columns each.
#pragma once

#include "device/memory.cuh"
#include "kernels/template_scene.cuh"

namespace vedette::cuda {

inline constexpr int thread_columns = 8;

// By the first block of a grid; nothing where there are no words.
__device__ __forceinline__ void clear_words(const Cleared& cleared) {
    if (cleared.words == nullptr || blockIdx.x != 0 || blockIdx.y != 0) return;
    for (int i = static_cast<int>(threadIdx.x); i < cleared.count; i += static_cast<int>(blockDim.x))
        cleared.words[i] = 0;
}

// A thread's bytes of an image row: those of eight neighbouring columns.
template <int channels>
struct Bytes {
    unsigned word[thread_columns * channels / 4];
    __device__ __forceinline__ unsigned at(int i, int c) const {
        const int byte = i * channels + c;
        return __byte_perm(word[byte / 4], 0, 0x4440u | static_cast<unsigned>(byte % 4));
    }
};

// Reads them: in pairs of words where the first byte is the first of a pair, which is the usual case, else word by
// word.
template <int channels, bool in_pairs>
class Reader {
public:
    // `byte`: the thread's first one of a row. Words past a row's last one belong to columns that nobody reads.
    __device__ __forceinline__ Reader(const TemplateScene& scene, int byte)
        : first_(reinterpret_cast<const unsigned char*>(row_words(scene, 0))),
          pitch_(scene.bytes.stride),
          most_(scene.bytes.height - 1),
          shift_(static_cast<unsigned>(8 * (byte & 3))) {
        const int last = last_word(scene);  // odd
#pragma unroll
        for (int i = 0; i < pieces; ++i) at_[i] = 4 * min(byte / 4 + piece_words * i, last + 1 - piece_words);
    }

    // Row y, or the last one.
    __device__ __forceinline__ Bytes<channels> read(int y) const {
        const unsigned char* const row = first_ + pitch_ * min(y, most_);
        Bytes<channels> bytes;
        if constexpr (in_pairs) {
#pragma unroll
            for (int i = 0; i < pieces; ++i) {
                const uint2 two = __ldg(reinterpret_cast<const uint2*>(row + at_[i]));
                bytes.word[2 * i] = two.x;
                bytes.word[2 * i + 1] = two.y;
            }
        } else {
            unsigned word[pieces];
#pragma unroll
            for (int i = 0; i < pieces; ++i) word[i] = __ldg(reinterpret_cast<const unsigned*>(row + at_[i]));
#pragma unroll
            for (int i = 0; i < words; ++i) bytes.word[i] = __funnelshift_r(word[i], word[i + 1], shift_);
        }
        return bytes;
    }

private:
    static constexpr int words = thread_columns * channels / 4;
    static constexpr int piece_words = in_pairs ? 2 : 1;
    static constexpr int pieces = in_pairs ? words / 2 : words + 1;

    const unsigned char* first_;
    std::ptrdiff_t pitch_;
    int most_;
    unsigned shift_;
    int at_[pieces];
};

}  // namespace vedette::cuda
