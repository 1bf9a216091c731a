#include "tuning.h"

#include "program.h"

#include <algorithm>
#include <chrono>

namespace vedette::opencl {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr double clearly_faster = 0.95;  // of the default's time: less may be noise

}  // namespace

Tuning::Tuning(const DeviceEntry& entry, const BinaryCache& cache, Search search)
    : cache_(cache),
      measures_(search == Search::always || (search == Search::automatic && entry.limits.kind != Kind::cpu)),
      takes_last_(search == Search::last),
      identity_("choice of a form\n" + entry.name + "\n" + entry.driver + "\n") {}

std::size_t Tuning::choose(std::string_view file, const std::string& what, std::size_t count,
                           const std::function<double(std::size_t)>& seconds, double limit) {
    if (takes_last_ && count > 0) return count - 1;
    if (count < 2 || !measures_) return 0;
    const char* const source = kernel_source(file);
    const std::string key =
        identity_ + what + ", " + std::to_string(count) + " forms\n" + (source != nullptr ? source : "");
    const std::lock_guard lock(mutex_);
    const auto known = chosen_.find(key);
    if (known != chosen_.end()) return known->second;
    std::size_t form = count;
    if (const auto kept = cache_.load(key); kept && kept->size() == 1) form = kept->front();
    if (form >= count) {
        form = measure(count, seconds, limit);
        cache_.store(key, {static_cast<unsigned char>(form)});
    }
    chosen_.emplace(key, form);
    return form;
}

std::size_t Tuning::measure(std::size_t count, const std::function<double(std::size_t)>& seconds, double limit) const {
    const auto start = Clock::now();
    std::size_t best = 0;
    double least = 0;
    for (std::size_t form = 0; form < std::min<std::size_t>(count, 255); ++form) {
        if (form != 0 && seconds_since(start) > limit) break;
        double time = 0;
        try {
            time = seconds(form);
        } catch (const Error& error) {
            // A default that cannot run is the caller's to report; so is a device that is gone.
            if (form == 0 || error.fault() == Fault::lost) throw;
            continue;
        }
        if (form == 0)
            least = clearly_faster * time;
        else if (time < least)
            best = form, least = time;
    }
    return best;
}

double time_of(cl::Queue queue, const std::function<void()>& enqueue) {
    constexpr int tries = 4;
    double least = 0;
    for (int turn = 0; turn <= tries; ++turn) {
        const auto start = Clock::now();
        try {
            enqueue();
        } catch (...) {
            // What was queued before may use memory that its owner is about to give back.
            (void)cl::api().Finish(queue);
            throw;
        }
        finish(queue);
        const double time = seconds_since(start);
        if (turn == 1 || (turn > 1 && time < least)) least = time;
    }
    return least;
}

}  // namespace vedette::opencl
