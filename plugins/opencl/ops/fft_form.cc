#include "fft_form.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numbers>
#include <vector>

namespace vedette::opencl {

namespace {

constexpr std::uint32_t most_group = 256;  // what every GPU has; larger groups wait longer for each other

// Lines of a group and of a work-item, the recorded default of each class of devices first. GPUs: neighbouring numbers
// of eight lines fill a sector of 32 bytes (estimate). Processors: vectors (PoCL 3.1, 2-core Zen 3, AVX2: the columns
// of a complex 64 x 64 in 0.028 ms with four lines a work-item, 0.030 with eight, 0.073 with one; compiled in 1.9, 2.6
// and 1.9 s).
struct Lines {
    std::uint32_t of_group, of_item;
};
constexpr Lines lines_of_gpu[] = {{8, 1}, {4, 1}, {16, 1}, {2, 1}};
constexpr Lines lines_of_processor[] = {{4, 4}, {8, 8}, {8, 4}, {16, 8}};
constexpr std::size_t most_trial_bytes = std::size_t{32} << 20;  // of the images that forms are measured with

constexpr Lines least_lines = {1, 1};  // for the least of devices

bool fits(const DeviceLimits& limits, const FftForm& form) {
    return form.lines >= form.vector && form.lines <= form.side / 2 && form.group() <= limits.group_size &&
           form.items() <= limits.item_sizes[0] && form.lanes() <= limits.item_sizes[1] &&
           form.local_bytes() <= limits.local_bytes;
}

}  // namespace

std::size_t FftForm::local_bytes() const noexcept {
    const std::size_t pitch = vector == 1 ? lines + 1 : lines;  // PITCH of the kernels, in floats
    return sizeof(float) * (parts * 2 * side * pitch + 2 * side);
}

std::string FftForm::defines() const {
    return "-D SIDE=" + std::to_string(side) + " -D LINES=" + std::to_string(lines) +
           " -D VECTOR=" + std::to_string(vector);
}

Range FftForm::range(std::uint32_t count, std::uint32_t images) const {
    return cover({count / vector, lanes(), images}, {items(), lanes(), 1});
}

FftForms::FftForms(const DeviceLimits& limits, std::uint32_t side) noexcept {
    const auto offer = [&](const Lines& lines) {
        const FftForm form{side, lines.of_group, lines.of_item, limits.kind == Kind::cpu ? 2U : 1U};
        if (fits(limits, form)) forms_[count_++] = form;
    };
    if (limits.kind == Kind::cpu) {
        for (const Lines& lines : lines_of_processor)
            if (lines.of_item <= std::max(4u, limits.native_floats)) offer(lines);
    } else {
        for (const Lines& lines : lines_of_gpu)
            if (lines.of_group * (side / 8) <= most_group) offer(lines);
    }
    offer(least_lines);
    static_assert(std::size(lines_of_gpu) < most && std::size(lines_of_processor) < most);
}

FftForm choose_fft_form(const Device& device, std::uint32_t side, std::uint32_t images, const Buffer<float>& roots) {
    const FftForms forms(device.limits(), side);
    // What tells batches apart is whether they fill the device: one image, some, and many.
    constexpr std::uint32_t classes[] = {1, 8, 64};
    const std::size_t floats_of_image = std::size_t{side} * (2 * side + 8);
    const auto fitting = static_cast<std::uint32_t>(most_trial_bytes / sizeof(float) / floats_of_image);
    const std::uint32_t count = std::min(images <= 1 ? classes[0] : images <= 16 ? classes[1] : classes[2], fitting);
    std::string what = "lines of " + std::to_string(count) + " squares";
    for (const FftForm& form : forms) what += "; " + form.defines();
    return forms[device.tuning.choose("fft_trial", what, forms.size(), [&](std::size_t index) {
        const FftForm& form = forms[index];
        const Kernel columns = device.programs.kernel("fft_trial", "columns", form.defines());
        const std::size_t pixels = std::size_t{count} * side * side;
        const Buffer<float> from = device.buffer<float>(pixels), to = device.buffer<float>(count * floats_of_image);
        const Queue queue = device.make_queue();
        fill_zero(queue.get(), from, pixels);
        return time_of(queue.get(), [&] {
            // So often that the kernel counts, not how it is started.
            for (int turn = 0; turn < 8; ++turn)
                launch(queue.get(), columns, form.range(side / 2, count), from, to, roots);
        });
    })];
}

double fft_operations_of_number(std::uint32_t side) noexcept {
    return 3.0 * (std::bit_width(side) - 1);
}

Buffer<float> fft_roots(const Device& device, std::uint32_t side) {
    std::vector<float> values(std::size_t{2} * side);
    for (std::uint32_t k = 0; k < side; ++k) {
        const double angle = -2 * std::numbers::pi * k / side;
        values[2 * k] = static_cast<float>(std::cos(angle));
        values[2 * k + 1] = static_cast<float>(std::sin(angle));
    }
    Buffer<float> roots = device.buffer<float>(values.size());
    const Queue queue = device.make_queue();
    write(queue.get(), roots, values.data(), values.size(), cl::blocking);
    return roots;
}

}  // namespace vedette::opencl
