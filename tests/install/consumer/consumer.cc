// consumer.c in C++.
#include <cstdio>
#include <cstring>
#include <vedette/vedette.hpp>

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    try {
        const vedette::Context context;
        vedette::Screen screen = context.screen(argv[1]);
        vedette::Pattern pattern = context.pattern(argv[2]);
        const vedette::Result result = context.find(screen, pattern);
        const auto matches = result.matches();
        if (matches.empty()) return 1;
        std::printf("%.0f,%.0f", matches[0].x, matches[0].y);
        for (const vdt_backend_info& backend : context.backends()) {
            if (std::strcmp(backend.backend, result.run().backend) == 0) std::printf(" %s", backend.library);
        }
        std::printf("\n");
        return 0;
    } catch (const vedette::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
