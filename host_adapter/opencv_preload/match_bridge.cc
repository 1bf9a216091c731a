// cv::matchTemplate for the preloaded library: from OpenCV's types to plain rows, and the decision who does it.
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "bridge_arguments.h"
#include "call_log.h"
#include "preload.h"
#include "score_map.h"

namespace {

using namespace vedette::compat;

bool finite_wanted() noexcept {
    static const char* const wish = ::secure_getenv("VEDETTE_OPENCV");
    return wish != nullptr && std::strcmp(wish, "finite") == 0;
}

bool is_plain(const cv::_InputArray& array) {
    return array.kind() == cv::_InputArray::MAT && array.dims() == 2 && !array.empty() &&
           (array.depth() == CV_8U || array.depth() == CV_32F);
}

bool overlap(const cv::Mat& a, const cv::Mat& b) {
    const std::less<const unsigned char*> before;
    return !a.empty() && !b.empty() && before(a.datastart, b.dataend) && before(b.datastart, a.dataend);
}

struct Arguments {
    const cv::_InputArray& image;
    const cv::_InputArray& pattern;
    const cv::_OutputArray& result;
    int method;
    const cv::_InputArray& mask;
};

// Why this call is not for Vedette; NULL when it may be. Every call that OpenCV answers by an exception is among them.
const char* unusual(const Arguments& call) {
    if (call.method < cv::TM_SQDIFF || call.method > cv::TM_CCOEFF_NORMED) return "no such method";
    if (!is_plain(call.image) || !is_plain(call.pattern)) return "images that are no 8-bit or float matrices";
    if (call.image.type() != call.pattern.type()) return "image and template differ in type";
    const cv::Size image = call.image.size(), pattern = call.pattern.size();
    if (pattern.width > image.width || pattern.height > image.height) return "the template is larger than the image";
    const bool masked = !call.mask.empty();
    if (masked && (!is_plain(call.mask) || call.mask.size() != pattern)) return "a mask of another kind or size";
    if (masked && call.mask.channels() != 1 && call.mask.channels() != call.pattern.channels())
        return "a mask of other channels";
    const cv::Size size(image.width - pattern.width + 1, image.height - pattern.height + 1);
    if (call.result.kind() != cv::_InputArray::MAT) return "a result that is no matrix";
    if ((call.result.fixedSize() && call.result.size() != size) ||
        (call.result.fixedType() && call.result.type() != CV_32FC1))
        return "a result of fixed size or type";
    const cv::Mat result = call.result.getMat();
    if (overlap(result, call.image.getMat()) || overlap(result, call.pattern.getMat()) ||
        (masked && overlap(result, call.mask.getMat())))
        return "the result shares memory with an input";
    return nullptr;
}

bool try_vedette(const Arguments& arguments, MapAnswer& answer) {
    if (const char* const reason = unusual(arguments)) {
        answer.declined = reason;
        return false;
    }
    const cv::Mat image = arguments.image.getMat(), pattern = arguments.pattern.getMat();
    cv::Mat mask;
    if (!arguments.mask.empty()) mask = arguments.mask.getMat();
    arguments.result.create(cv::Size(image.cols - pattern.cols + 1, image.rows - pattern.rows + 1), CV_32FC1);
    cv::Mat result = arguments.result.getMat();
    MapCall call;
    call.image = raster_of(image);
    call.pattern = raster_of(pattern);
    if (!mask.empty()) call.mask = raster_of(mask);
    call.method = arguments.method;
    call.out = result.ptr<float>();
    call.out_step = static_cast<std::ptrdiff_t>(result.step[0]);
    call.threads = wanted_threads();
    call.finite = finite_wanted();
    return score_map(call, answer);
}

void log_call(const Arguments& call, const std::string& who, double milliseconds) noexcept try {
    static const char* const methods[] = {"TM_SQDIFF",       "TM_SQDIFF_NORMED", "TM_CCORR",
                                          "TM_CCORR_NORMED", "TM_CCOEFF",        "TM_CCOEFF_NORMED"};
    log_line("matchTemplate " +
             (call.method < 0 || call.method > 5 ? std::to_string(call.method) : std::string(methods[call.method])) +
             ", image " + describe(call.image) + ", template " + describe(call.pattern) +
             (call.mask.empty() ? "" : ", mask " + describe(call.mask)) + ": " + who + ", " +
             in_milliseconds(milliseconds));
} catch (...) {
    // Nothing is to be said about arguments that cannot be described.
}

bool try_safely(const Arguments& arguments, MapAnswer& answer) noexcept try {
    return try_vedette(arguments, answer);
} catch (...) {
    return false;  // OpenCV then answers, with its own exception where it has one
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void vedette_bridge_match_template(
    const void* image, const void* pattern, const void* result, int method, const void* mask,
    vedette_match_template_fn* original) {
    const Arguments arguments = {
        *static_cast<const cv::_InputArray*>(image), *static_cast<const cv::_InputArray*>(pattern),
        *static_cast<const cv::_OutputArray*>(result), method, *static_cast<const cv::_InputArray*>(mask)};
    const Stopwatch own;
    MapAnswer answer;
    if (try_safely(arguments, answer)) {
        if (logging()) log_call(arguments, answer.who, own.milliseconds());
        return;
    }
    const Stopwatch theirs;
    if (!logging()) {
        original(image, pattern, result, method, mask);
        return;
    }
    try {
        original(image, pattern, result, method, mask);
    } catch (...) {
        log_call(arguments, "an exception of OpenCV (" + answer.declined + ")", theirs.milliseconds());
        throw;
    }
    log_call(arguments, "OpenCV (" + answer.declined + ")", theirs.milliseconds());
}
