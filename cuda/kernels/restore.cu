// Which form of the loop restores an image, and its start.
#include "kernels/restore_forms.cuh"
#include "runtime/asked_once.h"
#include "runtime/launch.h"

namespace vedette::cuda {

namespace {

// A cluster restores one image sooner, a block many images with less work between multiprocessors: clusters are for
// batches of which at least half can be on the device at once (estimate). Both do the same arithmetic in the same
// order, so that an image of a batch is restored as it is alone.
constexpr std::uint32_t most_rounds_of_clusters = 2;

LaunchShape shape_of(const RestoreForm& form, std::uint32_t images) {
    LaunchShape shape;
    shape.grid = dim3(form.blocks * images);
    shape.block = dim3(form.threads);
    shape.shared_bytes = form.shared_bytes;
    shape.cluster = form.cluster;
    shape.cooperative = form.cooperative;
    return shape;
}

unsigned ask_images_at_once(const DeviceLimits& limits, const RestoreForm& form) {
    allow_shared(form.kernel, form.shared_bytes);
    if (form.cluster > 1)
        return limits.clusters ? static_cast<unsigned>(clusters_at_once(form.kernel, shape_of(form, 1))) : 0;
    if (form.cooperative && !limits.cooperative) return 0;
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, form.kernel, static_cast<int>(form.threads),
                                                        form.shared_bytes),
          "asking how many blocks fit");
    return static_cast<unsigned>(blocks * limits.multiprocessors) / form.blocks;
}

// How many images of the form the device can hold at once.
unsigned images_at_once(const DeviceLimits& limits, const RestoreForm& form) {
    static AskedOnce asked;
    if (form.kernel == nullptr || form.shared_bytes > limits.shared_bytes) return 0;
    return asked(limits.ordinal, form.kernel, [&] { return ask_images_at_once(limits, form); });
}

}  // namespace

RestoreForm restore_form(const DeviceLimits& limits, std::uint32_t side, std::uint32_t batch, RestoreMethod method) {
    const RestoreForm block = restore_block_form(side, method);
    const bool block_fits = images_at_once(limits, block) != 0;
    for (const unsigned blocks : {16u, 8u}) {
        const RestoreForm cluster = restore_cluster_form(side, blocks, method);
        const unsigned images = images_at_once(limits, cluster);
        if (images != 0 && (!block_fits || batch <= most_rounds_of_clusters * images)) return cluster;
    }
    if (block_fits) return block;
    for (const bool lean : {false, true}) {
        RestoreForm grid = restore_grid_form(side, lean, method);
        grid.most_images = images_at_once(limits, grid);
        if (grid.most_images != 0) return grid;
    }
    return {};
}

void restore(const RestoreForm& form, const RestoreJob& job, std::uint32_t images, cudaStream_t stream) {
    launch(form.kernel, shape_of(form, images), stream, job);
}

}  // namespace vedette::cuda
