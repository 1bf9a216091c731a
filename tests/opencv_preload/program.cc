// A program as others write it: where is the template, and how well does it match? Prints "x,y score".
#include <cstdio>
#include <opencv2/imgproc.hpp>

int main() {
    cv::Mat image(240, 320, CV_8UC3);
    cv::RNG random(7);
    random.fill(image, cv::RNG::UNIFORM, 0, 256);
    cv::Mat result;
    cv::matchTemplate(image, image({123, 45, 40, 30}).clone(), result, cv::TM_CCOEFF_NORMED);
    double most = 0;
    cv::Point place;
    cv::minMaxLoc(result, nullptr, &most, nullptr, &place);
    std::printf("%d,%d %.4f\n", place.x, place.y, most);
}
