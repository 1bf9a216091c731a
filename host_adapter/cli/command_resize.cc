#include "arguments.h"
#include "commands.h"
#include "library.h"
#include "output.h"
#include "table.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <map>
#include <memory>
#include <vector>

namespace vedette::cli {

namespace {

struct ResizeArguments {
    ContextArguments context;
    std::string in;
    std::string out;
    std::string size;
    std::uint32_t method = VDT_RESIZE_AREA;
    bool letterbox = false;
    double fill = 0;
    std::string backend = "auto";
    bool json = false;
};

const std::map<std::string, std::uint32_t> methods{
    {"half-pixel", VDT_RESIZE_HALF_PIXEL}, {"area", VDT_RESIZE_AREA}, {"aligned-corners", VDT_RESIZE_ALIGNED_CORNERS}};

const char* name_of_method(std::uint32_t method) {
    for (const auto& [name, value] : methods) {
        if (value == method) {
            return name.c_str();
        }
    }
    return "";
}

// Pixels of a file, freed with this object.
class FilePixels {
public:
    explicit FilePixels(const std::string& path) {
        pixels_.struct_size = sizeof pixels_;
        checked([&](vdt_error* error) { return vdt_pixels_from_file(path.c_str(), &pixels_, error); });
    }
    ~FilePixels() { vdt_pixels_free(&pixels_); }
    FilePixels(const FilePixels&) = delete;
    FilePixels& operator=(const FilePixels&) = delete;
    const vdt_pixels& get() const { return pixels_; }

private:
    vdt_pixels pixels_{};
};

vdt_image view_of(const vdt_pixels& pixels) {
    vdt_image image{};
    image.struct_size = sizeof image;
    image.format = pixels.format;
    image.width = pixels.width;
    image.height = pixels.height;
    image.memory = VDT_MEMORY_HOST;
    image.plane_count = 1;
    image.plane[0].base = const_cast<void*>(pixels.data);  // inputs and outputs have one type
    image.plane[0].row_stride = pixels.stride;
    image.plane[0].bytes = pixels.bytes;
    return image;
}

vdt_pixels empty_pixels(vdt_format format, PixelSize size, std::vector<std::uint8_t>& memory) {
    const std::size_t channels = format == VDT_FORMAT_GRAY8 ? 1 : (format == VDT_FORMAT_BGR8 ? 3 : 4);
    memory.resize(channels * size.width * size.height);
    vdt_pixels pixels{};
    pixels.struct_size = sizeof pixels;
    pixels.format = format;
    pixels.width = size.width;
    pixels.height = size.height;
    pixels.stride = static_cast<std::int64_t>(channels * size.width);
    pixels.bytes = memory.size();
    pixels.data = memory.data();
    return pixels;
}

int run_resize(const ResizeArguments& arguments) {
    const PixelSize size = parse_size("--size", arguments.size);
    require_range("--fill", arguments.fill, 0, 255);
    const Context context = open_context(arguments.context);
    const FilePixels in(arguments.in);
    std::vector<std::uint8_t> memory;
    const vdt_pixels out = empty_pixels(in.get().format, size, memory);

    vdt_resize_params params{};
    params.struct_size = sizeof params;
    params.method = arguments.method;
    params.flags = arguments.letterbox ? VDT_RESIZE_LETTERBOX : 0;
    params.fill = static_cast<float>(arguments.fill);
    params.scale = 1;
    const vdt_image from = view_of(in.get()), to = view_of(out);
    const vdt_image* const inputs[] = {&from};
    const vdt_image* const outputs[] = {&to};
    vdt_run_info info{};
    info.struct_size = sizeof info;
    checked([&](vdt_error* error) {
        return vdt_run_operation(context.get(), VDT_OP_RESIZE, &params, inputs, 1, outputs, 1, nullptr, 0, nullptr, 0,
                                 arguments.backend.c_str(), &info, error);
    });
    checked([&](vdt_error* error) { return vdt_pixels_to_file(&out, arguments.out.c_str(), error); });

    const char* const method = name_of_method(arguments.method);
    if (arguments.json) {
        print(Json{{"status", "done"},
                   {"output", arguments.out},
                   {"width", size.width},
                   {"height", size.height},
                   {"from_width", from.width},
                   {"from_height", from.height},
                   {"method", method},
                   {"letterbox", arguments.letterbox},
                   {"backend", info.backend},
                   {"device", info.device},
                   {"variant", info.variant},
                   {"choice", info.choice},
                   {"predicted_ms", known_or_null(info.predicted_ms)},
                   {"measured_ms", info.measured_ms}});
    } else {
        print(arguments.out +
              format(": %u x %u from %u x %u, %s%s\n", size.width, size.height, from.width, from.height, method,
                     arguments.letterbox ? ", letterboxed" : "") +
              format("%s on %s, %.1f ms: %s\n", info.backend, info.device, info.measured_ms, info.choice));
    }
    return 0;
}

}  // namespace

Command add_resize(CLI::App& app) {
    const auto arguments = std::make_shared<ResizeArguments>();
    CLI::App& resize = *app.add_subcommand("resize", "Resize an image");
    const auto option = [&resize](const char* name, auto& variable, const char* type, const char* text) {
        return resize.add_option(name, variable, wrapped(text, help_text))->type_name(type);
    };
    const auto flag = [&resize](const char* name, bool& variable, const char* text) {
        resize.add_flag(name, variable, wrapped(text, help_text));
    };
    option("IN", arguments->in, "", "The image: PNG, JPEG, WebP, PNM or BMP; - is standard input")->required();
    option("OUT.png", arguments->out, "", "Where the result goes, as PNG with the image's channels")->required();
    option("--size", arguments->size, "WxH", "Size of the result in pixels, for example 608x608")->required();
    option("--method", arguments->method, "half-pixel|area|aligned-corners",
           "half-pixel: bilinear between pixel centres; area (default): averages when shrinking, else half-pixel; "
           "aligned-corners: bilinear with the corner pixels on each other, as darknet does")
        ->transform(CLI::CheckedTransformer(methods, CLI::ignore_case).description(""));
    flag("--letterbox", arguments->letterbox, "Keep the aspect ratio, centre the image and fill the rest");
    option("--fill", arguments->fill, "V", "Value of every channel around a letterboxed image, 0 to 255")
        ->capture_default_str();
    option("--backend", arguments->backend, "NAME[:DEVICE]",
           "Use this backend and no other; auto (default): as the configuration says");
    flag("--json", arguments->json, "Print one JSON object");
    option("--config", arguments->context.config, "FILE", "Configuration file instead of the installed one");
    flag("--verbose", arguments->context.verbose, "Tell on standard error what is wrong with backends");
    resize.footer(
        "Exit status: 0 written, 2 an error.\n\n"
        "Examples:\n"
        "  vedette resize screen.png small.png --size 960x540\n"
        "  vedette resize screen.png input.png --size 608x608 --letterbox --fill 128");
    return [arguments] { return run_resize(*arguments); };
}

}  // namespace vedette::cli
