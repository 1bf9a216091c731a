// vdt_find, its results and the cancel switch of the C API.
#include "../core/api_guard.h"
#include "../core/context.h"
#include "../core/handles.h"
#include "../core/struct_out.h"
#include "annotate.h"
#include "api_objects.h"
#include "fallback.h"
#include "find_options.h"
#include "propose.h"

#include <chrono>
#include <memory>
#include <string>

using namespace vedette::host;

namespace {

// Patterns of one find at most: what one run of an operation takes, with masks, and far above any list of elements.
constexpr std::uint32_t kMostPatterns = 4096;

std::vector<Pattern*> patterns_of(vdt_pattern* const* patterns, std::uint32_t count) {
    if (count == 0) throw Failure(VDT_E_ARGUMENT, "`pattern_count` is 0: give at least one pattern.");
    if (patterns == nullptr) throw Failure(VDT_E_ARGUMENT, "`patterns` is NULL.");
    if (count > kMostPatterns)
        throw Failure(VDT_E_ARGUMENT, "`pattern_count` is " + std::to_string(count) + "; one find takes at most " +
                                          std::to_string(kMostPatterns) + " patterns.");
    std::vector<Pattern*> list;
    for (std::uint32_t i = 0; i < count; ++i) {
        require_handle(patterns[i], HandleKind::Pattern, ("patterns[" + std::to_string(i) + "]").c_str());
        list.push_back(&patterns[i]->pattern);
    }
    return list;
}

}  // namespace

vdt_code vdt_find(vdt_context* context, vdt_screen* screen, vdt_pattern* const* patterns, uint32_t pattern_count,
                  const vdt_find_options* options, vdt_result** result, vdt_error* error) noexcept {
    return api_guard(error, [&] {
        const auto begin = std::chrono::steady_clock::now();
        if (result == nullptr) throw Failure(VDT_E_ARGUMENT, "`result` is NULL: there is no place for the result.");
        *result = nullptr;
        Context& inside = context_of(context);
        require_handle(screen, HandleKind::Screen, "screen");
        const std::vector<Pattern*> list = patterns_of(patterns, pattern_count);
        const CheckedOptions checked = check_options(options, screen->screen.width(), screen->screen.height());
        if (checked.cancel != nullptr) require_handle(checked.cancel, HandleKind::Cancel, "cancel");

        CallLimit limit(checked.cancel != nullptr ? &checked.cancel->flag : nullptr, checked.time_limit);
        const Workers workers(&inside.pool(), &limit);
        OperationProposer proposer(inside, checked.backend, &limit);
        auto made = std::make_unique<vdt_result>();
        made->outcomes = find_with_fallbacks(
            screen->screen, list, checked.query, [&](const ProposalRequest& request) { return proposer(request); },
            feature_operations(inside, checked.backend, &limit), workers);
        for (const PatternOutcome& outcome : made->outcomes)
            made->match_count += static_cast<std::uint32_t>(outcome.matches.size());
        made->run = proposer.report();
        made->screen_width = screen->screen.width();
        made->screen_height = screen->screen.height();
        made->measured_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
        add_handle(made.get(), HandleKind::Result);
        *result = made.release();
    });
}

uint32_t vdt_result_match_count(const vdt_result* result) noexcept {
    return is_handle(result, HandleKind::Result) ? result->match_count : 0;
}

vdt_code vdt_result_match(const vdt_result* result, uint32_t index, vdt_match* match, vdt_error* error) noexcept {
    return api_guard(error, [&] {
        require_handle(result, HandleKind::Result, "result");
        require_out(match, "`match`");
        std::size_t left = index;
        for (const PatternOutcome& outcome : result->outcomes) {
            if (left < outcome.matches.size()) {
                copy_out(*match, outcome.matches[left]);
                return;
            }
            left -= outcome.matches.size();
        }
        throw Failure(VDT_E_ARGUMENT, "The result has " + std::to_string(result->match_count) +
                                          " matches, counted from 0; " + std::to_string(index) + " is none of them.");
    });
}

vdt_code vdt_result_outcome(const vdt_result* result, uint32_t pattern, vdt_outcome* outcome,
                            vdt_error* error) noexcept {
    return api_guard(error, [&] {
        require_handle(result, HandleKind::Result, "result");
        require_out(outcome, "`outcome`");
        if (pattern >= result->outcomes.size())
            throw Failure(VDT_E_ARGUMENT, "The find had " + std::to_string(result->outcomes.size()) +
                                              " patterns, counted from 0; " + std::to_string(pattern) +
                                              " is none of them.");
        const PatternOutcome& from = result->outcomes[pattern];
        vdt_outcome all{};
        all.match_count = static_cast<std::uint32_t>(from.matches.size());
        all.has_best = from.has_best ? 1 : 0;
        all.reason = from.reason;
        all.margin = from.margin;
        all.margin_is_bound = from.margin_is_bound ? 1 : 0;
        all.copies = from.copies;
        all.best = from.best;
        all.best.struct_size = sizeof all.best;
        all.best.pattern = pattern;
        copy_out(*outcome, all);
    });
}

vdt_code vdt_result_run(const vdt_result* result, vdt_run_info* info, vdt_error* error) noexcept {
    return api_guard(error, [&] {
        require_handle(result, HandleKind::Result, "result");
        require_out(info, "`info`");
        vdt_run_info all{};
        all.device_index = result->run.device_index;
        all.backend = result->run.backend.c_str();
        all.device = result->run.device.c_str();
        all.variant = result->run.variant.c_str();
        all.choice = result->run.choice.c_str();
        all.predicted_ms = result->run.predicted_ms;
        all.measured_ms = result->measured_ms;
        copy_out(*info, all);
    });
}

void vdt_result_destroy(vdt_result* result) noexcept {
    if (remove_handle(result, HandleKind::Result)) delete result;
}

vdt_code vdt_result_annotate(const vdt_result* result, const vdt_screen* screen, const char* path,
                             vdt_error* error) noexcept {
    return api_guard(error, [&] {
        require_handle(result, HandleKind::Result, "result");
        require_handle(screen, HandleKind::Screen, "screen");
        if (path == nullptr) throw Failure(VDT_E_ARGUMENT, "`path` is NULL.");
        if (screen->screen.width() != result->screen_width || screen->screen.height() != result->screen_height)
            throw Failure(VDT_E_ARGUMENT, "The result belongs to another screen, of " +
                                              std::to_string(result->screen_width) + " x " +
                                              std::to_string(result->screen_height) + " pixels.");
        annotate(screen->screen, result->outcomes, path);
    });
}

vdt_code vdt_cancel_create(vdt_cancel** cancel, vdt_error* error) noexcept {
    return api_guard(error, [&] {
        if (cancel == nullptr) throw Failure(VDT_E_ARGUMENT, "`cancel` is NULL: there is no place for the result.");
        *cancel = nullptr;
        auto made = std::make_unique<vdt_cancel>();
        add_handle(made.get(), HandleKind::Cancel);
        *cancel = made.release();
    });
}

void vdt_cancel_set(vdt_cancel* cancel) noexcept {
    if (is_handle(cancel, HandleKind::Cancel)) cancel->flag.store(true, std::memory_order_relaxed);
}

void vdt_cancel_reset(vdt_cancel* cancel) noexcept {
    if (is_handle(cancel, HandleKind::Cancel)) cancel->flag.store(false, std::memory_order_relaxed);
}

void vdt_cancel_destroy(vdt_cancel* cancel) noexcept {
    if (remove_handle(cancel, HandleKind::Cancel)) delete cancel;
}

const char* vdt_reason_text(uint32_t reason) noexcept {
    switch (reason) {
        case VDT_REASON_NONE:
            return "found";
        case VDT_REASON_BELOW_SCORE:
            return "below score";
        case VDT_REASON_DIFFERS_LOCALLY:
            return "differs locally";
        case VDT_REASON_DIFFERS_EVERYWHERE:
            return "differs everywhere";
        case VDT_REASON_TOO_LITTLE_STRUCTURE:
            return "too little structure";
        case VDT_REASON_TOO_LARGE:
            return "larger than the screen or region";
        case VDT_REASON_NOTHING_ABOVE_FLOOR:
            return "nothing above the floor";
        case VDT_REASON_COLOR_ABSENT:
            return "colour absent";
        default:
            return "unknown reason";
    }
}
