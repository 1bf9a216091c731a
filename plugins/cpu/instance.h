// What stands behind the opaque handles of the ABI, and the entries that plugin.cc puts into the table.
#pragma once

#include "op.h"

namespace vedette::cpu {

// Behind vdt_self. The backend keeps no threads and no other state: all work runs on the host's pool, so nothing here
// is lost in a forked child either (the host's pool answers for itself).
struct Instance {
    const vdt_host* host = nullptr;
    Isa isa = Isa::portable;
};

inline Instance* instance_of(vdt_self* self) noexcept {
    return reinterpret_cast<Instance*>(self);
}
// Behind vdt_device there is a Device.
inline Device* device_of(vdt_device* device) noexcept {
    return reinterpret_cast<Device*>(device);
}

// operations.cc; contracts: vdt_plugin.
vdt_code op_support(vdt_device* device, const vdt_query* query, vdt_op_support* support, vdt_error* error) noexcept;
vdt_code op_variant(vdt_device* device, const vdt_query* query, vdt_variant_info* info, vdt_error* error) noexcept;
vdt_code op_cost(vdt_device* device, const vdt_query* query, vdt_cost* cost, vdt_error* error) noexcept;
vdt_code plan_create(vdt_device* device, const vdt_query* query, vdt_plan** plan, vdt_error* error) noexcept;
vdt_code plan_run(vdt_plan* plan, const vdt_call* call, vdt_error* error) noexcept;
void plan_destroy(vdt_plan* plan) noexcept;
vdt_code resident_create(vdt_device* device, const vdt_image* image, vdt_resident** resident,
                         vdt_error* error) noexcept;
void resident_destroy(vdt_resident* resident) noexcept;

}  // namespace vedette::cpu
