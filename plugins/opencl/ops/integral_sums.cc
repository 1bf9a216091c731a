#include "ops/integral_sums.h"

#include "trial.h"

#include <bit>
#include <vector>

namespace vedette::opencl {

namespace {

// Numbers of each array.
struct Scratch {
    std::size_t columns = 0, rows = 0;    // of upright sums
    std::size_t prefix = 0, falling = 0;  // of tilted ones; four arrays like `falling`
};

Scratch scratch_of(const IntegralForm& form, std::uint32_t width, std::uint32_t height) {
    Scratch scratch;
    if (form.tilted) {
        scratch.prefix = (std::size_t{width} + 1) * height;
        scratch.falling = (std::size_t{width} + 1) * integral_parts(height, integral_band);
    } else {
        scratch.columns = std::size_t{width} * integral_parts(height, form.tile_height());
        scratch.rows = std::size_t{height} * integral_parts(width, integral_tile_width);
    }
    return scratch;
}

}  // namespace

std::uint64_t IntegralSums::scratch_bytes(const IntegralForm& form, std::uint32_t width,
                                          std::uint32_t height) noexcept {
    const Scratch scratch = scratch_of(form, width, height);
    return std::uint64_t{form.sum_bytes()} * (scratch.columns + scratch.rows + 4 * scratch.falling) +
           std::uint64_t{form.prefix_bytes()} * scratch.prefix;
}

IntegralSums::IntegralSums(const Device& device, const IntegralForm& form, std::uint32_t width, std::uint32_t height)
    : form_(form), width_(width) {
    const std::string defines =
        std::string("-D PIXEL=") + (form.bytes ? "uchar" : "float") + " -D REAL=" + (form.bytes ? "0" : "1") +
        " -D SUM=" + form.sum(device.limits().doubles) + " -D OUT_BITS=" + std::to_string(8 * form.sum_bytes()) +
        " -D OUT_DOUBLE=" + (form.real_output ? "1" : "0") + " -D SQUARES=" + (form.squares ? "1" : "0") +
        " -D TILE_WIDTH=" + std::to_string(integral_tile_width) +
        " -D TILE_HEIGHT=" + std::to_string(form.tile_height());
    const Scratch scratch = scratch_of(form, width, height);
    const auto numbers = [&](std::size_t count) { return device.buffer<std::byte>(count * form.sum_bytes()); };
    if (form.tilted) {
        const std::string more = defines + " -D BAND=" + std::to_string(integral_band) +
                                 " -D PREFIX=" + (form.bytes ? "uint" : form.sum(device.limits().doubles));
        prefix_rows_ = device.programs.kernel("integral_tilted", "prefix_rows", more);
        band_sums_ = device.programs.kernel("integral_tilted", "band_sums", more);
        band_carry_ = device.programs.kernel("integral_tilted", "band_carry", more);
        fall_ = device.programs.kernel("integral_tilted", "fall", more);
        rise_ = device.programs.kernel("integral_tilted", "rise", more);
        prefix_ = device.buffer<std::byte>(scratch.prefix * form.prefix_bytes());
        for (Buffer<std::byte>* each : {&falling_, &rising_, &falling_above_, &rising_above_})
            *each = numbers(scratch.falling);
    } else {
        tile_sums_ = device.programs.kernel("integral", "tile_sums", defines);
        carry_ = device.programs.kernel("integral", "carry", defines);
        scan_bands_ = device.programs.kernel("integral", "scan_bands", defines);
        tiles_ = device.programs.kernel("integral", "tiles", defines);
        columns_ = numbers(scratch.columns);
        rows_ = numbers(scratch.rows);
    }
    measure_groups(device, height, defines);
}

// Of the scan along rows, in which a group waits for itself again and again: more lanes read more at once and wait
// longer.
void IntegralSums::measure_groups(const Device& device, std::uint32_t height, const std::string& what) {
    const Kernel& kernel = form_.tilted ? prefix_rows_ : scan_bands_;
    const std::uint32_t rows = form_.tilted ? trial_rows(width_, height) : integral_parts(height, form_.tile_height());
    std::vector<std::uint32_t> possible;
    std::string key = std::string(form_.tilted ? "tilted " : "upright ") + what + ", about " +
                      std::to_string(std::bit_width(width_)) + " x " + std::to_string(std::bit_width(rows)) +
                      " bits; lanes";
    for (const std::uint32_t lanes : {std::uint32_t{integral_scan_group}, 128U, 64U, 512U})
        if (lanes <= kernel.group_size()) {
            possible.push_back(lanes);
            key += " " + std::to_string(lanes);
        }
    if (possible.empty()) possible.push_back(static_cast<std::uint32_t>(group_within(kernel, integral_scan_group)));
    lanes_ = possible[choose_way(
        device, form_.tilted ? "integral_tilted" : "integral", key, possible.size(), [&](cl::Queue queue) {
            const TrialImage in(device, queue, form_.bytes ? VDT_FORMAT_GRAY8 : VDT_FORMAT_GRAYF32, width_,
                                form_.tilted ? rows : 1);
            return [this, &possible, queue, rows, in](std::size_t way) {
                const std::size_t lanes = possible[way];
                const LocalBytes shared{lanes * form_.sum_bytes()};
                if (form_.tilted)
                    launch(queue, prefix_rows_, groups_of(rows, lanes), in.image().plane(), width_, prefix_, shared);
                else
                    launch(queue, scan_bands_, groups_of(rows, lanes), width_, columns_, shared);
            };
        })];
}

void IntegralSums::run(cl::Queue queue, const Plane& in, const Plane& out, std::uint32_t height) const {
    if (form_.tilted)
        tilted(queue, in, out, height);
    else
        upright(queue, in, out, height);
}

void IntegralSums::upright(cl::Queue queue, const Plane& in, const Plane& out, std::uint32_t height) const {
    const std::uint32_t across = integral_parts(width_, integral_tile_width),
                        down = integral_parts(height, form_.tile_height());
    const Range tiles = cover({std::size_t{across} * integral_tile_width, down}, {integral_tile_width, 1});
    launch(queue, tile_sums_, tiles, in, width_, height, columns_, rows_);
    launch(queue, carry_, cover({std::size_t{width_} + height}, {group_within(carry_, 64)}), width_, height, down,
           across, columns_, rows_);
    launch(queue, scan_bands_, groups_of(down, lanes_), width_, columns_,
           LocalBytes{std::size_t{lanes_} * form_.sum_bytes()});
    launch(queue, tiles_, tiles, in, out, width_, height, columns_, rows_);
}

void IntegralSums::tilted(cl::Queue queue, const Plane& in, const Plane& out, std::uint32_t height) const {
    const std::uint32_t bands = integral_parts(height, integral_band);
    launch(queue, prefix_rows_, groups_of(height, lanes_), in, width_, prefix_,
           LocalBytes{std::size_t{lanes_} * form_.sum_bytes()});
    const auto diagonals = [&](const Kernel& kernel, std::size_t count) {
        return cover({count, bands}, {group_within(kernel, 64), 1});
    };
    launch(queue, band_sums_, diagonals(band_sums_, std::size_t{width_} + 1), width_, bands, prefix_, falling_,
           rising_);
    const std::size_t all = 2 * (std::size_t{width_} + 1 + std::size_t{integral_band} * (bands - 1));
    launch(queue, band_carry_, cover({all}, {group_within(band_carry_, 64)}), width_, bands, falling_, rising_,
           falling_above_, rising_above_);
    launch(queue, fall_, diagonals(fall_, std::size_t{width_} + integral_band + 1), out, width_, height, prefix_,
           falling_above_);
    launch(queue, rise_, diagonals(rise_, std::size_t{width_} + integral_band + 1), out, width_, height, prefix_,
           rising_above_);
}

}  // namespace vedette::opencl
