// vedette-probe-plugin: see trial.h.
#include "trial.h"

#if defined(__SANITIZE_ADDRESS__)
// What a plugin leaks is no reason to refuse it, and this process ends right after.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
    return "detect_leaks=0";
}
#endif

int main(int argc, char** argv) {
    return vedette::host::serve_trial(argc, argv);
}
