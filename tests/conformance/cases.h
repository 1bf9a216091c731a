// Things that a plugin can be asked to do, with what must come out.
#pragma once

#include "check.h"
#include "test_image.h"

#include <vedette/plugin/device.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace vedette::conformance {

// A list with bytes of known value behind its last item.
class TestList {
public:
    TestList(std::uint32_t item_size, std::uint64_t capacity);
    vdt_list& view() noexcept { return *view_; }
    const vdt_list& view() const noexcept { return *view_; }
    template <class Item>
    std::vector<Item> items() const {
        const auto* first = static_cast<const Item*>(view_->items);
        return std::vector<Item>(first, first + std::min(view_->count, view_->capacity));
    }
    bool written_behind() const;

private:
    std::unique_ptr<vdt_list> view_;
    std::vector<std::uint64_t> memory_;  // aligned to eight
};

struct Case {
    std::string name;
    vdt_op op = 0;
    std::vector<TestImage> inputs, outputs;
    std::vector<TestList> lists_in, lists_out;
    std::shared_ptr<const void> params;
    std::vector<std::shared_ptr<const void>> kept;  // what params point to
    // Compares outputs with the reference; throws Broken. Empty: there is no reference value, only sanity was checked.
    std::function<void(const Case&, const vdt_op_support&)> verify;
    // Finite, in bounds, sorted. Throws Broken. May be empty.
    std::function<void(const Case&)> sanity;
};

// A query and a call for a case; refers to it, and to nothing else.
class Request {
public:
    explicit Request(Case& of);
    const vdt_query* query(std::uint32_t variant = 0) noexcept;
    const vdt_call* call(vdt_token* token = nullptr) noexcept;
    vdt_query& query_record() noexcept { return query_; }
    vdt_call& call_record() noexcept { return call_; }

private:
    std::vector<const vdt_image*> inputs_, outputs_;
    std::vector<const vdt_list*> lists_in_;
    std::vector<vdt_list*> lists_out_;
    vdt_query query_{};
    vdt_call call_{};
};

// What cases are made of.
struct Shape {
    std::uint32_t width = 61, height = 37;
    Layout layout = Layout::packed;
};

// All cases of an operation for images of `shape`: every pair of formats in the masks, every method and flag.
// Operations that cannot work on so small an image give fewer or none.
std::vector<Case> make_cases(vdt_op op, std::uint64_t input_formats, std::uint64_t output_formats, const Shape& shape);

std::vector<Case> convert_cases(std::uint64_t input_formats, std::uint64_t output_formats, const Shape& shape);
std::vector<Case> resize_cases(std::uint64_t input_formats, std::uint64_t output_formats, const Shape& shape);
std::vector<Case> integral_cases(std::uint64_t input_formats, std::uint64_t output_formats, const Shape& shape);
std::vector<Case> filter_cases(std::uint64_t input_formats, std::uint64_t output_formats, const Shape& shape);
std::vector<Case> pyramid_cases(std::uint64_t input_formats, const Shape& shape);
std::vector<Case> template_map_cases(std::uint64_t input_formats, const Shape& shape);
std::vector<Case> template_find_cases(std::uint64_t input_formats, const Shape& shape);
std::vector<Case> group_cases(const Shape& shape);
std::vector<Case> fft2_cases(std::uint64_t input_formats, std::uint64_t output_formats, const Shape& shape);
std::vector<Case> restore_cases(std::uint64_t input_formats, const Shape& shape);
std::vector<Case> cascade_cases(std::uint64_t input_formats, const Shape& shape);
std::vector<Case> features_cases(std::uint64_t input_formats, const Shape& shape);
std::vector<Case> feature_match_cases(std::uint64_t input_formats, const Shape& shape);

// A template_find with many hits on a scene of that size: used where time or the length of the list matters.
Case heavy_find(std::uint32_t width, std::uint32_t height, std::uint32_t max_results, std::uint64_t capacity);

// ---- for those who make cases
// -----------------------------------------------------------------------------------------

// The same numbers on every machine.
class Random {
public:
    explicit Random(std::uint32_t seed) : engine_(seed) {}
    std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(engine_() % limit); }

private:
    std::mt19937 engine_;
};

// Waves, noise, a flat area and a patch that occurs several times; the same picture for the same seed. Float formats
// hold multiples of 1/8, so that products with simple factors are exact.
void paint(TestImage& image, std::uint32_t seed);
void paint_mask(TestImage& mask, std::uint32_t seed);  // at least one pixel taken

template <class Params>
std::shared_ptr<Params> make_params() {
    auto params = std::make_shared<Params>();
    *params = Params{};
    params->struct_size = sizeof(Params);
    return params;
}

// Formats of a mask, ascending.
std::vector<vdt_format> formats_in(std::uint64_t mask);
bool is_float(vdt_format format);
bool is_color(vdt_format format);  // 8-bit, 16-bit and float pixels, gray included

}  // namespace vedette::conformance
