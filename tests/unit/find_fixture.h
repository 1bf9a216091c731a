// Three fake backends and a template_find to run on them.
#pragma once

#include "core/context.h"
#include "core/execution.h"
#include "core/image.h"
#include "failure_of.h"
#include "fake_plugin.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace vedette::test {

// Three backends, tried in the order first, second, third.
struct Backends {
    Fake first, second, third;
    std::filesystem::path profiles;  // empty: none
    std::unique_ptr<host::Context> context;

    Backends() {
        first.id = "first";
        second.id = "second";
        third.id = "third";
    }
    // Made late, so that a test can set answers before.
    host::Context& start(const std::string& more = "") {
        host::ContextOptions options;
        options.config_text = R"({"order": ["first", "second", "third"])" + more + "}";
        options.threads = 2;
        options.library_directory = "/";
        options.profile_directory = profiles;
        options.built_in = {built_in(first, 0), built_in(second, 1), built_in(third, 2)};
        context = std::make_unique<host::Context>(options);
        return *context;
    }
};

// One template_find with one pattern.
struct Find {
    host::SharedImage scene{host::Image(VDT_FORMAT_GRAY8, 32, 16)};
    host::SharedImage pattern{host::Image(VDT_FORMAT_GRAY8, 4, 4)};
    vdt_template_find_params params{};
    std::vector<vdt_item> items{8};
    vdt_list list{};
    host::Operation operation;
    host::RunReport report;

    Find() {
        params.struct_size = sizeof params;
        params.threshold = 0.5;
        params.pattern_count = 1;
        params.max_results = 8;
        list.struct_size = sizeof list;
        list.item_size = sizeof(vdt_item);
        list.capacity = items.size();
        list.items = items.data();
        operation.op = VDT_OP_TEMPLATE_FIND;
        operation.params = &params;
        operation.inputs = {host::OperationImage::of(scene), host::OperationImage::of(pattern),
                            host::OperationImage::none()};
        operation.lists_out = {&list};
    }
    vdt_code run(host::Context& context, const std::string& backend = "", host::CallLimit* limit = nullptr) {
        return run_operation(context, operation, backend, limit, report);
    }
    host::Failure failure(host::Context& context, const std::string& backend = "", host::CallLimit* limit = nullptr) {
        return failure_of([&] { run(context, backend, limit); });
    }
};

inline vdt_item item(double score, std::uint32_t pattern = 0) {
    vdt_item one{};
    one.w = one.h = 4;
    one.score = score;
    one.pattern = pattern;
    return one;
}

// A run that writes `items`.
inline auto answer(std::vector<vdt_item> items) {
    return [items](const vdt_call& call, vdt_error*) -> vdt_code {
        vdt_list& list = *call.lists_out[0];
        std::copy(items.begin(), items.end(), static_cast<vdt_item*>(list.items));
        list.count = list.needed = items.size();
        return VDT_OK;
    };
}

}  // namespace vedette::test
