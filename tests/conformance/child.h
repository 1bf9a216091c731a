// Runs checks in processes of their own, so that a plugin that crashes or hangs costs one check.
#pragma once

#include "check.h"

namespace vedette::conformance {

enum class Verdict { pass, fail, skip };

struct Result {
    Verdict verdict = Verdict::fail;
    std::string text;  // reason of a failure or skip, or a note
    double milliseconds = 0;
};

// Forks; the child loads the plugin and runs the check. This process never loads it and has no other thread.
Result run_in_child(const Check& check, const Arguments& arguments);

}  // namespace vedette::conformance
