#include "cascade/xml.h"

#include <vedette/plugin/cpp/guard.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace vedette::cascade {

using plugin::Failure;

namespace {

constexpr std::size_t longest_text = std::size_t{64} << 20;  // OpenCV's own classifiers have up to 2.7 MB
constexpr std::size_t most_elements = 1'000'000;             // theirs have up to 120,000
constexpr std::size_t deepest_nesting = 32;                  // theirs have 9

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == ':';
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

// For a sentence: short, and without bytes that are no plain text.
std::string quoted(std::string_view word) {
    std::string text = "'";
    for (const char c : word.substr(0, 40)) text += c >= ' ' && c <= '~' ? c : '?';
    return text + (word.size() > 40 ? "...'" : "'");
}

}  // namespace

void damaged(const std::string& what) {
    throw Failure(VDT_E_FORMAT, "the cascade is damaged: " + what);
}

class Parser {
public:
    Parser(std::string_view content, Document& document) : rest_(content), document_(document) {}

    void run() {
        if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);  // byte order mark
        if (!rest_.starts_with("<?xml")) damaged("it is not XML");
        skip_past("?>", "the XML prolog does not end");
        do {
            if (rest_.empty())
                damaged(open_.empty() ? "it holds no element"
                                      : "the text ends inside the element " + quoted(name_of_open()));
            step();
        } while (!open_.empty() || document_.elements_.empty());
        while (!(rest_ = trimmed(rest_)).empty()) {
            if (!rest_.starts_with("<!--")) damaged("something follows the last element");
            skip_past("-->", "a comment does not end");
        }
    }

private:
    struct Open {
        std::uint32_t element;
        std::uint32_t last_child;
    };

    std::string_view name_of_open() const { return document_.elements_[open_.back().element].name; }

    void skip_past(std::string_view end, const char* otherwise) {
        const std::size_t at = rest_.find(end);
        if (at == std::string_view::npos) damaged(otherwise);
        rest_.remove_prefix(at + end.size());
    }

    void step() {
        if (rest_.starts_with("<!--"))
            skip_past("-->", "a comment does not end");
        else if (rest_.starts_with("<!") || rest_.starts_with("<?"))
            damaged("it has a declaration that classifiers do not have");
        else if (rest_.starts_with("</"))
            close();
        else if (rest_.starts_with("<"))
            begin();
        else
            take_text();
    }

    void take_text() {
        const std::size_t end = std::min(rest_.find('<'), rest_.size());
        const std::string_view text = trimmed(rest_.substr(0, end));
        rest_.remove_prefix(end);
        if (text.empty()) return;
        if (open_.empty()) damaged("text stands outside of all elements");
        Element& element = document_.elements_[open_.back().element];
        if (element.children != 0) damaged("text stands between the children of " + quoted(element.name));
        if (element.text.empty()) {
            element.text = text;
            return;
        }
        document_.joined_.push_back(std::string(element.text) + " " + std::string(text));
        element.text = document_.joined_.back();
    }

    std::string_view take_name() {
        std::size_t length = 0;
        while (length < rest_.size() && is_name(rest_[length])) ++length;
        if (length == 0) damaged("a tag has no name");
        const std::string_view name = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return name;
    }

    void begin() {
        rest_.remove_prefix(1);
        if (open_.empty() && !document_.elements_.empty()) damaged("it has a second root element");
        if (open_.size() == deepest_nesting) damaged("its elements are nested too deeply");
        if (document_.elements_.size() == most_elements) damaged("it has too many elements");
        const auto index = static_cast<std::uint32_t>(document_.elements_.size());
        document_.elements_.emplace_back();
        document_.elements_.back().name = take_name();
        if (!open_.empty()) link(index);
        // Attributes say nothing that is needed; their values may hold a '>'.
        char quote = 0;
        std::size_t at = 0;
        for (; at < rest_.size(); ++at) {
            const char c = rest_[at];
            if (quote != 0)
                quote = c == quote ? 0 : quote;
            else if (c == '"' || c == '\'')
                quote = c;
            else if (c == '>' || c == '<')
                break;
        }
        if (at == rest_.size() || rest_[at] == '<') damaged("a tag does not end");
        const bool is_closed = at > 0 && rest_[at - 1] == '/';
        rest_.remove_prefix(at + 1);
        if (!is_closed) open_.push_back({index, 0});
    }

    void link(std::uint32_t index) {
        Open& parent = open_.back();
        Element& element = document_.elements_[parent.element];
        if (!element.text.empty()) damaged("text stands between the children of " + quoted(element.name));
        (parent.last_child == 0 ? element.first_child : document_.elements_[parent.last_child].next) = index;
        parent.last_child = index;
        ++element.children;
    }

    void close() {
        rest_.remove_prefix(2);
        const std::string_view name = take_name();
        while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
        if (!rest_.starts_with(">")) damaged("a tag does not end");
        rest_.remove_prefix(1);
        if (open_.empty() || name_of_open() != name) damaged("the tags of " + quoted(name) + " do not match");
        open_.pop_back();
    }

    std::string_view rest_;
    Document& document_;
    std::vector<Open> open_;
};

Document::Document(std::string_view content) {
    if (content.size() > longest_text)
        damaged("it has " + std::to_string(content.size()) + " bytes of text, and a classifier has at most " +
                std::to_string(longest_text));
    Parser(content, *this).run();
}

const Element* Document::find(const Element& parent, std::string_view name) const {
    for (const Element* child = first_child(parent); child != nullptr; child = next(*child))
        if (child->name == name) return child;
    return nullptr;
}

const Element& Document::member(const Element& parent, std::string_view name) const {
    const Element* const child = find(parent, name);
    if (child == nullptr) damaged(std::string(name) + " is missing");
    return *child;
}

std::string_view Words::next() {
    std::size_t begin = 0;
    while (begin < rest_.size() && is_space(rest_[begin])) ++begin;
    std::size_t end = begin;
    while (end < rest_.size() && !is_space(rest_[end])) ++end;
    const std::string_view word = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return word;
}

int whole_number(std::string_view word, const char* name) {
    int value = 0;
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (fault != std::errc() || end != word.data() + word.size())
        damaged(std::string(name) + " is " + quoted(word) + ", not a whole number");
    return value;
}

double number(std::string_view word, const char* name) {
    double value = 0;
    std::string_view digits = word;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (fault == std::errc::result_out_of_range || fault != std::errc() || end != digits.data() + digits.size() ||
        !std::isfinite(value) || std::abs(value) > 3e38)
        damaged(std::string(name) + " is " + quoted(word) + ", not a finite number");
    return value;
}

}  // namespace vedette::cascade
