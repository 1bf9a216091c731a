#include "chooser.h"

#include "context.h"
#include "failure.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <utility>

namespace vedette::host {
namespace {

// What opening a device takes before one of its backend was ever measured: a CUDA context takes 0.1 to 0.5 s.
constexpr double usual_opening_seconds = 0.5;

constexpr const char* no_costs = "it gives no costs";

std::string milliseconds(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value < 1 ? "%.3f ms" : value < 10 ? "%.2f ms" : "%.1f ms", value);
    return text;
}

}  // namespace

Choice Chooser::choose(const Operation& operation, const std::string& backend) {
    const std::uint64_t state = state_.load() << 32 ^ Device::changes();
    const CallSignature signature = call_signature(operation, backend, state);
    Choice choice;
    if (!find(signature, choice)) {
        choice.ranking = rank(operation, backend, false);
        choice.record = std::make_shared<Record>(
            choice.ranking->groups.empty() ? 0 : choice.ranking->groups.front().options.size());
        // Asking may have opened devices; then the answer belongs to the new state.
        const std::uint64_t now = state_.load() << 32 ^ Device::changes();
        keep(now == state ? signature : call_signature(operation, backend, now), choice);
    }
    decide(choice);
    return choice;
}

void Chooser::decide(Choice& choice) const noexcept {
    choice.count = 0;
    if (choice.ranking->groups.empty()) return;
    const std::vector<Option>& options = choice.ranking->groups.front().options;
    choice.count = static_cast<std::uint32_t>(std::min(options.size(), Choice::most_options));
    std::array<std::uint32_t, Choice::most_options> running{};
    const bool corrects = context_.models().corrects();
    const auto now = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < choice.count; ++i) {
        const Option& option = options[i];
        const double correction =
            corrects ? option.model->correction(choice.ranking->op, option.slot, option.size_class) : 1;
        choice.uncorrected_ms[i] = (option.device->rested(now) ? option.rested : option.terms).total;
        choice.predicted_ms[i] = choice.uncorrected_ms[i] * correction;
        running[i] = option.device->running().load(std::memory_order_relaxed);
    }
    choice.record->sort({choice.predicted_ms.data(), choice.count}, {running.data(), choice.count},
                        {choice.order.data(), choice.count});
}

bool Chooser::find(const CallSignature& signature, Choice& choice) noexcept {
    const std::lock_guard lock(mutex_);
    for (const Slot& slot : slots_[signature.first % pairs].slot) {
        if (slot.ranking == nullptr || !(slot.signature == signature)) continue;
        choice.ranking = slot.ranking;
        choice.record = slot.record;
        return true;
    }
    return false;
}

void Chooser::keep(const CallSignature& signature, const Choice& choice) {
    Slot old;  // destroyed after the lock
    const std::lock_guard lock(mutex_);
    Pair& pair = slots_[signature.first % pairs];
    old = std::exchange(pair.slot[pair.oldest], {signature, choice.ranking, choice.record});
    pair.oldest ^= 1;
}

std::shared_ptr<const Ranking> Chooser::rank(const Operation& operation, const std::string& backend, bool open_all) {
    auto ranking = std::make_shared<Ranking>();
    ranking->op = operation.op;
    ranking->selection = select_backends(context_.policy(), operation.op, backend, context_.registry().names());
    for (const Candidate& candidate : ranking->selection.candidates) {
        if (ranking->groups.size() <= candidate.group) ranking->groups.resize(candidate.group + 1);
        ranking->groups[candidate.group].candidates.push_back(candidate);
    }
    const bool all = open_all || opening_ == Opening::AtOnce;
    bool first_group = true;
    for (Group& group : ranking->groups) {
        for (const Candidate& candidate : group.candidates) {
            // Only what is tried first is worth opening: later groups serve when that fails.
            const Ask ask = all ? Ask::All : first_group && group.options.empty() ? Ask::First : Ask::Open;
            for (const std::shared_ptr<Device>& device : at_hand(candidate, ask, group, ranking->excluded)) {
                std::string why_not;
                std::vector<Option> options = options_on(*device, context_.models().of(*device), operation, &why_not);
                if (options.empty()) ranking->excluded.push_back({device_name(*device), why_not});
                std::move(options.begin(), options.end(), std::back_inserter(group.options));
            }
        }
        if (group.options.size() > Choice::most_options) {
            std::sort(group.options.begin(), group.options.end(),
                      [](const Option& a, const Option& b) { return a.terms.total < b.terms.total; });
            group.options.resize(Choice::most_options);
        }
        if (first_group && !ranking->selection.forced) ranking->unopened = next_to_open(group.candidates);
        first_group = false;
    }
    return ranking;
}

std::vector<std::shared_ptr<Device>> Chooser::at_hand(const Candidate& candidate, Ask ask, Group& group,
                                                      std::vector<Excluded>& excluded) {
    Registry& registry = context_.registry();
    Unopened due;
    {
        const std::lock_guard lock(opening_mutex_);
        if (due_.backend == candidate.backend) due = std::exchange(due_, {});
    }
    const bool is_due = !due.backend.empty();
    bool load = ask == Ask::All;
    if (!load && (is_due || ask == Ask::First)) {
        // Where there is nothing to weigh it against, it is loaded right after this anyway.
        load = group.candidates.size() == 1 || registry.gives_costs(candidate.backend);
        if (!load) {
            excluded.push_back({candidate.backend, no_costs});
            never_open(candidate.backend);
        }
    }
    std::vector<std::shared_ptr<Device>> found;
    for (const std::shared_ptr<Device>& device :
         load ? registry.devices(candidate.backend) : registry.loaded_devices(candidate.backend)) {
        const bool asked_for = candidate.device < 0 || static_cast<std::uint32_t>(candidate.device) == device->index();
        if (!asked_for) continue;
        if (device->quarantined()) {
            group.lost.push_back(device);
            continue;
        }
        if (!device->gives_costs()) {
            if (load) excluded.push_back({device_name(*device), no_costs});
            continue;
        }
        const bool may_open =
            ask == Ask::All || (is_due && due.device == device->index()) || (ask == Ask::First && found.empty());
        if (device->is_open() || (may_open && open(*device))) found.push_back(device);
    }
    return found;
}

// What goes wrong here is told again, to the caller, when the device is tried.
bool Chooser::open(Device& device) {
    const auto start = std::chrono::steady_clock::now();
    bool good = true;
    try {
        device.open();
    } catch (const Failure& failure) {
        context_.registry().note_open_failure(device, failure.code(), failure.text());
        good = false;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const std::lock_guard lock(opening_mutex_);
    prices_[device.backend()] = good ? took.count() : std::numeric_limits<double>::infinity();
    return good;
}

double Chooser::opening_seconds(const std::string& backend) {
    const auto known = prices_.find(backend);
    if (known != prices_.end()) return known->second;
    const double price = context_.models().store().open_time(backend).value_or(usual_opening_seconds);
    return prices_[backend] = price;
}

void Chooser::never_open(const std::string& backend) {
    const std::lock_guard lock(opening_mutex_);
    prices_[backend] = std::numeric_limits<double>::infinity();
}

bool Chooser::is_ever_opened(const std::string& backend) {
    const std::lock_guard lock(opening_mutex_);
    const auto known = prices_.find(backend);
    return known == prices_.end() || known->second < std::numeric_limits<double>::infinity();
}

Unopened Chooser::next_to_open(const std::vector<Candidate>& candidates) {
    for (const Candidate& candidate : candidates) {
        if (context_.registry().missing(candidate.backend) || !is_ever_opened(candidate.backend)) continue;
        const std::vector<std::shared_ptr<Device>> devices = context_.registry().loaded_devices(candidate.backend);
        if (devices.empty() && candidate.device <= 0) return {candidate.backend, 0};
        for (const std::shared_ptr<Device>& device : devices)
            if (candidate.device < 0 && device->gives_costs() && !device->is_open() && !device->quarantined())
                return {candidate.backend, device->index()};
    }
    return {};
}

void Chooser::note_time(const Ranking& ranking, double measured_ms) {
    const Unopened& next = ranking.unopened;
    if (next.backend.empty()) return;
    const std::lock_guard lock(opening_mutex_);
    spent_seconds_ += measured_ms / 1e3;
    if (spent_seconds_ < opening_seconds(next.backend)) return;
    spent_seconds_ = 0;
    due_ = next;
    ++state_;  // calls are ranked anew, with it
}

std::string why_chosen(const Group& group, std::span<const double> predicted_ms, std::size_t option) {
    const Option& chosen = group.options[option];
    // The best prediction of every other device.
    std::vector<std::pair<double, std::string>> others;
    for (std::size_t i = 0; i < predicted_ms.size(); ++i) {
        const Option& other = group.options[i];
        if (other.device == chosen.device) continue;
        const auto known = std::find_if(others.begin(), others.end(),
                                        [&](const auto& entry) { return entry.second == other.device_name(); });
        if (known == others.end())
            others.emplace_back(predicted_ms[i], other.device_name());
        else
            known->first = std::min(known->first, predicted_ms[i]);
    }
    if (others.empty()) {
        for (const Candidate& candidate : group.candidates)
            if (candidate.backend == chosen.device->backend()) return candidate.why;
        return {};
    }
    std::sort(others.begin(), others.end());
    std::string text = chosen.device_name();
    text += predicted_ms[option] <= others.front().first ? " is predicted fastest: " : " is taken: ";
    text += milliseconds(predicted_ms[option]);
    for (const auto& [time, name] : others) text += "; " + name + " " + milliseconds(time);
    return text;
}

}  // namespace vedette::host
