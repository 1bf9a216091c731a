#include "explainer.h"

#include "codes.h"
#include "context.h"
#include "failure.h"
#include "operations.h"
#include "views.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace vedette::host {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_calls = 10000;  // a document of some megabytes
constexpr int timed_runs = 5;
// A candidate that took longer the first time is timed once only: the others wait for it.
constexpr double long_run_ms = 400;

constexpr const char* format_names[VDT_FORMAT_COUNT] = {
    "none",   "GRAY8",   "BGR8",   "BGRA8",         "RGB8",          "RGBA8", "GRAY16", "BGR16", "BGRA16",    "RGB16",
    "RGBA16", "GRAYF32", "BGRF32", "PLANAR_BGRF32", "PLANAR_RGBF32", "I32",   "I64",    "F64",   "COMPLEXF32"};

Json images_json(const std::vector<OperationImage>& images) {
    Json all = Json::array();
    for (const OperationImage& image : images) {
        const vdt_image view = plain_view(image);
        if (view.format == VDT_FORMAT_NONE) continue;
        all.push_back({{"width", view.width},
                       {"height", view.height},
                       {"format", view.format < VDT_FORMAT_COUNT ? format_names[view.format] : "unknown"},
                       {"memory", view.memory == VDT_MEMORY_HOST     ? "pageable"
                                  : view.memory == VDT_MEMORY_PINNED ? "pinned"
                                                                     : "device"},
                       {"shared", image.shared != nullptr}});
    }
    return all;
}

Json terms_json(const model::Terms& terms) {
    return {{"compute", terms.compute}, {"idle", terms.idle},         {"memory", terms.memory},
            {"shared", terms.shared},   {"constant", terms.constant}, {"atomics", terms.atomics},
            {"barrier", terms.barrier}, {"launch", terms.launch},     {"to_device", terms.to_device},
            {"to_host", terms.to_host}, {"overlap", terms.overlap},   {"total", terms.total}};
}

// What running one option gave.
struct Measured {
    std::optional<double> first_ms;  // with plans, compilation and uploads of images that stay
    std::optional<double> median_ms, least_ms;
    std::string failure;
};

using Measurements = std::map<std::pair<const Device*, std::uint32_t>, Measured>;

template <class Body>
void for_options(const Ranking& ranking, const Body& body) {
    for (const Group& group : ranking.groups)
        for (const Option& option : group.options) body(option);
}

// Measured runs follow each other; otherwise the call that comes is meant.
Json option_json(vdt_op op, const Option& option, bool corrects, const Measured* measured) {
    const double correction = corrects ? option.model->correction(op, option.slot, option.size_class) : 1;
    const bool rested = measured == nullptr && option.device->rested(std::chrono::steady_clock::now());
    const model::Terms& terms = rested ? option.rested : option.terms;
    const double predicted = terms.total * correction;
    Json counts = Json::array();
    for (const auto& [flag, name] : {std::pair{VDT_COST_EXACT, "exact"},
                                     {VDT_COST_UPPER_BOUND, "upper bound"},
                                     {VDT_COST_ESTIMATE, "estimate"},
                                     {VDT_COST_DATA_DEPENDENT, "data-dependent"}})
        if ((option.flags & static_cast<std::uint32_t>(flag)) != 0) counts.push_back(name);
    Json json = {{"backend", option.device->backend()},  {"device_index", option.device->index()},
                 {"device", option.device->name()},      {"variant", option.variant_name},
                 {"parameters", option.model->source()}, {"counts", std::move(counts)},
                 {"efficiency", option.efficiency},      {"correction", correction},
                 {"terms_ms", terms_json(terms)},        {"predicted_ms", predicted}};
    if (measured == nullptr) return json;
    json["first_ms"] = measured->first_ms ? Json(*measured->first_ms) : Json(nullptr);
    json["measured_ms"] = measured->median_ms ? Json(*measured->median_ms) : Json(nullptr);
    json["least_ms"] = measured->least_ms ? Json(*measured->least_ms) : Json(nullptr);
    json["error"] = measured->median_ms && *measured->median_ms > 0
                        ? Json((predicted - *measured->median_ms) / *measured->median_ms)
                        : Json(nullptr);
    if (!measured->failure.empty()) json["failure"] = measured->failure;
    return json;
}

// A choice that leaves nothing but one option.
Choice only(const Ranking& ranking, const Option& option) {
    auto alone = std::make_shared<Ranking>();
    alone->op = ranking.op;
    alone->selection.forced = true;
    alone->groups.push_back({{option}, {}, {}});
    Choice choice;
    choice.ranking = std::move(alone);
    choice.record = std::make_shared<Record>(1);
    choice.count = 1;
    choice.predicted_ms[0] = choice.uncorrected_ms[0] = option.terms.total;
    return choice;
}

// Microseconds that deciding takes for a call like earlier ones.
double decision_time(Chooser& chooser, const Operation& operation, const std::string& backend) {
    constexpr int decisions = 200;
    static_cast<void>(chooser.choose(operation, backend));
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < decisions; ++i) static_cast<void>(chooser.choose(operation, backend));
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / decisions;
}

std::optional<double> run_once(Context& context, const Operation& operation, const Choice& choice, CallLimit* limit,
                               std::string& failure) {
    RunReport report;
    try {
        run_choice(context, operation, choice, limit, report);
        return report.measured_ms;
    } catch (const Failure& failed) {
        if (VDT_IS_CALLER_FAULT(failed.code()) || failed.code() == VDT_E_CANCELLED || failed.code() == VDT_E_TIMEOUT)
            throw;
        failure = failed.text();
        return std::nullopt;
    }
}

}  // namespace

struct Explainer::Document {
    Json calls = Json::array();
    std::size_t left_out = 0;
};

Explainer::Explainer(Context& context) : context_(context) {}

Explainer::~Explainer() = default;

void Explainer::start(bool measure) {
    const std::lock_guard lock(mutex_);
    if (on_) throw Failure(VDT_E_STATE, "Calls are being explained already: call vdt_explain_stop first.");
    document_ = std::make_unique<Document>();
    measure_ = measure;
    on_ = true;
}

std::string Explainer::stop() {
    const std::lock_guard lock(mutex_);
    if (!on_) throw Failure(VDT_E_STATE, "Calls are not being explained: call vdt_explain_start first.");
    on_ = false;
    Json json = {{"measured", measure_}, {"calls", std::move(document_->calls)}, {"left_out", document_->left_out}};
    document_.reset();
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

vdt_code Explainer::run(const Operation& operation, const std::string& backend, CallLimit* limit, RunReport& report) {
    bool measure = false;
    {
        const std::lock_guard lock(mutex_);
        measure = measure_;
    }
    Chooser& chooser = context_.chooser();
    Choice choice;
    choice.ranking = chooser.rank(operation, backend, true);
    Measurements measured;
    if (measure) {
        // Once each before anything is timed: afterwards plans are made and images kept, as in any later call, and the
        // predictions are asked again for that state.
        for_options(*choice.ranking, [&](const Option& option) {
            Measured& one = measured[{option.device.get(), option.variant}];
            one.first_ms = run_once(context_, operation, only(*choice.ranking, option), limit, one.failure);
        });
        choice.ranking = chooser.rank(operation, backend, true);
        for_options(*choice.ranking, [&](const Option& option) {
            Measured& one = measured[{option.device.get(), option.variant}];
            const Choice alone = only(*choice.ranking, option);
            std::vector<double> times;
            const int runs = one.first_ms.value_or(0) > long_run_ms ? 1 : timed_runs;
            for (int run = 0; run < runs && one.failure.empty(); ++run)
                if (const auto time = run_once(context_, operation, alone, limit, one.failure)) times.push_back(*time);
            std::sort(times.begin(), times.end());
            if (times.empty()) return;
            one.median_ms = times[times.size() / 2];
            one.least_ms = times.front();
        });
    }
    const std::vector<Group>& groups = choice.ranking->groups;
    choice.record = std::make_shared<Record>(groups.empty() ? 0 : groups.front().options.size());
    chooser.decide(choice);

    Json entry = {{"operation", operation_name(operation.op)},
                  {"inputs", images_json(operation.inputs)},
                  {"outputs", images_json(operation.outputs)}};
    Json candidates = Json::array();
    for_options(*choice.ranking, [&](const Option& option) {
        candidates.push_back(option_json(operation.op, option, context_.models().corrects(),
                                         measure ? &measured[{option.device.get(), option.variant}] : nullptr));
    });
    Json excluded = Json::array();
    for (const Excluded& one : choice.ranking->excluded)
        excluded.push_back({{"device", one.device}, {"reason", one.reason}});
    for (const Group& group : groups)
        for (const Candidate& candidate : group.candidates) {
            Refusal refusal;
            if (context_.registry().devices(candidate.backend, &refusal).empty())
                excluded.push_back({{"device", candidate.backend}, {"reason", refusal.reason}});
        }
    for (const std::string& note : choice.ranking->selection.notes)
        excluded.push_back({{"device", ""}, {"reason", note}});

    entry["decision_us"] = decision_time(chooser, operation, backend);
    const vdt_code code = run_choice(context_, operation, choice, limit, report);
    entry["chosen"] = {{"backend", report.backend},
                       {"device_index", report.device_index},
                       {"device", report.device},
                       {"variant", report.variant},
                       {"predicted_ms", report.predicted_ms < 0 ? Json(nullptr) : Json(report.predicted_ms)},
                       {"measured_ms", report.measured_ms}};
    entry["reason"] = report.choice;
    entry["candidates"] = std::move(candidates);
    entry["excluded"] = std::move(excluded);
    const std::lock_guard lock(mutex_);
    if (document_ == nullptr) return code;  // stopped meanwhile
    if (document_->calls.size() < most_calls)
        document_->calls.push_back(std::move(entry));
    else
        ++document_->left_out;
    return code;
}

}  // namespace vedette::host
