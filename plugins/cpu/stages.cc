#include "stages.h"

#include "processor.h"

namespace vedette::cpu {

void add_loop(vdt_cost& cost, double work, double span, double width, double bytes, double cached) noexcept {
    vdt_cost_stage stage = plugin::even_stage(work, span, width, bytes, 64);
    stage.shared_refs = cached;
    plugin::add_launch(cost, stage);
}

void add_serial(vdt_cost& cost, double work, double bytes, double cached) noexcept {
    vdt_cost_stage stage = plugin::even_stage(work, 0, 1, bytes, 64);
    stage.shared_refs = cached;
    add_stage(cost, stage);
}

double thread_lanes(Isa isa) noexcept {
    return isa == Isa::avx512 ? 32 : isa == Isa::avx2 ? 16 : 8;
}

double traffic_of(double read, double written) noexcept {
    const double bytes = read + written;
    return goes_past_caches(static_cast<std::uint64_t>(bytes)) ? bytes + written : bytes;
}

void add_pieces(const Device& device, vdt_cost& cost, double work, double span, double pieces, double bytes,
                double cached, double uneven) noexcept {
    vdt_cost_stage stage = plugin::even_stage(work, span, pieces * thread_lanes(device.isa), bytes, 64);
    stage.shared_refs = cached;
    stage.divergence = uneven;
    add_stage(cost, stage);
    if (pieces > 1 && device.workers > 1) ++cost.launches;
}

}  // namespace vedette::cpu
