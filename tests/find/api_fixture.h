// A context of every backend of the build, and pictures, for tests of finding through the public API.
#pragma once

#include <vedette/vedette.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "boost_test.h"

namespace find_api {

struct Destroy {
    void operator()(vdt_context* object) const { vdt_context_destroy(object); }
    void operator()(vdt_screen* object) const { vdt_screen_destroy(object); }
    void operator()(vdt_pattern* object) const { vdt_pattern_destroy(object); }
    void operator()(vdt_result* object) const { vdt_result_destroy(object); }
    void operator()(vdt_cancel* object) const { vdt_cancel_destroy(object); }
};
template <class T>
using Owned = std::unique_ptr<T, Destroy>;

inline vdt_error no_error() {
    vdt_error error{};
    error.struct_size = sizeof error;
    return error;
}

// BGR pixels of a caller.
struct Picture {
    std::uint32_t width, height;
    std::vector<std::uint8_t> bytes;

    vdt_pixels pixels() const {
        vdt_pixels view{};
        view.struct_size = sizeof view;
        view.format = VDT_FORMAT_BGR8;
        view.width = width;
        view.height = height;
        view.stride = static_cast<std::int64_t>(width) * 3;
        view.bytes = bytes.size();
        view.data = bytes.data();
        return view;
    }
    std::uint8_t* at(std::uint32_t x, std::uint32_t y) { return bytes.data() + (std::size_t{y} * width + x) * 3; }
    const std::uint8_t* at(std::uint32_t x, std::uint32_t y) const {
        return bytes.data() + (std::size_t{y} * width + x) * 3;
    }
};

// Plain ground with blocks of random colours, four pixels wide.
inline Picture blocks(std::uint32_t width, std::uint32_t height, unsigned seed) {
    Picture picture{width, height, std::vector<std::uint8_t>(std::size_t{3} * width * height, 225)};
    std::mt19937 random(seed);
    for (std::uint32_t y = 0; y + 4 <= height; y += 4)
        for (std::uint32_t x = 0; x + 4 <= width; x += 4) {
            if ((random() & 3U) != 0) continue;
            const std::uint32_t color = static_cast<std::uint32_t>(random());
            for (std::uint32_t v = y; v < y + 4; ++v)
                for (std::uint32_t u = x; u < x + 4; ++u)
                    for (unsigned c = 0; c < 3; ++c)
                        picture.at(u, v)[c] = static_cast<std::uint8_t>(color >> (8 * c) & 255U);
        }
    return picture;
}

inline Picture crop(const Picture& picture, std::uint32_t x, std::uint32_t y, std::uint32_t w, std::uint32_t h) {
    Picture part{w, h, std::vector<std::uint8_t>(std::size_t{3} * w * h)};
    for (std::uint32_t v = 0; v < h; ++v) std::memcpy(part.at(0, v), picture.at(x, y + v), std::size_t{3} * w);
    return part;
}

struct Fixture {
    Owned<vdt_context> context;
    std::vector<std::string> backends;          // that can search
    std::vector<std::string> feature_backends;  // and find features

    Fixture() {
        vdt_error error = no_error();
        vdt_context* made = nullptr;
        BOOST_REQUIRE_MESSAGE(vdt_context_create(nullptr, &made, &error) == VDT_OK, error.text);
        context.reset(made);
        for (std::uint32_t i = 0; i < vdt_backend_count(made); ++i) {
            vdt_backend_info info{};
            info.struct_size = sizeof info;
            BOOST_REQUIRE(vdt_backend_at(made, i, &info, nullptr) == VDT_OK);
            const auto does = [&](vdt_op op) { return (info.operations >> op & 1U) != 0; };
            if (!does(VDT_OP_TEMPLATE_FIND)) continue;
            backends.emplace_back(info.backend);
            if (does(VDT_OP_FEATURES) && does(VDT_OP_FEATURE_MATCH)) feature_backends.emplace_back(info.backend);
        }
        BOOST_REQUIRE_MESSAGE(!feature_backends.empty(), "no backend of this build can search and find features");
    }

    Owned<vdt_screen> screen(const Picture& picture) const {
        vdt_error error = no_error();
        vdt_screen* made = nullptr;
        const vdt_pixels pixels = picture.pixels();
        BOOST_REQUIRE_MESSAGE(vdt_screen_create(context.get(), &pixels, &made, &error) == VDT_OK, error.text);
        return Owned<vdt_screen>(made);
    }

    Owned<vdt_pattern> pattern(const vdt_pixels& pixels) const {
        vdt_error error = no_error();
        vdt_pattern* made = nullptr;
        BOOST_REQUIRE_MESSAGE(vdt_pattern_create(context.get(), &pixels, &made, &error) == VDT_OK, error.text);
        return Owned<vdt_pattern>(made);
    }
    Owned<vdt_pattern> pattern(const Picture& picture) const { return pattern(picture.pixels()); }

    Owned<vdt_result> find(vdt_screen* screen, vdt_pattern* pattern, const vdt_find_options* options = nullptr) const {
        vdt_error error = no_error();
        vdt_result* made = nullptr;
        BOOST_REQUIRE_MESSAGE(vdt_find(context.get(), screen, &pattern, 1, options, &made, &error) == VDT_OK,
                              error.text);
        return Owned<vdt_result>(made);
    }
};

inline vdt_match match_of(const vdt_result* result, std::uint32_t index) {
    vdt_match match{};
    match.struct_size = sizeof match;
    BOOST_REQUIRE(vdt_result_match(result, index, &match, nullptr) == VDT_OK);
    return match;
}

inline vdt_outcome outcome_of(const vdt_result* result, std::uint32_t pattern = 0) {
    vdt_outcome outcome{};
    outcome.struct_size = sizeof outcome;
    BOOST_REQUIRE(vdt_result_outcome(result, pattern, &outcome, nullptr) == VDT_OK);
    return outcome;
}

inline vdt_find_options defaults() {
    vdt_find_options options{};
    options.struct_size = sizeof options;
    vdt_find_options_init(&options);
    return options;
}

}  // namespace find_api
