// Help for plugins written in C++; not part of the ABI. A call of group for backends that group arrays of rectangles.
#ifndef VEDETTE_PLUGIN_CPP_GROUP_RUN_HPP
#define VEDETTE_PLUGIN_CPP_GROUP_RUN_HPP

#include "group_checks.hpp"
#include "list.hpp"
#include "loop.hpp"

namespace vedette::plugin {

// Does a checked call. reserve(count) makes room and gives where rectangles and scores go, as .rectangles() (of four
// numbers x, y, w, h) and .scores(); run(count, threshold, eps) groups them and gives a range of groups; item(group)
// makes an item of one. VDT_OK or VDT_INCOMPLETE.
template <class Reserve, class Run, class Item>
vdt_code run_group(const vdt_host& host, const vdt_call& call, const Reserve& reserve, const Run& run,
                   const Item& item) {
    constexpr uint32_t rectangles_of_a_piece = 1u << 13;
    const auto& params = params_of<vdt_group_params>(call);
    check_group(params);
    const vdt_list& in = *call.lists_in[0];
    ListWriter<> writer(*call.lists_out[0]);
    if (params.threshold == 0) {
        writer.count_found(in.count);
        for (uint64_t index = 0; index < in.count; ++index) {
            auto single = item_at(in, index);
            single.neighbors = 1;
            writer.write(single);
        }
    } else if (in.count != 0) {
        check_group_count(in.count);
        auto& arrays = reserve(in.count);
        parallel_for(host, call.token, 0, static_cast<uint32_t>(in.count), rectangles_of_a_piece,
                     [&](uint32_t begin, uint32_t end, uint32_t) {
                         for (uint32_t index = begin; index < end; ++index) {
                             const auto single = item_at(in, index);
                             const vdt_rect whole = whole_rectangle(single);
                             arrays.rectangles()[index] = {whole.x, whole.y, whole.w, whole.h};
                             arrays.scores()[index] = single.score;
                         }
                     });
        const auto groups = run(in.count, params.threshold, params.eps);
        writer.count_found(groups.size());
        for (const auto& group : groups) writer.write(item(group));
    }
    return writer.finish();
}

}  // namespace vedette::plugin
#endif
