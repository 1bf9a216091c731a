// The public way to the same operations: vdt_run_operation with each loaded backend forced, against the reference.
// usage: ops_api_test [Boost.Test options] -- PLUGIN_FOLDER
#define BOOST_TEST_MODULE vedette_run_operation
#include <vedette/vedette.h>

#include "find_search.h"

namespace vedette::ops {

namespace {

vdt_error new_error() {
    vdt_error error{};
    error.struct_size = sizeof error;
    return error;
}

struct Context {
    vdt_context* context = nullptr;
    Context() {
        vdt_context_options options{};
        options.struct_size = sizeof options;
        options.plugin_directory = boost::unit_test::framework::master_test_suite().argv[1];
        vdt_error error = new_error();
        const vdt_code code = vdt_context_create(&options, &context, &error);
        BOOST_REQUIRE_MESSAGE(code == VDT_OK, error.text);
    }
    ~Context() { vdt_context_destroy(context); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;

    std::vector<vdt_backend_info> backends() const {
        std::vector<vdt_backend_info> backends;
        for (std::uint32_t i = 0; i < vdt_backend_count(context); ++i) {
            vdt_backend_info info{};
            info.struct_size = sizeof info;
            BOOST_REQUIRE_EQUAL(vdt_backend_at(context, i, &info, nullptr), VDT_OK);
            backends.push_back(info);
        }
        return backends;
    }

    // "" or the error's text; `info` says who did it.
    std::string run(const Operation& operation, const char* backend, vdt_run_info& info) const {
        info = {};
        info.struct_size = sizeof info;
        vdt_error error = new_error();
        const vdt_code code =
            vdt_run_operation(context, operation.op, operation.params, operation.inputs.data(),
                              static_cast<std::uint32_t>(operation.inputs.size()), operation.outputs.data(),
                              static_cast<std::uint32_t>(operation.outputs.size()), operation.lists_in.data(),
                              static_cast<std::uint32_t>(operation.lists_in.size()), operation.lists_out.data(),
                              static_cast<std::uint32_t>(operation.lists_out.size()), backend, &info, &error);
        return VDT_IS_ERROR(code) ? error.text : "";
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(every_backend) {
    const Context context;
    Random random(6);
    const TestImage image = random_image(random, VDT_FORMAT_BGR8, 61, 47, Layout::padded);
    Search search(screen_image(random, VDT_FORMAT_GRAY8, 160, 120));
    search.add(search.scene.crop(70, 10, 21, 14));
    const std::vector<vdt_item> expected = expected_of(search);
    BOOST_REQUIRE_GT(context.backends().size(), 0);
    for (const vdt_backend_info& backend : context.backends()) BOOST_TEST_CONTEXT(backend.backend) {
            vdt_run_info info;
            if ((backend.operations & 1u << VDT_OP_CONVERT) != 0) {
                vdt_convert_params params{};
                params.struct_size = sizeof params;
                params.scale = 1;
                TestImage gray(VDT_FORMAT_GRAY8, 61, 47, Layout::upward);
                Operation operation;
                operation.op = VDT_OP_CONVERT;
                operation.params = &params;
                operation.inputs = {image.ptr()};
                operation.outputs = {gray.ptr()};
                BOOST_REQUIRE_EQUAL(context.run(operation, backend.backend, info), "");
                BOOST_CHECK_EQUAL(info.backend, std::string(backend.backend));
                BOOST_CHECK_EQUAL(difference(gray, reference::convert(image.view(), VDT_FORMAT_GRAY8, params), 0), "");
            }
            if ((backend.operations & 1u << VDT_OP_TEMPLATE_FIND) != 0) {
                const vdt_template_find_params params = search.params();
                TestList list(20000);
                Operation operation;
                operation.op = VDT_OP_TEMPLATE_FIND;
                operation.params = &params;
                operation.inputs = search.inputs();
                operation.lists_out = {list.ptr()};
                BOOST_REQUIRE_EQUAL(context.run(operation, backend.backend, info), "");
                BOOST_CHECK_EQUAL(info.backend, std::string(backend.backend));
                BOOST_CHECK_EQUAL(list_difference(list.items(), expected), "");
            }
        }
}

// An operation that the forced backend lacks is an error that names it; by policy another backend does it.
BOOST_AUTO_TEST_CASE(backend_without_the_operation) {
    const Context context;
    const TestImage in = flat_image(VDT_FORMAT_GRAY8, 8, 8, 70);
    for (const vdt_backend_info& backend : context.backends()) {
        if ((backend.operations & 1u << VDT_OP_RESIZE) != 0) continue;
        vdt_resize_params params{};
        params.struct_size = sizeof params;
        params.method = VDT_RESIZE_AREA;
        TestImage out(VDT_FORMAT_GRAY8, 4, 4);
        Operation operation;
        operation.op = VDT_OP_RESIZE;
        operation.params = &params;
        operation.inputs = {in.ptr()};
        operation.outputs = {out.ptr()};
        vdt_run_info info;
        const std::string text = context.run(operation, backend.backend, info);
        BOOST_CHECK_MESSAGE(text.find(backend.backend) != std::string::npos, text);
    }
}

}  // namespace vedette::ops
