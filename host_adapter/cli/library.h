// libvedette's C API for the command: objects that destroy themselves and errors as exceptions.
#pragma once

#include <vedette/vedette.h>

#include <exception>
#include <memory>
#include <string>

namespace vedette::cli {

// Ends a command with exit status 2 and one sentence.
class Problem : public std::exception {
public:
    Problem(vdt_code code, std::string text) : code_(code), text_(std::move(text)) {}
    vdt_code code() const noexcept { return code_; }
    const char* what() const noexcept override { return text_.c_str(); }

private:
    vdt_code code_;
    std::string text_;
};

template <auto destroy>
struct Destroy {
    template <class Object>
    void operator()(Object* object) const noexcept {
        destroy(object);
    }
};

// Ends what `Explaining` began before the context goes.
void close_context(vdt_context* context) noexcept;

using Context = std::unique_ptr<vdt_context, Destroy<close_context>>;
using Screen = std::unique_ptr<vdt_screen, Destroy<vdt_screen_destroy>>;
using Pattern = std::unique_ptr<vdt_pattern, Destroy<vdt_pattern_destroy>>;
using Result = std::unique_ptr<vdt_result, Destroy<vdt_result_destroy>>;

// An error record ready to be passed.
inline vdt_error error_record() {
    vdt_error error{};
    error.struct_size = sizeof error;
    return error;
}

// Runs `call(error)`, a call of the C API; throws Problem when it fails, returns its code otherwise.
template <class Call>
vdt_code checked(Call&& call) {
    vdt_error error = error_record();
    const vdt_code code = call(&error);
    if (VDT_IS_ERROR(code)) {
        throw Problem(code, error.text[0] != '\0' ? error.text : vdt_code_name(code));
    }
    return code;
}

// Options every command that needs backends has.
struct ContextArguments {
    std::string config;
    bool verbose = false;
};

// With `verbose`, libvedette's log goes to standard error.
Context open_context(const ContextArguments& arguments);

// While it lives, contexts that open_context opens explain their calls and print() is quiet. One at a time.
class Explaining {
public:
    explicit Explaining(bool measure);
    ~Explaining();
    Explaining(const Explaining&) = delete;
    Explaining& operator=(const Explaining&) = delete;

    // What vdt_explain_stop gave of the context that was opened, which is closed by now. print() works again.
    std::string finish();
};

Screen read_screen(const Context& context, const std::string& path);
Pattern read_pattern(const Context& context, const std::string& path);

}  // namespace vedette::cli
