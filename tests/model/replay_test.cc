// Choices by recorded profiles: who must win, and what must hold whatever the numbers are.
#define BOOST_TEST_MODULE replay
#include "boost_test.h"
#include "core/json_input.h"
#include "core/ranking.h"
#include "model/estimate.h"
#include "model/machine.h"
#include "model/profile.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace vedette::model;
using vedette::host::read_json_file;
using vedette::host::transfers_of;

namespace {

Profile recorded(const std::string& name) {
    const std::string file = VEDETTE_CONFIG_DIRECTORY "/devices/" + name + ".json";
    return read_profile(read_json_file(file), file);
}

Parameters h200() {
    return recorded("nvidia-h200").parameters;
}
Parameters cpu() {
    return recorded("cpu-two-cores-avx512").parameters;
}

constexpr double rounding = 1 - 1e-12;  // sums of terms in another order

enum class Lies { pageable, pinned, resident };

// One call as the plugins count it: stages, launches, and the images whose copies the host counts.
struct Call {
    std::vector<vdt_cost_stage> stages;
    std::uint32_t launches = 0;
    double own_bytes_to_host = 0;
    std::vector<vdt_image> inputs, outputs;

    void add(double work, double width, double bytes, double shared = 0, double divergence = 1) {
        vdt_cost_stage stage{};
        stage.work = work;
        stage.width = width;
        stage.span = work / width;
        stage.divergence = divergence;
        stage.global_bytes = bytes;
        stage.global_refs = bytes / 32;
        stage.shared_refs = shared;
        stages.push_back(stage);
        ++launches;
    }
    Terms on(const Parameters& device, bool own_memory) const {
        vdt_cost cost{};
        std::vector<vdt_cost_stage> copy = stages;
        cost.stages = copy.data();
        cost.stage_size = sizeof copy[0];
        cost.stage_count = cost.stage_capacity = static_cast<std::uint32_t>(copy.size());
        cost.launches = launches;
        cost.bytes_to_host = own_memory ? own_bytes_to_host : 0;
        return Machine(device).predict(cost, own_memory ? transfers_of(inputs, outputs) : Transfers{});
    }
};

vdt_image image(double width, double height, vdt_format format, Lies lies) {
    static int somewhere = 0;
    vdt_image made{};
    made.struct_size = sizeof made;
    made.format = format;
    made.width = static_cast<std::uint32_t>(width);
    made.height = static_cast<std::uint32_t>(height);
    made.memory = lies == Lies::pinned ? VDT_MEMORY_PINNED : VDT_MEMORY_HOST;
    if (lies == Lies::resident) made.resident = reinterpret_cast<vdt_resident*>(&somewhere);
    return made;
}

// A pruned search on the CPU: window sums, a bound of 48 blocks, 1 % survivors.
Call find_on_cpu(double width, double height, double side, int patterns, Lies lies) {
    Call call;
    const double positions = std::max(width - side, 1.0) * std::max(height - side, 1.0);
    for (int i = 0; i < patterns; ++i)
        call.add(positions * (14 + 2 * 48 + 16 + 0.02 * side * side), positions, width * height, positions * 48);
    call.launches = 1;
    call.inputs = {image(width, height, VDT_FORMAT_GRAY8, lies)};
    return call;
}

// Dense on the GPU's tensor cores: a product of the size of the pattern, 19 of them in the time of an operation; then
// the scores.
Call find_on_gpu(double width, double height, double side, int patterns, Lies lies) {
    Call call;
    const double positions = std::max(width - side, 1.0) * std::max(height - side, 1.0);
    for (int i = 0; i < patterns; ++i) {
        call.add(positions * side * (side + 32) / 19, positions / 64, width * height + 4 * positions,
                 positions * side * side / 2048);
        call.add(positions * 60, positions / 96, width * height + 8 * positions);
    }
    call.own_bytes_to_host = 4096 * 16;
    call.inputs = {image(width, height, VDT_FORMAT_GRAY8, lies)};
    return call;
}

Call integral(double width, double height, Lies lies, Lies out) {
    Call call;
    call.add(width * height * 4, width, width * height * 5);
    call.inputs = {image(width, height, VDT_FORMAT_GRAY8, lies)};
    call.outputs = {image(width + 1, height + 1, VDT_FORMAT_I32, out)};
    return call;
}

struct Size {
    double width, height;
};
// Widths that fill lines of a device's memory: of others every row costs a little more.
constexpr Size sizes[] = {{128, 120},   {256, 200},   {640, 480},   {1280, 720},
                          {1920, 1080}, {2560, 1440}, {3840, 2160}, {7680, 4320}};

}  // namespace

BOOST_AUTO_TEST_SUITE(replay)

BOOST_AUTO_TEST_CASE(recorded_profiles_are_whole) {
    for (const char* name : {"nvidia-h200", "cpu-two-cores-avx512", "cpu-two-cores-zen3", "cpu-sixteen-cores-avx512",
                             "cpu-thirty-two-cores-avx512"}) {
        const Profile profile = recorded(name);
        for (const std::uint32_t id : {VDT_PARAM_PROCESSORS, VDT_PARAM_LANES, VDT_PARAM_BUNDLE, VDT_PARAM_CLOCK,
                                       VDT_PARAM_GLOBAL_BANDWIDTH, VDT_PARAM_LAUNCH_TIME, VDT_PARAM_OPEN_TIME})
            BOOST_TEST(profile.parameters.has(id), name << " lacks " << parameter_name(id));
        BOOST_TEST(read_profile(write_profile(profile), name).parameters.get(VDT_PARAM_CLOCK, 0) ==
                   profile.parameters.get(VDT_PARAM_CLOCK, 1));
    }
}

// Backends of one processor are told apart by what was recorded of their code, where nothing was measured: the one
// without would be taken to be perfect.
BOOST_AUTO_TEST_CASE(recorded_code_is_that_of_every_backend_of_the_processor) {
    const Profile own = recorded("cpu-two-cores-zen3"), reference = recorded("opencv-two-cores-zen3");
    BOOST_TEST(own.key.plugin == "cpu");
    BOOST_TEST(reference.key.plugin == "opencv");
    for (const vdt_op op : {VDT_OP_TEMPLATE_FIND, VDT_OP_CONVERT, VDT_OP_RESIZE, VDT_OP_FEATURES}) {
        BOOST_TEST((own.efficiencies.contains(op) && reference.efficiencies.contains(op)));
        BOOST_TEST(own.efficiency(op, "any") < 4);
        BOOST_TEST(reference.efficiency(op, "any") < 4);
    }
}

BOOST_AUTO_TEST_CASE(who_must_win) {
    // A small region from ordinary memory: the CPU is done before the first copy is.
    BOOST_TEST(find_on_cpu(160, 120, 32, 1, Lies::pageable).on(cpu(), false).total <
               find_on_gpu(160, 120, 32, 1, Lies::pageable).on(h200(), true).total);
    // A 4K screen: the GPU, resident and from memory.
    for (const Lies lies : {Lies::resident, Lies::pinned, Lies::pageable})
        BOOST_TEST(find_on_gpu(3840, 2160, 32, 1, lies).on(h200(), true).total <
                   find_on_cpu(3840, 2160, 32, 1, lies).on(cpu(), false).total);
    // 64 patterns on a resident screen: by a factor of tens.
    BOOST_TEST(find_on_gpu(3840, 2160, 32, 64, Lies::resident).on(h200(), true).total * 20 <
               find_on_cpu(3840, 2160, 32, 64, Lies::resident).on(cpu(), false).total);
    // An integral image of a resident screen that stays on the device: the GPU. From pageable memory and back: 8 MB and
    // 33 MB over the bus take longer than the sixteen cores beside it do.
    vdt_image kept = image(3841, 2161, VDT_FORMAT_I32, Lies::pageable);
    kept.memory = VDT_MEMORY_DEVICE;
    Call stays = integral(3840, 2160, Lies::resident, Lies::pageable);
    stays.outputs = {kept};
    const Parameters beside = recorded("cpu-sixteen-cores-avx512").parameters;
    const double on_cpu = integral(3840, 2160, Lies::pageable, Lies::pageable).on(beside, false).total;
    BOOST_TEST(stays.on(h200(), true).total < on_cpu);
    BOOST_TEST(integral(3840, 2160, Lies::pageable, Lies::pageable).on(h200(), true).total > on_cpu);
}

BOOST_AUTO_TEST_CASE(larger_is_never_faster) {
    for (const Lies lies : {Lies::resident, Lies::pinned, Lies::pageable}) {
        double cpu_before = 0, gpu_before = 0, sums_before = 0;
        for (const Size size : sizes) {
            const double on_cpu = find_on_cpu(size.width, size.height, 64, 1, lies).on(cpu(), false).total;
            const double on_gpu = find_on_gpu(size.width, size.height, 64, 1, lies).on(h200(), true).total;
            const double sums = integral(size.width, size.height, lies, Lies::pageable).on(h200(), true).total;
            BOOST_TEST(on_cpu >= cpu_before * rounding);
            BOOST_TEST(on_gpu >= gpu_before * rounding);
            BOOST_TEST(sums >= sums_before * rounding);
            cpu_before = on_cpu;
            gpu_before = on_gpu;
            sums_before = sums;
        }
    }
}

BOOST_AUTO_TEST_CASE(more_bandwidth_is_never_slower) {
    for (const std::uint32_t id : {VDT_PARAM_GLOBAL_BANDWIDTH, VDT_PARAM_CACHE2_BANDWIDTH, VDT_PARAM_SHARED_BANDWIDTH,
                                   VDT_PARAM_TO_DEVICE_PAGEABLE, VDT_PARAM_TO_DEVICE_PINNED, VDT_PARAM_TO_HOST_PAGEABLE,
                                   VDT_PARAM_TO_HOST_PINNED})
        for (const Size size : sizes)
            for (const Lies lies : {Lies::resident, Lies::pinned, Lies::pageable}) {
                double before = std::numeric_limits<double>::infinity();
                for (const double factor : {0.25, 0.5, 1.0, 1.5, 4.0}) {
                    Parameters device = h200();
                    device.set(id, device.get(id, 0) * factor);
                    // Measured values stay before others, so it is set anew.
                    const double now = find_on_gpu(size.width, size.height, 32, 3, lies).on(device, true).total +
                                       integral(size.width, size.height, lies, Lies::pageable).on(device, true).total;
                    BOOST_TEST(now * rounding <= before);
                    before = now;
                }
            }
}

BOOST_AUTO_TEST_CASE(copies_are_counted_once) {
    const double bytes = 3840.0 * 2160;
    const Transfers pageable = transfers_of({image(3840, 2160, VDT_FORMAT_GRAY8, Lies::pageable)}, {});
    BOOST_TEST(pageable.to_device_pageable == bytes);
    BOOST_TEST(pageable.to_device_pinned == 0.0);
    BOOST_TEST(pageable.to_host_pageable + pageable.to_host_pinned == 0.0);
    BOOST_TEST(pageable.copies == 1.0);
    const Transfers pinned = transfers_of({image(3840, 2160, VDT_FORMAT_BGR8, Lies::pinned)}, {});
    BOOST_TEST(pinned.to_device_pinned == 3 * bytes);
    const Transfers kept = transfers_of({image(3840, 2160, VDT_FORMAT_GRAY8, Lies::resident), vdt_image{}}, {});
    BOOST_TEST(kept.to_device_pageable + kept.to_device_pinned + kept.copies == 0.0);
    const Transfers out = transfers_of({}, {image(10, 10, VDT_FORMAT_PLANAR_BGRF32, Lies::pageable)});
    BOOST_TEST(out.to_host_pageable == 1200.0);
    vdt_image there = image(10, 10, VDT_FORMAT_GRAY8, Lies::pageable);
    there.memory = VDT_MEMORY_DEVICE;
    const Transfers none = transfers_of({there}, {there});
    BOOST_TEST(none.copies + none.to_device_pageable + none.to_host_pageable == 0.0);
    // 64 patterns on one screen: still one copy of it.
    const Terms one = find_on_gpu(3840, 2160, 32, 1, Lies::pageable).on(h200(), true);
    const Terms many = find_on_gpu(3840, 2160, 32, 64, Lies::pageable).on(h200(), true);
    BOOST_TEST(one.to_device == many.to_device);
}

BOOST_AUTO_TEST_CASE(resident_is_never_dearer) {
    for (const Size size : sizes)
        for (const double side : {16.0, 64.0, 128.0}) {
            const double resident =
                find_on_gpu(size.width, size.height, side, 1, Lies::resident).on(h200(), true).total;
            const double pinned = find_on_gpu(size.width, size.height, side, 1, Lies::pinned).on(h200(), true).total;
            const double pageable =
                find_on_gpu(size.width, size.height, side, 1, Lies::pageable).on(h200(), true).total;
            BOOST_TEST(resident <= pinned);
            BOOST_TEST(pinned <= pageable);
            // On a device that works on the host's memory it makes no difference.
            BOOST_TEST(find_on_cpu(size.width, size.height, side, 1, Lies::resident).on(cpu(), false).total ==
                       find_on_cpu(size.width, size.height, side, 1, Lies::pageable).on(cpu(), false).total);
        }
}

// 32 threads, of which the last comes after 0.4 ms.
BOOST_AUTO_TEST_CASE(many_processors_help_as_far_as_they_come) {
    const Profile profile = recorded("cpu-thirty-two-cores-avx512");
    const Machine machine = machine_of(profile);
    const double lanes = profile.parameters.get(VDT_PARAM_BUNDLE, 0);
    // A Gaussian of 11 x 11 on floats, by pieces of 16,384 pixels or by one thread.
    const auto filter = [&](double pixels, bool by_all) {
        vdt_cost_stage stage{};
        const double pieces = by_all ? std::ceil(pixels / 16384) : 1;
        stage.work = pixels * 36;
        stage.width = pieces * lanes;
        stage.divergence = 1;
        stage.global_bytes = pixels * 8;
        stage.global_refs = stage.global_bytes / 64;
        vdt_cost cost{};
        cost.stages = &stage;
        cost.stage_size = sizeof stage;
        cost.stage_count = cost.stage_capacity = 1;
        cost.launches = pieces > 1 ? 1 : 0;
        return machine.predict(cost, {}).total;
    };
    double last = 0;
    for (double pixels = 1e3; pixels < 1e8; pixels *= 1.1) {
        const double all = filter(pixels, true);
        BOOST_TEST(all <= filter(pixels, false) * (1 + 1e-12));
        BOOST_TEST(all >= last * rounding);
        last = all;
    }
    const double launch = 1e3 * profile.parameters.get(VDT_PARAM_LAUNCH_TIME, 0);
    BOOST_TEST(filter(300 * 200, true) < launch / 4);
    BOOST_TEST(filter(1024 * 768, true) < 2 * launch);
    // Memory does not become faster by the cores: 8K takes more of its time than a thirty-second of one thread's.
    const double speedup = filter(7680.0 * 4320, false) / filter(7680.0 * 4320, true);
    BOOST_TEST(speedup > 4);
    BOOST_TEST(speedup < 24);
}

BOOST_AUTO_TEST_CASE(a_crossover_lies_between_the_smallest_and_the_largest) {
    std::vector<bool> gpu_wins;
    for (const Size size : sizes)
        gpu_wins.push_back(find_on_gpu(size.width, size.height, 32, 1, Lies::pageable).on(h200(), true).total <
                           find_on_cpu(size.width, size.height, 32, 1, Lies::pageable).on(cpu(), false).total);
    BOOST_TEST(!gpu_wins.front());
    BOOST_TEST(gpu_wins.back());
    BOOST_TEST(std::is_sorted(gpu_wins.begin(), gpu_wins.end()));
}

BOOST_AUTO_TEST_SUITE_END()
