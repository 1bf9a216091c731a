// The entries of the plugin's table that ask about operations and run them. Contracts: vdt_plugin.
#pragma once

#include "op.h"

namespace vedette::opencv {

// Behind vdt_device there is a Device.
inline Device* device_of(vdt_device* device) noexcept {
    return reinterpret_cast<Device*>(device);
}

vdt_code op_support(vdt_device* device, const vdt_query* query, vdt_op_support* support, vdt_error* error) noexcept;
vdt_code op_variant(vdt_device* device, const vdt_query* query, vdt_variant_info* info, vdt_error* error) noexcept;
vdt_code plan_create(vdt_device* device, const vdt_query* query, vdt_plan** plan, vdt_error* error) noexcept;
vdt_code plan_run(vdt_plan* plan, const vdt_call* call, vdt_error* error) noexcept;
void plan_destroy(vdt_plan* plan) noexcept;

}  // namespace vedette::opencv
