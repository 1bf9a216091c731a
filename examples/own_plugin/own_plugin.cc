// A backend that can do one thing: `convert` of vedette/plugin/ops.h, from BGR8 to GRAY8, on the threads that the host
// lends. The rest is done by the headers in vedette/plugin/cpp, a help that is no part of the ABI: they check what the
// host hands in, fill the table and let no exception out.
#include <array>
#include <vedette/plugin/cpp/convert_checks.hpp>
#include <vedette/plugin/cpp/loop.hpp>
#include <vedette/plugin/cpp/processor_entries.hpp>
#include <vedette/plugin/cpp/table.hpp>

using namespace vedette::plugin;

struct ToGray final : Plan {
    explicit ToGray(const Processor& processor) : host(*processor.host) {}
    vdt_code run(const vdt_call& call) override {
        const vdt_image &in = *call.inputs[0], &out = *call.outputs[0];
        parallel_for(host, call.token, 0, in.height, 0, [&](uint32_t begin, uint32_t end, uint32_t) {
            for (uint32_t y = begin; y < end; ++y) {
                const auto* bgr = row_of<uint8_t>(in, 0, y);
                auto* const gray = row_of<uint8_t>(out, 0, y);
                for (uint32_t x = 0; x < in.width; ++x, bgr += 3)
                    gray[x] = static_cast<uint8_t>((3735 * bgr[0] + 19235 * bgr[1] + 9798 * bgr[2] + (1 << 14)) >> 15);
            }
        });
        return VDT_OK;
    }
    const vdt_host& host;
};

void support(const Processor&, const vdt_query& query, vdt_op_support&) {
    check_convert(query);
}

// What the work is made of; the host knows the machine, and makes a time of it. A backend without is asked last.
void cost(const Processor&, const vdt_query& query, vdt_cost& cost) {
    const double rows = query.inputs[0]->height, pixels = rows * query.inputs[0]->width;
    cost.flags = VDT_COST_ESTIMATE;
    add_launch(cost, even_stage(6 * pixels, 0, rows, 4 * pixels, 64));
}

std::unique_ptr<Plan> plan(const Processor& processor, const vdt_query&) {
    return std::make_unique<ToGray>(processor);
}

constexpr const char* variants[] = {"plain"};
constexpr Operation<Processor> to_gray = {VDT_OP_CONVERT,
                                          variants,
                                          1,
                                          support,
                                          cost,
                                          plan,
                                          VDT_FORMAT_BIT(VDT_FORMAT_BGR8),
                                          VDT_FORMAT_BIT(VDT_FORMAT_GRAY8)};

struct Own : ProcessorEntries<Own>, CostEntry<Own> {
    static constexpr const char *id = "own", *version = "1.0.0", *description = "example of a backend: turns gray";
    static std::array<const Operation<Processor>*, 1> operations() { return {&to_gray}; }
};

constexpr vdt_plugin table = make_table<Own>();
const vdt_plugin* VDT_PLUGIN_ENTRY(uint32_t host_minor_min, uint32_t host_minor_max, vdt_error* why) noexcept {
    return negotiate(host_minor_min, host_minor_max, table, why);
}
