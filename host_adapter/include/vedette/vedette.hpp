// Vedette for C++17 and later: owners around the C API of vedette.h, errors as exceptions. Header only.
//
//     vedette::Context context;
//     vedette::Screen screen = context.screen("screen.png");
//     vedette::Pattern button = context.pattern("button.png");
//     for (const vedette::Match& match : context.find(screen, button).matches()) click(match.x, match.y);
//
// Every owner is movable and empty after a move; get() gives the handle for the C API. Thread rules as in vedette.h.
// Functions that can fail throw vedette::Error.
#ifndef VEDETTE_VEDETTE_HPP
#define VEDETTE_VEDETTE_HPP

#include <vedette/vedette.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace vedette {

class Error : public std::runtime_error {
public:
    explicit Error(const vdt_error& error)
        : std::runtime_error(error.text), code_(error.code), native_code_(error.native_code) {}

    vdt_code code() const noexcept { return code_; }
    std::int64_t native_code() const noexcept { return native_code_; }

private:
    vdt_code code_;
    std::int64_t native_code_;
};

namespace detail {

// Calls a function of the C API with an error record and throws when it fails; gives the code of success.
template <class Call>
vdt_code checked(Call&& call) {
    vdt_error error{};
    error.struct_size = sizeof error;
    const vdt_code code = call(&error);
    if (code < 0) {
        error.code = code;
        throw Error(error);
    }
    return code;
}

template <class T>
T sized() noexcept {
    T value{};
    value.struct_size = sizeof value;
    return value;
}

template <class T, void (*Destroy)(T*) VDT_NOEXCEPT>
struct Destroyer {
    void operator()(T* handle) const noexcept { Destroy(handle); }
};

template <class T, void (*Destroy)(T*) VDT_NOEXCEPT>
class Owner {
public:
    explicit Owner(T* handle) noexcept : handle_(handle) {}
    T* get() const noexcept { return handle_.get(); }

private:
    std::unique_ptr<T, Destroyer<T, Destroy>> handle_;
};

}  // namespace detail

using Match = vdt_match;
using Outcome = vdt_outcome;

// vdt_find_options with the library's defaults; set what differs.
struct FindOptions : vdt_find_options {
    FindOptions() noexcept : vdt_find_options(detail::sized<vdt_find_options>()) { vdt_find_options_init(this); }
};

// The same for vdt_restore_options.
struct RestoreOptions : vdt_restore_options {
    RestoreOptions() noexcept : vdt_restore_options(detail::sized<vdt_restore_options>()) {
        vdt_restore_options_init(this);
    }
};

// Pixels in the library's memory, freed with this object: those of a file, or what a restoration gave.
class Pixels {
public:
    // As vdt_pixels_from_file.
    explicit Pixels(const std::string& path) : Pixels() {
        detail::checked([&](vdt_error* error) { return vdt_pixels_from_file(path.c_str(), &pixels_, error); });
    }
    Pixels(Pixels&& other) noexcept : pixels_(std::exchange(other.pixels_, detail::sized<vdt_pixels>())) {}
    Pixels& operator=(Pixels&& other) noexcept {
        std::swap(pixels_, other.pixels_);
        return *this;
    }
    Pixels(const Pixels&) = delete;
    Pixels& operator=(const Pixels&) = delete;
    ~Pixels() { vdt_pixels_free(&pixels_); }

    const vdt_pixels& get() const noexcept { return pixels_; }
    // As vdt_pixels_to_file: a PNG.
    void save(const std::string& path) const {
        detail::checked([&](vdt_error* error) { return vdt_pixels_to_file(&pixels_, path.c_str(), error); });
    }

private:
    friend class Context;
    Pixels() noexcept : pixels_(detail::sized<vdt_pixels>()) {}

    vdt_pixels pixels_;
};

// A picture sharpened, how, and by whom; the strings of `run` live as long as the context.
struct Restored {
    Pixels pixels;
    vdt_restoration restoration;
    vdt_run_info run;
};

class Screen : public detail::Owner<vdt_screen, vdt_screen_destroy> {
public:
    using Owner::Owner;

    std::pair<std::uint32_t, std::uint32_t> size() const {
        std::pair<std::uint32_t, std::uint32_t> size;
        detail::checked([&](vdt_error* error) { return vdt_screen_size(get(), &size.first, &size.second, error); });
        return size;
    }
};

class Pattern : public detail::Owner<vdt_pattern, vdt_pattern_destroy> {
public:
    using Owner::Owner;

    std::pair<std::uint32_t, std::uint32_t> size() const {
        std::pair<std::uint32_t, std::uint32_t> size;
        detail::checked([&](vdt_error* error) { return vdt_pattern_size(get(), &size.first, &size.second, error); });
        return size;
    }
    void exclude(const std::vector<vdt_rect>& rectangles) {
        detail::checked([&](vdt_error* error) {
            return vdt_pattern_exclude(get(), rectangles.data(), static_cast<std::uint32_t>(rectangles.size()), error);
        });
    }
};

// A switch that ends finds from another thread: options.cancel = stop.get().
class Cancel : public detail::Owner<vdt_cancel, vdt_cancel_destroy> {
public:
    Cancel() : Owner(create()) {}
    void set() noexcept { vdt_cancel_set(get()); }
    void reset() noexcept { vdt_cancel_reset(get()); }

private:
    static vdt_cancel* create() {
        vdt_cancel* cancel = nullptr;
        detail::checked([&](vdt_error* error) { return vdt_cancel_create(&cancel, error); });
        return cancel;
    }
};

class Result : public detail::Owner<vdt_result, vdt_result_destroy> {
public:
    using Owner::Owner;

    // Best first for each pattern.
    std::vector<Match> matches() const {
        std::vector<Match> matches(vdt_result_match_count(get()), detail::sized<Match>());
        for (std::uint32_t i = 0; i < matches.size(); ++i)
            detail::checked([&](vdt_error* error) { return vdt_result_match(get(), i, &matches[i], error); });
        return matches;
    }
    Outcome outcome(std::uint32_t pattern = 0) const {
        auto outcome = detail::sized<Outcome>();
        outcome.best.struct_size = sizeof outcome.best;
        detail::checked([&](vdt_error* error) { return vdt_result_outcome(get(), pattern, &outcome, error); });
        return outcome;
    }
    // Its strings live as long as this result.
    vdt_run_info run() const {
        auto info = detail::sized<vdt_run_info>();
        detail::checked([&](vdt_error* error) { return vdt_result_run(get(), &info, error); });
        return info;
    }
    void annotate(const Screen& screen, const std::string& path) const {
        detail::checked(
            [&](vdt_error* error) { return vdt_result_annotate(get(), screen.get(), path.c_str(), error); });
    }
};

class Context : public detail::Owner<vdt_context, vdt_context_destroy> {
public:
    Context() : Owner(create(nullptr)) {}
    explicit Context(const vdt_context_options& options) : Owner(create(&options)) {}

    Screen screen(const std::string& path) const {
        vdt_screen* screen = nullptr;
        detail::checked([&](vdt_error* error) { return vdt_screen_from_file(get(), path.c_str(), &screen, error); });
        return Screen(screen);
    }
    Screen screen(const vdt_pixels& pixels) const {
        vdt_screen* screen = nullptr;
        detail::checked([&](vdt_error* error) { return vdt_screen_create(get(), &pixels, &screen, error); });
        return Screen(screen);
    }
    // From an encoded file in memory.
    Screen screen(const void* data, std::size_t bytes) const {
        vdt_screen* screen = nullptr;
        detail::checked([&](vdt_error* error) { return vdt_screen_from_memory(get(), data, bytes, &screen, error); });
        return Screen(screen);
    }
    Pattern pattern(const std::string& path) const {
        vdt_pattern* pattern = nullptr;
        detail::checked([&](vdt_error* error) { return vdt_pattern_from_file(get(), path.c_str(), &pattern, error); });
        return Pattern(pattern);
    }
    Pattern pattern(const vdt_pixels& pixels) const {
        vdt_pattern* pattern = nullptr;
        detail::checked([&](vdt_error* error) { return vdt_pattern_create(get(), &pixels, &pattern, error); });
        return Pattern(pattern);
    }
    Pattern pattern(const void* data, std::size_t bytes) const {
        vdt_pattern* pattern = nullptr;
        detail::checked([&](vdt_error* error) { return vdt_pattern_from_memory(get(), data, bytes, &pattern, error); });
        return Pattern(pattern);
    }

    Result find(Screen& screen, Pattern& pattern, const FindOptions& options = FindOptions()) const {
        return find(screen, std::vector<Pattern*>{&pattern}, options);
    }
    Result find(Screen& screen, const std::vector<Pattern*>& patterns,
                const FindOptions& options = FindOptions()) const {
        std::vector<vdt_pattern*> handles;
        for (const Pattern* pattern : patterns) handles.push_back(pattern->get());
        vdt_result* result = nullptr;
        detail::checked([&](vdt_error* error) {
            return vdt_find(get(), screen.get(), handles.data(), static_cast<std::uint32_t>(handles.size()), &options,
                            &result, error);
        });
        return Result(result);
    }

    // As vdt_find_by_features: turned, scaled, in perspective.
    vdt_feature_place find_by_features(Screen& screen, Pattern& pattern,
                                       const vdt_feature_options* options = nullptr) const {
        vdt_feature_place place = detail::sized<vdt_feature_place>();
        detail::checked([&](vdt_error* error) {
            return vdt_find_by_features(get(), screen.get(), pattern.get(), options, &place, nullptr, error);
        });
        return place;
    }

    // As vdt_restore: a blurred picture sharpened.
    Restored restore(const vdt_pixels& pixels, const RestoreOptions& options = RestoreOptions()) const {
        Restored restored{Pixels(), detail::sized<vdt_restoration>(), detail::sized<vdt_run_info>()};
        detail::checked([&](vdt_error* error) {
            return vdt_restore(get(), &pixels, &options, &restored.pixels.pixels_, &restored.restoration, &restored.run,
                               error);
        });
        return restored;
    }

    // Devices of the loaded backends; the strings live as long as this context.
    std::vector<vdt_backend_info> backends() const {
        std::vector<vdt_backend_info> all(vdt_backend_count(get()), detail::sized<vdt_backend_info>());
        for (std::uint32_t i = 0; i < all.size(); ++i)
            detail::checked([&](vdt_error* error) { return vdt_backend_at(get(), i, &all[i], error); });
        return all;
    }
    // Backends that were not loaded, and why.
    std::vector<vdt_skipped_info> skipped() const {
        std::vector<vdt_skipped_info> all(vdt_skipped_count(get()), detail::sized<vdt_skipped_info>());
        for (std::uint32_t i = 0; i < all.size(); ++i)
            detail::checked([&](vdt_error* error) { return vdt_skipped_at(get(), i, &all[i], error); });
        return all;
    }
    void set_preferable_backend(const std::string& backend) {
        detail::checked([&](vdt_error* error) { return vdt_set_preferable_backend(get(), backend.c_str(), error); });
    }
    void set_preferable_target(std::int32_t device) {
        detail::checked([&](vdt_error* error) { return vdt_set_preferable_target(get(), device, error); });
    }
    // As vdt_explain_start and vdt_explain_stop: which backends were weighed for the calls in between, as JSON.
    void explain_start(bool measure = false) {
        const std::uint32_t flags = measure ? std::uint32_t{VDT_EXPLAIN_MEASURE} : 0U;
        detail::checked([&](vdt_error* error) { return vdt_explain_start(get(), flags, error); });
    }
    std::string explain_stop() {
        const char* json = nullptr;
        detail::checked([&](vdt_error* error) { return vdt_explain_stop(get(), &json, error); });
        return json;
    }

private:
    static vdt_context* create(const vdt_context_options* options) {
        vdt_context* context = nullptr;
        detail::checked([&](vdt_error* error) { return vdt_context_create(options, &context, error); });
        return context;
    }
};

}  // namespace vedette

#endif
