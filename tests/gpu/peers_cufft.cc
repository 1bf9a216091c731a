// cuFFT: single transforms one after another in a CUDA graph, where launches cost least, and batches.
#include <cufft.h>

#include <memory>

#include "peers.h"

namespace vedette::peers {

namespace {

void check_fft(cufftResult code, const char* what) {
    if (code != CUFFT_SUCCESS) {
        throw Failed(std::string(what) + ": cuFFT's error " + std::to_string(static_cast<int>(code)));
    }
}

// Plan of `batch` transforms of squares, forward and, for real input, back.
class Squares {
public:
    Squares(int side, int batch, bool real, cudaStream_t stream)
        : real_(real),
          plain_(points(side, batch) * (real ? sizeof(float) : sizeof(cufftComplex))),
          spectrum_(points(side, batch) * sizeof(cufftComplex)) {
        fill_floats(plain_, points(side, batch) * (real ? 1 : 2));
        int sides[] = {side, side};
        const auto plan = [&](cufftHandle& handle, cufftType type) {
            check_fft(cufftPlanMany(&handle, 2, sides, nullptr, 1, 0, nullptr, 1, 0, type, batch), "a plan");
            check_fft(cufftSetStream(handle, stream), "a plan's stream");
        };
        plan(forward_, real ? CUFFT_R2C : CUFFT_C2C);
        if (real) {
            plan(inverse_, CUFFT_C2R);
        }
    }
    ~Squares() {
        if (forward_ != 0) (void)cufftDestroy(forward_);
        if (inverse_ != 0) (void)cufftDestroy(inverse_);
    }
    Squares(const Squares&) = delete;
    Squares& operator=(const Squares&) = delete;

    void forward() const {
        if (real_) {
            check_fft(cufftExecR2C(forward_, plain_.as<cufftReal>(), spectrum_.as<cufftComplex>()), "R2C");
        } else {
            check_fft(cufftExecC2C(forward_, plain_.as<cufftComplex>(), spectrum_.as<cufftComplex>(), CUFFT_FORWARD),
                      "C2C");
        }
    }
    void inverse() const {
        if (real_) {
            check_fft(cufftExecC2R(inverse_, spectrum_.as<cufftComplex>(), plain_.as<cufftReal>()), "C2R");
        } else {
            check_fft(cufftExecC2C(forward_, spectrum_.as<cufftComplex>(), plain_.as<cufftComplex>(), CUFFT_INVERSE),
                      "C2C");
        }
    }

private:
    static std::size_t points(int side, int batch) {
        return static_cast<std::size_t>(side) * static_cast<std::size_t>(side) * static_cast<std::size_t>(batch);
    }

    const bool real_;
    const Memory plain_;
    const Memory spectrum_;
    cufftHandle forward_ = 0;
    cufftHandle inverse_ = 0;
};

// A graph of `rounds` times forward and inverse.
std::function<void()> graph_of(const Squares& squares, int rounds, cudaStream_t stream) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t made = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capturing a graph");
    for (int i = 0; i < rounds; ++i) {
        squares.forward();
        squares.inverse();
    }
    check(cudaStreamEndCapture(stream, &graph), "capturing a graph");
    check(cudaGraphInstantiate(&made, graph, 0), "making a graph");
    (void)cudaGraphDestroy(graph);
    const std::shared_ptr<void> owner(
        made, [](void* exec) { (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(exec)); });
    return [owner, made, stream] { check(cudaGraphLaunch(made, stream), "launching a graph"); };
}

}  // namespace

void time_cufft(const Bench& bench) {
    int version = 0;
    check_fft(cufftGetVersion(&version), "the version");
    const std::string peer = "cuFFT " + std::to_string(version / 1000) + "." + std::to_string(version / 100 % 10);
    for (const int side : {32, 64, 128, 256, 512}) {
        const std::string size = std::to_string(side) + "x" + std::to_string(side);
        for (const bool real : {true, false}) {
            // Per transform: 100 forward and 100 inverse ones in one graph.
            constexpr int rounds = 100;
            const std::string kind = real ? "real" : "complex";
            bench.time_made(peer, "one " + size + " " + kind + " in a graph", 2 * rounds, [&] {
                const auto squares = std::make_shared<Squares>(side, 1, real, bench.stream());
                // Not captured: the first use may set something up.
                squares->forward();
                squares->inverse();
                return [squares, run = graph_of(*squares, rounds, bench.stream())] { run(); };
            });
        }
        // As `vedette bench` has them.
        const int batch = (1 << 19) / side / side;
        const std::string name = std::to_string(batch) + " of " + size;
        const auto batched = [&](const std::string& work, bool real, bool forward) {
            bench.time_made(peer, work, 1, [&] {
                const auto squares = std::make_shared<Squares>(side, batch, real, bench.stream());
                return [squares, forward] { forward ? squares->forward() : squares->inverse(); };
            });
        };
        batched(name + ", real forward", true, true);
        batched(name + ", real inverse", true, false);
        batched(name + ", complex forward", false, true);
    }
    // The transforms of one iteration of Richardson-Lucy, of all images, in a graph; per image and iteration.
    constexpr int images = 264, iterations = 10;
    bench.time_made(peer, "264 of 64x64, four real transforms", images * iterations, [&] {
        const auto squares = std::make_shared<Squares>(64, images, true, bench.stream());
        squares->forward();
        squares->inverse();
        return [squares, run = graph_of(*squares, 2 * iterations, bench.stream())] { run(); };
    });
}

}  // namespace vedette::peers
