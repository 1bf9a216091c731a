// What the files of the OpenCV peer share.
#pragma once

#include "bench_peer.h"

#include <opencv2/core.hpp>

namespace vedette::bench {

// One call's arguments, as plugin/ops.h lays them out.
struct Call {
    const void* params;
    const vdt_image* const* inputs;
    const vdt_image* const* outputs;
    const vdt_list* const* lists_in;
    vdt_list* const* lists_out;
};

// The image's own memory, so that OpenCV writes where the other backends do and allocates nothing.
cv::Mat mat_of(const vdt_image* image, std::uint32_t plane = 0);

void feature_match(const Call& call);
void features(const Call& call);
void cascade_detect(const Call& call);
void fft2(const Call& call);
void filter(const Call& call);
void group(const Call& call);
void pyramid(const Call& call);
void resize(const Call& call);
void restore(const Call& call);

}  // namespace vedette::bench
