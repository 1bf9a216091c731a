#include "find_search.h"

#include <cstring>
#include <sstream>

namespace vedette::ops {

Search& Search::add(TestImage pattern, TestImage mask) {
    patterns.push_back(std::move(pattern));
    masks.push_back(std::move(mask));
    return *this;
}

vdt_template_find_params Search::params() const {
    vdt_template_find_params params{};
    params.struct_size = sizeof params;
    params.flags = flags;
    params.threshold = threshold;
    params.pattern_count = static_cast<std::uint32_t>(patterns.size());
    params.max_results = max_results;
    params.region = region;
    params.exclude = exclude.empty() ? nullptr : exclude.data();
    params.exclude_count = static_cast<std::uint32_t>(exclude.size());
    params.scales = scales.empty() ? nullptr : scales.data();
    params.scale_count = static_cast<std::uint32_t>(scales.size());
    return params;
}

std::vector<const vdt_image*> Search::inputs() const {
    std::vector<const vdt_image*> inputs{scene.ptr()};
    for (std::size_t p = 0; p < patterns.size(); ++p) inputs.insert(inputs.end(), {patterns[p].ptr(), masks[p].ptr()});
    return inputs;
}

Found find_on(const Backend& on, const Search& search, std::uint64_t capacity, Limit* limit) {
    const vdt_template_find_params params = search.params();
    TestList list(capacity);
    Operation operation;
    operation.op = VDT_OP_TEMPLATE_FIND;
    operation.variant = search.variant;
    operation.runs = search.runs;
    operation.params = &params;
    operation.inputs = search.inputs();
    operation.lists_out = {list.ptr()};
    operation.limit = limit;
    const Outcome outcome = on.run(operation);
    Found found{outcome.code, outcome.text, {}, 0, outcome.support.variant_count};
    if (VDT_IS_ERROR(outcome.code)) return found;
    BOOST_CHECK(list.guards_intact());
    BOOST_CHECK_EQUAL(outcome.code, list.ptr()->needed > capacity ? VDT_INCOMPLETE : VDT_OK);
    found.items = list.items();
    found.needed = list.ptr()->needed;
    return found;
}

std::vector<vdt_item> expected_of(const Search& search) {
    const vdt_template_find_params params = search.params();
    const std::vector<const vdt_image*> inputs = search.inputs();
    std::vector<vdt_item> kept;
    std::vector<std::uint32_t> of_pattern(search.patterns.size());
    for (const vdt_item& item : reference::template_find(inputs.data(), params))
        if (++of_pattern[item.pattern] <= search.max_results) kept.push_back(item);
    return kept;
}

void check_variants(const Backend& on, Search search) {
    const std::vector<vdt_item> expected = expected_of(search);
    std::uint32_t variants = 1;
    for (search.variant = 0; search.variant < variants; ++search.variant) {
        const Found found = find_on(on, search);
        BOOST_REQUIRE_MESSAGE(found.code == VDT_OK,
                              "variant " << search.variant << ", code " << found.code << ": " << found.text);
        variants = found.variants;
        const std::string wrong = list_difference(found.items, expected);
        BOOST_CHECK_MESSAGE(wrong.empty(), "variant " << search.variant << ": " << wrong);
    }
}

std::string list_difference(const std::vector<vdt_item>& is, const std::vector<vdt_item>& should) {
    std::ostringstream text;
    text.precision(17);
    const auto describe = [&text](const char* what, const std::vector<vdt_item>& items, std::size_t i) {
        text << what;
        if (i >= items.size()) {
            text << " ends";
            return;
        }
        const vdt_item& item = items[i];
        text << " pattern " << item.pattern << " at (" << item.x << ", " << item.y << ") size " << item.w << "x"
             << item.h << " score " << item.score << " scale " << item.scale << " flags " << item.flags;
    };
    for (std::size_t i = 0; i < std::max(is.size(), should.size()); ++i) {
        if (i < is.size() && i < should.size() && std::memcmp(&is[i], &should[i], sizeof is[i]) == 0) continue;
        text << "item " << i << " of " << is.size() << " against " << should.size() << ": ";
        describe("is", is, i);
        describe("; should be", should, i);
        return text.str();
    }
    return "";
}

}  // namespace vedette::ops
