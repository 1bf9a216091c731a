// On whatever device of OpenCL there is.
#include "boost_test.h"
#include "runtime/memory.h"

#include <algorithm>

namespace vedette::opencl {

namespace {

// A context on the first device of the first platform that has one; without one the test says so.
Context any_context() {
    std::string reason;
    cl::UInt count = 0;
    cl::Platform platforms[8] = {};
    if (cl::find(reason) == nullptr || cl::api().GetPlatformIDs(8, platforms, &count) != cl::success) return {};
    for (cl::UInt index = 0; index < std::min<cl::UInt>(count, 8); ++index) {
        cl::Device device = nullptr;
        if (cl::api().GetDeviceIDs(platforms[index], cl::type_all, 1, &device, nullptr) != cl::success) continue;
        cl::Int code = cl::success;
        Context context(cl::api().CreateContext(nullptr, 1, &device, nullptr, nullptr, &code));
        if (code == cl::success) return context;
    }
    return {};
}

constexpr std::size_t large = std::size_t{1} << 30;

}  // namespace

BOOST_AUTO_TEST_CASE(blocks_are_taken_again) {
    const Context context = any_context();
    if (context == nullptr) {
        BOOST_TEST_MESSAGE("skip: there is no OpenCL device");
        return;
    }
    Pool pool(context.get(), 1 << 20, large);
    cl::Memory first = nullptr;
    {
        const Buffer<float> buffer(pool, 1000);
        BOOST_TEST(buffer.size() == 1000u);
        BOOST_TEST(buffer.bytes() == 4000u);
        first = buffer.get();
        BOOST_TEST(pool.unused_bytes() == 0u);
    }
    BOOST_TEST(pool.unused_bytes() == 4096u);
    // Another size of the same class, while the block is free and while it is not.
    const Buffer<std::byte> again(pool, 3900), other(pool, 3900);
    BOOST_TEST(again.get() == first);
    BOOST_TEST(other.get() != first);
    BOOST_TEST(pool.unused_bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(blocks_that_may_be_in_use_and_too_many_go_to_the_driver) {
    const Context context = any_context();
    if (context == nullptr) {
        BOOST_TEST_MESSAGE("skip: there is no OpenCL device");
        return;
    }
    Pool pool(context.get(), 10000, large);
    pool.begin_call();
    { const Buffer<std::byte> during(pool, 1024); }
    BOOST_TEST(pool.unused_bytes() == 0u);
    pool.end_call();
    {
        const Buffer<std::byte> one(pool, 8192), two(pool, 8192);
        Buffer<std::byte> moved(pool, 100);
        moved = Buffer<std::byte>(pool, 1024);  // the first one is free at once
        BOOST_TEST(pool.unused_bytes() == 512u);
    }
    BOOST_TEST(pool.unused_bytes() == 512u + 1024u + 8192u);
    pool.trim();
    BOOST_TEST(pool.unused_bytes() == 0u);
}

// The rounding of sizes takes nothing away from what a device can have.
BOOST_AUTO_TEST_CASE(the_largest_block_is_not_rounded_up) {
    const Context context = any_context();
    if (context == nullptr) {
        BOOST_TEST_MESSAGE("skip: there is no OpenCL device");
        return;
    }
    Pool pool(context.get(), 10000, 4100);
    { const Buffer<std::byte> buffer(pool, 4099); }
    BOOST_TEST(pool.unused_bytes() == 4100u);
}

}  // namespace vedette::opencl
