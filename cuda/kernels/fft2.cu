// Which form transforms an image, and its start.
#include "kernels/fft2.h"

#include "runtime/asked_once.h"
#include "runtime/launch.h"

namespace vedette::cuda {

namespace {

LaunchShape shape_of(const Fft2Form& form, std::uint32_t images) {
    LaunchShape shape;
    shape.grid = dim3(form.blocks * images);
    shape.block = dim3(form.threads);
    shape.shared_bytes = form.shared_bytes;
    shape.cluster = form.cluster;
    return shape;
}

bool fits(const DeviceLimits& limits, const Fft2Form& form) {
    static AskedOnce asked;
    if (form.kernel == nullptr || form.shared_bytes > limits.shared_bytes) return false;
    return asked(limits.ordinal, form.kernel, [&]() -> unsigned {
               allow_shared(form.kernel, form.shared_bytes);
               if (form.cluster == 1) return 1;
               return limits.clusters ? static_cast<unsigned>(clusters_at_once(form.kernel, shape_of(form, 1))) : 0;
           }) != 0;
}

}  // namespace

Fft2Form fft2_form(const DeviceLimits& limits, std::uint32_t side, Fft2Kind kind) {
    for (const Fft2Form& form : {fft2_block_form(side, kind), fft2_cluster_form(side, kind)})
        if (fits(limits, form)) return form;
    return fft2_lines_form(side, kind);
}

void fft2(const Fft2Form& form, const Fft2Job& job, std::uint32_t images, cudaStream_t stream) {
    launch(form.kernel, shape_of(form, images), stream, job);
    if (form.second != nullptr) launch(form.second, shape_of(form, images), stream, job);
}

}  // namespace vedette::cuda
