#include "pattern.h"

#include "../core/failure.h"
#include "evidence.h"
#include "import_pixels.h"
#include "resample.h"

#include <algorithm>
#include <string>
#include <utility>

namespace vedette::host {
namespace {

// Forms a pattern keeps: the automatic scales with their coarse copies fit; more go, the longest unused first.
constexpr std::size_t kMostForms = 96;

Image copy_of(const Image& image) {
    Image copy(image.format(), image.width(), image.height());
    const std::size_t bytes = std::size_t{image.width()} * bytes_per_pixel(image.format());
    for (std::uint32_t y = 0; y < image.height(); ++y) std::copy_n(image.row(y), bytes, copy.row(y));
    return copy;
}

}  // namespace

PatternForm::PatternForm(Image image, Image mask)
    : image_(std::make_unique<SharedImage>(std::move(image))),
      mask_(mask.empty() ? nullptr : std::make_unique<SharedImage>(std::move(mask))),
      appearance_(pixels(), mask_pixels()) {}

PixelView PatternForm::pixels() const noexcept {
    return view_of(image_->image());
}

PixelView PatternForm::mask_pixels() const noexcept {
    return mask_ ? view_of(mask_->image()) : PixelView{};
}

double PatternForm::samples(const Workers& workers) const {
    const std::lock_guard lock(mutex_);
    if (samples_ < 0) samples_ = effective_samples(pixels(), mask_pixels(), workers);
    return samples_;
}

Pattern::Pattern(const vdt_image& view) : color_(color_of(view)), alpha_(alpha_of(view)) {
    std::uint64_t counted = 0;
    mask_ = mask_from_alpha(alpha_, width(), height(), excluded_, counted);
    if (counted == 0)
        throw Failure(VDT_E_ARGUMENT, "The pattern is transparent everywhere, so there is nothing to look for.");
    if (mask_.empty()) alpha_ = Image();
    only_gray_ = has_only_gray(color_);
}

void Pattern::exclude(const std::vector<vdt_rect>& areas) {
    std::vector<vdt_rect> excluded = excluded_;
    excluded.insert(excluded.end(), areas.begin(), areas.end());
    std::uint64_t counted = 0;
    Image mask = mask_from_alpha(alpha_, width(), height(), excluded, counted);
    if (counted == 0)
        throw Failure(VDT_E_ARGUMENT, "The excluded rectangles cover everything that is visible of the pattern.");
    const std::lock_guard lock(mutex_);
    excluded_ = std::move(excluded);
    mask_ = std::move(mask);
    forms_.clear();
    features_.reset();
}

std::shared_ptr<const PatternForm> Pattern::form(ColorMode mode, double factor, const Workers& workers) {
    const std::uint32_t form_width = std::min(width(), scaled_side(width(), factor));
    const std::uint32_t form_height = std::min(height(), scaled_side(height(), factor));
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(forms_.begin(), forms_.end(), [&](const Kept& kept) {
        return kept.mode == mode && kept.width == form_width && kept.height == form_height;
    });
    if (found != forms_.end()) {
        forms_.splice(forms_.begin(), forms_, found);
        return forms_.front().form;
    }
    forms_.push_front({mode, form_width, form_height, make_form(mode, form_width, form_height, workers)});
    if (forms_.size() > kMostForms) forms_.pop_back();
    return forms_.front().form;
}

std::shared_ptr<const FeatureSet> Pattern::features(const FeatureOperations& operations, double reduction,
                                                    std::uint32_t most, const Workers& workers) {
    {
        const std::lock_guard lock(features_mutex_);
        if (features_ != nullptr && features_by_ == operations.made_by && features_reduction_ == reduction &&
            features_most_ == most)
            return features_;
    }
    const std::shared_ptr<const PatternForm> shrunk = form(ColorMode::Gray, 1 / reduction, workers);
    if (shrunk == nullptr) return nullptr;
    std::shared_ptr<const FeatureSet> made =
        operations.extract(shrunk->image(), shrunk->mask(), static_cast<double>(width()) / shrunk->width(),
                           static_cast<double>(height()) / shrunk->height(), most);
    const std::lock_guard lock(features_mutex_);
    features_ = made;
    features_by_ = operations.made_by;
    features_reduction_ = reduction;
    features_most_ = most;
    return made;
}

std::shared_ptr<const PatternForm> Pattern::make_form(ColorMode mode, std::uint32_t form_width,
                                                      std::uint32_t form_height, const Workers& workers) const {
    Image image;
    if (mode == ColorMode::Gray)
        image = color_.format() == VDT_FORMAT_GRAY8 ? copy_of(color_) : gray_from_color(color_);
    else
        image = color_.format() == VDT_FORMAT_GRAY8 ? color_from_gray(color_) : copy_of(color_);
    const bool same_size = form_width == width() && form_height == height();
    if (!same_size) image = shrink(image, form_width, form_height, workers);
    Image mask;
    if (!mask_.empty()) {
        std::uint64_t counted = 1;
        mask = same_size ? copy_of(mask_) : shrink_mask(mask_, form_width, form_height, counted);
        if (counted == 0) return nullptr;
    }
    return std::make_shared<const PatternForm>(std::move(image), std::move(mask));
}

}  // namespace vedette::host
