#include "find/find_options.h"

#include "core/failure.h"

#include "boost_test.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace vedette;

namespace {

vdt_find_options defaults() {
    vdt_find_options options{};
    options.struct_size = sizeof options;
    vdt_find_options_init(&options);
    return options;
}

// The sentence of the refusal; "" when nothing was refused.
std::string refusal(const vdt_find_options& options) {
    try {
        host::check_options(&options, 100, 80);
    } catch (const host::Failure& failure) {
        BOOST_TEST(failure.code() == VDT_E_ARGUMENT);
        return failure.text();
    }
    return {};
}

bool names(const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(options)

BOOST_AUTO_TEST_CASE(defaults_are_those_of_the_header) {
    const vdt_find_options options = defaults();
    BOOST_TEST(options.struct_size == sizeof options);
    BOOST_TEST(options.threshold == 0.75);
    BOOST_TEST(options.floor == 0.6);
    BOOST_TEST(options.strictness == 1);
    BOOST_TEST(options.overlap == 0.5);
    BOOST_TEST(options.verify == 1U);
    BOOST_TEST(options.all == 0U);
    BOOST_TEST(options.max_results == 400U);
    BOOST_TEST(options.fallbacks == (VDT_FALLBACK_SCALES | VDT_FALLBACK_FEATURES));
    const host::CheckedOptions checked = host::check_options(nullptr, 100, 80);
    BOOST_TEST(checked.query.threshold == 0.75);
    BOOST_TEST(checked.query.verify);
    BOOST_TEST(checked.query.region.w == 100U);
    BOOST_TEST(checked.query.region.h == 80U);
    BOOST_TEST(checked.query.scales.size() == 1U);
    BOOST_TEST(checked.backend.empty());
    vdt_find_options_init(nullptr);
}

// A program built with an older header has a shorter struct, with something of its own behind it.
BOOST_AUTO_TEST_CASE(defaults_reach_as_far_as_the_callers_struct) {
    vdt_find_options options;
    std::memset(&options, 0x5a, sizeof options);
    options.struct_size = offsetof(vdt_find_options, time_limit);
    vdt_find_options_init(&options);
    BOOST_TEST(options.struct_size == offsetof(vdt_find_options, time_limit));
    BOOST_TEST(options.threshold == 0.75);
    BOOST_TEST(options.fallbacks == (VDT_FALLBACK_SCALES | VDT_FALLBACK_FEATURES));
    unsigned char beyond[sizeof options.time_limit];
    std::memcpy(beyond, &options.time_limit, sizeof beyond);
    for (const unsigned char byte : beyond) BOOST_TEST(byte == 0x5a);
    options.struct_size = 0;
    options.threshold = 2;
    vdt_find_options_init(&options);
    BOOST_TEST(options.threshold == 2);
}

BOOST_AUTO_TEST_CASE(fallbacks_belong_to_a_verified_search_of_one_size) {
    vdt_find_options options = defaults();
    BOOST_TEST(host::check_options(&options, 100, 80).query.fallbacks == options.fallbacks);
    options.fallbacks = VDT_FALLBACK_FEATURES;
    BOOST_TEST(host::check_options(&options, 100, 80).query.fallbacks == VDT_FALLBACK_FEATURES);
    options.fallbacks = 0;
    BOOST_TEST(host::check_options(&options, 100, 80).query.fallbacks == 0U);
    options = defaults();
    options.verify = 0;
    BOOST_TEST(host::check_options(&options, 100, 80).query.fallbacks == 0U);
    options = defaults();
    const double one = 1;
    options.scales = &one;
    options.scale_count = 1;
    BOOST_TEST(host::check_options(&options, 100, 80).query.fallbacks == 0U);
    options = defaults();
    options.fallbacks = 4;
    BOOST_TEST(names(refusal(options), "`fallbacks` is 4"));
}

BOOST_AUTO_TEST_CASE(numbers_out_of_range_are_named) {
    const double nan = std::nan("");
    const double infinity = std::numeric_limits<double>::infinity();
    struct Field {
        const char* name;
        double vdt_find_options::*member;
        std::vector<double> wrong;
        std::vector<double> right;
    };
    const std::vector<Field> fields{
        {"threshold", &vdt_find_options::threshold, {nan, 1.01, -1.01, infinity}, {-1, 0, 1}},
        {"floor", &vdt_find_options::floor, {nan, 1.01, -1.01, -infinity}, {-1, 0, 1}},
        {"strictness", &vdt_find_options::strictness, {nan, 0, 0.2, 4.1, -1}, {0.25, 4}},
        {"overlap", &vdt_find_options::overlap, {nan, -0.1, 1.1}, {0, 1}},
        {"time_limit", &vdt_find_options::time_limit, {nan, -1, infinity}, {0, 0.001, 1000}},
    };
    for (const Field& field : fields) {
        for (const double value : field.wrong) {
            vdt_find_options options = defaults();
            options.*field.member = value;
            BOOST_TEST(names(refusal(options), field.name), field.name << " " << value);
        }
        for (const double value : field.right) {
            vdt_find_options options = defaults();
            options.*field.member = value;
            BOOST_TEST(refusal(options).empty());
        }
    }
}

BOOST_AUTO_TEST_CASE(flags_and_counts_are_checked) {
    vdt_find_options options = defaults();
    options.color = 3;
    BOOST_TEST(names(refusal(options), "color"));
    options = defaults();
    options.verify = 2;
    BOOST_TEST(names(refusal(options), "verify"));
    options = defaults();
    options.all = 7;
    BOOST_TEST(names(refusal(options), "all"));
    options = defaults();
    options.max_results = 0;
    BOOST_TEST(names(refusal(options), "max_results"));
    options.max_results = 4000000000U;
    BOOST_TEST(names(refusal(options), "max_results"));
    options = defaults();
    options.struct_size = 8;
    BOOST_TEST(names(refusal(options), "struct_size"));
}

BOOST_AUTO_TEST_CASE(a_region_lies_inside_the_screen) {
    const std::vector<vdt_rect> wrong{{0, 0, 101, 10}, {-1, 0, 10, 10},         {0, -1, 10, 10},
                                      {95, 0, 6, 10},  {0, 75, 10, 6},          {10, 10, 0, 5},
                                      {10, 10, 5, -5}, {100, 80, 1, 1},         {1, 0, 0, 0},
                                      {0, 0, 0, 5},    {2147483647, 0, 10, 10}, {10, 10, 2147483647, 10}};
    for (const vdt_rect& region : wrong) {
        vdt_find_options options = defaults();
        options.region = region;
        const std::string text = refusal(options);
        BOOST_TEST(names(text, "region"));
        BOOST_TEST(names(text, "100 x 80"));
    }
    vdt_find_options options = defaults();
    options.region = {99, 79, 1, 1};
    BOOST_TEST(refusal(options).empty());
}

BOOST_AUTO_TEST_CASE(lists_are_checked) {
    vdt_find_options options = defaults();
    options.exclude_count = 2;
    BOOST_TEST(names(refusal(options), "exclude"));
    const vdt_rect areas[2] = {{0, 0, 10, 10}, {0, 0, 0, 10}};
    options.exclude = areas;
    BOOST_TEST(names(refusal(options), "0,0,0,10"));
    options.exclude_count = 1;
    BOOST_TEST(refusal(options).empty());
    options = defaults();
    options.scale_count = 1;
    BOOST_TEST(names(refusal(options), "scales"));
    for (const double wrong : {0.0, -1.0, std::nan(""), 1e9, 0.001}) {
        const double scales[2] = {1, wrong};
        options.scales = scales;
        options.scale_count = 2;
        BOOST_TEST(names(refusal(options), "scales"));
    }
    const double scales[3] = {1, 2, 1};
    options.scales = scales;
    options.scale_count = 0;
    BOOST_TEST(names(refusal(options), "scale_count"));
    options.scale_count = 3;
    BOOST_TEST(host::check_options(&options, 100, 80).query.scales.size() == 2U);
    options.scale_count = 100000;
    BOOST_TEST(names(refusal(options), "scale_count"));
}

BOOST_AUTO_TEST_SUITE_END()
