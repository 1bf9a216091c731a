// The part of JSON Schema (2020-12) that the project's schemas use, to hold a schema and the code that reads the files
// together. Meant for tests: slow, and an unknown keyword ends the program.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <stdexcept>
#include <string>

namespace vedette::test {

class JsonSchema {
public:
    explicit JsonSchema(nlohmann::json root) : root_(std::move(root)) {}

    bool accepts(const nlohmann::json& value) const { return accepts(root_, value); }

private:
    using json = nlohmann::json;

    static bool is_whole(const json& value) {
        return value.is_number_integer() ||
               (value.is_number() && std::floor(value.get<double>()) == value.get<double>());
    }

    static bool has_type(const std::string& type, const json& value) {
        if (type == "object") return value.is_object();
        if (type == "array") return value.is_array();
        if (type == "string") return value.is_string();
        if (type == "boolean") return value.is_boolean();
        if (type == "number") return value.is_number();
        if (type == "integer") return is_whole(value);
        throw std::logic_error("unknown type " + type);
    }

    static std::size_t characters(const std::string& text) {
        std::size_t count = 0;
        for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
        return count;
    }

    // std::regex works on bytes, and a zero byte is beyond it as part of a class: \u0000 is looked for by hand.
    static bool matches(std::string pattern, const std::string& text) {
        const std::string zero = "\\u0000";
        const std::size_t at = pattern.find(zero);
        if (at != std::string::npos) {
            if (text.find('\0') != std::string::npos) return false;
            pattern.replace(at, zero.size(), "\n");
        }
        static std::map<std::string, std::regex> compiled;  // compiling takes longer than matching
        return std::regex_search(text, compiled.try_emplace(pattern, pattern).first->second);
    }

    bool accepts(const json& schema, const json& value) const {
        for (const auto& [keyword, rule] : schema.items())
            if (!keyword_accepts(schema, keyword, rule, value)) return false;
        return true;
    }

    bool keyword_accepts(const json& schema, const std::string& keyword, const json& rule, const json& value) const {
        if (keyword == "$schema" || keyword == "title" || keyword == "description" || keyword == "$defs") return true;
        if (keyword == "$ref") return accepts(root_.at(json::json_pointer(rule.get<std::string>().substr(1))), value);
        if (keyword == "const") return value == rule;
        if (keyword == "enum") return std::find(rule.begin(), rule.end(), value) != rule.end();
        if (keyword == "type") {
            if (rule.is_string()) return has_type(rule, value);
            for (const json& type : rule)
                if (has_type(type, value)) return true;
            return false;
        }
        if (keyword == "oneOf") {
            int accepting = 0;
            for (const json& one : rule) accepting += accepts(one, value) ? 1 : 0;
            return accepting == 1;
        }
        if (keyword == "minimum") return !value.is_number() || value.get<double>() >= rule.get<double>();
        if (keyword == "maximum") return !value.is_number() || value.get<double>() <= rule.get<double>();
        if (keyword == "minLength") return !value.is_string() || characters(value) >= rule.get<std::size_t>();
        if (keyword == "maxLength") return !value.is_string() || characters(value) <= rule.get<std::size_t>();
        if (keyword == "pattern") return !value.is_string() || matches(rule, value);
        if (keyword == "minItems") return !value.is_array() || value.size() >= rule.get<std::size_t>();
        if (keyword == "maxItems") return !value.is_array() || value.size() <= rule.get<std::size_t>();
        if (keyword == "uniqueItems") return !value.is_array() || unique(value);
        if (keyword == "items") {
            if (!value.is_array()) return true;
            for (const json& item : value)
                if (!accepts(rule, item)) return false;
            return true;
        }
        return !value.is_object() || object_keyword_accepts(schema, keyword, rule, value);
    }

    bool object_keyword_accepts(const json& schema, const std::string& keyword, const json& rule,
                                const json& value) const {
        if (keyword == "required") {
            for (const json& key : rule)
                if (!value.contains(key.get<std::string>())) return false;
            return true;
        }
        for (const auto& [key, member] : value.items()) {
            const bool named = schema.contains("properties") && schema["properties"].contains(key);
            if (keyword == "properties") {
                if (named && !accepts(rule.at(key), member)) return false;
            } else if (keyword == "propertyNames") {
                if (!accepts(rule, json(key))) return false;
            } else if (keyword == "additionalProperties") {
                if (named) continue;
                if (rule.is_boolean() ? !rule.get<bool>() : !accepts(rule, member)) return false;
            } else {
                throw std::logic_error("unknown keyword " + keyword);
            }
        }
        return true;
    }

    static bool unique(const json& list) {
        for (std::size_t i = 0; i < list.size(); ++i)
            for (std::size_t k = i + 1; k < list.size(); ++k)
                if (list[i] == list[k]) return false;
        return true;
    }

    json root_;
};

}  // namespace vedette::test
