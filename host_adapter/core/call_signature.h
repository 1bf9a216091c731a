// What a choice depends on, as a short key: two calls with one key are decided alike.
#pragma once

#include "execution.h"

#include <cstdint>
#include <string>

namespace vedette::host {

struct CallSignature {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    bool operator==(const CallSignature&) const = default;
};

// Of an operation that passed check_operation: operation, backend that was asked for, formats, sizes and places of all
// images, which devices keep them, lengths of lists to three binary digits, the parameters that costs depend on, and
// how busy the picture is where that decides about the work. Of large parameters (a classifier's text) length and
// samples stand for the whole: a collision costs a slower choice and never a wrong result. `state` stands for what else
// a choice depends on. Does not allocate; well under a microsecond for a find of a few patterns.
CallSignature call_signature(const Operation& operation, const std::string& backend, std::uint64_t state) noexcept;

}  // namespace vedette::host
