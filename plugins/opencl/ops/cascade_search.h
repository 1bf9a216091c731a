// A cascade made ready for one size of image on one device: tables in device memory, levels and batches.
//
// The scaled images of a batch lie side by side in one picture, of which one table of sums is made, one of squares and
// one of tilted sums, as far as the cascade asks for them; differences of sums inside a level do not depend on what
// lies around it. Then the windows pass through the stages: kernels/cascade.cl.
#pragma once

#include "ops/cascade_program.h"
#include "ops/integral_sums.h"

#include <cascade/scales.h>

#include <optional>
#include <vector>

namespace vedette::opencl {

// How windows go through the stages.
enum class CascadeVariant : std::uint8_t {
    compacted,  // those that are left after a few stages are gathered; the last of them are taken by a work-group each
    straight    // those that pass the first stage are taken through all others by a work-item each
};

// Stages that one kernel takes its windows through. `last` is the one after them.
struct CascadePass {
    std::uint32_t first, last;
    bool by_group;  // a work-group a window, otherwise a work-item
};
// Those of a classifier of so many stages, after a kernel that takes all windows through those before `first`.
std::vector<CascadePass> cascade_passes(CascadeVariant variant, std::uint32_t stages, std::uint32_t first = 1);

// Pixels of a batch's picture, unless one scaled image alone has more.
std::size_t cascade_batch_pixels(const DeviceLimits& limits) noexcept;

// A window that passed all stages.
struct CascadeWindow {
    std::uint32_t scale;
    std::uint32_t column, row;  // among the scale's windows
    double score;               // what the last stage sums up to
};

// Between one call and the next everything stays; one call at a time.
class CascadeSearch {
public:
    // Throws Failure VDT_E_UNSUPPORTED when tables of one scale have more numbers than are counted in 31 bits.
    CascadeSearch(const Device& device, const cascade::Model& model, const cascade::Search& search, std::int32_t width,
                  std::int32_t height, CascadeVariant variant);

    // All windows that pass, by scale, then row, then column. Waits for the device. Valid until the next call.
    const std::vector<CascadeWindow>& run(const Plane& image, cl::Queue queue);

    const cascade::Scale& scale_of(const CascadeWindow& window) const { return scales_[window.scale]; }

private:
    // As the kernels' records.
    struct Level {
        std::uint32_t width, height, left, top;
        std::uint32_t source, first_column, first_row, first_four;
        std::uint32_t columns, step, first_window, padding;
    };
    struct Window {
        std::uint32_t place, level, number;
        float norm;
    };
    struct Found {
        std::uint32_t level, number;
        double score;
    };
    struct Request {
        double area, least_square;
        std::uint32_t levels, first_level, fours, windows;
        std::uint32_t pitch, stages, capacity, found_capacity;
        std::int32_t norm_place[4];
    };
    static_assert(sizeof(Level) == 48 && sizeof(Window) == 16 && sizeof(Found) == 16 && sizeof(Request) == 64);

    struct Batch {
        Request request{};
        std::uint32_t height = 0;  // of its picture
        std::uint32_t first_counter = 0;
        Buffer<Level> levels;
    };

    void make_batches(std::int32_t width, std::int32_t height);
    void make_tables(const cascade::Model& model);
    void set_capacity(std::uint32_t windows, std::uint32_t found);
    void queue_batch(const Batch& batch, const Plane& image, cl::Queue queue);
    void queue_passes(const Batch& batch, cl::Queue queue);
    // Fetches what was found; false when a list was too short, which is long enough afterwards.
    bool fetch(cl::Queue queue);

    const Device& device_;
    std::vector<cascade::Scale> scales_;  // those with windows
    CascadeKind kind_ = CascadeKind::stumps;
    CascadeProgram program_;
    bool by_eight_ = false;
    std::vector<CascadePass> passes_;
    Kernel scale_, first_, next_, last_;
    std::vector<Batch> batches_;
    std::uint32_t picture_width_ = 0, picture_height_ = 0, most_windows_ = 0;
    CascadeTables tables_;
    Buffer<std::int32_t> axis_places_;
    Buffer<std::uint16_t> axis_weights_;
    Buffer<std::uint32_t> picture_;  // four pixels each
    Buffer<std::uint32_t> sums_, squares_;
    std::optional<IntegralSums> make_sums_, make_squares_, make_tilted_;
    Buffer<std::uint8_t> passed_;
    Buffer<Window> lists_[2];
    Buffer<Found> found_;
    Buffer<std::uint32_t> counters_;  // of found windows, then of each batch's lists
    std::vector<std::uint32_t> host_counters_;
    std::vector<Found> host_found_;
    std::vector<CascadeWindow> windows_;
};

}  // namespace vedette::opencl
