#include "commands.h"
#include "library.h"
#include "output.h"
#include "table.h"

#include <vedette/plugin/device.h>

#include <CLI/CLI.hpp>

#include <memory>

namespace vedette::cli {

namespace {

struct BackendsArguments {
    ContextArguments context;
    bool json = false;
};

const char* kind_name(std::uint32_t kind) {
    switch (kind) {
        case VDT_DEVICE_CPU:
            return "cpu";
        case VDT_DEVICE_GPU:
            return "gpu";
        case VDT_DEVICE_INTEGRATED_GPU:
            return "integrated gpu";
        case VDT_DEVICE_ACCELERATOR:
            return "accelerator";
        default:
            return "other";
    }
}

std::vector<std::string> operation_names(std::uint64_t operations) {
    std::vector<std::string> names;
    for (vdt_op op = 1; op < 64; ++op) {
        const char* name = vdt_operation_name(op);
        if ((operations >> op & 1) != 0 && name != nullptr) {
            names.emplace_back(name);
        }
    }
    return names;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

Json backend_json(const vdt_backend_info& info) {
    return {{"backend", info.backend},
            {"device_index", info.device_index},
            {"device_kind", kind_name(info.device_kind)},
            {"device", info.device_name},
            {"uid", info.device_uid},
            {"driver", info.driver},
            {"plugin_version", info.plugin_version},
            {"description", info.description},
            {"library", info.library},
            {"quarantined", info.quarantined != 0},
            {"operations", operation_names(info.operations)}};
}

Json skipped_json(const vdt_skipped_info& info) {
    return {{"backend", info.backend},
            {"library", info.library[0] == '\0' ? Json(nullptr) : Json(info.library)},
            {"stage", info.stage},
            {"code", info.code},
            {"name", vdt_code_name(info.code)},
            {"reason", info.reason}};
}

int run_backends(const BackendsArguments& arguments) {
    const Context context = open_context(arguments.context);
    Json object{{"backends", Json::array()}, {"skipped", Json::array()}};
    Table devices;
    devices.add({"BACKEND", "VERSION", "DEVICE", "KIND", "NAME", "DRIVER", "OPERATIONS"});
    for (std::uint32_t i = 0, count = vdt_backend_count(context.get()); i < count; ++i) {
        vdt_backend_info info{};
        info.struct_size = sizeof info;
        checked([&](vdt_error* error) { return vdt_backend_at(context.get(), i, &info, error); });
        object["backends"].push_back(backend_json(info));
        devices.add(
            {info.backend, info.plugin_version, std::to_string(info.device_index), kind_name(info.device_kind),
             info.device_name, info.driver,
             joined(operation_names(info.operations)) + (info.quarantined != 0 ? " (taken out after a failure)" : "")});
    }
    Table skipped;
    skipped.add({"SKIPPED", "STAGE", "REASON"});
    for (std::uint32_t i = 0, count = vdt_skipped_count(context.get()); i < count; ++i) {
        vdt_skipped_info info{};
        info.struct_size = sizeof info;
        checked([&](vdt_error* error) { return vdt_skipped_at(context.get(), i, &info, error); });
        object["skipped"].push_back(skipped_json(info));
        skipped.add({info.backend, info.stage, info.reason});
    }
    if (arguments.json) {
        print(object);
        return 0;
    }
    print(object["backends"].empty() ? "No backend could be loaded.\n" : devices.text());
    if (!object["skipped"].empty()) {
        print("\n" + skipped.text());
    }
    return 0;
}

}  // namespace

Command add_backends(CLI::App& app) {
    const auto arguments = std::make_shared<BackendsArguments>();
    CLI::App& backends =
        *app.add_subcommand("backends", "List every backend with its devices and operations, or why it was skipped");
    backends.add_flag("--json", arguments->json, "Print one JSON object {\"backends\", \"skipped\"}");
    backends.add_option("--config", arguments->context.config, "Configuration file instead of the installed one")
        ->type_name("FILE");
    backends.add_flag("--verbose", arguments->context.verbose, "Tell on standard error what is wrong with backends");
    return [arguments] { return run_backends(*arguments); };
}

}  // namespace vedette::cli
