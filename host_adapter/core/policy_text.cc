// The policy as people write it: on a command line and in environment variables.
#include "config.h"
#include "failure.h"
#include "operations.h"
#include "policy.h"
#include "text.h"

#include <charconv>
#include <string_view>

namespace vedette::host {
namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t at = text.find(separator);
        parts.push_back(trimmed(text.substr(0, at)));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

bool read_backend_name(std::string_view text, BackendName& name) {
    const std::size_t colon = text.find(':');
    name.backend = text.substr(0, colon);
    name.device = -1;
    if (!valid_backend_name(name.backend)) return false;
    if (colon == std::string_view::npos) return true;
    const std::string_view digits = text.substr(colon + 1);
    if (digits.empty() || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string_view::npos)
        return false;
    std::from_chars(digits.data(), digits.data() + digits.size(), name.device);
    return true;
}

[[noreturn]] void fail_clause(std::string_view clause, const std::string& what) {
    throw Failure(VDT_E_CONFIG, "The environment variable VEDETTE_BACKEND is malformed: \"" +
                                    shortened(one_line(std::string(clause).c_str(), 200), 60) + "\" " + what + ".");
}

void add_clause(Rule& rule, std::string_view choice, std::string_view clause) {
    const std::size_t colon = choice.find(':');
    const std::string_view word = choice.substr(0, colon);
    const std::string_view rest = colon == std::string_view::npos ? std::string_view() : choice.substr(colon + 1);
    if (word == "forbid") {
        for (const std::string_view name : split(rest, ',')) {
            if (!valid_backend_name(name)) fail_clause(clause, "must name backends, as in forbid:cuda,opencl");
            rule.forbidden.emplace(name);
        }
        return;
    }
    if (rule.mode != Mode::Unset) fail_clause(clause, "is a second choice where one is allowed");
    BackendName name;
    if (choice == "auto") {
        rule.mode = Mode::Auto;
        return;
    }
    const bool force = word == "force";
    rule.mode = force ? Mode::Force : Mode::Prefer;
    if (!read_backend_name(force || word == "prefer" ? rest : choice, name))
        fail_clause(clause, "must be auto, NAME[:DEVICE], prefer:NAME, force:NAME or forbid:NAME,NAME");
    rule.backend = name.backend;
    rule.device = name.device;
}

}  // namespace

BackendName parse_backend_name(const std::string& text, const std::string& what) {
    BackendName name;
    if (!read_backend_name(text, name))
        throw Failure(VDT_E_ARGUMENT, what + " \"" + shortened(one_line(text.c_str(), 200), 60) +
                                          "\" must be auto, the name of a backend, or NAME:DEVICE as in cuda:1.");
    return name;
}

Policy parse_backend_variable(const std::string& value) {
    if (!valid_utf8(value)) fail_clause(value, "is not UTF-8");
    Policy policy;
    for (const std::string_view clause : split(value, ';')) {
        if (clause.empty()) continue;  // a trailing ';'
        const std::size_t equals = clause.find('=');
        if (equals == std::string_view::npos) {
            add_clause(policy.general, clause, clause);
            continue;
        }
        const std::optional<vdt_op> op = operation_of_name(std::string(trimmed(clause.substr(0, equals))));
        if (!op) fail_clause(clause, "names no operation");
        add_clause(policy.operations[*op], trimmed(clause.substr(equals + 1)), clause);
    }
    return policy;
}

std::vector<std::filesystem::path> parse_plugin_path_variable(const std::string& value) {
    std::vector<std::filesystem::path> directories;
    for (const std::string_view part : split(value, ':')) {
        if (part.empty()) continue;
        if (!part.starts_with('/'))
            throw Failure(VDT_E_CONFIG,
                          "The environment variable VEDETTE_PLUGIN_PATH must hold absolute directories: \"" +
                              shortened(one_line(std::string(part).c_str(), 200), 60) + "\" is none.");
        directories.emplace_back(part);
    }
    return directories;
}

}  // namespace vedette::host
