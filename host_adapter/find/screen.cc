#include "screen.h"

#include "import_pixels.h"
#include "resample.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vedette::host {
namespace {

// All shrunk copies together may take this many times the pixels of the screenshot: twenty factors from 1.1 to 2.5 make
// seven.
constexpr double kMostShrunkPixels = 8;

}  // namespace

Screen::Screen(Image image) : width_(image.width()), height_(image.height()) {
    const bool gray = image.format() == VDT_FORMAT_GRAY8;
    (gray ? gray_ : color_) = std::make_shared<SharedImage>(std::move(image));
    if (gray) only_gray_ = 1;
}

bool Screen::only_gray() {
    const std::lock_guard lock(mutex_);
    if (only_gray_ < 0) only_gray_ = has_only_gray(color_->image()) ? 1 : 0;
    return only_gray_ == 1;
}

std::shared_ptr<SharedImage> Screen::original(ColorMode mode, const Workers& workers) {
    if (mode == ColorMode::Gray) {
        if (!gray_) gray_ = std::make_shared<SharedImage>(gray_from_color(color_->image(), workers));
        return gray_;
    }
    if (!color_) color_ = std::make_shared<SharedImage>(color_from_gray(gray_->image(), workers));
    return color_;
}

Image Screen::picture() const {
    const std::lock_guard lock(mutex_);
    return color_ ? color_of(color_->image().view()) : color_from_gray(gray_->image());
}

ScreenForm Screen::form(ColorMode mode, double factor, const Workers& workers) {
    const std::uint32_t form_width = std::min(width_, scaled_side(width_, 1 / factor));
    const std::uint32_t form_height = std::min(height_, scaled_side(height_, 1 / factor));
    const double step_x = static_cast<double>(width_) / form_width;
    const double step_y = static_cast<double>(height_) / form_height;
    const std::lock_guard lock(mutex_);
    std::shared_ptr<SharedImage> full = original(mode, workers);
    if (form_width == width_ && form_height == height_) return {std::move(full), 1, 1};
    const auto found = std::find_if(shrunk_.begin(), shrunk_.end(), [&](const Kept& kept) {
        return kept.mode == mode && kept.width == form_width && kept.height == form_height;
    });
    if (found != shrunk_.end()) {
        shrunk_.splice(shrunk_.begin(), shrunk_, found);
    } else {
        auto image = std::make_shared<SharedImage>(shrink(full->image(), form_width, form_height, workers));
        shrunk_.push_front({mode, form_width, form_height, std::move(image)});
        const auto pixels = [](const Kept& kept) { return static_cast<double>(kept.width) * kept.height; };
        double room = kMostShrunkPixels * width_ * height_;
        const auto first_beyond = std::find_if(shrunk_.begin(), shrunk_.end(), [&](const Kept& kept) {
            room -= pixels(kept);
            return room < 0;
        });
        shrunk_.erase(first_beyond, shrunk_.end());
    }
    return {shrunk_.front().image, step_x, step_y};
}

ScreenForm Screen::part(ColorMode mode, double factor, double x, double y, double w, double h, std::uint32_t margin,
                        const Workers& workers) {
    const std::uint32_t form_width = std::min(width_, scaled_side(width_, 1 / factor));
    const std::uint32_t form_height = std::min(height_, scaled_side(height_, 1 / factor));
    ScreenForm result;
    result.step_x = static_cast<double>(width_) / form_width;
    result.step_y = static_cast<double>(height_) / form_height;
    std::shared_ptr<SharedImage> full;
    {
        const std::lock_guard lock(mutex_);
        full = original(mode, workers);
    }
    const auto span = [margin](double begin, double size, double step, std::uint32_t whole, std::uint32_t& out_begin,
                               std::uint32_t& out_size) {
        const double first = std::clamp(std::floor(begin / step) - margin, 0.0, whole - 1.0);
        const double last =
            std::clamp(std::ceil((begin + size) / step) + margin, first + 1, static_cast<double>(whole));
        out_begin = static_cast<std::uint32_t>(first);
        out_size = static_cast<std::uint32_t>(last - first);
    };
    Window window;
    span(x, w, result.step_x, form_width, window.x, window.w);
    span(y, h, result.step_y, form_height, window.y, window.h);
    result.left = window.x;
    result.top = window.y;
    result.image = std::make_shared<SharedImage>(shrink_part(full->image(), form_width, form_height, window, workers));
    return result;
}

std::shared_ptr<const FeatureSet> Screen::features(const FeatureOperations& operations, const Window& part,
                                                   double reduction, std::uint32_t most, const Workers& workers) {
    {
        const std::lock_guard lock(features_mutex_);
        const bool kept = features_ != nullptr && features_by_ == operations.made_by &&
                          features_reduction_ == reduction && features_most_ == most && features_part_.x == part.x &&
                          features_part_.y == part.y && features_part_.w == part.w && features_part_.h == part.h;
        if (kept) return features_;
    }
    // Outside the lock: nobody waits longer for another's features than his own time limit allows.
    std::shared_ptr<const FeatureSet> made;
    if (part.w == width_ && part.h == height_) {
        const ScreenForm whole = form(ColorMode::Gray, reduction, workers);
        made = operations.extract(*whole.image, nullptr, whole.step_x, whole.step_y, most);
    } else {
        const std::shared_ptr<SharedImage> whole = form(ColorMode::Gray, 1, workers).image;
        Image pixels(VDT_FORMAT_GRAY8, part.w, part.h);
        for (std::uint32_t y = 0; y < part.h; ++y)
            std::copy_n(whole->image().row(part.y + y) + part.x, part.w, pixels.row(y));
        const std::uint32_t width = std::min(part.w, scaled_side(part.w, 1 / reduction));
        const std::uint32_t height = std::min(part.h, scaled_side(part.h, 1 / reduction));
        if (width < part.w || height < part.h) pixels = shrink(pixels, width, height, workers);
        SharedImage shared(std::move(pixels));
        made = operations.extract(shared, nullptr, static_cast<double>(part.w) / width,
                                  static_cast<double>(part.h) / height, most);
    }
    const std::lock_guard lock(features_mutex_);
    features_ = made;
    features_part_ = part;
    features_reduction_ = reduction;
    features_most_ = most;
    features_by_ = operations.made_by;
    return made;
}

}  // namespace vedette::host
