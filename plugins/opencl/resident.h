// An image kept in device memory, with what operations compute from it.
#pragma once

#include "operands.h"

namespace vedette::opencl {

// Results that operations keep here (plugin::Resident::get) are complete when `make` returns: it waits for its queue,
// since the next user may be on another one.
class Resident : public plugin::Resident {
public:
    Resident(const Device& device, const vdt_image& image);

    const DeviceImage& on_device() const noexcept { return on_device_; }

private:
    Buffer<std::byte> pixels_;
    DeviceImage on_device_;
};

inline Resident* resident_of(const vdt_image& image) noexcept {
    return plugin::resident_of<Resident>(image);
}

}  // namespace vedette::opencl
