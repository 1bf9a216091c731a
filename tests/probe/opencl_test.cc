// The OpenCL backend's measurements on whatever device there is: which parameters it answers, not how much they are.
#define BOOST_TEST_MODULE probe_opencl
#include "boost_test.h"

#include <core/device.h>
#include <core/plugin_library.h>
#include <probe/parameters.h>

#include <chrono>
#include <memory>

namespace {

using namespace vedette;

// NULL where there is no device.
std::shared_ptr<host::Device> opencl_device() {
    const host::LoadedTable loaded = host::load_plugin(VEDETTE_OPENCL, "opencl", {});
    BOOST_REQUIRE_MESSAGE(loaded.table != nullptr, loaded.reason);
    const auto instance = std::make_shared<host::PluginInstance>(
        *loaded.table, "opencl", VEDETTE_OPENCL, loaded.abi_minor, std::vector<host::OptionValue>{},
        std::make_shared<host::ThreadPool>(2), std::make_shared<host::Log>(nullptr, nullptr, VDT_LOG_ERROR));
    const auto devices = host::list_devices(instance);
    if (devices.empty()) BOOST_TEST_MESSAGE("skip: there is no OpenCL device");
    return devices.empty() ? nullptr : devices.front();
}

}  // namespace

BOOST_AUTO_TEST_CASE(properties_need_no_time) {
    const auto device = opencl_device();
    if (device == nullptr) return;
    const model::Parameters known = host::measure_parameters(*device, 0);
    BOOST_TEST(known.source() == unsigned{VDT_SOURCE_PROPERTIES});
    for (const std::uint32_t id : {VDT_PARAM_PROCESSORS, VDT_PARAM_SHARED_BYTES, VDT_PARAM_CONSTANT_BYTES})
        BOOST_TEST(known.has(id), model::parameter_name(id));
}

BOOST_AUTO_TEST_CASE(everything_is_measured_within_the_budget) {
    const auto device = opencl_device();
    if (device == nullptr) return;
    constexpr double budget = 30, compiling = 30;  // a busy machine compiles kernels for seconds
    const auto start = std::chrono::steady_clock::now();
    const model::Parameters found = host::measure_parameters(*device, budget);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    BOOST_TEST(took.count() < budget + compiling);
    for (const std::uint32_t id :
         {VDT_PARAM_LAUNCH_TIME, VDT_PARAM_NEXT_LAUNCH_TIME, VDT_PARAM_COPY_LATENCY, VDT_PARAM_TO_DEVICE_PAGEABLE,
          VDT_PARAM_TO_HOST_PAGEABLE, VDT_PARAM_TO_DEVICE_PINNED, VDT_PARAM_TO_HOST_PINNED, VDT_PARAM_OPERATION_TIME,
          VDT_PARAM_LANES, VDT_PARAM_SHARED_BANDWIDTH, VDT_PARAM_GLOBAL_BANDWIDTH}) {
        BOOST_TEST(found.entry(id).source == unsigned{VDT_SOURCE_MEASURED}, model::parameter_name(id));
        BOOST_TEST(found.get(id, 0) > 0, model::parameter_name(id));
    }
    // The device does what it did before.
    BOOST_TEST(host::measure_parameters(*device, 0).has(VDT_PARAM_PROCESSORS));
    BOOST_TEST(!device->quarantined());
}
