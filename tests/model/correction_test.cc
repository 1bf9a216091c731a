// Learning from calls: what it converges to, and that it cannot make the choice swing.
#define BOOST_TEST_MODULE correction
#include "model/correction.h"
#include "boost_test.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace vedette::model;

namespace {

// A device whose calls take `real_ms` on average, `noise` as the standard deviation of the logarithm.
struct Device {
    double predicted_ms;
    double real_ms;
    Correction correction{};
};

// Calls run one after the other on what the incumbent picks; gives how often it changed.
std::uint32_t simulate(std::vector<Device>& devices, double noise, int calls, unsigned seed, std::vector<int>& taken) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, noise);
    Incumbent incumbent;
    taken.assign(devices.size(), 0);
    for (int call = 0; call < calls; ++call) {
        std::vector<double> predicted;
        for (const Device& device : devices) predicted.push_back(device.predicted_ms * device.correction.factor());
        const std::size_t chosen = incumbent.choose(predicted);
        ++taken[chosen];
        Device& device = devices[chosen];
        device.correction.observe(device.predicted_ms, device.real_ms * std::exp(normal(random)));
    }
    return incumbent.changes();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(correction)

BOOST_AUTO_TEST_CASE(classes) {
    BOOST_TEST(size_class(0) == 0u);
    BOOST_TEST(size_class(-1) == 0u);
    BOOST_TEST(size_class(std::nan("")) == 0u);
    BOOST_TEST(size_class(0.0005) == 0u);
    BOOST_TEST(size_class(0.001) == 1u);
    BOOST_TEST(size_class(0.0039) == 1u);
    BOOST_TEST(size_class(0.004) == 2u);
    BOOST_TEST(size_class(1) == 5u);  // 1000 us: between 4^4 and 4^5
    BOOST_TEST(size_class(1e30) == 15u);
    // Calls that mostly copy are a matter of their own.
    BOOST_TEST(size_class(1, 0.5) == 5u);
    BOOST_TEST(size_class(1, 0.6) == 21u);
    BOOST_TEST(size_class(1e30, 1e30) == size_classes - 1);
    BOOST_TEST(size_class(0, 0) == 0u);
}

BOOST_AUTO_TEST_CASE(converges_to_the_mean_factor) {
    Correction one;
    BOOST_TEST(one.factor() == 1.0);
    // The first call weighs as much as the right one that is thought before it: the root of 1 * 2.
    one.observe(10, 20);
    BOOST_TEST(one.factor() == std::sqrt(2.0), boost::test_tools::tolerance(1e-12));
    for (int i = 0; i < 2000; ++i) one.observe(10, 20);
    BOOST_TEST(one.factor() == 2.0, boost::test_tools::tolerance(1e-3));
    // And follows a change.
    for (int i = 0; i < 500; ++i) one.observe(10, 8);
    BOOST_TEST(one.factor() == 0.8, boost::test_tools::tolerance(1e-2));
}

BOOST_AUTO_TEST_CASE(learns_nothing_from_what_load_explains) {
    // The prediction is right; the machine is busy, and calls take up to five times as long.
    Correction one;
    for (int i = 0; i < 1000; ++i) one.observe(10, 9, 10 + i % 40);
    BOOST_TEST(one.factor() == 1.0);
    // What is slower than the prediction even by itself shows through any load, and so does what is faster.
    for (int i = 0; i < 2000; ++i) one.observe(10, 20, 30 + i % 40);
    BOOST_TEST(one.factor() == 2.0, boost::test_tools::tolerance(1e-2));
    for (int i = 0; i < 2000; ++i) one.observe(10, 2, 5);
    BOOST_TEST(one.factor() == 0.5, boost::test_tools::tolerance(1e-2));
    const double before = one.factor();
    one.observe(10, 9, 8);
    one.observe(10, 0, 8);
    BOOST_TEST(one.factor() == before);
}

BOOST_AUTO_TEST_CASE(is_bounded) {
    Correction one;
    one.observe(1, 1e9);
    BOOST_TEST(one.factor() <= 2.0 + 1e-12);  // one call says little
    for (int i = 0; i < 10000; ++i) one.observe(1, 1e9);
    BOOST_TEST(one.factor() <= Correction::most_factor + 1e-12);
    for (int i = 0; i < 10000; ++i) one.observe(1e9, 1);
    BOOST_TEST(one.factor() >= 1 / Correction::most_factor - 1e-12);
    const double before = one.factor();
    const double nan = std::nan(""), infinite = std::numeric_limits<double>::infinity();
    for (const double bad : {0.0, -1.0, nan}) {
        one.observe(bad, 1);
        one.observe(1, bad);
    }
    one.observe(1, infinite);
    one.observe(infinite, 1);
    BOOST_TEST(one.factor() == before);
    BOOST_TEST(Correction(nan, 3).factor() == 1.0);
    BOOST_TEST(Correction(1e9, 3).factor() == Correction::most_factor, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(equal_devices_with_noise_do_not_swing) {
    BOOST_TEST(Incumbent::most_changes(2) == 7u);
    std::uint32_t most = 0, all = 0;
    constexpr unsigned runs = 200;
    for (unsigned seed = 0; seed < runs; ++seed) {
        std::vector<Device> devices = {{10, 10}, {10, 10}};
        std::vector<int> taken;
        const std::uint32_t changes = simulate(devices, 0.2, 2000, seed, taken);
        most = std::max(most, changes);
        all += changes;
    }
    BOOST_TEST_MESSAGE("2000 calls, noise 20 %: " << all / static_cast<double>(runs) << " changes on average, at most "
                                                  << most);
    BOOST_TEST(most <= Incumbent::most_changes(2));
    BOOST_TEST(all <= 4 * runs);
}

BOOST_AUTO_TEST_CASE(a_wrong_prediction_is_found_out_once) {
    // Predicted 1 ms, takes 3; the other is as predicted, 2 ms.
    int right = 0;
    for (unsigned seed = 0; seed < 50; ++seed) {
        std::vector<Device> devices = {{1, 3}, {2, 2}};
        std::vector<int> taken;
        const std::uint32_t changes = simulate(devices, 0.2, 500, seed, taken);
        BOOST_TEST(changes >= 1u);
        BOOST_TEST(changes <= Incumbent::most_changes(2));
        BOOST_TEST(taken[1] > 250);
        right += taken[1];
    }
    BOOST_TEST(right > 50 * 470);
}

BOOST_AUTO_TEST_CASE(no_measurements_make_it_swing) {
    // Whatever comes, even an adversary who always makes the chosen one look worst.
    for (const std::size_t count : {2u, 3u, 8u}) {
        std::vector<Correction> corrections(count);
        Incumbent incumbent;
        for (int call = 0; call < 20000; ++call) {
            std::vector<double> predicted;
            for (const Correction& one : corrections) predicted.push_back(5 * one.factor());
            const std::size_t chosen = incumbent.choose(predicted);
            for (std::size_t i = 0; i < count; ++i) corrections[i].observe(5, i == chosen ? 1e6 : 1e-6);
        }
        BOOST_TEST(incumbent.changes() >= 1u);
        BOOST_TEST(incumbent.changes() <= Incumbent::most_changes(count));
    }
}

BOOST_AUTO_TEST_SUITE_END()
