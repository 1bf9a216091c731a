// A cascade made ready for one size of image on one device: tables in device memory, levels and batches.
#pragma once

#include "backend.h"
#include "pace.h"

#include <cascade/model.h>
#include <cascade/scales.h>
#include <kernels/cascade.h>

#include <vector>

namespace vedette::cuda_plugin {

// Between one call and the next everything stays; one call at a time.
class CascadeSearch {
public:
    // Throws Failure VDT_E_UNSUPPORTED when the window is too large for the device's shared memory.
    CascadeSearch(const Device& device, const cascade::Model& model, const cascade::Search& search, std::int32_t width,
                  std::int32_t height, cuda::CascadeVariant variant);

    // All windows that pass, by scale, then row, then column. Waits for the device. Valid until the next call. Throws
    // Failure when `token` ends the call, which is looked at between batches.
    const std::vector<cuda::CascadeWindow>& run(const cuda::View<const std::uint8_t>& image, cudaStream_t stream,
                                                vdt_token* token);

    const cascade::Scale& scale_of(const cuda::CascadeWindow& window) const { return scales_[window.level]; }

private:
    // Counters of a call, on the device or fetched from there: what lanes did in each stage, where that is counted;
    // windows kept; windows found in each batch.
    struct Counters {
        cuda::CascadeCounts* lanes;
        std::uint32_t* kept;
        std::uint32_t* found;
    };
    Counters counters_at(std::byte* memory) const noexcept;
    std::size_t counted_stages() const noexcept { return counts_lanes_ ? programs_[0].stage_count : 0; }
    void log_lanes() const;
    void upload_program(const cascade::Model& model, int step);
    void make_batches(const cascade::Model& model, std::int32_t width, std::int32_t height);
    void grow(std::uint32_t windows);
    // How many windows some list had no room for; 0: all had.
    std::uint32_t missing() const;

    const Device& device_;
    Pace pace_;
    std::vector<cascade::Scale> scales_;  // those with windows
    cuda::CascadeKind kind_ = cuda::CascadeKind::stumps;
    cuda::CascadeVariant variant_;
    cuda::CascadeLayout layouts_[2];
    cuda::CascadeProgram programs_[2];
    cuda::Block<std::byte> program_memory_[2];
    cuda::Block<std::byte> axes_;
    cuda::Block<cuda::CascadeLevel> levels_;
    cuda::Block<std::uint8_t> scaled_;  // images of a batch
    cuda::Block<unsigned> bitmap_;
    std::vector<cuda::CascadeBatch> batches_;
    std::uint32_t capacity_ = 0;  // of the lists
    cuda::Block<cuda::CascadeWindow> found_;
    cuda::Block<cuda::CascadeWindow> kept_;  // pinned
    cuda::Block<std::byte> counters_;
    cuda::Block<std::byte> counters_on_host_;  // pinned
    bool counts_lanes_ = false;
    std::vector<cuda::CascadeWindow> sorted_;
};

}  // namespace vedette::cuda_plugin
