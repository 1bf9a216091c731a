// Help for plugins written in C++; not part of the ABI. What an operation of a backend gives to the entries of
// operation_entries.hpp. Holds no function of its own, so that kernel sources may include it.
#ifndef VEDETTE_PLUGIN_CPP_OPERATION_HPP
#define VEDETTE_PLUGIN_CPP_OPERATION_HPP

#include <memory>

#include "../plugin.h"

namespace vedette::plugin {

// One operation made ready for one shape of input. Before `run` the entries have checked that the call's images have
// the formats and sizes of the query, that their rows lie inside their buffers, that lists have room where they say so,
// that the parameters have their full size, and that nothing that is due is NULL; values are for the plan to check. One
// run at a time. With a stream `run` returns after queuing, and what the plan owns must stand that the next run is
// queued behind it.
class Plan {
public:
    virtual ~Plan() = default;
    // VDT_OK or VDT_INCOMPLETE; throws Failure.
    virtual vdt_code run(const vdt_call& call) = 0;
};

// One operation on devices of class Device. The three functions may throw Failure.
template <class Device>
struct Operation {
    vdt_op op;
    const char* const* variants;  // their names, static
    uint32_t variant_count;       // at least 1
    // Checks a query whose operands are there and sound (check_operands), and completes the answer, which is filled for
    // something exact that needs no scratch. Throws Failure with a -2xx code when this query cannot be done. Ignores
    // query.variant.
    void (*support)(const Device& device, const vdt_query& query, vdt_op_support& support);
    // NULL: no costs. Fills a cleared record; after `support` accepted the query.
    void (*cost)(const Device& device, const vdt_query& query, vdt_cost& cost);
    // After `support` accepted the query.
    std::unique_ptr<Plan> (*plan)(const Device& device, const vdt_query& query);
    // Masks of what inputs[0] and outputs[0] may be. When given, other formats are refused before `support`, and
    // general questions are answered with the masks. With both 0 `support` checks formats itself and answers general
    // questions too, those with query.input_count == 0 (for an operation without images: query.params == NULL).
    uint64_t input_formats = 0, output_formats = 0;
    // The name of query.variant for this query (static), where a variant is done by ways that use the device unlike:
    // predictions are fitted by name. NULL: the name in `variants`, which general questions are answered with always.
    // After `support` accepted the query; no two variants may get one name.
    const char* (*way)(const Device& device, const vdt_query& query) = nullptr;
};

}  // namespace vedette::plugin
#endif
