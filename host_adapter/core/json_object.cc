#include "failure.h"
#include "json_input.h"
#include "text.h"

#include <algorithm>
#include <cmath>

namespace vedette::host {
namespace {

using nlohmann::json;

constexpr std::size_t longest_option_key = 64;
constexpr std::size_t longest_option_text = 4096;

// Member `key` of the object at `pointer`, as a JSON pointer (RFC 6901).
std::string member_pointer(const std::string& pointer, const std::string& key) {
    std::string escaped;
    for (const char c : shortened(one_line(key.c_str(), 200), 64)) {
        if (c == '~')
            escaped += "~0";
        else if (c == '/')
            escaped += "~1";
        else
            escaped += c;
    }
    return pointer + "/" + escaped;
}

std::string number_text(double value) {
    std::string text = json(value).dump();
    if (text.size() > 2 && text.ends_with(".0")) text.resize(text.size() - 2);
    return text;
}

// Text of a bounded number of characters, none of them zero.
bool plain_text(const json& value, std::size_t longest) {
    if (!value.is_string()) return false;
    const std::string& text = value.get_ref<const std::string&>();
    const auto inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; };
    const auto characters = text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), inside));
    return characters <= longest && text.find('\0') == std::string::npos;
}

}  // namespace

JsonObject::JsonObject(const json& value, std::string name, std::string pointer)
    : value_(&value), name_(std::move(name)), pointer_(std::move(pointer)) {
    if (!value.is_object()) fail("", "must be an object");
}

void JsonObject::fail(const std::string& key, const std::string& what) const {
    const std::string where = key.empty() ? pointer_ : member_pointer(pointer_, key);
    throw Failure(VDT_E_CONFIG, name_ + ": " + (where.empty() ? "the document" : where) + " " + what + ".");
}

const json* JsonObject::find(const char* key) {
    known_.insert(key);
    const auto found = value_->find(key);
    return found == value_->end() ? nullptr : &*found;
}

std::uint64_t JsonObject::whole(const char* key, std::uint64_t least, std::uint64_t most, std::uint64_t otherwise) {
    const json* const value = find(key);
    if (value == nullptr) return otherwise;
    // 4.0 is a whole number too, as in JSON Schema.
    const double number = value->is_number() ? value->get<double>() : -1;
    if (!value->is_number() || number < static_cast<double>(least) || number > static_cast<double>(most) ||
        number != std::floor(number))
        fail(key, "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return static_cast<std::uint64_t>(number);
}

double JsonObject::real(const char* key, double least, double most, double otherwise) {
    const json* const value = find(key);
    if (value == nullptr) return otherwise;
    const double number = value->is_number() ? value->get<double>() : 0;
    if (!value->is_number() || number < least || number > most)
        fail(key, "must be a number from " + number_text(least) + " to " + number_text(most));
    return number;
}

bool JsonObject::boolean(const char* key, bool otherwise) {
    const json* const value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_boolean()) fail(key, "must be true or false");
    return value->get<bool>();
}

std::string JsonObject::text(const char* key, std::size_t longest, const std::string& otherwise) {
    const json* const value = find(key);
    if (value == nullptr) return otherwise;
    if (!plain_text(*value, longest)) fail(key, "must be a text of at most " + std::to_string(longest) + " characters");
    return value->get<std::string>();
}

std::vector<std::string> JsonObject::texts(const char* key, std::size_t longest, std::size_t most_entries) {
    const json* const value = find(key);
    std::vector<std::string> entries;
    if (value == nullptr) return entries;
    if (!value->is_array() || value->size() > most_entries)
        fail(key, "must be a list of at most " + std::to_string(most_entries) + " texts");
    for (const json& entry : *value) {
        if (!plain_text(entry, longest))
            fail(key, "must hold texts of at most " + std::to_string(longest) + " characters only");
        const std::string text = entry.get<std::string>();
        if (std::find(entries.begin(), entries.end(), text) != entries.end())
            fail(key, "names \"" + shortened(one_line(text.c_str(), 200), 64) + "\" twice");
        entries.push_back(text);
    }
    return entries;
}

std::vector<OptionValue> JsonObject::options(const char* key) {
    std::vector<OptionValue> options;
    const json* const value = find(key);
    if (value == nullptr) return options;
    const JsonObject object(*value, name_, member_pointer(pointer_, key));
    for (const auto& [name, entry] : value->items()) {
        if (name.empty() || name.size() > longest_option_key || name.find('\0') != std::string::npos)
            object.fail(
                name, "has no possible name of an option (1 to " + std::to_string(longest_option_key) + " characters)");
        OptionValue option;
        option.key = name;
        if (entry.is_boolean()) {
            option.integer = entry.get<bool>() ? 1 : 0;
        } else if (entry.is_number_unsigned() && entry.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) {
            option.kind = VDT_OPTION_REAL;
            option.real = entry.get<double>();
        } else if (entry.is_number_integer()) {
            option.integer = entry.get<std::int64_t>();
        } else if (entry.is_number()) {
            option.kind = VDT_OPTION_REAL;
            option.real = entry.get<double>();
        } else if (plain_text(entry, longest_option_text)) {
            option.kind = VDT_OPTION_TEXT;
            option.text = entry.get<std::string>();
        } else {
            object.fail(name, "must be true, false, a number or a text of at most " +
                                  std::to_string(longest_option_text) + " characters");
        }
        options.push_back(std::move(option));
    }
    return options;
}

std::optional<JsonObject> JsonObject::object(const char* key) {
    const json* const value = find(key);
    if (value == nullptr) return std::nullopt;
    return JsonObject(*value, name_, member_pointer(pointer_, key));
}

std::vector<std::pair<std::string, JsonObject>> JsonObject::members() {
    std::vector<std::pair<std::string, JsonObject>> members;
    for (const auto& [key, value] : value_->items()) {
        known_.insert(key);
        members.emplace_back(key, JsonObject(value, name_, member_pointer(pointer_, key)));
    }
    return members;
}

void JsonObject::require(const char* key) const {
    if (!has(key)) fail(key, "is missing");
}

void JsonObject::finish() const {
    for (const auto& [key, value] : value_->items()) {
        if (known_.contains(key)) continue;
        std::string expected;
        for (const std::string& name : known_) expected += (expected.empty() ? "" : ", ") + name;
        fail(key, "is no known key (known here: " + expected + ")");
    }
}

}  // namespace vedette::host
