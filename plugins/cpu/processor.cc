#include "processor.h"

#include <cstdio>

#ifdef VEDETTE_CPU_X86
#include <cpuid.h>

#include <array>
#include <cstring>
#else
#include <sys/utsname.h>
#endif

namespace vedette::cpu {

bool runs(Isa isa) noexcept {
    switch (isa) {
        case Isa::portable:
            return true;
        case Isa::avx2:
        case Isa::avx512:
            break;
    }
#ifdef VEDETTE_CPU_X86
    // __builtin_cpu_supports looks at CPUID and at XCR0: a bit of CPUID alone says that the processor has wide
    // registers, not that the operating system keeps them across a switch of threads (a kernel or hypervisor may leave
    // them off).
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                      __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("lzcnt");
    if (isa == Isa::avx2) return avx2;
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vnni");
#else
    return false;
#endif
}

Isa best_isa() noexcept {
    if (runs(Isa::avx512)) return Isa::avx512;
    return runs(Isa::avx2) ? Isa::avx2 : Isa::portable;
}

namespace {

std::uint64_t read_last_cache_bytes() noexcept {
    // The system's own account: in a virtual machine the processor may name the cache of the whole host.
    constexpr std::uint64_t usual = 24u << 20;
    std::FILE* const file = std::fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "re");
    if (file == nullptr) return usual;
    unsigned long kibibytes = 0;
    const bool known = std::fscanf(file, "%luK", &kibibytes) == 1 && kibibytes != 0 && kibibytes < 1ul << 24;
    std::fclose(file);
    return known ? std::uint64_t{kibibytes} << 10 : usual;
}

}  // namespace

std::uint64_t last_cache_bytes() noexcept {
    static const std::uint64_t bytes = read_last_cache_bytes();
    return bytes;
}

bool goes_past_caches(std::uint64_t bytes) noexcept {
    return bytes > last_cache_bytes();
}

const char* name_of(Isa isa) noexcept {
    switch (isa) {
        case Isa::avx2:
            return "avx2";
        case Isa::avx512:
            return "avx512";
        case Isa::portable:
            break;
    }
    return "portable";
}

#ifdef VEDETTE_CPU_X86

std::string processor_name() {
    constexpr unsigned first_leaf = 0x80000002u;  // the brand string: 48 bytes in the registers of three leaves
    constexpr unsigned last_leaf = 0x80000004u;
    std::array<char, 49> brand{};
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (__get_cpuid(0x80000000u, &eax, &ebx, &ecx, &edx) != 0 && eax >= last_leaf) {
        for (unsigned leaf = first_leaf; leaf <= last_leaf; ++leaf) {
            __get_cpuid(leaf, &eax, &ebx, &ecx, &edx);
            const std::array<unsigned, 4> registers{eax, ebx, ecx, edx};
            std::memcpy(brand.data() + (leaf - first_leaf) * sizeof registers, registers.data(), sizeof registers);
        }
    }
    std::string name(brand.data());
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    return name.empty() ? "x86-64 processor" : name;
}

#else

std::string processor_name() {
    utsname system{};
    if (uname(&system) != 0 || system.machine[0] == '\0') return "processor";
    return std::string(system.machine) + " processor";
}

#endif

}  // namespace vedette::cpu
