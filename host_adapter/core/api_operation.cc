// vdt_run_operation.
#include "api_guard.h"
#include "context.h"
#include "execution.h"
#include "image_check.h"
#include "struct_out.h"

namespace vedette::host {
namespace {

constexpr std::uint32_t most_images = 16384;  // far above what an operation takes; more is a count that was never set
constexpr std::uint32_t most_lists = 16;

template <class T>
void require_array(const T* array, std::uint32_t count, std::uint32_t most, const char* name) {
    if (count > most)
        throw Failure(VDT_E_ARGUMENT, "`" + std::string(name) + "` has " + std::to_string(count) +
                                          " entries; at most " + std::to_string(most) + " make sense.");
    if (count != 0 && array == nullptr) throw Failure(VDT_E_ARGUMENT, "`" + std::string(name) + "` is NULL.");
}

std::vector<OperationImage> read_images(const vdt_image* const* images, std::uint32_t count, const char* name) {
    require_array(images, count, most_images, name);
    std::vector<OperationImage> read;
    read.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string what = std::string(name) + "[" + std::to_string(i) + "]";
        if (images[i] == nullptr) throw Failure(VDT_E_ARGUMENT, "`" + what + "` is NULL.");
        if (images[i]->struct_size < sizeof(vdt_image))
            throw Failure(VDT_E_ARGUMENT, "`" + what + "` has no struct_size set.");
        read.push_back(OperationImage::of(*images[i]));
    }
    return read;
}

}  // namespace
}  // namespace vedette::host

using namespace vedette::host;

vdt_code vdt_run_operation(vdt_context* context, vdt_op op, const void* params, const vdt_image* const* inputs,
                           uint32_t input_count, const vdt_image* const* outputs, uint32_t output_count,
                           const vdt_list* const* lists_in, uint32_t list_in_count, vdt_list* const* lists_out,
                           uint32_t list_out_count, const char* backend, vdt_run_info* info,
                           vdt_error* error) noexcept {
    return api_guard(error, [&] {
        Context& inside = context_of(context);
        if (info != nullptr) require_out(info, "`info`");
        Operation operation;
        operation.op = op;
        operation.params = params;
        operation.inputs = read_images(inputs, input_count, "inputs");
        operation.outputs = read_images(outputs, output_count, "outputs");
        require_array(lists_in, list_in_count, most_lists, "lists_in");
        require_array(lists_out, list_out_count, most_lists, "lists_out");
        operation.lists_in.assign(lists_in, lists_in + list_in_count);
        operation.lists_out.assign(lists_out, lists_out + list_out_count);
        RunReport report;
        const vdt_code code = run_operation(inside, operation, backend == nullptr ? "" : backend, nullptr, report);
        if (info != nullptr) {
            vdt_run_info all{};
            all.device_index = report.device_index;
            all.backend = inside.keep(report.backend);
            all.device = inside.keep(report.device);
            all.variant = inside.keep(report.variant);
            all.choice = inside.keep(report.choice);
            all.predicted_ms = report.predicted_ms;
            all.measured_ms = report.measured_ms;
            copy_out(*info, all);
        }
        return code;
    });
}
