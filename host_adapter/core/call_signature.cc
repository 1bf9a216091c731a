#include "call_signature.h"

#include "operations.h"

#include <vedette/plugin/cpp/expectation.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

namespace vedette::host {
namespace {

// Two independent sums of 64-bit words [multiply and fold as in wyhash; the second is its own mix].
class Sums {
public:
    void word(std::uint64_t value) noexcept {
        first_ = (first_ ^ value) * 0x9E3779B97F4A7C15u;
        first_ ^= first_ >> 29;
        second_ = (second_ + value) * 0xD6E8FEB86659FD93u;
        second_ ^= second_ >> 32;
    }
    void pair(std::uint32_t high, std::uint32_t low) noexcept { word(std::uint64_t{high} << 32 | low); }
    void bytes(const void* data, std::size_t count) noexcept {
        const auto* from = static_cast<const unsigned char*>(data);
        for (; count >= sizeof(std::uint64_t); count -= sizeof(std::uint64_t), from += sizeof(std::uint64_t)) {
            std::uint64_t value = 0;
            std::memcpy(&value, from, sizeof value);
            word(value);
        }
        std::uint64_t rest = count;
        std::memcpy(reinterpret_cast<unsigned char*>(&rest) + 1, from, count);
        word(rest);
    }
    template <class T>
    void array(const T* values, std::uint64_t count) noexcept {
        word(count);
        if (count != 0 && values != nullptr) bytes(values, static_cast<std::size_t>(count) * sizeof(T));
    }
    CallSignature result() const noexcept { return {first_, second_}; }

private:
    std::uint64_t first_ = 0x243F6A8885A308D3u;
    std::uint64_t second_ = 0x13198A2E03707344u;
};

template <class T>
const T& parameters(const Operation& operation) noexcept {
    return *static_cast<const T*>(operation.params);
}

void add_text_samples(Sums& sums, const char* text, std::uint64_t count) noexcept {
    constexpr std::uint64_t head = 256, samples = 16, piece = 16;
    sums.word(count);
    sums.bytes(text, static_cast<std::size_t>(std::min(count, head)));
    if (count <= head + samples * piece) return sums.bytes(text, static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < samples; ++i)
        sums.bytes(text + (count - piece) / samples * (i + 1), static_cast<std::size_t>(piece));
}

void add_parameters(Sums& sums, const Operation& operation) noexcept {
    switch (operation.op) {
        case VDT_OP_FILTER: {
            vdt_filter_params params = parameters<vdt_filter_params>(operation);
            // Costs depend on how many weights there are, and on little else about them (symmetry).
            params.kernel_x = params.kernel_y = nullptr;
            sums.bytes(&params, sizeof params);
            break;
        }
        case VDT_OP_TEMPLATE_FIND: {
            vdt_template_find_params params = parameters<vdt_template_find_params>(operation);
            sums.array(params.scales, params.scales == nullptr ? 0 : params.scale_count);
            sums.array(params.exclude, params.exclude_count);
            params.scales = nullptr;
            params.exclude = nullptr;
            sums.bytes(&params, sizeof params);
            break;
        }
        case VDT_OP_CASCADE_DETECT: {
            vdt_cascade_params params = parameters<vdt_cascade_params>(operation);
            add_text_samples(sums, params.cascade, params.cascade_bytes);
            params.cascade = nullptr;
            sums.bytes(&params, sizeof params);
            break;
        }
        case VDT_OP_FEATURE_MATCH: {
            vdt_feature_match_params params = parameters<vdt_feature_match_params>(operation);
            params.seed = 0;
            sums.bytes(&params, sizeof params);
            break;
        }
        default:
            sums.bytes(operation.params, parameter_size(operation.op));
            break;
    }
}

// How busy a picture is, of four classes: flat, as most of a desktop is, as photographs are, as noise is. From pairs of
// neighbours at some places: what is expected of searches differs between classes far more than within one.
std::uint32_t texture_of(const vdt_image& image) noexcept {
    constexpr std::uint32_t places = 32;
    constexpr int edge = 8;
    if (!plugin::has_pixels(image) || image.width < 2) return 0;
    const std::size_t step = plugin::layout_of(image.format)->pixel_elements;
    std::uint32_t edges = 0;
    for (std::uint32_t i = 0; i < places; ++i) {
        const plugin::SamplePlace place = plugin::sample_place(i, image.width - 1, image.height);
        const auto* const pixel = plugin::row_of<const std::uint8_t>(image, 0, place.y) + place.x * step;
        edges += std::abs(pixel[0] - pixel[step]) > edge ? 1 : 0;
    }
    return edges < places / 16 ? 1 : edges < places / 5 ? 2 : edges < places / 2 ? 3 : 4;
}

// Whether the pixels of the first image decide how much work there is.
bool depends_on_pixels(vdt_op op) noexcept {
    return op == VDT_OP_TEMPLATE_FIND || op == VDT_OP_CASCADE_DETECT || op == VDT_OP_FEATURES;
}

void add_images(Sums& sums, const std::vector<OperationImage>& images) noexcept {
    sums.word(images.size());
    for (const OperationImage& image : images) {
        if (image.shared != nullptr) {
            const Image& pixels = image.shared->image();
            sums.pair(pixels.format(), VDT_MEMORY_HOST);
            sums.pair(pixels.width(), pixels.height());
            sums.word(image.shared->kept_mask());
        } else {
            sums.pair(image.view.format, image.view.memory);
            sums.pair(image.view.width, image.view.height);
            sums.word(0);
        }
    }
}

// Lists of about the same length, to three binary digits, cost about the same.
void add_lists(Sums& sums, const std::vector<const vdt_list*>& lists) noexcept {
    for (const vdt_list* list : lists) {
        const auto digits = static_cast<std::uint32_t>(std::bit_width(list->count));
        const std::uint32_t beyond = std::max(digits, 3u) - 3;
        sums.pair(beyond, static_cast<std::uint32_t>(list->count >> beyond));
    }
}

}  // namespace

CallSignature call_signature(const Operation& operation, const std::string& backend, std::uint64_t state) noexcept {
    Sums sums;
    sums.word(state);
    sums.word(operation.op);
    sums.bytes(backend.data(), backend.size());
    add_images(sums, operation.inputs);
    add_images(sums, operation.outputs);
    add_lists(sums, operation.lists_in);
    add_parameters(sums, operation);
    if (depends_on_pixels(operation.op) && !operation.inputs.empty())
        sums.word(texture_of(plain_view(operation.inputs.front())));
    return sums.result();
}

}  // namespace vedette::host
