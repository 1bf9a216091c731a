// The kernels of fft2 against cuFFT: the same transforms of the same numbers, within rounding.
#include <cufft.h>
#include <kernels/fft2.h>
#include <kernels/fft_roots.h>
#include <runtime/device.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "peers.h"

namespace vedette::peers {

namespace {

constexpr int images = 3;
// Of the root mean square of all results; single precision leaves some 3e-6 of 512 x 512 values (estimate).
constexpr double tolerance = 2e-5;

void check_fft(cufftResult code, const char* what) {
    if (code != CUFFT_SUCCESS)
        throw Failed(std::string(what) + ": cuFFT's error " + std::to_string(static_cast<int>(code)));
}

// Rows of floats on the device: without gaps, as cuFFT has them, or as the kernels want them.
struct Rows {
    Rows(std::size_t row_floats, std::size_t row_count, bool gaps)
        : floats(row_floats),
          rows(row_count),
          stride(gaps ? (row_floats * sizeof(float) + 127) / 128 * 128 : row_floats * sizeof(float)),
          memory(stride * row_count) {}

    void copy_from(const Rows& other) const {
        check(cudaMemcpy2D(memory.as<void>(), stride, other.memory.as<void>(), other.stride, floats * sizeof(float),
                           rows, cudaMemcpyDeviceToDevice),
              "copying rows");
    }
    std::vector<float> values() const {
        std::vector<float> all(floats * rows);
        check(cudaMemcpy2D(all.data(), floats * sizeof(float), memory.as<void>(), stride, floats * sizeof(float), rows,
                           cudaMemcpyDeviceToHost),
              "copying results");
        return all;
    }
    template <class T>
    cuda::View<T> view() const {
        return {memory.as<T>(), stride, static_cast<std::int32_t>(floats), static_cast<std::int32_t>(rows)};
    }

    std::size_t floats, rows, stride;
    Memory memory;
};

// Around zero: else one value of a spectrum is so large that the others' rounding does not show beside its own.
void fill(const Rows& rows) {
    std::mt19937 random(3);
    std::vector<float> values(rows.floats * rows.rows);
    for (float& value : values) value = static_cast<float>(random() >> 24) - 127.5f;
    check(cudaMemcpy(rows.memory.as<void>(), values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice),
          "copying to the device");
}

void transform_ours(int side, cuda::Fft2Kind kind, const Rows& in, const Rows& out) {
    const cuda::Fft2Form form = cuda::fft2_form(cuda::device_limits(0), static_cast<std::uint32_t>(side), kind);
    std::vector<float> roots(2 * static_cast<std::size_t>(side));
    cuda::make_roots(static_cast<std::uint32_t>(side), roots.data());
    const Memory roots_on_device(roots.size() * sizeof(float));
    check(cudaMemcpy(roots_on_device.as<void>(), roots.data(), roots.size() * sizeof(float), cudaMemcpyHostToDevice),
          "copying roots");
    const Memory scratch(std::max<std::size_t>(form.scratch_bytes, 1));
    cuda::Fft2Job job;
    job.in = in.view<const float>();
    job.out = out.view<float>();
    job.roots = roots_on_device.as<const cuda::Number>();
    job.scratch = scratch.as<cuda::Number>();
    for (job.first_image = 0; job.first_image < images; ++job.first_image) cuda::fft2(form, job, 1, nullptr);
    check(cudaDeviceSynchronize(), "transforming");
}

// The largest difference, by the root mean square of what is expected. `factor`: what ours is less by.
double difference(const Rows& ours, const Rows& theirs, double factor) {
    const std::vector<float> a = ours.values(), b = theirs.values();
    double squares = 0, most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double expected = static_cast<double>(b[i]);
        squares += expected * expected;
        const double apart = std::abs(static_cast<double>(a[i]) * factor - expected);
        if (!(apart <= most)) most = apart;  // also what is no number
    }
    return most / std::sqrt(squares / static_cast<double>(a.size()));
}

bool tell(const std::string& peer, int side, const char* kind, double found) {
    std::printf("{\"peer\": \"%s\", \"work\": \"the same as %dx%d %s\", \"difference\": %.3g, \"tolerance\": %.3g}\n",
                peer.c_str(), side, side, kind, found, tolerance);
    std::fflush(stdout);
    if (found <= tolerance) return true;
    std::fprintf(stderr, "gpu_peers: fft2 of %dx%d, %s, differs from cuFFT's by %.3g of the results' size\n", side,
                 side, kind, found);
    return false;
}

bool check_side(const std::string& peer, int side, bool real) {
    const auto width = static_cast<std::size_t>(side), rows = width * images;
    const std::size_t plain_floats = real ? width : 2 * width, spectrum_floats = real ? width + 2 : 2 * width;
    const Rows plain(plain_floats, rows, false), spectrum(spectrum_floats, rows, false);
    const Rows our_plain(plain_floats, rows, true), our_spectrum(spectrum_floats, rows, true);
    fill(plain);
    int sides[] = {side, side};
    cufftHandle forward = 0, inverse = 0;
    check_fft(cufftPlanMany(&forward, 2, sides, nullptr, 1, 0, nullptr, 1, 0, real ? CUFFT_R2C : CUFFT_C2C, images),
              "a plan");
    if (real) check_fft(cufftPlanMany(&inverse, 2, sides, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2R, images), "a plan");
    our_plain.copy_from(plain);
    check_fft(real ? cufftExecR2C(forward, plain.memory.as<cufftReal>(), spectrum.memory.as<cufftComplex>())
                   : cufftExecC2C(forward, plain.memory.as<cufftComplex>(), spectrum.memory.as<cufftComplex>(),
                                  CUFFT_FORWARD),
              "forward");
    check(cudaDeviceSynchronize(), "transforming");
    using cuda::Fft2Kind;
    transform_ours(side, real ? Fft2Kind::real_forward : Fft2Kind::complex_forward, our_plain, our_spectrum);
    bool same = tell(peer, side, real ? "real forward" : "complex forward", difference(our_spectrum, spectrum, 1));
    // Back from cuFFT's spectrum; it writes over what it transforms back.
    our_spectrum.copy_from(spectrum);
    check_fft(real ? cufftExecC2R(inverse, spectrum.memory.as<cufftComplex>(), plain.memory.as<cufftReal>())
                   : cufftExecC2C(forward, spectrum.memory.as<cufftComplex>(), plain.memory.as<cufftComplex>(),
                                  CUFFT_INVERSE),
              "back");
    check(cudaDeviceSynchronize(), "transforming");
    transform_ours(side, real ? Fft2Kind::real_inverse : Fft2Kind::complex_inverse, our_spectrum, our_plain);
    same &= tell(peer, side, real ? "real inverse" : "complex inverse",
                 difference(our_plain, plain, static_cast<double>(side) * side));
    (void)cufftDestroy(forward);
    if (real) (void)cufftDestroy(inverse);
    return same;
}

}  // namespace

bool check_cufft() {
    int version = 0;
    check_fft(cufftGetVersion(&version), "the version");
    const std::string peer = "cuFFT " + std::to_string(version / 1000) + "." + std::to_string(version / 100 % 10);
    bool same = true;
    for (const int side : {32, 64, 128, 256, 512})
        for (const bool real : {false, true}) same &= check_side(peer, side, real);
    return same;
}

}  // namespace vedette::peers
