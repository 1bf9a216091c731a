#include "ops/restorer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "formats.h"
#include "kernels/per_isa.h"
#include "ops/fft_kernels.h"
#include "parallel.h"

namespace vedette::cpu {

VEDETTE_CPU_KERNELS(RestoreKernels, restore_kernels)

namespace {

// A single image of this side is shared by the threads, whose waking every loop has to outlast (2-core Zen 3 VM, AVX2,
// ten iterations of Richardson-Lucy: of 64 0.23 ms shared and 0.11 on one thread, of 128 0.77 and 0.49; of 256 the
// loops are those of fft2, where sharing begins to gain: here 3.7 and 3.4 with the second core partly in use).
constexpr std::uint32_t fewest_shared_side = 256;
constexpr std::uint32_t iterations_between_checks = 16;

const FftSideKernels& fft_for(const Device& device, const RestoreShape& shape) {
    return fft_kernels_of(device.isa).sides[fft_side_index(shape.side)];
}

std::size_t tile_count(const Device& device, const RestoreShape& shape) {
    return 2 * (restore_spread(device, shape) == RestoreSpread::one_thread ? std::size_t{1} : device.workers);
}
std::size_t workspace_count(const Device& device, const RestoreShape& shape) {
    return restore_spread(device, shape) == RestoreSpread::over_images ? device.workers : 1;
}

}  // namespace

RestoreSpread restore_spread(const Device& device, const RestoreShape& shape) noexcept {
    if (device.workers == 1) return RestoreSpread::one_thread;
    if (shape.side >= fewest_shared_side && shape.batch < 2 * device.workers) return RestoreSpread::inside_images;
    return shape.batch == 1 ? RestoreSpread::one_thread : RestoreSpread::over_images;
}

std::size_t Restorer::Workspace::floats(const RestoreShape& shape, const FftSideKernels& kernels) {
    return (shape.is_blind() ? 7 : 4) * shape.pixels() + kernels.tile_floats;
}

Restorer::Workspace::Workspace(const RestoreShape& shape, const FftSideKernels& kernels)
    : pixels_(shape.pixels()), difference_floats_(kernels.tile_floats), floats_(floats(shape, kernels)) {}

std::uint64_t Restorer::scratch_bytes(const Device& device, const RestoreShape& shape) {
    const FftSideKernels& kernels = fft_for(device, shape);
    return sizeof(float) * (workspace_count(device, shape) * Workspace::floats(shape, kernels) +
                            tile_count(device, shape) * kernels.tile_floats);
}

Restorer::Restorer(const Device& device, const RestoreShape& shape)
    : device_(device),
      shape_(shape),
      fft_(fft_for(device, shape)),
      kernels_(select_restore_kernels(device.isa).sides[fft_side_index(shape.side)]),
      spread_(restore_spread(device, shape)),
      lanes_(fft_kernels_of(device.isa).lanes),
      roots_(make_fft_roots(shape.side)),
      tiles_(tile_count(device, shape) * fft_.tile_floats) {
    const std::size_t count = workspace_count(device, shape);
    workspaces_.reserve(count);
    for (std::size_t index = 0; index < count; ++index) workspaces_.emplace_back(shape, fft_);
}

// ---- Loops --------------------------------------------------------------------------------------------------------

template <class Body>
void Restorer::for_strips(const Job& job, const Body& body) const {
    const auto piece = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
        for (std::uint32_t strip = begin; strip < end; ++strip) body(strip, tile_of(worker));
    };
    if (job.shared)
        parallel_for(device_, job.token, 0, fft_.real_strips, 1, piece);
    else
        piece(0, fft_.real_strips, job.worker);
}

template <class Body>
void Restorer::for_groups(const Job& job, const Body& body) const {
    const auto piece = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
        for (std::uint32_t group = begin; group < end; ++group) body(group);
    };
    if (job.shared)
        parallel_for(device_, job.token, 0, fft_.real_groups, 1, piece);
    else
        piece(0, fft_.real_groups, 0);
}

void Restorer::check_limit(const Job& job, std::uint32_t iteration) const {
    if (iteration % iterations_between_checks == 0) throw_if_cancelled(device_, job.token);
}

// ---- Between images and strips ------------------------------------------------------------------------------------

void Restorer::load(const vdt_image& image, std::uint32_t index, std::uint32_t input, float* strips) const {
    const std::uint32_t side = shape_.side, half = side / 2;
    const std::size_t strip_floats = fft_.tile_floats;
    float largest = 0;
    for (std::uint32_t y = 0; y < side; ++y) {
        const auto* const row = row_of<const float>(image, 0, index * side + y);
        bool finite = true;
        for (std::uint32_t x = 0; x < side; ++x) finite &= std::abs(row[x]) <= std::numeric_limits<float>::max();
        if (!finite)
            throw Failure(VDT_E_ARGUMENT, "restore: input " + std::to_string(input) + " holds a value in row " +
                                              std::to_string(index * side + y) + " that is not finite");
        float* to = strips + std::size_t{2} * lanes_ * y;
        for (std::uint32_t x = 0; x < half; x += lanes_, to += strip_floats)
            for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
                to[lane] = std::max(row[x + lane], 0.0F);
                to[lanes_ + lane] = std::max(row[half + x + lane], 0.0F);
            }
        if (input == 0) continue;
        for (std::uint32_t x = 0; x < side; ++x) largest = std::max(largest, row[x]);
        if (*std::min_element(row, row + side) < 0)
            throw Failure(VDT_E_ARGUMENT, "restore: the point-spread function has a negative value in row " +
                                              std::to_string(index * side + y));
    }
    if (input == 1 && largest == 0)
        throw Failure(VDT_E_ARGUMENT, "restore: the point-spread function of image " + std::to_string(index) +
                                          " is zero everywhere; it must have at least one positive value");
}

void Restorer::store(const float* strips, const vdt_image& image, std::uint32_t index) const {
    const std::uint32_t half = shape_.side / 2;
    for (std::uint32_t y = 0; y < shape_.side; ++y) {
        auto* const row = row_of<float>(image, 0, index * shape_.side + y);
        const float* from = strips + std::size_t{2} * lanes_ * y;
        for (std::uint32_t x = 0; x < half; x += lanes_, from += fft_.tile_floats) {
            std::memcpy(row + x, from, lanes_ * sizeof(float));
            std::memcpy(row + half + x, from + lanes_, lanes_ * sizeof(float));
        }
    }
}

void Restorer::to_spectrum(const float* strips, std::uint32_t strip, float* tile, float* spectrum) const {
    const float* const rows = strips + std::size_t{strip} * fft_.tile_floats;
    fft_.real_columns_forward(roots_.data(), rows, rows + lanes_, std::ptrdiff_t{8} * lanes_, tile, spectrum, strip);
}

void Restorer::to_strip(const float* spectrum, std::uint32_t strip, float* tile, float* rows) const {
    fft_.real_columns_inverse(roots_.data(), spectrum, strip, tile, rows, rows + lanes_, std::ptrdiff_t{8} * lanes_);
}

RestoreStrip Restorer::strip_of(float* estimate, const float* given, std::uint32_t strip) const {
    const std::size_t at = std::size_t{strip} * fft_.tile_floats;
    return {estimate + at, given + at, shape_.epsilon};
}

// ---- Methods ------------------------------------------------------------------------------------------------------

// The point-spread function's spectrum, transformed along its rows too, in place of the estimate; and its lens.
void Restorer::prepare_lens(const Job& job, const Workspace& work) {
    load(job.spread, job.index, 1, work.given());
    for_strips(job, [&](std::uint32_t strip, float* tile) { to_spectrum(work.given(), strip, tile, work.estimate()); });
    for_groups(job, [&](std::uint32_t group) {
        fft_.rows_forward(roots_.data(), work.estimate() + std::size_t{group} * fft_.group_floats);
        kernels_.make_lens(work.estimate(), group, work.lens(), work.difference());
    });
}

void Restorer::iterate_richardson_lucy(const Job& job, const Workspace& work) {
    prepare_lens(job, work);
    load(job.blurred, job.index, 0, work.given());
    std::copy_n(work.given(), shape_.pixels(), work.estimate());
    for_strips(job,
               [&](std::uint32_t strip, float* tile) { to_spectrum(work.estimate(), strip, tile, work.spectrum()); });
    for (std::uint32_t iteration = 0; iteration < shape_.iterations; ++iteration) {
        check_limit(job, iteration);
        for_groups(job, [&](std::uint32_t group) {
            kernels_.through(roots_.data(), work.spectrum(), group, work.lens_view());
        });
        for_strips(job, [&](std::uint32_t strip, float* tile) {
            kernels_.quotient_step(roots_.data(), work.spectrum(), strip, tile,
                                   strip_of(work.estimate(), work.given(), strip), false);
        });
        for_groups(job, [&](std::uint32_t group) {
            kernels_.through_conjugate(roots_.data(), work.spectrum(), group, work.lens_view());
        });
        for_strips(job, [&](std::uint32_t strip, float* tile) {
            kernels_.product_step(roots_.data(), work.spectrum(), strip, tile,
                                  strip_of(work.estimate(), work.given(), strip), iteration + 1 == shape_.iterations);
        });
    }
}

void Restorer::iterate_known(const Job& job, const Workspace& work) {
    prepare_lens(job, work);
    load(job.blurred, job.index, 0, work.given());
    // The numerator IFFT(conj(H) G) is the same in every iteration; then only |H|^2 is needed.
    for_strips(job, [&](std::uint32_t strip, float* tile) { to_spectrum(work.given(), strip, tile, work.spectrum()); });
    for_groups(job, [&](std::uint32_t group) {
        kernels_.through_conjugate(roots_.data(), work.spectrum(), group, work.lens_view());
    });
    for_groups(job, [&](std::uint32_t group) {
        kernels_.make_power_lens(work.estimate(), group, work.lens(), work.difference());
    });
    std::copy_n(work.given(), shape_.pixels(), work.estimate());
    for_strips(job, [&](std::uint32_t strip, float* tile) {
        to_strip(work.spectrum(), strip, tile, work.given() + std::size_t{strip} * fft_.tile_floats);
        to_spectrum(work.estimate(), strip, tile, work.spectrum());
    });
    for (std::uint32_t iteration = 0; iteration < shape_.iterations; ++iteration) {
        check_limit(job, iteration);
        for_groups(job, [&](std::uint32_t group) {
            kernels_.through_real(roots_.data(), work.spectrum(), group, work.lens_view());
        });
        for_strips(job, [&](std::uint32_t strip, float* tile) {
            kernels_.ratio_step(roots_.data(), work.spectrum(), strip, tile,
                                strip_of(work.estimate(), work.given(), strip), iteration + 1 == shape_.iterations);
        });
    }
}

// Both halves of an iteration begin from the same image and point-spread function: six transforms.
void Restorer::iterate_blind(const Job& job, const Workspace& work) {
    load(job.spread, job.index, 1, work.spread());
    load(job.blurred, job.index, 0, work.estimate());
    for_strips(job, [&](std::uint32_t strip, float* tile) {
        to_spectrum(work.spread(), strip, tile, work.lens());
        to_spectrum(work.estimate(), strip, tile, work.given());
    });
    std::copy_n(work.given(), shape_.pixels(), work.spectrum());
    for_groups(job, [&](std::uint32_t group) {
        fft_.rows_forward(roots_.data(), work.given() + std::size_t{group} * fft_.group_floats);
    });
    const auto half = [&](float* numerator, float* denominator, float* estimate, std::uint32_t strip, float* tile,
                          bool last) {
        float* const rows = tile + fft_.tile_floats;  // the second tile
        to_strip(numerator, strip, tile, rows);
        RestoreStrip images = strip_of(estimate, nullptr, strip);
        images.given = rows;
        kernels_.ratio_step(roots_.data(), denominator, strip, tile, images, last);
    };
    for (std::uint32_t iteration = 0; iteration < shape_.iterations; ++iteration) {
        check_limit(job, iteration);
        for_groups(job, [&](std::uint32_t group) {
            const std::size_t at = std::size_t{group} * fft_.group_floats;
            fft_.rows_forward(roots_.data(), work.spectrum() + at);
            fft_.rows_forward(roots_.data(), work.lens() + at);
            kernels_.products(work.spectrum(), work.lens(), work.given(), group, work.image_numerator(),
                              work.spectrum(), work.spread_numerator(), work.lens());
            for (float* const product : {work.image_numerator(), work.spectrum(), work.spread_numerator(), work.lens()})
                fft_.rows_inverse(roots_.data(), product + at);
        });
        const bool last = iteration + 1 == shape_.iterations;
        for_strips(job, [&](std::uint32_t strip, float* tile) {
            half(work.image_numerator(), work.spectrum(), work.estimate(), strip, tile, last);
            half(work.spread_numerator(), work.lens(), work.spread(), strip, tile, last);
        });
    }
}

void Restorer::restore(const Job& job, const Workspace& work) {
    switch (shape_.method) {
        case VDT_RESTORE_MIA_BLIND:
            iterate_blind(job, work);
            break;
        case VDT_RESTORE_MIA_KNOWN:
            iterate_known(job, work);
            break;
        default:
            iterate_richardson_lucy(job, work);
            break;
    }
    store(work.estimate(), job.restored, job.index);
    if (job.final_spread != nullptr) store(work.spread(), *job.final_spread, job.index);
}

void Restorer::run(const vdt_image& blurred, const vdt_image& spread, const vdt_image& restored,
                   const vdt_image* final_spread, vdt_token* token) {
    const bool shared = spread_ == RestoreSpread::inside_images;
    const auto piece = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
        for (std::uint32_t index = begin; index < end; ++index)
            restore({blurred, spread, restored, final_spread, token, index, worker, shared},
                    workspaces_[spread_ == RestoreSpread::over_images ? worker : 0]);
    };
    if (spread_ == RestoreSpread::over_images)
        parallel_for(device_, token, 0, shape_.batch, 1, piece);
    else
        piece(0, shape_.batch, 0);
}

}  // namespace vedette::cpu
