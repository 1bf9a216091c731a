// fft2: transforms of squares. Formulas: fft2 in vedette/plugin/ops.h.
#pragma once

#include "runtime/device.h"
#include "runtime/view.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace vedette::cuda {

struct Number;

enum class Fft2Kind : std::uint8_t { complex_forward, complex_inverse, real_forward, real_inverse };

// The images of a batch below each other; widths are counted in floats. All memory is on the device.
struct Fft2Job {
    View<const float> in;
    View<float> out;
    const Number* roots = nullptr;  // exp(-2 pi i k / side)
    Number* scratch = nullptr;      // Fft2Form::scratch_bytes an image of the job
    std::uint32_t first_image = 0;
};

// How an image is transformed: in one kernel by a team, or its rows in one and its columns in another.
struct Fft2Form {
    void (*kernel)(Fft2Job) = nullptr;
    void (*second)(Fft2Job) = nullptr;  // NULL where one is enough
    const char* name = nullptr;
    unsigned blocks = 0;   // of an image
    unsigned cluster = 1;  // blocks of a cluster
    unsigned threads = 0;  // of a block
    std::size_t shared_bytes = 0;
    std::size_t scratch_bytes = 0;  // of an image
    std::uint32_t most_images = 0;  // of a job
};

// The form for squares of `side` (32, 64, 128, 256 or 512) on the current device; allows its kernels what they need.
Fft2Form fft2_form(const DeviceLimits& limits, std::uint32_t side, Fft2Kind kind);

// Queues a job for `images` images, at most most_images.
void fft2(const Fft2Form& form, const Fft2Job& job, std::uint32_t images, cudaStream_t stream);

// The forms of each kind, without regard to the device; without a kernel where there is none.
Fft2Form fft2_block_form(std::uint32_t side, Fft2Kind kind);
Fft2Form fft2_cluster_form(std::uint32_t side, Fft2Kind kind);
Fft2Form fft2_lines_form(std::uint32_t side, Fft2Kind kind);

}  // namespace vedette::cuda
