#define BOOST_TEST_MODULE pool
#include "boost_test.h"
#include "core/host_services.h"
#include "core/processors.h"
#include "core/thread_pool.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace vedette::host;

namespace {

using Body = std::function<void(std::uint32_t, std::uint32_t, std::uint32_t)>;

void call_body(void* arg, std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
    (*static_cast<Body*>(arg))(begin, end, worker);
}

// The pool must survive a body that throws in spite of the ABI's type.
vdt_code loop(ThreadPool& pool, std::uint32_t begin, std::uint32_t end, std::uint32_t grain, Body body,
              const CallLimit* limit = nullptr) {
    return pool.parallel_for(limit, begin, end, grain, reinterpret_cast<vdt_loop_body>(&call_body), &body);
}

void sleep_ms(int milliseconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pool)

BOOST_DATA_TEST_CASE(every_item_once, boost::unit_test::data::make({1u, 2u, 7u}), threads) {
    ThreadPool pool(threads);
    BOOST_TEST(pool.worker_count() == threads);
    for (const std::uint32_t grain : {0u, 1u, 3u, 1000u}) {
        for (const std::uint32_t count : {0u, 1u, 2u, 17u, 1000u}) {
            std::vector<std::atomic<int>> hits(count);
            std::atomic<bool> worker_in_range{true};
            BOOST_TEST(
                loop(pool, 5, 5 + count, grain, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
                    for (std::uint32_t i = begin; i < end; ++i) ++hits[i - 5];
                    if (worker >= threads) worker_in_range = false;
                }) == VDT_OK);
            BOOST_TEST(worker_in_range);
            for (const auto& hit : hits) BOOST_TEST(hit == 1);
        }
    }
}

BOOST_AUTO_TEST_CASE(bounds_of_the_range) {
    ThreadPool pool(2);
    std::atomic<std::uint64_t> items{0};
    const auto count = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) { items += end - begin; };
    BOOST_TEST(loop(pool, 0, UINT32_MAX, 1u << 30, count) == VDT_OK);
    BOOST_TEST(items == UINT32_MAX);
    items = 0;
    BOOST_TEST(loop(pool, UINT32_MAX - 10, UINT32_MAX, UINT32_MAX, count) == VDT_OK);
    BOOST_TEST(items == 10u);
    BOOST_TEST(loop(pool, 9, 3, 1, count) == VDT_OK);
    BOOST_TEST(items == 10u);
    BOOST_TEST(pool.parallel_for(nullptr, 0, 1, 1, nullptr, nullptr) == VDT_E_ARGUMENT);
}

BOOST_AUTO_TEST_CASE(threads_really_work_together) {
    ThreadPool pool(3);
    // Three pieces that wait for each other can only end when three threads run them.
    std::atomic<int> arrived{0};
    std::mutex mutex;
    std::set<std::uint32_t> workers;
    BOOST_TEST(loop(pool, 0, 3, 1, [&](std::uint32_t, std::uint32_t, std::uint32_t worker) {
                   ++arrived;
                   for (int i = 0; i < 5000 && arrived < 3; ++i) sleep_ms(1);
                   const std::lock_guard lock(mutex);
                   workers.insert(worker);
               }) == VDT_OK);
    BOOST_TEST(arrived == 3);
    BOOST_TEST(workers.size() == 3u);
}

BOOST_AUTO_TEST_CASE(workers_of_one_loop_are_told_apart) {
    ThreadPool pool(4);
    std::vector<std::thread> callers;
    std::atomic<int> clashes{0};
    for (int c = 0; c < 3; ++c)
        callers.emplace_back([&] {
            for (int round = 0; round < 50; ++round) {
                std::vector<std::atomic<int>> busy(pool.worker_count());
                loop(pool, 0, 64, 1, [&](std::uint32_t, std::uint32_t, std::uint32_t worker) {
                    if (busy[worker].exchange(1) != 0) ++clashes;
                    std::this_thread::yield();
                    busy[worker] = 0;
                });
            }
        });
    for (std::thread& caller : callers) caller.join();
    BOOST_TEST(clashes == 0);
}

BOOST_AUTO_TEST_CASE(concurrent_callers) {
    ThreadPool pool(2);
    std::vector<std::thread> callers;
    std::atomic<int> wrong{0};
    for (int c = 0; c < 4; ++c)
        callers.emplace_back([&] {
            for (int round = 0; round < 200; ++round) {
                std::atomic<std::uint64_t> sum{0};
                const vdt_code code =
                    loop(pool, 0, 1000, 7, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
                        for (std::uint32_t i = begin; i < end; ++i) sum += i;
                    });
                if (code != VDT_OK || sum != 499500) ++wrong;
            }
        });
    for (std::thread& caller : callers) caller.join();
    BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(nested_loops_run_serially) {
    ThreadPool pool(3);
    ThreadPool other(2);
    std::atomic<int> inner{0}, moved{0}, out_of_range{0};
    BOOST_TEST(loop(pool, 0, 30, 1, [&](std::uint32_t, std::uint32_t, std::uint32_t worker) {
                   const auto thread = std::this_thread::get_id();
                   loop(pool, 0, 100, 1, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t nested_worker) {
                       inner += static_cast<int>(end - begin);
                       if (std::this_thread::get_id() != thread || nested_worker != worker) ++moved;
                   });
                   loop(other, 0, 10, 1, [&](std::uint32_t, std::uint32_t, std::uint32_t nested_worker) {
                       if (nested_worker >= other.worker_count()) ++out_of_range;
                   });
               }) == VDT_OK);
    BOOST_TEST(inner == 3000);
    BOOST_TEST(moved == 0);
    BOOST_TEST(out_of_range == 0);
}

BOOST_AUTO_TEST_CASE(cancelling_leaves_pieces_out) {
    ThreadPool pool(2);
    std::atomic<bool> flag{false};
    const CallLimit limit(&flag, 0);
    std::atomic<int> pieces{0};
    BOOST_TEST(loop(
                   pool, 0, 100000, 1,
                   [&](std::uint32_t, std::uint32_t, std::uint32_t) {
                       if (++pieces == 10) flag = true;
                   },
                   &limit) == VDT_E_CANCELLED);
    BOOST_TEST(pieces >= 10);
    BOOST_TEST(pieces < 1000);
    BOOST_TEST(limit.state() == VDT_E_CANCELLED);
    // Serially as well.
    pieces = 0;
    ThreadPool alone(1);
    BOOST_TEST(loop(
                   alone, 0, 100, 1, [&](std::uint32_t, std::uint32_t, std::uint32_t) { ++pieces; }, &limit) ==
               VDT_E_CANCELLED);
    BOOST_TEST(pieces == 0);
}

BOOST_AUTO_TEST_CASE(the_time_limit_ends_a_loop) {
    ThreadPool pool(2);
    const CallLimit limit(nullptr, 0.02);
    std::atomic<int> pieces{0};
    const auto start = std::chrono::steady_clock::now();
    BOOST_TEST(loop(
                   pool, 0, 100000, 1,
                   [&](std::uint32_t, std::uint32_t, std::uint32_t) {
                       ++pieces;
                       sleep_ms(1);
                   },
                   &limit) == VDT_E_TIMEOUT);
    BOOST_TEST(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < 5);
    BOOST_TEST(pieces > 0);
    BOOST_TEST(CallLimit(nullptr, 0).state() == VDT_OK);
    BOOST_TEST(CallLimit(nullptr, 1e300).state() == VDT_OK);
    BOOST_TEST(CallLimit(nullptr, 1e-12).state() == VDT_E_TIMEOUT);
}

BOOST_AUTO_TEST_CASE(a_throwing_body_ends_the_loop_and_nothing_else) {
    for (const std::uint32_t threads : {1u, 3u}) {
        ThreadPool pool(threads);
        BOOST_TEST(loop(pool, 0, 100, 1, [](std::uint32_t begin, std::uint32_t, std::uint32_t) {
                       if (begin == 50) throw std::runtime_error("no");
                   }) == VDT_E_EXCEPTION);
        std::atomic<int> items{0};
        BOOST_TEST(loop(pool, 0, 100, 1, [&](std::uint32_t, std::uint32_t, std::uint32_t) { ++items; }) == VDT_OK);
        BOOST_TEST(items == 100);
    }
}

BOOST_AUTO_TEST_CASE(a_forked_child_works_alone) {
    ThreadPool pool(3);
    loop(pool, 0, 100, 1, [](std::uint32_t, std::uint32_t, std::uint32_t) {});
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(20);
        int items = 0;
        bool first_worker = true;
        const vdt_code code = loop(pool, 0, 1000, 1, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t worker) {
            items += static_cast<int>(end - begin);
            first_worker = first_worker && worker == 0;
        });
        {
            // Destroying the parent's pool in the child must not wait for threads that are not here.
            ThreadPool* const parents = &pool;
            parents->~ThreadPool();
        }
        ::_exit(code == VDT_OK && items == 1000 && first_worker ? 0 : 1);
    }
    int status = 0;
    BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
    BOOST_TEST(WIFEXITED(status));
    BOOST_TEST(WEXITSTATUS(status) == 0);
}

BOOST_AUTO_TEST_CASE(quotas_of_control_groups) {
    BOOST_TEST(processors_of_quota("200000 100000").value() == 2u);
    BOOST_TEST(processors_of_quota("150000 100000").value() == 2u);
    BOOST_TEST(processors_of_quota("1000 100000").value() == 1u);
    for (const char* none : {"max 100000", "", "garbage", "-1 100000", "100000 0", "100000"})
        BOOST_TEST(!processors_of_quota(none).has_value());
    BOOST_TEST(usable_processors() >= 1u);
}

// A process bound to one processor (taskset, a container's cpuset) has one thread's work to give.
BOOST_AUTO_TEST_CASE(affinity_masks) {
    cpu_set_t before;
    if (::sched_getaffinity(0, sizeof(before), &before) != 0) return;  // a machine of over 1024 processors
    BOOST_TEST(usable_processors() <= static_cast<unsigned>(CPU_COUNT(&before)));
    int first = 0;
    while (!CPU_ISSET(first, &before)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    BOOST_REQUIRE(::sched_setaffinity(0, sizeof(one), &one) == 0);
    const unsigned usable = usable_processors();
    BOOST_REQUIRE(::sched_setaffinity(0, sizeof(before), &before) == 0);
    BOOST_TEST(usable == 1u);
}

BOOST_AUTO_TEST_CASE(services_of_a_plugin) {
    std::vector<std::string> lines;
    const auto keep = +[](void* user, std::uint32_t, const char* text) {
        static_cast<std::vector<std::string>*>(user)->push_back(text);
    };
    const auto log = std::make_shared<Log>(keep, &lines, VDT_LOG_INFO);
    HostServices services("fake", 0, std::make_shared<ThreadPool>(2), log);
    const vdt_host& host = *services.table();
    BOOST_TEST(host.struct_size == sizeof(vdt_host));
    host.log(host.ctx, VDT_LOG_INFO, "one\nline \xff");
    host.log(host.ctx, VDT_LOG_DEBUG, "not wanted");
    host.log(host.ctx, 77, "odd level");
    host.log(host.ctx, VDT_LOG_ERROR, nullptr);
    BOOST_TEST(lines == (std::vector<std::string>{"fake: one line ?", "fake: odd level"}),
               boost::test_tools::per_element());

    for (const std::uint64_t align : {1u, 2u, 64u, 4096u}) {
        void* const memory = host.alloc(host.ctx, 100, align);
        BOOST_REQUIRE(memory != nullptr);
        BOOST_TEST(reinterpret_cast<std::uintptr_t>(memory) % align == 0u);
        host.free(host.ctx, memory);
    }
    for (const std::uint64_t align : {0u, 3u, 8192u}) BOOST_TEST(host.alloc(host.ctx, 100, align) == nullptr);
    BOOST_TEST(host.alloc(host.ctx, UINT64_MAX, 64) == nullptr);
    BOOST_TEST(host.alloc(host.ctx, UINT64_MAX - 10, 4096) == nullptr);
    host.free(host.ctx, nullptr);

    BOOST_TEST(host.worker_count(host.ctx) == 2u);
    BOOST_TEST(host.cancelled(host.ctx, nullptr) == VDT_OK);
    std::atomic<bool> flag{true};
    CallLimit limit(&flag, 0);
    BOOST_TEST(host.cancelled(host.ctx, limit.token()) == VDT_E_CANCELLED);
    BOOST_TEST(host.extension(host.ctx, "vedette.nothing/1") == nullptr);

    log->close();
    host.log(host.ctx, VDT_LOG_ERROR, "too late");
    BOOST_TEST(lines.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_log_function_that_throws_is_survived) {
    const auto angry = +[](void*, std::uint32_t, const char*) { throw 1; };
    Log log(angry, nullptr, VDT_LOG_DEBUG);
    log.write(VDT_LOG_ERROR, "line");
    Log quiet(nullptr, nullptr, VDT_LOG_DEBUG);
    quiet.write(VDT_LOG_ERROR, "line");
    BOOST_TEST(!quiet.wants(VDT_LOG_ERROR));
}

BOOST_AUTO_TEST_SUITE_END()
