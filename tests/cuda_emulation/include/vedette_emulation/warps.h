// What lanes of a warp do together: shuffles, votes, matches, reductions. Lanes meet by the mask alone, wherever they
// call from; a value taken from a lane that is not there (undefined on a GPU) is a pattern of 0xCD bytes.
#pragma once
#include <bit>
#include <cstring>

#include "execution.h"

namespace vedette_emulation {

/// The lanes of `mask` one by one, lowest first.
template <typename Body>
void for_each_lane(uint32_t mask, Body&& body) {
    for (; mask != 0; mask &= mask - 1) {
        body(static_cast<unsigned int>(std::countr_zero(mask)));
    }
}

template <typename T>
struct Shuffle {
    T value;
    unsigned int source;  // lane whose value is taken
};

template <typename T>
void complete_shuffle(WarpGroup& group) {
    for_each_lane(group.mask, [&](unsigned int lane) {
        const unsigned int source = static_cast<const Shuffle<T>*>(group.in[lane])->source;
        if (group.in[source] != nullptr) {
            *static_cast<T*>(group.out[lane]) = static_cast<const Shuffle<T>*>(group.in[source])->value;
        } else {
            std::memset(group.out[lane], 0xCD, sizeof(T));
        }
    });
}

template <typename T>
T shuffle(uint32_t mask, T value, unsigned int source) {
    const Shuffle<T> in{value, source};
    T out;
    warp_collective(mask, &in, &out, &complete_shuffle<T>);
    return out;
}

// The source lanes, from the definition of shfl.sync in the PTX ISA: the lanes are cut into segments of `width`.
inline unsigned int source_indexed(int lane, int width) {
    const unsigned int segment = static_cast<unsigned int>(width) - 1;
    return (lane_id() & ~segment & 31u) | (static_cast<unsigned int>(lane) & segment);
}
inline unsigned int source_up(unsigned int delta, int width) {
    const unsigned int first = lane_id() & ~(static_cast<unsigned int>(width) - 1);
    return delta <= lane_id() - first ? lane_id() - delta : lane_id();
}
inline unsigned int source_down(unsigned int delta, int width) {
    const unsigned int last = lane_id() | (static_cast<unsigned int>(width) - 1);
    return delta <= last - lane_id() ? lane_id() + delta : lane_id();
}
inline unsigned int source_xor(int lane_mask, int width) {
    const unsigned int last = lane_id() | (static_cast<unsigned int>(width) - 1);
    const unsigned int source = lane_id() ^ static_cast<unsigned int>(lane_mask);
    return source <= last ? source : lane_id();
}

/// Every lane brings a value of type T, and `combine` makes of them one answer of type R for all.
template <typename T, typename R, R (*combine)(const WarpGroup&)>
R warp_answer(uint32_t mask, T value) {
    R out;
    warp_collective(mask, &value, &out, [](WarpGroup& group) {
        const R answer = combine(group);
        for_each_lane(group.mask, [&](unsigned int lane) { *static_cast<R*>(group.out[lane]) = answer; });
    });
    return out;
}

inline uint32_t combine_ballot(const WarpGroup& group) {
    uint32_t answer = 0;
    for_each_lane(group.mask, [&](unsigned int lane) {
        answer |= *static_cast<const int*>(group.in[lane]) != 0 ? 1u << lane : 0u;
    });
    return answer;
}
struct Vote {
    uint32_t taking_part;
    uint32_t yes;
};
inline Vote combine_vote(const WarpGroup& group) {
    return {group.mask, combine_ballot(group)};
}

template <typename T, typename Step>
T combine_values(const WarpGroup& group, Step step) {
    T answer = *static_cast<const T*>(group.in[std::countr_zero(group.mask)]);
    for_each_lane(group.mask & (group.mask - 1),
                  [&](unsigned int lane) { answer = step(answer, *static_cast<const T*>(group.in[lane])); });
    return answer;
}
template <typename T>
T combine_add(const WarpGroup& group) {
    return combine_values<T>(
        group, [](T a, T b) { return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b)); });
}
template <typename T>
T combine_min(const WarpGroup& group) {
    return combine_values<T>(group, [](T a, T b) { return b < a ? b : a; });
}
template <typename T>
T combine_max(const WarpGroup& group) {
    return combine_values<T>(group, [](T a, T b) { return a < b ? b : a; });
}
inline unsigned combine_and(const WarpGroup& group) {
    return combine_values<unsigned>(group, [](unsigned a, unsigned b) { return a & b; });
}
inline unsigned combine_or(const WarpGroup& group) {
    return combine_values<unsigned>(group, [](unsigned a, unsigned b) { return a | b; });
}
inline unsigned combine_xor(const WarpGroup& group) {
    return combine_values<unsigned>(group, [](unsigned a, unsigned b) { return a ^ b; });
}

template <typename T>
void complete_match(WarpGroup& group) {
    for_each_lane(group.mask, [&](unsigned int lane) {
        unsigned int same = 0;
        for_each_lane(group.mask, [&](unsigned int other) {
            same |= std::memcmp(group.in[lane], group.in[other], sizeof(T)) == 0 ? 1u << other : 0u;
        });
        *static_cast<unsigned int*>(group.out[lane]) = same;
    });
}
template <typename T>
unsigned int match_any(uint32_t mask, T value) {
    unsigned int same = 0;
    warp_collective(mask, &value, &same, &complete_match<T>);
    return same;
}

}  // namespace vedette_emulation

#define VEDETTE_EMULATED_SHUFFLES(T)                                                                        \
    inline T __shfl_sync(unsigned int mask, T value, int lane, int width = 32) {                            \
        return vedette_emulation::shuffle<T>(mask, value, vedette_emulation::source_indexed(lane, width));  \
    }                                                                                                       \
    inline T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32) {               \
        return vedette_emulation::shuffle<T>(mask, value, vedette_emulation::source_up(delta, width));      \
    }                                                                                                       \
    inline T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32) {             \
        return vedette_emulation::shuffle<T>(mask, value, vedette_emulation::source_down(delta, width));    \
    }                                                                                                       \
    inline T __shfl_xor_sync(unsigned int mask, T value, int lane_mask, int width = 32) {                   \
        return vedette_emulation::shuffle<T>(mask, value, vedette_emulation::source_xor(lane_mask, width)); \
    }                                                                                                       \
    inline unsigned int __match_any_sync(unsigned int mask, T value) {                                      \
        return vedette_emulation::match_any<T>(mask, value);                                                \
    }                                                                                                       \
    inline unsigned int __match_all_sync(unsigned int mask, T value, int* predicate) {                      \
        const unsigned int same = vedette_emulation::match_any<T>(mask, value);                             \
        *predicate = same == (mask & vedette_emulation::live_lanes()) ? 1 : 0;                              \
        return *predicate != 0 ? mask : 0u;                                                                 \
    }
VEDETTE_EMULATED_SHUFFLES(int)
VEDETTE_EMULATED_SHUFFLES(unsigned int)
VEDETTE_EMULATED_SHUFFLES(long)
VEDETTE_EMULATED_SHUFFLES(unsigned long)
VEDETTE_EMULATED_SHUFFLES(long long)
VEDETTE_EMULATED_SHUFFLES(unsigned long long)
VEDETTE_EMULATED_SHUFFLES(float)
VEDETTE_EMULATED_SHUFFLES(double)
#undef VEDETTE_EMULATED_SHUFFLES

inline unsigned int __ballot_sync(unsigned int mask, int predicate) {
    return vedette_emulation::warp_answer<int, uint32_t, &vedette_emulation::combine_ballot>(mask, predicate);
}
inline int __any_sync(unsigned int mask, int predicate) {
    return __ballot_sync(mask, predicate) != 0 ? 1 : 0;
}
inline int __all_sync(unsigned int mask, int predicate) {
    const auto vote =
        vedette_emulation::warp_answer<int, vedette_emulation::Vote, &vedette_emulation::combine_vote>(mask, predicate);
    return vote.yes == vote.taking_part ? 1 : 0;
}
/// All lanes that have not returned, whether or not they stand at the same place: on a GPU it is those that happen to
/// run together, of which a program may assume nothing.
inline unsigned int __activemask() {
    return vedette_emulation::live_lanes();
}

inline int __reduce_add_sync(unsigned int mask, int value) {
    return vedette_emulation::warp_answer<int, int, &vedette_emulation::combine_add<int>>(mask, value);
}
inline unsigned int __reduce_add_sync(unsigned int mask, unsigned int value) {
    return vedette_emulation::warp_answer<unsigned, unsigned, &vedette_emulation::combine_add<unsigned>>(mask, value);
}
inline int __reduce_min_sync(unsigned int mask, int value) {
    return vedette_emulation::warp_answer<int, int, &vedette_emulation::combine_min<int>>(mask, value);
}
inline unsigned int __reduce_min_sync(unsigned int mask, unsigned int value) {
    return vedette_emulation::warp_answer<unsigned, unsigned, &vedette_emulation::combine_min<unsigned>>(mask, value);
}
inline int __reduce_max_sync(unsigned int mask, int value) {
    return vedette_emulation::warp_answer<int, int, &vedette_emulation::combine_max<int>>(mask, value);
}
inline unsigned int __reduce_max_sync(unsigned int mask, unsigned int value) {
    return vedette_emulation::warp_answer<unsigned, unsigned, &vedette_emulation::combine_max<unsigned>>(mask, value);
}
inline unsigned int __reduce_and_sync(unsigned int mask, unsigned int value) {
    return vedette_emulation::warp_answer<unsigned, unsigned, &vedette_emulation::combine_and>(mask, value);
}
inline unsigned int __reduce_or_sync(unsigned int mask, unsigned int value) {
    return vedette_emulation::warp_answer<unsigned, unsigned, &vedette_emulation::combine_or>(mask, value);
}
inline unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value) {
    return vedette_emulation::warp_answer<unsigned, unsigned, &vedette_emulation::combine_xor>(mask, value);
}
