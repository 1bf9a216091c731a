// Loops on the host's thread pool.
#pragma once

#include <vedette/plugin/cpp/loop.hpp>

#include "op.h"

namespace vedette::cpu {

using plugin::throw_unless_done;

// plugin::parallel_for on the device's host.
template <class Body>
void parallel_for(const Device& device, vdt_token* token, std::uint32_t begin, std::uint32_t end, std::uint32_t grain,
                  const Body& body) {
    plugin::parallel_for(*device.host, token, begin, end, grain, body);
}

inline void throw_if_cancelled(const Device& device, vdt_token* token) {
    plugin::throw_if_cancelled(*device.host, token);
}

}  // namespace vedette::cpu
