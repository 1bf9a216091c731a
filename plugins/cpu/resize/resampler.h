// The two ways of resampling behind resize. Each is made for one pair of shapes, keeps the scratch of its workers, and
// runs in one call at a time.
#pragma once

#include <memory>
#include <vector>

#include "kernels/resize.h"
#include "op.h"
#include "pixels.h"
#include "resize/request.h"
#include "resize/taps.h"

namespace vedette::cpu {

using imaging::area_taps;
using imaging::OutputArea;
using imaging::pair_taps;
using imaging::PairTap;
using imaging::Sampling;

// What a resampling is made for.
struct ResizeJob {
    vdt_format in_format, out_format;
    std::uint32_t in_width, in_height;
    OutputArea area;       // of the output that the picture fills
    double scale, offset;  // of the values, for a float output of an integer input; else 1 and 0
};

class Resampler {
public:
    virtual ~Resampler() = default;
    virtual void run(const vdt_image& in, const vdt_image& out, vdt_token* token) = 0;
};

// Bilinear, in single precision: rows are sampled across once and kept while the rows below need them.
std::unique_ptr<Resampler> make_bilinear(const Device& device, const ResizeJob& job, Sampling sampling);
// Exact area averages: covered rows are summed in whole numbers (floats in double precision), then across.
std::unique_ptr<Resampler> make_area(const Device& device, const ResizeJob& job);

// Whether both methods, by half pixels, come to means of two by two eight-bit pixels, read where they lie; and a
// resampler that needs no scratch for it.
bool is_halving(const Device& device, const ResizeJob& job);
std::unique_ptr<Resampler> make_halving(const Device& device, const ResizeJob& job);

// Output rows that one thread takes at a time.
std::uint32_t bilinear_grain(const ResizeJob& job);
std::uint32_t area_grain(const ResizeJob& job);

std::uint64_t bilinear_scratch_bytes(const Device& device, const ResizeJob& job);
std::uint64_t area_scratch_bytes(const Device& device, const ResizeJob& job);

}  // namespace vedette::cpu
