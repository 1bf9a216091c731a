#include "probe_calibration.h"

#include "bench_cases.h"
#include "table.h"

#include <vedette/plugin/cpp/probe.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

namespace vedette::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t seed = 77003;
constexpr Size screens[] = {{400, 260}, {800, 500}, {1440, 900}, {2560, 1600}};
// Of the time that is left when a screen's turn comes.
constexpr double shares[] = {0.15, 0.3, 0.5, 1};
constexpr unsigned timed_runs = 5;
// Runs follow each other.
constexpr model::Pace steady = model::Pace::steady;
// Where starting and waiting take nearly all of the time, what is left of it says nothing about the work.
constexpr double least_work_share = 0.3;

double seconds_until(Clock::time_point end) {
    return std::chrono::duration<double>(end - Clock::now()).count();
}

// Cases whose data does not depend on the screen are made for one name only; fewer of them, so that the others are left
// to be judged on.
struct Fixed {
    vdt_op op;
    const char* screen;
};
constexpr Fixed fixed_cases[] = {{VDT_OP_FFT2, "3840x2160"},
                                 {VDT_OP_RESTORE, "3840x2160"},
                                 {VDT_OP_GROUP, "3840x2160"},
                                 {VDT_OP_FEATURE_MATCH, "1920x1080"}};

std::vector<BenchCase> cases_of(vdt_context* context, vdt_op op, const BenchScreen& screen, bool first) {
    BenchSetting setting{context, nullptr, false, ""};
    for (const Fixed& fixed : fixed_cases) {
        if (fixed.op == op) {
            setting.quick = true;
            return first ? make_cases(setting, op, {fixed.screen, screen.bgr}) : std::vector<BenchCase>{};
        }
    }
    return make_cases(setting, op, screen);
}

class Calibration {
public:
    Calibration(const BenchDevice& on, const model::Profile& profile) : on_(on), machine_(model::machine_of(profile)) {}

    // The variants of one case that are predicted to take no longer than until `end`; until `last` those of which
    // nothing is known yet.
    void run(const std::shared_ptr<const Work>& work, Clock::time_point end, Clock::time_point last) {
        std::uint32_t count = 1;
        for (std::uint32_t variant = 0; variant < count; ++variant) {
            try {
                DeviceWork one(on_, work, variant);
                count = one.variant_count();
                const bool known = found_.contains({work->op, one.variant()});
                const Clock::time_point until = known ? end : last;
                const DeviceCounts counts = one.counts();
                const model::Terms terms = machine_.predict(counts.cost, {}, 1, steady);
                // A device that is far slower than its parameters say is found out by smaller cases.
                if (terms.total / 1e3 > std::max(seconds_until(until), 0.0)) {
                    continue;
                }
                const double ms = time_of(one, end, until);
                const double efficiency = machine_.efficiency_for(counts.cost, {}, ms, steady);
                if (terms.fits && efficiency > 0 &&
                    machine_.predict(counts.cost, {}, efficiency, steady).work() > least_work_share * ms) {
                    found_[{work->op, one.variant()}].push_back(efficiency);
                }
            } catch (const Problem&) {
                // Not every device does every case; what is broken shows when it is used.
            }
        }
    }

    void put_into(model::Profile& profile) const {
        for (const auto& [place, factors] : found_) {
            const plugin::Measurement median = plugin::median_of(factors);
            if (median.samples == 0) {
                continue;
            }
            model::Efficiency& efficiency = profile.efficiencies[place.first][place.second];
            efficiency.value = std::clamp(median.value, model::Efficiency::least, model::Efficiency::most);
            efficiency.spread = median.spread;
            efficiency.samples = median.samples;
        }
    }

private:
    // Milliseconds of a run that nothing disturbed: what else runs on the machine only adds, so the least of some. The
    // first, which prepares, and one more as long as there is time until `last`, others until `end`.
    static double time_of(DeviceWork& work, Clock::time_point end, Clock::time_point last) {
        std::vector<double> times;
        for (unsigned run = 0; run <= timed_runs; ++run) {
            if (!times.empty() && seconds_until(times.size() == 1 ? last : end) < times.back() / 1e3) {
                break;
            }
            const Clock::time_point start = Clock::now();
            work.run();
            times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
        }
        // The first one prepares and does not count, unless there is no other.
        if (times.size() > 1) {
            times.erase(times.begin());
        }
        return *std::min_element(times.begin(), times.end());
    }

    const BenchDevice& on_;
    const model::Machine machine_;
    std::map<std::pair<vdt_op, std::string>, std::vector<double>> found_;
};

}  // namespace

void measure_calls(const BenchDevice& on, vdt_context* context, model::Profile& profile) {
    constexpr unsigned runs = 41;
    if (!on.holds_images() || (on.device().operations() >> VDT_OP_CONVERT & 1) == 0) {
        return;
    }
    const BenchSetting setting{context, nullptr, true, ""};
    for (const BenchCase& one : make_cases(setting, VDT_OP_CONVERT, {"256x64", Picture(VDT_FORMAT_BGR8, 256, 64)})) {
        if (one.work == nullptr) {
            continue;
        }
        try {
            DeviceWork work(on, one.work);
            const model::Terms terms = model::machine_of(profile).predict(work.counts().cost, {});
            std::vector<double> times;
            for (unsigned run = 0; run < runs; ++run) {
                const Clock::time_point start = Clock::now();
                work.run();
                times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
            }
            const plugin::Measurement call = plugin::median_of(std::move(times));
            vdt_param launch = profile.parameters.entry(VDT_PARAM_LAUNCH_TIME);
            // What the kernel itself and further launches take is counted beside it.
            launch.id = VDT_PARAM_LAUNCH_TIME;
            launch.source = VDT_SOURCE_MEASURED;
            launch.value = std::max(launch.value, call.value - (terms.total - terms.launch) / 1e3);
            launch.spread = call.spread;
            launch.samples = call.samples;
            profile.parameters.set(launch);
            return;
        } catch (const Problem&) {
            // Another case may do.
        }
    }
}

void calibrate(const BenchDevice& on, vdt_context* context, double seconds, model::Profile& profile,
               const std::function<void(const std::string&)>& step) {
    const Clock::time_point end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    std::vector<vdt_op> operations;
    for (const vdt_op op : benchmarked_operations()) {
        if ((on.device().operations() >> op & 1) != 0) {
            operations.push_back(op);
        }
    }
    Calibration calibration(on, profile);
    for (std::size_t index = 0; index < std::size(screens); ++index) {
        const double left = seconds_until(end);
        if (left <= 0) {
            break;
        }
        const Clock::time_point screen_end = end - std::chrono::duration_cast<Clock::duration>(
                                                       std::chrono::duration<double>(left * (1 - shares[index])));
        const std::string name = size_text(screens[index]);
        step("drawing a screen of " + name);
        const BenchScreen screen{name, synthetic_screen(screens[index].width, screens[index].height, seed)};
        for (std::size_t op = 0; op < operations.size(); ++op) {
            const double share = std::max(seconds_until(screen_end), 0.0) / static_cast<double>(operations.size() - op);
            if (seconds_until(end) <= 0) {
                break;
            }
            const Clock::time_point op_end =
                Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(share));
            step(std::string(vdt_operation_name(operations[op])) + " on " + name);
            for (const BenchCase& one : cases_of(context, operations[op], screen, index == 0)) {
                // Everything gets one case that tells something, even if that takes more than its share.
                if (one.work != nullptr && seconds_until(end) > 0) {
                    calibration.run(one.work, op_end, end);
                }
            }
        }
    }
    calibration.put_into(profile);
}

}  // namespace vedette::cli
