#include "library.h"

#include "output.h"

#include <vedette/plugin/host.h>

#include <cstdio>
#include <new>

namespace vedette::cli {

namespace {

void log_to_standard_error(void*, std::uint32_t level, const char* text) {
    static constexpr const char* names[] = {"", "error", "warning", "info", "debug"};
    std::fprintf(stderr, "vedette %s: %s\n", level <= VDT_LOG_DEBUG ? names[level] : "log", text);
}

// The process is one command.
struct Explained {
    bool on = false;
    bool measure = false;
    std::string document = R"({"measured": false, "calls": [], "left_out": 0})";
} explained;

}  // namespace

void close_context(vdt_context* context) noexcept {
    if (explained.on && context != nullptr) {
        const char* json = nullptr;
        try {
            if (vdt_explain_stop(context, &json, nullptr) == VDT_OK) {
                explained.document = json;
            }
        } catch (const std::bad_alloc&) {
            std::fprintf(stderr, "vedette: There is not enough memory for the explanation.\n");
        }
    }
    vdt_context_destroy(context);
}

Explaining::Explaining(bool measure) {
    explained.on = true;
    explained.measure = measure;
    set_quiet(true);
}

Explaining::~Explaining() {
    explained.on = false;
    set_quiet(false);
}

std::string Explaining::finish() {
    set_quiet(false);
    return explained.document;
}

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
    Context owned(context);
    if (explained.on) {
        const std::uint32_t flags = explained.measure ? std::uint32_t{VDT_EXPLAIN_MEASURE} : 0u;
        checked([&](vdt_error* error) { return vdt_explain_start(context, flags, error); });
    }
    return owned;
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
