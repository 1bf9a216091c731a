// Proposals by the brute-force reference, so that the composition is tested without a backend.
#pragma once

#include "find/compose.h"
#include "reference/reference.h"

#include <map>
#include <vector>

namespace vedette::test {

class BruteProposer {
public:
    std::vector<host::Proposal> operator()(const host::ProposalRequest& request) {
        thresholds.push_back(request.threshold);
        std::vector<vdt_image> views{request.screen->image().view()};
        const vdt_image none{};
        for (const host::PatternForm* form : request.patterns) {
            views.push_back(form->image().image().view());
            views.push_back(form->mask() != nullptr ? form->mask()->image().view() : none);
        }
        std::vector<const vdt_image*> inputs;
        for (const vdt_image& view : views) inputs.push_back(&view);
        vdt_template_find_params params{};
        params.struct_size = sizeof params;
        params.flags = VDT_FIND_LOCAL_MAXIMA;
        params.threshold = request.threshold;
        params.pattern_count = static_cast<std::uint32_t>(request.patterns.size());
        params.max_results = request.most;
        const host::Window& region = request.region;
        params.region = {static_cast<std::int32_t>(region.x), static_cast<std::int32_t>(region.y),
                         static_cast<std::int32_t>(region.w), static_cast<std::int32_t>(region.h)};
        params.exclude = request.exclude->data();
        params.exclude_count = static_cast<std::uint32_t>(request.exclude->size());
        std::vector<host::Proposal> proposals;
        std::map<std::uint32_t, std::uint32_t> counts;
        for (const vdt_item& item : reference::template_find(inputs.data(), params)) {
            if (++counts[item.pattern] > request.most) continue;
            proposals.push_back(
                {item.pattern, static_cast<std::uint32_t>(item.x), static_cast<std::uint32_t>(item.y), item.score});
        }
        return proposals;
    }

    std::vector<double> thresholds;  // of the searches made
};

}  // namespace vedette::test
