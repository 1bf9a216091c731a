// What the command prints.
#pragma once

#include "library.h"

#include <nlohmann/json.hpp>

#include <string>

namespace vedette::cli {

// Keys stay in the order they were given.
using Json = nlohmann::ordered_json;

// While it is quiet print() does nothing: what a command says when another is asked about it.
void set_quiet(bool quiet) noexcept;

// To standard output at once. Problem VDT_E_FILE when it cannot be written.
void print(const std::string& text);
// One object on one line. Text that is no UTF-8 (names of files) is printed with replacement characters.
void print(const Json& object);

// {"status": "error", "error": {"code", "name", "message"}}
Json error_json(vdt_code code, const std::string& message);

// null for what is not known: the C API's -1 for residuals, evidence and predicted times.
Json known_or_null(double value);
// Whole numbers without a decimal point.
Json number(double value);

// A line on standard error that each text takes the place of; nothing where that is no terminal.
class StatusLine {
public:
    StatusLine() noexcept;
    void show(const std::string& text) const;
    void clear() const { show(""); }

private:
    const bool on_;
};

}  // namespace vedette::cli
