#define BOOST_TEST_MODULE sharing
#include "boost_test.h"
#include "find_fixture.h"

#include "core/quarantine.h"

#include <atomic>
#include <chrono>
#include <thread>

using namespace vedette::host;
using namespace vedette::test;

BOOST_AUTO_TEST_SUITE(sharing)

BOOST_AUTO_TEST_CASE(limits_end_the_call) {
    Backends backends;
    Context& context = backends.start();
    Find find;
    std::atomic<bool> flag{true};
    CallLimit cancelled(&flag, 0);
    BOOST_TEST(find.failure(context, "", &cancelled).code() == VDT_E_CANCELLED);
    BOOST_TEST(backends.first.runs == 0);
    // A run that notices the flag: no other backend is tried.
    flag = false;
    backends.first.run = [&](const vdt_call& call, vdt_error* error) {
        flag = true;
        return fail(error, backends.first.host->cancelled(backends.first.host->ctx, call.token), "Stopped.");
    };
    BOOST_TEST(find.failure(context, "", &cancelled).code() == VDT_E_CANCELLED);
    BOOST_TEST(backends.second.plans_made == 0);
    // A plugin that says it ran out of time though the call has no limit: the next one.
    backends.first.run = [](const vdt_call&, vdt_error* error) { return fail(error, VDT_E_TIMEOUT, "Own limit."); };
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "second");
    // The time limit.
    backends.first.run = [](const vdt_call&, vdt_error* error) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        return fail(error, VDT_E_BUSY, "Too late.");
    };
    CallLimit limit(nullptr, 0.01);
    BOOST_TEST(find.failure(context, "", &limit).code() == VDT_E_TIMEOUT);
}

BOOST_AUTO_TEST_CASE(plans_are_used_again) {
    Backends backends;
    Context& context = backends.start();
    Find find;
    find.run(context);
    find.params.threshold = 0.9;  // the operation calls it data
    find.params.region = {1, 2, 8, 8};
    find.run(context);
    BOOST_TEST(backends.first.plans_made == 1);
    find.params.flags = VDT_FIND_LOCAL_MAXIMA;  // not data
    find.run(context);
    BOOST_TEST(backends.first.plans_made == 2);
    const double scales[] = {1, 0.5};
    find.params.scales = scales;
    find.params.scale_count = 2;
    find.run(context);
    BOOST_TEST(backends.first.plans_made == 3);
    backends.context.reset();
    BOOST_TEST(backends.first.plans_destroyed == 3);
    BOOST_TEST(backends.first.closes == 1);
    BOOST_TEST(backends.first.destroys == 1);
}

BOOST_AUTO_TEST_CASE(images_are_kept_on_the_device) {
    Backends backends;
    backends.first.keeps_images = true;
    bool resident_seen = false;
    backends.first.run = [&](const vdt_call& call, vdt_error*) -> vdt_code {
        resident_seen = call.inputs[0]->resident != nullptr && call.inputs[1]->resident != nullptr;
        return VDT_OK;
    };
    auto find = std::make_unique<Find>();
    {
        Context& context = backends.start();
        find->run(context);
        find->run(context);
        BOOST_TEST(resident_seen);
        BOOST_TEST(backends.first.residents_made == 2);
        BOOST_TEST(backends.first.plans_made == 1);
        Find plain;
        vdt_image view = plain.scene.image().view();
        plain.operation.inputs[0] = OperationImage::of(view);
        plain.run(context);
        BOOST_TEST(!resident_seen);
    }
    // Images outlive the context: the device stays open as long as it keeps something.
    backends.context.reset();
    BOOST_TEST(backends.first.closes == 0);
    find.reset();
    BOOST_TEST(backends.first.residents_destroyed == backends.first.residents_made);
    BOOST_TEST(backends.first.closes == 1);
    BOOST_TEST(backends.first.destroys == 1);
}

BOOST_AUTO_TEST_CASE(a_device_that_cannot_keep_images_gets_them_each_time) {
    Backends backends;
    backends.first.keeps_images = true;
    int tries = 0;
    backends.first.resident_create = [&](const vdt_image&, vdt_error* error) {
        ++tries;
        return fail(error, VDT_E_OUT_OF_MEMORY, "Full.");
    };
    Context& context = backends.start();
    Find find;
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.run(context) == VDT_OK);
    BOOST_TEST(find.report.backend == "first");
    BOOST_TEST(tries == 2);  // one each for scene and pattern, not again
}

BOOST_AUTO_TEST_CASE(many_threads_at_once) {
    Backends backends;
    std::atomic<int> inside{0}, most{0};
    backends.first.run = [&](const vdt_call& call, vdt_error*) -> vdt_code {
        const int now = ++inside;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        const auto body = +[](void* sum, std::uint32_t begin, std::uint32_t end, std::uint32_t) noexcept {
            *static_cast<std::atomic<std::uint32_t>*>(sum) += end - begin;
        };
        std::atomic<std::uint32_t> sum{0};
        const vdt_host& host = *backends.first.host;
        const vdt_code code = host.parallel_for(host.ctx, call.token, 0, 1000, 10, body, &sum);
        --inside;
        return code != VDT_OK ? code : sum == 1000 ? vdt_code{VDT_OK} : vdt_code{VDT_E_INTERNAL};
    };
    Context& context = backends.start();
    std::vector<std::thread> threads;
    std::atomic<int> good{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 50; ++i) {
                Find find;
                if (find.run(context) == VDT_OK && find.report.backend == "first") ++good;
            }
        });
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(good == 200);
    BOOST_TEST(backends.first.creates == 1);
    BOOST_TEST(backends.first.opens == 1);
    BOOST_TEST(backends.first.plans_made <= 4);
    BOOST_TEST(backends.first.plans_made >= most);
}

BOOST_AUTO_TEST_CASE(a_lost_device_stays_lost_in_this_process) {
    BOOST_TEST(!lost_device("/opt/lost.so", 1, "pci:1").has_value());
    remember_lost_device("/opt/lost.so", 1, "pci:1", "first reason");
    remember_lost_device("/opt/lost.so", 1, "pci:1", "second reason");
    BOOST_TEST(lost_device("/opt/lost.so", 1, "pci:1").value() == "first reason");
    BOOST_TEST(!lost_device("/opt/lost.so", 0, "pci:1").has_value());
    BOOST_TEST(!lost_device("/opt/other.so", 1, "pci:1").has_value());
    remember_lost_device("", 0, "", "a plugin without a library");
    BOOST_TEST(!lost_device("", 0, "").has_value());
}

BOOST_AUTO_TEST_CASE(the_plan_that_lay_idle_longest_goes_first) {
    Backends backends;
    Context& context = backends.start();
    const std::shared_ptr<Device> device = context.registry().devices("first")[0];
    PlanCache cache(2);
    const auto make = [&] {
        vdt_plan* plan = nullptr;
        vdt_query query{};
        device->table().plan_create(device->open(), &query, &plan, nullptr);
        return std::make_unique<Plan>(device, plan);
    };
    for (const char* key : {"a", "b"}) cache.give_back(key, make());
    auto kept = cache.take("a");
    BOOST_REQUIRE(kept != nullptr);
    BOOST_TEST(cache.take("a") == nullptr);  // it is out
    cache.give_back("a", std::move(kept));
    cache.give_back("c", make());  // "b" lay longest
    BOOST_TEST(backends.first.plans_destroyed == 1);
    BOOST_TEST(cache.take("b") == nullptr);
    BOOST_TEST(cache.take("a") != nullptr);
    BOOST_TEST(cache.size() == 1u);
    cache.drop(*device);
    BOOST_TEST(cache.size() == 0u);
    BOOST_TEST(backends.first.plans_destroyed == backends.first.plans_made);
}

BOOST_AUTO_TEST_SUITE_END()
