// What every function of the runtime does first and last.
#pragma once
#include "settings.h"

namespace vedette_emulation {

/// What a function cannot do without.
enum class Needs {
    nothing,  // answers even without a driver
    driver,
    device,  // a current device whose context is sound
};

/// Counts the call and says whether it fails before it has begun: a fault that was set, no driver, no device, an error
/// that stays.
cudaError_t enter(const char* function, Needs needs);
/// Keeps an error as the calling thread's last one and returns it.
cudaError_t answer(cudaError_t error);
/// From now on every call for this device fails with it.
void make_sticky(int device, cudaError_t error);
/// The calling thread's current device.
int current_device();

/// body() between enter() and answer().
template <typename Body>
cudaError_t call(const char* function, Needs needs, Body&& body) {
    const cudaError_t error = enter(function, needs);
    return answer(error != cudaSuccess ? error : body());
}

}  // namespace vedette_emulation
