// The loop behind restore. Made for one shape, keeps the scratch of its runs, and runs in one call at a time.
//
// Between two transforms only one number is computed for each pixel or frequency. So a loop over strips does the end of
// the inverse transform, the step on pixels and the begin of the next forward transform while the strip is in the
// first-level cache, and a loop over groups the transform along the rows, the product with the lens and the transform
// back. Frequencies stay in the order in which the transform leaves them. Layouts: kernels/restore.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fft/tables.h"
#include "kernels/fft.h"
#include "kernels/restore.h"
#include "op.h"

namespace vedette::cpu {

struct RestoreShape {
    std::uint32_t method = 0;
    std::uint32_t side = 0;  // one that the transforms know
    std::uint32_t batch = 0;
    std::uint32_t iterations = 0;
    float epsilon = 0;  // positive

    bool is_blind() const { return method == VDT_RESTORE_MIA_BLIND; }
    std::size_t pixels() const { return std::size_t{side} * side; }  // of one image
};

// How the work is spread over threads. Values do not depend on it.
enum class RestoreSpread : std::uint8_t { one_thread, over_images, inside_images };
RestoreSpread restore_spread(const Device& device, const RestoreShape& shape) noexcept;

class Restorer {
public:
    Restorer(const Device& device, const RestoreShape& shape);
    static std::uint64_t scratch_bytes(const Device& device, const RestoreShape& shape);

    // Images of the shape. Throws Failure VDT_E_ARGUMENT when a pixel is not finite, or a point-spread function has a
    // negative value or nothing but zeros.
    void run(const vdt_image& blurred, const vdt_image& spread, const vdt_image& restored,
             const vdt_image* final_spread, vdt_token* token);

private:
    // What one image needs while it is worked on: images as strips, and spectra, each of pixels() floats.
    class Workspace {
    public:
        Workspace(const RestoreShape& shape, const FftSideKernels& kernels);
        static std::size_t floats(const RestoreShape& shape, const FftSideKernels& kernels);
        float* spectrum() const { return part(0); }
        float* estimate() const { return part(1); }
        float* given() const { return part(2); }            // what steps read; blind: the blurred image's spectrum
        float* lens() const { return part(3); }             // blind: the point-spread function's spectrum
        float* spread() const { return part(4); }           // blind only, and so the next two
        float* image_numerator() const { return part(5); }  // spectra
        float* spread_numerator() const { return part(6); }
        float* difference() const { return floats_.data(); }
        Lens lens_view() const { return {lens(), difference()}; }

    private:
        float* part(std::size_t index) const { return floats_.data() + difference_floats_ + index * pixels_; }

        std::size_t pixels_;
        std::size_t difference_floats_;
        AlignedFloats floats_;
    };
    // Images of the call, and the one worked on.
    struct Job {
        const vdt_image& blurred;
        const vdt_image& spread;
        const vdt_image& restored;
        const vdt_image* final_spread;
        vdt_token* token;
        std::uint32_t index;
        std::uint32_t worker;  // whose tiles are used where the loops are not shared
        bool shared;
    };

    void restore(const Job& job, const Workspace& work);
    void iterate_blind(const Job& job, const Workspace& work);
    void iterate_known(const Job& job, const Workspace& work);
    void iterate_richardson_lucy(const Job& job, const Workspace& work);
    void prepare_lens(const Job& job, const Workspace& work);

    // body(strip, tile) and body(group), on all threads where the job is shared.
    template <class Body>
    void for_strips(const Job& job, const Body& body) const;
    template <class Body>
    void for_groups(const Job& job, const Body& body) const;
    void check_limit(const Job& job, std::uint32_t iteration) const;

    void load(const vdt_image& image, std::uint32_t index, std::uint32_t input, float* strips) const;
    void store(const float* strips, const vdt_image& image, std::uint32_t index) const;
    void to_spectrum(const float* strips, std::uint32_t strip, float* tile, float* spectrum) const;
    void to_strip(const float* spectrum, std::uint32_t strip, float* tile, float* rows) const;
    RestoreStrip strip_of(float* estimate, const float* given, std::uint32_t strip) const;
    float* tile_of(std::uint32_t worker) const { return tiles_.data() + std::size_t{2} * worker * fft_.tile_floats; }

    const Device& device_;
    RestoreShape shape_;
    const FftSideKernels& fft_;
    const RestoreSideKernels& kernels_;
    RestoreSpread spread_;
    std::uint32_t lanes_;
    AlignedFloats roots_;
    AlignedFloats tiles_;  // two for each worker
    std::vector<Workspace> workspaces_;
};

}  // namespace vedette::cpu
