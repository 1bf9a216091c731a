// What the opencv plugin must not do to the process it is loaded into, where another user of OpenCV may live: keep
// threads, bring in OpenCL, change OpenCV's settings, print. usage: ops_process_test [Boost.Test options] --
// vedette-opencv.so
#define BOOST_TEST_MODULE vedette_process
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <opencv2/core.hpp>
#include <opencv2/core/ocl.hpp>
#include <sstream>

#include "find_search.h"

namespace vedette::ops {

namespace {

std::ptrdiff_t threads() {
    std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
}

bool is_mapped(const std::string& library) {
    std::ostringstream maps;
    maps << std::ifstream("/proc/self/maps").rdbuf();
    return maps.str().find(library) != std::string::npos;
}

// Everything written to a standard descriptor while it lives.
class Captured {
public:
    explicit Captured(int descriptor) : descriptor_(descriptor), saved_(dup(descriptor)), file_(std::tmpfile()) {
        dup2(fileno(file_), descriptor_);
    }
    ~Captured() {
        dup2(saved_, descriptor_);
        close(saved_);
        std::fclose(file_);
    }
    Captured(const Captured&) = delete;
    Captured& operator=(const Captured&) = delete;
    std::int64_t bytes() const { return lseek(fileno(file_), 0, SEEK_END); }

private:
    int descriptor_, saved_;
    std::FILE* file_;
};

std::string library() {
    return boost::unit_test::framework::master_test_suite().argv[1];
}

// A find, and whatever fails inside OpenCV.
void work(const Backend& backend) {
    Random random(1);
    Search search(screen_image(random, VDT_FORMAT_BGR8, 900, 700));
    search.add(search.scene.crop(450, 100, 40, 30))
        .add(random_image(random, VDT_FORMAT_BGR8, 20, 20), random_mask(random, 20, 20, 0.5));
    BOOST_CHECK_EQUAL(find_on(backend, search).code, VDT_OK);
    const TestImage image = screen_image(random, VDT_FORMAT_GRAY8, 900, 700);
    TestImage half(VDT_FORMAT_GRAY8, 450, 350), filtered(VDT_FORMAT_GRAY8, 900, 700);
    vdt_resize_params resize{};
    resize.struct_size = sizeof resize;
    resize.method = VDT_RESIZE_HALF_PIXEL;
    Operation operation;
    operation.op = VDT_OP_RESIZE;
    operation.params = &resize;
    operation.inputs = {image.ptr()};
    operation.outputs = {half.ptr()};
    BOOST_CHECK_EQUAL(backend.run(operation).code, VDT_OK);
    vdt_filter_params filter{};
    filter.struct_size = sizeof filter;
    filter.kind = VDT_FILTER_BOX;
    filter.border = VDT_BORDER_REPLICATE;
    filter.kernel_w = filter.kernel_h = 9;
    filter.anchor_x = filter.anchor_y = -1;
    operation.op = VDT_OP_FILTER;
    operation.params = &filter;
    operation.outputs = {filtered.ptr()};
    BOOST_CHECK_EQUAL(backend.run(operation).code, VDT_OK);
    if (!backend.advertises(VDT_OP_CASCADE_DETECT)) return;
    const std::string texts[] = {"<?xml version=\"1.0\"?><opencv_storage><a></b>", "<?xml version=\"1.0\"?>\n<x"};
    for (const std::string& text : texts) {
        vdt_cascade_params cascade{};
        cascade.struct_size = sizeof cascade;
        cascade.cascade = text.data();
        cascade.cascade_bytes = text.size();
        cascade.scale_factor = 1.1;
        TestList list(10);
        Operation detection;
        detection.op = VDT_OP_CASCADE_DETECT;
        detection.params = &cascade;
        detection.inputs = {image.ptr()};
        detection.lists_out = {list.ptr()};
        BOOST_CHECK_EQUAL(backend.run(detection).code, VDT_E_FORMAT);
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(leaves_the_process_as_it_was) {
    const int opencv_threads = cv::getNumThreads();
    const std::ptrdiff_t before = threads();
    std::int64_t printed = 0;
    {
        const Captured out(STDOUT_FILENO), err(STDERR_FILENO);
        const Backend backend(library(), {});
        work(backend);
        printed = out.bytes() + err.bytes();
    }
    BOOST_CHECK_EQUAL(printed, 0);
    BOOST_CHECK_EQUAL(threads(), before);
    BOOST_CHECK_EQUAL(cv::getNumThreads(), opencv_threads);
    BOOST_CHECK(!is_mapped("libOpenCL"));
    BOOST_CHECK(cv::redirectError(nullptr) == nullptr);
}

// The tool's own loops still run on OpenCV's threads afterwards.
BOOST_AUTO_TEST_CASE(loops_of_others_stay_parallel) {
    if (cv::getNumThreads() < 2) return;
    {
        const Backend backend(library(), {});
        work(backend);
    }
    std::atomic<int> pieces{0};
    cv::parallel_for_(cv::Range(0, 64), [&](const cv::Range&) { ++pieces; });
    BOOST_CHECK_GT(pieces.load(), 1);  // in one piece it would have been taken for a nested loop
}

}  // namespace vedette::ops
