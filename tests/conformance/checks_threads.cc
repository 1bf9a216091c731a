// Several threads at once, cancellation, time limits, and long use.
#include "checks.h"
#include "run_case.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

namespace vedette::conformance {
namespace {

constexpr int thread_number = 4;

// Runs `work(index)` on several threads; throws what the first of them threw.
void on_threads(const std::function<void(int)>& work) {
    std::mutex mutex;
    std::string failure;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < thread_number; ++i)
            threads.emplace_back([&, i] {
                try {
                    work(i);
                } catch (const std::exception& exception) {
                    const std::lock_guard lock(mutex);
                    if (failure.empty()) failure = exception.what();
                }
            });
    }
    demand(failure.empty(), "with several threads: " + failure);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

std::string check_concurrent_queries(const Arguments& arguments, std::uint32_t) {
    Session session(arguments);
    const vdt_plugin& table = session.table();
    on_threads([&](int index) {
        Case of = any_case(session);
        Request request(of);
        for (int i = 0; i < 200; ++i) {
            vdt_op_support support;
            Answer answer;
            const vdt_op op = static_cast<vdt_op>(1 + (i + index) % (VDT_OP_COUNT - 1));
            (void)is_supported(session, op, support);
            demand(is_supported(session, request.query(), support, answer), "op_support answers " + describe(answer));
            vdt_variant_info variant{};
            variant.struct_size = sizeof variant;
            answer = call("op_variant", table.op_variant, session.device(), request.query(), &variant);
            demand(answer.ok(), "op_variant answers " + describe(answer));
            vdt_device_info info{};
            info.struct_size = sizeof info;
            answer = call("device_info", table.device_info, session.self(), arguments.device, &info);
            demand(answer.ok(), "device_info answers " + describe(answer));
            if (table.op_cost != nullptr) {
                vdt_cost_stage stages[16]{};
                vdt_cost cost{};
                cost.struct_size = sizeof cost;
                cost.stage_capacity = 16;
                cost.stage_size = sizeof stages[0];
                cost.stages = stages;
                answer = call("op_cost", table.op_cost, session.device(), request.query(), &cost);
                demand(answer.ok() || VDT_IS_UNSUPPORTED(answer.code), "op_cost answers " + describe(answer));
            }
        }
    });
    session.close();
    return std::to_string(thread_number) + " threads";
}

std::string check_concurrent_plans(const Arguments& arguments, std::uint32_t) {
    Session session(arguments);
    std::atomic<int> ran{0};
    on_threads([&](int index) {
        vdt_op_support support;
        for (vdt_op op = 1; op < VDT_OP_COUNT; ++op) {
            if (!is_supported(session, op, support)) continue;
            const Shape shape{61u + static_cast<std::uint32_t>(index), 37u, Layout::packed};
            int times = 0;
            for (Case& of : make_cases(op, support.input_formats, support.output_formats, shape)) {
                if (++times > 8) break;
                if (run_case(session, of) != Outcome::refused) ++ran;
            }
        }
    });
    session.close();
    if (ran == 0) throw NothingToCheck("nothing runs");
    return std::to_string(ran.load()) + " runs on " + std::to_string(thread_number) + " threads";
}

std::string check_cancel(const Arguments& arguments, std::uint32_t) {
    constexpr double prompt = 3;  // seconds; a stop is due within milliseconds, but the machine may be busy
    Session session(arguments);
    Case of = heaviest_case(session, 1600, 900);
    Request request(of);
    Answer answer;
    std::unique_ptr<Plan> plan = make_plan(session, request.query(), answer);
    demand(plan != nullptr, "plan_create answers " + describe(answer));

    vdt_token token;
    token.cancelled = true;
    auto start = std::chrono::steady_clock::now();
    answer = run_plan(session, *plan, request.call(&token));
    demand(answer.code == VDT_E_CANCELLED, of.name + ", cancelled beforehand, answers " + describe(answer));
    demand(seconds_since(start) < prompt, "a call that was cancelled beforehand ran on");

    token.cancelled = false;
    {
        const std::jthread canceller([&token] {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            token.cancelled = true;
        });
        start = std::chrono::steady_clock::now();
        answer = run_plan(session, *plan, request.call(&token));
    }
    demand(answer.code == VDT_E_CANCELLED || !VDT_IS_ERROR(answer.code),
           of.name + ", cancelled on the way, answers " + describe(answer));
    demand(seconds_since(start) < prompt, "a call that was cancelled on the way ran on");
    answer = run_plan(session, *plan, request.call());
    demand(!VDT_IS_ERROR(answer.code), "after a cancelled run the plan answers " + describe(answer));
    examine(of, vdt_op_support{});
    plan.reset();
    session.close();
    return of.name;
}

std::string check_time_limit(const Arguments& arguments, std::uint32_t) {
    Session session(arguments);
    Case of = heaviest_case(session, 1600, 900);
    Request request(of);
    Answer answer;
    std::unique_ptr<Plan> plan = make_plan(session, request.query(), answer);
    demand(plan != nullptr, "plan_create answers " + describe(answer));
    vdt_token token;
    token.deadline = std::chrono::steady_clock::now();
    answer = run_plan(session, *plan, request.call(&token));
    demand(answer.code == VDT_E_TIMEOUT, of.name + ", its time over beforehand, answers " + describe(answer));
    plan.reset();
    session.close();
    return of.name;
}

std::string check_steady(const Arguments& arguments, std::uint32_t) {
    constexpr std::size_t allowed_growth = std::size_t{2} << 20;
    Session session(arguments);
    vdt_op_support support;
    std::uint32_t looked_at = 0;
    for (vdt_op op = 1; op < VDT_OP_COUNT; ++op) {
        if (!is_supported(session, op, support)) continue;
        for (Case& of : make_cases(op, support.input_formats, support.output_formats, Shape{})) {
            Request request(of);
            Answer answer;
            vdt_op_support specific;
            if (!is_supported(session, request.query(), specific, answer)) continue;
            const std::unique_ptr<Plan> plan = make_plan(session, request.query(), answer);
            demand(plan != nullptr, "plan_create answers " + describe(answer));
            std::uint64_t allocations = 0;
            std::size_t memory = 0;
            for (int i = 0; i < 300; ++i) {
                if (i == 20) {
                    allocations = session.host().allocations();
                    memory = resident_bytes();
                }
                answer = run_plan(session, *plan, request.call());
                demand(answer.ok(), of.name + ": plan_run answers " + describe(answer));
            }
            const std::string name = operation_name(op) + ", " + of.name + ": ";
            demand(session.host().allocations() == allocations,
                   name + "plan_run takes memory from the host in every run");
            const std::size_t now = resident_bytes();
            demand(now <= memory + allowed_growth,
                   name + "memory grew by " + std::to_string((now - memory) >> 10) + " KiB in 280 runs");
            ++looked_at;
            break;
        }
    }
    session.close();
    if (looked_at == 0) throw NothingToCheck("nothing runs");
    return std::to_string(looked_at) + " operations, 300 runs each";
}

}  // namespace vedette::conformance
