#include "bench_peer_library.h"

#include <vedette/vedette.h>

#include <dlfcn.h>

#include <filesystem>

namespace vedette::cli {

BenchPeer load_bench_peer() {
    Dl_info library{};
    if (dladdr(reinterpret_cast<const void*>(&vdt_version), &library) == 0 || library.dli_fname == nullptr) {
        return {nullptr, "libvedette's own file is not known"};
    }
    std::error_code error;
    const std::filesystem::path own = std::filesystem::canonical(library.dli_fname, error);
    const std::filesystem::path file = own.parent_path() / "vedette" / "vedette-bench-opencv.so";
    if (error || !std::filesystem::exists(file, error)) {
        return {nullptr, "vedette-bench-opencv.so is not installed"};
    }
    void* const module = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
        return {nullptr, dlerror()};
    }
    const auto entry = reinterpret_cast<vedette_bench_peer_entry_fn>(dlsym(module, VEDETTE_BENCH_PEER_ENTRY_NAME));
    const vedette_bench_peer* peer = entry != nullptr ? entry() : nullptr;
    if (peer == nullptr || peer->struct_size < sizeof *peer) {
        return {nullptr, file.string() + " belongs to another version"};
    }
    return {peer, ""};
}

}  // namespace vedette::cli
