#include "failure.h"
#include "json_input.h"
#include "text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace vedette::host {
namespace {

using nlohmann::json;

std::string shown_key(const std::string& key) {
    return shortened(one_line(key.c_str(), 200), 64);
}

// Builds the document, with the two checks that nlohmann's own builder leaves out.
class StrictBuilder : public nlohmann::json_sax<json> {
public:
    StrictBuilder(const std::string& text, const std::string& name) : text_(text), name_(name) {}

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t&) override { return false; }  // no such thing in JSON text
    bool start_object(std::size_t) override { return open(json::object()); }
    bool start_array(std::size_t) override { return open(json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& value) override {
        if (open_.back()->contains(value))
            throw Failure(VDT_E_CONFIG, name_ + ": the key \"" + shown_key(value) + "\" appears twice in one object.");
        key_ = std::move(value);
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const json::exception& error) override {
        std::string what = error.what();
        // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ..."
        for (const char* mark : {"] ", "column "}) {
            const std::size_t at = what.find(mark);
            if (at < 80) what.erase(0, at + std::strlen(mark));
        }
        const std::size_t colon = what.find(": ");
        if (colon != std::string::npos && what.find_first_not_of("0123456789") == colon) what.erase(0, colon + 2);
        fail_at(std::min(position == 0 ? 0 : position - 1, text_.size()), shortened(one_line(what.c_str(), 400), 140));
    }

    [[noreturn]] void fail_at(std::size_t place, const std::string& what) const {
        const std::string_view before = std::string_view(text_).substr(0, place);
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 = 0
        throw Failure(VDT_E_CONFIG, name_ + ", line " + std::to_string(line) + ", column " +
                                        std::to_string(place - line_start + 1) + ": " + what + ".");
    }

    json take() { return std::move(root_); }

private:
    json* place(json value) {
        if (open_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        json& parent = *open_.back();
        if (parent.is_array()) {
            parent.push_back(std::move(value));
            return &parent.back();
        }
        return &(parent[key_] = std::move(value));
    }

    bool add(json value) {
        place(std::move(value));
        return true;
    }

    bool open(json value) {
        if (open_.size() >= deepest_json)
            throw Failure(VDT_E_CONFIG, name_ + ": nested deeper than " + std::to_string(deepest_json) + " levels.");
        open_.push_back(place(std::move(value)));
        return true;
    }

    bool close() {
        open_.pop_back();
        return true;
    }

    const std::string& text_;
    const std::string& name_;
    json root_;
    std::vector<json*> open_;
    std::string key_;
};

class OpenFile {
public:
    explicit OpenFile(const std::filesystem::path& file)
        : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
    ~OpenFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    int get() const noexcept { return descriptor_; }

private:
    int descriptor_;
};

[[noreturn]] void fail_file(const std::filesystem::path& file, int error) {
    throw Failure(VDT_E_FILE, "The file " + file.string() + " cannot be read: " + std::strerror(error) + ".", error);
}

}  // namespace

std::string read_json_file(const std::filesystem::path& file) {
    const OpenFile opened(file);
    struct stat status {};
    if (opened.get() < 0 || ::fstat(opened.get(), &status) != 0) fail_file(file, errno);
    if (!S_ISREG(status.st_mode)) throw Failure(VDT_E_FILE, file.string() + " is no regular file.");
    std::string text;
    char block[16384];
    for (;;) {
        const ssize_t got = ::read(opened.get(), block, sizeof block);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail_file(file, errno);
        if (got == 0) return text;
        text.append(block, static_cast<std::size_t>(got));
        if (text.size() > largest_json_file)
            throw Failure(VDT_E_CONFIG, file.string() + " is larger than 1 MiB, which no file of this kind is.");
    }
}

nlohmann::json parse_json(const std::string& text, const std::string& name) {
    if (text.size() > largest_json_file) throw Failure(VDT_E_CONFIG, name + ": larger than 1 MiB.");
    StrictBuilder builder(text, name);
    // nlohmann's parser takes a zero byte for the end.
    const std::size_t zero = text.find('\0');
    if (zero != std::string::npos) builder.fail_at(zero, "a zero byte");
    json::sax_parse(text, &builder);
    return builder.take();
}

}  // namespace vedette::host
