#include "fault_backend.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace vedette::fault {
namespace {

__extension__ typedef __int128 Wide;

const std::uint8_t* row_of(const vdt_image& image, std::uint32_t y) {
    const vdt_plane& plane = image.plane[0];
    return static_cast<const std::uint8_t*>(plane.base) + plane.offset +
           static_cast<std::int64_t>(y) * plane.row_stride;
}

// A pattern's taken pixels: place and channel values.
struct Sample {
    std::uint32_t x, y;
    std::int32_t value[3];
};

struct Search {
    const vdt_image* scene;
    std::uint32_t channels;
    std::uint32_t width, height;  // of the pattern
    std::vector<Sample> samples;
    std::int64_t sum[3] = {};
    Wide variance = 0;
    vdt_rect region;
    const vdt_template_find_params* params;
    std::uint32_t columns = 0, rows = 0;  // positions
    std::vector<double> scores;           // NaN = not searched
};

constexpr double not_searched = std::numeric_limits<double>::quiet_NaN();

double score_at(const Search& search, std::uint32_t x, std::uint32_t y) {
    const auto n = static_cast<std::int64_t>(search.samples.size());
    Wide covariance = 0, variance = 0;
    for (std::uint32_t c = 0; c < search.channels; ++c) {
        std::int64_t sum = 0, squares = 0, products = 0;
        for (const Sample& sample : search.samples) {
            const std::int64_t v = row_of(*search.scene, y + sample.y)[(x + sample.x) * search.channels + c];
            sum += v;
            squares += v * v;
            products += v * sample.value[c];
        }
        covariance += static_cast<Wide>(n) * products - static_cast<Wide>(sum) * search.sum[c];
        variance += static_cast<Wide>(n) * squares - static_cast<Wide>(sum) * sum;
    }
    if (variance == 0) return 0;
    const double product = static_cast<double>(variance) * static_cast<double>(search.variance);
    return std::clamp(static_cast<double>(covariance) / std::sqrt(product), -1.0, 1.0);
}

bool is_searched(const Search& search, std::int64_t x, std::int64_t y) {
    const vdt_rect& r = search.region;
    const std::int64_t w = search.width, h = search.height;
    if (x < r.x || y < r.y || x + w > std::int64_t{r.x} + r.w || y + h > std::int64_t{r.y} + r.h) return false;
    for (std::uint32_t i = 0; i < search.params->exclude_count; ++i) {
        const vdt_rect& e = search.params->exclude[i];
        if (e.w > 0 && e.h > 0 && x < std::int64_t{e.x} + e.w && x + w > e.x && y < std::int64_t{e.y} + e.h &&
            y + h > e.y)
            return false;
    }
    return true;
}

void score_rows(void* arg, std::uint32_t begin, std::uint32_t end, std::uint32_t) noexcept {
    Search& search = *static_cast<Search*>(arg);
    for (std::uint32_t y = begin; y < end; ++y)
        for (std::uint32_t x = 0; x < search.columns; ++x)
            search.scores[std::size_t{y} * search.columns + x] =
                is_searched(search, x, y) ? score_at(search, x, y) : not_searched;
}

bool is_maximum(const Search& search, std::uint32_t x, std::uint32_t y) {
    const double own = search.scores[std::size_t{y} * search.columns + x];
    for (std::int64_t v = std::int64_t{y} - 1; v <= std::int64_t{y} + 1; ++v)
        for (std::int64_t u = std::int64_t{x} - 1; u <= std::int64_t{x} + 1; ++u) {
            if (u < 0 || v < 0 || u >= search.columns || v >= search.rows || (u == x && v == y)) continue;
            const double other =
                search.scores[static_cast<std::size_t>(v) * search.columns + static_cast<std::size_t>(u)];
            const bool earlier = v < y || (v == y && u < x);
            if (other > own || (other == own && earlier)) return false;
        }
    return true;
}

Search prepare(const vdt_call& call, const vdt_template_find_params& params, std::uint32_t pattern) {
    const vdt_image& scene = *call.inputs[0];
    const vdt_image& image = *call.inputs[1 + 2 * pattern];
    const vdt_image& mask = *call.inputs[2 + 2 * pattern];
    Search search{};
    search.scene = &scene;
    search.channels = scene.format == VDT_FORMAT_BGR8 ? 3 : 1;
    search.width = image.width;
    search.height = image.height;
    search.params = &params;
    search.region = params.region;
    if (search.region.w == 0 && search.region.h == 0)
        search.region = {0, 0, static_cast<std::int32_t>(scene.width), static_cast<std::int32_t>(scene.height)};
    for (std::uint32_t y = 0; y < image.height; ++y)
        for (std::uint32_t x = 0; x < image.width; ++x) {
            if (mask.format != VDT_FORMAT_NONE && row_of(mask, y)[x] == 0) continue;
            Sample sample{x, y, {}};
            for (std::uint32_t c = 0; c < search.channels; ++c)
                sample.value[c] = row_of(image, y)[x * search.channels + c];
            search.samples.push_back(sample);
        }
    for (std::uint32_t c = 0; c < search.channels; ++c) {
        std::int64_t squares = 0;
        for (const Sample& sample : search.samples) {
            search.sum[c] += sample.value[c];
            squares += std::int64_t{sample.value[c]} * sample.value[c];
        }
        search.variance +=
            static_cast<Wide>(search.samples.size()) * squares - static_cast<Wide>(search.sum[c]) * search.sum[c];
    }
    if (search.variance == 0) refuse(VDT_E_ARGUMENT, "a pattern has no structure under its mask");
    if (image.width <= scene.width && image.height <= scene.height) {
        search.columns = scene.width - image.width + 1;
        search.rows = scene.height - image.height + 1;
        search.scores.resize(std::size_t{search.columns} * search.rows);
    }
    return search;
}

vdt_code search_pattern(const vdt_host& host, const vdt_call& call, const vdt_template_find_params& params,
                        std::uint32_t pattern, std::vector<vdt_item>& items, std::uint64_t& all) {
    Search search = prepare(call, params, pattern);
    vdt_token* const token = fault == Fault::ignore_token ? nullptr : call.token;
    const vdt_code code = host.parallel_for(host.ctx, token, 0, search.rows, 4, score_rows, &search);
    if (code != VDT_OK) return code;
    std::vector<vdt_item> found;
    for (std::uint32_t y = 0; y < search.rows; ++y)
        for (std::uint32_t x = 0; x < search.columns; ++x) {
            const double score = search.scores[std::size_t{y} * search.columns + x];
            if (!(score >= params.threshold)) continue;
            if ((params.flags & VDT_FIND_LOCAL_MAXIMA) && !is_maximum(search, x, y)) continue;
            vdt_item item{};
            item.x = static_cast<float>(x);
            item.y = static_cast<float>(y);
            item.w = static_cast<float>(search.width);
            item.h = static_cast<float>(search.height);
            item.score = score;
            item.pattern = pattern;
            found.push_back(item);
        }
    std::sort(found.begin(), found.end(), [](const vdt_item& a, const vdt_item& b) {
        return std::make_tuple(-a.score, a.y, a.x) < std::make_tuple(-b.score, b.y, b.x);
    });
    if ((params.flags & VDT_FIND_BEST_ONLY) && found.size() > 1) found.resize(1);
    all += found.size();
    if (found.size() > params.max_results) found.resize(params.max_results);
    items.insert(items.end(), found.begin(), found.end());
    return VDT_OK;
}

// The faults of results.
void spoil(std::vector<vdt_item>& items, const vdt_template_find_params& params) {
    if (items.empty()) return;
    vdt_item& first = items.front();
    if (fault == Fault::not_a_number) first.score = not_searched;
    if (fault == Fault::below_threshold) items.back().score = params.threshold - 0.25;
    if (fault == Fault::outside) first.x = -40000;
    if (fault == Fault::wrong_score) first.score = std::nextafter(first.score, -1);
    static std::uint32_t runs = 0;
    if (fault == Fault::flicker) first.flags = ++runs;
}

}  // namespace

vdt_code find(const vdt_host& host, const vdt_call& call, const vdt_template_find_params& params) {
    vdt_list& list = *call.lists_out[0];
    std::vector<vdt_item> items;
    std::uint64_t all = 0;
    for (std::uint32_t pattern = 0; pattern < params.pattern_count; ++pattern) {
        const vdt_code code = search_pattern(host, call, params, pattern, items, all);
        if (code != VDT_OK) refuse(code, "stopped by the caller");
    }
    spoil(items, params);
    list.count = std::min<std::uint64_t>(items.size(), list.capacity);
    list.needed = all;
    auto* const bytes = static_cast<std::uint8_t*>(list.items);
    for (std::uint64_t i = 0; i < list.count; ++i)
        std::copy_n(reinterpret_cast<const std::uint8_t*>(&items[i]), sizeof items[i], bytes + i * list.item_size);
    if (fault == Fault::write_behind && bytes != nullptr) bytes[list.capacity * list.item_size] = 1;
    if (fault == Fault::wrong_needed) list.needed = list.count;
    if (fault == Fault::count_too_large) list.count = list.capacity + 1000;
    return list.needed > list.capacity ? VDT_INCOMPLETE : VDT_OK;
}

}  // namespace vedette::fault
