// An element to look for, in every form a find needs: colour or gray, at each size, with mask and statistics.
#pragma once

#include "../core/image.h"
#include "appearance.h"
#include "features.h"
#include "workers.h"

#include <vedette/plugin/image.h>

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace vedette::host {

enum class ColorMode { Gray, Color };

enum class LastSearch : std::uint8_t { none, saw, missed };

// A pattern in one colour mode at one size. Thread-safe; pixels and mask may be kept by devices.
class PatternForm {
public:
    // `image` GRAY8 or BGR8, `mask` GRAY8 of its size or empty. At least one pixel counts.
    PatternForm(Image image, Image mask);

    SharedImage& image() const noexcept { return *image_; }
    SharedImage* mask() const noexcept { return mask_.get(); }  // NULL: every pixel counts
    PixelView pixels() const noexcept;
    PixelView mask_pixels() const noexcept;  // empty without a mask
    const Appearance& appearance() const noexcept { return appearance_; }
    std::uint32_t width() const noexcept { return appearance_.width(); }
    std::uint32_t height() const noexcept { return appearance_.height(); }
    // effective_samples() of the pattern, computed at the first call; the loops run on `workers`.
    double samples(const Workers& workers) const;
    // Whether the last search saw it somewhere at its threshold. What was there is likely still there, and what was
    // missing is likely still missing: a tool waits for it.
    LastSearch last_search() const noexcept { return last_search_.load(std::memory_order_relaxed); }
    void note_search(bool seen) const noexcept {
        last_search_.store(seen ? LastSearch::saw : LastSearch::missed, std::memory_order_relaxed);
    }

private:
    std::unique_ptr<SharedImage> image_;
    std::unique_ptr<SharedImage> mask_;
    Appearance appearance_;
    mutable std::mutex mutex_;
    mutable double samples_ = -1;
    mutable std::atomic<LastSearch> last_search_{LastSearch::none};
};

class Pattern {
public:
    // Any format color_of takes. Failure VDT_E_ARGUMENT when nothing of the pattern is visible.
    explicit Pattern(const vdt_image& view);

    std::uint32_t width() const noexcept { return color_.width(); }
    std::uint32_t height() const noexcept { return color_.height(); }
    bool only_gray() const noexcept { return only_gray_; }

    // Adds areas that take no part. Failure VDT_E_ARGUMENT when nothing would be left; the pattern is then as before.
    // Not while another thread uses the pattern.
    void exclude(const std::vector<vdt_rect>& areas);

    // The form at `factor` of the size (at most 1), kept for later calls. NULL when nothing that counts is left at that
    // size. Thread rule: any.
    std::shared_ptr<const PatternForm> form(ColorMode mode, double factor, const Workers& workers);

    // Features under the mask, looked for on a copy shrunk by `reduction` (at least 1), in pixels of the pattern; the
    // last ones asked for are kept. NULL as FeatureOperations, and when nothing that counts is left at that size.
    std::shared_ptr<const FeatureSet> features(const FeatureOperations& operations, double reduction,
                                               std::uint32_t most, const Workers& workers);

private:
    struct Kept {
        ColorMode mode;
        std::uint32_t width, height;
        std::shared_ptr<const PatternForm> form;
    };
    std::shared_ptr<const PatternForm> make_form(ColorMode mode, std::uint32_t width, std::uint32_t height,
                                                 const Workers& workers) const;

    Image color_;  // GRAY8 or BGR8
    Image alpha_;  // or empty
    Image mask_;   // or empty
    std::vector<vdt_rect> excluded_;
    bool only_gray_ = false;
    std::mutex mutex_;
    std::list<Kept> forms_;  // most recently used first
    std::mutex features_mutex_;
    std::shared_ptr<const FeatureSet> features_;
    std::string features_by_;
    double features_reduction_ = 1;
    std::uint32_t features_most_ = 0;
};

}  // namespace vedette::host
