#include "boost_test.h"
#include "runtime/memory.h"

namespace vedette::opencl {

namespace {

// Never given to OpenCL.
cl::Memory memory_named(std::uintptr_t number) {
    return reinterpret_cast<cl::Memory>(number);
}

}  // namespace

BOOST_AUTO_TEST_CASE(addresses_lead_to_their_buffer) {
    Addresses addresses;
    char* const first = static_cast<char*>(addresses.reserve(memory_named(16), 5000));
    char* const second = static_cast<char*>(addresses.reserve(memory_named(32), 1));
    BOOST_TEST(addresses.find(first, 5000).memory == memory_named(16));
    BOOST_TEST(addresses.find(first + 4999, 1).memory == memory_named(16));
    BOOST_TEST(addresses.find(first + 4999, 1).offset == 4999U);
    BOOST_TEST(addresses.find(second, 1).memory == memory_named(32));
    BOOST_TEST(addresses.find(second, 1).offset == 0U);
}

BOOST_AUTO_TEST_CASE(what_lies_in_no_buffer_is_not_found) {
    Addresses addresses;
    char* const address = static_cast<char*>(addresses.reserve(memory_named(16), 5000));
    BOOST_TEST(addresses.find(address, 5001).memory == nullptr);
    BOOST_TEST(addresses.find(address + 1, 5000).memory == nullptr);
    BOOST_TEST(addresses.find(address + 5001, 0).memory == nullptr);
    BOOST_TEST(addresses.find(address, SIZE_MAX).memory == nullptr);
    BOOST_TEST(addresses.find(nullptr, 1).memory == nullptr);
    int on_the_stack = 0;
    BOOST_TEST(addresses.find(&on_the_stack, sizeof on_the_stack).memory == nullptr);
    addresses.release(address);
    BOOST_TEST(addresses.find(address, 1).memory == nullptr);
    addresses.release(address);
}

BOOST_AUTO_TEST_CASE(more_than_there_are_addresses) {
    Addresses addresses;
    BOOST_CHECK_EXCEPTION(addresses.reserve(memory_named(16), std::size_t{1} << 62), Error,
                          [](const Error& error) { return error.fault() == Fault::memory; });
    BOOST_CHECK_THROW(checked_bytes(SIZE_MAX / 4, 8), Error);
    BOOST_TEST(checked_bytes(10, 8) == 80U);
}

}  // namespace vedette::opencl
