#include "probe_copies.h"

#include <vedette/plugin/cpp/probe.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace vedette::cli {

namespace {

using Clock = std::chrono::steady_clock;

// Gray pixels to be converted to three channels: a kernel that takes no time beside the copies, and whose images can
// lie on either side.
std::shared_ptr<const Work> conversion(std::uint32_t width, std::uint32_t height) {
    auto work = std::make_shared<Work>(VDT_OP_CONVERT, vdt_convert_params{sizeof(vdt_convert_params), 0, 1, 0});
    work->inputs.emplace_back(VDT_FORMAT_GRAY8, width, height);
    work->outputs.emplace_back(VDT_FORMAT_BGR8, width, height);
    work->finish();
    return work;
}

class Copies {
public:
    Copies(const BenchDevice& on, OnHost side) : on_(on), side_(side) {}

    // Bytes that are copied for `rows` rows of a conversion of `width` pixels.
    double bytes(double width, double rows) const { return (side_ == OnHost::inputs ? 1 : 3) * width * rows; }

    // Seconds that a call takes longer because of where the images lie.
    double seconds(std::uint32_t width, std::uint32_t rows) const {
        const std::shared_ptr<const Work> work = conversion(width, rows);
        return of_call(work, side_) - of_call(work, OnHost::none);
    }

private:
    // The middle one of some, as calls are judged by: the least would have all threads awake as by chance.
    double of_call(const std::shared_ptr<const Work>& work, OnHost side) const {
        constexpr int runs = 15;
        DeviceWork call(on_, work, 0, side);
        call.run();  // prepares
        std::vector<double> times;
        for (int run = 0; run < runs; ++run) {
            const Clock::time_point start = Clock::now();
            call.run();
            times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
        }
        return plugin::median_of(std::move(times)).value;
    }

    const BenchDevice& on_;
    OnHost side_;
};

void put(model::Profile& profile, std::uint32_t id, double value) {
    vdt_param param{};
    param.id = id;
    param.source = VDT_SOURCE_MEASURED;
    param.value = value;
    param.samples = 1;
    profile.parameters.set(param);  // leaves out what is not above 0: less than can be told
}

struct Ids {
    std::uint32_t small, start, rate;
};

// A large copy: seconds beside its bytes, and bytes a second.
struct Line {
    double start = 0, rate = 0;
};

// That predicts `seconds` of `bytes` with the least squares of relative errors; rate 0 where none does.
template <std::size_t count>
Line line_through(const double (&bytes)[count], const double (&seconds)[count]) {
    double weight = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double each = 1 / (seconds[i] * seconds[i]);
        weight += each;
        x += each * bytes[i];
        y += each * seconds[i];
        xx += each * bytes[i] * bytes[i];
        xy += each * bytes[i] * seconds[i];
    }
    const double slope = (weight * xy - x * y) / (weight * xx - x * x);
    return slope > 0 ? Line{(y - slope * x) / weight, 1 / slope} : Line{};
}

// Returns the seconds of a copy of hardly anything, and puts the others into `profile`.
double measure_sizes(const Copies& copies, const Ids& ids, model::Profile& profile) {
    // Rows that fill lines of a device's memory. 8 and 128 KiB, three times that downwards: a small copy is one piece
    // in all backends; and large ones, which are not.
    constexpr std::uint32_t width = 8192;
    constexpr std::uint32_t small_rows[] = {1, 16}, large_rows[] = {96, 256, 768, 2560};
    double bytes[2], seconds[2];
    for (int i = 0; i < 2; ++i) {
        bytes[i] = copies.bytes(width, small_rows[i]);
        seconds[i] = copies.seconds(width, small_rows[i]);
    }
    const double small = (bytes[1] - bytes[0]) / (seconds[1] - seconds[0]);
    if (!(small > 0)) return seconds[0];
    const double latency = std::max(seconds[0] - bytes[0] / small, 0.0);
    double large_bytes[4], large_seconds[4];
    for (int i = 0; i < 4; ++i) {
        large_bytes[i] = copies.bytes(width, large_rows[i]);
        large_seconds[i] = copies.seconds(width, large_rows[i]) - latency;
        if (!(large_seconds[i] > 0)) return latency;
    }
    const Line line = line_through(large_bytes, large_seconds);
    if (!(line.rate > 0)) return latency;
    put(profile, ids.rate, line.rate);
    put(profile, ids.small, std::min(small, line.rate));
    put(profile, ids.start, line.start);
    return latency;
}

// Seconds of a row that does not fill lines of memory, beyond those of its bytes.
double row_seconds(const Copies& copies) {
    constexpr std::uint32_t width = 1000, rows = 512, full_width = 5120;
    static_assert(width * rows % full_width == 0);
    return (copies.seconds(width, rows) - copies.seconds(full_width, width * rows / full_width)) / rows;
}

}  // namespace

void measure_copies(const BenchDevice& on, model::Profile& profile) {
    if (!on.holds_images() || (on.device().operations() >> VDT_OP_CONVERT & 1) == 0) {
        return;
    }
    try {
        const Copies up(on, OnHost::inputs), down(on, OnHost::outputs);
        const double latency_up =
            measure_sizes(up, {model::to_device_small, model::to_device_start, VDT_PARAM_TO_DEVICE_PAGEABLE}, profile);
        const double latency_down =
            measure_sizes(down, {model::to_host_small, model::to_host_start, VDT_PARAM_TO_HOST_PAGEABLE}, profile);
        put(profile, VDT_PARAM_COPY_LATENCY, (latency_up + latency_down) / 2);
        put(profile, model::copy_row_time, (row_seconds(up) + row_seconds(down)) / 2);
    } catch (const Problem&) {
        // A device without room for the images: what the plugin measured remains.
    }
}

}  // namespace vedette::cli
