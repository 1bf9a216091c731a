// A strict reader for the XML that OpenCV writes: elements, text, comments, one prolog. Made for text that nobody
// vouches for: depth, number of elements and length are bounded, nothing recurses, and every fault is one Failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace vedette::cascade {

// Throws Failure VDT_E_FORMAT: "the cascade is damaged: <what>".
[[noreturn]] void damaged(const std::string& what);

// An element. Children lie in the order of the text; `text` is what stands between the tags of an element without
// children, trimmed. Views into the document.
struct Element {
    std::string_view name;
    std::string_view text;
    std::uint32_t first_child = 0;  // 0 = none
    std::uint32_t next = 0;         // the next child of the same parent, 0 = none
    std::uint32_t children = 0;
};

// `content` outlives the document. Throws Failure VDT_E_FORMAT.
class Document {
public:
    explicit Document(std::string_view content);

    const Element& root() const { return elements_[0]; }
    const Element* first_child(const Element& parent) const { return at(parent.first_child); }
    const Element* next(const Element& element) const { return at(element.next); }
    // The first child of that name, or NULL.
    const Element* find(const Element& parent, std::string_view name) const;
    // The same; damaged when there is none.
    const Element& member(const Element& parent, std::string_view name) const;

private:
    friend class Parser;
    const Element* at(std::uint32_t index) const { return index == 0 ? nullptr : &elements_[index]; }

    std::vector<Element> elements_;
    std::deque<std::string> joined_;  // text that a comment cuts in two
};

// The words of an element's text: numbers as OpenCV writes them.
class Words {
public:
    explicit Words(std::string_view text) : rest_(text) {}
    // The next word, empty at the end.
    std::string_view next();

private:
    std::string_view rest_;
};

// Whole or real number, decimal, finite; `name` says in the error what it stands for.
int whole_number(std::string_view word, const char* name);
double number(std::string_view word, const char* name);

}  // namespace vedette::cascade
