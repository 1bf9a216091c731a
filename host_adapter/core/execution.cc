#include "execution.h"

#include "codes.h"
#include "context.h"
#include "failure.h"
#include "operations.h"
#include "result_check.h"
#include "text.h"
#include "views.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include <sys/resource.h>

namespace vedette::host {
namespace {

constexpr std::size_t longest_reason = 160;  // of one backend, inside a sentence about several
constexpr std::size_t longest_choice = 600;

std::string in_brackets(vdt_code code, std::string text) {
    if (text.empty()) text = code_text(code);
    while (text.ends_with('.')) text.pop_back();
    return " (" + shortened(text, longest_reason) + ")";
}

void append(std::string& key, const void* value, std::size_t size) {
    key.append(static_cast<const char*>(value), size);
}

// Two calls with one key can use one plan: same device, operation, variant, formats, sizes and plan parameters.
std::string plan_key(const Device& device, const vdt_query& query, const Views& inputs, const Views& outputs,
                     const std::string& parameters) {
    const Device* const address = &device;  // plans hold their device, so no other gets the address meanwhile
    std::string key;
    append(key, &address, sizeof address);
    append(key, &query.op, sizeof query.op);
    append(key, &query.variant, sizeof query.variant);
    for (const Views* views : {&inputs, &outputs}) {
        for (const vdt_image& view : views->all()) {
            const std::uint32_t kept = view.resident != nullptr ? 1 : 0;
            for (const std::uint32_t* number : {&view.format, &view.width, &view.height, &kept})
                append(key, number, sizeof *number);
        }
    }
    return key + parameters;
}

class Run {
public:
    Run(Context& context, const Operation& operation, CallLimit* limit, RunReport& report)
        : context_(context), operation_(operation), limit_(limit), report_(report) {}

    // What the call had cost, and whether that says something about such calls.
    struct Cost {
        double measured_ms = 0;
        double least_ms = 0;  // that it can have taken by itself; less where its threads had to give way
        bool usual = false;   // not the first call on its plan
    };

    // A variant of a device; the name is "" when nobody asked for it yet.
    struct Way {
        Device& device;
        std::uint32_t variant = 0;
        std::string name{};
    };
    // Nothing: the device could not, and the reason is noted. `predicted_ms`: -1 when it is not known.
    std::optional<vdt_code> on_device(const Way& way, double predicted_ms, const std::string& why);
    // Of the last on_device.
    const Cost& cost() const noexcept { return cost_; }
    // Notes it when `device` is out of use.
    bool lost(const Device& device);
    void backend_missing(const std::string& backend, const Refusal& refusal);
    void device_missing(const Candidate& candidate, std::size_t count);
    [[noreturn]] void fail(const Selection& selection) const;

private:
    vdt_code attempt(const Way& way);
    void reset_lists() const noexcept;
    void check_limit() const;
    void note(vdt_code code, std::string text) {
        last_code_ = code;
        if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(std::move(text));
    }

    Context& context_;
    const Operation& operation_;
    CallLimit* const limit_;
    RunReport& report_;
    Cost cost_;
    std::vector<std::string> notes_;
    vdt_code last_code_ = VDT_E_UNAVAILABLE;
};

void Run::reset_lists() const noexcept {
    for (vdt_list* list : operation_.lists_out) list->count = list->needed = 0;
}

void Run::check_limit() const {
    const vdt_code state = limit_ == nullptr ? VDT_OK : limit_->state();
    if (state == VDT_OK) return;
    reset_lists();
    throw Failure(state, std::string(operation_name(operation_.op)) +
                             (state == VDT_E_TIMEOUT ? " did not finish within its time limit." : " was cancelled."));
}

void throw_answer(const PluginAnswer& answer) {
    if (answer.code < 0)
        throw Failure(answer.code, answer.text.empty() ? code_text(answer.code) : answer.text, answer.native_code);
}

// Time since this was made. Where threads that work on a call were interrupted for others, what the calling thread
// worked is all that the call has surely taken. On a CPU those are all of this process, and asking for them takes a
// microsecond or two; a GPU is waited for by the calling thread.
class Clock {
public:
    explicit Clock(const Device& device) : all_threads_(device.kind() == VDT_DEVICE_CPU) {}
    double milliseconds() const {
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start_;
        return took.count();
    }
    // `all`: of milliseconds().
    double least(double all) const {
        const Use now = use();
        return now.interruptions == before_.interruptions ? all : std::min(all, now.own_ms - before_.own_ms);
    }

private:
    struct Use {
        long interruptions = 0;
        double own_ms = 0;
    };
    Use use() const {
        ::rusage all{}, own{};
        ::getrusage(RUSAGE_THREAD, &own);
        if (all_threads_)
            ::getrusage(RUSAGE_SELF, &all);
        else
            all = own;
        const auto of = [](const timeval& time) {
            return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
        };
        return {all.ru_nivcsw, of(own.ru_utime) + of(own.ru_stime)};
    }

    const bool all_threads_;
    const Use before_ = use();
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The device counts as busy meanwhile.
PluginAnswer run_plan(Device& device, const Plan& plan, const vdt_call& call) {
    struct Mark {
        Device& device;
        explicit Mark(Device& marked) : device(marked) { ++device.running(); }
        ~Mark() {
            --device.running();
            device.note_end();
        }
        Mark(const Mark&) = delete;
        Mark& operator=(const Mark&) = delete;
    };
    const Mark mark(device);
    return call_plugin(device.table().plan_run, plan.get(), &call);
}

vdt_code Run::attempt(const Way& way) {
    Device& device = way.device;
    Views inputs(operation_.inputs);
    Views outputs(operation_.outputs);
    vdt_query query = query_of(operation_, inputs, outputs);
    // Asked before anything is uploaded, and again with what the device keeps: what was promised for a query is what a
    // plan made from the same query does.
    PluginAnswer answered;
    vdt_op_support support = device.support(query, answered);
    if (support.level == VDT_SUPPORT_NO) throw Failure(answered.code, answered.text);
    if (inputs.move_to(device)) {
        const vdt_op_support with_kept = device.support(query, answered);
        if (with_kept.level == VDT_SUPPORT_NO)
            inputs.move_back();
        else
            support = with_kept;
    }
    if (way.variant < support.variant_count) query.variant = way.variant;

    // By the name under which it was chosen: a plugin may look at the pixels before it tells.
    std::string name = way.name;
    if (name.empty()) {
        vdt_variant_info variant{};
        variant.struct_size = sizeof variant;
        throw_answer(call_plugin(device.table().op_variant, device.open(), &query, &variant));
        name = one_line(variant.name, sizeof variant.name);
    }
    const std::string key = plan_key(device, query, inputs, outputs, plan_parameters(operation_));
    std::unique_ptr<Plan> plan = context_.plans().take(key);
    cost_.usual = plan != nullptr;
    if (plan == nullptr) {
        vdt_plan* made = nullptr;
        throw_answer(call_plugin(device.table().plan_create, device.open(), &query, &made));
        if (made == nullptr) throw Failure(VDT_E_CONTRACT, "plan_create says that it succeeded but gave no plan.");
        plan = std::make_unique<Plan>(device.shared_from_this(), made);
    }
    vdt_call call{};
    call.struct_size = sizeof call;
    call.inputs = query.inputs;
    call.input_count = query.input_count;
    call.outputs = query.outputs;
    call.output_count = query.output_count;
    call.lists_in = operation_.lists_in.empty() ? nullptr : operation_.lists_in.data();
    call.list_in_count = static_cast<std::uint32_t>(operation_.lists_in.size());
    call.lists_out = operation_.lists_out.empty() ? nullptr : operation_.lists_out.data();
    call.list_out_count = static_cast<std::uint32_t>(operation_.lists_out.size());
    call.params = operation_.params;
    call.token = limit_ == nullptr ? nullptr : limit_->token();
    const PluginAnswer answer = run_plan(device, *plan, call);
    const bool plan_is_sound = answer.code >= 0 || VDT_IS_CALLER_FAULT(answer.code) || answer.code == VDT_E_TIMEOUT ||
                               answer.code == VDT_E_CANCELLED;
    if (plan_is_sound) context_.plans().give_back(key, std::move(plan));
    throw_answer(answer);
    check_results(operation_, answer.code);
    report_.variant = std::move(name);
    return answer.code;
}

bool Run::lost(const Device& device) {
    std::string reason;
    if (!device.quarantined(&reason)) return false;
    note(VDT_E_UNAVAILABLE, device_name(device) + " is out of use" + in_brackets(VDT_E_UNAVAILABLE, reason));
    return true;
}

std::optional<vdt_code> Run::on_device(const Way& way, double predicted_ms, const std::string& why) {
    Device& device = way.device;
    const std::string name = device_name(device);
    if (lost(device)) return std::nullopt;
    check_limit();
    try {
        device.open();
    } catch (const Failure& failure) {
        device.note_failure(failure.code(), failure.text());
        context_.registry().note_open_failure(device, failure.code(), failure.text());
        note(failure.code(), name + " cannot be opened" + in_brackets(failure.code(), failure.text()));
        return std::nullopt;
    }
    reset_lists();
    const Clock clock(device);
    try {
        const vdt_code code = attempt(way);
        cost_.measured_ms = clock.milliseconds();
        cost_.least_ms = clock.least(cost_.measured_ms);
        report_.backend = device.backend();
        report_.device = device.name();
        report_.device_index = device.index();
        report_.predicted_ms = predicted_ms;
        report_.measured_ms = cost_.measured_ms;
        report_.choice.clear();
        for (const std::string& past : notes_) report_.choice += past + "; ";
        report_.choice = shortened(report_.choice + why, longest_choice);
        return code;
    } catch (const Failure& failure) {
        reset_lists();  // what a failed run left in the outputs is not trusted
        const vdt_code code = failure.code();
        if (VDT_IS_CALLER_FAULT(code)) throw;
        check_limit();
        if (code == VDT_E_OUT_OF_MEMORY || VDT_IS_UNAVAILABLE(code)) context_.plans().drop(device);
        device.note_failure(code, std::string(operation_name(operation_.op)) + ": " + failure.text());
        const char* const verb = VDT_IS_UNSUPPORTED(code) ? " cannot do it" : " failed";
        note(code, name + verb + in_brackets(code, failure.text()));
        return std::nullopt;
    }
}

void Run::backend_missing(const std::string& backend, const Refusal& refusal) {
    note(VDT_IS_UNAVAILABLE(refusal.code) ? refusal.code : vdt_code{VDT_E_UNAVAILABLE},
         backend + " is not there" + in_brackets(refusal.code, refusal.reason));
}

void Run::device_missing(const Candidate& candidate, std::size_t count) {
    note(VDT_E_NO_DEVICE, candidate.backend + " has no device " + std::to_string(candidate.device) + " (it has " +
                              std::to_string(count) + ", counted from 0)");
}

void Run::fail(const Selection& selection) const {
    std::string text;
    for (const std::vector<std::string>* notes : {&notes_, &selection.notes})
        for (const std::string& note : *notes) text += (text.empty() ? "" : "; ") + note;
    if (text.empty()) text = "no plugin is installed";
    const std::string what = operation_name(operation_.op);
    if (selection.forced) throw Failure(last_code_, what + " cannot be done as asked: " + text + ".");
    throw Failure(last_code_, "No backend can do " + what + ": " + text + ".");
}

// Tries the options of one choice after the other, then what the policy names beside them.
class Attempts {
public:
    Attempts(Context& context, const Operation& operation, const Choice& choice, CallLimit* limit, RunReport& report)
        : context_(context), choice_(choice), run_(context, operation, limit, report) {}

    vdt_code run();

private:
    std::optional<vdt_code> run_options(std::size_t group);
    std::optional<vdt_code> run_candidates(const Group& group);
    // `done`: the option that did it, NULL for what has no prediction.
    void note_result(const Option* done);

    Context& context_;
    const Choice& choice_;
    Run run_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::set<std::pair<const Device*, std::uint32_t>> tried_;
    std::vector<std::size_t> failed_;  // options of the first group
};

// Those that could not are charged with all the time the call took.
void Attempts::note_result(const Option* done) {
    const std::chrono::duration<double, std::milli> all = std::chrono::steady_clock::now() - start_;
    for (const std::size_t failed : failed_) choice_.record->failed(failed, all.count());
    if (done == nullptr) return;
    const std::vector<Option>& first = choice_.ranking->groups.front().options;
    double uncorrected = done->terms.total;
    for (std::size_t i = 0; i < first.size(); ++i) {
        if (&first[i] != done) continue;
        choice_.record->succeeded(i);
        if (i < choice_.count) uncorrected = choice_.uncorrected_ms[i];
    }
    const bool alone = done->device->running().load(std::memory_order_relaxed) == 0;
    if (!context_.models().corrects() || !run_.cost().usual || !alone) return;
    done->model->observe(choice_.ranking->op, done->slot, done->size_class, uncorrected, run_.cost().least_ms,
                         run_.cost().measured_ms);
    context_.models().note_observation();
}

std::optional<vdt_code> Attempts::run_options(std::size_t index) {
    const Group& group = choice_.ranking->groups[index];
    std::vector<double> predicted;
    std::vector<std::size_t> order;
    for (const Option& option : group.options) {
        order.push_back(order.size());
        predicted.push_back(option.terms.total);
    }
    if (index == 0) {
        std::copy_n(choice_.predicted_ms.begin(), choice_.count, predicted.begin());
        std::copy_n(choice_.order.begin(), choice_.count, order.begin());
    } else {
        std::sort(order.begin(), order.end(),
                  [&](std::size_t a, std::size_t b) { return predicted[a] < predicted[b]; });
    }
    for (const std::shared_ptr<Device>& device : group.lost) run_.lost(*device);
    for (const std::size_t at : order) {
        const Option& option = group.options[at];
        if (run_.lost(*option.device) || !tried_.insert({option.device.get(), option.variant}).second) continue;
        const auto code = run_.on_device({*option.device, option.variant, option.variant_name}, predicted[at],
                                         why_chosen(group, predicted, at));
        if (code) {
            note_result(&option);
            return code;
        }
        if (index == 0) failed_.push_back(at);
    }
    return std::nullopt;
}

std::optional<vdt_code> Attempts::run_candidates(const Group& group) {
    for (const Candidate& candidate : group.candidates) {
        Refusal refusal;
        const std::vector<std::shared_ptr<Device>> devices = context_.registry().devices(candidate.backend, &refusal);
        if (devices.empty()) {
            run_.backend_missing(candidate.backend, refusal);
            continue;
        }
        if (candidate.device >= 0 && static_cast<std::size_t>(candidate.device) >= devices.size()) {
            run_.device_missing(candidate, devices.size());
            continue;
        }
        for (const std::shared_ptr<Device>& device : devices) {
            const bool wanted = candidate.device < 0 || static_cast<std::uint32_t>(candidate.device) == device->index();
            if (!wanted || !tried_.insert({device.get(), 0}).second) continue;
            const auto code = run_.on_device({*device}, -1, candidate.why);
            if (!code) continue;
            note_result(nullptr);
            return code;
        }
    }
    return std::nullopt;
}

vdt_code Attempts::run() {
    for (std::size_t index = 0; index < choice_.ranking->groups.size(); ++index) {
        std::optional<vdt_code> code = run_options(index);
        if (!code) code = run_candidates(choice_.ranking->groups[index]);
        if (!code) continue;
        context_.chooser().note_time(*choice_.ranking, run_.cost().measured_ms);
        return *code;
    }
    run_.fail(choice_.ranking->selection);
}

}  // namespace

vdt_code run_choice(Context& context, const Operation& operation, const Choice& choice, CallLimit* limit,
                    RunReport& report) {
    return Attempts(context, operation, choice, limit, report).run();
}

vdt_code run_operation(Context& context, const Operation& operation, const std::string& backend, CallLimit* limit,
                       RunReport& report) {
    context.check_process();
    check_operation(operation);
    if (context.explainer().on()) return context.explainer().run(operation, backend, limit, report);
    const Choice choice = context.chooser().choose(operation, backend);
    return run_choice(context, operation, choice, limit, report);
}

}  // namespace vedette::host
