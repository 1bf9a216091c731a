#include "library.h"

#include <vedette/plugin/host.h>

#include <cstdio>

namespace vedette::cli {

namespace {

void log_to_standard_error(void*, std::uint32_t level, const char* text) {
    static constexpr const char* names[] = {"", "error", "warning", "info", "debug"};
    std::fprintf(stderr, "vedette %s: %s\n", level <= VDT_LOG_DEBUG ? names[level] : "log", text);
}

}  // namespace

Context open_context(const ContextArguments& arguments) {
    vdt_context_options options{};
    options.struct_size = sizeof options;
    options.config_file = arguments.config.empty() ? nullptr : arguments.config.c_str();
    if (arguments.verbose) {
        options.log = log_to_standard_error;
        options.log_level = VDT_LOG_DEBUG;
    }
    vdt_context* context = nullptr;
    checked([&](vdt_error* error) { return vdt_context_create(&options, &context, error); });
    return Context(context);
}

Screen read_screen(const Context& context, const std::string& path) {
    vdt_screen* screen = nullptr;
    checked([&](vdt_error* error) { return vdt_screen_from_file(context.get(), path.c_str(), &screen, error); });
    return Screen(screen);
}

Pattern read_pattern(const Context& context, const std::string& path) {
    vdt_pattern* pattern = nullptr;
    checked([&](vdt_error* error) { return vdt_pattern_from_file(context.get(), path.c_str(), &pattern, error); });
    return Pattern(pattern);
}

}  // namespace vedette::cli
