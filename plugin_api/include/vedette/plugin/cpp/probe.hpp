// Help for plugins written in C++; not part of the ABI. The entry that measures a device's parameters: the question
// checked, the time watched, samples reduced to a median and its spread.
#ifndef VEDETTE_PLUGIN_CPP_PROBE_HPP
#define VEDETTE_PLUGIN_CPP_PROBE_HPP

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "check.hpp"

namespace vedette::plugin {

// Median of several measurements, with the interquartile range over the median. samples 0: none succeeded.
struct Measurement {
    double value = 0;
    double spread = 0;
    uint32_t samples = 0;
};

// Values that are not above 0 and finite are left out: measurements that failed.
inline Measurement median_of(std::vector<double> values) {
    std::erase_if(values, [](double value) { return !std::isfinite(value) || value <= 0; });
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const auto quantile = [&](double share) {
        const double place = share * static_cast<double>(values.size() - 1);
        const auto below = static_cast<std::size_t>(place);
        const std::size_t above = std::min(below + 1, values.size() - 1);
        return values[below] + (values[above] - values[below]) * (place - static_cast<double>(below));
    };
    const double median = quantile(0.5);
    return {median, (quantile(0.75) - quantile(0.25)) / median, static_cast<uint32_t>(values.size())};
}

// A question to vdt_plugin.probe while it is being answered.
class Probe {
public:
    // Failure VDT_E_ARGUMENT. Marks every parameter as not known.
    explicit Probe(vdt_probe* question) : question_(question), start_(Clock::now()) {
        need_struct(question, "probe");
        if (question->param_count != 0) need(question->params, "params");
        if (question->param_size < sizeof(vdt_param) || question->param_size % alignof(vdt_param) != 0)
            throw Failure(VDT_E_ARGUMENT, "param_size is " + std::to_string(question->param_size) +
                                              "; it must be a multiple of " + std::to_string(alignof(vdt_param)) +
                                              " of at least " + std::to_string(sizeof(vdt_param)));
        if (!(question->budget_seconds >= 0))
            throw Failure(VDT_E_ARGUMENT, "budget_seconds is negative or not a number");
        for (uint32_t index = 0; index < question->param_count; ++index) {
            vdt_param& param = at(index);
            const uint32_t id = param.id;
            param = vdt_param{};
            param.id = id;
        }
    }
    Probe(const Probe&) = delete;
    Probe& operator=(const Probe&) = delete;

    // With no time, what is known is asked for, and nothing may be measured.
    bool may_measure() const noexcept { return question_->budget_seconds > 0; }
    double seconds_left() const noexcept {
        return question_->budget_seconds - std::chrono::duration<double>(Clock::now() - start_).count();
    }
    bool asks(uint32_t id) const noexcept {
        for (uint32_t index = 0; index < question_->param_count; ++index)
            if (at(index).id == id) return true;
        return false;
    }

    // Known without measuring.
    void know(uint32_t id, double value) noexcept { answer(id, VDT_SOURCE_PROPERTIES, {value, 0, 0}); }
    void answer(uint32_t id, const Measurement& measured) noexcept {
        if (measured.samples != 0) answer(id, VDT_SOURCE_MEASURED, measured);
    }

    // Calls `measure`, which gives one value, `samples` times; fewer when a share `share` of the budget is spent
    // before, and none that would, as long as the longest so far, pass the end of the budget. The first one, which
    // warms up, does not count unless there is no time for another.
    template <class Measure>
    Measurement repeat(uint32_t samples, double share, const Measure& measure) const {
        std::vector<double> values;
        const double begin = seconds_left();
        const double end = std::max(begin - share * question_->budget_seconds, 0.0);
        double longest = 0;
        for (double now = begin; values.size() <= samples;) {
            if (now <= 0 || (!values.empty() && (now < end || now < 1.5 * longest))) break;
            values.push_back(measure());
            const double then = seconds_left();
            longest = std::max(longest, now - then);
            now = then;
        }
        if (values.size() > 1) values.erase(values.begin());
        return median_of(std::move(values));
    }

private:
    using Clock = std::chrono::steady_clock;

    vdt_param& at(uint32_t index) const noexcept {
        auto* const first = reinterpret_cast<unsigned char*>(question_->params);
        return *reinterpret_cast<vdt_param*>(first + uint64_t{index} * question_->param_size);
    }
    void answer(uint32_t id, uint32_t source, const Measurement& measured) noexcept {
        if (!std::isfinite(measured.value) || measured.value <= 0) return;
        for (uint32_t index = 0; index < question_->param_count; ++index) {
            vdt_param& param = at(index);
            if (param.id != id) continue;
            param.source = source;
            param.value = measured.value;
            param.spread = measured.spread;
            param.samples = measured.samples;
        }
    }

    vdt_probe* question_;
    Clock::time_point start_;
};

// The slot `probe`, for `struct Backend : ProbeEntry<Backend>`. Backend says what is its own:
//
//     using Device;  // the class behind vdt_device
//     static void measure(Device& device, Probe& probe);  // may throw Failure
//
template <class Backend>
struct ProbeEntry {
    static vdt_code probe(vdt_device* device, vdt_probe* question, vdt_error*) {
        auto& opened = Handle<vdt_device, typename Backend::Device>::need(device, "device");
        Probe probe(question);
        Backend::measure(opened, probe);
        return VDT_OK;
    }
};

}  // namespace vedette::plugin
#endif
