#include "runtime/tuning.h"
#include "boost_test.h"
#include "runtime/program.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

namespace vedette::opencl {

namespace {

const char* text_of_kernels = "one";

}  // namespace

// In place of the embedded kernels.
const char* kernel_source(std::string_view) noexcept {
    return text_of_kernels;
}

namespace {

struct Folder {
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "vedette-tuning.XXXXXX").string();
        BOOST_REQUIRE(mkdtemp(name.data()) != nullptr);
        path = name;
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::filesystem::path path;
};

DeviceEntry device_of(Kind kind) {
    DeviceEntry entry;
    entry.name = "device";
    entry.driver = "driver";
    entry.limits.kind = kind;
    return entry;
}

// What forms take, and how often they were asked.
struct Times {
    std::vector<double> seconds;
    int asked = 0;
    double operator()(std::size_t form) {
        ++asked;
        if (seconds[form] < 0) throw Error(Fault::unavailable, "does not compile");
        return seconds[form];
    }
};

std::size_t choose(Tuning& tuning, Times& times, const std::string& what = "what") {
    return tuning.choose("file", what, times.seconds.size(), [&](std::size_t form) { return times(form); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_clearly_fastest_form_is_chosen) {
    const DeviceEntry gpu = device_of(Kind::gpu);
    const BinaryCache nothing_kept{std::filesystem::path()};
    Tuning tuning(gpu, nothing_kept, Search::automatic);
    Times faster{{4, 3, 1, 2}}, hardly_faster{{1, 0.99, 0.97}}, some_fail{{4, -1, 3}}, alone{{4}};
    BOOST_TEST(choose(tuning, faster, "faster") == 2u);
    BOOST_TEST(choose(tuning, hardly_faster, "hardly") == 0u);
    BOOST_TEST(choose(tuning, some_fail, "some fail") == 2u);
    BOOST_TEST(choose(tuning, alone, "alone") == 0u);
    BOOST_TEST(alone.asked == 0);
    // Once for each question.
    BOOST_TEST(choose(tuning, faster, "faster") == 2u);
    BOOST_TEST(faster.asked == 4);
    Times default_fails{{-1, 1}};
    BOOST_CHECK_THROW(choose(tuning, default_fails, "fails"), Error);
}

BOOST_AUTO_TEST_CASE(processors_are_measured_when_asked_for) {
    const DeviceEntry processor = device_of(Kind::cpu), gpu = device_of(Kind::gpu);
    const BinaryCache nothing_kept{std::filesystem::path()};
    Times times{{4, 3, 1}};
    Tuning automatic(processor, nothing_kept, Search::automatic), never(gpu, nothing_kept, Search::never);
    BOOST_TEST(choose(automatic, times) == 0u);
    BOOST_TEST(choose(never, times) == 0u);
    BOOST_TEST(times.asked == 0);
    Tuning always(processor, nothing_kept, Search::always);
    BOOST_TEST(choose(always, times) == 2u);
    Times rising{{1, 2, 3}};
    Tuning last(gpu, nothing_kept, Search::last);
    BOOST_TEST(choose(last, rising) == 2u);
    BOOST_TEST(rising.asked == 0);
}

BOOST_AUTO_TEST_CASE(a_search_ends_when_it_takes_long) {
    const DeviceEntry gpu = device_of(Kind::gpu);
    const BinaryCache nothing_kept{std::filesystem::path()};
    Tuning tuning(gpu, nothing_kept, Search::automatic);
    int begun = 0;
    const auto slow = [&](std::size_t form) {
        ++begun;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return form == 1 ? 1.0 : form == 0 ? 2.0 : 0.5;
    };
    BOOST_TEST(tuning.choose("file", "slow", 4, slow, 0.03) == 1u);
    BOOST_TEST(begun == 2);
    BOOST_TEST(tuning.choose("file", "slow", 4, slow, 0.03) == 1u);
    BOOST_TEST(begun == 2);
}

BOOST_AUTO_TEST_CASE(choices_are_kept_for_the_next_process) {
    const Folder folder;
    const BinaryCache cache(folder.path / "cache");
    const DeviceEntry gpu = device_of(Kind::gpu);
    Times first{{4, 3, 1}}, second{{1, 3, 4}};
    {
        Tuning tuning(gpu, cache, Search::automatic);
        BOOST_TEST(choose(tuning, first) == 2u);
    }
    {
        Tuning tuning(gpu, cache, Search::automatic);
        BOOST_TEST(choose(tuning, second) == 2u);
        BOOST_TEST(second.asked == 0);
        // Not for another question, nor for other kernels.
        BOOST_TEST(choose(tuning, second, "else") == 0u);
        text_of_kernels = "two";
        BOOST_TEST(choose(tuning, second) == 0u);
        text_of_kernels = "one";
    }
    DeviceEntry newer = gpu;
    newer.driver = "another driver";
    Tuning tuning(newer, cache, Search::automatic);
    BOOST_TEST(choose(tuning, second) == 0u);
}

}  // namespace vedette::opencl
