// What the host knows of each operation: name, shape of a call, which parameters a plan depends on.
#pragma once

#include "execution.h"

#include <vedette/plugin/ops.h>

#include <cstddef>
#include <optional>
#include <string>

namespace vedette::host {

// "template_find"; NULL for numbers that are no operation.
const char* operation_name(vdt_op op) noexcept;
std::optional<vdt_op> operation_of_name(const std::string& name);
// Bytes of the operation's parameter struct; 0 for numbers that are no operation.
std::size_t parameter_size(vdt_op op) noexcept;

// Checks an operation before any plugin sees it: parameters there and of a plausible size, arrays inside them, number
// of images and lists, lists' fields, every image that is no SharedImage (check_host_image). What values mean is left
// to the plugin. Failure VDT_E_ARGUMENT or VDT_E_SIZE.
void check_operation(const Operation& operation);

// The parameters that the operation does not call data, as bytes: two calls with the same bytes can share a plan. Only
// for operations that passed check_operation.
std::string plan_parameters(const Operation& operation);

// The image an OperationImage stands for, without anything a device keeps.
vdt_image plain_view(const OperationImage& image);

}  // namespace vedette::host
