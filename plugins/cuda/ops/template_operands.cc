#include "template_operands.h"

#include "../streams.h"

#include <vector>

namespace vedette::cuda_plugin {

namespace {

// An image's rows where the host can read them.
struct HostRows {
    const std::uint8_t* first = nullptr;
    std::ptrdiff_t stride = 0;
    std::vector<std::uint8_t> copy;
};

HostRows host_rows(const vdt_image& image, int channels, cudaStream_t stream) {
    HostRows rows;
    if (image.format == VDT_FORMAT_NONE) return rows;
    const vdt_plane& plane = image.plane[0];
    const std::uint8_t* const first = static_cast<const std::uint8_t*>(plane.base) + plane.offset;
    if (image.ready != nullptr) cuda::check(cudaEventSynchronize(event_of(image.ready)), "waiting for a pattern");
    if (image.memory != VDT_MEMORY_DEVICE) {
        rows.first = first;
        rows.stride = static_cast<std::ptrdiff_t>(plane.row_stride);
        return rows;
    }
    const std::size_t row_bytes = std::size_t{image.width} * static_cast<std::size_t>(channels);
    rows.copy.resize(row_bytes * image.height);
    for (std::uint32_t y = 0; y < image.height; ++y)
        cuda::check(
            cudaMemcpyAsync(rows.copy.data() + y * row_bytes, first + static_cast<std::ptrdiff_t>(y) * plane.row_stride,
                            row_bytes, cudaMemcpyDeviceToHost, stream),
            "copying a pattern");
    cuda::synchronize(stream);
    rows.first = rows.copy.data();
    rows.stride = static_cast<std::ptrdiff_t>(row_bytes);
    return rows;
}

}  // namespace

cuda::TemplateScene scene_of(const DeviceImage& scene, const vdt_rect& region, int w, int h) {
    cuda::TemplateScene result;
    result.channels = template_channels(scene.format);
    result.bytes = scene.view<const std::uint8_t>(result.channels);
    result.left = region.x;
    result.top = region.y;
    result.columns = region.w - w + 1;
    result.rows = region.h - h + 1;
    return result;
}

void PreparedPattern::prepare(const Device& device, const vdt_image& image, const vdt_image& mask,
                              cudaStream_t stream) {
    const int channels = template_channels(image.format);
    const HostRows pixels = host_rows(image, channels, stream);
    const HostRows taken = host_rows(mask, 1, stream);
    const cuda::PatternRows rows{pixels.first,
                                 pixels.stride,
                                 taken.first,
                                 taken.stride,
                                 static_cast<int>(image.width),
                                 static_cast<int>(image.height),
                                 channels};
    if (pattern_ && pattern_->same(rows)) return;
    // A failure on the way must not leave a pattern with another's words.
    pattern_.reset();
    candidate_.reset();
    for (std::optional<Coarse>& coarse : coarse_) coarse.reset();
    exact_.reset();
    cuda::Pattern made(rows);
    const std::vector<std::uint32_t> words = made.words();
    cuda::make_room(words_, device.cuda.memory, words.size(), stream);
    cuda::check(cudaMemcpyAsync(words_.data(), words.data(), words.size() * sizeof(std::uint32_t),
                                cudaMemcpyHostToDevice, stream),
                "copying a pattern");
    cuda::synchronize(stream);
    pattern_.emplace(std::move(made));
    ++version_;
}

cuda::TemplateWords PreparedPattern::words() const {
    cuda::TemplateWords words;
    words.width = pattern_->width();
    words.height = pattern_->height();
    words.words = (pattern_->width() * pattern_->channels() + 3) / 4;
    words.stride = pattern_->words_stride();
    words.pixels = words_.data();
    words.mask = words_.data() + static_cast<std::size_t>(words.stride) * static_cast<std::size_t>(words.height);
    return words;
}

cuda::GemmOperand PreparedPattern::upload(const Device& device, const std::vector<std::int8_t>& coefficients,
                                          const Shape& shape, cuda::Block<std::uint32_t>& block, cudaStream_t stream) {
    const std::vector<std::uint32_t> words = cuda::gemm_words(coefficients, shape.width, shape.height, shape.channels);
    cuda::make_room(block, device.cuda.memory, words.size(), stream);
    cuda::check(cudaMemcpyAsync(block.data(), words.data(), words.size() * sizeof(std::uint32_t),
                                cudaMemcpyHostToDevice, stream),
                "copying a pattern");
    cuda::synchronize(stream);
    cuda::GemmOperand operand = cuda::gemm_shape(shape.width, shape.height, shape.channels);
    operand.words = block.data();
    return operand;
}

const PreparedPattern::Candidate& PreparedPattern::candidate(const Device& device, cudaStream_t stream) {
    if (candidate_) return *candidate_;
    Candidate made;
    made.coefficients = cuda::zero_sum(*pattern_);
    made.part = cuda::largest_taken_part(*pattern_);
    made.quad = cuda::quad_norms(made.coefficients, *pattern_, made.part);
    made.operand = upload(device, made.coefficients.values, own_shape(), candidate_words_, stream);
    return candidate_.emplace(std::move(made));
}

const PreparedPattern::Coarse& PreparedPattern::coarse(const Device& device, int step, cudaStream_t stream) {
    const std::size_t place = step == 2 ? 0 : 1;
    std::optional<Coarse>& kept = coarse_[place];
    if (kept) return *kept;
    Coarse made;
    made.pattern = cuda::coarse_pattern(*pattern_, step);
    if (made.pattern.usable()) {
        made.quad = cuda::quad_norms(made.pattern.spread, *pattern_, {0, 0, pattern_->width(), pattern_->height()});
        made.operand = upload(device, made.pattern.blocks, {made.pattern.width, made.pattern.height, 1},
                              coarse_words_[place], stream);
    }
    return kept.emplace(std::move(made));
}

const cuda::GemmOperand& PreparedPattern::exact(const Device& device, cudaStream_t stream) {
    if (exact_) return *exact_;
    return exact_.emplace(upload(device, cuda::less_128(*pattern_), own_shape(), exact_words_, stream));
}

}  // namespace vedette::cuda_plugin
