// Context, version, codes, listings and preferences of the C API.
#include "api_guard.h"
#include "codes.h"
#include "context.h"
#include "handles.h"
#include "operations.h"
#include "struct_out.h"

#include <cstddef>
#include <memory>

struct vdt_context {
    std::unique_ptr<vedette::host::Context> context;
};

namespace vedette::host {
namespace {

ContextOptions read_options(const vdt_context_options* given) {
    ContextOptions options;
    if (given == nullptr) return options;
    vdt_context_options all{};
    copy_in(all, *given, "`options`");
    if (all.reserved != 0) throw Failure(VDT_E_ARGUMENT, "`options.reserved` must be 0.");
    options.threads = all.threads;
    if (all.config_file != nullptr) options.config_file = all.config_file;
    if (all.config_text != nullptr) options.config_text = all.config_text;
    if (all.plugin_directory != nullptr) options.plugin_directory = all.plugin_directory;
    options.log = all.log;
    options.log_user = all.log_user;
    if (all.log_level > VDT_LOG_DEBUG) throw Failure(VDT_E_ARGUMENT, "`options.log_level` must be 0 to 4.");
    if (all.log_level != 0) options.log_level = all.log_level;
    return options;
}

}  // namespace

Context& context_of(const vdt_context* context) {
    require_handle(context, HandleKind::Context, "context");
    context->context->check_process();
    return *context->context;
}

}  // namespace vedette::host

using namespace vedette::host;

#define VEDETTE_TEXT(value) #value
#define VEDETTE_VERSION_TEXT(major, minor, patch) VEDETTE_TEXT(major) "." VEDETTE_TEXT(minor) "." VEDETTE_TEXT(patch)

const char* vdt_version(void) noexcept {
    return VEDETTE_VERSION_TEXT(VDT_VERSION_MAJOR, VDT_VERSION_MINOR, VDT_VERSION_PATCH);
}

const char* vdt_code_name(vdt_code code) noexcept {
    return code_name(code);
}

const char* vdt_operation_name(vdt_op op) noexcept {
    return operation_name(op);
}

vdt_code vdt_context_create(const vdt_context_options* options, vdt_context** context, vdt_error* error) noexcept {
    return api_guard(error, [&] {
        if (context == nullptr) throw Failure(VDT_E_ARGUMENT, "`context` is NULL.");
        *context = nullptr;
        auto made = std::make_unique<vdt_context>();
        made->context = std::make_unique<Context>(read_options(options));
        add_handle(made.get(), HandleKind::Context);
        *context = made.release();
    });
}

void vdt_context_destroy(vdt_context* context) noexcept {
    if (!remove_handle(context, HandleKind::Context)) return;
    const std::unique_ptr<vdt_context> owned(context);
    try {
        owned->context->check_process();
    } catch (const Failure&) {
        // In a forked child the threads, locks and driver state behind it are the parent's; only the memory of the
        // handle can be given back.
        static_cast<void>(owned->context.release());
    }
}

uint32_t vdt_backend_count(const vdt_context* context) noexcept {
    std::size_t count = 0;
    api_guard(nullptr, [&] {
        Registry& registry = context_of(context).registry();
        registry.load_all();
        count = registry.device_count();
    });
    return static_cast<uint32_t>(count);
}

vdt_code vdt_backend_at(const vdt_context* context, uint32_t index, vdt_backend_info* info, vdt_error* error) noexcept {
    return api_guard(error, [&] {
        Registry& registry = context_of(context).registry();
        require_out(info, "`info`");
        registry.load_all();
        const std::shared_ptr<Device> device = registry.device_at(index);
        if (device == nullptr)
            throw Failure(VDT_E_ARGUMENT, "There are " + std::to_string(registry.device_count()) +
                                              " devices, counted from 0; " + std::to_string(index) +
                                              " is none of them.");
        vdt_backend_info all{};
        all.device_index = device->index();
        all.device_kind = device->kind();
        all.backend = device->backend().c_str();
        all.plugin_version = device->plugin().version().c_str();
        all.description = device->plugin().description().c_str();
        all.device_name = device->name().c_str();
        all.device_uid = device->uid().c_str();
        all.driver = device->driver().c_str();
        all.library = device->plugin().library().c_str();
        all.operations = device->operations();
        all.quarantined = device->quarantined() ? 1 : 0;
        copy_out(*info, all);
    });
}

uint32_t vdt_skipped_count(const vdt_context* context) noexcept {
    std::size_t count = 0;
    api_guard(nullptr, [&] {
        Registry& registry = context_of(context).registry();
        registry.load_all();
        count = registry.refusal_count();
    });
    return static_cast<uint32_t>(count);
}

vdt_code vdt_skipped_at(const vdt_context* context, uint32_t index, vdt_skipped_info* info, vdt_error* error) noexcept {
    return api_guard(error, [&] {
        Registry& registry = context_of(context).registry();
        require_out(info, "`info`");
        registry.load_all();
        if (index >= registry.refusal_count())
            throw Failure(VDT_E_ARGUMENT, std::to_string(registry.refusal_count()) +
                                              " backends were skipped, counted from 0; " + std::to_string(index) +
                                              " is none of them.");
        const Refusal& refusal = registry.refusal_at(index);
        vdt_skipped_info all{};
        all.code = refusal.code;
        all.backend = refusal.backend.c_str();
        all.library = refusal.library.c_str();
        all.stage = refusal.stage.c_str();
        all.reason = refusal.reason.c_str();
        copy_out(*info, all);
    });
}

vdt_code vdt_set_preferable_backend(vdt_context* context, const char* backend, vdt_error* error) noexcept {
    return api_guard(error, [&] {
        Context& inside = context_of(context);
        if (backend == nullptr) throw Failure(VDT_E_ARGUMENT, "`backend` is NULL.");
        inside.set_preferable_backend(backend);
    });
}

vdt_code vdt_set_preferable_target(vdt_context* context, int32_t device, vdt_error* error) noexcept {
    return api_guard(error, [&] { context_of(context).set_preferable_target(device); });
}
