#include "detect_report.h"

#include "table.h"

namespace vedette::cli {

namespace {

Json text_or_null(const char* text) {
    return text == nullptr || *text == '\0' ? Json(nullptr) : Json(text);
}

}  // namespace

Json report_json(const DetectReport& report) {
    Json object{{"status", report.detections.empty() ? "not_found" : "found"}, {"detections", Json::array()}};
    for (const vdt_item& item : report.detections) {
        object["detections"].push_back({{"x", number(static_cast<double>(item.x))},
                                        {"y", number(static_cast<double>(item.y))},
                                        {"w", number(static_cast<double>(item.w))},
                                        {"h", number(static_cast<double>(item.h))},
                                        {"neighbors", item.neighbors},
                                        {"score", item.score}});
    }
    object["backend"] = text_or_null(report.run.backend);
    object["device"] = text_or_null(report.run.device);
    object["variant"] = text_or_null(report.run.variant);
    object["choice"] = text_or_null(report.run.choice);
    object["predicted_ms"] = known_or_null(report.run.predicted_ms);
    object["measured_ms"] = known_or_null(report.run.measured_ms);
    return object;
}

std::string report_text(const DetectReport& report) {
    Table table;
    for (const vdt_item& item : report.detections) {
        table.add({table.text().empty() ? "found" : "",
                   format("at %.6g,%.6g", static_cast<double>(item.x), static_cast<double>(item.y)),
                   format("%.6g x %.6g", static_cast<double>(item.w), static_cast<double>(item.h)),
                   format("%d %s joined", item.neighbors, item.neighbors == 1 ? "window" : "windows"),
                   format("weight %.4f", item.score)});
    }
    std::string text = report.detections.empty() ? "not found\n" : table.text();
    if (!report.annotated.empty()) {
        text += "picture written to " + report.annotated + "\n";
    }
    return text + format("%u x %u searched in %.1f ms by %s on %s (%s); %s\n", report.screen_width,
                         report.screen_height, report.run.measured_ms, report.run.backend, report.run.device,
                         report.run.variant, report.run.choice);
}

}  // namespace vedette::cli
