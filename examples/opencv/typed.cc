// Finds a picture on a screenshot with vedette/opencv.hpp: OpenCV's types, the backend of your choice. OUT.png: the
// place framed, with what is around it.
#include <cstdio>
#include <opencv2/imgcodecs.hpp>
#include <vedette/opencv.hpp>

int main(int argc, char** argv) try {
    if (argc < 4) return std::fprintf(stderr, "usage: %s SCREEN PICTURE OUT.png [BACKEND]\n", argv[0]), 2;
    const cv::Mat screen = cv::imread(argv[1]), picture = cv::imread(argv[2]);
    if (screen.empty() || picture.empty()) return std::fprintf(stderr, "an image cannot be read\n"), 2;
    for (const auto& [backend, target] : vedette::opencv::getAvailableBackends())
        std::printf("there is %s:%d\n", backend.c_str(), target);
    vedette::opencv::setPreferableBackend(argc > 4 ? argv[4] : "auto");
    cv::Mat scores;
    const auto run = vedette::opencv::matchTemplate(screen, picture, scores, cv::TM_CCOEFF_NORMED);
    double score = 0;
    cv::Point place;
    cv::minMaxLoc(scores, nullptr, &score, nullptr, &place);
    std::printf("%d,%d score %.4f in %.1f ms by %s\n", place.x, place.y, score, run.milliseconds, run.backend.c_str());
    cv::rectangle(screen, cv::Rect(place, picture.size()), {0, 160, 0}, 2);
    const cv::Rect around(place - cv::Point(60, 200), picture.size() + cv::Size(220, 320));
    cv::imwrite(argv[3], screen(around & cv::Rect({}, screen.size())));
} catch (const vedette::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 2;
}
