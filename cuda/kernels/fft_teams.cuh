// Teams: who works on one square of n x n, and how numbers get from rows to columns and back.
//
// A real image is n / 2 lines of n complex numbers: row y with row y + n / 2 as its imaginary part; its spectrum is
// n / 2 lines again: column c = 1 ... n / 2 - 1 of the half that says everything, and columns 0 and n / 2 as one line.
// A group of FftLine::lanes lanes owns row line `line` and column line `line`, so either way a transform gives n / 2
// lines to n / 2 others. Every team has the same face:
//     rising(x), falling(x)   where numbers with index x go: of lines lane + lanes * q, q < values / 2, and of lines
//                             n - (lane + lanes * q), values / 2 <= q (line n / 2 is line 0)
//     begin() ... deliver()   around the stores of an exchange; all threads of the team
//     get(q)                  number lane + lanes * q of the own line, after deliver
//     scratch()               for FftLine, from deliver to the next begin
//     calls_transforms        whether a line's transform is there once and called, not at every place of use
#pragma once

#include "device/cluster.cuh"
#include "device/grid.cuh"
#include "kernels/fft_line.cuh"

namespace vedette::cuda {

// The four bits in reverse order.
__device__ __forceinline__ int reversed_4(int bits) {
    return static_cast<int>(__brev(static_cast<unsigned>(bits)) >> 28);
}

// One block, exchanges in its shared memory. Line d's number x lies at x ^ s(d), s the low bits of d in reverse order:
// stores of a half warp (lanes are neighbouring lines) and loads (lanes are neighbouring numbers) hit 16 banks of 8
// bytes each. With two buffers an exchange needs one barrier; with one, to save memory, two.
// `held_lines`: n / 2, or n for a complex image, of which a group owns lines `line` and line + n / 2.
template <class Line, int buffer_count, int held_lines = Line::n / 2>
class BlockTeam {
    static constexpr int lanes = Line::lanes, n = Line::n;
    static constexpr int pitch = Line::scratch_numbers > n ? Line::scratch_numbers : n;
    static constexpr int buffer_numbers = held_lines * pitch;

public:
    static constexpr int blocks = 1;
    static constexpr int threads = n / 2 * lanes;
    static constexpr int shared_numbers = buffer_count * buffer_numbers;
    static constexpr int exchange_numbers = 0;
    static constexpr bool cooperative = false;
    static constexpr bool calls_transforms = false;

    __device__ BlockTeam(Number* shared, Number*, unsigned*)
        : lane_(static_cast<int>(threadIdx.x) % lanes),
          line_(static_cast<int>(threadIdx.x) / lanes),
          at_(shared + (buffer_count - 1) * buffer_numbers),
          other_(shared) {}

    __device__ __forceinline__ int lane() const { return lane_; }
    __device__ __forceinline__ int line() const { return line_; }

    struct Rising {
        Number* to;
        __device__ __forceinline__ void store(int q, Number value) const { to[q * lanes * pitch] = value; }
    };
    struct Falling {
        Number* to;
        Number* zero;  // in line 0, for line n / 2
        __device__ __forceinline__ void store(int q, Number value) const {
            *(q == Line::values / 2 ? zero : to + (n - lanes * q) * pitch) = value;
        }
    };
    __device__ __forceinline__ Rising rising(int x) const { return {other_ + lane_ * pitch + (x ^ reversed_4(lane_))}; }
    __device__ __forceinline__ Falling falling(int x) const {
        const int low = (lanes - lane_) % lanes;
        Number* const to = other_ - lane_ * pitch + (x ^ reversed_4(low));
        return {to, lane_ == 0 ? other_ + x : to + n / 2 * pitch};
    }

    __device__ __forceinline__ void begin() {
        if constexpr (buffer_count == 1) __syncthreads();
    }
    __device__ __forceinline__ void deliver() {
        __syncthreads();
        Number* const filled = other_;
        other_ = at_;
        at_ = filled;
        const int s = reversed_4(line_ % lanes);
        from_ = at_ + line_ * pitch + (lane_ ^ (s % lanes));
        high_ = s / lanes;
    }
    // Of the own line, or of one that is `further`, a multiple of 16, behind it.
    __device__ __forceinline__ Number get(int q, int further = 0) const {
        const int at = lanes * q + further * pitch;
        if constexpr (lanes == 16) return from_[at];
        // Addresses that are a register and a constant.
        if constexpr (lanes == 8) return (q % 2 == 0 ? from_ + 8 * high_ : from_ - 8 * high_)[at];
        return from_[lanes * (q ^ high_) + further * pitch];
    }
    __device__ __forceinline__ Number* scratch() const { return at_ + line_ * pitch + Line::scratch_shift(line_); }

private:
    int lane_, line_;
    Number* at_;     // what was delivered, and scratch
    Number* other_;  // what is being filled
    const Number* from_ = nullptr;
    int high_ = 0;
};

// The blocks of a cluster; numbers are pushed into the owner's shared memory. There they lie number by number, the
// block's lines side by side, so that neighbouring lanes store runs to one block; a place of padding a number keeps
// loads free of conflicts. Two buffers: one cluster barrier an exchange.
template <class Line, int cluster_blocks>
class ClusterTeam {
    static constexpr int lanes = Line::lanes, n = Line::n;
    static constexpr int lines_of_block = n / 2 / cluster_blocks;
    static constexpr int pitch = lines_of_block + 1;
    static constexpr unsigned owners = lanes / lines_of_block;  // of as many neighbouring lines as a group has lanes
    static_assert(lanes % lines_of_block == 0);
    static constexpr int buffer_numbers = n * pitch;

public:
    static constexpr int blocks = cluster_blocks;
    static constexpr int threads = lines_of_block * lanes;
    static constexpr int shared_numbers = 2 * buffer_numbers + lines_of_block * Line::scratch_numbers;
    static constexpr int exchange_numbers = 0;
    static constexpr bool cooperative = false;
    static constexpr bool calls_transforms = false;

    __device__ ClusterTeam(Number* shared, Number*, unsigned*)
        : lane_(static_cast<int>(threadIdx.x) % lanes),
          local_(static_cast<int>(threadIdx.x) / lanes),
          line_(static_cast<int>(cluster_rank()) * lines_of_block + local_),
          at_(shared + buffer_numbers),
          other_(shared),
          scratch_(shared + 2 * buffer_numbers + local_ * Line::scratch_numbers + Line::scratch_shift(local_)) {
        cluster_barrier();  // before the first store into another block it must have started
    }

    __device__ __forceinline__ int lane() const { return lane_; }
    __device__ __forceinline__ int line() const { return line_; }

    // Lines' owners are a register and a constant, their places in the block one register.
    struct Rising {
        Number* to;
        unsigned rank;
        __device__ __forceinline__ void store(int q, Number value) const {
            store_in_cluster(to, rank + static_cast<unsigned>(q) * owners, value.re, value.im);
        }
    };
    struct Falling {
        Number* to;
        unsigned rank;
        __device__ __forceinline__ void store(int q, Number value) const {
            const unsigned owner = rank + static_cast<unsigned>(Line::values - 1 - q) * owners;
            store_in_cluster(to, q == Line::values / 2 ? owner % cluster_blocks : owner, value.re, value.im);
        }
    };
    __device__ __forceinline__ Rising rising(int x) const {
        return {other_ + x * pitch + lane_ % lines_of_block, static_cast<unsigned>(lane_ / lines_of_block)};
    }
    __device__ __forceinline__ Falling falling(int x) const {
        const int low = (lanes - lane_) % lanes;
        return {other_ + x * pitch + low % lines_of_block,
                static_cast<unsigned>(low / lines_of_block) + (lane_ == 0 ? owners : 0u)};
    }

    __device__ __forceinline__ void begin() {}
    __device__ __forceinline__ void deliver() {
        __syncwarp();  // the barrier is the whole warp's
        cluster_barrier();
        Number* const filled = other_;
        other_ = at_;
        at_ = filled;
    }
    __device__ __forceinline__ Number get(int q) const { return at_[(lane_ + lanes * q) * pitch + local_]; }
    __device__ __forceinline__ Number* scratch() const { return scratch_; }

private:
    int lane_, local_, line_;
    Number* at_;
    Number* other_;
    Number* scratch_;
};

// Blocks anywhere on the device, all resident at once (a cooperative launch); exchanges go through global memory, that
// is, through the second-level cache. The way for squares that fit no block on devices without clusters.
template <class Line, int block_threads>
class GridTeam {
    static constexpr int lanes = Line::lanes, n = Line::n;
    static constexpr int lines_of_block = block_threads / lanes;

public:
    static constexpr int blocks = n / 2 / lines_of_block;
    static constexpr int threads = block_threads;
    static constexpr int shared_numbers = lines_of_block * Line::scratch_numbers;
    static constexpr int exchange_numbers = n * n;  // of one image: two buffers
    static constexpr bool cooperative = true;
    // A barrier of the grid takes longer than numbers through local memory, and the code compiles in half
    // the time.
    static constexpr bool calls_transforms = true;

    // `exchange`: the image's; `barrier`: the launch's.
    __device__ GridTeam(Number* shared, Number* exchange, unsigned* barrier)
        : lane_(static_cast<int>(threadIdx.x) % lanes),
          line_(static_cast<int>(blockIdx.x) % blocks * lines_of_block + static_cast<int>(threadIdx.x) / lanes),
          at_(exchange + n * n / 2),
          other_(exchange),
          scratch_(shared + static_cast<int>(threadIdx.x) / lanes * Line::scratch_numbers +
                   Line::scratch_shift(static_cast<int>(threadIdx.x) / lanes)),
          barrier_(barrier) {}

    __device__ __forceinline__ int lane() const { return lane_; }
    __device__ __forceinline__ int line() const { return line_; }

    struct Rising {
        Number* to;
        __device__ __forceinline__ void store(int q, Number value) const { store_past(to + lanes * q, value); }
    };
    struct Falling {
        Number* to;
        int lane;
        __device__ __forceinline__ void store(int q, Number value) const {
            const int line = n - lanes * q - lane;
            store_past(to + (q == Line::values / 2 ? line % (n / 2) : line), value);
        }
    };
    __device__ __forceinline__ Rising rising(int x) const { return {other_ + x * (n / 2) + lane_}; }
    __device__ __forceinline__ Falling falling(int x) const { return {other_ + x * (n / 2), lane_}; }

    __device__ __forceinline__ void begin() {}
    __device__ __forceinline__ void deliver() {
        grid_barrier(barrier_);
        Number* const filled = other_;
        other_ = at_;
        at_ = filled;
    }
    __device__ __forceinline__ Number get(int q) const {
        const float2 value = __ldcg(reinterpret_cast<const float2*>(at_ + (lane_ + lanes * q) * (n / 2) + line_));
        return {value.x, value.y};
    }
    __device__ __forceinline__ Number* scratch() const { return scratch_; }

private:
    // Past the first-level cache, which other multiprocessors do not see.
    static __device__ __forceinline__ void store_past(Number* to, Number value) {
        __stcg(reinterpret_cast<float2*>(to), float2{value.re, value.im});
    }

    int lane_, line_;
    Number* at_;
    Number* other_;
    Number* scratch_;
    unsigned* barrier_;
};

}  // namespace vedette::cuda
