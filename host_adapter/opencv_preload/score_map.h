// OpenCV's matchTemplate on plain rows of pixels, computed by Vedette where it gives OpenCV's values. Knows no OpenCV,
// so it serves whatever layout a caller's images have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace vedette::compat {

// Rows of interleaved pixels, 8-bit or float. Row y begins at data + y * step; step in bytes.
struct Raster {
    const unsigned char* data = nullptr;  // NULL: no image (a mask left out)
    std::ptrdiff_t step = 0;
    int width = 0;
    int height = 0;
    int channels = 0;
    bool real = false;  // float
};

struct MapCall {
    Raster image, pattern, mask;
    int method = 0;        // OpenCV's number, which is ops.h's
    float* out = nullptr;  // (image - pattern + 1) values each way
    std::ptrdiff_t out_step = 0;
    std::uint32_t threads = 0;  // 0: as Vedette's configuration says
    // What OpenCV gives no sensible value for: 1 everywhere for a pattern without contrast, or not-a-number. false:
    // such calls are declined, so that the caller sees OpenCV's own values; true: they get those of ops.h.
    bool finite = false;
};

// Who did it ("cpu:0 exact"), or why nobody did, in a few words.
struct MapAnswer {
    std::string who;
    std::string declined;
};

// True: `out` holds the scores, equal to those of OpenCV 4.6's cv::matchTemplate but for its roundings, and finite
// where OpenCV divides by nothing (windows without contrast under a mask). False: declined, and `out` may be
// overwritten. Taken are 8-bit images of 1 to 4 channels and float ones whose values are bytes; masks of one channel or
// of equal ones, 8-bit or of 0 and 1. Throws std::bad_alloc. Thread rule: any.
bool score_map(const MapCall& call, MapAnswer& answer);

}  // namespace vedette::compat
