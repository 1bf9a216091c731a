#include "choice_score.h"

#include "table.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace vedette::cli {

namespace {

constexpr double clear_gap = 0.1;
constexpr double beaten_gap = 0.05;

double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (values[above] - values[below]) * (place - static_cast<double>(below));
}

std::string percent(double share) {
    return format("%.1f %%", share * 100);
}

}  // namespace

void ChoiceScore::add(const std::string& name, const std::string& residency, const Json& document) {
    for (const Json& call : document.at("calls")) {
        Row row{call.at("operation").get<std::string>(), name, residency, false, {}};
        for (const Json& one : call.at("candidates")) {
            // Of its runs the one that was disturbed least: what else the machine did meanwhile is no option's doing.
            const Json& measured = one.at("least_ms");
            // Without what this run has taught: that is not the model's doing.
            const double predicted = one.at("terms_ms").at("total").get<double>();
            if (measured.is_number() && measured.get<double>() > 0 && predicted > 0) {
                const auto index = one.at("device_index").get<unsigned>();
                row.candidates.push_back(
                    {one.at("backend").get<std::string>() + (index == 0 ? "" : format(":%u", index)),
                     one.at("variant").get<std::string>(), predicted, measured.get<double>(),
                     one.at("efficiency").get<double>(), one.at("terms_ms")});
                for (const Json& kind : one.at("counts")) {
                    row.data_dependent = row.data_dependent || kind == "data-dependent";
                }
            }
        }
        if (!row.candidates.empty()) {
            rows_.push_back(std::move(row));
        }
    }
}

std::map<std::pair<std::string, std::string>, ChoiceScore::Errors> ChoiceScore::errors() const {
    std::map<std::pair<std::string, std::string>, std::vector<double>> all;
    for (const Row& row : rows_) {
        for (const Candidate& one : row.candidates) {
            const double error = std::abs(one.predicted_ms / one.measured_ms - 1);
            all[{row.op, one.backend}].push_back(error);
            all[{row.data_dependent ? "all data-dependent" : "all regular", one.backend}].push_back(error);
        }
    }
    std::map<std::pair<std::string, std::string>, Errors> result;
    for (const auto& [place, errors] : all) {
        result[place] = {errors.size(), quantile(errors, 0.5), quantile(errors, 0.95)};
    }
    return result;
}

// What is predicted to be fastest among the candidates of `backend`; "" = among all.
const ChoiceScore::Candidate* ChoiceScore::taken_of(const Row& row, const std::string& backend) {
    const Candidate* taken = nullptr;
    for (const Candidate& one : row.candidates) {
        if ((backend.empty() || one.backend == backend) &&
            (taken == nullptr || one.predicted_ms < taken->predicted_ms)) {
            taken = &one;
        }
    }
    return taken;
}

ChoiceScore::Outcome ChoiceScore::outcome(const std::string& backend) const {
    Outcome result;
    const auto measured_less = [](const Candidate& a, const Candidate& b) { return a.measured_ms < b.measured_ms; };
    for (const Row& row : rows_) {
        const Candidate* const taken = taken_of(row, backend);
        if (taken == nullptr) {
            continue;
        }
        const Candidate& best = *std::min_element(row.candidates.begin(), row.candidates.end(), measured_less);
        double other = -1;
        for (const Candidate& one : row.candidates) {
            if (one.backend != best.backend && (other < 0 || one.measured_ms < other)) {
                other = one.measured_ms;
            }
        }
        ++result.rows;
        result.milliseconds += taken->measured_ms;
        result.best_milliseconds += best.measured_ms;
        const double regret = taken->measured_ms / best.measured_ms - 1;
        if (regret > result.worst) {
            result.worst = regret;
            result.worst_row = row.op + " " + row.name;
        }
        if (other > best.measured_ms * (1 + clear_gap)) {
            ++result.clear;
            result.right += taken->backend == best.backend ? 1 : 0;
        }
        const double behind = taken_of(row, "")->measured_ms / taken->measured_ms - 1;
        result.beaten += behind > beaten_gap ? 1 : 0;
        result.most_beaten = std::max(result.most_beaten, behind);
    }
    return result;
}

std::vector<std::string> ChoiceScore::backends() const {
    std::set<std::string> names;
    for (const Row& row : rows_) {
        for (const Candidate& one : row.candidates) {
            names.insert(one.backend);
        }
    }
    return {names.begin(), names.end()};
}

Json ChoiceScore::json() const {
    Json rows = Json::array();
    for (const Row& row : rows_) {
        Json candidates = Json::array();
        for (const Candidate& one : row.candidates) {
            candidates.push_back({{"backend", one.backend},
                                  {"variant", one.variant},
                                  {"predicted_ms", one.predicted_ms},
                                  {"measured_ms", one.measured_ms},
                                  {"efficiency", one.efficiency},
                                  {"terms_ms", one.terms}});
        }
        rows.push_back({{"operation", row.op},
                        {"case", row.name},
                        {"residency", row.residency},
                        {"data_dependent", row.data_dependent},
                        {"candidates", std::move(candidates)}});
    }
    Json all_errors = Json::array();
    for (const auto& [place, error] : errors()) {
        all_errors.push_back({{"operation", place.first},
                              {"backend", place.second},
                              {"calls", error.calls},
                              {"median", error.median},
                              {"percentile_95", error.most_of_all}});
    }
    const auto outcome_json = [&](const std::string& backend) {
        const Outcome one = outcome(backend);
        return Json{{"rows", one.rows},
                    {"milliseconds", one.milliseconds},
                    {"best_milliseconds", one.best_milliseconds},
                    {"regret", one.regret()},
                    {"worst_regret", one.worst},
                    {"worst_case", one.worst_row},
                    {"clear", one.clear},
                    {"right", one.right},
                    {"rows_that_beat_the_choice", one.beaten},
                    {"most_that_the_choice_was_beaten", one.most_beaten}};
    };
    Json always = Json::object();
    for (const std::string& backend : backends()) {
        always[backend] = outcome_json(backend);
    }
    return {{"errors", std::move(all_errors)},
            {"choice", outcome_json("")},
            {"always", std::move(always)},
            {"rows", std::move(rows)}};
}

std::string ChoiceScore::text() const {
    Table table({2, 3, 4});
    table.add({"OPERATION", "BACKEND", "CALLS", "MEDIAN ERROR", "95 % BELOW"});
    for (const auto& [place, error] : errors()) {
        table.add({place.first, place.second, std::to_string(error.calls), percent(error.median),
                   percent(error.most_of_all)});
    }
    Table outcomes({1, 2, 3, 4, 5, 6, 7, 8});
    outcomes.add(
        {"TAKEN", "ROWS", "MS", "BEST MS", "REGRET", "WORST", "RIGHT WHERE CLEAR", "CHOICE BEATEN", "BY", "WORST ROW"});
    const auto add = [&](const std::string& name, const Outcome& one) {
        outcomes.add({name, std::to_string(one.rows), format("%.1f", one.milliseconds),
                      format("%.1f", one.best_milliseconds), percent(one.regret()), percent(one.worst),
                      format("%zu of %zu", one.right, one.clear), std::to_string(one.beaten), percent(one.most_beaten),
                      one.worst_row});
    };
    add("as predicted", outcome(""));
    for (const std::string& backend : backends()) {
        add("always " + backend, outcome(backend));
    }
    return table.text() + "\n" + outcomes.text();
}

}  // namespace vedette::cli
