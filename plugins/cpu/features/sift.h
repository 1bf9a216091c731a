// SIFT, detection and description, with the results of OpenCV 4's cv::SIFT: first octave from the image enlarged twice,
// differences of Gaussians, 26 neighbours, Newton refinement, 36-bin directions, 4 x 4 x 8 descriptors.
//
// Octaves follow each other; each is swept downwards in bands of rows (octave.h). In a band the threads share the
// columns of every layer's blur, then the search, then the keypoints' directions and descriptors, which are taken while
// the layers' rows are there: no layer ever exists whole but the base of the next octave.
#pragma once

#include "features/octave.h"
#include "features/refine.h"
#include "features/strongest.h"
#include "op.h"

#include <memory>
#include <vector>

namespace vedette::cpu::features {

constexpr std::uint32_t most_octave_layers = 16;

struct SiftParameters {
    std::uint32_t octave_layers = 3;
    double sigma = 1.6;
};

// The parts of an image that SIFT allocates for.
struct SiftShape {
    ScaleSpace space;
    std::vector<OctavePlan> octaves;
    std::uint64_t row_floats = 0;    // of the rows of layers, of the octave that needs most
    std::uint64_t base_floats = 0;   // of the bases of all octaves but the first
    std::uint32_t source_slots = 0;  // rows of the enlarged image
    std::uint64_t bytes = 0;         // all memory but that for keypoints
};
SiftShape make_shape(const SiftParameters& parameters, std::uint32_t width, std::uint32_t height);

class Sift {
public:
    Sift(const Device& device, const SiftKernels& kernels, const SiftParameters& parameters, std::uint32_t width,
         std::uint32_t height);

    // Finds the `most` strongest keypoints of `image` (GRAY8) where `mask` (GRAY8, may be NULL) is not 0. The result is
    // valid until the next run. One run at a time. Throws Failure when the call ends early.
    Strongest& run(const vdt_image& image, const vdt_image* mask, const Tests& tests, std::uint64_t most,
                   vdt_token* token);

private:
    // Directions of one place.
    struct Peaks {
        std::uint32_t count = 0;
        float angle[18];  // a peak is above both neighbours: at most every second of 36 bins
    };
    struct Description {
        std::uint32_t slot, place;
        float angle;
    };
    struct Worker {
        std::vector<float> patch;  // scratch of directions and descriptors
        std::vector<float> blur;   // scratch of a row's blur
        std::vector<const float*> rows;
        std::vector<SiftExtremum> extrema;
        std::vector<Place> places;
    };
    // Part of a band that one thread works on at a time.
    struct Piece {
        std::uint32_t left, right, top, bottom;
    };

    void sweep(std::uint32_t octave, const vdt_image& image, const vdt_image* mask, vdt_token* token);
    void place_layers(std::uint32_t octave);
    void enlarge_rows(const vdt_image& image, std::uint32_t begin, std::uint32_t end, vdt_token* token);
    void make_rows(std::uint32_t octave, std::uint32_t layer, std::uint32_t begin, std::uint32_t end, vdt_token* token);
    void blur_piece(std::uint32_t octave, std::uint32_t layer, const Piece& piece, Worker& worker);
    void search(const OctaveStep& step, vdt_token* token);
    void search_piece(const Piece& piece, Worker& worker);
    void gather_places();
    void find_directions(vdt_token* token);
    void peaks_of(const Place& place, float* scratch, Peaks& peaks) const;
    void offer_keypoints(std::uint32_t octave, const vdt_image* mask);
    void describe(vdt_token* token);
    template <class Body>
    void for_pieces(std::uint32_t width, std::uint32_t begin, std::uint32_t end, vdt_token* token, const Body& body);

    const Device& device_;
    const SiftKernels& kernels_;
    SiftShape shape_;
    Tests tests_;
    float threshold_ = 0;  // of a difference, to be looked at at all
    std::vector<float> rows_, bases_, source_;
    std::vector<SiftLayer> base_layers_;  // of octave 1 and up
    SiftLayer source_layer_;
    std::vector<SiftLayer> layers_;    // of the octave being swept
    std::vector<std::uint32_t> have_;  // rows of its layers so far
    std::vector<Worker> workers_;
    std::vector<Place> places_, earlier_;  // of this band and of the one before
    std::vector<Peaks> peaks_;
    std::vector<Description> descriptions_;
    Strongest strongest_;
};

}  // namespace vedette::cpu::features
