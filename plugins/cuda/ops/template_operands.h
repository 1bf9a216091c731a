// Patterns of template_find and template_map: read on the host, kept in device memory from call to call while their
// pixels stay.
#pragma once

#include "../operands.h"

#include <kernels/template_coarse_pattern.h>
#include <kernels/template_direct.h>
#include <kernels/template_gemm.h>
#include <kernels/template_pattern.h>
#include <kernels/template_zero_sum.h>

#include <optional>

namespace vedette::cuda_plugin {

inline int template_channels(vdt_format format) noexcept {
    return format == VDT_FORMAT_BGR8 ? 3 : 1;
}

// The part of `scene` (in device memory) that a pattern of w x h is searched in.
cuda::TemplateScene scene_of(const DeviceImage& scene, const vdt_rect& region, int w, int h);

// One pattern of a plan.
class PreparedPattern {
public:
    // Looks at the pixels and does nothing when they are those of the last call; else makes everything anew and waits
    // until it is on the device. `mask` may be of format NONE.
    void prepare(const Device& device, const vdt_image& image, const vdt_image& mask, cudaStream_t stream);

    const cuda::Pattern& pattern() const { return *pattern_; }
    // Grows with every change of the pixels.
    std::uint64_t version() const noexcept { return version_; }
    cuda::TemplateWords words() const;

    // For the matrix kernels, where cuda::gemm_takes the pattern; made on first use.
    struct Candidate {
        cuda::ZeroSumPattern coefficients;
        cuda::WindowPart part;
        cuda::QuadNorms quad;
        cuda::GemmOperand operand;
    };
    const Candidate& candidate(const Device& device, cudaStream_t stream);
    // Of its block means, for step 2 or 4 (template_coarse.h); `pattern.usable()` says whether there are any. Gray,
    // without a mask; made on first use.
    struct Coarse {
        cuda::CoarsePattern pattern;
        cuda::QuadNorms quad;
        cuda::GemmOperand operand;
    };
    const Coarse& coarse(const Device& device, int step, cudaStream_t stream);
    // Only without a mask.
    const cuda::GemmOperand& exact(const Device& device, cudaStream_t stream);

private:
    // The operand of height rows of width * channels coefficients, copied to `block`.
    struct Shape {
        int width, height, channels;
    };
    Shape own_shape() const { return {pattern_->width(), pattern_->height(), pattern_->channels()}; }
    static cuda::GemmOperand upload(const Device& device, const std::vector<std::int8_t>& coefficients,
                                    const Shape& shape, cuda::Block<std::uint32_t>& block, cudaStream_t stream);

    std::optional<cuda::Pattern> pattern_;
    cuda::Block<std::uint32_t> words_;
    std::uint64_t version_ = 0;
    std::optional<Candidate> candidate_;
    cuda::Block<std::uint32_t> candidate_words_;
    std::optional<Coarse> coarse_[2];  // of step 2 and 4
    cuda::Block<std::uint32_t> coarse_words_[2];
    std::optional<cuda::GemmOperand> exact_;
    cuda::Block<std::uint32_t> exact_words_;
};

}  // namespace vedette::cuda_plugin
