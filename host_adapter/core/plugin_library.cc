#include "plugin_library.h"

#include "plugin_call.h"

#include <dlfcn.h>
#include <boost/dll/shared_library.hpp>

#include <algorithm>
#include <memory>
#include <mutex>

namespace vedette::host {
namespace {

namespace dll = boost::dll;

// Never destroyed: the destructor of a shared_library would close it. Locked around every use; what is loaded twice is
// one library to the system too.
struct Loaded {
    std::mutex mutex;
    std::vector<std::unique_ptr<dll::shared_library>> libraries;
};

Loaded& loaded() {
    static Loaded& all = *new Loaded;
    return all;
}

LoadedTable refused(const char* stage, vdt_code code, std::string reason) {
    LoadedTable result;
    result.stage = stage;
    result.code = code;
    result.reason = std::move(reason);
    return result;
}

// dlerror's sentence; Boost puts words of its own before it.
std::string load_error(const std::string& what) {
    for (const char* mark : {"boost::dll::shared_library::load() failed (dlerror system message: ",
                             "boost::dll::shared_library::get() failed (dlerror system message: "}) {
        const std::size_t at = what.find(mark);
        if (at == std::string::npos) continue;
        std::string text = what.substr(at + std::string(mark).size());
        const std::size_t end = text.rfind("): ");
        return one_line(text.substr(0, end).c_str(), 1000);
    }
    return one_line(what.c_str(), 1000);
}

// The first slot of the table that is missing, or NULL.
const char* missing_slot(const vdt_plugin& table) {
    if (table.create == nullptr) return "create";
    if (table.destroy == nullptr) return "destroy";
    if (table.device_count == nullptr) return "device_count";
    if (table.device_info == nullptr) return "device_info";
    if (table.device_open == nullptr) return "device_open";
    if (table.device_close == nullptr) return "device_close";
    if (table.op_support == nullptr) return "op_support";
    if (table.op_variant == nullptr) return "op_variant";
    if (table.plan_create == nullptr) return "plan_create";
    if (table.plan_run == nullptr) return "plan_run";
    if (table.plan_destroy == nullptr) return "plan_destroy";
    if ((table.resident_create == nullptr) != (table.resident_destroy == nullptr))
        return table.resident_create == nullptr ? "resident_create" : "resident_destroy";
    return nullptr;
}

}  // namespace

LoadedTable negotiate(vdt_plugin_entry_fn entry, const std::string& id) {
    const auto refuse = [](vdt_code code, const std::string& reason) {
        return refused("negotiate", code, reason + ".");
    };
    vdt_error error{};
    error.struct_size = sizeof error;
    const vdt_plugin* table = nullptr;
    try {
        table = may_throw(entry)(0, VDT_ABI_MINOR, &error);
    } catch (...) {
        return refuse(VDT_E_EXCEPTION, "Its entry threw an exception");
    }
    if (table == nullptr) {
        const std::string text = one_line(error.text, sizeof error.text);
        return refused("negotiate", VDT_E_ABI, text.empty() ? "Its entry gave no table and no reason." : text);
    }
    if (table->struct_size < sizeof(vdt_plugin))
        return refuse(VDT_E_CONTRACT, "Its table has " + std::to_string(table->struct_size) + " bytes where " +
                                          std::to_string(sizeof(vdt_plugin)) + " are needed");
    if (const char* slot = missing_slot(*table)) return refuse(VDT_E_CONTRACT, std::string("Its table lacks ") + slot);
    if (table->id == nullptr || table->version == nullptr || table->description == nullptr)
        return refuse(VDT_E_CONTRACT, "Its table lacks id, version or description");
    const std::string own_id = one_line(table->id, 64);
    if (own_id != id)
        return refuse(VDT_E_CONTRACT, "It calls itself \"" + own_id + "\", its manifest calls it \"" + id + "\"");
    if (table->streams != nullptr && table->streams->struct_size < sizeof(vdt_streams))
        return refuse(VDT_E_CONTRACT, "Its table of streams is too short");
    LoadedTable result;
    result.table = table;
    result.abi_minor = std::min<std::uint32_t>(table->abi_minor, VDT_ABI_MINOR);
    return result;
}

LoadedTable load_plugin(const std::filesystem::path& library, const std::string& id,
                        const std::vector<std::string>& needs, const std::function<void(const char* stage)>& entering) {
    Loaded& all = loaded();
    const std::lock_guard lock(all.mutex);
    if (entering) entering("needs");
    for (const std::string& need : needs) {
        // Kept open on purpose: the plugin is about to use it.
        if (::dlopen(need.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
            const char* const why = ::dlerror();
            return refused("needs", VDT_E_NO_DRIVER,
                           "It needs " + need + ", which is not here (" + one_line(why, 400) + ").");
        }
    }
    if (entering) entering("load");
    auto opened = std::make_unique<dll::shared_library>();
    try {
        opened->load(library, dll::load_mode::rtld_now | dll::load_mode::rtld_local);
    } catch (const std::exception& exception) {
        return refused("load", VDT_E_REFUSED, "It cannot be loaded: " + load_error(exception.what()) + ".");
    } catch (...) {
        return refused("load", VDT_E_EXCEPTION, "It threw an exception while it was loaded.");
    }
    dll::shared_library& kept = *opened;
    all.libraries.push_back(std::move(opened));
    if (entering) entering("negotiate");
    using Entry = const vdt_plugin*(std::uint32_t, std::uint32_t, vdt_error*);
    try {
        return negotiate(reinterpret_cast<vdt_plugin_entry_fn>(&kept.get<Entry>(VDT_PLUGIN_ENTRY_NAME)), id);
    } catch (const std::exception&) {
        return refused("negotiate", VDT_E_ABI,
                       "It exports no " VDT_PLUGIN_ENTRY_NAME ": it is no plugin, or one of another ABI version.");
    }
}

}  // namespace vedette::host
