// Loads and stores with cache hints: plain ones here. The types are CUDA's: numbers and vectors of up to 16 bytes.
#pragma once
#include <type_traits>

#define VEDETTE_EMULATED_LOAD(name)                                                                    \
    template <typename T>                                                                              \
    T name(const T* address) {                                                                         \
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16, "no such load on a device"); \
        return *address;                                                                               \
    }
VEDETTE_EMULATED_LOAD(__ldg)
VEDETTE_EMULATED_LOAD(__ldca)
VEDETTE_EMULATED_LOAD(__ldcg)
VEDETTE_EMULATED_LOAD(__ldcs)
VEDETTE_EMULATED_LOAD(__ldlu)
VEDETTE_EMULATED_LOAD(__ldcv)
#undef VEDETTE_EMULATED_LOAD

#define VEDETTE_EMULATED_STORE(name)                                                                    \
    template <typename T>                                                                               \
    void name(T* address, std::type_identity_t<T> value) {                                              \
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16, "no such store on a device"); \
        *address = value;                                                                               \
    }
VEDETTE_EMULATED_STORE(__stwb)
VEDETTE_EMULATED_STORE(__stcg)
VEDETTE_EMULATED_STORE(__stcs)
VEDETTE_EMULATED_STORE(__stwt)
#undef VEDETTE_EMULATED_STORE
