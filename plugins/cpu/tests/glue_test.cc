// The plugin's border: negotiation, options, NULLs, sizes, and that questions and plans agree.
#include <functional>
#include <limits>
#include <set>

#include "boost_test.h"
#include "processor.h"
#include "test_host.h"

namespace vedette::cpu::test {

BOOST_AUTO_TEST_SUITE(glue)

namespace {

vdt_error new_error() {
    vdt_error error{};
    error.struct_size = sizeof error;
    return error;
}

bool mentions(const vdt_error& error, const std::string& word) {
    return std::string(error.text).find(word) != std::string::npos;
}

// Two small images and a conversion between them, to be spoilt one thing at a time.
struct Conversion {
    TestImage in{VDT_FORMAT_BGR8, 20, 10, {}};
    TestImage out{VDT_FORMAT_GRAY8, 20, 10, {}};
    vdt_image in_view = in.view();
    vdt_image out_view = out.view();
    const vdt_image* inputs[1] = {&in_view};
    const vdt_image* outputs[1] = {&out_view};
    vdt_convert_params params{sizeof(vdt_convert_params), 0, 1, 0};
    vdt_query query{};
    vdt_call call{};

    Conversion() {
        for (std::uint32_t y = 0; y < 10; ++y) std::memset(in.row<std::uint8_t>(0, y), 7, 60);
        query.struct_size = sizeof query;
        query.op = VDT_OP_CONVERT;
        query.input_count = query.output_count = 1;
        query.inputs = inputs;
        query.outputs = outputs;
        query.params = &params;
        call.struct_size = sizeof call;
        call.input_count = call.output_count = 1;
        call.inputs = inputs;
        call.outputs = outputs;
        call.params = &params;
    }
};

vdt_code ask(const TestDevice& device, const vdt_query& query) {
    vdt_op_support support{};
    support.struct_size = sizeof support;
    return device.plugin().op_support(device.device(), &query, &support, nullptr);
}

}  // namespace

BOOST_AUTO_TEST_CASE(negotiation) {
    vdt_error why = new_error();
    BOOST_TEST(VDT_PLUGIN_ENTRY(0, 0, &why) != nullptr);
    BOOST_TEST(VDT_PLUGIN_ENTRY(0, 7, nullptr) == VDT_PLUGIN_ENTRY(0, 0, nullptr));
    BOOST_TEST(VDT_PLUGIN_ENTRY(VDT_ABI_MINOR + 1, VDT_ABI_MINOR + 7, nullptr) == nullptr);
    BOOST_TEST(VDT_PLUGIN_ENTRY(31, 47, &why) == nullptr);
    BOOST_TEST(why.code == VDT_E_ABI);
    BOOST_TEST(mentions(why, "1.31 to 1.47"));
    BOOST_TEST(mentions(why, "1.0 to 1." + std::to_string(VDT_ABI_MINOR)));
    vdt_error small{};
    small.struct_size = 8;
    VDT_PLUGIN_ENTRY(31, 47, &small);
    BOOST_TEST(small.code == 0);
}

BOOST_AUTO_TEST_CASE(options) {
    TestHost host;
    for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
        TestDevice device(host, name_of(isa));
        if (runs(isa)) {
            BOOST_TEST_REQUIRE(device.available());
            vdt_device_info info{};
            info.struct_size = sizeof info;
            BOOST_TEST(device.plugin().device_info(device.self(), 0, &info, nullptr) == VDT_OK);
            BOOST_TEST(info.driver == name_of(isa));
            BOOST_TEST(info.uid == std::string("cpu:0"));
            BOOST_TEST(info.name != std::string());
        } else {
            BOOST_TEST(device.code() == VDT_E_OPTION);
            BOOST_TEST(mentions(device.error(), "does not run"));
            BOOST_TEST(mentions(device.error(), name_of(isa)));
        }
    }
    const vdt_plugin& plugin = *VDT_PLUGIN_ENTRY(0, 0, nullptr);
    const auto code_of = [&](vdt_option option, const char* word) {
        vdt_self* self = nullptr;
        vdt_error error = new_error();
        const vdt_code code = plugin.create(&host.table, &option, 1, &self, &error);
        BOOST_TEST(mentions(error, word));
        BOOST_TEST(self == nullptr);
        return code;
    };
    BOOST_TEST(code_of({"isa", VDT_OPTION_TEXT, 0, 0, 0, "sse9"}, "sse9") == VDT_E_OPTION);
    BOOST_TEST(code_of({"isa", VDT_OPTION_INTEGER, 0, 1, 0, nullptr}, "isa") == VDT_E_OPTION);
    BOOST_TEST(code_of({"isa", VDT_OPTION_TEXT, 0, 0, 0, nullptr}, "isa") == VDT_E_OPTION);
    BOOST_TEST(code_of({"threads", VDT_OPTION_INTEGER, 0, 4, 0, nullptr}, "threads") == VDT_E_OPTION);
    BOOST_TEST(code_of({nullptr, VDT_OPTION_INTEGER, 0, 4, 0, nullptr}, "key") == VDT_E_OPTION);
}

BOOST_AUTO_TEST_CASE(create_needs_a_whole_host) {
    const vdt_plugin& plugin = *VDT_PLUGIN_ENTRY(0, 0, nullptr);
    TestHost host;
    vdt_self* self = nullptr;
    BOOST_TEST(plugin.create(nullptr, nullptr, 0, &self, nullptr) == VDT_E_ARGUMENT);
    BOOST_TEST(plugin.create(&host.table, nullptr, 0, nullptr, nullptr) == VDT_E_ARGUMENT);
    BOOST_TEST(plugin.create(&host.table, nullptr, 1, &self, nullptr) == VDT_E_ARGUMENT);
    vdt_host incomplete = host.table;
    incomplete.parallel_for = nullptr;
    BOOST_TEST(plugin.create(&incomplete, nullptr, 0, &self, nullptr) == VDT_E_ARGUMENT);
    incomplete = host.table;
    incomplete.struct_size = 16;
    BOOST_TEST(plugin.create(&incomplete, nullptr, 0, &self, nullptr) == VDT_E_ARGUMENT);
    BOOST_TEST(self == nullptr);
    plugin.destroy(nullptr);
    plugin.device_close(nullptr);
    plugin.plan_destroy(nullptr);
    plugin.resident_destroy(nullptr);
}

BOOST_AUTO_TEST_CASE(nulls_and_small_structs) {
    TestHost host;
    TestDevice device(host, "auto");
    const vdt_plugin& plugin = device.plugin();
    Conversion c;
    std::uint32_t count = 0;
    vdt_device* opened = nullptr;
    vdt_device_info info{};
    vdt_op_support support{};
    vdt_variant_info variant{};
    vdt_cost cost{};
    vdt_plan* plan = nullptr;
    vdt_resident* resident = nullptr;
    const auto argument = [](vdt_code code) { BOOST_TEST(code == VDT_E_ARGUMENT); };

    argument(plugin.device_count(nullptr, &count, nullptr));
    argument(plugin.device_count(device.self(), nullptr, nullptr));
    argument(plugin.device_info(device.self(), 0, &info, nullptr));  // struct_size 0
    argument(plugin.device_info(device.self(), 0, nullptr, nullptr));
    info.struct_size = sizeof info;
    argument(plugin.device_info(nullptr, 0, &info, nullptr));
    argument(plugin.device_info(device.self(), 1, &info, nullptr));
    argument(plugin.device_open(device.self(), 1, &opened, nullptr));
    argument(plugin.device_open(device.self(), 0, nullptr, nullptr));
    argument(plugin.device_open(nullptr, 0, &opened, nullptr));

    argument(plugin.op_support(device.device(), &c.query, &support, nullptr));
    argument(plugin.op_variant(device.device(), &c.query, &variant, nullptr));
    argument(plugin.op_cost(device.device(), &c.query, &cost, nullptr));
    support.struct_size = sizeof support;
    variant.struct_size = sizeof variant;
    cost.struct_size = sizeof cost;
    argument(plugin.op_support(nullptr, &c.query, &support, nullptr));
    argument(plugin.op_support(device.device(), nullptr, &support, nullptr));
    argument(plugin.op_support(device.device(), &c.query, nullptr, nullptr));
    argument(plugin.op_variant(device.device(), &c.query, nullptr, nullptr));
    argument(plugin.op_cost(device.device(), &c.query, nullptr, nullptr));
    argument(plugin.plan_create(device.device(), &c.query, nullptr, nullptr));
    argument(plugin.plan_create(device.device(), nullptr, &plan, nullptr));
    argument(plugin.plan_create(nullptr, &c.query, &plan, nullptr));
    argument(plugin.plan_run(nullptr, &c.call, nullptr));
    argument(plugin.resident_create(device.device(), nullptr, &resident, nullptr));
    argument(plugin.resident_create(device.device(), &c.in_view, nullptr, nullptr));
    argument(plugin.resident_create(nullptr, &c.in_view, &resident, nullptr));
    cost.stage_capacity = 2;  // without stages
    argument(plugin.op_cost(device.device(), &c.query, &cost, nullptr));
    BOOST_TEST((plugin.extension == nullptr));  // there are none
}

// One thing wrong at a time, in questions and in calls.
BOOST_AUTO_TEST_CASE(every_flaw_has_its_code) {
    TestHost host;
    TestDevice device(host, "auto");
    const vdt_plugin& plugin = device.plugin();
    alignas(8) static unsigned char anything[8];
    static const vdt_link unknown{VDT_LINK_MUST_UNDERSTAND | 9, sizeof(vdt_link), nullptr};
    static const vdt_link optional{9, sizeof(vdt_link), nullptr};
    static vdt_link ring{9, sizeof(vdt_link), &ring};
    struct Flaw {
        const char* name;
        vdt_code code;
        bool only_in_calls;
        std::function<void(Conversion&)> spoil;
    };
    const Flaw flaws[] = {
        {"none", VDT_OK, false, [](Conversion&) {}},
        {"skippable block", VDT_OK, false, [](Conversion& c) { c.in_view.next = &optional; }},
        {"pinned memory", VDT_OK, false, [](Conversion& c) { c.in_view.memory = VDT_MEMORY_PINNED; }},
        {"unknown block", VDT_E_UNSUPPORTED, false, [](Conversion& c) { c.in_view.next = &unknown; }},
        {"unknown block of the question", VDT_E_UNSUPPORTED, false,
         [](Conversion& c) { c.query.next = c.call.next = &unknown; }},
        {"ring of blocks", VDT_E_ARGUMENT, false, [](Conversion& c) { c.in_view.next = &ring; }},
        {"small question", VDT_E_ARGUMENT, false, [](Conversion& c) { c.query.struct_size = c.call.struct_size = 24; }},
        {"flags of the question", VDT_E_ARGUMENT, false, [](Conversion& c) { c.query.flags = c.call.flags = 1; }},
        {"inputs NULL", VDT_E_ARGUMENT, false, [](Conversion& c) { c.query.inputs = c.call.inputs = nullptr; }},
        {"outputs NULL", VDT_E_ARGUMENT, false, [](Conversion& c) { c.query.outputs = c.call.outputs = nullptr; }},
        {"input NULL", VDT_E_ARGUMENT, false, [](Conversion& c) { c.inputs[0] = nullptr; }},
        {"output NULL", VDT_E_ARGUMENT, false, [](Conversion& c) { c.outputs[0] = nullptr; }},
        {"no output", VDT_E_ARGUMENT, false, [](Conversion& c) { c.query.output_count = c.call.output_count = 0; }},
        {"parameters NULL", VDT_E_ARGUMENT, false, [](Conversion& c) { c.query.params = c.call.params = nullptr; }},
        {"small parameters", VDT_E_ARGUMENT, false, [](Conversion& c) { c.params.struct_size = 8; }},
        {"small image", VDT_E_ARGUMENT, false, [](Conversion& c) { c.in_view.struct_size = 32; }},
        {"flags of an image", VDT_E_ARGUMENT, false, [](Conversion& c) { c.in_view.flags = 2; }},
        {"device memory", VDT_E_UNSUPPORTED_MEMORY, false, [](Conversion& c) { c.in_view.memory = VDT_MEMORY_DEVICE; }},
        {"absurd memory", VDT_E_UNSUPPORTED_MEMORY, false, [](Conversion& c) { c.in_view.memory = 0xffffffffu; }},
        {"event", VDT_E_UNSUPPORTED, false,
         [](Conversion& c) { c.in_view.ready = reinterpret_cast<vdt_event*>(anything); }},
        {"absurd format", VDT_E_UNSUPPORTED_FORMAT, false, [](Conversion& c) { c.in_view.format = 0x80000001u; }},
        {"three planes", VDT_E_ARGUMENT, false, [](Conversion& c) { c.in_view.plane_count = 3; }},
        {"no planes", VDT_E_ARGUMENT, false, [](Conversion& c) { c.in_view.plane_count = 0; }},
        {"no width", VDT_E_SIZE, false, [](Conversion& c) { c.in_view.width = 0; }},
        {"no height", VDT_E_SIZE, false, [](Conversion& c) { c.out_view.height = 0; }},
        {"too wide", VDT_E_SIZE, false, [](Conversion& c) { c.in_view.width = VDT_MAX_DIMENSION + 1; }},
        {"too high", VDT_E_SIZE, false, [](Conversion& c) { c.in_view.height = 0xffffffffu; }},
        {"stride 0", VDT_E_SIZE, false, [](Conversion& c) { c.in_view.plane[0].row_stride = 0; }},
        {"rows overlap", VDT_E_SIZE, false, [](Conversion& c) { c.in_view.plane[0].row_stride = -59; }},
        {"base NULL", VDT_E_ARGUMENT, true, [](Conversion& c) { c.in_view.plane[0].base = nullptr; }},
        {"a byte short", VDT_E_SIZE, true, [](Conversion& c) { --c.in_view.plane[0].bytes; }},
        {"output a byte short", VDT_E_SIZE, true, [](Conversion& c) { --c.out_view.plane[0].bytes; }},
        {"offset beyond", VDT_E_SIZE, true, [](Conversion& c) { c.in_view.plane[0].offset = 1; }},
        {"absurd offset", VDT_E_SIZE, true, [](Conversion& c) { c.in_view.plane[0].offset = ~std::uint64_t{0}; }},
        {"negative stride without offset", VDT_E_SIZE, true,
         [](Conversion& c) { c.in_view.plane[0].row_stride = -60; }},
        {"stride overflows", VDT_E_SIZE, true,
         [](Conversion& c) { c.in_view.plane[0].row_stride = std::numeric_limits<std::int64_t>::max(); }},
        {"stride overflows downwards", VDT_E_SIZE, true,
         [](Conversion& c) { c.in_view.plane[0].row_stride = std::numeric_limits<std::int64_t>::min(); }},
        {"absurd bytes", VDT_E_SIZE, true, [](Conversion& c) { c.in_view.plane[0].bytes = ~std::uint64_t{0}; }},
        {"stream", VDT_E_UNSUPPORTED, true,
         [](Conversion& c) { c.call.stream = reinterpret_cast<vdt_stream*>(anything); }},
        {"lists NULL", VDT_E_ARGUMENT, true, [](Conversion& c) { c.call.list_out_count = 1; }},
    };
    for (const Flaw& flaw : flaws) {
        BOOST_TEST_CONTEXT(flaw.name) {
            Conversion good;
            vdt_plan* plan = nullptr;
            BOOST_TEST_REQUIRE(plugin.plan_create(device.device(), &good.query, &plan, nullptr) == VDT_OK);
            Conversion bad;
            flaw.spoil(bad);
            vdt_error error = new_error();
            const vdt_code code = plugin.plan_run(plan, &bad.call, &error);
            BOOST_TEST(code == flaw.code);
            BOOST_TEST((code == VDT_OK || error.text[0] != '\0'));
            plugin.plan_destroy(plan);
            if (flaw.only_in_calls) continue;
            BOOST_TEST(ask(device, bad.query) == flaw.code);
            vdt_plan* none = nullptr;
            BOOST_TEST(plugin.plan_create(device.device(), &bad.query, &none, nullptr) == flaw.code);
            plugin.plan_destroy(none);
        }
    }
}

BOOST_AUTO_TEST_CASE(a_call_must_fit_its_plan) {
    TestHost host;
    TestDevice device(host, "auto");
    const vdt_plugin& plugin = device.plugin();
    Conversion c;
    vdt_plan* plan = nullptr;
    BOOST_TEST_REQUIRE(plugin.plan_create(device.device(), &c.query, &plan, nullptr) == VDT_OK);
    const TestImage narrower(VDT_FORMAT_BGR8, 19, 10, {});
    const TestImage other_format(VDT_FORMAT_RGB8, 20, 10, {});
    for (const TestImage* const image : {&narrower, &other_format}) {
        c.inputs[0] = &image->view();
        BOOST_TEST(plugin.plan_run(plan, &c.call, nullptr) == VDT_E_ARGUMENT);
    }
    c.inputs[0] = &c.in_view;
    BOOST_TEST(plugin.plan_run(plan, &c.call, nullptr) == VDT_OK);
    BOOST_TEST(c.out.row<std::uint8_t>(0, 9)[19] == 7);
    plugin.plan_destroy(plan);
}

// General question, question about images, names of variants, costs and plans: one answer.
BOOST_AUTO_TEST_CASE(what_is_promised_is_built) {
    TestHost host;
    TestDevice device(host, "auto");
    const vdt_plugin& plugin = device.plugin();
    std::set<vdt_op> done;
    for (vdt_op op = 0; op < VDT_OP_COUNT + 3; ++op) {
        vdt_query query{};
        query.struct_size = sizeof query;
        query.op = op;
        vdt_op_support general{};
        general.struct_size = sizeof general;
        const vdt_code code = plugin.op_support(device.device(), &query, &general, nullptr);
        BOOST_TEST((code == VDT_OK || code == VDT_E_UNSUPPORTED_OP));
        BOOST_TEST((code == VDT_OK) == (general.level != VDT_SUPPORT_NO));
        if (code != VDT_OK) continue;
        done.insert(op);
        BOOST_TEST(general.variant_count >= 1u);
        std::set<std::string> names;
        vdt_variant_info variant{};
        variant.struct_size = sizeof variant;
        for (query.variant = 0; query.variant < general.variant_count; ++query.variant) {
            BOOST_TEST(plugin.op_variant(device.device(), &query, &variant, nullptr) == VDT_OK);
            names.insert(variant.name);
        }
        BOOST_TEST(names.size() == general.variant_count);
        BOOST_TEST(plugin.op_variant(device.device(), &query, &variant, nullptr) == VDT_E_ARGUMENT);
        vdt_plan* plan = nullptr;
        BOOST_TEST(plugin.plan_create(device.device(), &query, &plan, nullptr) == VDT_E_ARGUMENT);
    }
    BOOST_TEST(done.count(VDT_OP_CONVERT) == 1u);
    BOOST_TEST(done.count(VDT_OP_INTEGRAL) == 1u);

    vdt_op_support general{};
    general.struct_size = sizeof general;
    vdt_query general_query{};
    general_query.struct_size = sizeof general_query;
    general_query.op = VDT_OP_CONVERT;
    BOOST_TEST_REQUIRE(plugin.op_support(device.device(), &general_query, &general, nullptr) == VDT_OK);
    for (vdt_format from = 1; from < VDT_FORMAT_COUNT; ++from) {
        for (vdt_format to = 1; to < VDT_FORMAT_COUNT; ++to) {
            Conversion c;
            const TestImage in(from, 5, 4, {});
            const TestImage out(to, 5, 4, {});
            c.inputs[0] = &in.view();
            c.outputs[0] = &out.view();
            const bool promised = (general.input_formats >> from & 1) != 0 && (general.output_formats >> to & 1) != 0;
            vdt_plan* plan = nullptr;
            vdt_cost_stage stages[4];
            vdt_cost cost{};
            cost.struct_size = sizeof cost;
            cost.stage_capacity = 4;
            cost.stage_size = sizeof(vdt_cost_stage);
            cost.stages = stages;
            const vdt_code want = promised ? VDT_OK : VDT_E_UNSUPPORTED_FORMAT;
            BOOST_TEST(ask(device, c.query) == want);
            BOOST_TEST(plugin.op_cost(device.device(), &c.query, &cost, nullptr) == want);
            BOOST_TEST(plugin.plan_create(device.device(), &c.query, &plan, nullptr) == want);
            // So few pixels are one thread's work, with no meeting of threads.
            BOOST_TEST((!promised || (cost.stage_count == 1 && stages[0].work > 0 && cost.launches == 0)));
            plugin.plan_destroy(plan);
        }
    }
}

BOOST_AUTO_TEST_CASE(cancelled_calls_say_so) {
    TestHost host;
    TestDevice device(host, "auto");
    Conversion c;
    vdt_plan* plan = nullptr;
    BOOST_TEST_REQUIRE(device.plugin().plan_create(device.device(), &c.query, &plan, nullptr) == VDT_OK);
    for (const vdt_code code : {VDT_E_CANCELLED, VDT_E_TIMEOUT}) {
        host.stop = code;
        BOOST_TEST(device.plugin().plan_run(plan, &c.call, nullptr) == code);
    }
    host.stop = VDT_OK;
    BOOST_TEST(device.plugin().plan_run(plan, &c.call, nullptr) == VDT_OK);
    device.plugin().plan_destroy(plan);
}

// A run started while the plan runs is refused and does no harm.
BOOST_AUTO_TEST_CASE(one_run_at_a_time) {
    struct Nested : TestHost {
        const vdt_plugin* plugin = nullptr;
        vdt_plan* plan = nullptr;
        const vdt_call* call = nullptr;
        vdt_code inner = VDT_OK;
    } host;
    host.table.parallel_for = [](void* ctx, vdt_token*, std::uint32_t begin, std::uint32_t end, std::uint32_t,
                                 vdt_loop_body body, void* arg) noexcept -> vdt_code {
        auto& self = *static_cast<Nested*>(static_cast<TestHost*>(ctx));
        self.inner = self.plugin->plan_run(self.plan, self.call, nullptr);
        body(arg, begin, end, 0);
        return VDT_OK;
    };
    TestDevice device(host, "auto");
    Conversion c;
    host.plugin = &device.plugin();
    host.call = &c.call;
    BOOST_TEST_REQUIRE(device.plugin().plan_create(device.device(), &c.query, &host.plan, nullptr) == VDT_OK);
    BOOST_TEST(device.plugin().plan_run(host.plan, &c.call, nullptr) == VDT_OK);
    BOOST_TEST(host.inner == VDT_E_THREAD);
    device.plugin().plan_destroy(host.plan);
}

BOOST_AUTO_TEST_CASE(residents) {
    TestHost host;
    TestDevice device(host, "auto");
    Conversion c;
    vdt_resident* resident = nullptr;
    BOOST_TEST_REQUIRE(device.plugin().resident_create(device.device(), &c.in_view, &resident, nullptr) == VDT_OK);
    c.in_view.resident = resident;
    vdt_plan* plan = nullptr;
    BOOST_TEST_REQUIRE(device.plugin().plan_create(device.device(), &c.query, &plan, nullptr) == VDT_OK);
    BOOST_TEST(device.plugin().plan_run(plan, &c.call, nullptr) == VDT_OK);
    device.plugin().plan_destroy(plan);
    device.plugin().resident_destroy(resident);
    vdt_image none{};
    none.struct_size = sizeof none;
    BOOST_TEST(device.plugin().resident_create(device.device(), &none, &resident, nullptr) == VDT_E_ARGUMENT);
    BOOST_TEST(resident == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::cpu::test
