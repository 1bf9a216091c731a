#include "encoded_image.h"

#ifdef VEDETTE_HAS_WEBP
#include <webp/decode.h>
#endif

#include <utility>

namespace vedette::host {

#ifdef VEDETTE_HAS_WEBP

namespace {

Failure failure(const EncodedImage& file, VP8StatusCode status, const char* where) {
    switch (status) {
        case VP8_STATUS_OUT_OF_MEMORY:
            return Failure(VDT_E_OUT_OF_MEMORY, "There is no memory to decode '" + file.name + "'.");
        case VP8_STATUS_NOT_ENOUGH_DATA:
        case VP8_STATUS_SUSPENDED:
            return truncated(file, "WebP", where);
        case VP8_STATUS_UNSUPPORTED_FEATURE:
            return not_read(file, "WebP", "it uses a feature this build's libwebp does not know");
        default:
            return damaged(file, "WebP", std::string("its data cannot be decoded, ") + where);
    }
}

}  // namespace

Image decode_webp(const EncodedImage& file) {
    const std::uint64_t promised = std::uint64_t{file.data[4]} | std::uint64_t{file.data[5]} << 8 |
                                   std::uint64_t{file.data[6]} << 16 | std::uint64_t{file.data[7]} << 24;
    if (promised + 8 > file.bytes) {
        throw truncated(file, "WebP", "its header promises " + std::to_string(promised + 8));
    }
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) {
        throw Failure(VDT_E_UNSUPPORTED,
                      "The installed libwebp is not compatible with the one this build was made for.");
    }
    if (const VP8StatusCode status = WebPGetFeatures(file.data, file.bytes, &config.input); status != VP8_STATUS_OK) {
        throw failure(file, status, "in its header");
    }
    if (config.input.has_animation) {
        throw not_read(file, "WebP", "it is an animation; save one frame of it");
    }
    const auto width = static_cast<std::uint32_t>(config.input.width);
    const auto height = static_cast<std::uint32_t>(config.input.height);
    check_size(file, "WebP", width, height);

    const bool alpha = config.input.has_alpha != 0;
    Image image(alpha ? VDT_FORMAT_BGRA8 : VDT_FORMAT_BGR8, width, height);
    config.output.colorspace = alpha ? MODE_BGRA : MODE_BGR;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = image.row(0);
    config.output.u.RGBA.stride = static_cast<int>(image.stride());
    config.output.u.RGBA.size = image.stride() * (height - 1) + std::size_t{width} * (alpha ? 4 : 3);
    const VP8StatusCode status = WebPDecode(file.data, file.bytes, &config);
    WebPFreeDecBuffer(&config.output);
    if (status != VP8_STATUS_OK) {
        throw failure(file, status, "in its pixels");
    }
    return alpha ? without_opaque_alpha(std::move(image), false) : std::move(image);
}

#else

Image decode_webp(const EncodedImage& file) {
    throw Failure(VDT_E_FORMAT,
                  "'" + file.name + "' is a WebP file, and this build has no WebP support; save it as PNG.");
}

#endif

}  // namespace vedette::host
