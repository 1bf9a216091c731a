// Finds a picture on a screenshot with vedette/opencv.hpp: OpenCV's types, the backend of your choice.
#include <cstdio>
#include <opencv2/imgcodecs.hpp>
#include <vedette/opencv.hpp>

int main(int argc, char** argv) try {
    if (argc < 3) return std::fprintf(stderr, "usage: %s SCREEN PICTURE [BACKEND]\n", argv[0]), 2;
    const cv::Mat screen = cv::imread(argv[1]), picture = cv::imread(argv[2]);
    if (screen.empty() || picture.empty()) return std::fprintf(stderr, "an image cannot be read\n"), 2;
    for (const auto& [backend, target] : vedette::opencv::getAvailableBackends())
        std::printf("there is %s:%d\n", backend.c_str(), target);
    vedette::opencv::setPreferableBackend(argc > 3 ? argv[3] : "auto");
    cv::Mat scores;
    const auto run = vedette::opencv::matchTemplate(screen, picture, scores, cv::TM_CCOEFF_NORMED);
    double score = 0;
    cv::Point place;
    cv::minMaxLoc(scores, nullptr, &score, nullptr, &place);
    std::printf("%d,%d score %.4f in %.1f ms by %s\n", place.x, place.y, score, run.milliseconds, run.backend.c_str());
} catch (const vedette::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 2;
}
