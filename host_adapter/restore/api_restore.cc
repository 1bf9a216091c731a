// vdt_restore of the C API.
#include "../core/api_guard.h"
#include "../core/context.h"
#include "../core/image_check.h"
#include "../core/struct_out.h"
#include "restore_image.h"

#include <vedette/vedette.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

using namespace vedette::host;

namespace {

constexpr std::uint32_t kMostIterations = 100'000;

vdt_restore_options defaults() {
    vdt_restore_options options{};
    options.struct_size = sizeof options;
    options.method = VDT_RESTORE_RICHARDSON_LUCY;
    options.iterations = 30;
    options.spread = VDT_SPREAD_GAUSSIAN;
    options.spread_size = 1.5;
    return options;
}

vdt_restore_options checked_options(const vdt_restore_options* given) {
    vdt_restore_options options = defaults();
    if (given != nullptr) copy_in(options, *given, "options");
    if (options.method != VDT_RESTORE_RICHARDSON_LUCY && options.method != VDT_RESTORE_MIA_KNOWN &&
        options.method != VDT_RESTORE_MIA_BLIND)
        throw Failure(VDT_E_ARGUMENT,
                      "`method` is " + std::to_string(options.method) + "; it must be a VDT_RESTORE_... value.");
    if (options.iterations < 1 || options.iterations > kMostIterations)
        throw Failure(VDT_E_ARGUMENT, "`iterations` is " + std::to_string(options.iterations) + "; it must be 1 to " +
                                          std::to_string(kMostIterations) + ".");
    return options;
}

PointSpread spread_of(const vdt_restore_options& options) {
    if (options.spread == VDT_SPREAD_WEIGHTS)
        return spread_of_weights(options.spread_weights, options.spread_width, options.spread_height);
    return spread_of_kind(options.spread, options.spread_size, options.spread_angle);
}

Image image_from(const vdt_image& view) {
    if (view.format > VDT_FORMAT_RGBA8)
        throw Failure(VDT_E_UNSUPPORTED_FORMAT, "Pixels of the format " + format_name(view.format) +
                                                    " cannot be restored; reduce them to 8 bits first.");
    Image image(view.format, view.width, view.height);
    const std::size_t row_bytes = view.width * bytes_per_pixel(view.format);
    const auto* const first = static_cast<const std::uint8_t*>(view.plane[0].base) + view.plane[0].offset;
    for (std::uint32_t y = 0; y < view.height; ++y)
        std::memcpy(image.row(y), first + static_cast<std::int64_t>(y) * view.plane[0].row_stride, row_bytes);
    return image;
}

struct Free {
    void operator()(void* memory) const noexcept { std::free(memory); }
};

// Memory of the C library, as vdt_pixels_free takes it.
void hand_out(const Image& image, vdt_pixels& pixels) {
    const std::size_t row_bytes = image.width() * bytes_per_pixel(image.format());
    std::unique_ptr<std::uint8_t, Free> data(static_cast<std::uint8_t*>(std::malloc(row_bytes * image.height())));
    if (data == nullptr) throw std::bad_alloc();
    for (std::uint32_t y = 0; y < image.height(); ++y) std::memcpy(data.get() + y * row_bytes, image.row(y), row_bytes);
    pixels.format = image.format();
    pixels.width = image.width();
    pixels.height = image.height();
    pixels.stride = static_cast<std::int64_t>(row_bytes);
    pixels.bytes = row_bytes * image.height();
    pixels.data = data.release();
}

}  // namespace

void vdt_restore_options_init(vdt_restore_options* options) noexcept {
    fill_defaults(options, defaults());
}

vdt_code vdt_restore(vdt_context* context, const vdt_pixels* pixels, const vdt_restore_options* options,
                     vdt_pixels* restored, vdt_restoration* restoration, vdt_run_info* info,
                     vdt_error* error) noexcept {
    return api_guard(error, [&] {
        Context& inside = context_of(context);
        if (restored == nullptr || restored->struct_size < sizeof(vdt_pixels))
            throw Failure(VDT_E_ARGUMENT, restored == nullptr
                                              ? "`restored` is NULL."
                                              : "`restored->struct_size` is not set to sizeof(vdt_pixels).");
        if (restoration != nullptr) require_out(restoration, "`restoration`");
        if (info != nullptr) require_out(info, "`info`");
        const vdt_restore_options asked = checked_options(options);
        PointSpread spread = spread_of(asked);
        Image image = image_from(checked_view(pixels, "`pixels`"));
        const RestoreReport report =
            restore_image(inside, image, std::move(spread),
                          {asked.method, asked.iterations, asked.backend == nullptr ? "" : asked.backend},
                          [&](std::uint32_t done, std::uint32_t all) {
                              if (asked.progress != nullptr) asked.progress(asked.progress_user, done, all);
                          });
        hand_out(image, *restored);
        if (restoration != nullptr) {
            vdt_restoration all{};
            all.tiles = report.tiles;
            all.tile_side = report.tile_side;
            all.spread_sigma = report.spread.width();
            copy_out(*restoration, all);
        }
        if (info != nullptr) {
            vdt_run_info all{};
            all.device_index = report.run.device_index;
            all.backend = inside.keep(report.run.backend);
            all.device = inside.keep(report.run.device);
            all.variant = inside.keep(report.run.variant);
            all.choice = inside.keep(report.run.choice);
            all.predicted_ms = -1;  // of one of several calls only
            all.measured_ms = report.run.measured_ms;
            copy_out(*info, all);
        }
    });
}
