// NPP: the functions that do what an operation of Vedette does, or nearly; each line says which.
#include <nppcore.h>
#include <nppi.h>

#include <cmath>
#include <memory>

#include "peers.h"

namespace vedette::peers {

namespace {

void check_npp(NppStatus status, const char* what) {
    if (status != NPP_SUCCESS) {
        throw Failed(std::string(what) + ": NPP's status " + std::to_string(static_cast<int>(status)));
    }
}

NppStreamContext context_of(cudaStream_t stream) {
    NppStreamContext context{};
    context.hStream = stream;
    check(cudaGetDevice(&context.nCudaDeviceId), "the device");
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, context.nCudaDeviceId), "the device's properties");
    context.nMultiProcessorCount = properties.multiProcessorCount;
    context.nMaxThreadsPerMultiProcessor = properties.maxThreadsPerMultiProcessor;
    context.nMaxThreadsPerBlock = properties.maxThreadsPerBlock;
    context.nSharedMemPerBlock = properties.sharedMemPerBlock;
    context.nCudaDevAttrComputeCapabilityMajor = properties.major;
    context.nCudaDevAttrComputeCapabilityMinor = properties.minor;
    check(cudaStreamGetFlags(stream, &context.nStreamFlags), "the stream's flags");
    return context;
}

// An image with rows at multiples of 512 bytes; bytes and floats are filled with values.
template <class T>
struct Image {
    Image(int w, int h, int channels)
        : width(w),
          height(h),
          step((w * channels * static_cast<int>(sizeof(T)) + 511) / 512 * 512),
          memory(std::make_shared<Memory>(static_cast<std::size_t>(step) * static_cast<std::size_t>(h))) {
        const auto bytes = static_cast<std::size_t>(step) * static_cast<std::size_t>(h);
        if constexpr (sizeof(T) == 1) {
            fill_bytes(*memory, bytes);
        } else if constexpr (std::is_same_v<T, Npp32f>) {
            fill_floats(*memory, bytes / sizeof(float));
        }
    }
    T* data() const { return memory->template as<T>(); }
    NppiSize size() const { return {width, height}; }
    NppiRect all() const { return {0, 0, width, height}; }

    int width, height, step;
    std::shared_ptr<Memory> memory;
};

// The function's pointer to a size is of int in some versions and of size_t in others.
template <class Size>
std::size_t buffer_bytes(NppStatus (*function)(NppiSize, Size*, NppStreamContext), NppiSize size,
                         const NppStreamContext& context) {
    Size bytes = 0;
    check_npp(function(size, &bytes, context), "the size of a buffer");
    return static_cast<std::size_t>(bytes);
}

class Functions {
public:
    Functions(const Bench& bench, std::string peer)
        : bench_(bench), peer_(std::move(peer)), context_(context_of(bench.stream())) {}

    void integral(int width, int height, bool squared) const {
        time(name(width, height) + (squared ? "SqrIntegral" : "Integral"), [&] {
            const Image<Npp8u> in(width, height, 1);
            const Image<Npp32s> sums(width + 1, height + 1, 1);
            const Image<Npp64f> squares(squared ? width + 1 : 1, squared ? height + 1 : 1, 1);
            return [=, context = context_] {
                check_npp(
                    squared
                        ? nppiSqrIntegral_8u32s64f_C1R_Ctx(in.data(), in.step, sums.data(), sums.step, squares.data(),
                                                           squares.step, in.size(), 0, 0, context)
                        : nppiIntegral_8u32s_C1R_Ctx(in.data(), in.step, sums.data(), sums.step, in.size(), 0, context),
                    "integral");
            };
        });
    }

    void correlation(int width, int height, int side) const {
        const std::string pattern = std::to_string(side) + "x" + std::to_string(side);
        time(name(width, height) + "CrossCorrValid_NormLevel " + pattern, [&] {
            const Image<Npp8u> in(width, height, 1), part(side, side, 1);
            const Image<Npp32f> out(width - side + 1, height - side + 1, 1);
            const std::size_t bytes =
                buffer_bytes(&nppiValidNormLevelGetBufferHostSize_8u32f_C1R_Ctx, in.size(), context_);
            const auto buffer = std::make_shared<Memory>(bytes + 1);
            return [=, context = context_] {
                check_npp(nppiCrossCorrValid_NormLevel_8u32f_C1R_Ctx(in.data(), in.step, in.size(), part.data(),
                                                                     part.step, part.size(), out.data(), out.step,
                                                                     buffer->as<Npp8u>(), context),
                          "correlation");
            };
        });
    }

    void resize(int width, int height, int side) const {
        time(name(width, height) + "Resize to " + std::to_string(side) + "x" + std::to_string(side) + ", 8-bit BGR",
             [&] {
                 const Image<Npp8u> in(width, height, 3), out(side, side, 3);
                 return [=, context = context_] {
                     check_npp(nppiResize_8u_C3R_Ctx(in.data(), in.step, in.size(), in.all(), out.data(), out.step,
                                                     out.size(), out.all(), NPPI_INTER_LINEAR, context),
                               "resize");
                 };
             });
    }

    void gauss_float(int width, int height) const {
        time(name(width, height) + "FilterGaussAdvancedBorder 11 taps, float", [&] {
            constexpr int taps = 11;
            const Image<Npp32f> in(width, height, 1), out(width, height, 1);
            const auto kernel = std::make_shared<Memory>(taps * sizeof(Npp32f));
            std::vector<Npp32f> weights(taps);
            Npp32f sum = 0;
            for (int i = 0; i < taps; ++i) {
                const auto off = static_cast<float>(i - taps / 2);
                weights[static_cast<std::size_t>(i)] = std::exp(-off * off / 8);
                sum += weights[static_cast<std::size_t>(i)];
            }
            for (Npp32f& weight : weights) {
                weight /= sum;
            }
            check(cudaMemcpy(kernel->as<void>(), weights.data(), taps * sizeof(Npp32f), cudaMemcpyHostToDevice),
                  "copying a kernel");
            return [=, context = context_] {
                check_npp(nppiFilterGaussAdvancedBorder_32f_C1R_Ctx(in.data(), in.step, in.size(), {0, 0}, out.data(),
                                                                    out.step, out.size(), taps, kernel->as<Npp32f>(),
                                                                    NPP_BORDER_REPLICATE, context),
                          "Gaussian filter");
            };
        });
    }

    void gauss_color(int width, int height) const {
        time(name(width, height) + "FilterGaussBorder 5x5, 8-bit BGR", [&] {
            const Image<Npp8u> in(width, height, 3), out(width, height, 3);
            return [=, context = context_] {
                check_npp(
                    nppiFilterGaussBorder_8u_C3R_Ctx(in.data(), in.step, in.size(), {0, 0}, out.data(), out.step,
                                                     out.size(), NPP_MASK_SIZE_5_X_5, NPP_BORDER_REPLICATE, context),
                    "Gaussian filter");
            };
        });
    }

    void box(int width, int height) const {
        time(name(width, height) + "FilterBoxBorder 15x15, 8-bit gray", [&] {
            const Image<Npp8u> in(width, height, 1), out(width, height, 1);
            return [=, context = context_] {
                check_npp(nppiFilterBoxBorder_8u_C1R_Ctx(in.data(), in.step, in.size(), {0, 0}, out.data(), out.step,
                                                         out.size(), {15, 15}, {7, 7}, NPP_BORDER_REPLICATE, context),
                          "box filter");
            };
        });
    }

    void gray(int width, int height) const {
        time(name(width, height) + "ColorToGray, 8-bit BGR", [&] {
            const Image<Npp8u> in(width, height, 3), out(width, height, 1);
            return [=, context = context_] {
                const Npp32f weights[] = {0.114f, 0.587f, 0.299f};
                check_npp(
                    nppiColorToGray_8u_C3C1R_Ctx(in.data(), in.step, out.data(), out.step, in.size(), weights, context),
                    "conversion to gray");
            };
        });
    }

private:
    static std::string name(int width, int height) {
        return std::to_string(width) + "x" + std::to_string(height) + " ";
    }

    template <class Make>
    void time(const std::string& work, const Make& make) const {
        bench_.time_made(peer_, work, 1, [&make] { return std::function<void()>(make()); });
    }

    const Bench& bench_;
    const std::string peer_;
    const NppStreamContext context_;
};

}  // namespace

void time_npp(const Bench& bench) {
    const NppLibraryVersion& version = *nppGetLibVersion();
    const Functions functions(bench, "NPP " + std::to_string(version.major) + "." + std::to_string(version.minor));
    constexpr int width = 3840, height = 2160;
    functions.integral(width, height, false);
    functions.integral(width, height, true);
    functions.integral(2 * width, 2 * height, false);
    for (const int side : {32, 64, 128}) {
        functions.correlation(width, height, side);
    }
    functions.resize(width, height, 608);
    functions.gauss_float(width, height);
    functions.gauss_color(width, height);
    functions.box(width, height);
    functions.gray(width, height);
}

}  // namespace vedette::peers
