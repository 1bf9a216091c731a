// Times of other libraries' work on the GPU, beside which tests/gpu/run puts those of Vedette. A test program: what
// cannot be done is told and left out.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace vedette::peers {

class Failed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Throws Failed with the runtime's sentence.
void check(cudaError_t code, const char* what);

// Device memory, zero.
class Memory {
public:
    explicit Memory(std::size_t bytes);
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    template <class T>
    T* as() const {
        return static_cast<T*>(data_);
    }

private:
    void* data_ = nullptr;
};

// Fixed pseudo-random values: all of them bytes, or floats in [0, 256).
void fill_bytes(const Memory& memory, std::size_t count);
void fill_floats(const Memory& memory, std::size_t count);

class Bench {
public:
    Bench();
    ~Bench();
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    cudaStream_t stream() const { return stream_; }

    // Prints one line of JSON: the median of at least 21 samples, each the time between two events around as many
    // `run`s as take about a millisecond, by the number of runs times `parts`. Warm: a tenth of a second of runs before
    // does not count. `run` queues on stream(). What throws Failed becomes a line that says why it was left out.
    void time(const std::string& peer, const std::string& work, double parts, const std::function<void()>& run) const;
    // The same for work that is made by `make`, which returns the run.
    void time_made(const std::string& peer, const std::string& work, double parts,
                   const std::function<std::function<void()>()>& make) const;

private:
    float sample(unsigned repeats, const std::function<void()>& run) const;

    cudaStream_t stream_ = nullptr;
    cudaEvent_t begin_ = nullptr;
    cudaEvent_t end_ = nullptr;
};

// One line for work that cannot be measured at all.
void print_skipped(const std::string& peer, const std::string& work, const std::string& why);

#ifdef VEDETTE_PEERS_CUFFT
void time_cufft(const Bench& bench);
// Whether our transforms are cuFFT's, a line of JSON for each kind. Throws Failed where that could not be found out.
bool check_cufft();
#endif
#ifdef VEDETTE_PEERS_NPP
void time_npp(const Bench& bench);
#endif

}  // namespace vedette::peers
