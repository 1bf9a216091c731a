// Shuffles, votes, matches and reductions, with all lanes and with some.
#include <bit>

#include "testing.h"

namespace {

constexpr unsigned int full = 0xffffffffu;

struct Shuffled {
    int indexed, up, down, crossed;
    double wide;
    float narrow;
    long long segment_up;
    unsigned int segment_down;
    int from_neighbour_segment;
};

__global__ void shuffle_all(Shuffled* out) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int value = 100 * static_cast<int>(threadIdx.x / 32) + lane;
    Shuffled got{};
    got.indexed = __shfl_sync(full, value, 35);
    got.up = __shfl_up_sync(full, value, 3);
    got.down = __shfl_down_sync(full, value, 5);
    got.crossed = __shfl_xor_sync(full, value, 21);
    got.wide = __shfl_sync(full, value + 0.25, 31 - lane);
    got.narrow = __shfl_xor_sync(full, static_cast<float>(value), 1);
    got.segment_up = __shfl_up_sync(full, static_cast<long long>(value), 1, 8);
    got.segment_down = __shfl_down_sync(full, static_cast<unsigned int>(value), 6, 8);
    got.from_neighbour_segment = __shfl_xor_sync(full, value, 8, 8);
    out[threadIdx.x] = got;
}

__global__ void votes(unsigned int* out) {
    const int lane = static_cast<int>(threadIdx.x);
    const unsigned int odd_lanes = 0xaaaaaaaau;
    unsigned int* mine = out + lane * 12;
    mine[0] = __ballot_sync(full, lane % 3 == 0);
    mine[1] = static_cast<unsigned int>(__all_sync(full, lane < 32));
    mine[2] = static_cast<unsigned int>(__any_sync(full, lane == 40));
    mine[3] = __match_any_sync(full, lane / 4);
    if (lane % 2 == 1) {
        // Both groups go through the same lines at different times.
        mine[4] = __reduce_add_sync(odd_lanes, static_cast<unsigned int>(lane));
        mine[5] = __ballot_sync(odd_lanes, lane > 16);
    } else {
        mine[4] = __reduce_add_sync(~odd_lanes, static_cast<unsigned int>(lane));
        mine[5] = __ballot_sync(~odd_lanes, lane > 16);
    }
    mine[6] = static_cast<unsigned int>(__reduce_min_sync(full, lane - 7));
    mine[7] = static_cast<unsigned int>(__reduce_max_sync(full, lane - 7));
    mine[8] = __reduce_or_sync(full, 1u << (lane / 2)) ^ __reduce_xor_sync(full, 1u << lane);
    mine[9] = __reduce_and_sync(full, ~(1u << lane / 8));
    int all_same = -1;
    mine[10] = __match_all_sync(full, lane / 32, &all_same) + static_cast<unsigned int>(all_same);
    mine[11] = __match_all_sync(full, lane, &all_same) + static_cast<unsigned int>(all_same);
}

__global__ void lanes_that_return(unsigned int* out) {
    if (threadIdx.x >= 20) {
        return;
    }
    // The last warp is not full, and its upper lanes are gone: who is named but has returned is left out.
    const unsigned int seen = __ballot_sync(full, 1);
    const unsigned int from_nobody = __shfl_sync(full, 5u, 25);
    out[threadIdx.x] = seen;
    out[32 + threadIdx.x] = from_nobody;
    out[64 + threadIdx.x] = __activemask();
    __syncwarp(0x000fffffu);
}

__global__ void exchange_bytes(unsigned int* out) {
    const unsigned int lane = vedette_emulation::lane_id();
    struct Slot {
        unsigned int a, b, c;
    };
    const Slot mine{lane, lane * lane, 7};
    Slot all[32];
    const unsigned int mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    vedette_emulation::warp_exchange(mask, &mine, sizeof mine, all);
    unsigned int sum = 0;
    for (const Slot& slot : all) {
        sum += slot.a + slot.b + slot.c;
    }
    out[lane] = sum;
}

/// Exchanges that follow each other closely: nobody may see the value of the next one.
__global__ void chains(unsigned int* out) {
    unsigned int value = threadIdx.x;
    for (unsigned int i = 0; i < 100; ++i) {
        value = __shfl_sync(full, value, static_cast<int>((threadIdx.x + 1) % 32)) + (i & 1u);
        if (threadIdx.x % 2 == 0) {
            __syncwarp(0x55555555u);
        }
    }
    out[threadIdx.x] = value;
}

void in_every_order(void (*body)()) {
    using vedette_emulation::ThreadOrder;
    for (const ThreadOrder order : {ThreadOrder::forward, ThreadOrder::reverse, ThreadOrder::random}) {
        vedette_emulation::set_thread_order(order, 3);
        body();
    }
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(warps, Clean)

BOOST_AUTO_TEST_CASE(shuffles_take_from_the_stated_lane) {
    in_every_order([] {
        const DeviceArray<Shuffled> out(64);
        BOOST_REQUIRE_EQUAL(run_kernel(1, 64, 0, shuffle_all, out.data()), cudaSuccess);
        const auto all = out.values();
        for (int i = 0; i < 64; ++i) {
            const int lane = i % 32, base = i / 32 * 100;
            const Shuffled& got = all[static_cast<size_t>(i)];
            BOOST_TEST(got.indexed == base + 3);
            BOOST_TEST(got.up == base + (lane >= 3 ? lane - 3 : lane));
            BOOST_TEST(got.down == base + (lane + 5 < 32 ? lane + 5 : lane));
            BOOST_TEST(got.crossed == base + (lane ^ 21));
            BOOST_TEST(got.wide == base + (31 - lane) + 0.25);
            BOOST_TEST(got.narrow == static_cast<float>(base + (lane ^ 1)));
            BOOST_TEST(got.segment_up == base + (lane % 8 == 0 ? lane : lane - 1));
            BOOST_TEST(got.segment_down == static_cast<unsigned int>(base + (lane % 8 + 6 < 8 ? lane + 6 : lane)));
            // A later segment cannot be read, an earlier one can (PTX ISA, shfl.bfly).
            BOOST_TEST(got.from_neighbour_segment == base + ((lane & 8) != 0 ? lane - 8 : lane));
        }
    });
}

BOOST_AUTO_TEST_CASE(votes_and_reductions_agree_with_loops) {
    in_every_order([] {
        const DeviceArray<unsigned int> out(32 * 12);
        BOOST_REQUIRE_EQUAL(run_kernel(1, 32, 0, votes, out.data()), cudaSuccess);
        const auto all = out.values();
        unsigned int thirds = 0, odd_sum = 0, even_sum = 0, and_all = full;
        for (unsigned int lane = 0; lane < 32; ++lane) {
            thirds |= lane % 3 == 0 ? 1u << lane : 0u;
            (lane % 2 == 1 ? odd_sum : even_sum) += lane;
            and_all &= ~(1u << lane / 8);
        }
        for (unsigned int lane = 0; lane < 32; ++lane) {
            const unsigned int* mine = &all[lane * 12];
            const bool odd = lane % 2 == 1;
            BOOST_TEST(mine[0] == thirds);
            BOOST_TEST(mine[1] == 1u);
            BOOST_TEST(mine[2] == 0u);
            BOOST_TEST(mine[3] == 15u << (lane / 4 * 4));
            BOOST_TEST(mine[4] == (odd ? odd_sum : even_sum));
            BOOST_TEST(mine[5] == (0xfffe0000u & (odd ? 0xaaaaaaaau : 0x55555555u)));
            BOOST_TEST(static_cast<int>(mine[6]) == -7);
            BOOST_TEST(static_cast<int>(mine[7]) == 24);
            BOOST_TEST(mine[8] == (0x0000ffffu ^ full));
            BOOST_TEST(mine[9] == and_all);
            BOOST_TEST(mine[10] == full + 1u);
            BOOST_TEST(mine[11] == 0u);
        }
    });
}

BOOST_AUTO_TEST_CASE(lanes_that_have_returned_are_left_out) {
    const DeviceArray<unsigned int> out(96);
    BOOST_REQUIRE_EQUAL(run_kernel(1, 30, 0, lanes_that_return, out.data()), cudaSuccess);
    const auto all = out.values();
    for (size_t lane = 0; lane < 20; ++lane) {
        // In the first order the lanes above have not yet returned when the lower ones come to the vote; they are
        // waited for, and leave.
        BOOST_TEST(all[lane] == 0x000fffffu);
        BOOST_TEST(all[32 + lane] == 0xcdcdcdcdu);
        BOOST_TEST(all[64 + lane] == 0x000fffffu);
    }
}

BOOST_AUTO_TEST_CASE(an_exchange_gives_every_named_lane_all_slots) {
    const DeviceArray<unsigned int> out(32);
    BOOST_REQUIRE_EQUAL(run_kernel(1, 32, 0, exchange_bytes, out.data()), cudaSuccess);
    const auto all = out.values();
    for (unsigned int lane = 0; lane < 32; ++lane) {
        unsigned int expected = 0;
        for (unsigned int other = lane / 16 * 16; other < lane / 16 * 16 + 16; ++other) {
            expected += other + other * other + 7;
        }
        BOOST_TEST(all[lane] == expected);
    }
}

BOOST_AUTO_TEST_CASE(exchanges_in_a_row_keep_apart) {
    in_every_order([] {
        const DeviceArray<unsigned int> out(32);
        BOOST_REQUIRE_EQUAL(run_kernel(1, 32, 0, chains, out.data()), cudaSuccess);
        const auto all = out.values();
        for (unsigned int lane = 0; lane < 32; ++lane) {
            BOOST_TEST(all[lane] == (lane + 100) % 32 + 50);
        }
    });
}

BOOST_AUTO_TEST_SUITE_END()
