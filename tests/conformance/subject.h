// The plugin under test: its library, one instance with one opened device, and calls into it.
#pragma once

#include "check.h"
#include "host.h"

#include <vedette/plugin/plugin.h>

#include <memory>
#include <string>
#include <vector>

namespace vedette::conformance {

// What a slot answered.
struct Answer {
    vdt_code code = VDT_OK;
    std::string text;
    bool ok() const noexcept { return code == VDT_OK; }
};

std::string code_text(vdt_code code);        // "-202 (not supported here)"
std::string describe(const Answer& answer);  // code and the plugin's sentence
vdt_error empty_error() noexcept;
// Turns a filled record into an answer; Broken when the text is not terminated.
Answer to_answer(vdt_code code, const vdt_error& error, const char* slot);

// Drops `noexcept` from a slot's type, so that an exception the plugin lets out is caught here and reported instead of
// ending the process.
template <class R, class... A>
auto may_throw(R (*function)(A...) noexcept) noexcept {
    return static_cast<R (*)(A...)>(function);
}

// Calls slot(arguments..., &error). `slot` names it in messages. Broken when an exception comes out.
template <class... P, class... A>
Answer call(const char* slot, vdt_code (*function)(P...) noexcept, A... arguments) {
    demand(function != nullptr, std::string(slot) + " is missing from the table");
    vdt_error error = empty_error();
    vdt_code code = VDT_OK;
    try {
        code = may_throw(function)(arguments..., &error);
    } catch (const std::exception& exception) {
        throw Broken(std::string(slot) + " let an exception out: " + exception.what());
    } catch (...) {
        throw Broken(std::string(slot) + " let an exception out");
    }
    return to_answer(code, error, slot);
}

// The library, loaded with NOW and LOCAL; never closed. Broken with the loader's message.
class Library {
public:
    explicit Library(const std::string& path);
    vdt_plugin_entry_fn entry() const noexcept { return entry_; }
    // The table for hosts that speak exactly minor versions 0 .. VDT_ABI_MINOR. Broken with the plugin's reason.
    const vdt_plugin& table() const;

private:
    vdt_plugin_entry_fn entry_ = nullptr;
};

// The options of the command line in the ABI's form; an option that reads as a whole number is an integer.
class Options {
public:
    explicit Options(const Arguments& arguments);
    const vdt_option* data() const noexcept { return options_.empty() ? nullptr : options_.data(); }
    std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(options_.size()); }

private:
    std::vector<vdt_option> options_;
};

// An instance. Broken when create fails.
class Instance {
public:
    Instance(const vdt_plugin& table, const Arguments& arguments, Host& host);
    ~Instance() { destroy(); }
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    vdt_self* self() const noexcept { return self_; }
    std::uint32_t device_count() const;  // Broken when the question fails
    void destroy() noexcept;

private:
    const vdt_plugin& table_;
    vdt_self* self_ = nullptr;
};

// An instance with the chosen device opened. NothingToCheck when the plugin has no such device.
class Session {
public:
    explicit Session(const Arguments& arguments);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    const vdt_plugin& table() const noexcept { return table_; }
    vdt_self* self() const noexcept { return instance_.self(); }
    vdt_device* device() const noexcept { return device_; }
    Host& host() noexcept { return host_; }
    // Closes the device and destroys the instance; Broken when host memory was not given back or a service was misused.
    void close();

private:
    Host host_;
    Library library_;
    const vdt_plugin& table_;
    Instance instance_;
    vdt_device* device_ = nullptr;
};

class Plan {
public:
    Plan(const vdt_plugin& table, vdt_plan* plan) noexcept : table_(&table), plan_(plan) {}
    Plan(Plan&& other) noexcept : table_(other.table_), plan_(std::exchange(other.plan_, nullptr)) {}
    Plan& operator=(Plan&&) = delete;
    ~Plan() {
        if (plan_ != nullptr) table_->plan_destroy(plan_);
    }
    vdt_plan* get() const noexcept { return plan_; }

private:
    const vdt_plugin* table_;
    vdt_plan* plan_;
};

// Threads of this process, and its open file descriptors.
std::size_t thread_count();
std::size_t descriptor_count();
std::size_t resident_bytes();  // memory in use

}  // namespace vedette::conformance
