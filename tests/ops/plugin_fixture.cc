#include "plugin_fixture.h"

#include <dlfcn.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <mutex>
#include <thread>

#include <boost/test/execution_monitor.hpp>

#include "boost_test.h"

namespace vedette::ops {

namespace {

vdt_code state_of(vdt_token* token) {
    if (token == nullptr) return VDT_OK;
    auto& limit = *reinterpret_cast<Limit*>(token);
    return limit.checks_left.fetch_sub(1) > 0 ? VDT_OK : limit.code;
}

// One parallel loop: pieces are handed out by an atomic counter.
struct Loop {
    vdt_loop_body body;
    void* arg;
    std::uint32_t end, grain;
    vdt_token* token;
    std::atomic<std::uint32_t> next;
    std::atomic<vdt_code> code{VDT_OK};
    int helpers = 0;  // inside run(); guarded by the pool's mutex

    void run(std::uint32_t worker) {
        for (;;) {
            const vdt_code state = state_of(token);
            if (state != VDT_OK) {
                code = state;
                return;
            }
            const std::uint32_t begin = next.fetch_add(grain);
            if (begin >= end) return;
            body(arg, begin, std::min(end, begin + grain), worker);
        }
    }
};

}  // namespace

struct TestHost::State {
    vdt_host services{};
    std::uint32_t threads = 1;
    std::mutex mutex;
    std::condition_variable wake, done;
    std::deque<Loop*> loops;
    bool stop = false;
    std::vector<std::thread> helpers;

    void help(std::uint32_t worker) {
        std::unique_lock lock(mutex);
        for (;;) {
            wake.wait(lock, [&] { return stop || !loops.empty(); });
            if (stop) return;
            Loop* loop = loops.front();
            loops.pop_front();
            ++loop->helpers;
            lock.unlock();
            loop->run(worker);
            lock.lock();
            --loop->helpers;
            done.notify_all();
        }
    }

    vdt_code parallel_for(vdt_token* token, std::uint32_t begin, std::uint32_t end, std::uint32_t grain,
                          vdt_loop_body body, void* arg) {
        Loop loop{body, arg, end, grain != 0 ? grain : 1, token, {begin}};
        {
            const std::lock_guard lock(mutex);
            for (std::size_t i = 0; i < helpers.size(); ++i) loops.push_back(&loop);
        }
        wake.notify_all();
        loop.run(0);
        std::unique_lock lock(mutex);
        std::erase(loops, &loop);
        done.wait(lock, [&] { return loop.helpers == 0; });
        return loop.code;
    }
};

TestHost::TestHost(std::uint32_t threads) : state_(std::make_unique<State>()) {
    State& state = *state_;
    state.threads = threads;
    vdt_host& services = state.services;
    services.struct_size = sizeof services;
    services.ctx = &state;
    services.log = [](void*, std::uint32_t, const char*) noexcept {};
    services.alloc = [](void*, std::uint64_t size, std::uint64_t align) noexcept -> void* {
        const std::uint64_t unit = std::max<std::uint64_t>(align, sizeof(void*));
        return std::aligned_alloc(unit, (std::max<std::uint64_t>(size, 1) + unit - 1) / unit * unit);
    };
    services.free = [](void*, void* memory) noexcept { std::free(memory); };
    services.parallel_for = [](void* ctx, vdt_token* token, std::uint32_t begin, std::uint32_t end, std::uint32_t grain,
                               vdt_loop_body body, void* arg) noexcept {
        return static_cast<State*>(ctx)->parallel_for(token, begin, end, grain, body, arg);
    };
    services.worker_count = [](void* ctx) noexcept { return static_cast<State*>(ctx)->threads; };
    services.cancelled = [](void*, vdt_token* token) noexcept { return state_of(token); };
    services.extension = [](void*, const char*) noexcept -> const void* { return nullptr; };
    for (std::uint32_t worker = 1; worker < threads; ++worker)
        state.helpers.emplace_back([&state, worker] { state.help(worker); });
}

TestHost::~TestHost() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stop = true;
    }
    state_->wake.notify_all();
    for (std::thread& helper : state_->helpers) helper.join();
}

const vdt_host* TestHost::services() const {
    return &state_->services;
}

namespace {

vdt_error new_error() {
    vdt_error error{};
    error.struct_size = sizeof error;
    return error;
}

[[noreturn]] void give_up(vdt_code code, const std::string& stage, const vdt_error& error) {
    throw CannotUse(code, stage + ": " + error.text);
}

}  // namespace

Backend::Backend(const std::string& library, const std::vector<std::string>& settings) : host_(3) {
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw CannotUse(VDT_E_FILE, std::string("cannot be loaded: ") + dlerror());
    const auto entry = reinterpret_cast<vdt_plugin_entry_fn>(dlsym(handle, VDT_PLUGIN_ENTRY_NAME));
    if (entry == nullptr) throw CannotUse(VDT_E_ABI, "has no entry");
    vdt_error error = new_error();
    table_ = entry(0, 0, &error);
    if (table_ == nullptr) give_up(VDT_E_ABI, "negotiation", error);
    std::vector<vdt_option> options;
    std::deque<std::string> texts;
    for (const std::string& setting : settings) {
        const std::size_t equals = setting.find('=');
        vdt_option option{};
        option.key = texts.emplace_back(setting.substr(0, equals)).c_str();
        option.kind = VDT_OPTION_TEXT;
        option.text = texts.emplace_back(setting.substr(equals + 1)).c_str();
        options.push_back(option);
    }
    vdt_code code = table_->create(host_.services(), options.empty() ? nullptr : options.data(),
                                   static_cast<std::uint32_t>(options.size()), &self_, &error);
    if (VDT_IS_ERROR(code)) give_up(code, "create", error);
    std::uint32_t devices = 0;
    code = table_->device_count(self_, &devices, &error);
    if (VDT_IS_ERROR(code)) give_up(code, "device_count", error);
    if (devices == 0) give_up(error.code, "no device", error);
    code = table_->device_open(self_, 0, &device_, &error);
    if (VDT_IS_ERROR(code)) give_up(code, "device_open", error);
}

Backend::~Backend() {
    if (device_ != nullptr) table_->device_close(device_);
    if (self_ != nullptr) table_->destroy(self_);
}

vdt_op_support Backend::general(vdt_op op) const {
    vdt_query query{};
    query.struct_size = sizeof query;
    query.op = op;
    vdt_op_support support{};
    support.struct_size = sizeof support;
    if (table_->op_support(device_, &query, &support, nullptr) != VDT_OK) support.level = VDT_SUPPORT_NO;
    return support;
}

// A query has shapes, no pixels: the plugin must not need the addresses.
vdt_query Backend::query_of(const Operation& operation, std::vector<vdt_image>& shapes,
                            std::vector<const vdt_image*>& pointers) const {
    for (const auto* images : {&operation.inputs, &operation.outputs})
        for (const vdt_image* image : *images) {
            vdt_image shape = *image;
            for (vdt_plane& plane : shape.plane) plane.base = nullptr;
            shapes.push_back(shape);
        }
    for (const vdt_image& shape : shapes) pointers.push_back(&shape);
    vdt_query query{};
    query.struct_size = sizeof query;
    query.op = operation.op;
    query.variant = operation.variant;
    query.input_count = static_cast<std::uint32_t>(operation.inputs.size());
    query.output_count = static_cast<std::uint32_t>(operation.outputs.size());
    query.inputs = pointers.data();
    query.outputs = pointers.data() + operation.inputs.size();
    query.params = operation.params;
    return query;
}

namespace {

std::uint64_t largest_part(const Operation& operation) {
    std::uint64_t largest = 0;
    for (const auto* images : {&operation.inputs, &operation.outputs})
        for (const vdt_image* image : *images)
            if (image != nullptr) largest = std::max(largest, std::uint64_t{image->width} * image->height);
    for (const vdt_list* list : operation.lists_in)
        if (list != nullptr) largest = std::max(largest, list->count);
    return largest;
}

// Ends the test case, visibly and as no failure, when the operation is larger than the environment allows.
void leave_out_large(const Operation& operation) {
    static const char* const limit = std::getenv("VEDETTE_OPS_LARGEST");
    if (limit == nullptr) return;
    const std::uint64_t largest = largest_part(operation);
    if (largest <= std::strtoull(limit, nullptr, 10)) return;
    std::cout << "left out: the rest of " << boost::unit_test::framework::current_test_case().full_name()
              << ", which has an image or list of " << largest << " entries\n";
    throw boost::execution_aborted();
}

}  // namespace

Outcome Backend::run(const Operation& operation) const {
    if (std::this_thread::get_id() == thread_) leave_out_large(operation);
    std::vector<vdt_image> shapes;
    std::vector<const vdt_image*> pointers;
    const vdt_query query = query_of(operation, shapes, pointers);
    Outcome outcome;
    outcome.support.struct_size = sizeof outcome.support;
    vdt_error error = new_error();
    const vdt_code asked = table_->op_support(device_, &query, &outcome.support, &error);
    const bool refused = asked != VDT_OK || outcome.support.level == VDT_SUPPORT_NO;
    vdt_plan* plan = nullptr;
    vdt_error plan_error = new_error();
    outcome.code = table_->plan_create(device_, &query, &plan, &plan_error);
    const std::shared_ptr<vdt_plan> owner(plan, [this](vdt_plan* made) { table_->plan_destroy(made); });
    outcome.text = plan_error.text;
    if (refused && outcome.code == VDT_OK)
        return {VDT_E_CONTRACT, std::string("a plan was made though support said no: ") + error.text, outcome.support};
    if (refused && asked != VDT_OK && asked != outcome.code)
        return {VDT_E_CONTRACT, std::string("support and plan_create refuse with different codes: ") + error.text,
                outcome.support};
    if (outcome.code != VDT_OK) return outcome;
    vdt_call call{};
    call.struct_size = sizeof call;
    call.input_count = query.input_count;
    call.output_count = query.output_count;
    call.list_in_count = static_cast<std::uint32_t>(operation.lists_in.size());
    call.list_out_count = static_cast<std::uint32_t>(operation.lists_out.size());
    call.inputs = operation.inputs.data();
    call.outputs = operation.outputs.data();
    call.lists_in = operation.lists_in.data();
    call.lists_out = operation.lists_out.data();
    call.params = operation.params;
    call.token = operation.limit != nullptr ? operation.limit->token() : nullptr;
    error = new_error();
    for (std::uint32_t turn = 0; turn < operation.runs && outcome.code == VDT_OK; ++turn)
        outcome.code = table_->plan_run(plan, &call, &error);
    outcome.text = error.text;
    return outcome;
}

std::shared_ptr<vdt_resident> Backend::resident(const vdt_image& image) const {
    if (table_->resident_create == nullptr) return nullptr;
    vdt_resident* resident = nullptr;
    vdt_error error = new_error();
    const vdt_code code = table_->resident_create(device_, &image, &resident, &error);
    if (VDT_IS_ERROR(code)) give_up(code, "resident_create", error);
    return {resident, [this](vdt_resident* made) { table_->resident_destroy(made); }};
}

}  // namespace vedette::ops
