#include "ops/squares.h"

#include <string>

namespace vedette::opencv {

void check_side(const char* operation, std::uint32_t side) {
    const bool power = (side & (side - 1)) == 0;
    if (!power || side < 32 || side > 512)
        throw Failure(VDT_E_SIZE, std::string(operation) + ": the side is " + std::to_string(side) +
                                      "; it must be 32, 64, 128, 256 or 512");
}

cv::Mat square_of(const cv::Mat& images, std::uint32_t index) {
    const int top = static_cast<int>(index) * images.cols;
    return images.rowRange(top, top + images.cols);
}

cv::Mat transformed(const cv::Mat& square, bool inverse) {
    cv::Mat numbers, out;
    square.convertTo(numbers, CV_64F);
    const int flags = cv::DFT_COMPLEX_OUTPUT | (inverse ? cv::DFT_INVERSE | cv::DFT_SCALE : 0);
    cv::dft(numbers, out, flags);
    return out;
}

}  // namespace vedette::opencv
