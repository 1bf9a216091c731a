// Work in bands of rows, for images that device memory does not hold at once beside what else lies there. That is no
// everyday case: what a band needs is made for it and given back after it.
#pragma once

#include "operands.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

namespace vedette::cuda_plugin {

struct Rows {
    std::uint32_t first = 0, count = 0;
    std::uint32_t end() const noexcept { return first + count; }
};

// These rows of an image, where they lie; of one that the device keeps, those of the copy there. No pixel is copied.
vdt_image rows_of(const vdt_image& image, const Rows& rows);

// How many rows of its images a plan works on at once: all, until device memory was short, and then as many as
// sufficed. Memory that others used may be free later: after some calls all are tried again.
class Bands {
public:
    // At the begin of a call.
    void begin() noexcept {
        if (!all_at_once() && ++short_calls_ % calls_between_trials == 0) at_once_ = all;
    }
    bool all_at_once() const noexcept { return at_once_ == all; }
    // Device memory did not suffice for `rows` at once.
    void shorten(std::uint32_t rows) noexcept { at_once_ = (rows + 1) / 2; }

    // Calls piece(Rows) for the rows 0 ... rows - 1 in order. Where device memory does not suffice for a piece (Error
    // with Fault::memory) there are half as many rows in those that follow; the Error leaves when that does not help. A
    // piece that throws has given back what it took.
    template <class Piece>
    void run(std::uint32_t rows, const Piece& piece) {
        for (Rows band; band.first < rows;) {
            band.count = std::min(at_once_, rows - band.first);
            try {
                piece(band);
                band.first += band.count;
            } catch (const cuda::Error& error) {
                if (error.fault() != cuda::Fault::memory || band.count <= least_band) throw;
                shorten(band.count);
            }
        }
    }

private:
    static constexpr std::uint32_t all = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t calls_between_trials = 16;
    // What does not fit in bands of so many rows is better done by another backend.
    static constexpr std::uint32_t least_band = 16;

    std::uint32_t at_once_ = all;
    std::uint32_t short_calls_ = 0;
};

// Around a call that is done by several calls without its stream and event: waits for what was queued before it, and
// fires its `done`.
void begin_parts(const vdt_call& call);
void end_parts(const vdt_call& call);

// A plan of `operation` whose calls are done in bands where device memory does not suffice for the whole. The
// operation is one of works_in_bands; others have no bands, or see to them themselves.
bool works_in_bands(vdt_op op) noexcept;
std::unique_ptr<Plan> make_banded_plan(const Operation& operation, const Device& device, const vdt_query& query);

}  // namespace vedette::cuda_plugin
