// Which backend, device and variant is taken by prediction, with fakes that say what they cost.
#define BOOST_TEST_MODULE choice
#include "boost_test.h"
#include "find_fixture.h"
#include "temporary_directory.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <limits>
#include <new>
#include <thread>

using namespace vedette::host;
using namespace vedette::test;
using nlohmann::json;

// Every allocation of this program is counted while `counting` is on, of this thread.
namespace {
thread_local bool counting = false;
thread_local std::size_t allocations = 0;
}  // namespace

// Not inlined: the compiler would see malloc and free of one object and call them a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
    if (counting) ++allocations;
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace {

// Costs of `milliseconds` on a device of which nothing is known: a chain of dependent operations. GPU: 2.5 ns each.
auto takes(double milliseconds, double bytes_to_device = 0) {
    return [=](const vdt_query& query, vdt_cost& cost, vdt_error*) -> vdt_code {
        cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
        cost.stage_count = 1;
        cost.bytes_to_device = bytes_to_device;
        if (cost.stage_capacity == 0) return VDT_OK;
        vdt_cost_stage& stage = cost.stages[0];
        stage = {};
        // Longer for later variants.
        stage.span = milliseconds * (1 + query.variant) * 1e-3 / 2.5e-9;
        stage.width = 1;
        stage.divergence = 1;
        return VDT_OK;
    };
}

const char* at_once = R"(, "model": {"opening": "at_once"})";

struct Machines : Backends {
    // All of them devices with memory of their own, so that their parameters do not depend on this machine.
    Machines() {
        for (Fake* fake : {&first, &second, &third}) fake->own_memory = true;
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(choice)

BOOST_AUTO_TEST_CASE(the_fastest_is_taken) {
    Machines machines;
    machines.first.cost = takes(20);
    machines.second.cost = takes(3);
    machines.third.cost = takes(11);
    Context& context = machines.start(at_once);
    Find find;
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
    BOOST_TEST(contains(find.report.choice, "second is predicted fastest: 3."));
    BOOST_TEST(contains(find.report.choice, "; third 11."));
    BOOST_TEST(contains(find.report.choice, "; first 20."));
    BOOST_TEST(find.report.predicted_ms == 3.0, boost::test_tools::tolerance(0.02));
    BOOST_TEST(machines.first.runs + machines.third.runs == 0);
}

BOOST_AUTO_TEST_CASE(the_fastest_variant_and_device_are_taken) {
    Machines machines;
    machines.first.variants = {"slow", "fast", "slowest"};
    machines.first.cost = [](const vdt_query& query, vdt_cost& cost, vdt_error* error) {
        const double times[] = {8, 2, 30};
        vdt_query plain = query;
        plain.variant = 0;
        return takes(times[query.variant])(plain, cost, error);
    };
    Context& context = machines.start(at_once);
    Find find;
    BOOST_TEST(find.run(context, "first") == VDT_OK);
    BOOST_TEST(find.report.variant == "fast");
    BOOST_TEST(find.report.choice == "first was asked for by the call");
    BOOST_TEST(find.report.predicted_ms == 2.0, boost::test_tools::tolerance(0.02));
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.variant == "fast");
}

BOOST_AUTO_TEST_CASE(the_policy_comes_first) {
    Machines machines;
    machines.first.cost = takes(20);
    machines.second.cost = takes(3);
    machines.third.cost = takes(1);
    Context& context = machines.start(
        R"(, "model": {"opening": "at_once"}, "policy": {"default": {"mode": "forbid", "backends": ["third"]}})");
    Find find;
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
    BOOST_TEST(machines.third.creates == 0);
    BOOST_TEST(find.run(context, "first") == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
    context.set_preferable_backend("first");
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
    BOOST_TEST(find.report.choice == "first is preferred by the application");
    // What is preferred and fails gives way to the fastest of the others.
    machines.first.run = [](const vdt_call&, vdt_error* error) { return fail(error, VDT_E_BUSY, "Later."); };
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
    context.set_preferable_backend("auto");
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
}

BOOST_AUTO_TEST_CASE(what_has_no_costs_comes_last) {
    Machines machines;
    machines.second.cost = takes(1000);
    machines.third.cost = [](const vdt_query&, vdt_cost& cost, vdt_error*) -> vdt_code {
        cost.stage_count = 1;
        cost.stages[0].work = std::numeric_limits<double>::quiet_NaN();
        return VDT_OK;
    };
    Context& context = machines.start(at_once);
    Find find;
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
    BOOST_TEST(find.report.choice == "second is next in the configured order");
    machines.second.run = [](const vdt_call&, vdt_error* error) { return fail(error, VDT_E_BUSY, "Later."); };
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
    BOOST_TEST(find.report.predicted_ms == -1);
}

BOOST_AUTO_TEST_CASE(where_the_image_lies_counts) {
    // A megapixel of gray costs 1 MB at 6 GB/s = 0.17 ms and a latency; resident it costs nothing.
    Machines machines;
    machines.first.own_memory = false;
    machines.first.cost = takes(0);
    machines.first.cost = [](const vdt_query&, vdt_cost& cost, vdt_error*) -> vdt_code {
        cost.flags = VDT_COST_EXACT;
        cost.stage_count = 1;
        cost.stages[0] = {};
        cost.stages[0].divergence = 1;
        cost.stages[0].global_bytes = 5e5;
        return VDT_OK;
    };
    machines.second.cost = takes(0.001);
    machines.second.keeps_images = true;
    Context& context = machines.start(at_once);
    Find find;
    SharedImage screen(Image(VDT_FORMAT_GRAY8, 1000, 1000));
    find.operation.inputs[0] = OperationImage::of(screen);
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
    BOOST_TEST(find.run(context, "second") == VDT_OK);  // now it is there
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
    BOOST_TEST(find.report.predicted_ms < 0.02);
}

BOOST_AUTO_TEST_CASE(a_busy_device_gives_way) {
    Machines machines;
    machines.first.cost = takes(10);
    machines.second.cost = takes(12);
    Context& context = machines.start(at_once);
    Find find;
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
    const std::shared_ptr<Device> device = context.registry().devices("first")[0];
    ++device->running();
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
    BOOST_TEST(contains(find.report.choice, "second is taken: 12.0 ms; first 10.0 ms"));
    --device->running();
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
}

BOOST_AUTO_TEST_CASE(failure_is_charged) {
    Machines machines;
    machines.first.cost = takes(0.001);
    machines.second.cost = takes(0.002);
    bool broken = true;
    machines.first.run = [&](const vdt_call&, vdt_error* error) -> vdt_code {
        if (!broken) return VDT_OK;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return fail(error, VDT_E_OUT_OF_MEMORY, "");
    };
    // Without learning, which would find out that fakes are much faster than they say.
    Context& context = machines.start(R"(, "model": {"opening": "at_once", "correction": false})");
    Find find;
    for (int i = 0; i < 40; ++i) {
        BOOST_TEST(find.run(context) == VDT_OK);
        BOOST_TEST(find.report.backend == "second");
        if (i == 0) BOOST_TEST(contains(find.report.choice, "first failed (out of memory); second is taken"));
    }
    // Tried now and then, ever more rarely.
    BOOST_TEST(machines.first.runs >= 1);
    BOOST_TEST(machines.first.runs <= 3);
    broken = false;
    int calls = 0;
    while (find.report.backend != "first" && ++calls < 1000) find.run(context);
    BOOST_TEST(calls < 1000);
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
}

BOOST_AUTO_TEST_CASE(a_lost_device_is_chosen_no_more) {
    Machines machines;
    machines.first.cost = takes(1);
    machines.second.cost = takes(2);
    machines.first.run = [](const vdt_call&, vdt_error* error) { return fail(error, VDT_E_DEVICE_LOST, "Gone."); };
    Context& context = machines.start(at_once);
    Find find;
    for (int i = 0; i < 3; ++i) {
        BOOST_TEST(find.run(context) == VDT_OK);
        BOOST_TEST(find.report.backend == "second");
    }
    BOOST_TEST(machines.first.runs == 1);
}

BOOST_AUTO_TEST_CASE(devices_are_opened_when_it_pays) {
    TemporaryDirectory profiles;
    Machines machines;
    machines.profiles = profiles.path();
    machines.first.cost = takes(100);
    machines.second.cost = takes(1);
    // Opening the second is known to take 30 ms.
    vedette::model::ProfileStore store(profiles.path(), std::make_shared<Log>(nullptr, nullptr, 0));
    vedette::model::Profile profile;
    profile.key = {"second", "1.2.3", "fake:0, second device 0", ""};
    profile.kind = VDT_DEVICE_GPU;
    profile.parameters.set(VDT_PARAM_OPEN_TIME, 0.03);
    BOOST_REQUIRE(store.save(profile));
    machines.first.run = [](const vdt_call&, vdt_error*) -> vdt_code {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return VDT_OK;
    };
    Context& context = machines.start();
    Find find;
    int calls = 0;
    while (machines.second.opens == 0 && calls < 100) {
        BOOST_TEST(find.run(context) == VDT_OK);
        ++calls;
    }
    BOOST_TEST(calls >= 3);  // three calls take 30 ms; the next one opens it
    BOOST_TEST(machines.second.opens == 1);
    while (find.report.backend == "first" && calls < 100) {
        BOOST_TEST(find.run(context) == VDT_OK);
        ++calls;
    }
    BOOST_TEST(calls < 20);
    BOOST_TEST(find.report.backend == "second");
    BOOST_TEST(machines.third.opens == 0);
    // Those for whose sake it is tried and that cannot be had are not asked for again and again.
    machines.context.reset();
    Machines without;
    without.profiles = profiles.path();
    without.first.run = machines.first.run;
    without.second.device_open = [](std::uint32_t, vdt_error* error) { return fail(error, VDT_E_BUSY, "Not now."); };
    Context& alone = without.start();
    for (int i = 0; i < 12; ++i) BOOST_TEST(find.run(alone) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
    alone.registry().load_all();
    BOOST_TEST(alone.registry().refusal_count() == 1u);
}

BOOST_AUTO_TEST_CASE(calls_teach) {
    Machines machines;
    // Long beside the milliseconds by which a busy machine is late.
    machines.first.cost = takes(15);
    machines.second.cost = takes(30);
    machines.first.run = [](const vdt_call&, vdt_error*) -> vdt_code {
        std::this_thread::sleep_for(std::chrono::milliseconds(90));
        return VDT_OK;
    };
    machines.second.run = [](const vdt_call&, vdt_error*) -> vdt_code {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        return VDT_OK;
    };
    Context& context = machines.start(at_once);
    Find find;
    std::vector<std::string> taken;
    for (int i = 0; i < 12; ++i) {
        BOOST_TEST(find.run(context) == VDT_OK);
        taken.push_back(find.report.backend);
    }
    BOOST_TEST(taken.front() == "first");
    BOOST_TEST(taken.back() == "second");
    BOOST_TEST(find.report.predicted_ms >= 28);

    Machines fixed;
    fixed.first.cost = machines.first.cost;
    fixed.second.cost = machines.second.cost;
    fixed.first.run = machines.first.run;
    Context& deaf = fixed.start(R"(, "model": {"opening": "at_once", "correction": false})");
    for (int i = 0; i < 4; ++i) {
        BOOST_TEST(find.run(deaf) == VDT_OK);
        BOOST_TEST(find.report.backend == "first");
        BOOST_TEST(find.report.predicted_ms == 15.0, boost::test_tools::tolerance(0.05));
    }
}

BOOST_AUTO_TEST_CASE(what_was_learnt_is_kept_with_the_profile) {
    TemporaryDirectory profiles;
    vedette::model::ProfileStore store(profiles.path(), std::make_shared<Log>(nullptr, nullptr, 0));
    vedette::model::Profile profile;
    profile.key = {"first", "1.2.3", "fake:0, first device 0", ""};
    profile.kind = VDT_DEVICE_GPU;
    vdt_param clock{};
    clock.id = VDT_PARAM_CLOCK;
    clock.source = VDT_SOURCE_MEASURED;
    clock.value = 1.6e9;
    profile.parameters.set(clock);
    BOOST_REQUIRE(store.save(profile));
    double predicted = 0;
    for (int round = 0; round < 2; ++round) {
        Machines machines;
        machines.profiles = profiles.path();
        machines.first.cost = takes(1);
        machines.second.cost = takes(50);
        machines.first.run = [](const vdt_call&, vdt_error*) -> vdt_code {
            std::this_thread::sleep_for(std::chrono::milliseconds(3));
            return VDT_OK;
        };
        Context& context = machines.start();
        Find find;
        BOOST_TEST(find.run(context) == VDT_OK);
        if (round == 0) BOOST_TEST(find.report.predicted_ms == 1.0, boost::test_tools::tolerance(0.05));
        if (round == 1) BOOST_TEST(find.report.predicted_ms > 2);
        for (int i = 0; i < 20; ++i) find.run(context);
        predicted = find.report.predicted_ms;
    }
    BOOST_TEST(predicted > 2);
    // A device without a stored profile gets none.
    BOOST_TEST(!std::filesystem::exists(store.file_of({"second", "1.2.3", "fake:0, second device 0", ""})));
}

BOOST_AUTO_TEST_CASE(choices_can_be_explained) {
    Machines machines;
    machines.first.cost = takes(20);
    machines.second.cost = takes(3);
    machines.second.variants = {"quick", "slow"};
    machines.second.plan_create = [](const vdt_query& query, vdt_error* error) {
        return query.variant == 1 ? fail(error, VDT_E_OUT_OF_MEMORY, "Too large.") : vdt_code{VDT_OK};
    };
    Context& context = machines.start();
    Find find;
    BOOST_TEST(failure_of([&] { context.explainer().stop(); }).code() == VDT_E_STATE);
    context.explainer().start(false);
    BOOST_TEST(failure_of([&] { context.explainer().start(false); }).code() == VDT_E_STATE);
    BOOST_TEST(find.run(context) == VDT_OK);
    const json told = json::parse(context.explainer().stop());
    BOOST_TEST(find.report.backend == "second");  // opened for the explanation
    BOOST_REQUIRE(told.at("calls").size() == 1u);
    const json& call = told.at("calls")[0];
    BOOST_TEST(call.at("operation") == "template_find");
    BOOST_TEST(call.at("candidates").size() == 3u);
    BOOST_TEST(call.at("chosen").at("variant") == "quick");
    BOOST_TEST(call.at("decision_us").get<double>() > 0);
    BOOST_TEST(call.at("excluded").at(0).at("device") == "third");
    BOOST_TEST(call.at("excluded").at(0).at("reason") == "it gives no costs");
    const json& terms = call.at("candidates")[0].at("terms_ms");
    BOOST_TEST(terms.at("compute").get<double>() == 20, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(terms.at("to_device").get<double>() > 0);
    BOOST_TEST(!call.at("candidates")[0].contains("measured_ms"));

    const int runs = machines.first.runs;
    context.explainer().start(true);
    BOOST_TEST(find.run(context) == VDT_OK);
    const json measured = json::parse(context.explainer().stop());
    BOOST_TEST(machines.first.runs == runs + 6);  // once to prepare, five times to measure
    for (const json& one : measured.at("calls")[0].at("candidates")) {
        const bool fails = one.at("variant") == "slow";
        BOOST_TEST(one.at("measured_ms").is_null() == fails);
        BOOST_TEST(one.at("error").is_null() == fails);
        BOOST_TEST(one.contains("failure") == fails);
    }
    // Afterwards nothing is written down.
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(failure_of([&] { context.explainer().stop(); }).code() == VDT_E_STATE);
}

BOOST_AUTO_TEST_CASE(a_decision_allocates_nothing) {
    Machines machines;
    machines.first.cost = takes(20);
    machines.second.cost = takes(3);
    machines.third.cost = takes(11);
    Context& context = machines.start(at_once);
    Find find;
    const std::string any;
    context.chooser().choose(find.operation, any);
    context.chooser().choose(find.operation, any);
    const int asked = machines.first.costs_asked;
    allocations = 0;
    counting = true;
    constexpr int calls = 20000;
    const auto start = std::chrono::steady_clock::now();
    std::uint32_t count = 0;
    for (int i = 0; i < calls; ++i) count += context.chooser().choose(find.operation, any).count;
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    counting = false;
    BOOST_TEST(count == 3u * calls);
    BOOST_TEST(allocations == 0u);
    BOOST_TEST(machines.first.costs_asked == asked);
    BOOST_TEST_MESSAGE("one decision among 3: " << took.count() / calls << " ns");
    // Ten times the goal, since a test must not fail because the machine is busy; sanitizers are slower still.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    constexpr double most_nanoseconds = 200000;
#else
    constexpr double most_nanoseconds = 10000;
#endif
    BOOST_TEST(took.count() / calls < most_nanoseconds);
}

BOOST_AUTO_TEST_CASE(calls_that_differ_are_ranked_anew) {
    Machines machines;
    machines.first.cost = takes(2);
    machines.second.cost = takes(3);
    Context& context = machines.start(at_once);
    Find find;
    const auto asks = [&](auto&& change) {
        const int before = machines.first.costs_asked;
        change();
        context.chooser().choose(find.operation, "");
        return machines.first.costs_asked - before;
    };
    asks([] {});
    BOOST_TEST(asks([] {}) == 0);
    BOOST_TEST(asks([&] { find.params.threshold = 0.75; }) == 1);
    BOOST_TEST(asks([&] { find.params.region = {0, 0, 8, 8}; }) == 1);
    SharedImage other(Image(VDT_FORMAT_GRAY8, 33, 16));
    BOOST_TEST(asks([&] { find.operation.inputs[0] = OperationImage::of(other); }) == 1);
    BOOST_TEST(asks([] {}) == 0);
    // Pixels decide how much there is to search: a busy picture of the same size is another case.
    Image stripes(VDT_FORMAT_GRAY8, 33, 16);
    for (std::uint32_t y = 0; y < stripes.height(); ++y)
        for (std::uint32_t x = 0; x < stripes.width(); ++x) stripes.row(y)[x] = x % 2 == 0 ? 0 : 255;
    SharedImage busy(std::move(stripes));
    BOOST_TEST(asks([&] { find.operation.inputs[0] = OperationImage::of(busy); }) == 1);
    BOOST_TEST(asks([&] { find.operation.inputs[0] = OperationImage::of(other); }) == 0);
    BOOST_TEST(asks([&] { find.params.threshold = 0.5; }) == 1);
}

BOOST_AUTO_TEST_CASE(many_threads_choose_at_once) {
    Machines machines;
    machines.first.cost = takes(2);
    machines.second.cost = takes(3);
    Context& context = machines.start(at_once);
    std::vector<std::thread> threads;
    std::atomic<int> bad{0};
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&, thread] {
            Find find;
            for (int i = 0; i < 300; ++i) {
                find.params.threshold = 0.001 * (i % (50 + thread));
                if (find.run(context) != VDT_OK) ++bad;
                if (i % 100 == 99) context.set_preferable_backend(i % 200 == 99 ? "second" : "auto");
            }
        });
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(bad == 0);
}

BOOST_AUTO_TEST_SUITE_END()
