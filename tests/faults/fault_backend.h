// A plain, correct backend for template_find, and the ways in which it can be made to misbehave. One of them is chosen
// when a plugin is linked: fault_plugin.cc, compiled once for each, defines `fault`.
#pragma once

#include <vedette/plugin/cpp/table.hpp>

#include <cstdint>
#include <vector>

namespace vedette::fault {

enum class Fault {
    none,
    // loading
    no_symbol,      // exports nothing
    crash_on_load,  // in a static constructor
    crash_in_entry,
    hang_in_entry,
    null_table,       // NULL, without a reason
    foreign_version,  // speaks ABI 1.7 and later only
    small_table,      // struct_size of a table that is too short
    null_slot,        // plan_run is missing
    wrong_id,         // another name than the manifest's, and no proper one
    throw_in_create,  // lets an exception out
    crash_in_create,
    hang_in_create,
    fail_in_create,  // -500
    no_device,       // and says why; no fault, but nothing to use
    same_uid,        // two devices with one uid
    fail_to_open,    // device_open: -401
    any_option,      // accepts options that it does not know
    // running
    throw_in_run,   // lets an exception out
    guarded_throw,  // throws inside the guard
    crash_in_run,
    hang_in_run,  // without looking at the token
    refuse_plan,  // op_support promises, plan_create refuses
    refuse_run,   // plan_run refuses
    device_lost,
    out_of_memory,
    unknown_code,     // plan_run returns a code of no range
    count_too_large,  // a list's count above its capacity
    not_a_number,     // a score that is NaN
    below_threshold,  // an item whose score is below the threshold
    outside,          // an item outside the scene
    // only a conformance program can see these
    wrong_score,      // the last digit
    write_behind,     // one item too many
    wrong_needed,     // `needed` = count
    flicker,          // two runs differ in a reserved field
    accept_anything,  // formats that are not advertised
    trust_sizes,      // reads what the image says, checks nothing
    trust_pointers,   // no check for NULL
    ignore_token,
    print,  // to standard output
    leak_memory,
    leak_host_memory,
    leak_thread,
    leak_file,
    bad_costs  // NaN
};

extern const Fault fault;

inline vdt_code refuse(vdt_code code, const char* text) {
    throw plugin::Failure(code, text);
}

// What a plan was made for; a call must have the same shapes.
struct Shapes {
    std::uint32_t pattern_count = 0;
    std::vector<vdt_image> images;
};

// Throws plugin::Failure. With `pixels`, planes must lie inside their buffers.
void check_inputs(const vdt_image* const* inputs, std::uint32_t count, const vdt_template_find_params* params,
                  bool pixels);

// Searches everything, with exact sums. VDT_OK, VDT_INCOMPLETE, or what stopped it.
vdt_code find(const vdt_host& host, const vdt_call& call, const vdt_template_find_params& params);

}  // namespace vedette::fault

// The objects that plugin.h leaves opaque.
struct vdt_self {
    const vdt_host* host;
};
struct vdt_device {
    const vdt_host* host;
};
struct vdt_plan {
    const vdt_host* host;
    vedette::fault::Shapes shapes;
    std::uint32_t runs;
};
