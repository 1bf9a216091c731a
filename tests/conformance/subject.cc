#include "subject.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace vedette::conformance {

std::string code_text(vdt_code code) {
    std::string meaning = "no code of the ABI";
    if (code == VDT_OK) meaning = "done";
    if (code == VDT_INCOMPLETE) meaning = "list too small";
    if (code == VDT_NOT_READY) meaning = "not ready";
    if (VDT_IS_CALLER_FAULT(code)) meaning = "caller's fault";
    if (VDT_IS_UNSUPPORTED(code)) meaning = "not supported here";
    if (VDT_IS_PRESSURE(code)) meaning = "pressure";
    if (VDT_IS_UNAVAILABLE(code)) meaning = "device unusable";
    if (VDT_IS_PLUGIN_BUG(code)) meaning = "bug in the plugin";
    return std::to_string(code) + " (" + meaning + ")";
}

std::string describe(const Answer& answer) {
    return code_text(answer.code) + (answer.text.empty() ? "" : ": \"" + answer.text + "\"");
}

vdt_error empty_error() noexcept {
    vdt_error error{};
    error.struct_size = sizeof error;
    return error;
}

Answer to_answer(vdt_code code, const vdt_error& error, const char* slot) {
    demand(std::memchr(error.text, 0, sizeof error.text) != nullptr,
           std::string(slot) + " filled the error's text without ending it");
    return {code, error.text};
}

Library::Library(const std::string& path) {
    // An absolute path: a bare name would be searched in the system's folders.
    const std::string absolute = std::filesystem::absolute(path).string();
    void* handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw Broken(std::string("it cannot be loaded: ") + dlerror());
    void* symbol = dlsym(handle, VDT_PLUGIN_ENTRY_NAME);
    demand(symbol != nullptr,
           "it does not export " VDT_PLUGIN_ENTRY_NAME ": no backend, or one for another major version");
    entry_ = reinterpret_cast<vdt_plugin_entry_fn>(symbol);
}

const vdt_plugin& Library::table() const {
    vdt_error why = empty_error();
    const vdt_plugin* table = nullptr;
    try {
        table = may_throw(entry_)(0, VDT_ABI_MINOR, &why);
    } catch (...) {
        throw Broken("the entry let an exception out");
    }
    if (table == nullptr) throw Broken("the entry refused: " + to_answer(why.code, why, "the entry").text);
    return *table;
}

Options::Options(const Arguments& arguments) {
    for (const auto& [key, value] : arguments.options) {
        vdt_option option{};
        option.key = key.c_str();
        char* end = nullptr;
        errno = 0;
        option.integer = std::strtoll(value.c_str(), &end, 10);
        const bool whole = errno == 0 && !value.empty() && *end == '\0';
        option.kind = whole ? VDT_OPTION_INTEGER : VDT_OPTION_TEXT;
        if (!whole) {
            option.integer = 0;
            option.text = value.c_str();
        }
        options_.push_back(option);
    }
}

Instance::Instance(const vdt_plugin& table, const Arguments& arguments, Host& host) : table_(table) {
    const Options options(arguments);
    const Answer answer = call("create", table.create, host.table(), options.data(), options.count(), &self_);
    demand(answer.ok(), "create failed with " + describe(answer));
    demand(self_ != nullptr, "create returned VDT_OK without an instance");
}

std::uint32_t Instance::device_count() const {
    std::uint32_t count = 0;
    const Answer answer = call("device_count", table_.device_count, self_, &count);
    demand(answer.ok(), "device_count failed with " + describe(answer));
    return count;
}

void Instance::destroy() noexcept {
    if (self_ != nullptr) table_.destroy(std::exchange(self_, nullptr));
}

Session::Session(const Arguments& arguments)
    : library_(arguments.plugin), table_(library_.table()), instance_(table_, arguments, host_) {
    const std::uint32_t count = instance_.device_count();
    if (arguments.device >= count) {
        throw NothingToCheck(count == 0 ? "the plugin has no device on this machine"
                                        : "there is no device " + std::to_string(arguments.device));
    }
    const Answer answer = call("device_open", table_.device_open, self(), arguments.device, &device_);
    demand(answer.ok(), "device_open failed with " + describe(answer));
    demand(device_ != nullptr, "device_open returned VDT_OK without a device");
}

Session::~Session() {
    if (device_ != nullptr) table_.device_close(device_);
}

void Session::close() {
    if (device_ != nullptr) table_.device_close(std::exchange(device_, nullptr));
    instance_.destroy();
    host_.close();
    host_.demand_no_fault();
    const std::size_t left = host_.live_blocks();
    demand(left == 0, std::to_string(left) + " blocks of host memory were not given back by destroy");
}

namespace {

std::size_t entries_of(const char* folder) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
    return count;
}

}  // namespace

std::size_t thread_count() {
    return entries_of("/proc/self/task");
}
std::size_t descriptor_count() {
    return entries_of("/proc/self/fd");
}

// 0 under a sanitizer, which holds on to freed memory for a while: that would look like growth.
std::size_t resident_bytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 0;
#endif
    std::ifstream file("/proc/self/statm");
    std::size_t total = 0, resident = 0;
    file >> total >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace vedette::conformance
