// The help for plugins written in C++: the entries through a backend made of them, and what stands alone.
#define BOOST_TEST_MODULE plugin_cpp
#include "boost_test.h"
#include "toy_backend.h"

#include <vedette/plugin/cpp/list.hpp>
#include <vedette/plugin/cpp/loop.hpp>

#include <limits>
#include <stdexcept>

namespace vedette::plugin::test {

BOOST_AUTO_TEST_SUITE(plugin_cpp)

BOOST_AUTO_TEST_CASE(several_devices_or_none) {
    Opened opened;
    std::uint32_t count = 0;
    BOOST_TEST(table.device_count(opened.self, &count, nullptr) == VDT_OK);
    BOOST_TEST(count == 2u);
    vdt_device_info info{};
    info.struct_size = sizeof info;
    BOOST_TEST(table.device_info(opened.self, 1, &info, nullptr) == VDT_OK);
    BOOST_TEST(info.uid == std::string("toy:1"));
    BOOST_TEST(info.name == std::string(sizeof info.name - 1, 'n'));
    vdt_error error = new_error();
    BOOST_TEST(table.device_info(opened.self, 2, &info, &error) == VDT_E_ARGUMENT);
    BOOST_TEST(mentions(error, "no device 2"));

    const vdt_option none{"devices", VDT_OPTION_INTEGER, 0, 0, 0, nullptr};
    vdt_self* bare = nullptr;
    BOOST_TEST_REQUIRE(table.create(&opened.host, &none, 1, &bare, nullptr) == VDT_OK);
    error = new_error();
    count = 9;
    BOOST_TEST(table.device_count(bare, &count, &error) == VDT_OK);
    BOOST_TEST(count == 0u);
    BOOST_TEST(error.code == VDT_E_NO_DEVICE);
    BOOST_TEST(mentions(error, "plugged in"));
    table.destroy(bare);
}

BOOST_AUTO_TEST_CASE(options_have_kinds_and_ranges) {
    const vdt_host host = new_host();
    const auto create = [&](std::vector<vdt_option> options, const char* words) {
        vdt_self* self = nullptr;
        vdt_error error = new_error();
        const vdt_code code =
            table.create(&host, options.data(), static_cast<std::uint32_t>(options.size()), &self, &error);
        BOOST_TEST(mentions(error, words));
        table.destroy(self);
        return code;
    };
    const auto integer = [](const char* key, std::int64_t value) {
        return vdt_option{key, VDT_OPTION_INTEGER, 0, value, 0, nullptr};
    };
    const auto real = [](double value) { return vdt_option{"share", VDT_OPTION_REAL, 0, 0, value, nullptr}; };
    BOOST_TEST(create({integer("devices", 1), integer("fast", 1), real(0.5)}, "") == VDT_OK);
    BOOST_TEST(create({integer("devices", 3)}, "devices is 3; it must lie in 0 to 2") == VDT_E_OPTION);
    BOOST_TEST(create({integer("fast", -1)}, "fast is -1") == VDT_E_OPTION);
    BOOST_TEST(create({real(2)}, "share is 2") == VDT_E_OPTION);
    BOOST_TEST(create({real(std::numeric_limits<double>::quiet_NaN())}, "share") == VDT_E_OPTION);
    BOOST_TEST(create({integer("share", 1)}, "share must be a real number") == VDT_E_OPTION);
    BOOST_TEST(create({integer("name", 1)}, "name must be a text") == VDT_E_OPTION);
    BOOST_TEST(create({integer("dev", 1)}, "dev is not known; the toy backend knows fast, share, name, devices") ==
               VDT_E_OPTION);
    BOOST_TEST(create({integer("ices", 1)}, "ices is not known") == VDT_E_OPTION);
    BOOST_TEST(create({integer("fast, share", 1)}, "not known") == VDT_E_OPTION);
}

BOOST_AUTO_TEST_CASE(memory_belongs_to_a_device) {
    Opened opened;
    vdt_buffer* buffer = nullptr;
    void* address = nullptr;
    const vdt_streams& streams = *table.streams;
    const auto create = [&](std::uint32_t memory, std::uint64_t bytes) {
        return streams.buffer_create(opened.device[0], memory, bytes, &buffer, &address, nullptr);
    };
    BOOST_TEST(create(VDT_MEMORY_HOST, 8) == VDT_E_UNSUPPORTED_MEMORY);
    BOOST_TEST(create(VDT_MEMORY_MANAGED, 8) == VDT_E_UNSUPPORTED_MEMORY);
    BOOST_TEST(create(0xffffffffu, 8) == VDT_E_UNSUPPORTED_MEMORY);
    BOOST_TEST(create(VDT_MEMORY_DEVICE, 0) == VDT_E_SIZE);
    BOOST_TEST(buffer == nullptr);
    BOOST_TEST_REQUIRE(create(VDT_MEMORY_DEVICE, width * height) == VDT_OK);

    Copy copy;
    vdt_image there = view_of(address);
    there.memory = VDT_MEMORY_DEVICE;
    const auto ask = [&](vdt_device* device) {
        copy.outputs[0] = &there;
        vdt_op_support support{};
        support.struct_size = sizeof support;
        return table.op_support(device, &copy.query, &support, nullptr);
    };
    BOOST_TEST(ask(opened.device[0]) == VDT_E_UNSUPPORTED_MEMORY);  // nobody's
    there.device = opened.device[0];
    BOOST_TEST(ask(opened.device[0]) == VDT_OK);
    BOOST_TEST(ask(opened.device[1]) == VDT_E_UNSUPPORTED_MEMORY);
    there.memory = VDT_MEMORY_NATIVE;
    BOOST_TEST(ask(opened.device[0]) == VDT_E_UNSUPPORTED_MEMORY);
    there.memory = VDT_MEMORY_DEVICE;
    BOOST_TEST(streams.image_copy(opened.device[0], &copy.in, &there, nullptr, nullptr, nullptr) == VDT_OK);
    BOOST_TEST(streams.image_copy(opened.device[0], &there, &copy.out, nullptr, nullptr, nullptr) == VDT_OK);
    BOOST_TEST(copy.to == copy.from);
    there.width = width - 1;
    BOOST_TEST(streams.image_copy(opened.device[0], &copy.in, &there, nullptr, nullptr, nullptr) == VDT_E_ARGUMENT);
    streams.buffer_destroy(buffer);
}

// A handle of a device's own API is no address: neither aligned nor followed by its bytes. The bounds still count.
BOOST_AUTO_TEST_CASE(native_handles_are_not_addresses) {
    vdt_image image = view_of(reinterpret_cast<void*>(std::numeric_limits<std::uintptr_t>::max()));
    image.format = VDT_FORMAT_GRAYF32;
    image.memory = VDT_MEMORY_NATIVE;
    image.plane[0].row_stride = 4 * width;
    image.plane[0].bytes = 4 * width * height;
    const Limits limits{.memory_mask = 1u << VDT_MEMORY_NATIVE};
    BOOST_CHECK_NO_THROW(check_image(&image, Pixels::present, limits, {"input", 0}));
    image.plane[0].offset = 4;
    BOOST_CHECK_THROW(check_image(&image, Pixels::present, limits, {"input", 0}), Failure);
    image.plane[0].bytes += 4;
    BOOST_CHECK_NO_THROW(check_image(&image, Pixels::present, limits, {"input", 0}));
}

BOOST_AUTO_TEST_CASE(work_in_a_stream_happens_later) {
    Opened opened;
    const vdt_streams& streams = *table.streams;
    Copy copy;
    vdt_plan* plan = nullptr;
    BOOST_TEST_REQUIRE(table.plan_create(opened.device[1], &copy.query, &plan, nullptr) == VDT_OK);
    vdt_stream* stream = nullptr;
    vdt_event* done = nullptr;
    BOOST_TEST_REQUIRE(streams.stream_create(opened.device[1], &stream, nullptr) == VDT_OK);
    BOOST_TEST_REQUIRE(streams.event_create(opened.device[1], &done, nullptr) == VDT_OK);
    copy.call.done = done;
    BOOST_TEST(table.plan_run(plan, &copy.call, nullptr) == VDT_E_ARGUMENT);  // an event, but of which stream?
    copy.call.stream = stream;
    BOOST_TEST(table.plan_run(plan, &copy.call, nullptr) == VDT_OK);
    BOOST_TEST(copy.to != copy.from);
    BOOST_TEST(streams.event_query(done, nullptr) == VDT_NOT_READY);
    BOOST_TEST(streams.event_wait_host(done, nullptr) == VDT_OK);
    BOOST_TEST(streams.event_query(done, nullptr) == VDT_OK);
    BOOST_TEST(copy.to == copy.from);
    BOOST_TEST(streams.stream_sync(nullptr, nullptr) == VDT_E_ARGUMENT);
    BOOST_TEST(streams.event_record(done, nullptr, nullptr) == VDT_E_ARGUMENT);
    BOOST_TEST(streams.event_record(done, stream, nullptr) == VDT_OK);
    BOOST_TEST(streams.event_query(done, nullptr) == VDT_NOT_READY);
    BOOST_TEST(streams.event_wait_stream(done, stream, nullptr) == VDT_OK);
    streams.event_destroy(done);
    streams.event_destroy(nullptr);
    streams.stream_destroy(stream);
    streams.stream_destroy(nullptr);
    streams.buffer_destroy(nullptr);
    table.plan_destroy(plan);
}

BOOST_AUTO_TEST_CASE(formats_variants_and_costs) {
    Opened opened;
    Copy copy;
    vdt_op_support support{};
    support.struct_size = sizeof support;
    vdt_query general{};
    general.struct_size = sizeof general;
    general.op = VDT_OP_CONVERT;
    BOOST_TEST(table.op_support(opened.device[0], &general, &support, nullptr) == VDT_OK);
    BOOST_TEST(support.input_formats == VDT_FORMAT_BIT(VDT_FORMAT_GRAY8));
    BOOST_TEST(support.determinism == VDT_DETERMINISM_TOLERANCE);
    BOOST_TEST(support.memory_mask == (host_memory | 1u << VDT_MEMORY_DEVICE));
    BOOST_TEST(table.op_support(opened.device[0], &copy.query, &support, nullptr) == VDT_OK);
    BOOST_TEST(support.determinism == VDT_DETERMINISM_EXACT);
    BOOST_TEST(support.variant_count == 2u);
    general.op = VDT_OP_RESIZE;
    BOOST_TEST(table.op_support(opened.device[0], &general, &support, nullptr) == VDT_E_UNSUPPORTED_OP);
    general.op = VDT_OP_COUNT;
    BOOST_TEST(table.op_support(opened.device[0], &general, &support, nullptr) == VDT_E_UNSUPPORTED_OP);
    BOOST_TEST(support.level == VDT_SUPPORT_NO);

    vdt_variant_info info{};
    info.struct_size = sizeof info;
    copy.query.variant = 1;
    BOOST_TEST(table.op_variant(opened.device[0], &copy.query, &info, nullptr) == VDT_OK);
    BOOST_TEST(info.name == std::string("tiled"));
    vdt_cost_stage stage{};
    vdt_cost cost{};
    cost.struct_size = sizeof cost;
    cost.stage_capacity = 1;
    cost.stage_size = sizeof stage;
    cost.stages = &stage;
    BOOST_TEST(table.op_cost(opened.device[1], &copy.query, &cost, nullptr) == VDT_OK);
    BOOST_TEST(cost.stage_count == 2u);  // one more than there was room for
    BOOST_TEST(stage.work == 3.0 * width);
    copy.query.variant = 2;
    BOOST_TEST(table.op_variant(opened.device[0], &copy.query, &info, nullptr) == VDT_E_ARGUMENT);

    Copy large;
    large.in.width = large.in.height = large.out.width = large.out.height = 40;
    large.in.plane[0].row_stride = large.out.plane[0].row_stride = 40;
    BOOST_TEST(table.op_support(opened.device[0], &large.query, &support, nullptr) == VDT_E_UNSUPPORTED_SIZE);
    large.in.format = VDT_FORMAT_GRAYF32;
    large.in.height = 2;
    large.in.plane[0].row_stride = 160;
    large.out.height = 2;
    vdt_error error = new_error();
    BOOST_TEST(table.op_support(opened.device[0], &large.query, &support, &error) == VDT_E_UNSUPPORTED_FORMAT);
    BOOST_TEST(mentions(error, "GRAYF32"));
}

BOOST_AUTO_TEST_CASE(foreign_exceptions_are_translated) {
    Opened opened;
    Copy copy;
    vdt_plan* plan = nullptr;
    BOOST_TEST_REQUIRE(table.plan_create(opened.device[0], &copy.query, &plan, nullptr) == VDT_OK);
    copy.params.scale = 13;
    vdt_error error = new_error();
    BOOST_TEST(table.plan_run(plan, &copy.call, &error) == VDT_E_INTERNAL);
    BOOST_TEST(error.native_code == 42);
    copy.params.scale = 1;
    BOOST_TEST(table.plan_run(plan, &copy.call, nullptr) == VDT_OK);  // what failed does not stay marked as running
    table.plan_destroy(plan);
}

BOOST_AUTO_TEST_CASE(residents_make_things_once) {
    Copy copy;
    Resident resident(copy.in);
    int made = 0;
    const auto make = [&] {
        if (++made == 1) throw std::runtime_error("not yet");
        return std::make_shared<int>(made);
    };
    BOOST_CHECK_THROW(resident.get<int>(5, make), std::runtime_error);
    BOOST_TEST(*resident.get<int>(5, make) == 2);
    BOOST_TEST(*resident.get<int>(5, make) == 2);
    BOOST_TEST(*resident.get<int>(6, make) == 3);
}

BOOST_AUTO_TEST_CASE(loops_let_exceptions_out_and_stop) {
    vdt_host host = new_host();
    std::uint32_t ran = 0;
    const auto body = [&](std::uint32_t begin, std::uint32_t, std::uint32_t) {
        ++ran;
        if (begin == 3) throw Failure(VDT_E_SIZE, "three");
    };
    BOOST_CHECK_EXCEPTION(parallel_for(host, nullptr, 0, 8, 1, body), Failure,
                          [](const Failure& failure) { return failure.code() == VDT_E_SIZE; });
    BOOST_TEST(ran == 4u);  // pieces after the failure are left out
    vdt_code stop = VDT_E_TIMEOUT;
    host.ctx = &stop;
    const auto timed_out = [](const Failure& failure) { return failure.code() == VDT_E_TIMEOUT; };
    BOOST_CHECK_EXCEPTION(parallel_for(host, nullptr, 4, 8, 1, body), Failure, timed_out);
    BOOST_CHECK_EXCEPTION(throw_if_cancelled(host, nullptr), Failure, timed_out);
}

BOOST_AUTO_TEST_CASE(lists_count_what_does_not_fit) {
    vdt_item room[2] = {};
    vdt_list list{};
    list.struct_size = sizeof list;
    list.item_size = sizeof(vdt_item);
    list.capacity = 2;
    list.items = room;
    ListWriter<> writer(list);
    for (int i = 0; i < 3; ++i) {
        vdt_item item{};
        item.neighbors = i;
        writer.count_found(1);
        writer.write(item);
    }
    BOOST_TEST(list.count == 0u);  // nothing counts before it is finished
    BOOST_TEST(writer.finish() == VDT_INCOMPLETE);
    BOOST_TEST(list.count == 2u);
    BOOST_TEST(list.needed == 3u);
    BOOST_TEST(item_at(list, 1).neighbors == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::plugin::test
