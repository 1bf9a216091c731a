// The machine model: each term by hand, then what must hold for every device.
#define BOOST_TEST_MODULE machine
#include "model/machine.h"
#include "boost_test.h"

#include <cmath>
#include <limits>
#include <vector>

using namespace vedette::model;

namespace {

constexpr double tiny = 1e-9;

// 10 processors of 64 lanes in bundles of 32 at 1 GHz: 640e9 operations a second.
Parameters gpu() {
    Parameters made;
    made.set(VDT_PARAM_PROCESSORS, 10);
    made.set(VDT_PARAM_LANES, 64);
    made.set(VDT_PARAM_BUNDLE, 32);
    made.set(VDT_PARAM_CLOCK, 1e9);
    made.set(VDT_PARAM_OPERATION_TIME, 4e-9);
    made.set(VDT_PARAM_GLOBAL_LATENCY, 500e-9);
    made.set(VDT_PARAM_GLOBAL_BANDWIDTH, 400e9);
    made.set(VDT_PARAM_REFS_IN_FLIGHT, 1000);
    made.set(VDT_PARAM_CACHE2_BYTES, 4e6);
    made.set(VDT_PARAM_CACHE2_BANDWIDTH, 1600e9);
    made.set(VDT_PARAM_SHARED_BANDWIDTH, 2560e9);
    made.set(VDT_PARAM_SHARED_LATENCY, 20e-9);
    made.set(VDT_PARAM_SHARED_BYTES, 48 << 10);
    made.set(VDT_PARAM_CONSTANT_LATENCY, 20e-9);
    made.set(VDT_PARAM_CONSTANT_BYTES, 64 << 10);
    made.set(VDT_PARAM_CONSTANT_CACHE_BYTES, 8 << 10);
    made.set(VDT_PARAM_ATOMIC_TIME, 2e-9);
    made.set(VDT_PARAM_BARRIER_TIME, 1e-6);
    made.set(VDT_PARAM_LAUNCH_TIME, 8e-6);
    made.set(VDT_PARAM_NEXT_LAUNCH_TIME, 2e-6);
    made.set(VDT_PARAM_TO_DEVICE_PINNED, 50e9);
    made.set(VDT_PARAM_TO_DEVICE_PAGEABLE, 10e9);
    made.set(VDT_PARAM_TO_HOST_PINNED, 40e9);
    made.set(VDT_PARAM_TO_HOST_PAGEABLE, 8e9);
    made.set(VDT_PARAM_COPY_LATENCY, 10e-6);
    return made;
}

struct Counts {
    std::vector<vdt_cost_stage> stages;
    vdt_cost cost{};

    explicit Counts(std::vector<vdt_cost_stage> given) : stages(std::move(given)) {
        cost.struct_size = sizeof cost;
        cost.flags = VDT_COST_EXACT;
        cost.launches = 1;
    }
    Terms on(const Parameters& device, const Transfers& transfers = {}) {
        cost.stages = stages.data();
        cost.stage_size = sizeof(vdt_cost_stage);
        cost.stage_count = cost.stage_capacity = static_cast<std::uint32_t>(stages.size());
        return Machine(device).predict(cost, transfers);
    }
};

vdt_cost_stage stage(double work, double width) {
    vdt_cost_stage made{};
    made.work = work;
    made.width = width;
    made.divergence = 1;
    return made;
}

void check_sum(const Terms& terms) {
    const double sum = terms.compute + terms.idle + terms.memory + terms.shared + terms.constant + terms.atomics +
                       terms.barrier + terms.launch + terms.to_device + terms.to_host - terms.overlap;
    BOOST_TEST(terms.total == sum, boost::test_tools::tolerance(tiny));
    BOOST_TEST(terms.total >= 0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(terms)

BOOST_AUTO_TEST_CASE(compute) {
    // 64e6 operations by a million lanes: 64e6 / 640e9 = 0.1 ms; one start of 8 us.
    Terms terms = Counts({stage(64e6, 1e6)}).on(gpu());
    BOOST_TEST(terms.compute == 0.1, boost::test_tools::tolerance(1e-3));
    BOOST_TEST(terms.idle < 1e-3);
    BOOST_TEST(terms.launch == 0.008, boost::test_tools::tolerance(tiny));
    check_sum(terms);
    // One lane: 1e6 operations at one a clock = 1 ms, though its bundle has 31 more; the chain takes 4 ns a link.
    BOOST_TEST(Counts({stage(1e6, 1)}).on(gpu()).compute + Counts({stage(1e6, 1)}).on(gpu()).idle == 1.0,
               boost::test_tools::tolerance(tiny));
    vdt_cost_stage chain = stage(1e6, 1);
    chain.span = 1e6;
    terms = Counts({chain}).on(gpu());
    BOOST_TEST(terms.compute == 4.0, boost::test_tools::tolerance(tiny));
    BOOST_TEST(terms.idle == 0.0);
}

BOOST_AUTO_TEST_CASE(idle_lanes) {
    // 640 lanes are ten full pairs of bundles. 64e6 operations = 1e5 a lane = 0.1 ms; twice that when half idle.
    vdt_cost_stage half = stage(64e6, 640);
    half.divergence = 2;
    const Terms terms = Counts({half}).on(gpu());
    BOOST_TEST(terms.compute == 0.1, boost::test_tools::tolerance(tiny));
    BOOST_TEST(terms.idle == 0.1, boost::test_tools::tolerance(tiny));
    check_sum(terms);
    // One item more than 20 bundles hold: one processor has three bundles where two would nearly do.
    const Terms one_more = Counts({stage(641e5, 641)}).on(gpu());
    BOOST_TEST(one_more.compute + one_more.idle == 0.15, boost::test_tools::tolerance(tiny));
}

BOOST_AUTO_TEST_CASE(memory) {
    // 44 MB in sectors of 32: 4 MB at 1600 GB/s = 2.5 us, 40 MB at 400 GB/s = 100 us.
    vdt_cost_stage traffic = stage(0, 1e6);
    traffic.global_bytes = 44e6;
    traffic.global_refs = 44e6 / 32;
    BOOST_TEST(Counts({traffic}).on(gpu()).memory == 0.1025, boost::test_tools::tolerance(tiny));
    // One processor waits for a thousand transactions at a time: 40e6 / 32 * 500 ns / 1000 = 625 us. The cache's rate
    // is that of all ten together: 25 us.
    traffic.width = 32;
    BOOST_TEST(Counts({traffic}).on(gpu()).memory == 0.65, boost::test_tools::tolerance(tiny));
    // A million references without traffic of their own are served by the cache: 32 MB at 1600 GB/s.
    vdt_cost_stage hits = stage(0, 1e6);
    hits.global_refs = 1e6;
    BOOST_TEST(Counts({hits}).on(gpu()).memory == 0.02, boost::test_tools::tolerance(tiny));
    // A third cache holds what the second does not.
    Parameters cpu = gpu();
    cpu.set(VDT_PARAM_CACHE3_BYTES, 24e6);
    cpu.set(VDT_PARAM_CACHE3_BANDWIDTH, 800e9);
    traffic.width = 1e6;
    BOOST_TEST(Counts({traffic}).on(cpu).memory == 0.0025 + 0.025 + 0.05, boost::test_tools::tolerance(tiny));
}

BOOST_AUTO_TEST_CASE(near_memory) {
    // 640e6 words of shared memory at 2560 GB/s = 1 ms.
    vdt_cost_stage shared = stage(0, 1e6);
    shared.shared_refs = 640e6;
    BOOST_TEST(Counts({shared}).on(gpu()).shared == 1.0, boost::test_tools::tolerance(tiny));
    // Few lanes wait for each: 1000 references a lane, 20 ns each.
    shared = stage(0, 10);
    shared.shared_refs = 10000;
    BOOST_TEST(Counts({shared}).on(gpu()).shared == 0.02, boost::test_tools::tolerance(tiny));
    // 6.4e6 constant references that hit: one a lane and clock = 10 us.
    vdt_cost_stage constant = stage(0, 1e6);
    constant.constant_refs = 6.4e6;
    Counts counts({constant});
    counts.cost.constant_bytes = 8 << 10;
    BOOST_TEST(counts.on(gpu()).constant == 0.01, boost::test_tools::tolerance(tiny));
    // Twice what the cache holds: half of the bundles' references miss, 1e5 * 500 ns / (10 * 1000) = 5 us.
    counts.cost.constant_bytes = 16 << 10;
    BOOST_TEST(counts.on(gpu()).constant == 0.015, boost::test_tools::tolerance(tiny));
    BOOST_TEST(counts.on(gpu()).launch == 0.008, boost::test_tools::tolerance(tiny));
    // Twice what constant memory holds: in two parts, a launch more.
    counts.cost.constant_bytes = 128 << 10;
    BOOST_TEST(counts.on(gpu()).launch == 0.010, boost::test_tools::tolerance(tiny));
    // 1000 atomics.
    vdt_cost_stage atomic = stage(0, 1e6);
    atomic.atomic_refs = 1000;
    BOOST_TEST(Counts({atomic}).on(gpu()).atomics == 0.002, boost::test_tools::tolerance(tiny));
}

BOOST_AUTO_TEST_CASE(starts_and_barriers) {
    Counts counts({stage(1, 1), stage(1, 1), stage(1, 1)});
    counts.cost.launches = 3;
    Terms terms = counts.on(gpu());
    BOOST_TEST(terms.launch == 0.012, boost::test_tools::tolerance(tiny));
    BOOST_TEST(terms.barrier == 0.0);
    counts.cost.launches = 1;
    terms = counts.on(gpu());
    BOOST_TEST(terms.launch == 0.008, boost::test_tools::tolerance(tiny));
    BOOST_TEST(terms.barrier == 0.002, boost::test_tools::tolerance(tiny));
    counts.cost.launches = 0;  // on the caller's thread
    BOOST_TEST(counts.on(gpu()).launch == 0.0);
    check_sum(terms);
}

BOOST_AUTO_TEST_CASE(a_caller_that_works) {
    // Two processors of 16 lanes at 1 GHz; a start takes 100 us.
    Parameters cpu;
    cpu.set(VDT_PARAM_PROCESSORS, 2);
    cpu.set(VDT_PARAM_LANES, 16);
    cpu.set(VDT_PARAM_BUNDLE, 16);
    cpu.set(VDT_PARAM_CLOCK, 1e9);
    cpu.set(VDT_PARAM_LAUNCH_TIME, 100e-6);
    const auto on = [&](double work, double width) {
        Counts counts({stage(work, width)});
        counts.cost.stages = counts.stages.data();
        counts.cost.stage_size = sizeof(vdt_cost_stage);
        counts.cost.stage_count = counts.cost.stage_capacity = 1;
        return Machine(cpu, true).predict(counts.cost, {});
    };
    // 32e6 operations: 1 ms by both and the start; 32e4 take one thread alone 20 us, before the other is there.
    const Terms large = on(32e6, 32), small = on(32e4, 32);
    BOOST_TEST(large.total == 1.1, boost::test_tools::tolerance(tiny));
    BOOST_TEST(small.total == 0.02, boost::test_tools::tolerance(tiny));
    check_sum(large);
    check_sum(small);
    // Three pieces: one thread has two of them. Two thirds of 2 ms, and three quarters of the start: the second thread
    // is not needed all the time.
    BOOST_TEST(on(32e6, 48).total == 4.0 / 3 + 0.075, boost::test_tools::tolerance(tiny));
    BOOST_TEST(on(32e4, 48).total == 0.02, boost::test_tools::tolerance(tiny));
    // One piece is nobody else's.
    BOOST_TEST(on(32e4, 16).total == 0.02, boost::test_tools::tolerance(tiny));
}

BOOST_AUTO_TEST_CASE(many_threads_come_one_after_the_other) {
    // 32 processors of one lane at 1 GHz. On the average a thread joins after 200 us, the last one after 400 us.
    Parameters cpu;
    cpu.set(VDT_PARAM_PROCESSORS, 32);
    cpu.set(VDT_PARAM_LANES, 1);
    cpu.set(VDT_PARAM_CLOCK, 1e9);
    cpu.set(VDT_PARAM_LAUNCH_TIME, 200e-6);
    cpu.set(VDT_PARAM_GLOBAL_LATENCY, 100e-9);
    cpu.set(VDT_PARAM_REFS_IN_FLIGHT, 20);  // one thread: 20 x 64 bytes in 100 ns, 12.8 GB/s
    cpu.set(VDT_PARAM_GLOBAL_BANDWIDTH, 102.4e9);
    const auto on = [&](double work, double width, double bytes = 0, double efficiency = 1) {
        vdt_cost_stage one = stage(work, width);
        one.global_bytes = bytes;
        one.global_refs = bytes / 64;
        Counts counts({one});
        counts.cost.stages = counts.stages.data();
        counts.cost.stage_size = sizeof(vdt_cost_stage);
        counts.cost.stage_count = counts.cost.stage_capacity = 1;
        return Machine(cpu, true).predict(counts.cost, {}, efficiency);
    };
    // 32e6 operations: 1 ms by all of them, and what the average thread was late.
    BOOST_TEST(on(32e6, 3200).total == 1.2, boost::test_tools::tolerance(tiny));
    // 3.2e6: 0.1 ms, done before the last one is there. The k-th comes after k 12.5 us; after 2 sqrt(0.2 0.1) ms those
    // that came have done it.
    BOOST_TEST(on(3.2e6, 3200).total == 2 * std::sqrt(0.02), boost::test_tools::tolerance(tiny));
    BOOST_TEST(on(3.2e6, 3200).total < 0.3);
    // Few pieces need few threads: four do 3.2e6 in 0.8 ms, and are there eight times sooner.
    BOOST_TEST(on(3.2e6, 4).total == 0.825, boost::test_tools::tolerance(tiny));
    // Eight threads reach the speed of memory: 102.4 MB take 1 ms, and no more of them are waited for.
    BOOST_TEST(on(1e3, 3200, 102.4e6).total == 1.05, boost::test_tools::tolerance(tiny));
    // Nobody waits for help longer than the work takes alone.
    BOOST_TEST(on(1e3, 3200).total == 1e-3, boost::test_tools::tolerance(tiny));
    double last = 0;
    for (double items = 32; items < 1e9; items *= 1.07) {
        const Terms terms = on(items * 3, std::ceil(items / 5000), items * 4);
        check_sum(terms);
        BOOST_TEST(terms.total >= last * (1 - 1e-12));
        last = terms.total;
    }
}

BOOST_AUTO_TEST_CASE(efficiency_is_that_of_instructions) {
    vdt_cost_stage both = stage(64e6, 640);  // 0.1 ms
    both.global_bytes = 44e6;                // 0.1025 ms
    both.global_refs = 44e6 / 32;
    Counts counts({both});
    BOOST_TEST(counts.on(gpu()).total == 0.1105, boost::test_tools::tolerance(tiny));
    const Machine machine(gpu());
    // Half of the efficiency doubles the instructions' time, neither memory's nor the start's.
    const Terms slower = machine.predict(counts.cost, {}, 0.5);
    BOOST_TEST(slower.compute == 0.2, boost::test_tools::tolerance(tiny));
    BOOST_TEST(slower.memory == 0.1025, boost::test_tools::tolerance(tiny));
    BOOST_TEST(slower.total == 0.208, boost::test_tools::tolerance(tiny));
    BOOST_TEST(machine.predict(counts.cost, {}, 10).total == 0.1105, boost::test_tools::tolerance(tiny));
    check_sum(slower);
    // Efficiencies and times belong to each other as long as memory does not decide.
    for (const double efficiency : {0.01, 0.3, 0.9})
        BOOST_TEST(
            machine.efficiency_for(counts.cost, {}, machine.predict(counts.cost, {}, efficiency).total) == efficiency,
            boost::test_tools::tolerance(1e-6));
    // Where memory alone is said to take longer, the instructions take no longer than was measured: 0.05 ms.
    BOOST_TEST(machine.efficiency_for(counts.cost, {}, 0.058) == 2.0, boost::test_tools::tolerance(1e-6));
    // The start alone takes as long.
    BOOST_TEST(machine.efficiency_for(counts.cost, {}, 0.008) == 0.0);
    Counts nothing({stage(0, 1)});
    nothing.on(gpu());
    BOOST_TEST(machine.efficiency_for(nothing.cost, {}, 1) == 0.0);
    // The same on a processor, with the threads that come late.
    Parameters cpu = gpu();
    cpu.set(VDT_PARAM_LAUNCH_TIME, 0.3e-3);
    const Machine host(cpu, true);
    for (const double efficiency : {0.01, 0.3, 0.9})
        BOOST_TEST(host.efficiency_for(counts.cost, {}, host.predict(counts.cost, {}, efficiency).total) == efficiency,
                   boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(copies) {
    Counts counts({stage(0, 1)});
    counts.cost.launches = 0;
    // 10 MB pageable at 10 GB/s and one latency; the same pinned at 50 GB/s.
    Terms terms = counts.on(gpu(), {10e6, 0, 0, 0, 1});
    BOOST_TEST(terms.to_device == 1.01, boost::test_tools::tolerance(tiny));
    BOOST_TEST(terms.to_host == 0.0);
    BOOST_TEST(counts.on(gpu(), {0, 10e6, 0, 0, 1}).to_device == 0.21, boost::test_tools::tolerance(tiny));
    BOOST_TEST(counts.on(gpu(), {0, 0, 8e6, 0, 1}).to_host == 1.01, boost::test_tools::tolerance(tiny));
    BOOST_TEST(counts.on(gpu(), {0, 0, 0, 8e6, 1}).to_host == 0.21, boost::test_tools::tolerance(tiny));
    // What the plugin copies itself is counted once, beside it.
    counts.cost.bytes_to_host = 4e6;
    terms = counts.on(gpu(), {10e6, 0, 0, 0, 1});
    BOOST_TEST(terms.to_host == 0.1, boost::test_tools::tolerance(tiny));
    BOOST_TEST(terms.to_device == 1.02, boost::test_tools::tolerance(tiny));
    check_sum(terms);
}

BOOST_AUTO_TEST_CASE(terms_overlap) {
    vdt_cost_stage both = stage(64e6, 640);  // 0.1 ms
    both.global_bytes = 44e6;                // 0.1025 ms
    const Terms terms = Counts({both}).on(gpu());
    BOOST_TEST(terms.overlap == 0.1, boost::test_tools::tolerance(tiny));
    BOOST_TEST(terms.total == 0.1105, boost::test_tools::tolerance(tiny));
    check_sum(terms);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit) {
    Counts counts({stage(1, 1)});
    counts.cost.shared_bytes = 48 << 10;
    BOOST_TEST(counts.on(gpu()).fits);
    counts.cost.shared_bytes += 1;
    BOOST_TEST(!counts.on(gpu()).fits);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(properties)

BOOST_AUTO_TEST_CASE(more_work_is_never_faster) {
    for (const double span_share : {0.0, 1e-4}) {
        double last = 0;
        for (double items = 1; items < 3e6; items *= 1.013) {
            vdt_cost_stage one = stage(items * 50, items);
            one.span = items * span_share;
            one.global_bytes = items * 7;
            one.global_refs = items * 7 / 32;
            one.shared_refs = items * 3;
            one.constant_refs = items;
            one.divergence = 1.5;
            const Terms terms = Counts({one}).on(gpu(), {items, 0, items, 0, 2});
            check_sum(terms);
            BOOST_TEST(terms.total >= last * (1 - 1e-12));
            last = terms.total;
        }
    }
}

BOOST_AUTO_TEST_CASE(a_better_device_is_never_slower) {
    vdt_cost_stage one = stage(3e7, 12345);
    one.span = 800;
    one.global_bytes = 20e6;
    one.global_refs = 20e6 / 32;
    one.shared_refs = 1e8;
    one.constant_refs = 1e7;
    one.atomic_refs = 3000;
    Counts counts({one, stage(1e5, 3), one});
    counts.cost.launches = 2;
    counts.cost.constant_bytes = 20000;
    counts.cost.bytes_to_host = 1e5;
    const Transfers transfers{8e6, 3e6, 1e6, 2e6, 4};
    const double before = counts.on(gpu(), transfers).total;
    for (const std::uint32_t id :
         {VDT_PARAM_CLOCK, VDT_PARAM_GLOBAL_BANDWIDTH, VDT_PARAM_SHARED_BANDWIDTH, VDT_PARAM_REFS_IN_FLIGHT,
          VDT_PARAM_CACHE2_BANDWIDTH, VDT_PARAM_CACHE2_BYTES, VDT_PARAM_PROCESSORS, VDT_PARAM_LANES,
          VDT_PARAM_TO_DEVICE_PINNED, VDT_PARAM_TO_DEVICE_PAGEABLE, VDT_PARAM_TO_HOST_PINNED,
          VDT_PARAM_TO_HOST_PAGEABLE, VDT_PARAM_CONSTANT_CACHE_BYTES}) {
        Parameters better = gpu();
        better.set(id, better.get(id, 0) * 2);
        BOOST_TEST_CONTEXT(parameter_name(id)) {
            BOOST_TEST(counts.on(better, transfers).total <= before);
        }
    }
    for (const std::uint32_t id : {VDT_PARAM_OPERATION_TIME, VDT_PARAM_GLOBAL_LATENCY, VDT_PARAM_SHARED_LATENCY,
                                   VDT_PARAM_CONSTANT_LATENCY, VDT_PARAM_ATOMIC_TIME, VDT_PARAM_BARRIER_TIME,
                                   VDT_PARAM_LAUNCH_TIME, VDT_PARAM_NEXT_LAUNCH_TIME, VDT_PARAM_COPY_LATENCY}) {
        Parameters better = gpu();
        better.set(id, better.get(id, 0) / 2);
        BOOST_TEST_CONTEXT(parameter_name(id)) {
            BOOST_TEST(counts.on(better, transfers).total <= before);
        }
    }
}

BOOST_AUTO_TEST_CASE(unknown_devices_have_an_answer) {
    vdt_cost_stage one = stage(1e6, 100);
    one.global_bytes = 1e6;
    one.shared_refs = one.constant_refs = one.atomic_refs = 1e5;
    const Terms terms = Counts({one}).on(Parameters(), {1e6, 0, 0, 0, 1});
    BOOST_TEST(std::isfinite(terms.total));
    BOOST_TEST(terms.total > 0);
    check_sum(terms);
    // Stages that are counted but not given are not read.
    vdt_cost none{};
    none.stage_count = 5;
    BOOST_TEST(Machine(gpu()).predict(none, {}).work() == 0.0);
}

BOOST_AUTO_TEST_CASE(parameters_refuse_what_cannot_be) {
    Parameters some;
    for (const double value : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()})
        BOOST_TEST(!some.set(VDT_PARAM_CLOCK, value));
    BOOST_TEST(!some.set(0, 1));
    BOOST_TEST(!some.set(parameter_count, 1));
    vdt_param unknown{};
    unknown.id = VDT_PARAM_CLOCK;
    unknown.value = 1;
    BOOST_TEST(!some.set(unknown));  // source 0: the plugin cannot tell
    BOOST_TEST(some.source() == std::uint32_t{VDT_SOURCE_DEFAULT});
    BOOST_TEST(some.get(VDT_PARAM_CLOCK, 7) == 7.0);
    // What was measured stays before what is only known.
    unknown.source = VDT_SOURCE_MEASURED;
    BOOST_TEST(some.set(unknown));
    Parameters other;
    other.set(VDT_PARAM_CLOCK, 2);
    other.set(VDT_PARAM_LANES, 3);
    some.merge(other);
    BOOST_TEST(some.get(VDT_PARAM_CLOCK, 0) == 1.0);
    BOOST_TEST(some.get(VDT_PARAM_LANES, 0) == 3.0);
    for (std::uint32_t id = 1; id < parameter_count; ++id) {
        BOOST_REQUIRE(parameter_name(id) != nullptr);
        BOOST_TEST(parameter_of_name(parameter_name(id)).value() == id);
        BOOST_TEST(parameter_unit(id) != nullptr);
    }
    BOOST_TEST(parameter_name(0) == nullptr);
    BOOST_TEST(!parameter_of_name("speed"));
}

BOOST_AUTO_TEST_SUITE_END()
