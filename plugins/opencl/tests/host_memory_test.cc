// The caller's host memory, which devices that share it work in where rows lie as kernels want them, and have copied
// where they do not: both give the same pixels, read no more than an image has, and write nothing else. Arguments: the
// plugin, then its options.
#include "ops/plugin_fixture.h"

#include <vedette/plugin/ops.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace vedette::ops;

// Where rows begin: `shift` bytes behind a multiple of a page, `gap` bytes from the end of one to the next, `tail`
// bytes behind the last one that are still the caller's; from the last row on when `upward`.
struct Placing {
    std::size_t shift, gap, tail;
    bool upward;
};
constexpr Placing placings[] = {
    {0, 0, 0, false},    // in place where rows are multiples of 16 bytes
    {16, 0, 0, false},   // in place
    {0, 48, 48, false},  // in place as an input; an output's gaps are nobody's to write
    {0, 3, 64, false},   // rows that begin anywhere
    {4, 0, 64, false},   // first row between multiples of 16
    {0, 0, 0, true},    {16, 32, 32, true}, {4, 12, 0, true},
};

constexpr std::size_t page = 4096;
constexpr std::uint8_t poison = 0xA5;

// Rows of `row` bytes in memory of their own that is poison elsewhere.
class Memory {
public:
    Memory(vdt_format format, std::uint32_t width, std::uint32_t height, std::size_t row, const Placing& placing)
        : row_(row),
          // Rows of floats begin at multiples of a float.
          stride_(row + (format == VDT_FORMAT_GRAYF32 ? (placing.gap + 3) / 4 * 4 : placing.gap)),
          bytes_(stride_ * (height - 1) + row + placing.tail),
          upward_(placing.upward),
          whole_((placing.shift + bytes_ + 2 * page) / page * page),
          data_(static_cast<std::uint8_t*>(std::aligned_alloc(page, whole_))),
          first_(data_ + placing.shift) {
        if (data_ == nullptr) throw std::bad_alloc();
        std::memset(data_, poison, whole_);
        image_.struct_size = sizeof image_;
        image_.format = format;
        image_.width = width;
        image_.height = height;
        image_.plane_count = 1;
        image_.plane[0].base = data_;
        image_.plane[0].bytes = placing.shift + bytes_;
        image_.plane[0].offset = placing.shift + (upward_ ? stride_ * (height - 1) : 0);
        image_.plane[0].row_stride = upward_ ? -static_cast<std::int64_t>(stride_) : static_cast<std::int64_t>(stride_);
    }
    ~Memory() { std::free(data_); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    const vdt_image* image() const { return &image_; }
    std::uint8_t* row(std::uint32_t y) const { return first_ + stride_ * (upward_ ? image_.height - 1 - y : y); }

    // Whether all bytes outside of the rows are as they were.
    bool poisoned() const {
        std::vector<bool> own(whole_);
        for (std::uint32_t y = 0; y < image_.height; ++y) {
            const auto begin = own.begin() + (row(y) - data_);
            std::fill(begin, begin + static_cast<std::ptrdiff_t>(row_), true);
        }
        for (std::size_t at = 0; at < whole_; ++at)
            if (!own[at] && data_[at] != poison) return false;
        return true;
    }

private:
    const std::size_t row_, stride_, bytes_;
    const bool upward_;
    const std::size_t whole_;
    std::uint8_t* const data_;
    std::uint8_t* const first_;
    vdt_image image_{};
};

void fill(const Memory& gray, unsigned seed) {
    for (std::uint32_t y = 0; y < gray.image()->height; ++y)
        for (std::uint32_t x = 0; x < gray.image()->width; ++x)
            gray.row(y)[x] = static_cast<std::uint8_t>((x * 7 + y * 31 + seed * 57) % 251);
}

// Converts in to out, one of which is GRAYF32 with values 2 v + 3, exact in float.
void convert(const Backend& backend, const Memory& in, const Memory& out) {
    vdt_convert_params params{};
    params.struct_size = sizeof params;
    const bool from_float = in.image()->format == VDT_FORMAT_GRAYF32;
    params.scale = from_float ? 0.5 : 2;
    params.offset = from_float ? -1.5 : 3;
    Operation operation;
    operation.op = VDT_OP_CONVERT;
    operation.params = &params;
    operation.inputs = {in.image()};
    operation.outputs = {out.image()};
    const Outcome outcome = backend.run(operation);
    if (outcome.code != VDT_OK) throw std::runtime_error(outcome.text);
}

void require(bool holds, const std::string& what) {
    if (!holds) throw std::runtime_error(what);
}

void check_floats(const Memory& gray, const Memory& floats, const std::string& where) {
    for (std::uint32_t y = 0; y < gray.image()->height; ++y)
        for (std::uint32_t x = 0; x < gray.image()->width; ++x) {
            float value = 0;
            std::memcpy(&value, floats.row(y) + 4 * std::size_t{x}, sizeof value);
            require(value == 2.0F * static_cast<float>(gray.row(y)[x]) + 3, where + ": a pixel is wrong");
        }
}

void check_placings(const Backend& backend, std::uint32_t width, std::uint32_t height, const Placing& from,
                    const Placing& to) {
    const std::string where = std::to_string(width) + " x " + std::to_string(height) + ", rows " +
                              std::to_string(&from - placings) + " to " + std::to_string(&to - placings);
    const Memory in(VDT_FORMAT_GRAY8, width, height, width, from), back(VDT_FORMAT_GRAY8, width, height, width, to);
    const Memory out(VDT_FORMAT_GRAYF32, width, height, 4 * std::size_t{width}, to);
    // The same memory in two calls: what the first was given must not be what the second sees.
    for (const unsigned seed : {1U, 2U}) {
        fill(in, seed);
        convert(backend, in, out);
        check_floats(in, out, where);
    }
    // What one call wrote, the next one reads.
    convert(backend, out, back);
    for (std::uint32_t y = 0; y < height; ++y)
        require(std::memcmp(back.row(y), in.row(y), width) == 0, where + ": pixels did not come back");
    require(in.poisoned() && out.poisoned() && back.poisoned(), where + ": a byte outside of the pixels was written");
}

// One picture read by two calls at a time.
void check_threads(const Backend& backend) {
    const Memory in(VDT_FORMAT_GRAY8, 256, 64, 256, placings[0]);
    fill(in, 3);
    std::array<std::string, 2> errors;
    const auto work = [&](std::string& error) {
        try {
            const Memory out(VDT_FORMAT_GRAYF32, 256, 64, 1024, placings[0]);
            for (int turn = 0; turn < 20; ++turn) {
                for (std::uint32_t y = 0; y < 64; ++y) std::memset(out.row(y), 0, 1024);
                convert(backend, in, out);
                check_floats(in, out, "two threads");
            }
            require(out.poisoned(), "two threads: a byte outside of the pixels was written");
        } catch (const std::exception& failure) {
            error = failure.what();
        }
    };
    std::thread other(work, std::ref(errors[1]));
    work(errors[0]);
    other.join();
    for (const std::string& error : errors) require(error.empty(), error);
    require(in.poisoned(), "two threads: the input was written");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    try {
        const Backend backend(argv[1], std::vector<std::string>(argv + 2, argv + argc));
        for (const std::uint32_t width : {64U, 61U})
            for (const std::uint32_t height : {1U, 9U})
                for (const Placing& from : placings)
                    for (const Placing& to : placings) check_placings(backend, width, height, from, to);
        check_threads(backend);
    } catch (const CannotUse& error) {
        std::printf("skip: %s\n", error.what());
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
    return 0;
}
