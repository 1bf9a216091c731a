// Text in aligned columns.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace vedette::cli {

// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

// Words put on lines of at most `width` characters, for the help.
std::string wrapped(const std::string& text, std::size_t width);

class Table {
public:
    // `right`: numbers of the columns that end flush, counted from 0; the others begin flush.
    explicit Table(std::initializer_list<std::size_t> right = {}) : right_(right) {}
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    // Each row on a line, columns two blanks apart, no blanks at the end of a line. Text is UTF-8.
    std::string text() const;

private:
    bool is_right(std::size_t column) const;

    std::vector<std::size_t> right_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace vedette::cli
