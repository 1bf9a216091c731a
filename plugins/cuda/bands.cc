#include "bands.h"

#include "ops/template_operands.h"
#include "resident.h"
#include "streams.h"

#include <vedette/plugin/cpp/check.hpp>
#include <vedette/plugin/cpp/list.hpp>
#include <vedette/plugin/cpp/loop.hpp>
#include <vedette/plugin/cpp/template_checks.hpp>
#include <vedette/plugin/cpp/template_scales.hpp>

#include <vector>

namespace vedette::cuda_plugin {

namespace {

bool is_memory(const cuda::Error& error) noexcept {
    return error.fault() == cuda::Fault::memory;
}

// Whether the rows of a result stand on rows near them only.
bool can_be_cut(vdt_op op, const void* params) noexcept {
    if (op != VDT_OP_FILTER) return true;
    const auto& filter = *static_cast<const vdt_filter_params*>(params);
    return filter.border != VDT_BORDER_WRAP || filter.kernel_h == 1;
}

class BandedPlan final : public Plan {
public:
    BandedPlan(const Operation& operation, const Device& device, const vdt_query& query)
        : operation_(operation), device_(device), variant_(query.variant) {
        try {
            whole_ = operation.plan(device, query);
        } catch (const cuda::Error& error) {
            if (!is_memory(error) || !can_be_cut(operation.op, query.params)) throw;
            bands_.shorten(query.inputs[0]->height);
        }
    }

    vdt_code run(const vdt_call& call) override {
        bands_.begin();
        if (bands_.all_at_once()) {
            try {
                if (!whole_)
                    whole_ = plan_for(call.inputs, call.input_count, call.outputs, call.output_count, call.params);
                return whole_->run(call);
            } catch (const cuda::Error& error) {
                if (!is_memory(error) || !can_be_cut(operation_.op, call.params)) throw;
                whole_.reset();  // with the memory it has
                bands_.shorten(call.inputs[0]->height);
            }
        }
        begin_parts(call);
        vdt_code code = VDT_OK;
        if (operation_.op == VDT_OP_TEMPLATE_FIND)
            code = find(call);
        else
            bands_.run(call.outputs[0]->height, [&](const Rows& band) { make_rows(call, band); });
        end_parts(call);
        return code;
    }

private:
    std::unique_ptr<Plan> plan_for(const vdt_image* const* inputs, std::uint32_t input_count,
                                   const vdt_image* const* outputs, std::uint32_t output_count,
                                   const void* params) const {
        vdt_query query{};
        query.struct_size = sizeof query;
        query.op = operation_.op;
        query.variant = variant_;
        query.inputs = inputs;
        query.input_count = input_count;
        query.outputs = outputs;
        query.output_count = output_count;
        query.params = params;
        return operation_.plan(device_, query);
    }

    // The same operation on other images, with a plan for these.
    vdt_code run_part(const vdt_call& call, const std::vector<const vdt_image*>& inputs,
                      const std::vector<const vdt_image*>& outputs, const void* params, vdt_list* list) const {
        plugin::throw_if_cancelled(*device_.host, call.token);
        vdt_call part{};
        part.struct_size = sizeof part;
        part.inputs = inputs.data();
        part.input_count = static_cast<std::uint32_t>(inputs.size());
        part.outputs = outputs.data();
        part.output_count = static_cast<std::uint32_t>(outputs.size());
        part.params = params;
        part.token = call.token;
        if (list != nullptr) {
            part.lists_out = &list;
            part.list_out_count = 1;
        }
        return plan_for(part.inputs, part.input_count, part.outputs, part.output_count, params)->run(part);
    }

    // Rows of outputs[0], of the operations that make a picture.
    void make_rows(const vdt_call& call, const Rows& band) const {
        const vdt_image &in = *call.inputs[0], &out = *call.outputs[0];
        if (operation_.op == VDT_OP_FILTER) return filter_rows(call, band);
        Rows needed = band;
        if (operation_.op == VDT_OP_TEMPLATE_MAP) needed.count += call.inputs[1]->height - 1;
        const vdt_image from = rows_of(in, needed), to = rows_of(out, band);
        std::vector<const vdt_image*> inputs(call.inputs, call.inputs + call.input_count);
        inputs[0] = &from;
        run_part(call, inputs, {&to}, call.params, nullptr);
    }

    // The rows around the band are filtered with it; where they end inside the picture, what the border made there is
    // not taken. With a kernel's height on each side no row that is taken stands on that, and a border of the picture
    // finds all rows that it repeats.
    void filter_rows(const vdt_call& call, const Rows& band) const {
        const vdt_image &in = *call.inputs[0], &out = *call.outputs[0];
        const std::uint32_t reach = plugin::params_of<vdt_filter_params>(call).kernel_h;
        Rows wide;
        wide.first = band.first - std::min(band.first, reach);
        wide.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{band.end()} + reach, in.height) -
                                                wide.first);
        const std::size_t pitch = pitch_of(plugin::row_bytes(*plugin::layout_of(out.format), out.width));
        const std::size_t plane_bytes = pitch * wide.count;
        const cuda::Block<std::byte> block(device_.cuda.memory, plane_bytes * out.plane_count);
        vdt_image made = out;
        made.height = wide.count;
        made.memory = VDT_MEMORY_DEVICE;
        made.ready = nullptr;
        for (std::uint32_t index = 0; index < out.plane_count; ++index)
            made.plane[index] = {block.data(), index * plane_bytes, static_cast<std::int64_t>(pitch), block.bytes()};
        const vdt_image from = rows_of(in, wide);
        run_part(call, {&from}, {&made}, call.params, nullptr);
        copy_image(device_, rows_of(made, {band.first - wide.first, band.count}), rows_of(out, band), nullptr, nullptr);
    }

    // Pattern after pattern, since their heights say which rows belong to a band.
    vdt_code find(const vdt_call& call) {
        const auto& params = plugin::params_of<vdt_template_find_params>(call);
        plugin::check_template_find(call.inputs, call.input_count, params);
        check_patterns(call);
        const vdt_rect region = plugin::region_of(*call.inputs[0], params);
        const bool best_only = (params.flags & VDT_FIND_BEST_ONLY) != 0;
        plugin::ListWriter<> items(*call.lists_out[0]);
        for (std::uint32_t p = 0; p < params.pattern_count; ++p) {
            const vdt_image& pattern = *call.inputs[1 + 2 * std::size_t{p}];
            if (pattern.width > static_cast<std::uint32_t>(region.w) ||
                pattern.height > static_cast<std::uint32_t>(region.h))
                continue;
            Found found;
            const std::uint32_t rows = static_cast<std::uint32_t>(region.h) - pattern.height + 1;
            bands_.run(rows, [&](const Rows& band) { find_in(call, p, region, band, rows, found); });
            std::sort(found.items.begin(), found.items.end(), plugin::scaled_item_comes_first);
            if (best_only) found.count = std::min<std::uint64_t>(found.count, 1);
            items.count_found(found.count);
            for (std::size_t i = 0; i < std::min<std::uint64_t>(found.count, params.max_results); ++i)
                items.write(found.items[i]);
        }
        return items.finish();
    }

    // As the whole search checks them, all before the first is searched.
    void check_patterns(const vdt_call& call) const {
        const cuda::Stream stream = cuda::make_stream();
        PreparedPattern prepared;
        for (std::uint32_t p = 0; 2 * p + 2 < call.input_count; ++p) {
            prepared.prepare(device_, *call.inputs[1 + 2 * p], *call.inputs[2 + 2 * p], stream.get());
            const cuda::TemplateSums& sums = prepared.pattern().sums();
            plugin::check_template_pixels(p, sums.area, sums.variance != 0);
        }
    }

    struct Found {
        std::vector<vdt_item> items;  // the best max_results of each band, or all
        std::uint64_t count = 0;      // before max_results
    };

    // The positions of one pattern in the rows `band` of the region's `rows`. For local maxima the rows next to the
    // band are searched, too, and only what lies in the band is taken.
    void find_in(const vdt_call& call, std::uint32_t p, const vdt_rect& region, const Rows& band, std::uint32_t rows,
                 Found& found) const {
        auto params = plugin::params_of<vdt_template_find_params>(call);
        const bool local = (params.flags & VDT_FIND_LOCAL_MAXIMA) != 0 && (params.flags & VDT_FIND_BEST_ONLY) == 0;
        Rows wide = band;
        if (local) {
            wide.first = std::max(band.first, 1u) - 1;
            wide.count = std::min(band.end() + 1, rows) - wide.first;
            params.max_results = std::numeric_limits<std::uint32_t>::max();
        }
        const vdt_image *const pattern = call.inputs[1 + 2 * std::size_t{p}], *const mask =
                                                                                  call.inputs[2 + 2 * std::size_t{p}];
        const std::uint32_t top = static_cast<std::uint32_t>(region.y) + wide.first;
        const vdt_image scene = rows_of(*call.inputs[0], {top, wide.count + pattern->height - 1});
        params.pattern_count = 1;
        params.region = {region.x, 0, region.w, static_cast<std::int32_t>(scene.height)};
        std::vector<vdt_rect> exclude;
        for (std::uint32_t e = 0; e < params.exclude_count; ++e) {
            // Far above or below there is nothing of the region: kept at its edges, no sum overflows.
            const vdt_rect& rect = params.exclude[e];
            const auto y0 = std::clamp<std::int64_t>(std::int64_t{rect.y} - top, -1, scene.height);
            const auto y1 = std::clamp<std::int64_t>(std::int64_t{rect.y} + rect.h - top, -1, scene.height);
            if (rect.h > 0 && y1 > y0)
                exclude.push_back({rect.x, static_cast<std::int32_t>(y0), rect.w, static_cast<std::int32_t>(y1 - y0)});
        }
        params.exclude = exclude.data();
        params.exclude_count = static_cast<std::uint32_t>(exclude.size());
        constexpr std::size_t first_room = 256;
        std::vector<vdt_item> room(first_room);
        vdt_list list{};
        for (std::uint64_t wanted = 0;; room.resize(wanted)) {
            list.struct_size = sizeof list;
            list.item_size = sizeof(vdt_item);
            list.items = room.data();
            list.capacity = room.size();
            run_part(call, {&scene, pattern, mask}, {}, &params, &list);
            wanted = std::min<std::uint64_t>(list.needed, params.max_results);
            if (list.count >= wanted) break;
        }
        if (!local) found.count += list.needed;
        for (std::uint64_t i = 0; i < list.count; ++i) {
            vdt_item item = room[i];
            const std::uint32_t row = wide.first + static_cast<std::uint32_t>(item.y);
            if (row < band.first || row >= band.end()) continue;
            if (local) ++found.count;
            item.y += static_cast<float>(top);
            item.pattern = p;
            found.items.push_back(item);
        }
    }

    const Operation& operation_;
    const Device& device_;
    const std::uint32_t variant_;
    std::unique_ptr<Plan> whole_;  // while memory suffices
    Bands bands_;
};

}  // namespace

vdt_image rows_of(const vdt_image& image, const Rows& rows) {
    vdt_image part = image;
    part.height = rows.count;
    if (image.resident != nullptr) {
        const DeviceImage& kept = resident_of(image)->on_device();
        part.resident = nullptr;
        part.ready = nullptr;
        part.memory = VDT_MEMORY_DEVICE;
        for (std::uint32_t index = 0; index < part.plane_count; ++index)
            part.plane[index] = {kept.plane[index], 0, static_cast<std::int64_t>(kept.stride),
                                 kept.stride * static_cast<std::uint64_t>(kept.height)};
    }
    for (std::uint32_t index = 0; index < part.plane_count; ++index) {
        vdt_plane& plane = part.plane[index];
        plane.offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(plane.offset) +
                                                  std::int64_t{rows.first} * plane.row_stride);
    }
    return part;
}

void begin_parts(const vdt_call& call) {
    if (call.stream != nullptr) cuda::synchronize(stream_of(call.stream));
}

void end_parts(const vdt_call& call) {
    if (call.done == nullptr) return;
    const cuda::Stream own = cuda::make_stream();
    cuda::check(cudaEventRecord(event_of(call.done), call.stream != nullptr ? stream_of(call.stream) : own.get()),
                "recording an event");
}

bool works_in_bands(vdt_op op) noexcept {
    return op == VDT_OP_CONVERT || op == VDT_OP_FILTER || op == VDT_OP_TEMPLATE_MAP || op == VDT_OP_TEMPLATE_FIND;
}

std::unique_ptr<Plan> make_banded_plan(const Operation& operation, const Device& device, const vdt_query& query) {
    return std::make_unique<BandedPlan>(operation, device, query);
}

}  // namespace vedette::cuda_plugin
