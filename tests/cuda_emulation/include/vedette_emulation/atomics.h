// Atomic operations on global and shared memory, with their _block and _system forms. Relaxed, as on a GPU.
#pragma once
#include <atomic>

namespace vedette_emulation {

/// Replaces *address by next(*address); returns what was there.
template <typename T, typename Next>
T atomic_update(T* address, Next next) {
    std::atomic_ref<T> cell(*address);
    T old = cell.load(std::memory_order_relaxed);
    while (!cell.compare_exchange_weak(old, next(old), std::memory_order_relaxed)) {
    }
    return old;
}
template <typename T>
T atomic_add(T* address, T value) {
    return std::atomic_ref<T>(*address).fetch_add(value, std::memory_order_relaxed);
}
template <typename T>
T atomic_exchange(T* address, T value) {
    return std::atomic_ref<T>(*address).exchange(value, std::memory_order_relaxed);
}
template <typename T>
T atomic_compare_exchange(T* address, T expected, T value) {
    std::atomic_ref<T>(*address).compare_exchange_strong(expected, value, std::memory_order_relaxed);
    return expected;
}

}  // namespace vedette_emulation

// Each operation for one type and one of the three scopes.
#define VEDETTE_EMULATED_SCOPES(define, T) define(T, ) define(T, _block) define(T, _system)

#define VEDETTE_EMULATED_ADD(T, scope)                        \
    inline T atomicAdd##scope(T* address, T value) {          \
        return vedette_emulation::atomic_add(address, value); \
    }
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_ADD, int)
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_ADD, unsigned int)
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_ADD, unsigned long long)
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_ADD, float)
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_ADD, double)
#undef VEDETTE_EMULATED_ADD

#define VEDETTE_EMULATED_SUB(T, scope)                                                   \
    inline T atomicSub##scope(T* address, T value) {                                     \
        return std::atomic_ref<T>(*address).fetch_sub(value, std::memory_order_relaxed); \
    }
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_SUB, int)
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_SUB, unsigned int)
#undef VEDETTE_EMULATED_SUB

#define VEDETTE_EMULATED_EXCHANGE(T, scope)                        \
    inline T atomicExch##scope(T* address, T value) {              \
        return vedette_emulation::atomic_exchange(address, value); \
    }
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_EXCHANGE, int)
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_EXCHANGE, unsigned int)
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_EXCHANGE, unsigned long long)
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_EXCHANGE, float)
#undef VEDETTE_EMULATED_EXCHANGE

#define VEDETTE_EMULATED_CAS(T, scope)                                               \
    inline T atomicCAS##scope(T* address, T expected, T value) {                     \
        return vedette_emulation::atomic_compare_exchange(address, expected, value); \
    }
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_CAS, int)
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_CAS, unsigned int)
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_CAS, unsigned long long)
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_CAS, unsigned short)
#undef VEDETTE_EMULATED_CAS

#define VEDETTE_EMULATED_MIN_MAX(T, scope)                                                                  \
    inline T atomicMin##scope(T* address, T value) {                                                        \
        return vedette_emulation::atomic_update(address, [=](T old) { return value < old ? value : old; }); \
    }                                                                                                       \
    inline T atomicMax##scope(T* address, T value) {                                                        \
        return vedette_emulation::atomic_update(address, [=](T old) { return old < value ? value : old; }); \
    }
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_MIN_MAX, int)
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_MIN_MAX, unsigned int)
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_MIN_MAX, long long)
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_MIN_MAX, unsigned long long)
#undef VEDETTE_EMULATED_MIN_MAX

#define VEDETTE_EMULATED_BITS(T, scope)                                                  \
    inline T atomicAnd##scope(T* address, T value) {                                     \
        return std::atomic_ref<T>(*address).fetch_and(value, std::memory_order_relaxed); \
    }                                                                                    \
    inline T atomicOr##scope(T* address, T value) {                                      \
        return std::atomic_ref<T>(*address).fetch_or(value, std::memory_order_relaxed);  \
    }                                                                                    \
    inline T atomicXor##scope(T* address, T value) {                                     \
        return std::atomic_ref<T>(*address).fetch_xor(value, std::memory_order_relaxed); \
    }
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_BITS, int)
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_BITS, unsigned int)
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_BITS, unsigned long long)
#undef VEDETTE_EMULATED_BITS

#define VEDETTE_EMULATED_COUNT(T, scope)                                                                            \
    inline T atomicInc##scope(T* address, T limit) {                                                                \
        return vedette_emulation::atomic_update(address,                                                            \
                                                [=](T old) { return old >= limit ? static_cast<T>(0) : old + 1; }); \
    }                                                                                                               \
    inline T atomicDec##scope(T* address, T limit) {                                                                \
        return vedette_emulation::atomic_update(address,                                                            \
                                                [=](T old) { return old == 0 || old > limit ? limit : old - 1; });  \
    }
VEDETTE_EMULATED_SCOPES(VEDETTE_EMULATED_COUNT, unsigned int)
#undef VEDETTE_EMULATED_COUNT
#undef VEDETTE_EMULATED_SCOPES
