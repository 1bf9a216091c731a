#define BOOST_TEST_MODULE api_core
#include "boost_test.h"
#include "core/api_guard.h"
#include "core/context.h"
#include "core/handles.h"
#include "core/image.h"
#include "core/text.h"
#include "failure_of.h"
#include "temporary_directory.h"

#include <vedette/vedette.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <limits>
#include <thread>

using namespace vedette::host;
using vedette::test::contains;
using vedette::test::failure_of;
using vedette::test::TemporaryDirectory;

namespace {

vdt_error fresh_error() {
    vdt_error error{};
    error.struct_size = sizeof error;
    return error;
}

// A context without any plugin.
struct Opened {
    vdt_context* context = nullptr;
    vdt_error error = fresh_error();
    explicit Opened(const char* config = "{}") {
        vdt_context_options options{};
        options.struct_size = sizeof options;
        options.config_text = config;
        BOOST_REQUIRE(vdt_context_create(&options, &context, &error) == VDT_OK);
    }
    ~Opened() { vdt_context_destroy(context); }
};

vdt_code create_with(const vdt_context_options& options, vdt_error& error) {
    vdt_context* context = nullptr;
    const vdt_code code = vdt_context_create(&options, &context, &error);
    BOOST_TEST((context == nullptr) == (code < 0));
    vdt_context_destroy(context);
    return code;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(api_core)

BOOST_AUTO_TEST_CASE(error_records) {
    vdt_error error = fresh_error();
    fill_error(&error, VDT_E_BUSY, 7, "Later.");
    BOOST_TEST(error.code == VDT_E_BUSY);
    BOOST_TEST(error.native_code == 7);
    BOOST_TEST(std::string(error.text) == "Later.");
    fill_error(nullptr, VDT_E_BUSY, 0, "nobody listens");

    // Cut between characters, with a mark.
    fill_error(&error, VDT_E_BUSY, 0, std::string(235, 'x') + "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4");
    BOOST_TEST(std::string(error.text) == std::string(235, 'x') + "...");
    fill_error(&error, VDT_E_BUSY, 0, std::string(239, 'x'));
    BOOST_TEST(std::strlen(error.text) == 239u);

    // Nothing is written beyond the size the caller knows.
    std::memset(&error, 0x55, sizeof error);
    error.struct_size = offsetof(vdt_error, text) + 8;
    fill_error(&error, VDT_E_BUSY, 0, "a long sentence");
    BOOST_TEST(std::string(error.text) == "a lo...");
    BOOST_TEST(error.text[8] == 0x55);
    for (const std::uint32_t size : {0u, 4u, 15u}) {
        std::memset(&error, 0x55, sizeof error);
        error.struct_size = size;
        fill_error(&error, VDT_E_BUSY, 0, "text");
        BOOST_TEST(error.code == 0x55555555);
    }
    error = fresh_error();
    error.struct_size = UINT32_MAX;
    fill_error(&error, VDT_E_BUSY, 0, std::string(1000, 'x'));
    BOOST_TEST(std::strlen(error.text) == sizeof error.text - 1);
}

BOOST_AUTO_TEST_CASE(exceptions_become_codes) {
    vdt_error error = fresh_error();
    BOOST_TEST(api_guard(&error, [] { throw Failure(VDT_E_SIZE, "Too big.", 3); }) == VDT_E_SIZE);
    BOOST_TEST(std::string(error.text) == "Too big.");
    BOOST_TEST(error.native_code == 3);
    BOOST_TEST(api_guard(&error, [] { throw std::bad_alloc(); }) == VDT_E_OUT_OF_MEMORY);
    BOOST_TEST(api_guard(&error, [] { throw std::runtime_error("odd"); }) == VDT_E_INTERNAL);
    BOOST_TEST(std::string(error.text) == "odd");
    BOOST_TEST(api_guard(nullptr, [] { throw 5; }) == VDT_E_INTERNAL);
    BOOST_TEST(api_guard(&error, [] {}) == VDT_OK);
    BOOST_TEST(api_guard(&error, [] { return vdt_code{VDT_INCOMPLETE}; }) == VDT_INCOMPLETE);
}

BOOST_AUTO_TEST_CASE(texts_from_outside) {
    BOOST_TEST(one_line(" a\tb\n", 100) == "a b");
    BOOST_TEST(one_line("abc", 2) == "ab");
    BOOST_TEST(one_line(nullptr, 100) == "");
    BOOST_TEST(one_line("\xed\xa0\x80", 100) == "???");  // a surrogate
    BOOST_TEST(valid_utf8("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"));
    for (const char* bad :
         {"\xc0\xaf", "\xe0\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80", "\xc3", "\xe2\x82"})
        BOOST_TEST(!valid_utf8(bad));
    BOOST_TEST(shortened("\xc3\xa4\xc3\xa4\xc3\xa4", 5) == "\xc3\xa4...");
    BOOST_TEST(shortened("abc", 3) == "abc");
    for (const char* good : {"cpu", "a", "my-gpu_2"}) BOOST_TEST(valid_backend_name(good));
    for (const char* bad : {"", "2d", "-a", "Cpu", "a b", "auto", "forbid", "a/b"})
        BOOST_TEST(!valid_backend_name(bad));
}

BOOST_AUTO_TEST_CASE(handles_are_told_apart) {
    int a = 0, b = 0;
    add_handle(&a, HandleKind::Screen);
    BOOST_TEST(is_handle(&a, HandleKind::Screen));
    BOOST_TEST(!is_handle(&a, HandleKind::Pattern));
    BOOST_TEST(!is_handle(&b, HandleKind::Screen));
    BOOST_TEST(failure_of([&] { require_handle(&a, HandleKind::Screen, "screen"); }).code() == VDT_OK);
    BOOST_TEST(failure_of([&] { require_handle(&a, HandleKind::Result, "result"); }).code() == VDT_E_ARGUMENT);
    BOOST_TEST(failure_of([&] { require_handle(nullptr, HandleKind::Result, "result"); }).text() ==
               "`result` is NULL.");
    BOOST_TEST(!remove_handle(&a, HandleKind::Result));
    BOOST_TEST(remove_handle(&a, HandleKind::Screen));
    BOOST_TEST(!remove_handle(&a, HandleKind::Screen));
    BOOST_TEST(!is_handle(&a, HandleKind::Screen));
}

BOOST_AUTO_TEST_CASE(names) {
    BOOST_TEST(std::string(vdt_version()) == "1.0.0");
    BOOST_TEST(std::string(vdt_code_name(VDT_E_TIMEOUT)) == "VDT_E_TIMEOUT");
    BOOST_TEST(std::string(vdt_code_name(VDT_OK)) == "VDT_OK");
    BOOST_TEST(std::string(vdt_code_name(-999)) == "unknown code");
    BOOST_TEST(std::string(vdt_operation_name(VDT_OP_TEMPLATE_FIND)) == "template_find");
    BOOST_TEST(vdt_operation_name(0) == nullptr);
    BOOST_TEST(vdt_operation_name(VDT_OP_COUNT) == nullptr);
    BOOST_TEST(vdt_operation_name(UINT32_MAX) == nullptr);
    for (vdt_op op = 1; op < VDT_OP_COUNT; ++op) BOOST_TEST(vdt_operation_name(op) != nullptr);
}

BOOST_AUTO_TEST_CASE(nulls_everywhere) {
    Opened opened;
    vdt_error error = fresh_error();
    BOOST_TEST(vdt_context_create(nullptr, nullptr, &error) == VDT_E_ARGUMENT);
    BOOST_TEST(vdt_context_create(nullptr, nullptr, nullptr) == VDT_E_ARGUMENT);
    vdt_context_destroy(nullptr);
    BOOST_TEST(vdt_backend_count(nullptr) == 0u);
    BOOST_TEST(vdt_skipped_count(nullptr) == 0u);
    BOOST_TEST(vdt_backend_at(nullptr, 0, nullptr, nullptr) == VDT_E_ARGUMENT);
    BOOST_TEST(vdt_backend_at(opened.context, 0, nullptr, &error) == VDT_E_ARGUMENT);
    BOOST_TEST(std::string(error.text) == "`info` is NULL.");
    BOOST_TEST(vdt_skipped_at(opened.context, 0, nullptr, &error) == VDT_E_ARGUMENT);
    BOOST_TEST(vdt_set_preferable_backend(opened.context, nullptr, &error) == VDT_E_ARGUMENT);
    BOOST_TEST(vdt_set_preferable_backend(nullptr, "cpu", &error) == VDT_E_ARGUMENT);
    BOOST_TEST(vdt_set_preferable_target(nullptr, 0, &error) == VDT_E_ARGUMENT);
    BOOST_TEST(vdt_run_operation(nullptr, 0, nullptr, nullptr, 0, nullptr, 0, nullptr, 0, nullptr, 0, nullptr, nullptr,
                                 &error) == VDT_E_ARGUMENT);
}

BOOST_AUTO_TEST_CASE(destroyed_and_wrong_contexts) {
    vdt_context* context = nullptr;
    {
        Opened opened;
        context = opened.context;
    }
    vdt_error error = fresh_error();
    BOOST_TEST(vdt_set_preferable_backend(context, "auto", &error) == VDT_E_ARGUMENT);
    BOOST_TEST(contains(error.text, "no living context"));
    vdt_context_destroy(context);
    int other = 0;
    BOOST_TEST(vdt_set_preferable_backend(reinterpret_cast<vdt_context*>(&other), "auto", nullptr) == VDT_E_ARGUMENT);
}

BOOST_AUTO_TEST_CASE(options_of_a_context) {
    vdt_error error = fresh_error();
    vdt_context_options good{};
    good.struct_size = sizeof good;
    good.config_text = "{}";
    BOOST_TEST(create_with(good, error) == VDT_OK);
    const auto with = [&](auto&& change) {
        vdt_context_options options = good;
        change(options);
        return create_with(options, error);
    };
    BOOST_TEST(with([](vdt_context_options& o) { o.struct_size = 0; }) == VDT_E_ARGUMENT);
    BOOST_TEST(with([](vdt_context_options& o) { o.reserved = 1; }) == VDT_E_ARGUMENT);
    BOOST_TEST(with([](vdt_context_options& o) { o.log_level = 9; }) == VDT_E_ARGUMENT);
    BOOST_TEST(with([](vdt_context_options& o) { o.threads = 5000; }) == VDT_E_ARGUMENT);
    BOOST_TEST(with([](vdt_context_options& o) { o.plugin_directory = "plugins"; }) == VDT_E_ARGUMENT);
    BOOST_TEST(with([](vdt_context_options& o) { o.plugin_directory = "/nowhere/at/all"; }) == VDT_E_FILE);
    BOOST_TEST(with([](vdt_context_options& o) { o.config_text = "{\"thread\": 1}"; }) == VDT_E_CONFIG);
    BOOST_TEST(contains(error.text, "/thread is no known key"));
    BOOST_TEST(with([](vdt_context_options& o) { o.config_text = nullptr, o.config_file = "/nowhere.json"; }) ==
               VDT_E_FILE);
    // A caller of an older version, whose struct ended before what comes after `threads`.
    BOOST_TEST(with([](vdt_context_options& o) { o.struct_size = 8, o.log_level = 9; }) == VDT_OK);
}

BOOST_AUTO_TEST_CASE(environment) {
    vdt_error error = fresh_error();
    vdt_context_options options{};
    options.struct_size = sizeof options;
    const TemporaryDirectory directory;
    ::setenv("VEDETTE_CONFIG", directory.write("c.json", "{\"threads\": true}").c_str(), 1);
    BOOST_TEST(create_with(options, error) == VDT_E_CONFIG);
    BOOST_TEST(contains(error.text, "c.json: /threads"));
    ::setenv("VEDETTE_CONFIG", "/nowhere.json", 1);
    BOOST_TEST(create_with(options, error) == VDT_E_FILE);
    ::setenv("VEDETTE_CONFIG", "", 1);
    BOOST_TEST(create_with(options, error) == VDT_OK);
    ::unsetenv("VEDETTE_CONFIG");
    ::setenv("VEDETTE_BACKEND", "fastest please", 1);
    BOOST_TEST(create_with(options, error) == VDT_E_CONFIG);
    BOOST_TEST(contains(error.text, "VEDETTE_BACKEND"));
    ::unsetenv("VEDETTE_BACKEND");
}

BOOST_AUTO_TEST_CASE(without_plugins) {
    Opened opened;
    BOOST_TEST(vdt_backend_count(opened.context) == 0u);
    BOOST_TEST(vdt_skipped_count(opened.context) == 0u);
    vdt_backend_info info{};
    info.struct_size = sizeof info;
    BOOST_TEST(vdt_backend_at(opened.context, 0, &info, &opened.error) == VDT_E_ARGUMENT);
    vdt_skipped_info skipped{};
    skipped.struct_size = sizeof skipped;
    BOOST_TEST(vdt_skipped_at(opened.context, 0, &skipped, &opened.error) == VDT_E_ARGUMENT);
    BOOST_TEST(vdt_set_preferable_backend(opened.context, "auto", &opened.error) == VDT_OK);
    BOOST_TEST(vdt_set_preferable_backend(opened.context, "cpu", &opened.error) == VDT_E_ARGUMENT);
    BOOST_TEST(contains(opened.error.text, "No plugin of that name is installed"));
    BOOST_TEST(vdt_set_preferable_target(opened.context, -1, &opened.error) == VDT_OK);
    BOOST_TEST(vdt_set_preferable_target(opened.context, 0, &opened.error) == VDT_E_ARGUMENT);
}

BOOST_AUTO_TEST_CASE(operations_are_checked_before_any_plugin) {
    Opened opened;
    const Image in(VDT_FORMAT_BGR8, 8, 4);
    const Image out(VDT_FORMAT_GRAY8, 8, 4);
    vdt_convert_params params{};
    params.struct_size = sizeof params;
    const auto run = [&](vdt_op op, const vdt_image* input, std::uint32_t inputs, std::uint32_t outputs) {
        const vdt_image target = out.view();
        const vdt_image* const input_list[] = {input};
        const vdt_image* const output_list[] = {&target};
        return vdt_run_operation(opened.context, op, &params, inputs == 0 ? nullptr : input_list, inputs,
                                 outputs == 0 ? nullptr : output_list, outputs, nullptr, 0, nullptr, 0, nullptr,
                                 nullptr, &opened.error);
    };
    vdt_image view = in.view();
    BOOST_TEST(run(VDT_OP_CONVERT, &view, 1, 1) == VDT_E_UNAVAILABLE);
    BOOST_TEST(contains(opened.error.text, "no plugin is installed"));
    BOOST_TEST(run(99, &view, 1, 1) == VDT_E_ARGUMENT);
    BOOST_TEST(run(VDT_OP_CONVERT, nullptr, 1, 1) == VDT_E_ARGUMENT);
    BOOST_TEST(run(VDT_OP_CONVERT, &view, 0, 1) == VDT_E_ARGUMENT);
    BOOST_TEST(run(VDT_OP_CONVERT, &view, 1, 0) == VDT_E_ARGUMENT);
    BOOST_TEST(run(VDT_OP_CONVERT, &view, UINT32_MAX, 1) == VDT_E_ARGUMENT);
    view.plane[0].row_stride = INT64_MAX;
    BOOST_TEST(run(VDT_OP_CONVERT, &view, 1, 1) == VDT_E_SIZE);
    BOOST_TEST(contains(opened.error.text, "convert: inputs[0]"));
    view.struct_size = 0;
    BOOST_TEST(run(VDT_OP_CONVERT, &view, 1, 1) == VDT_E_ARGUMENT);
    BOOST_TEST(vdt_run_operation(opened.context, VDT_OP_GROUP, &params, nullptr, 0, nullptr, 0, nullptr, 1, nullptr, 1,
                                 nullptr, nullptr, &opened.error) == VDT_E_ARGUMENT);
}

BOOST_AUTO_TEST_CASE(a_forked_child_makes_its_own_context) {
    Opened opened;
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(20);
        vdt_error error = fresh_error();
        int good = 0;
        good += vdt_set_preferable_backend(opened.context, "auto", &error) == VDT_E_FORKED ? 1 : 0;
        good += contains(error.text, "create a new one") ? 1 : 0;
        good += vdt_backend_count(opened.context) == 0 ? 1 : 0;
        vdt_context_destroy(opened.context);
        vdt_context* own = nullptr;
        good += vdt_context_create(nullptr, &own, &error) == VDT_OK ? 1 : 0;
        good += vdt_set_preferable_backend(own, "auto", &error) == VDT_OK ? 1 : 0;
        vdt_context_destroy(own);
        ::_exit(good);
    }
    int status = 0;
    BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
    BOOST_TEST(WIFEXITED(status));
    BOOST_TEST(WEXITSTATUS(status) == 5);
    BOOST_TEST(vdt_set_preferable_backend(opened.context, "auto", nullptr) == VDT_OK);
}

BOOST_AUTO_TEST_CASE(many_threads_list_and_prefer) {
    Opened opened;
    vdt_context_options options{};
    options.struct_size = sizeof options;
    options.config_text = "{}";
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 100; ++i) {
                if (vdt_backend_count(opened.context) != 0) ++wrong;
                if (vdt_set_preferable_backend(opened.context, "auto", nullptr) != VDT_OK) ++wrong;
                // No check of Boost.Test's here: they write to a log that threads must not share.
                vdt_context* another = nullptr;
                if (vdt_context_create(&options, &another, nullptr) != VDT_OK) ++wrong;
                vdt_context_destroy(another);
            }
        });
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()
