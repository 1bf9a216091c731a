#include "run_case.h"

#include <cmath>

namespace vedette::conformance {

bool is_supported(Session& session, const vdt_query* query, vdt_op_support& support, Answer& refusal) {
    support = vdt_op_support{};
    support.struct_size = sizeof support;
    refusal = call("op_support", session.table().op_support, session.device(), query, &support);
    if (!refusal.ok()) {
        demand(VDT_IS_UNSUPPORTED(refusal.code) || VDT_IS_CALLER_FAULT(refusal.code),
               "op_support answered a proper question with " + describe(refusal));
        support = vdt_op_support{};
        return false;
    }
    if (support.level == VDT_SUPPORT_NO) return false;
    demand(support.level == VDT_SUPPORT_YES || support.level == VDT_SUPPORT_SLOW,
           "op_support gives the unknown level " + std::to_string(support.level));
    demand(support.variant_count >= 1, "op_support promises an operation without any variant");
    demand(std::isfinite(support.tolerance) && support.tolerance >= 0,
           "op_support gives a tolerance that is no number");
    demand(support.determinism == VDT_DETERMINISM_EXACT || support.determinism == VDT_DETERMINISM_TOLERANCE,
           "op_support gives an unknown determinism");
    demand(support.determinism != VDT_DETERMINISM_EXACT || support.tolerance == 0,
           "op_support promises exact values and a tolerance at the same time");
    demand((support.input_formats | support.output_formats) < VDT_FORMAT_BIT(VDT_FORMAT_COUNT),
           "op_support's format masks name formats that do not exist");
    return true;
}

bool is_supported(Session& session, vdt_op op, vdt_op_support& support) {
    vdt_query query{};
    query.struct_size = sizeof query;
    query.op = op;
    Answer refusal;
    return is_supported(session, &query, support, refusal);
}

std::unique_ptr<Plan> make_plan(Session& session, const vdt_query* query, Answer& answer) {
    vdt_plan* plan = nullptr;
    answer = call("plan_create", session.table().plan_create, session.device(), query, &plan);
    if (answer.code < 0) {
        demand(plan == nullptr, "plan_create failed but left a plan");
        return nullptr;
    }
    demand(answer.ok(), "plan_create answered " + describe(answer));
    demand(plan != nullptr, "plan_create returned VDT_OK without a plan");
    return std::make_unique<Plan>(session.table(), plan);
}

Answer run_plan(Session& session, Plan& plan, const vdt_call* what) {
    return call("plan_run", session.table().plan_run, plan.get(), what);
}

namespace {

void examine_list(const TestList& list) {
    const vdt_list& view = list.view();
    demand(!list.written_behind(), "it wrote behind the end of a list");
    demand(view.count <= view.capacity, "a list's count is above its capacity");
    demand(view.needed >= view.count, "a list's `needed` is below its count");
}

}  // namespace

void examine(const Case& of, const vdt_op_support& support) {
    try {
        for (const TestImage& output : of.outputs) {
            const std::string change = output.change_outside_pixels();
            demand(change.empty(), change);
        }
        for (const TestImage& input : of.inputs) {
            const std::string change = input.change();
            demand(change.empty(), change);
        }
        for (const TestList& list : of.lists_out) examine_list(list);
        if (of.sanity) of.sanity(of);
        if (of.verify) of.verify(of, support);
    } catch (const Broken& broken) {
        throw Broken(of.name + ": " + broken.what());
    }
}

Outcome run_case(Session& session, Case& of) {
    Request request(of);
    vdt_op_support support;
    Answer refusal, answer;
    if (!is_supported(session, request.query(), support, refusal)) {
        const std::unique_ptr<Plan> plan = make_plan(session, request.query(), answer);
        demand(plan == nullptr, of.name + ": op_support says no, but plan_create makes a plan");
        demand(VDT_IS_UNSUPPORTED(answer.code) || VDT_IS_CALLER_FAULT(answer.code),
               of.name + ": op_support says no, but plan_create answers " + describe(answer));
        return Outcome::refused;
    }
    for (std::uint32_t variant = 0; variant < support.variant_count; ++variant) {
        const std::string name = of.name + ", variant " + std::to_string(variant);
        const std::unique_ptr<Plan> plan = make_plan(session, request.query(variant), answer);
        demand(plan != nullptr, name + ": op_support says yes, but plan_create answers " + describe(answer));
        for (TestList& list : of.lists_out) list.view().count = list.view().needed = 0;
        answer = run_plan(session, *plan, request.call());
        demand(answer.ok(), name + ": plan_run answers " + describe(answer));
        examine(of, support);
    }
    session.host().demand_no_fault();
    return of.verify ? Outcome::ran : Outcome::ran_without_reference;
}

Case heaviest_case(Session& session, std::uint32_t width, std::uint32_t height) {
    vdt_op_support support;
    if (is_supported(session, VDT_OP_TEMPLATE_FIND, support)) {
        Case made = heavy_find(width, height, 1000, std::uint64_t{width} * height);
        Request request(made);
        Answer refusal;
        vdt_op_support specific;
        if (is_supported(session, request.query(), specific, refusal)) return made;
    }
    for (const vdt_op op :
         {VDT_OP_TEMPLATE_MAP, VDT_OP_FILTER, VDT_OP_CONVERT, VDT_OP_RESIZE, VDT_OP_INTEGRAL, VDT_OP_PYRAMID}) {
        if (!is_supported(session, op, support)) continue;
        // One format of each side will do; the case must not depend on the pair being offered.
        for (const vdt_format in : formats_in(support.input_formats))
            for (Case& made :
                 make_cases(op, VDT_FORMAT_BIT(in), support.output_formats, {width, height, Layout::packed})) {
                Request request(made);
                Answer refusal;
                vdt_op_support specific;
                if (is_supported(session, request.query(), specific, refusal)) return std::move(made);
            }
    }
    throw NothingToCheck("no operation here runs long enough");
}

Case any_case(Session& session) {
    vdt_op_support support;
    for (vdt_op op = 1; op < VDT_OP_COUNT; ++op) {
        if (!is_supported(session, op, support)) continue;
        // Pair by pair, since most of the time the first will do and all of them take long to paint.
        std::vector<std::uint64_t> outputs{0};
        for (const vdt_format out : formats_in(support.output_formats)) outputs.push_back(VDT_FORMAT_BIT(out));
        for (const vdt_format in : formats_in(support.input_formats))
            for (const std::uint64_t out : outputs)
                for (Case& made : make_cases(op, VDT_FORMAT_BIT(in), out, Shape{})) {
                    Request request(made);
                    Answer refusal;
                    vdt_op_support specific;
                    if (is_supported(session, request.query(), specific, refusal)) return std::move(made);
                }
    }
    throw NothingToCheck("no operation that takes images is supported");
}

}  // namespace vedette::conformance
