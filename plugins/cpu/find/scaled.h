// template_find at several scales: each scene size is made once and searched for all patterns and factors that are
// compared on it, which share its planes and the threads.
#pragma once

#include <vedette/plugin/cpp/template_scales.hpp>

#include <memory>
#include <vector>

#include "../resize/resampler.h"
#include "finder.h"

namespace vedette::cpu::find {

// One plan's state, as Finder's. Buffers are kept while scales and sizes stay.
class ScaledFinder {
public:
    explicit ScaledFinder(const Device& device) : device_(device) {}

    // Operation template_find with scales; the call was checked, the scales too.
    vdt_code find(const vdt_call& call);

private:
    // A pattern at a size that is not its own.
    struct Form {
        plugin::ScaledPixels pixels, mask;
        vdt_image image, mask_image;
    };
    // What a pattern of the inner search stands for.
    struct Asked {
        std::uint32_t pattern, scale, width, height;
    };
    // The scene at one size.
    struct Level {
        explicit Level(const Device& device) : finder(device) {}
        std::uint32_t width = 0, height = 0;
        plugin::ScaledPixels pixels;           // empty: the scene itself
        std::unique_ptr<Resampler> resampler;  // likewise
        std::vector<std::uint32_t> scales;
        std::vector<Form> forms;  // [index in scales][pattern]
        Finder finder;
        std::vector<Asked> asked;
        std::vector<const vdt_image*> inputs;
        std::vector<vdt_rect> exclude;
    };
    // The best items of a pattern so far, at most max_results, and how many there were.
    struct Kept {
        std::vector<vdt_item> items;
        std::uint64_t found = 0;
    };

    void arrange(const vdt_image& scene, const vdt_template_find_params& params);
    void search(Level& level, const vdt_call& call, const vdt_rect& region);
    // Lists the patterns of `call` at the level's scales that fit into the region and have something to compare.
    void ask(Level& level, const vdt_call& call, const vdt_rect& region);
    void take(Level& level, const vdt_image& scene, const vdt_template_find_params& params, const vdt_rect& region);

    const Device& device_;
    std::vector<std::unique_ptr<Level>> levels_;
    std::vector<double> scales_;  // that the levels are for
    vdt_format format_ = VDT_FORMAT_NONE;
    std::uint32_t width_ = 0, height_ = 0, patterns_ = 0;
    std::vector<Kept> kept_;  // of each pattern
    std::vector<Hit> hits_;
    std::vector<std::uint64_t> sums_;
};

}  // namespace vedette::cpu::find
