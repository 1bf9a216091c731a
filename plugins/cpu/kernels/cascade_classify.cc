// Compiled once per instruction set; see plugins/cpu/CMakeLists.txt for what that forbids.
#include "kernels/cascade.h"
#include "kernels/cascade_features.h"
#include "kernels/cascade_parts.h"

namespace vedette::cpu::VEDETTE_ISA {

extern const CascadeKernels cascade_kernels;

namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using MaskRow = U64[cascade_mask_words];

U64 field(const U64* row, U32 x) {
    const U32 word = x / 64, shift = x % 64;
    const U64 low = row[word] >> shift;
    return shift == 0 ? low : low | row[word + 1] << (64 - shift);
}

void set_field(U64* row, U32 x, U64 field) {
    const U32 word = x / 64, shift = x % 64;
    row[word] |= field << shift;
    if (shift != 0) row[word + 1] |= field >> (64 - shift);
}

// Vectors that cover all set bits, each beginning at one.
U32 cover(const CascadeWindows& windows, const MaskRow* masks, CascadeVector* vectors) {
    U32 count = 0;
    for (U32 row = 0; row < windows.rows; ++row) {
        const U64* const mask = masks[row];
        for (U32 x = 0; x < windows.columns;) {
            const U64 rest = mask[x / 64] >> (x % 64);
            if (rest == 0) {
                x = (x / 64 + 1) * 64;
                continue;
            }
            x += static_cast<U32>(__builtin_ctzll(rest));
            vectors[count++] = {static_cast<std::uint16_t>(row), static_cast<std::uint16_t>(x)};
            x += lanes;
        }
    }
    return count;
}

void clear(const CascadeWindows& windows, MaskRow* masks) {
    std::memset(masks, 0, windows.rows * sizeof(MaskRow));
}

// Norms of all windows, and which of them are not flat.
void normalise(const CascadeProgram& program, const CascadeWindows& windows, MaskRow* textured) {
    // A norm below the limit belongs to a square at least this large; the hundredth leaves room for rounding.
    const double limit = static_cast<double>(program.norm_limit);
    const double flat_below = 0.99 / (limit * limit);
    const Floats norm_limit = all(program.norm_limit);
    clear(windows, textured);
    for (U32 row = 0; row < windows.rows; ++row) {
        const std::int32_t* const sums = windows.sums + row * windows.sum_pitch;
        const auto* const squares =
            reinterpret_cast<const std::int32_t*>(windows.squares) + row * windows.squares_pitch;
        for (U32 x = 0; x < windows.columns; x += lanes) {
            const Ints sum = rectangle(sums + x, program.norm_corner);
            const Ints square =
                sub(load(squares + windows.squares_last + x), load(squares + windows.squares_first + x));
            Floats norm = all(0.0F);
            if (!norms(sum, square, program.norm_area, flat_below, norm)) continue;
            store(windows.norm[row] + x, norm);
            U32 set = bits(less(norm, norm_limit));
            if (windows.columns - x < lanes) set &= (1u << (windows.columns - x)) - 1;
            set_field(textured[row], x, set);
        }
    }
}

// Every window's.
void take_all(const CascadeWindows& windows, MaskRow* masks) {
    clear(windows, masks);
    for (U32 row = 0; row < windows.rows; ++row)
        for (U32 word = 0; word * 64 < windows.columns; ++word) {
            const U32 left = windows.columns - word * 64;
            masks[row][word] = left >= 64 ? ~U64{0} : (U64{1} << left) - 1;
        }
}

void run(const CascadeProgram& program, const CascadeStage& stage, Group& group) {
    switch (program.kind) {
        case CascadeKind::haar_stumps:
            run_stumps(program, stage, group);
            break;
        case CascadeKind::haar_trees:
            run_trees(program, stage, program.haar, group);
            break;
        case CascadeKind::lbp:
            run_trees(program, stage, program.lbp, group);
            break;
    }
}

// Of the candidates in one vector, those that pass the stage.
U32 passing(const CascadeProgram& program, const CascadeStage& stage, const Group& group, U32 v, const float* norm,
            U32 candidates) {
    const U32 failed = bits(less(group.sum[v], all(stage.doubt)));
    U32 passed = candidates & ~failed;
    for (U32 unsure = passed & bits(less(group.sum[v], all(stage.sure))); unsure != 0; unsure &= unsure - 1) {
        const auto lane = static_cast<U32>(__builtin_ctz(unsure));
        const double sum = exact_sum(program, stage, group.window[v] + lane, norm[lane]);
        if (sum < static_cast<double>(stage.threshold)) passed &= ~(1u << lane);
    }
    return passed;
}

// `passed` = those of `candidates` that pass the stage.
void run_stage(const CascadeProgram& program, const CascadeStage& stage, const CascadeWindows& windows,
               const MaskRow* candidates, MaskRow* passed) {
    const U32 count = cover(windows, candidates, windows.vectors);
    clear(windows, passed);
    const bool is_haar = program.kind != CascadeKind::lbp;
    for (U32 first = 0; first < count; first += group_vectors) {
        Group group;
        const U32 used = count - first < group_vectors ? count - first : group_vectors;
        for (U32 v = 0; v < group_vectors; ++v) {
            const CascadeVector& at = windows.vectors[first + (v < used ? v : 0)];
            group.window[v] = windows.sums + at.row * windows.sum_pitch + at.x;
            group.norm[v] = is_haar ? load(windows.norm[at.row] + at.x) : all(1.0F);
            group.sum[v] = all(stage.start);
        }
        run(program, stage, group);
        for (U32 v = 0; v < used; ++v) {
            const CascadeVector& at = windows.vectors[first + v];
            const auto set = static_cast<U32>(field(candidates[at.row], at.x) & ((U64{1} << lanes) - 1));
            set_field(passed[at.row], at.x, passing(program, stage, group, v, windows.norm[at.row] + at.x, set));
        }
    }
}

// OpenCV skips the window that follows one which the first stage rejects. So of a run of rejected ones the first is
// visited, the second skipped, the third visited, and the window after the run is skipped when the run is of odd
// length. Clears skipped windows in `passed`; `skip`: the first is skipped, on return whether the one after the last
// is.
void skip_after_rejected(const U64* candidates, U64* passed, U32 columns, std::uint8_t& skip) {
    constexpr U64 even = 0x5555555555555555;
    U64 carry = skip;
    for (U32 word = 0; word * 64 < columns; ++word) {
        U64 rejected = candidates[word] & ~passed[word];
        U64 skipped = carry;
        rejected &= ~carry;  // a skipped one rejects nothing
        const U64 starts = rejected & ~(rejected << 1);
        const U64 from_even = rejected & ~(rejected + (starts & even));  // bits of runs that begin at even places
        const U64 from_odd = rejected & ~from_even;
        skipped |= (from_even << 1 & ~even) | (from_odd << 1 & even);
        const U32 left = columns - word * 64;
        const U32 last = left < 64 ? left - 1 : 63;
        // Whether the place after the last is skipped: it has the other parity than the last.
        carry = ((last % 2 == 0 ? from_even : from_odd) >> last) & 1;
        passed[word] &= ~skipped;
    }
    skip = static_cast<std::uint8_t>(carry);
}

void classify(const CascadeProgram& program, const CascadeWindows& windows) {
    MaskRow* candidates = windows.scratch;
    MaskRow* passed = windows.passed;
    if (program.kind == CascadeKind::lbp)
        take_all(windows, candidates);
    else
        normalise(program, windows, candidates);
    run_stage(program, program.stages[0], windows, candidates, passed);
    for (U32 row = 0; row < windows.rows; ++row)
        skip_after_rejected(candidates[row], passed[row], windows.columns, windows.skip[row]);
    for (U32 stage = 1; stage < program.stage_count; ++stage) {
        MaskRow* const swapped = candidates;
        candidates = passed;
        passed = swapped;
        run_stage(program, program.stages[stage], windows, candidates, passed);
    }
    if (passed != windows.passed) std::memcpy(windows.passed, passed, windows.rows * sizeof(MaskRow));
}

double score(const CascadeProgram& program, const std::int32_t* window, float norm) {
    return exact_sum(program, program.stages[program.stage_count - 1], window, norm);
}

}  // namespace

const CascadeKernels cascade_kernels = {
    .blend = blend,
    .resample = resample,
    .integrate = integrate,
    .integrate_halves = integrate_halves,
    .integrate_tilted = integrate_tilted,
    .move_squares = move_squares,
    .sum_squares = sum_squares,
    .classify = classify,
    .score = score,
};

}  // namespace vedette::cpu::VEDETTE_ISA
