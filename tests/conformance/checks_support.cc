// What the plugin says it can do, and what it refuses.
#include "checks.h"
#include "run_case.h"

#include <cmath>
#include <cstring>
#include <set>

namespace vedette::conformance {

std::string check_support(const Arguments& arguments, std::uint32_t) {
    Session session(arguments);
    std::string names;
    for (vdt_op op = 1; op < VDT_OP_COUNT; ++op) {
        vdt_op_support support;
        if (!is_supported(session, op, support)) continue;
        const std::string name = operation_name(op);
        const bool images = op != VDT_OP_GROUP;
        demand(!images || support.input_formats != 0, name + " is offered for no input format");
        demand(!images || support.memory_mask != 0, name + " is offered for no kind of memory");
        vdt_query query{};
        query.struct_size = sizeof query;
        query.op = op;
        std::set<std::string> variants;
        for (query.variant = 0; query.variant < support.variant_count; ++query.variant) {
            vdt_variant_info info;
            std::memset(&info, 0x5A, sizeof info);
            info.struct_size = sizeof info;
            const Answer answer = call("op_variant", session.table().op_variant, session.device(),
                                       static_cast<const vdt_query*>(&query), &info);
            demand(answer.ok(), "op_variant of " + name + " answers " + describe(answer));
            demand(std::memchr(info.name, 0, sizeof info.name) != nullptr && *info.name != '\0',
                   "op_variant of " + name + " gives no proper name");
            demand(variants.insert(info.name).second, "two variants of " + name + " are called " + info.name);
            demand(info.flags == 0, "the flags of a variant of " + name + " are not 0");
        }
        vdt_variant_info info{};
        info.struct_size = sizeof info;
        query.variant = support.variant_count;
        demand(VDT_IS_ERROR(call("op_variant", session.table().op_variant, session.device(),
                                 static_cast<const vdt_query*>(&query), &info)
                                .code),
               "op_variant of " + name + " names a variant beyond the last");
        names += (names.empty() ? "" : ", ") + name;
    }
    demand(!names.empty(), "no operation is supported");
    return names;
}

std::string check_refusals(const Arguments& arguments, std::uint32_t) {
    Session session(arguments);
    std::uint32_t refused = 0;
    const auto demand_refusal = [&](Case& of, const std::string& what) {
        Request request(of);
        vdt_op_support support;
        Answer refusal, answer;
        demand(!is_supported(session, request.query(), support, refusal), what + ": op_support says yes");
        const std::unique_ptr<Plan> plan = make_plan(session, request.query(), answer);
        demand(plan == nullptr, what + ": plan_create makes a plan");
        demand(VDT_IS_UNSUPPORTED(answer.code),
               what + ": plan_create answers " + describe(answer) + ", not a code of -2xx");
        ++refused;
    };
    for (vdt_op op = 1; op < VDT_OP_COUNT; ++op) {
        vdt_op_support support;
        const bool offered = is_supported(session, op, support);
        const std::string name = operation_name(op);
        if (!offered) {
            std::vector<Case> cases = make_cases(op, ~std::uint64_t{0}, ~std::uint64_t{0}, Shape{});
            if (!cases.empty()) demand_refusal(cases.front(), name + " (not advertised)");
            continue;
        }
        for (const vdt_format format : formats_in(~support.input_formats))
            for (Case& of : make_cases(op, VDT_FORMAT_BIT(format), support.output_formats, Shape{}))
                if (!of.inputs.empty() && of.inputs[0].view().format == format)
                    demand_refusal(of, name + " of " + format_name(format) + " (not advertised)");
        for (const vdt_format format : formats_in(~support.output_formats))
            for (Case& of : make_cases(op, support.input_formats, VDT_FORMAT_BIT(format), Shape{}))
                if (!of.outputs.empty() && of.outputs[0].view().format == format)
                    demand_refusal(of, name + " to " + format_name(format) + " (not advertised)");
    }
    for (const vdt_op op : {0u, static_cast<vdt_op>(VDT_OP_COUNT), 77u, 0xFFFFFFFFu}) {
        Case of = any_case(session);
        of.op = op;
        demand_refusal(of, "operation " + std::to_string(op) + " (does not exist)");
    }
    return std::to_string(refused) + " questions";
}

std::string check_links(const Arguments& arguments, std::uint32_t) {
    Session session(arguments);
    Case of = any_case(session);
    Request request(of);
    vdt_link link{0x00ABCDEF, sizeof(vdt_link), nullptr};
    request.query_record().next = &link;
    Answer answer;
    std::unique_ptr<Plan> plan = make_plan(session, request.query(), answer);
    demand(plan != nullptr, "an unknown block that may be skipped makes plan_create answer " + describe(answer));
    plan.reset();
    link.kind |= VDT_LINK_MUST_UNDERSTAND;
    plan = make_plan(session, request.query(), answer);
    demand(plan == nullptr && VDT_IS_UNSUPPORTED(answer.code),
           "an unknown block that must be understood makes plan_create answer " + describe(answer) +
               ", not a code of -2xx");
    request.query_record().next = nullptr;
    plan = make_plan(session, request.query(), answer);
    demand(plan != nullptr, "plan_create answers " + describe(answer));
    request.call_record().next = &link;
    answer = run_plan(session, *plan, request.call());
    demand(VDT_IS_UNSUPPORTED(answer.code), "an unknown block that must be understood makes plan_run answer " +
                                                describe(answer) + ", not a code of -2xx");
    return "";
}

}  // namespace vedette::conformance
