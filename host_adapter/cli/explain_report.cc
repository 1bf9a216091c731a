#include "explain_report.h"

#include "table.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace vedette::cli {

namespace {

constexpr std::pair<const char*, const char*> terms[] = {
    {"compute", "compute"},   {"idle", "idle"},        {"memory", "memory"},  {"shared", "shared"},
    {"constant", "const"},    {"atomics", "atomics"},  {"barrier", "sync"},   {"launch", "launch"},
    {"to_device", "copy in"}, {"to_host", "copy out"}, {"overlap", "overlap"}};

std::string time_text(double milliseconds) {
    if (milliseconds == 0) {
        return "0";
    }
    return format(milliseconds < 1 ? "%.4f" : milliseconds < 100 ? "%.2f" : "%.0f", milliseconds);
}

std::string time_text(const Json& value) {
    return value.is_number() ? time_text(value.get<double>()) : "-";
}

std::string text_of(const Json& object, const char* key) {
    return object.at(key).get<std::string>();
}

std::string image_text(const Json& image) {
    return format("%u x %u %s", image.at("width").get<unsigned>(), image.at("height").get<unsigned>(),
                  text_of(image, "format").c_str());
}

// "3840 x 2160 BGR8, 59 x 34 BGR8", the first few of many.
std::string images_text(const Json& images) {
    constexpr std::size_t most = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(images.size(), most); ++i) {
        text += (i == 0 ? "" : ", ") + image_text(images[i]);
    }
    return images.size() > most ? text + format(" and %zu more", images.size() - most) : text;
}

std::string device_text(const Json& one) {
    const auto index = one.at("device_index").get<unsigned>();
    return text_of(one, "backend") + (index == 0 ? "" : format(":%u", index));
}

bool is_chosen(const Json& call, const Json& candidate) {
    const Json& chosen = call.at("chosen");
    return chosen.at("backend") == candidate.at("backend") &&
           chosen.at("device_index") == candidate.at("device_index") && chosen.at("variant") == candidate.at("variant");
}

// Terms that some candidate has.
std::vector<std::pair<const char*, const char*>> used_terms(const Json& candidates) {
    std::vector<std::pair<const char*, const char*>> used;
    for (const auto& term : terms) {
        const bool any = std::any_of(candidates.begin(), candidates.end(), [&](const Json& candidate) {
            return candidate.at("terms_ms").at(term.first).get<double>() != 0;
        });
        if (any) {
            used.push_back(term);
        }
    }
    return used;
}

std::string candidates_text(const Json& call, bool measured) {
    const Json& candidates = call.at("candidates");
    const auto used = used_terms(candidates);
    Table table{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
    std::vector<std::string> head = {"", "backend", "variant"};
    for (const auto& term : used) {
        head.emplace_back(term.second);
    }
    head.insert(head.end(), {"corrected by", "predicted"});
    if (measured) {
        head.insert(head.end(), {"measured", "error"});
    }
    table.add(head);
    for (const Json& candidate : candidates) {
        std::vector<std::string> row = {is_chosen(call, candidate) ? "  *" : "   ", device_text(candidate),
                                        text_of(candidate, "variant")};
        for (const auto& term : used) {
            const double value = candidate.at("terms_ms").at(term.first).get<double>();
            row.push_back((std::string(term.first) == "overlap" && value > 0 ? "-" : "") + time_text(value));
        }
        row.push_back(format("%.2f", candidate.at("correction").get<double>()));
        row.push_back(time_text(candidate.at("predicted_ms")));
        if (measured) {
            const Json& error = candidate.at("error");
            row.push_back(time_text(candidate.at("measured_ms")));
            row.push_back(error.is_number() ? format("%+.0f %%", error.get<double>() * 100) : "-");
        }
        table.add(row);
    }
    return table.text();
}

// What is the same for calls that repeat.
Json shape_of(const Json& call) {
    return {call.at("operation"), call.at("inputs"), call.at("outputs"), call.at("chosen").at("backend"),
            call.at("chosen").at("variant")};
}

std::string call_text(const Json& call, std::size_t times, bool measured) {
    std::string text = text_of(call, "operation");
    if (!call.at("inputs").empty()) {
        text += " of " + images_text(call.at("inputs"));
    }
    if (!call.at("outputs").empty()) {
        text += " to " + images_text(call.at("outputs"));
    }
    text += times > 1 ? format(", %zu times, the first of them\n", times) : "\n";
    if (!call.at("candidates").empty()) {
        text += candidates_text(call, measured);
    }
    const Json& chosen = call.at("chosen");
    text += "  taken: " + device_text(chosen) + " on " + text_of(chosen, "device") + " (" + text_of(chosen, "variant") +
            "), " + time_text(chosen.at("measured_ms")) + " ms; " + text_of(call, "reason") + "\n";
    text += format("  deciding took %.2f us\n", call.at("decision_us").get<double>());
    for (const Json& one : call.at("excluded")) {
        const std::string device = text_of(one, "device");
        text += "  not possible: " + device + (device.empty() ? "" : ": ") + text_of(one, "reason") + "\n";
    }
    std::set<std::string> rests;
    for (const Json& candidate : call.at("candidates")) {
        rests.insert(device_text(candidate) + " from " + text_of(candidate, "parameters"));
    }
    std::string rest;
    for (const std::string& one : rests) {
        rest += (rest.empty() ? "" : ", ") + one;
    }
    return rest.empty() ? text : text + "  predicted: " + rest + "\n";
}

}  // namespace

std::string explain_text(const Json& document) {
    const Json& calls = document.at("calls");
    const bool measured = document.at("measured").get<bool>();
    if (calls.empty()) {
        return "No operation was needed.\n";
    }
    std::string text = "Times in milliseconds; * is what was taken.\n";
    for (std::size_t i = 0; i < calls.size();) {
        std::size_t end = i + 1;
        while (end < calls.size() && shape_of(calls[end]) == shape_of(calls[i])) {
            ++end;
        }
        text += "\n" + call_text(calls[i], end - i, measured);
        i = end;
    }
    const auto left_out = document.at("left_out").get<std::size_t>();
    return left_out == 0 ? text : text + format("\n%zu more calls are left out.\n", left_out);
}

}  // namespace vedette::cli
