#include "table.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace vedette::cli {

namespace {

// Characters, not bytes: continuation bytes of UTF-8 do not count.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

std::string format(const char* pattern, ...) {
    std::va_list arguments;
    std::va_list again;
    va_start(arguments, pattern);
    va_copy(again, arguments);
    const int length = std::vsnprintf(nullptr, 0, pattern, arguments);
    std::string text(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
    std::vsnprintf(text.data(), text.size() + 1, pattern, again);
    va_end(again);
    va_end(arguments);
    return text;
}

std::string wrapped(const std::string& text, std::size_t width) {
    std::string out;
    std::size_t used = 0;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find(' ', start), text.size());
        const std::string word = text.substr(start, end - start);
        if (used > 0 && used + 1 + width_of(word) > width) {
            out += '\n';
            used = 0;
        }
        out += (used > 0 ? " " : "") + word;
        used += (used > 0 ? 1 : 0) + width_of(word);
        start = end + 1;
    }
    return out;
}

bool Table::is_right(std::size_t column) const {
    return std::find(right_.begin(), right_.end(), column) != right_.end();
}

std::string Table::text() const {
    std::vector<std::size_t> width;
    for (const auto& row : rows_) {
        width.resize(std::max(width.size(), row.size()));
        for (std::size_t column = 0; column < row.size(); ++column) {
            width[column] = std::max(width[column], width_of(row[column]));
        }
    }
    std::string out;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t column = 0; column < row.size(); ++column) {
            const std::string fill(width[column] - width_of(row[column]), ' ');
            line += (column == 0 ? "" : "  ") + (is_right(column) ? fill + row[column] : row[column] + fill);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    return out;
}

}  // namespace vedette::cli
