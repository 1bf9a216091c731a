// Limits of a find, several threads, and memory.
#include "api_fixture.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

using namespace find_api;

namespace {

std::size_t resident_bytes() {
    std::ifstream in("/proc/self/statm");
    std::size_t total = 0, resident = 0;
    in >> total >> resident;
    return resident * 4096;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(api_threads, Fixture)

BOOST_AUTO_TEST_CASE(a_cancelled_find_and_one_out_of_time_end) {
    const Picture picture = blocks(400, 300, 5);
    const auto screen_object = screen(picture);
    const auto wanted = pattern(crop(picture, 10, 10, 60, 60));
    vdt_cancel* cancel = nullptr;
    BOOST_REQUIRE(vdt_cancel_create(&cancel, nullptr) == VDT_OK);
    const Owned<vdt_cancel> owned(cancel);
    vdt_find_options options = defaults();
    options.cancel = cancel;
    vdt_pattern* list[1] = {wanted.get()};
    vdt_result* result = nullptr;
    vdt_error error = no_error();
    vdt_cancel_set(cancel);
    BOOST_TEST(vdt_find(context.get(), screen_object.get(), list, 1, &options, &result, &error) == VDT_E_CANCELLED);
    BOOST_TEST(result == nullptr);
    BOOST_TEST(std::string(error.text).size() > 5U);
    vdt_cancel_reset(cancel);
    BOOST_TEST(vdt_result_match_count(find(screen_object.get(), wanted.get(), &options).get()) == 1U);

    options = defaults();
    options.time_limit = 1e-9;
    BOOST_TEST(vdt_find(context.get(), screen_object.get(), list, 1, &options, &result, &error) == VDT_E_TIMEOUT);

    // From another thread, in the middle of a long search.
    const Picture large = blocks(1600, 900, 6);
    const auto large_screen = screen(large);
    std::vector<Owned<vdt_pattern>> many;
    std::vector<vdt_pattern*> pointers;
    for (unsigned i = 0; i < 60; ++i) {
        many.push_back(pattern(blocks(48, 48, 1000 + i)));
        pointers.push_back(many.back().get());
    }
    options = defaults();
    options.floor = -1;
    options.cancel = cancel;
    std::atomic<bool> begun{false};
    vdt_code code = VDT_OK;
    std::thread search([&] {
        begun = true;
        code = vdt_find(context.get(), large_screen.get(), pointers.data(), 60, &options, &result, nullptr);
    });
    while (!begun) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    vdt_cancel_set(cancel);
    search.join();
    BOOST_TEST(code == VDT_E_CANCELLED);
}

BOOST_AUTO_TEST_CASE(several_threads_share_a_screen_and_patterns) {
    const Picture picture = blocks(240, 160, 8);
    const auto screen_object = screen(picture);
    std::vector<Owned<vdt_pattern>> patterns;
    for (std::uint32_t i = 0; i < 4; ++i) patterns.push_back(pattern(crop(picture, 20 + 40 * i, 30 + 10 * i, 32, 20)));
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::uint32_t round = 0; round < 6; ++round) {
                const std::uint32_t i = (t + round) % 4;
                vdt_find_options options = defaults();
                const double factors[3] = {1, 0.5, 2};
                options.scales = factors;
                options.scale_count = 1 + round % 3;
                options.color = round % 3;
                vdt_pattern* list[1] = {patterns[i].get()};
                vdt_result* result = nullptr;
                if (vdt_find(context.get(), screen_object.get(), list, 1, &options, &result, nullptr) != VDT_OK) {
                    ++wrong;
                    continue;
                }
                vdt_match match{};
                match.struct_size = sizeof match;
                if (vdt_result_match(result, 0, &match, nullptr) != VDT_OK || match.x != 20 + 40 * i ||
                    match.score != 1)
                    ++wrong;
                vdt_result_destroy(result);
            }
        });
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(a_thousand_finds_take_no_more_memory) {
    const Picture picture = blocks(160, 100, 8);
    const Picture part = crop(picture, 60, 40, 24, 16);
    const auto round = [&] {
        const auto screen_object = screen(picture);
        const auto wanted = pattern(part);
        BOOST_REQUIRE(vdt_result_match_count(find(screen_object.get(), wanted.get()).get()) == 1U);
    };
    for (int i = 0; i < 100; ++i) round();
    const std::size_t before = resident_bytes();
    for (int i = 0; i < 1000; ++i) round();
    const std::size_t after = resident_bytes();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    // Sanitizers keep freed memory back on purpose; AddressSanitizer finds what is really lost at the end.
    BOOST_TEST_MESSAGE("resident memory is not judged under a sanitizer: " << after - before << " bytes more");
#else
    BOOST_TEST(after < before + (std::size_t{2} << 20U));
#endif
}

BOOST_AUTO_TEST_SUITE_END()
