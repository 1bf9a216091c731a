// Sorting of keys with what belongs to them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace vedette::cpu {

struct Keyed {
    std::uint64_t key;
    std::uint32_t value;
};

// Sorts `entries` by key, entries of equal keys as they were; `spare` is scratch and grows to the same size. Digits
// that are the same in all keys cost nothing, so small keys are sorted in few passes.
inline void radix_sort(std::vector<Keyed>& entries, std::vector<Keyed>& spare) {
    constexpr unsigned digit_bits = 11;
    constexpr std::uint32_t digits = 1u << digit_bits;
    if (entries.empty()) return;
    std::uint64_t differing = 0;
    for (const Keyed& entry : entries) differing |= entry.key ^ entries.front().key;
    spare.resize(entries.size());
    std::array<std::uint32_t, digits> place;
    for (unsigned shift = 0; shift < 64; shift += digit_bits) {
        if ((differing >> shift & (digits - 1)) == 0) continue;
        place.fill(0);
        for (const Keyed& entry : entries) ++place[entry.key >> shift & (digits - 1)];
        std::uint32_t before = 0;
        for (std::uint32_t& count : place) {
            const std::uint32_t here = count;
            count = before;
            before += here;
        }
        for (const Keyed& entry : entries) spare[place[entry.key >> shift & (digits - 1)]++] = entry;
        entries.swap(spare);
    }
}

}  // namespace vedette::cpu
