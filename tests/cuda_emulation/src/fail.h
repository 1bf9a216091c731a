// The end of a test whose kernel broke a rule that no error code stands for.
#pragma once

namespace vedette_emulation {

/// Prints one sentence to the standard error stream and aborts.
[[noreturn]] __attribute__((format(printf, 1, 2))) void fail(const char* format, ...);

}  // namespace vedette_emulation
