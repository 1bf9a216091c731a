// A plugin under test: loads the library, gives it host services with a pool of real threads, and runs operations
// through the ABI. Knows nothing of libvedette's selection, so that a test says which backend it tests.
#pragma once

#include <vedette/plugin/plugin.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace vedette::ops {

// Thrown when the library cannot be used as asked: an option this machine does not fulfil is a reason to skip.
class CannotUse : public std::runtime_error {
public:
    CannotUse(vdt_code code, const std::string& text) : std::runtime_error(text), code_(code) {}
    vdt_code code() const { return code_; }

private:
    vdt_code code_;
};

// Host services: a pool of `threads`, the caller's included. Log lines are kept.
class TestHost {
public:
    explicit TestHost(std::uint32_t threads);
    ~TestHost();
    TestHost(const TestHost&) = delete;
    TestHost& operator=(const TestHost&) = delete;
    const vdt_host* services() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Behind vdt_token: the call ends with `code` at the check after `checks_left` more.
struct Limit {
    std::atomic<std::int64_t> checks_left{0};
    vdt_code code = VDT_E_CANCELLED;
    vdt_token* token() { return reinterpret_cast<vdt_token*>(this); }
};

// One operation with all that it touches.
struct Operation {
    vdt_op op = 0;
    const void* params = nullptr;
    std::vector<const vdt_image*> inputs, outputs;
    std::vector<const vdt_list*> lists_in;
    std::vector<vdt_list*> lists_out;
    Limit* limit = nullptr;
    std::uint32_t variant = 0;
    std::uint32_t runs = 1;  // of the plan, one after another, as long as they succeed
};

struct Outcome {
    vdt_code code = VDT_OK;
    std::string text;  // of the error
    vdt_op_support support{};
};

class Backend {
public:
    // `library`: path; `settings`: options as "key=text". Throws CannotUse.
    Backend(const std::string& library, const std::vector<std::string>& settings);
    ~Backend();
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;

    const vdt_plugin& table() const { return *table_; }
    vdt_device* device() const { return device_; }
    std::string name() const { return table_->id; }

    // The general answer; level VDT_SUPPORT_NO when the operation is not advertised.
    vdt_op_support general(vdt_op op) const;
    bool advertises(vdt_op op) const { return general(op).level != VDT_SUPPORT_NO; }

    // Support, plan, run, destroy: the first step that fails gives the outcome. When support says no but a plan can be
    // made, or the other way round, that is an outcome of VDT_E_CONTRACT. With VEDETTE_OPS_LARGEST=N in the environment
    // an operation with an image of more than N pixels or a list of more than N items ends its test case instead, with
    // a line that says so: for tools under which a program runs a hundred times slower.
    Outcome run(const Operation& operation) const;

    // The same image as a resident of the device; `image` outlives it. NULL when the backend keeps none.
    std::shared_ptr<vdt_resident> resident(const vdt_image& image) const;

private:
    vdt_query query_of(const Operation& operation, std::vector<vdt_image>& shapes,
                       std::vector<const vdt_image*>& pointers) const;

    TestHost host_;
    const std::thread::id thread_ = std::this_thread::get_id();  // of the tests; those that they start end no case
    const vdt_plugin* table_ = nullptr;
    vdt_self* self_ = nullptr;
    vdt_device* device_ = nullptr;
};

}  // namespace vedette::ops
