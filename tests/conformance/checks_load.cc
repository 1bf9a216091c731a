// The library, its entry and its table.
#include "checks.h"
#include "subject.h"

#include <cstring>

namespace vedette::conformance {

std::string check_load(const Arguments& arguments, std::uint32_t) {
    const Library library(arguments.plugin);
    return "";
}

namespace {

const vdt_plugin* ask(const Library& library, std::uint32_t minimum, std::uint32_t maximum, vdt_error* why) {
    try {
        return may_throw(library.entry())(minimum, maximum, why);
    } catch (...) {
        throw Broken("the entry let an exception out");
    }
}

}  // namespace

std::string check_negotiation(const Arguments& arguments, std::uint32_t) {
    const Library library(arguments.plugin);
    const vdt_plugin& table = library.table();
    demand(ask(library, 0, VDT_ABI_MINOR, nullptr) == &table, "a second call of the entry gives another table");
    demand(ask(library, 0, 4000, nullptr) != nullptr, "the entry refuses a host that also speaks later minor versions");

    // Numbers that occur in no other part of a sentence.
    constexpr std::uint32_t later = 4000007, latest = 4000019;
    vdt_error why = empty_error();
    demand(ask(library, later, latest, &why) == nullptr,
           "the entry accepts a host that only speaks ABI 1.4000007 and later");
    const std::string text = to_answer(why.code, why, "the entry").text;
    demand(why.code == VDT_E_ABI,
           "the entry refuses a foreign version with " + code_text(why.code) + ", not VDT_E_ABI");
    demand(
        text.find(std::to_string(later)) != std::string::npos && text.find(std::to_string(latest)) != std::string::npos,
        "the refusal does not name the host's versions: \"" + text + "\"");
    demand(text.find(std::to_string(table.abi_minor)) != std::string::npos,
           "the refusal does not name the plugin's version: \"" + text + "\"");
    demand(ask(library, later, latest, nullptr) == nullptr,
           "without an error record the entry accepts a foreign version");
    return "ABI 1." + std::to_string(table.abi_minor);
}

std::string check_table(const Arguments& arguments, std::uint32_t) {
    const Library library(arguments.plugin);
    const vdt_plugin& table = library.table();
    demand(table.struct_size >= sizeof(vdt_plugin), "the table's struct_size is " + std::to_string(table.struct_size) +
                                                        ", ABI 1.0 needs " + std::to_string(sizeof(vdt_plugin)));
    demand(table.id != nullptr && table.version != nullptr && table.description != nullptr,
           "id, version or description is NULL");
    const std::string id = table.id;
    demand(!id.empty() && id.size() < 32 &&
               id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos,
           "the id \"" + id + "\" is not a short lower-case name");
    demand(*table.version != '\0' && *table.description != '\0', "version or description is empty");
    demand(std::strchr(table.description, '\n') == nullptr, "the description is more than one line");
    demand(table.flags == 0, "flags are not 0");
    const std::pair<const char*, bool> slots[] = {{"create", table.create != nullptr},
                                                  {"destroy", table.destroy != nullptr},
                                                  {"device_count", table.device_count != nullptr},
                                                  {"device_info", table.device_info != nullptr},
                                                  {"device_open", table.device_open != nullptr},
                                                  {"device_close", table.device_close != nullptr},
                                                  {"op_support", table.op_support != nullptr},
                                                  {"op_variant", table.op_variant != nullptr},
                                                  {"plan_create", table.plan_create != nullptr},
                                                  {"plan_run", table.plan_run != nullptr},
                                                  {"plan_destroy", table.plan_destroy != nullptr}};
    for (const auto& [name, there] : slots) demand(there, std::string("the slot ") + name + " is NULL");
    demand((table.resident_create == nullptr) == (table.resident_destroy == nullptr),
           "only one of resident_create and resident_destroy is there");
    if (table.streams != nullptr)
        demand(table.streams->struct_size >= sizeof(vdt_streams), "the struct_size of `streams` is too small");
    return id + " " + table.version;
}

}  // namespace vedette::conformance
