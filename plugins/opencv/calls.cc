// Three things of OpenCV belong to the whole process, and the tool that loaded us may use the same OpenCV. So none of
// them is changed here:
//
// Threads. cv::setNumThreads and cv::parallel::setParallelForBackend act on every user in the process, and OpenCV's
// pool, once started, outlives our destroy. OpenCV runs a parallel loop that is met inside another one on the calling
// thread; a loop of a single item starts no thread. So our work runs as the one item of a loop, and what OpenCV would
// spread inside stays here. For others in the process this is what any loop of OpenCV in another thread does to theirs:
// while it runs, their loops run on their own thread. That mark is one flag for the process: when two of our runs
// overlap, the end of the first takes it off, so every piece of work sets it again.
//
// OpenCL. cv::Mat never leads into OpenCV's OpenCL (only cv::UMat does), and this backend uses cv::Mat alone.
// cv::ocl::setUseOpenCL(false) would switch the calling thread, which is the tool's, and cannot be taken back without
// asking cv::ocl::useOpenCL(), which loads the OpenCL runtime in order to answer.
//
// Errors. OpenCV throws and, built for release, prints nothing unless OPENCV_DUMP_ERRORS asks for it; cv::redirectError
// would replace the callback of everyone in the process.
#include "calls.h"

#include <algorithm>
#include <string>

namespace vedette::opencv {

Failure failure_of(const cv::Exception& exception) {
    constexpr std::size_t longest = 160;
    std::string text = exception.err.substr(0, exception.err.find('\n'));
    if (text.size() > longest) text = text.substr(0, longest) + "...";
    const std::string where = exception.func.empty() ? "OpenCV" : "OpenCV's " + exception.func;
    const vdt_code code = exception.code == cv::Error::StsNoMem ? VDT_E_OUT_OF_MEMORY : VDT_E_INTERNAL;
    return Failure(code, where + " failed: " + text, exception.code);
}

void without_opencv_threads(const std::function<void()>& body) {
    cv::parallel_for_(cv::Range(0, 1), [&](const cv::Range&) { body(); });
}

void for_each_piece(const vdt_host& host, vdt_token* token, std::uint32_t count,
                    const std::function<void(std::uint32_t)>& body) {
    plugin::parallel_for(host, token, 0, count, 1, [&](std::uint32_t begin, std::uint32_t end, std::uint32_t) {
        without_opencv_threads([&] {
            for (std::uint32_t i = begin; i < end; ++i) body(i);
        });
    });
}

void for_each_band(const vdt_host& host, vdt_token* token, int rows, const std::function<void(int, int)>& body) {
    constexpr int height = 64;  // rows of a 4K image that take about a millisecond: short enough to stop in between
    const int count = (rows + height - 1) / height;
    for_each_piece(host, token, static_cast<std::uint32_t>(count), [&](std::uint32_t i) {
        const int begin = static_cast<int>(i) * height;
        body(begin, std::min(begin + height, rows));
    });
}

}  // namespace vedette::opencv
