#include "cases.h"

#include "reference/reference.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace vedette::conformance {
namespace {

constexpr std::uint64_t untouched_words = 4;
constexpr std::uint64_t untouched = 0xA5A5A5A5A5A5A5A5u;

}  // namespace

TestList::TestList(std::uint32_t item_size, std::uint64_t capacity)
    : view_(std::make_unique<vdt_list>()), memory_(capacity * item_size / 8 + 1 + untouched_words, untouched) {
    *view_ = vdt_list{};
    view_->struct_size = sizeof(vdt_list);
    view_->item_size = item_size;
    view_->capacity = capacity;
    view_->items = memory_.data();
}

bool TestList::written_behind() const {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(memory_.data());
    const std::size_t end = view_->capacity * view_->item_size;
    return std::any_of(bytes + end, bytes + memory_.size() * 8, [](std::uint8_t byte) { return byte != 0xA5; });
}

Request::Request(Case& of) {
    for (TestImage& image : of.inputs) inputs_.push_back(&image.view());
    for (TestImage& image : of.outputs) outputs_.push_back(&image.view());
    for (TestList& list : of.lists_in) lists_in_.push_back(&list.view());
    for (TestList& list : of.lists_out) lists_out_.push_back(&list.view());
    query_.struct_size = sizeof query_;
    query_.op = of.op;
    query_.input_count = static_cast<std::uint32_t>(inputs_.size());
    query_.output_count = static_cast<std::uint32_t>(outputs_.size());
    query_.inputs = inputs_.empty() ? nullptr : inputs_.data();
    query_.outputs = outputs_.empty() ? nullptr : outputs_.data();
    query_.params = of.params.get();
    call_.struct_size = sizeof call_;
    call_.input_count = query_.input_count;
    call_.output_count = query_.output_count;
    call_.list_in_count = static_cast<std::uint32_t>(lists_in_.size());
    call_.list_out_count = static_cast<std::uint32_t>(lists_out_.size());
    call_.inputs = query_.inputs;
    call_.outputs = query_.outputs;
    call_.lists_in = lists_in_.empty() ? nullptr : lists_in_.data();
    call_.lists_out = lists_out_.empty() ? nullptr : lists_out_.data();
    call_.params = query_.params;
}

const vdt_query* Request::query(std::uint32_t variant) noexcept {
    query_.variant = variant;
    return &query_;
}

const vdt_call* Request::call(vdt_token* token) noexcept {
    call_.token = token;
    return &call_;
}

std::vector<vdt_format> formats_in(std::uint64_t mask) {
    std::vector<vdt_format> formats;
    for (vdt_format format = 1; format < VDT_FORMAT_COUNT; ++format)
        if (mask & VDT_FORMAT_BIT(format)) formats.push_back(format);
    return formats;
}

bool is_float(vdt_format format) {
    return (format >= VDT_FORMAT_GRAYF32 && format <= VDT_FORMAT_PLANAR_RGBF32) || format == VDT_FORMAT_COMPLEXF32;
}

bool is_color(vdt_format format) {
    return format >= VDT_FORMAT_GRAY8 && format <= VDT_FORMAT_PLANAR_RGBF32;
}

void paint(TestImage& image, std::uint32_t seed) {
    vdt_image& view = image.view();
    Random random(seed);
    const std::uint32_t count = reference::channels(view.format);
    const bool deep = view.format >= VDT_FORMAT_GRAY16 && view.format <= VDT_FORMAT_RGBA16;
    for (std::uint32_t y = 0; y < view.height; ++y)
        for (std::uint32_t x = 0; x < view.width; ++x)
            for (std::uint32_t c = 0; c < count; ++c) {
                // Two triangle waves, slanted across and along the image.
                const int across = std::abs(static_cast<int>((37 * x + 11 * y + 100 * c) % 628) - 314) - 157;
                const int along = std::abs(static_cast<int>((90 * y + 5 * x) % 628) - 314) - 157;
                double value = std::clamp(
                    128 + across * 70 / 157 + along * 30 / 157 + static_cast<int>(random.below(40)) - 20, 0, 255);
                if (x % 23 >= 15 && y % 17 >= 9) value = 77;  // flat
                if (x % 16 < 5 && y % 12 < 4)
                    value = (x % 16 * 53 + y % 12 * 31 + c * 7) % 256;  // comes again and again
                if (deep) value = value * 257 + random.below(3) - 1 + (value == 0 ? 1 : 0) - (value == 255 ? 1 : 0);
                // Beyond 0..255 on both sides, in steps that products with simple factors keep exact.
                if (is_float(view.format)) value = (value - 20) * 1.125;
                image.set(x, y, c, value);
            }
    image.remember();
}

void paint_mask(TestImage& mask, std::uint32_t seed) {
    vdt_image& view = mask.view();
    Random random(seed);
    for (std::uint32_t y = 0; y < view.height; ++y)
        for (std::uint32_t x = 0; x < view.width; ++x) {
            const std::uint32_t draw = random.below(8);
            mask.set(x, y, 0, draw < 2 && x + y > 1 ? 0 : (draw == 2 ? 1 : 255));
        }
    mask.remember();
}

std::vector<Case> make_cases(vdt_op op, std::uint64_t input_formats, std::uint64_t output_formats, const Shape& shape) {
    switch (op) {
        case VDT_OP_CONVERT:
            return convert_cases(input_formats, output_formats, shape);
        case VDT_OP_RESIZE:
            return resize_cases(input_formats, output_formats, shape);
        case VDT_OP_INTEGRAL:
            return integral_cases(input_formats, output_formats, shape);
        case VDT_OP_FILTER:
            return filter_cases(input_formats, output_formats, shape);
        case VDT_OP_PYRAMID:
            return pyramid_cases(input_formats, shape);
        case VDT_OP_TEMPLATE_MAP:
            return template_map_cases(input_formats, shape);
        case VDT_OP_TEMPLATE_FIND:
            return template_find_cases(input_formats, shape);
        case VDT_OP_GROUP:
            return group_cases(shape);
        case VDT_OP_FFT2:
            return fft2_cases(input_formats, output_formats, shape);
        case VDT_OP_RESTORE:
            return restore_cases(input_formats, shape);
        case VDT_OP_CASCADE_DETECT:
            return cascade_cases(input_formats, shape);
        case VDT_OP_FEATURES:
            return features_cases(input_formats, shape);
        case VDT_OP_FEATURE_MATCH:
            return feature_match_cases(input_formats, shape);
        default:
            return {};
    }
}

}  // namespace vedette::conformance
