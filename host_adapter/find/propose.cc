#include "propose.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace vedette::host {
namespace {

// Items of one run at most: more patterns than fit take several runs. The list is not touched where nothing is found.
constexpr std::size_t kMostItems = std::size_t{1} << 21U;

// The nearest pixel, or -1 for what can be none. A call of lround takes longer than all the rest of an item.
std::int64_t nearest(float position) noexcept {
    constexpr float most = 1e9F;
    return position >= 0 && position <= most ? static_cast<std::int64_t>(static_cast<double>(position) + 0.5) : -1;
}

}  // namespace

std::vector<Proposal> OperationProposer::operator()(const ProposalRequest& request) {
    std::vector<Proposal> proposals;
    const std::size_t at_once = std::max<std::size_t>(kMostItems / request.most, 1);
    for (std::size_t first = 0; first < request.patterns.size(); first += at_once)
        run(request, first, std::min(at_once, request.patterns.size() - first), proposals);
    return proposals;
}

void OperationProposer::run(const ProposalRequest& request, std::size_t first, std::size_t count,
                            std::vector<Proposal>& proposals) {
    vdt_template_find_params params{};
    params.struct_size = sizeof params;
    params.flags = VDT_FIND_LOCAL_MAXIMA;
    params.threshold = request.threshold;
    params.pattern_count = static_cast<std::uint32_t>(count);
    params.max_results = request.most;
    params.region = {static_cast<std::int32_t>(request.region.x), static_cast<std::int32_t>(request.region.y),
                     static_cast<std::int32_t>(request.region.w), static_cast<std::int32_t>(request.region.h)};
    if (request.exclude != nullptr && !request.exclude->empty()) {
        params.exclude = request.exclude->data();
        params.exclude_count = static_cast<std::uint32_t>(request.exclude->size());
    }

    Operation operation;
    operation.op = VDT_OP_TEMPLATE_FIND;
    operation.params = &params;
    operation.inputs.push_back(OperationImage::of(*request.screen));
    for (std::size_t i = first; i < first + count; ++i) {
        const PatternForm& form = *request.patterns[i];
        operation.inputs.push_back(OperationImage::of(form.image()));
        operation.inputs.push_back(form.mask() != nullptr ? OperationImage::of(*form.mask()) : OperationImage::none());
    }
    // Default-initialised, so that pages nothing is written to are never touched.
    const std::size_t capacity = count * request.most;
    const std::unique_ptr<vdt_item[]> items(new vdt_item[capacity]);
    vdt_list list{};
    list.struct_size = sizeof list;
    list.item_size = sizeof(vdt_item);
    list.capacity = capacity;
    list.items = items.get();
    operation.lists_out.push_back(&list);

    RunReport report;
    run_operation(context_, operation, backend_, limit_, report);
    add(report);

    const std::size_t found = std::min<std::size_t>(list.count, capacity);
    proposals.reserve(proposals.size() + found);
    for (std::size_t i = 0; i < found; ++i) {
        const vdt_item& item = items[i];
        const std::int64_t x = nearest(item.x);
        const std::int64_t y = nearest(item.y);
        // A backend is somebody else's code: what it says is looked at before pixels are read by it.
        const bool sound =
            item.pattern < count && x >= request.region.x && y >= request.region.y &&
            x + request.patterns[first + item.pattern]->width() <= std::int64_t{request.region.x} + request.region.w &&
            y + request.patterns[first + item.pattern]->height() <= std::int64_t{request.region.y} + request.region.h &&
            item.score >= -1 && item.score <= 1;
        if (!sound)
            throw Failure(VDT_E_CONTRACT, "Backend " + report.backend +
                                              " answered template_find with a place or score that cannot be; choose "
                                              "another backend and report this to its author.");
        proposals.push_back({static_cast<std::uint32_t>(first + item.pattern), static_cast<std::uint32_t>(x),
                             static_cast<std::uint32_t>(y), item.score});
    }
}

void OperationProposer::add(const RunReport& report) {
    if (!ran_) {
        report_ = report;
        ran_ = true;
        return;
    }
    const bool known = report_.predicted_ms >= 0 && report.predicted_ms >= 0;
    report_.predicted_ms = known ? report_.predicted_ms + report.predicted_ms : -1;
}

}  // namespace vedette::host
