#include "bench_row.h"

namespace vedette::cli {

Json row_json(const BenchRow& row) {
    const auto text = [](const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); };
    if (!row.skipped.empty()) {
        return {{"op", row.op},
                {"case", row.name},
                {"backend", row.device ? Json(row.device->backend) : Json(nullptr)},
                {"residency", text(row.residency)},
                {"skipped", row.skipped}};
    }
    return {{"op", row.op},
            {"case", row.name},
            {"backend", row.device ? Json(row.device->backend) : Json(nullptr)},
            {"device", row.device ? Json(row.device->name) : Json(nullptr)},
            {"variant", text(row.facts.variant)},
            {"residency", text(row.residency)},
            {"ms", row.timing.median_ms},
            {"ms_min", row.timing.least_ms},
            {"ms_max", row.timing.most_ms},
            {"peer", text(row.peer)},
            {"peer_ms", known_or_null(row.peer_ms)},
            {"ratio", row.peer_ms < 0 ? Json(nullptr) : Json(row.peer_ms / row.timing.median_ms)},
            {"floor_ms", known_or_null(row.floor_ms)},
            {"predicted_ms", known_or_null(row.facts.predicted_ms)}};
}

std::vector<std::string> row_cells(const BenchRow& row) {
    const auto ms = [](double value) { return value < 0 ? std::string("-") : format("%.3f", value); };
    std::vector<std::string> cells{row.op, row.name, row.device ? row.device->asked_for() : ""};
    if (!row.skipped.empty()) {
        cells.insert(cells.end(), {"skipped", row.residency, "-", "-", "-", "-", "-", "-", "-", row.skipped});
        return cells;
    }
    cells.insert(cells.end(), {row.facts.variant, row.residency, ms(row.timing.median_ms), ms(row.timing.least_ms),
                               ms(row.timing.most_ms), ms(row.peer_ms),
                               row.peer_ms < 0 ? "-" : format("%.2f", row.peer_ms / row.timing.median_ms),
                               ms(row.floor_ms), ms(row.facts.predicted_ms)});
    return cells;
}

Table bench_table() {
    Table table{5, 6, 7, 8, 9, 10, 11};
    table.add({"OPERATION", "CASE", "BACKEND", "VARIANT", "RESIDENCY", "MS", "MIN", "MAX", "PEER MS", "RATIO",
               "FLOOR MS", "PREDICTED"});
    return table;
}

}  // namespace vedette::cli
