#include "map_runner.h"

#include "image_view.h"

namespace vedette::compat {
bool run_map(const Session& session, const Raster& image, const Raster& pattern, const Raster& mask, int method,
             float* out, std::ptrdiff_t out_step, MapAnswer& answer) {
    if (const char* const reason = session.unusable()) {
        answer.declined = reason;
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
                                                     1, nullptr, 0, nullptr, 0, session.backend(), &info, &error);
    if (code != VDT_OK) {
        answer.declined = error.text;
        return false;
    }
    answer.who = session.note(info);
    return true;
}

}  // namespace vedette::compat
