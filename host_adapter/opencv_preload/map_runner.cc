#include "map_runner.h"

#include <cstring>

namespace vedette::compat {
namespace {

vdt_image view_of(vdt_format format, const void* data, std::ptrdiff_t step, int width, int height, std::size_t pixel) {
    vdt_image view{};
    view.struct_size = sizeof view;
    view.format = format;
    view.width = static_cast<std::uint32_t>(width);
    view.height = static_cast<std::uint32_t>(height);
    view.memory = VDT_MEMORY_HOST;
    view.plane_count = 1;
    view.plane[0].base = const_cast<void*>(data);
    view.plane[0].row_stride = step;
    view.plane[0].bytes = static_cast<std::uint64_t>(height - 1) * static_cast<std::uint64_t>(step) +
                          static_cast<std::uint64_t>(width) * pixel;
    return view;
}

vdt_image view_of(const Raster& raster) {
    if (raster.data == nullptr) {
        vdt_image none{};
        none.struct_size = sizeof none;
        none.format = VDT_FORMAT_NONE;
        return none;
    }
    return view_of(raster.channels == 3 ? VDT_FORMAT_BGR8 : VDT_FORMAT_GRAY8, raster.data, raster.step, raster.width,
                   raster.height, static_cast<std::size_t>(raster.channels));
}

}  // namespace

bool run_map(const Session& session, const Raster& image, const Raster& pattern, const Raster& mask, int method,
             float* out, std::ptrdiff_t out_step, MapAnswer& answer) {
    if (session.context == nullptr) {
        answer.declined = session.reason;
        return false;
    }
    if (session.reference_only.load(std::memory_order_relaxed)) {
        answer.declined = "Vedette has only its reference backend here";
        return false;
    }
    vdt_template_map_params params{};
    params.struct_size = sizeof params;
    params.method = static_cast<std::uint32_t>(method);
    const vdt_image views[] = {view_of(image), view_of(pattern), view_of(mask)};
    const vdt_image* const inputs[] = {&views[0], &views[1], &views[2]};
    const vdt_image map = view_of(VDT_FORMAT_GRAYF32, out, out_step, image.width - pattern.width + 1,
                                  image.height - pattern.height + 1, sizeof(float));
    const vdt_image* const outputs[] = {&map};
    vdt_run_info info{};
    info.struct_size = sizeof info;
    vdt_error error{};
    error.struct_size = sizeof error;
    const vdt_code code = session.api->run_operation(session.context, VDT_OP_TEMPLATE_MAP, &params, inputs, 3, outputs,
                                                     1, nullptr, 0, nullptr, 0, nullptr, &info, &error);
    if (code != VDT_OK) {
        answer.declined = error.text;
        return false;
    }
    if (std::strcmp(info.backend, "opencv") == 0) session.reference_only.store(true, std::memory_order_relaxed);
    answer.who = std::string(info.backend) + ":" + std::to_string(info.device_index) + " " + info.variant;
    return true;
}

}  // namespace vedette::compat
