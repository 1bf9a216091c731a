// Instances and devices: made, listed, opened, and gone without a trace.
#include "checks.h"
#include "run_case.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <set>

namespace vedette::conformance {

std::string check_create(const Arguments& arguments, std::uint32_t) {
    Host host;
    const Library library(arguments.plugin);
    Instance instance(library.table(), arguments, host);
    instance.destroy();
    host.close();
    host.demand_no_fault();
    demand(host.live_blocks() == 0, "host memory was not given back by destroy");
    return "";
}

std::string check_options(const Arguments& arguments, std::uint32_t) {
    Host host;
    const Library library(arguments.plugin);
    const vdt_plugin& table = library.table();
    vdt_option option{};
    option.key = "no-such-option";
    option.kind = VDT_OPTION_INTEGER;
    vdt_self* self = nullptr;
    const Answer answer =
        call("create", table.create, host.table(), static_cast<const vdt_option*>(&option), 1u, &self);
    demand(answer.code == VDT_E_OPTION,
           "create answers an unknown option with " + describe(answer) + ", not VDT_E_OPTION");
    demand(answer.text.find("no-such-option") != std::string::npos,
           "the refusal does not name the unknown option: \"" + answer.text + "\"");
    demand(self == nullptr, "create failed but left an instance");
    demand(host.live_blocks() == 0, "create failed and kept host memory");
    return "";
}

std::string check_extension(const Arguments& arguments, std::uint32_t) {
    Session session(arguments);
    if (session.table().extension == nullptr) return "the plugin has no extensions";
    demand(may_throw(session.table().extension)(session.self(), "vedette.no-such-extension/1") == nullptr,
           "an unknown extension gives something");
    demand(may_throw(session.table().extension)(session.self(), nullptr) == nullptr,
           "the extension NULL gives something");
    return "";
}

namespace {

std::string terminated(const char* text, std::size_t size, const char* what) {
    demand(std::memchr(text, 0, size) != nullptr, std::string("device_info does not end the text `") + what + "`");
    return text;
}

}  // namespace

std::string check_devices(const Arguments& arguments, std::uint32_t) {
    Host host;
    const Library library(arguments.plugin);
    const vdt_plugin& table = library.table();
    Instance instance(table, arguments, host);
    vdt_error error = empty_error();
    std::uint32_t count = 0;
    const vdt_code code = table.device_count(instance.self(), &count, &error);
    demand(code == VDT_OK, "device_count answers " + code_text(code));
    if (count == 0) {
        demand(error.code == VDT_E_NO_DRIVER || error.code == VDT_E_NO_DEVICE,
               "there are no devices, and the error record does not say VDT_E_NO_DRIVER or VDT_E_NO_DEVICE");
        demand(*error.text != '\0', "there are no devices, and the error record holds no reason");
        return std::string("no device: ") + error.text;
    }
    std::string names;
    std::set<std::string> uids;
    for (std::uint32_t i = 0; i < count; ++i) {
        vdt_device_info info;
        std::memset(&info, 0x5A, sizeof info);
        info.struct_size = sizeof info;
        const Answer answer = call("device_info", table.device_info, instance.self(), i, &info);
        demand(answer.ok(), "device_info of device " + std::to_string(i) + " answers " + describe(answer));
        const std::string name = terminated(info.name, sizeof info.name, "name");
        const std::string uid = terminated(info.uid, sizeof info.uid, "uid");
        terminated(info.driver, sizeof info.driver, "driver");
        demand(!name.empty() && !uid.empty(), "device " + std::to_string(i) + " has no name or no uid");
        demand(uid.starts_with("pci:") || uid.starts_with("uuid:") || uid.starts_with("cpu:"),
               "the uid \"" + uid + "\" does not begin with pci:, uuid: or cpu:");
        demand(uids.insert(uid).second, "two devices have the uid \"" + uid + "\"");
        demand(info.kind >= VDT_DEVICE_CPU && info.kind <= VDT_DEVICE_ACCELERATOR,
               "the device's kind " + std::to_string(info.kind) + " does not exist");
        demand(info.max_width > 0 && info.max_height > 0 && info.max_pixels > 0, "the device accepts no image at all");
        demand(info.memory_mask != 0 && info.memory_mask < 1u << (VDT_MEMORY_NATIVE + 1),
               "the memory mask is 0 or names unknown kinds");
        demand((info.flags & ~std::uint32_t{VDT_DEVICE_NO_COSTS}) == 0, "the device has flags that do not exist");
        names += (names.empty() ? "" : ", ") + name;
    }
    vdt_device_info info{};
    info.struct_size = sizeof info;
    for (const std::uint32_t wrong : {count, 0xFFFFFFFFu}) {
        demand(VDT_IS_CALLER_FAULT(call("device_info", table.device_info, instance.self(), wrong, &info).code),
               "device_info of a device that does not exist is not refused with -1xx");
        vdt_device* device = nullptr;
        demand(VDT_IS_ERROR(call("device_open", table.device_open, instance.self(), wrong, &device).code) &&
                   device == nullptr,
               "device_open of a device that does not exist is not refused");
    }
    return names;
}

std::string check_open(const Arguments& arguments, std::uint32_t) {
    Session session(arguments);
    session.close();
    return "";
}

std::string check_repeat(const Arguments& arguments, std::uint32_t) {
    constexpr int warm_up = 10, times = 100;
    constexpr std::size_t allowed_growth = std::size_t{4} << 20;
    const std::size_t own_threads = thread_count();
    std::size_t threads = 0, descriptors = 0, memory = 0;
    bool runs = true;
    for (int i = 0; i < warm_up + times; ++i) {
        Session session(arguments);
        if (runs) {
            try {
                Case some = any_case(session);
                (void)run_case(session, some);
            } catch (const NothingToCheck&) {
                runs = false;
            }
        }
        session.close();
        if (i + 1 == warm_up) {
            threads = thread_count();
            descriptors = descriptor_count();
            memory = resident_bytes();
        }
    }
    const std::size_t more_threads = thread_count() - threads;
    demand(thread_count() <= threads,
           std::to_string(more_threads) + " more threads after 100 times create and destroy");
    const std::size_t left = thread_count() - own_threads;
    demand(left == 0 || arguments.driver_threads, "threads of the plugin run on after destroy");
    demand(descriptor_count() <= descriptors,
           std::to_string(descriptor_count() - descriptors) + " more open files after 100 times create and destroy");
    const std::size_t now = resident_bytes();
    demand(now <= memory + allowed_growth,
           "memory grew by " + std::to_string((now - memory) >> 10) + " KiB in 100 times create and destroy");
    return left == 0 ? "" : std::to_string(left) + " threads of the driver stay";
}

std::string check_two_instances(const Arguments& arguments, std::uint32_t) {
    Session second(arguments);
    {
        Session first(arguments);
        demand(first.self() != second.self(), "two calls of create give the same instance");
        try {
            Case some = any_case(first);
            (void)run_case(first, some);
            Case other = any_case(second);
            (void)run_case(second, other);
        } catch (const NothingToCheck&) {
            // Nothing runs here; that both exist is what can be seen.
        }
        first.close();
    }
    try {
        Case some = any_case(second);
        (void)run_case(second, some);
    } catch (const NothingToCheck&) {
    }
    second.close();
    return "";
}

std::string check_quiet(const Arguments& arguments, std::uint32_t) {
    const int caught = memfd_create("output", 0);
    demand(caught >= 0, "the system gives no memory file to catch output in");
    const int output = dup(1), errors = dup(2);
    dup2(caught, 1);
    dup2(caught, 2);
    std::string failure;
    try {
        Session session(arguments);
        Case some = any_case(session);
        (void)run_case(session, some);
        Answer answer;
        vdt_query wrong{};
        wrong.struct_size = sizeof wrong;
        wrong.op = VDT_OP_COUNT;
        (void)make_plan(session, &wrong, answer);
        session.close();
    } catch (const NothingToCheck&) {
    } catch (const Broken& broken) {
        failure = broken.what();
    }
    std::fflush(nullptr);
    dup2(output, 1);
    dup2(errors, 2);
    demand(failure.empty(), failure);
    demand(lseek(caught, 0, SEEK_END) == 0, "the plugin writes to standard output or standard error");
    return "";
}

}  // namespace vedette::conformance
