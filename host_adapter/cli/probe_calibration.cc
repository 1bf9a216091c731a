#include "probe_calibration.h"

#include "bench_cases.h"
#include "table.h"

#include <vedette/plugin/cpp/probe.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace vedette::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t seed = 77003;
// In the order of what they tell: a device that is too slow for all of them is known by the middle one. The smallest is
// small enough for a CPU's calling thread to do it alone.
constexpr Size screens[] = {{800, 500}, {280, 140}, {1440, 900}, {400, 260}, {2560, 1600}};
// Of the time that is left when a screen's turn comes.
constexpr double shares[] = {0.3, 0.15, 0.5, 0.3, 1};
// The last ones count: forms of kernels may be tried in the first.
constexpr unsigned most_runs = 6, counted_runs = 3;
// Shares of an operation in a screen's time. Finding has the most cases and ways, and most calls are for it.
constexpr double usual_weight = 1, weight_of_finding = 4;
// Runs follow each other.
constexpr model::Pace steady = model::Pace::steady;
// Where starting and waiting take nearly all of the time, what is left of it says nothing about the work.
constexpr double least_work_share = 0.3;

// Negative when it is past.
double seconds_until(Clock::time_point end) {
    return std::chrono::duration<double>(end - Clock::now()).count();
}

double weight_of(vdt_op op) {
    return op == VDT_OP_TEMPLATE_FIND ? weight_of_finding : usual_weight;
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

// Of a run.
struct Sample {
    DeviceCounts counts;
    double milliseconds;
    double efficiency;  // with which it is predicted right; 0 where none does that
};

class Calibration {
public:
    Calibration(const BenchDevice& on, const model::Profile& profile)
        : on_(on), profile_(profile), machine_(model::machine_of(profile)) {}

    // The variants of one case that are predicted to take no longer than until `end`; until `last` those of which
    // nothing is known yet.
    void run(const std::shared_ptr<const Work>& work, Clock::time_point end, Clock::time_point last) {
        std::uint32_t count = 1;
        for (std::uint32_t variant = 0; variant < count; ++variant) {
            try {
                const Clock::time_point start = Clock::now();
                DeviceWork one(on_, work, variant);
                count = one.variant_count();
                DeviceCounts counts = one.counts();
                std::vector<Sample>& samples = samples_[{work->op, profile_.fitted_name(one.variant(), counts.cost)}];
                const Clock::time_point until = samples.empty() ? last : end;
                const model::Terms terms = machine_.predict(counts.cost, {}, 1, steady);
                // A device that is far slower than its parameters say is found out by smaller cases.
                if (terms.total / 1e3 > std::max(seconds_until(until), 0.0)) {
                    continue;
                }
                // Kernels that are compiled in the first run can take all the time there is: what is short beside that
                // even if a device is far slower than its parameters say is run again all the same.
                constexpr double slowest = 1.0 / 64, short_ms = 100;
                const bool is_short = machine_.predict(counts.cost, {}, slowest, steady).total < short_ms;
                if (is_short) {
                    one.run();
                    if (-seconds_until(start) > long_preparation) {
                        warm_up(one);
                    }
                }
                const double ms = time_of(one, end, until, is_short);
                const double efficiency = machine_.efficiency_for(counts.cost, {}, ms, steady);
                if (terms.fits && efficiency > 0 &&
                    machine_.predict(counts.cost, {}, efficiency, steady).work() > least_work_share * ms) {
                    samples.push_back({std::move(counts), ms, efficiency});
                }
            } catch (const Problem&) {
                // Not every device does every case; what is broken shows when it is used.
            }
        }
    }

    void put_into(model::Profile& profile) const {
        for (const auto& [place, samples] : samples_) {
            std::vector<double> factors;
            for (const Sample& sample : samples) {
                factors.push_back(sample.efficiency);
            }
            const plugin::Measurement median = plugin::median_of(factors);
            if (median.samples == 0) {
                continue;
            }
            model::Efficiency& efficiency = profile.efficiencies[place.first][place.second];
            efficiency.value =
                std::clamp(best_of(std::move(factors), samples), model::Efficiency::least, model::Efficiency::most);
            efficiency.spread = median.spread;
            efficiency.samples = median.samples;
        }
    }

private:
    // A GPU that had nothing to do while kernels were compiled has lowered its clock.
    static constexpr double long_preparation = 0.02, warming = 0.05;
    static void warm_up(DeviceWork& work) {
        for (const Clock::time_point start = Clock::now(); - seconds_until(start) < warming;) {
            work.run();
        }
    }

    // Milliseconds of a call: of runs that follow each other the middle one, as calls are judged by. The first, which
    // prepares, and one more as long as there is time until `last` or it `is_short`, others until `end`.
    static double time_of(DeviceWork& work, Clock::time_point end, Clock::time_point last, bool is_short) {
        std::vector<double> times;
        for (unsigned run = 0; run < most_runs; ++run) {
            const bool needed = times.empty() || (is_short && times.size() <= counted_runs);
            if (!needed && seconds_until(times.size() == 1 ? last : end) < times.back() / 1e3) {
                break;
            }
            const Clock::time_point start = Clock::now();
            work.run();
            times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
        }
        const std::size_t prepared = times.size() > counted_runs ? times.size() - counted_runs
                                     : times.size() > 1          ? 1
                                                                 : 0;
        times.erase(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(prepared));
        return plugin::median_of(std::move(times)).value;
    }

    // Of the efficiencies that each predict one sample right, and those half-way between two of them, the one with
    // which all samples are predicted best: those that memory or starting rules have little to say. Sum of the absolute
    // logarithms of what is predicted over what was measured, as one is as wrong by twice as by half.
    double best_of(std::vector<double> factors, const std::vector<Sample>& samples) const {
        std::sort(factors.begin(), factors.end());
        for (std::size_t index = factors.size(); index > 1; --index) {
            factors.push_back(std::sqrt(factors[index - 2] * factors[index - 1]));
        }
        std::sort(factors.begin(), factors.end());
        double best = 0, least = std::numeric_limits<double>::infinity();
        for (const double factor : factors) {
            double error = 0;
            for (const Sample& sample : samples) {
                error += std::abs(
                    std::log(machine_.predict(sample.counts.cost, {}, factor, steady).total / sample.milliseconds));
            }
            // Of two as good the one in the middle.
            constexpr double as_good = 1e-9;
            const double middle = factors[factors.size() / 2];
            if (error < least - as_good ||
                (error < least + as_good && std::abs(std::log(factor / middle)) < std::abs(std::log(best / middle)))) {
                best = factor;
                least = std::min(least, error);
            }
        }
        return best;
    }

    const BenchDevice& on_;
    const model::Profile& profile_;
    const model::Machine machine_;
    std::map<std::pair<vdt_op, std::string>, std::vector<Sample>> samples_;
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
        double weights = 0;
        for (const vdt_op op : operations) {
            weights += weight_of(op);
        }
        for (std::size_t op = 0; op < operations.size(); ++op) {
            const double share = std::max(seconds_until(screen_end), 0.0) * weight_of(operations[op]) / weights;
            weights -= weight_of(operations[op]);
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
