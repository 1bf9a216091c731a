// find_button_cpp SCREEN PATTERN [OUT.png]: as find_button, in C++: all places of the pattern, with owners and
// exceptions. Exit status: 0 found, 1 not found, 2 error.
#include <vedette/vedette.hpp>

#include <cstdio>

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: find_button_cpp SCREEN PATTERN [OUT.png]\n");
        return 2;
    }
    try {
        vedette::Context context;
        vedette::Screen screen = context.screen(argv[1]);
        vedette::Pattern pattern = context.pattern(argv[2]);
        vedette::FindOptions options;
        options.all = 1;
        const vedette::Result result = context.find(screen, pattern, options);
        for (const vedette::Match& match : result.matches())
            std::printf("%.0f, %.0f, %.0f x %.0f (score %.3f)\n", match.x, match.y, match.w, match.h, match.score);
        if (argc > 3) result.annotate(screen, argv[3]);
        if (!result.matches().empty()) return 0;
        std::printf("not found: %s\n", vdt_reason_text(result.outcome().reason));
        return 1;
    } catch (const vedette::Error& error) {
        std::fprintf(stderr, "find_button_cpp: %s\n", error.what());
        return 2;
    }
}
