// restore: multiplicative iterative restoration (blind and with a known point-spread function) and Richardson-Lucy.
// Formulas: restore in vedette/plugin/ops.h.
#pragma once

#include "runtime/device.h"
#include "runtime/view.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace vedette::cuda {

struct Number;

enum class RestoreMethod : std::uint8_t { mia_blind, mia_known, richardson_lucy };

// What was wrong with the pixels: a row, or an image; -1: nothing. Any of several.
struct RestoreProblems {
    int blurred_row;   // of the blurred images: a value that is not finite
    int spread_row;    // of the point-spread functions: the same
    int negative_row;  // of the point-spread functions: a negative value
    int zero_image;    // a point-spread function of nothing but zeros
};

// Some iterations for some of the images. All memory is on the device, `problems` may be pinned.
struct RestoreJob {
    View<const float> blurred, spread;    // side x (side * batch)
    View<float> restored, final_spread;   // the same; the second for the blind method only
    const Number* roots = nullptr;        // exp(-2 pi i k / side)
    Number* state = nullptr;              // estimates between jobs of one run: RestoreForm::state_bytes an image
    Number* kept = nullptr;               // RestoreForm::kept_bytes an image of the job
    Number* exchange = nullptr;           // RestoreForm::exchange_bytes an image of the job
    unsigned* barrier = nullptr;          // zero before the first job
    RestoreProblems* problems = nullptr;  // written to where there are any, in a job that is the first
    std::uint32_t first_image = 0;
    std::uint32_t iterations = 0;
    bool first = false;  // the estimates come from the images
    bool last = false;   // the estimates go to the results
    float epsilon = 0;
};

// How one image is worked on, with all iterations of a job in one kernel.
struct RestoreForm {
    void (*kernel)(RestoreJob) = nullptr;
    const char* name = nullptr;
    unsigned blocks = 0;   // of an image
    unsigned cluster = 1;  // blocks of a cluster
    bool cooperative = false;
    unsigned threads = 0;  // of a block
    std::size_t shared_bytes = 0;
    std::size_t state_bytes = 0, kept_bytes = 0, exchange_bytes = 0;  // of an image
    std::uint32_t most_images = 0;                                    // of a job
};

// The form for squares of `side` (32, 64, 128, 256 or 512), of which there are `batch`, on the current device; allows
// its kernel what it needs. Without a kernel when the device has no room for one.
RestoreForm restore_form(const DeviceLimits& limits, std::uint32_t side, std::uint32_t batch, RestoreMethod method);

// Queues a job for `images` images, at most most_images.
void restore(const RestoreForm& form, const RestoreJob& job, std::uint32_t images, cudaStream_t stream);

}  // namespace vedette::cuda
