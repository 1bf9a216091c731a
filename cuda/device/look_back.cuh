// Prefix sums among blocks in one pass: words that are flag and value in one, and the look back at the blocks before.
//
// A block publishes the sum of its own (an aggregate), and asks those before it; who knows the sum of everything before
// publishes that and its own together (inclusive), so that others look back no further. A relaxed load is flag and
// value, so nothing is fenced. Words carry the number of the call in a few bits, so that they need no clearing between
// calls. [Merrill and Garland: Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016]
//
// Blocks must be numbered in the order in which they start (a ticket), and publish their aggregate before they wait:
// then nobody waits for a block that has not started, on any device.
#pragma once

#include "memory.cuh"

#include <cstddef>

namespace vedette::cuda {

inline constexpr unsigned spin_nanoseconds = 20;  // estimate: a load that finds nothing costs about 500

// Words of unsigned integers: the value in the low `value_bits`, a bit that says inclusive, the call above.
template <class Word, int value_bits>
struct PackedWord {
    using Value = Word;
    static constexpr int call_bits = static_cast<int>(8 * sizeof(Word)) - value_bits - 1;
    static constexpr Word value_mask = (Word{1} << value_bits) - 1;
    static constexpr Word inclusive_bit = Word{1} << value_bits;

    static __device__ __forceinline__ Word call_of(unsigned call) {
        return (Word{call} & ((Word{1} << call_bits) - 1)) << (value_bits + 1);
    }
    static __device__ __forceinline__ void publish(Word* word, Word value, bool inclusive, unsigned call) {
        store_relaxed(word, call_of(call) | (inclusive ? inclusive_bit : Word{0}) | (value & value_mask));
    }
    static __device__ __forceinline__ bool ready(Word word, unsigned call) {
        return (word & ~(value_mask | inclusive_bit)) == call_of(call);
    }

    // The sum of the `count` words before `word`, each `pitch` words further back. Two loads a step: more only add
    // traffic (H200).
    static __device__ __forceinline__ Word look_back(const Word* word, std::size_t pitch, int count, unsigned call) {
        Word sum = 0;
        while (count > 0) {
            word -= pitch;
            Word near = load_relaxed(word);
            const Word far = count > 1 ? load_relaxed(word - pitch) : Word{0};
            while (!ready(near, call)) {
                __nanosleep(spin_nanoseconds);
                near = load_relaxed(word);
            }
            sum += near & value_mask;
            --count;
            if ((near & inclusive_bit) != 0) return sum;
            if (count > 0 && ready(far, call)) {
                sum += far & value_mask;
                --count;
                word -= pitch;
                if ((far & inclusive_bit) != 0) return sum;
            }
        }
        return sum;
    }

    static __device__ __forceinline__ Word wait_for(const Word* word, unsigned call) {
        Word value = load_relaxed(word);
        while (!ready(value, call)) {
            __nanosleep(spin_nanoseconds);
            value = load_relaxed(word);
        }
        return value & value_mask;
    }
};

// A double in two words, either half with the call and the inclusive bit of its own: a reader takes halves that agree.
struct RealWord {
    unsigned long long half[2];

    static __device__ __forceinline__ unsigned long long mark(bool inclusive, unsigned call) {
        return static_cast<unsigned long long>(call & 0x7fffffffu) << 33 | (inclusive ? 1ull << 32 : 0ull);
    }
    static __device__ __forceinline__ void publish(RealWord* word, double value, bool inclusive, unsigned call) {
        const auto bits = static_cast<unsigned long long>(__double_as_longlong(value));
        store_relaxed(&word->half[0], mark(inclusive, call) | (bits & 0xffffffffull));
        store_relaxed(&word->half[1], mark(inclusive, call) | bits >> 32);
    }
    // Waits until there is a value.
    static __device__ __forceinline__ double load(const RealWord* word, unsigned call, bool& inclusive) {
        for (;;) {
            const unsigned long long low = load_relaxed(&word->half[0]);
            const unsigned long long high = load_relaxed(&word->half[1]);
            if (low >> 32 == high >> 32 && high >> 33 == (call & 0x7fffffffu)) {
                inclusive = (high >> 32 & 1) != 0;
                return __longlong_as_double(static_cast<long long>(high << 32 | (low & 0xffffffffull)));
            }
            __nanosleep(spin_nanoseconds);
        }
    }

    // The sum of the `count` words before `word`, rounded as if each predecessor had added its own to the sum before
    // it, whatever was published when: back to the nearest inclusive word (the first tile's is), then forward again.
    static __device__ __forceinline__ double look_back(const RealWord* word, std::size_t pitch, int count,
                                                       unsigned call) {
        double sum = 0;
        bool inclusive = false;
        int back = 0;
        while (back < count && !inclusive) {
            ++back;
            sum = load(word - back * pitch, call, inclusive);
        }
        while (back > 1) {
            --back;
            const double next = load(word - back * pitch, call, inclusive);
            sum = inclusive ? next : sum + next;
        }
        return sum;
    }

    static __device__ __forceinline__ double wait_for(const RealWord* word, unsigned call) {
        bool inclusive = false;
        return load(word, call, inclusive);
    }
};

}  // namespace vedette::cuda
