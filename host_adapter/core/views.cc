#include "views.h"

#include "device.h"
#include "operations.h"

namespace vedette::host {

Views::Views(const std::vector<OperationImage>& images) : images_(images) {
    for (const OperationImage& image : images) views_.push_back(plain_view(image));
    for (const vdt_image& view : views_) pointers_.push_back(&view);
}

bool Views::move_to(Device& device) {
    bool kept = false;
    for (std::size_t i = 0; i < views_.size(); ++i) {
        if (images_[i].shared == nullptr) continue;
        views_[i] = images_[i].shared->view_on(device);
        kept = kept || views_[i].resident != nullptr;
    }
    return kept;
}

void Views::show_kept(Device& device) {
    for (std::size_t i = 0; i < views_.size(); ++i)
        if (images_[i].shared != nullptr) views_[i] = images_[i].shared->view_if_kept(device);
}

void Views::move_back() noexcept {
    for (vdt_image& view : views_) view.resident = nullptr;
}

vdt_query query_of(const Operation& operation, const Views& inputs, const Views& outputs) noexcept {
    vdt_query query{};
    query.struct_size = sizeof query;
    query.op = operation.op;
    query.inputs = inputs.data();
    query.input_count = inputs.size();
    query.outputs = outputs.data();
    query.output_count = outputs.size();
    query.params = operation.params;
    query.lists_in = operation.lists_in.data();
    query.list_in_count = static_cast<std::uint32_t>(operation.lists_in.size());
    return query;
}

}  // namespace vedette::host
