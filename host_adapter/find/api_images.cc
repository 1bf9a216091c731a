// Screens and patterns of the C API.
#include "../core/api_guard.h"
#include "../core/context.h"
#include "../core/handles.h"
#include "../core/image_check.h"
#include "../imageio/read_image.h"
#include "api_objects.h"
#include "import_pixels.h"

#include <memory>
#include <string>

using namespace vedette::host;

namespace {

template <class T>
void require_place(T** place, const char* name) {
    if (place == nullptr)
        throw Failure(VDT_E_ARGUMENT, std::string("`") + name + "` is NULL: there is no place for the result.");
    *place = nullptr;
}

Image decode(const void* data, std::uint64_t bytes) {
    if (data == nullptr) throw Failure(VDT_E_ARGUMENT, "`data` is NULL.");
    return decode_image(data, bytes, "the image in memory");
}

Image read(const char* path) {
    if (path == nullptr) throw Failure(VDT_E_ARGUMENT, "`path` is NULL.");
    return read_image(path);
}

template <class T>
void hand_out(std::unique_ptr<T> object, HandleKind kind, T** place) {
    add_handle(object.get(), kind);
    *place = object.release();
}

template <class MakeImage>
vdt_code make_screen(vdt_context* context, vdt_screen** screen, vdt_error* error, MakeImage&& make_image) noexcept {
    return api_guard(error, [&] {
        require_place(screen, "screen");
        const Workers workers(&context_of(context).pool());
        std::unique_ptr<vdt_screen> made(new vdt_screen{Screen(color_of(make_image(), workers))});
        hand_out(std::move(made), HandleKind::Screen, screen);
    });
}

// `with_view` calls its argument with a view of the pixels.
template <class WithView>
vdt_code make_pattern(vdt_context* context, vdt_pattern** pattern, vdt_error* error, WithView&& with_view) noexcept {
    return api_guard(error, [&] {
        require_place(pattern, "pattern");
        context_of(context);
        with_view([&](const vdt_image& view) {
            std::unique_ptr<vdt_pattern> made(new vdt_pattern{Pattern(view)});
            hand_out(std::move(made), HandleKind::Pattern, pattern);
        });
    });
}

}  // namespace

vdt_code vdt_screen_create(vdt_context* context, const vdt_pixels* pixels, vdt_screen** screen,
                           vdt_error* error) noexcept {
    return make_screen(context, screen, error, [&] { return checked_view(pixels, "`pixels`"); });
}

vdt_code vdt_screen_from_file(vdt_context* context, const char* path, vdt_screen** screen, vdt_error* error) noexcept {
    return make_screen(context, screen, error, [&] { return read(path); });
}

vdt_code vdt_screen_from_memory(vdt_context* context, const void* data, uint64_t bytes, vdt_screen** screen,
                                vdt_error* error) noexcept {
    return make_screen(context, screen, error, [&] { return decode(data, bytes); });
}

vdt_code vdt_screen_size(const vdt_screen* screen, uint32_t* width, uint32_t* height, vdt_error* error) noexcept {
    return api_guard(error, [&] {
        require_handle(screen, HandleKind::Screen, "screen");
        if (width != nullptr) *width = screen->screen.width();
        if (height != nullptr) *height = screen->screen.height();
    });
}

void vdt_screen_destroy(vdt_screen* screen) noexcept {
    if (remove_handle(screen, HandleKind::Screen)) delete screen;
}

vdt_code vdt_pattern_create(vdt_context* context, const vdt_pixels* pixels, vdt_pattern** pattern,
                            vdt_error* error) noexcept {
    return make_pattern(context, pattern, error, [&](auto&& take) { take(checked_view(pixels, "`pixels`")); });
}

vdt_code vdt_pattern_from_file(vdt_context* context, const char* path, vdt_pattern** pattern,
                               vdt_error* error) noexcept {
    return make_pattern(context, pattern, error, [&](auto&& take) {
        const Image image = read(path);
        take(image.view());
    });
}

vdt_code vdt_pattern_from_memory(vdt_context* context, const void* data, uint64_t bytes, vdt_pattern** pattern,
                                 vdt_error* error) noexcept {
    return make_pattern(context, pattern, error, [&](auto&& take) {
        const Image image = decode(data, bytes);
        take(image.view());
    });
}

vdt_code vdt_pattern_size(const vdt_pattern* pattern, uint32_t* width, uint32_t* height, vdt_error* error) noexcept {
    return api_guard(error, [&] {
        require_handle(pattern, HandleKind::Pattern, "pattern");
        if (width != nullptr) *width = pattern->pattern.width();
        if (height != nullptr) *height = pattern->pattern.height();
    });
}

vdt_code vdt_pattern_exclude(vdt_pattern* pattern, const vdt_rect* rectangles, uint32_t count,
                             vdt_error* error) noexcept {
    return api_guard(error, [&] {
        require_handle(pattern, HandleKind::Pattern, "pattern");
        if (count == 0) return;
        if (rectangles == nullptr)
            throw Failure(VDT_E_ARGUMENT, "`rectangles` is NULL but `count` is " + std::to_string(count) + ".");
        for (std::uint32_t i = 0; i < count; ++i)
            if (rectangles[i].w <= 0 || rectangles[i].h <= 0)
                throw Failure(VDT_E_ARGUMENT, "Rectangle " + std::to_string(i) + " is empty: its width is " +
                                                  std::to_string(rectangles[i].w) + " and its height " +
                                                  std::to_string(rectangles[i].h) + ".");
        pattern->pattern.exclude({rectangles, rectangles + count});
    });
}

void vdt_pattern_destroy(vdt_pattern* pattern) noexcept {
    if (remove_handle(pattern, HandleKind::Pattern)) delete pattern;
}
