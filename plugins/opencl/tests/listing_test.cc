// Prints what the OpenCL plugin says of its devices. usage: vedette_opencl_listing_test PLUGIN.so
#include <vedette/plugin/plugin.h>

#include <cstdint>
#include <cstdio>

#include <dlfcn.h>

namespace {

vdt_host quiet_host() {
    vdt_host host{};
    host.struct_size = sizeof host;
    host.log = [](void*, std::uint32_t, const char*) noexcept {};
    host.alloc = [](void*, std::uint64_t, std::uint64_t) noexcept -> void* { return nullptr; };
    host.free = [](void*, void*) noexcept {};
    host.parallel_for = [](void*, vdt_token*, std::uint32_t begin, std::uint32_t end, std::uint32_t, vdt_loop_body body,
                           void* arg) noexcept -> vdt_code {
        body(arg, begin, end, 0);
        return VDT_OK;
    };
    host.worker_count = [](void*) noexcept -> std::uint32_t { return 1; };
    host.cancelled = [](void*, vdt_token*) noexcept -> vdt_code { return VDT_OK; };
    host.extension = [](void*, const char*) noexcept -> const void* { return nullptr; };
    return host;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::puts("usage: vedette_opencl_listing_test PLUGIN.so");
        return 2;
    }
    void* const library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        std::printf("cannot be loaded: %s\n", dlerror());
        return 1;
    }
    const auto entry = reinterpret_cast<vdt_plugin_entry_fn>(dlsym(library, VDT_PLUGIN_ENTRY_NAME));
    const vdt_plugin* const table = entry == nullptr ? nullptr : entry(0, 0, nullptr);
    if (table == nullptr) return 1;
    const vdt_host host = quiet_host();
    vdt_error error{};
    error.struct_size = sizeof error;
    vdt_self* self = nullptr;
    std::uint32_t devices = 0;
    if (table->create(&host, nullptr, 0, &self, &error) != VDT_OK ||
        table->device_count(self, &devices, &error) != VDT_OK) {
        std::printf("failed: %s\n", error.text);
        return 1;
    }
    if (devices == 0) {
        // Where the loader itself is missing it cannot miss drivers.
        if (error.code == VDT_E_NO_DRIVER && dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL) == nullptr)
            std::printf("skip: %s\n", error.text);
        else
            std::printf("0 devices, reason %d: %s\n", error.code, error.text);
    }
    for (std::uint32_t index = 0; index < devices; ++index) {
        vdt_device_info info{};
        info.struct_size = sizeof info;
        if (table->device_info(self, index, &info, &error) == VDT_OK)
            std::printf("device %u: %s, %s, %s\n", index, info.name, info.uid, info.driver);
    }
    table->destroy(self);
    return 0;
}
