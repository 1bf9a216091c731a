// What a plugin may leave out: costs, measuring, residents, streams.
#include "checks.h"
#include "run_case.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

namespace vedette::conformance {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::uint32_t stage_room = 64;

struct Costs {
    vdt_cost cost{};
    vdt_cost_stage stages[stage_room + 1];

    explicit Costs(std::uint32_t capacity) {
        std::memset(stages, 0x5A, sizeof stages);
        cost.struct_size = sizeof cost;
        cost.stage_capacity = capacity;
        cost.stage_size = sizeof stages[0];
        cost.stages = stages;
    }
    bool untouched(std::uint32_t stage) const {
        const auto* bytes = reinterpret_cast<const unsigned char*>(&stages[stage]);
        for (std::size_t i = 0; i < sizeof stages[0]; ++i)
            if (bytes[i] != 0x5A) return false;
        return true;
    }
};

void demand_count(double value, const std::string& what) {
    demand(std::isfinite(value) && value >= 0, what + " is not a finite number of at least 0");
}

}  // namespace

std::string check_cost(const Arguments& arguments, std::uint32_t) {
    Session session(arguments);
    const vdt_plugin& table = session.table();
    if (table.op_cost == nullptr) throw NothingToCheck("the plugin gives no costs");
    vdt_device_info info{};
    info.struct_size = sizeof info;
    demand(call("device_info", table.device_info, session.self(), arguments.device, &info).ok(), "no device_info");
    const bool says_none = (info.flags & VDT_DEVICE_NO_COSTS) != 0;
    std::uint32_t given = 0;
    vdt_op_support support;
    for (vdt_op op = 1; op < VDT_OP_COUNT; ++op) {
        if (!is_supported(session, op, support)) continue;
        for (Case& of : make_cases(op, support.input_formats, support.output_formats, Shape{})) {
            Request request(of);
            vdt_op_support specific;
            Answer answer;
            if (!is_supported(session, request.query(), specific, answer)) continue;
            for (std::uint32_t variant = 0; variant < specific.variant_count; ++variant) {
                const std::string name = operation_name(op) + ", " + of.name + ": ";
                Costs first(stage_room), second(stage_room), none(0);
                const std::uint64_t allocations = session.host().allocations();
                const auto start = std::chrono::steady_clock::now();
                answer = call("op_cost", table.op_cost, session.device(), request.query(variant), &first.cost);
                const Seconds took = std::chrono::steady_clock::now() - start;
                if (VDT_IS_UNSUPPORTED(answer.code)) continue;
                demand(!says_none, name + "the device is said to give no costs, and does");
                demand(answer.ok(), name + "op_cost answers " + describe(answer));
                demand(session.host().allocations() == allocations, name + "op_cost takes memory from the host");
                const vdt_cost& cost = first.cost;
                demand(cost.stage_count >= 1 && cost.stage_count <= stage_room,
                       name + "the number of stages is not sensible");
                const std::uint32_t kinds = VDT_COST_EXACT | VDT_COST_UPPER_BOUND | VDT_COST_ESTIMATE;
                demand((cost.flags & kinds) != 0,
                       name + "the costs do not say whether they are exact, a bound or an estimate");
                demand_count(cost.bytes_to_device, name + "bytes_to_device");
                demand_count(cost.bytes_to_host, name + "bytes_to_host");
                double work = 0;
                for (std::uint32_t s = 0; s < cost.stage_count; ++s) {
                    const vdt_cost_stage& stage = first.stages[s];
                    for (const double value :
                         {stage.work, stage.span, stage.width, stage.divergence, stage.global_refs, stage.global_bytes,
                          stage.shared_refs, stage.constant_refs, stage.atomic_refs})
                        demand_count(value, name + "a count of stage " + std::to_string(s));
                    demand(stage.divergence >= 1, name + "the divergence of a stage is below 1");
                    work += stage.work + stage.global_bytes;
                }
                demand(work > 0, name + "there is no work and no traffic in any stage");
                demand(first.untouched(cost.stage_count), name + "more stages are written than counted");
                const auto again = std::chrono::steady_clock::now();
                answer = call("op_cost", table.op_cost, session.device(), request.query(variant), &second.cost);
                // The faster of both: a busy system may hold up one of them.
                const Seconds least = std::min(took, Seconds(std::chrono::steady_clock::now() - again));
                demand(least.count() < 0.05, name + "op_cost took " + std::to_string(least.count()) + " s");
                first.cost.stages = second.cost.stages = nullptr;
                demand(
                    answer.ok() && std::memcmp(&first.cost, &second.cost, sizeof(vdt_cost)) == 0 &&
                        std::memcmp(first.stages, second.stages, sizeof(vdt_cost_stage) * first.cost.stage_count) == 0,
                    name + "the same question gives other costs the second time");
                answer = call("op_cost", table.op_cost, session.device(), request.query(variant), &none.cost);
                demand(answer.ok() || answer.code == VDT_INCOMPLETE,
                       name + "without room for stages op_cost answers " + describe(answer));
                demand(none.untouched(0), name + "op_cost writes stages where there is no room");
                demand(none.cost.stage_count == first.cost.stage_count,
                       name + "without room the number of stages is another");
                ++given;
            }
            break;
        }
    }
    session.close();
    if (given == 0) throw NothingToCheck("no operation has costs");
    return std::to_string(given) + " variants";
}

std::string check_probe(const Arguments& arguments, std::uint32_t) {
    Session session(arguments);
    const vdt_plugin& table = session.table();
    if (table.probe == nullptr) throw NothingToCheck("the plugin measures nothing");
    constexpr std::uint32_t count = VDT_PARAM_OPEN_TIME;
    constexpr double budget = 2;
    constexpr int most_tries = 3;  // a busy system may hold up one of them by any time
    vdt_param params[count]{};
    double took = 0;
    for (int tries = 0; tries == 0 || (tries < most_tries && took >= budget + 0.5); ++tries) {
        for (std::uint32_t i = 0; i < count; ++i) params[i].id = i + 1;
        vdt_probe probe{};
        probe.struct_size = sizeof probe;
        probe.param_count = count;
        probe.param_size = sizeof params[0];
        probe.budget_seconds = budget;
        probe.params = params;
        const auto start = std::chrono::steady_clock::now();
        const Answer answer = call("probe", table.probe, session.device(), &probe);
        took = Seconds(std::chrono::steady_clock::now() - start).count();
        demand(answer.ok(), "probe answers " + describe(answer));
    }
    demand(took < budget + 0.5, "probe took " + std::to_string(took) + " s of the 2 s it was given, three times");
    std::uint32_t told = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        demand(params[i].id == i + 1, "probe changed the number of a parameter");
        demand(params[i].source <= VDT_SOURCE_MEASURED, "probe names an unknown source");
        if (params[i].source == VDT_SOURCE_DEFAULT) continue;
        demand(std::isfinite(params[i].value) && params[i].value > 0 && std::isfinite(params[i].spread) &&
                   params[i].spread >= 0,
               "parameter " + std::to_string(i + 1) + " has no sensible value");
        ++told;
    }
    session.close();
    return std::to_string(told) + " of " + std::to_string(count) + " parameters";
}

std::string check_residents(const Arguments& arguments, std::uint32_t) {
    Session session(arguments);
    const vdt_plugin& table = session.table();
    if (table.resident_create == nullptr) throw NothingToCheck("the plugin keeps no images");
    std::uint32_t ran = 0;
    vdt_op_support support;
    for (const vdt_op op : {VDT_OP_TEMPLATE_FIND, VDT_OP_TEMPLATE_MAP, VDT_OP_CONVERT, VDT_OP_INTEGRAL}) {
        if (!is_supported(session, op, support)) continue;
        for (Case& of : make_cases(op, support.input_formats, support.output_formats, Shape{})) {
            vdt_image& image = of.inputs[0].view();
            if (image.format != VDT_FORMAT_GRAY8 && image.format != VDT_FORMAT_BGR8) continue;
            vdt_resident* resident = nullptr;
            const Answer answer = call("resident_create", table.resident_create, session.device(),
                                       static_cast<const vdt_image*>(&image), &resident);
            demand(answer.ok() && resident != nullptr,
                   "resident_create of " + format_name(image.format) + " answers " + describe(answer));
            image.resident = resident;
            // Twice: what the first run computed late is there in the second.
            for (int again = 0; again < 2; ++again)
                if (run_case(session, of) != Outcome::refused) ++ran;
            image.resident = nullptr;
            table.resident_destroy(resident);
        }
    }
    session.close();
    if (ran == 0) throw NothingToCheck("nothing runs with a resident");
    return std::to_string(ran) + " runs";
}

std::string check_streams(const Arguments& arguments, std::uint32_t) {
    Session session(arguments);
    const vdt_streams* streams = session.table().streams;
    if (streams == nullptr) throw NothingToCheck("the plugin has no streams");
    vdt_stream* stream = nullptr;
    vdt_event* event = nullptr;
    const auto demand_ok = [](const Answer& answer, const char* slot) {
        demand(answer.ok(), std::string(slot) + " answers " + describe(answer));
    };
    demand_ok(call("stream_create", streams->stream_create, session.device(), &stream), "stream_create");
    demand_ok(call("event_create", streams->event_create, session.device(), &event), "event_create");
    Case of = any_case(session);
    Request request(of);
    Answer answer;
    {
        const std::unique_ptr<Plan> plan = make_plan(session, request.query(), answer);
        demand(plan != nullptr, "plan_create answers " + describe(answer));
        request.call_record().stream = stream;
        request.call_record().done = event;
        demand_ok(run_plan(session, *plan, request.call()), "plan_run on a stream");
        demand_ok(call("event_wait_host", streams->event_wait_host, event), "event_wait_host");
        demand_ok(call("event_query", streams->event_query, event), "event_query after waiting");
        demand_ok(call("stream_sync", streams->stream_sync, stream), "stream_sync");
        vdt_op_support support;
        (void)is_supported(session, request.query(), support, answer);
        examine(of, support);
    }
    streams->event_destroy(event);
    streams->stream_destroy(stream);
    streams->event_destroy(nullptr);
    streams->stream_destroy(nullptr);
    session.close();
    return "";
}

}  // namespace vedette::conformance
