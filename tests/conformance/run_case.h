// Taking a case through the plugin.
#pragma once

#include "cases.h"
#include "subject.h"

namespace vedette::conformance {

// A question to op_support: a code of -2xx and level 0 both mean no. Broken on any other failure or on an answer that
// contradicts itself. `support` is all zero when the answer is no.
bool is_supported(Session& session, const vdt_query* query, vdt_op_support& support, Answer& refusal);
// The general question, without images.
bool is_supported(Session& session, vdt_op op, vdt_op_support& support);

// plan_create. `answer` says what came of it; the plan is only there when it was VDT_OK.
std::unique_ptr<Plan> make_plan(Session& session, const vdt_query* query, Answer& answer);
Answer run_plan(Session& session, Plan& plan, const vdt_call* call);

// Looks at what a finished run left behind: guards, inputs, lists, sanity, reference. Broken with the case's name.
void examine(const Case& of, const vdt_op_support& support);

enum class Outcome { refused, ran, ran_without_reference };
// Asks, plans and runs every variant, and examines the results. What was promised must be what is done; what was
// refused by op_support must be refused by plan_create with a code of -2xx (or -1xx: the query is wrong everywhere).
Outcome run_case(Session& session, Case& of);

// The supported operation that does most work, as a case of that size; throws NothingToCheck when there is none.
Case heaviest_case(Session& session, std::uint32_t width, std::uint32_t height);
// Any small case that runs. Throws NothingToCheck when there is none.
Case any_case(Session& session);

}  // namespace vedette::conformance
