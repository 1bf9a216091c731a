// A program as it is: finds a picture on a screenshot with OpenCV. Prints place, score and time.
#include <chrono>
#include <cstdio>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

int main(int argc, char** argv) {
    if (argc != 3) return std::fprintf(stderr, "usage: %s SCREEN PICTURE\n", argv[0]), 2;
    const cv::Mat screen = cv::imread(argv[1]), picture = cv::imread(argv[2]);
    if (screen.empty() || picture.empty()) return std::fprintf(stderr, "an image cannot be read\n"), 2;
    cv::Mat scores;
    cv::matchTemplate(screen, picture, scores, cv::TM_CCOEFF_NORMED);  // loads what is loaded once
    const auto start = std::chrono::steady_clock::now();
    cv::matchTemplate(screen, picture, scores, cv::TM_CCOEFF_NORMED);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    double score = 0;
    cv::Point place;
    cv::minMaxLoc(scores, nullptr, &score, nullptr, &place);
    std::printf("%d,%d score %.4f in %.1f ms\n", place.x, place.y, score, took.count());
}
