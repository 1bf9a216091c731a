// Searches an image with a cascade: cv::CascadeClassifier::detectMultiScale, the same windows and weights.
//
// The work is cut into sections: some rows of windows of one scaled image, for one worker. A section goes from strip to
// strip of columns, and down each strip in bands of a few rows of windows, for which it scales the pixels and sums them
// up; so everything a band needs stays in the nearest caches, and of the scaled images none is ever whole.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cascade/model.h"
#include "cascade/program.h"
#include "cascade/resampling.h"
#include "cascade/scales.h"
#include "group/rectangle.h"
#include "kernels/cascade.h"
#include "op.h"

namespace vedette::cpu::cascade {

using namespace vedette::cascade;

// A window that passed all stages, in pixels of the image; the score is the sum of the last stage.
using Found = GroupRectangle;

// Made for one size of image; one run at a time.
class Detector {
public:
    Detector(const Device& device, Model model, const Search& search, std::uint32_t width, std::uint32_t height);
    ~Detector();

    // Of all workers, for a model of which the window is known.
    static std::uint64_t scratch_bytes(const Device& device, const Model& model);

    // All windows, by scale, then row, then column. The result belongs to the detector until the next run. Throws
    // Failure when cancelled.
    const std::vector<Found>& run(const vdt_image& image, vdt_token* token);

private:
    struct Level {
        Scale scale;
        bool is_source;  // of the image's own size
        Axis rows;
        Columns columns;
    };
    struct Section {
        std::uint32_t level;
        std::uint32_t first_row, rows;  // of windows
    };
    struct Scratch;

    void search_section(const vdt_image& image, std::uint32_t section, Scratch& scratch, vdt_token* token);
    void search_strip(const vdt_image& image, const Section& section, std::uint32_t column, Scratch& scratch,
                      vdt_token* token);
    void make_row(const vdt_image& image, const Level& level, std::uint32_t y, std::uint32_t x, std::uint32_t count,
                  Scratch& scratch, std::uint8_t* out) const;
    const Program& program_of(const Level& level) const { return *programs_[level.scale.step == 2 ? 1 : 0]; }
    const Layout& layout_of(const Level& level) const { return layouts_[level.scale.step == 2 ? 1 : 0]; }

    const Device& device_;
    const CascadeKernels& kernels_;
    Model model_;
    Layout layouts_[2];
    std::unique_ptr<Program> programs_[2];
    std::vector<Level> levels_;
    std::vector<Section> sections_;  // in the order of the result
    std::vector<std::uint32_t> by_size_;
    std::vector<std::vector<Found>> found_in_;  // each section
    std::vector<std::unique_ptr<Scratch>> scratch_;
    std::vector<Found> found_;
};

}  // namespace vedette::cpu::cascade
