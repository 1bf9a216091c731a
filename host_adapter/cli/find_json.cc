#include "find_report.h"

namespace vedette::cli {

namespace {

// The corners in order, or null for an upright box, whose place and size say it all.
Json quad_json(const vdt_match& match) {
    if (match.stage != VDT_STAGE_FEATURES) {
        return nullptr;
    }
    Json corners = Json::array();
    for (int i = 0; i < 4; ++i) {
        corners.push_back({number(match.quad[2 * i]), number(match.quad[2 * i + 1])});
    }
    return corners;
}

Json match_json(const vdt_match& match) {
    return {{"pattern", match.pattern},
            {"x", number(match.x)},
            {"y", number(match.y)},
            {"w", number(match.w)},
            {"h", number(match.h)},
            {"score", match.score},
            {"scale", match.scale},
            {"residual", known_or_null(match.residual)},
            {"residual_limit", known_or_null(match.residual_limit)},
            {"evidence", known_or_null(match.evidence)},
            {"stage", stage_name(match.stage)},
            {"quad", quad_json(match)}};
}

Json reason_json(std::uint32_t reason) {
    return reason == VDT_REASON_NONE ? Json(nullptr) : Json(vdt_reason_text(reason));
}

Json best_json(const vdt_outcome& outcome) {
    if (outcome.has_best == 0) {
        return nullptr;
    }
    Json best = match_json(outcome.best);
    best["reason"] = reason_json(outcome.best.reason);
    const vdt_rect& worst = outcome.best.worst;
    best["worst"] = worst.w == 0 ? Json(nullptr) : Json{{"x", worst.x}, {"y", worst.y}, {"w", worst.w}, {"h", worst.h}};
    return best;
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

// What is said of one pattern, here and there.
void add_outcome(Json& object, const vdt_outcome& outcome) {
    object["best"] = best_json(outcome);
    object["reason"] = reason_json(outcome.reason);
    object["margin"] = outcome.has_best != 0 ? Json(outcome.margin) : Json(nullptr);
    object["copies"] = outcome.copies;
}

}  // namespace

Json report_json(const FindReport& report) {
    Json object{{"status", report.all_found() ? "found" : "not_found"}, {"matches", Json::array()}};
    const PatternReport* told = &report.patterns.front();
    Json patterns = Json::array();
    for (std::size_t i = 0; i < report.patterns.size(); ++i) {
        const PatternReport& one = report.patterns[i];
        if (!one.found() && told->found()) {
            told = &one;
        }
        for (const vdt_match& match : one.matches) {
            object["matches"].push_back(match_json(match));
        }
        Json pattern{{"pattern", i}, {"file", one.file}, {"found", one.found()}};
        add_outcome(pattern, one.outcome);
        patterns.push_back(std::move(pattern));
    }
    add_outcome(object, told->outcome);
    object["backend"] = text_or_null(report.backend);
    object["device"] = text_or_null(report.device);
    object["variant"] = text_or_null(report.variant);
    object["choice"] = text_or_null(report.choice);
    object["predicted_ms"] = known_or_null(report.predicted_ms);
    object["measured_ms"] = known_or_null(report.measured_ms);
    object["patterns"] = std::move(patterns);
    return object;
}

}  // namespace vedette::cli
