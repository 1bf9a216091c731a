// Which backend, device and variant does a call, by predicted time; and when a device that is not opened yet should be.
#pragma once

#include "call_signature.h"
#include "opening.h"
#include "ranking.h"
#include "record.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace vedette::host {

class Context;

// What was decided for one call.
struct Choice {
    static constexpr std::size_t most_options = 32;

    std::shared_ptr<const Ranking> ranking;
    std::shared_ptr<Record> record;
    // The options of the first group, best first: indices into it. Their predicted milliseconds, by the group's
    // indices; and what the model says of this moment without what it has learnt.
    std::array<std::uint8_t, most_options> order{};
    std::array<double, most_options> predicted_ms{}, uncorrected_ms{};
    std::uint32_t count = 0;
};

// Thread-safe.
class Chooser {
public:
    Chooser(Context& context, Opening opening) : context_(context), opening_(opening) {}

    // Decides for an operation that passed check_operation; `backend` as run_operation. A call like an earlier one (by
    // its signature) is looked up, in well under a microsecond and without allocation; for another one the devices that
    // are open are asked. Failure as select_backends.
    Choice choose(const Operation& operation, const std::string& backend);

    // What choose() keeps: asks the devices. `open_all`: those that are not open yet as well.
    std::shared_ptr<const Ranking> rank(const Operation& operation, const std::string& backend, bool open_all);
    // The order of a ranking at this moment.
    void decide(Choice& choice) const noexcept;

    // The policy is another from now on.
    void forget() noexcept { ++state_; }

    // A call took `measured_ms` on whatever was chosen: counts towards opening what the ranking left out. The next call
    // then opens it. Not on a thread of its own: a process that ends while a driver starts is beyond our control.
    void note_time(const Ranking& ranking, double measured_ms);

private:
    struct Slot {
        CallSignature signature;
        std::shared_ptr<const Ranking> ranking;
        std::shared_ptr<Record> record;
    };
    // Pairs: a call finds its place at once, and two calls that take turns do not drive each other out.
    static constexpr std::size_t pairs = 256;

    bool find(const CallSignature& signature, Choice& choice) noexcept;
    void keep(const CallSignature& signature, const Choice& choice);
    enum class Ask { Open, First, All };
    // The devices of `candidate` in `group` that may be asked for costs: those that are open, and those whose time has
    // come; as `ask` says the first one too, or all. Puts those that are out of use into group.lost, and those that
    // give no costs, which are never opened here, into `excluded`.
    std::vector<std::shared_ptr<Device>> at_hand(const Candidate& candidate, Ask ask, Group& group,
                                                 std::vector<Excluded>& excluded);
    bool open(Device& device);
    Unopened next_to_open(const std::vector<Candidate>& candidates);
    double opening_seconds(const std::string& backend);
    void never_open(const std::string& backend);
    bool is_ever_opened(const std::string& backend);

    Context& context_;
    const Opening opening_;
    std::atomic<std::uint64_t> state_{0};
    std::mutex mutex_;  // guards the slots
    struct Pair {
        std::array<Slot, 2> slot;
        std::uint8_t oldest = 0;
    };
    std::array<Pair, pairs> slots_;
    std::mutex opening_mutex_;  // guards what follows
    double spent_seconds_ = 0;
    std::map<std::string, double> prices_;  // seconds, by backend; infinite: it cannot be opened
    Unopened due_;                          // to be opened with the next ranking
};

// Sentence for taking option `option` of a group: "cuda is predicted fastest: 0.71 ms; cpu 23.0 ms", or the policy's
// own where only one device could be predicted.
std::string why_chosen(const Group& group, std::span<const double> predicted_ms, std::size_t option);

}  // namespace vedette::host
