#include "cascade_runner.h"

#include "image_view.h"

namespace vedette::compat {

bool run_cascade(const Session& session, const CascadeCall& call, std::vector<vdt_item>& items, MapAnswer& answer) {
    if (const char* const reason = session.unusable()) {
        answer.declined = reason;
        return false;
    }
    vdt_cascade_params params{};
    params.struct_size = sizeof params;
    params.cascade = call.cascade->data();
    params.cascade_bytes = call.cascade->size();
    params.scale_factor = call.scale_factor;
    params.min_neighbors = call.min_neighbors;
    params.min_w = call.min_width;
    params.min_h = call.min_height;
    params.max_w = call.max_width;
    params.max_h = call.max_height;
    const vdt_image view = view_of(call.gray);
    const vdt_image* const inputs[] = {&view};
    items.resize(256);
    for (;;) {
        vdt_list list{};
        list.struct_size = sizeof list;
        list.item_size = sizeof(vdt_item);
        list.capacity = items.size();
        list.items = items.data();
        vdt_list* const lists[] = {&list};
        vdt_run_info info{};
        info.struct_size = sizeof info;
        vdt_error error{};
        error.struct_size = sizeof error;
        const vdt_code code =
            session.api->run_operation(session.context, VDT_OP_CASCADE_DETECT, &params, inputs, 1, nullptr, 0, nullptr,
                                       0, lists, 1, session.backend(), &info, &error);
        if (code < 0) {
            answer.declined = error.text;
            return false;
        }
        if (code == VDT_INCOMPLETE && list.needed > items.size()) {
            items.resize(list.needed);
            continue;
        }
        items.resize(list.count);
        answer.who = session.note(info);
        return true;
    }
}

}  // namespace vedette::compat
