#include "score_map.h"

#include "byte_image.h"
#include "channel_map.h"
#include "map_runner.h"

namespace vedette::compat {
namespace {

bool is_normed(int method) {
    return method % 2 == 1;
}

bool declined(MapAnswer& answer, const char* reason) {
    answer.declined = reason;
    return false;
}

bool fits(const Raster& raster) {
    return raster.width >= 1 && raster.height >= 1 && raster.width <= static_cast<int>(VDT_MAX_DIMENSION) &&
           raster.height <= static_cast<int>(VDT_MAX_DIMENSION) && raster.channels >= 1 && raster.channels <= 4;
}

// What OpenCV answers by a division by nothing.
const char* degenerate(const PatternFacts& facts, int method) {
    if (facts.pixels == 0) return "the mask takes nothing";
    if (method == VDT_MATCH_CCOEFF_NORMED && facts.flat) return "the template has no contrast";
    if ((method == VDT_MATCH_SQDIFF_NORMED || method == VDT_MATCH_CCORR_NORMED) && facts.zero)
        return "the template is black";
    return nullptr;
}

}  // namespace

bool score_map(const MapCall& call, MapAnswer& answer) {
    if (!fits(call.image) || !fits(call.pattern) || call.image.channels != call.pattern.channels)
        return declined(answer, "sizes or channels that Vedette does not take");
    if (call.pattern.width > call.image.width || call.pattern.height > call.image.height)
        return declined(answer, "the template is larger than the image");
    const auto pattern = as_bytes(call.pattern);
    if (!pattern) return declined(answer, "floating-point values that are no bytes");
    ByteImage mask;
    if (call.mask.data != nullptr) {
        if (call.mask.width != call.pattern.width || call.mask.height != call.pattern.height)
            return declined(answer, "the mask has another size than the template");
        auto binary = as_binary_mask(call.mask);
        if (!binary) return declined(answer, "a mask with weights or with channels that differ");
        mask = std::move(*binary);
    }
    const PatternFacts facts = facts_of(pattern->raster(), mask);
    if (!call.finite)
        if (const char* const reason = degenerate(facts, call.method)) return declined(answer, reason);
    // A mask that takes everything changes one thing: without one OpenCV caps SQDIFF_NORMED at 1.
    if (!mask.empty() && facts.pixels == std::int64_t{mask.raster().width} * mask.raster().height &&
        call.method != VDT_MATCH_SQDIFF_NORMED)
        mask = ByteImage();
    const bool simple = call.image.channels == 1 || call.image.channels == 3;
    if (!simple && !mask.empty() && is_normed(call.method))
        return declined(answer, "a normed method under a mask with 2 or 4 channels");
    const auto image = as_bytes(call.image);
    if (!image) return declined(answer, "floating-point values that are no bytes");
    const Session& own = session(call.threads);
    if (simple)
        return run_map(own, image->raster(), pattern->raster(), mask.raster(), call.method, call.out, call.out_step,
                       answer);
    return run_channel_map(own, image->raster(), pattern->raster(), mask.raster(), facts, call, answer);
}

}  // namespace vedette::compat
