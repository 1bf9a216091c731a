// vdt_explain_start and vdt_explain_stop.
#include "api_guard.h"
#include "context.h"

using namespace vedette::host;

vdt_code vdt_explain_start(vdt_context* context, uint32_t flags, vdt_error* error) noexcept {
    return api_guard(error, [&] {
        Context& inside = context_of(context);
        if ((flags & ~std::uint32_t{VDT_EXPLAIN_MEASURE}) != 0)
            throw Failure(VDT_E_ARGUMENT, "`flags` holds bits that are none of VDT_EXPLAIN_....");
        inside.explainer().start((flags & VDT_EXPLAIN_MEASURE) != 0);
    });
}

vdt_code vdt_explain_stop(vdt_context* context, const char** json, vdt_error* error) noexcept {
    return api_guard(error, [&] {
        Context& inside = context_of(context);
        if (json == nullptr) throw Failure(VDT_E_ARGUMENT, "`json` is NULL.");
        *json = inside.keep(inside.explainer().stop());
    });
}
