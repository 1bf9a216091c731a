#include "bench_choice.h"

#include "bench_work.h"
#include "table.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace vedette::cli {

namespace {

constexpr std::uint32_t seed = 31415926;
constexpr Size screens[] = {{300, 200}, {1024, 768}, {1920, 1080}, {3840, 2160}, {7680, 4320}};
constexpr std::uint32_t largest_quick = 1920;

// The names of what a probe calibrates on: the quick cases of operations whose data does not depend on the screen.
std::set<std::string> fitted(const BenchSetting& setting, vdt_op op, const BenchScreen& screen) {
    constexpr vdt_op fixed[] = {VDT_OP_FFT2, VDT_OP_RESTORE, VDT_OP_GROUP, VDT_OP_FEATURE_MATCH};
    std::set<std::string> names;
    if (std::find(std::begin(fixed), std::end(fixed), op) != std::end(fixed)) {
        BenchSetting quick = setting;
        quick.quick = true;
        for (const BenchCase& one : make_cases(quick, op, screen)) {
            names.insert(one.name);
        }
    }
    return names;
}

Json explained(const BenchSetting& setting, const BenchCase& one) {
    checked([&](vdt_error* error) { return vdt_explain_start(setting.context, VDT_EXPLAIN_MEASURE, error); });
    std::string failure;
    try {
        (void)one.run("");
    } catch (const Problem& problem) {
        failure = problem.what();
    }
    const char* text = nullptr;
    checked([&](vdt_error* error) { return vdt_explain_stop(setting.context, &text, error); });
    if (!failure.empty()) {
        throw Problem(VDT_E_INTERNAL, failure);
    }
    return Json::parse(text);
}

}  // namespace

void score_choices(const BenchSetting& setting, const std::vector<vdt_op>& operations, double seconds,
                   const std::string& part_of_name, ChoiceScore& score,
                   const std::function<void(const std::string&)>& step) {
    const auto start = std::chrono::steady_clock::now();
    const auto in_time = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds;
    };
    for (const Size size : screens) {
        if (!in_time() || (setting.quick && size.width > largest_quick)) {
            break;
        }
        const std::string name = size_text(size);
        step("drawing a screen of " + name);
        const BenchScreen screen{name, synthetic_screen(size.width, size.height, seed)};
        BenchSetting all = setting;
        all.quick = false;
        for (const vdt_op op : operations) {
            const std::set<std::string> left_out = fitted(setting, op, screen);
            for (const BenchCase& one : make_cases(all, op, screen)) {
                if (!in_time() || left_out.contains(one.name) || one.name.find(part_of_name) == std::string::npos) {
                    continue;
                }
                step(std::string(vdt_operation_name(op)) + " " + one.name);
                try {
                    score.add(one.name, one.residency, explained(setting, one));
                } catch (const Problem& problem) {
                    step(one.name + " is left out: " + problem.what());
                }
            }
        }
    }
}

}  // namespace vedette::cli
