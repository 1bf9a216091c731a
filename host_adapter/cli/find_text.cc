#include "find_report.h"
#include "table.h"

namespace vedette::cli {

namespace {

std::string place(const vdt_match& match) {
    return format("at %.6g,%.6g", match.x, match.y);
}

std::string size(const vdt_match& match) {
    return format("%.6g x %.6g", match.w, match.h);
}

std::string residual(const vdt_match& match) {
    return match.residual < 0 ? "" : format("residual %.2f of %.2f", match.residual, match.residual_limit);
}

std::string stage(const vdt_match& match) {
    switch (match.stage) {
        case VDT_STAGE_SAME:
            return "same size";
        case VDT_STAGE_FLAT:
            return "by colour";
        case VDT_STAGE_SCALE:
            return format("scale %.4g", match.scale);
        case VDT_STAGE_FEATURES:
            return format("by features, scale %.4g", match.scale);
        default:
            return stage_name(match.stage);
    }
}

std::vector<std::string> row(const std::string& verdict, const std::string& file, const vdt_match& match) {
    return {verdict, file, place(match), size(match), format("score %.4f", match.score), residual(match), stage(match)};
}

// "differs locally, most at 812,344 (5 x 5)"
std::string difference(const vdt_match& best) {
    std::string text = vdt_reason_text(best.reason);
    if (best.worst.w > 0) {
        text += format(", most at %d,%d (%d x %d)", best.worst.x, best.worst.y, best.worst.w, best.worst.h);
    }
    return text;
}

void add_pattern(Table& table, const PatternReport& one) {
    if (one.found()) {
        for (std::size_t i = 0; i < one.matches.size(); ++i) {
            table.add(row(i == 0 ? "found" : "", i == 0 ? one.file : "", one.matches[i]));
        }
        return;
    }
    if (one.outcome.has_best == 0) {
        table.add({"not found", one.file, vdt_reason_text(one.outcome.reason)});
        return;
    }
    std::vector<std::string> cells = row("not found", one.file, one.outcome.best);
    cells[2] = "best " + cells[2];
    cells.push_back(difference(one.outcome.best));
    table.add(std::move(cells));
}

std::string run_line(const FindReport& report) {
    std::string line =
        format("%u x %u searched in %.1f ms", report.screen_width, report.screen_height, report.measured_ms);
    if (report.predicted_ms >= 0) {
        line += format(" (predicted %.1f ms)", report.predicted_ms);
    }
    if (report.backend.empty()) {
        return line + "; no backend was needed\n";
    }
    line += " by " + report.backend + " on " + report.device;
    if (!report.variant.empty()) {
        line += " (" + report.variant + ")";
    }
    return line + (report.choice.empty() ? "" : "; " + report.choice) + "\n";
}

}  // namespace

std::string report_text(const FindReport& report) {
    Table table;
    for (const PatternReport& one : report.patterns) {
        add_pattern(table, one);
    }
    std::string text = table.text();
    for (const PatternReport& one : report.patterns) {
        if (one.found() && one.outcome.copies > 0) {
            text += format("%s: %u more identical %s on the screen\n", one.file.c_str(), one.outcome.copies,
                           one.outcome.copies == 1 ? "copy" : "copies");
        }
    }
    if (!report.annotated.empty()) {
        text += "picture written to " + report.annotated + "\n";
    }
    return text + run_line(report);
}

}  // namespace vedette::cli
