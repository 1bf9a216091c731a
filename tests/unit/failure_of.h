// Runs something that must fail and gives the failure.
#pragma once

#include "core/failure.h"

#include <string>
#include <utility>

namespace vedette::test {

// The Failure that `body` throws; VDT_OK and an empty text when it throws none.
template <class Body>
host::Failure failure_of(Body&& body) {
    try {
        std::forward<Body>(body)();
    } catch (const host::Failure& failure) {
        return failure;
    }
    return host::Failure(VDT_OK, "");
}

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace vedette::test
