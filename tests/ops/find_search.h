// A template_find call with everything it points to.
#pragma once

#include <vector>

#include "boost_test.h"
#include "plugin_fixture.h"
#include "test_image.h"
#include "test_list.h"

namespace vedette::ops {

namespace bdata = boost::unit_test::data;

struct Search {
    TestImage scene;
    std::vector<TestImage> patterns, masks;  // masks[i] may be TestImage::none()
    double threshold = 0.8;
    std::uint32_t flags = 0;
    std::uint32_t max_results = 1u << 30;
    vdt_rect region{};
    std::vector<vdt_rect> exclude;
    std::vector<double> scales;  // empty: 1 only
    std::uint32_t variant = 0;
    std::uint32_t runs = 1;  // of one plan; the last one counts

    explicit Search(TestImage on) : scene(std::move(on)) {}
    Search& add(TestImage pattern, TestImage mask = TestImage::none());

    vdt_template_find_params params() const;
    std::vector<const vdt_image*> inputs() const;
};

struct Found {
    vdt_code code = VDT_OK;
    std::string text;
    std::vector<vdt_item> items;
    std::uint64_t needed = 0;
    std::uint32_t variants = 1;  // that the backend has for such a search
};

// Runs the search; the list has room for `capacity` items.
Found find_on(const Backend& backend, const Search& search, std::uint64_t capacity = 200000, Limit* limit = nullptr);

// The whole list by brute force, then cut to max_results for each pattern.
std::vector<vdt_item> expected_of(const Search& search);

// Checks that every variant of the backend finds just what brute force does.
void check_variants(const Backend& on, Search search);

// "" when both lists are the same bit for bit, else the first difference.
std::string list_difference(const std::vector<vdt_item>& is, const std::vector<vdt_item>& should);

}  // namespace vedette::ops
