// A screenshot, in every form a find needs; each is made once and shared by later finds.
#pragma once

#include "../core/image.h"
#include "features.h"
#include "pattern.h"
#include "workers.h"

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace vedette::host {

// A screenshot at one size, or a part of it: pixel (x, y) of `image` begins at ((left + x) * step_x, (top + y) *
// step_y) of the screenshot.
struct ScreenForm {
    std::shared_ptr<SharedImage> image;
    double step_x = 1;
    double step_y = 1;
    std::uint32_t left = 0;
    std::uint32_t top = 0;
};

// Thread-safe.
class Screen {
public:
    // `image`: GRAY8 or BGR8, as color_of gives it.
    explicit Screen(Image image);

    std::uint32_t width() const noexcept { return width_; }
    std::uint32_t height() const noexcept { return height_; }
    // No pixel has a colour; looked at once.
    bool only_gray();
    // The screenshot shrunk by `factor` (at least 1). Shrunk ones are kept within bounds, the longest unused goes
    // first.
    ScreenForm form(ColorMode mode, double factor, const Workers& workers);
    // The window of form() that covers this rectangle of the screenshot and `margin` of the form's pixels around it, as
    // far as the screenshot goes; made for this call alone.
    ScreenForm part(ColorMode mode, double factor, double x, double y, double w, double h, std::uint32_t margin,
                    const Workers& workers);
    // Features of a part of the screenshot, looked for on a copy shrunk by `reduction` (at least 1), in pixels of the
    // screenshot from the part's corner; the last ones asked for are kept. NULL as FeatureOperations.
    std::shared_ptr<const FeatureSet> features(const FeatureOperations& operations, const Window& part,
                                               double reduction, std::uint32_t most, const Workers& workers);
    // The screenshot as BGR8, a copy.
    Image picture() const;

private:
    struct Kept {
        ColorMode mode;
        std::uint32_t width, height;
        std::shared_ptr<SharedImage> image;
    };
    std::shared_ptr<SharedImage> original(ColorMode mode, const Workers& workers);  // under mutex_

    const std::uint32_t width_, height_;
    mutable std::mutex mutex_;
    std::shared_ptr<SharedImage> color_;  // BGR8; made from gray_ when a find needs it
    std::shared_ptr<SharedImage> gray_;   // GRAY8; made from color_ when a find needs it
    int only_gray_ = -1;                  // not looked at yet
    std::list<Kept> shrunk_;              // most recently used first
    std::mutex features_mutex_;
    std::shared_ptr<const FeatureSet> features_;
    Window features_part_;
    double features_reduction_ = 1;
    std::uint32_t features_most_ = 0;
    std::string features_by_;
};

}  // namespace vedette::host
