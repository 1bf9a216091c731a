#include "cascade/estimate.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cascade/scales.h"

namespace vedette::cascade {

namespace {

// The number in the first element of that name, 0 when there is none.
int number_in(std::string_view text, std::string_view tag) {
    const std::size_t at = text.find(tag);
    return at == std::string_view::npos ? 0 : std::atoi(std::string(text.substr(at + tag.size(), 16)).c_str());
}

}  // namespace

Estimate estimate_of(const vdt_cascade_params& params, std::uint32_t width, std::uint32_t height) {
    const std::string_view head(params.cascade, std::min<std::uint64_t>(params.cascade_bytes, 1u << 14));
    Estimate estimate;
    estimate.model.width = std::clamp(number_in(head, "<width>"), 20, 4096);
    estimate.model.height = std::clamp(number_in(head, "<height>"), 20, 4096);
    const Search search{params.scale_factor, params.min_w, params.min_h, params.max_w, params.max_h};
    for (const Scale& scale : scales_of(estimate.model, search, static_cast<int>(width), static_cast<int>(height))) {
        estimate.pixels += static_cast<double>(scale.width) * scale.height;
        estimate.windows += static_cast<double>(scale.columns) * scale.rows;
    }
    return estimate;
}

}  // namespace vedette::cascade
