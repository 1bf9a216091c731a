// cascade_detect against cv::CascadeClassifier: hand-made classifiers of both formats, random ones, and OpenCV's own
// where they are installed or the folder with real data is there. Without OpenCV: against brute force.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "cascade_run.h"
#include "reference/cascade.h"
#include "reference/cascade_text.h"
#include "suite.h"

#ifdef VEDETTE_TESTS_OPENCV_OBJDETECT
#include VEDETTE_TESTS_OPENCV_CASCADE_HEADER
#include <opencv2/imgproc.hpp>
#endif

namespace vedette::ops {

namespace {

#ifdef VEDETTE_TESTS_OPENCV_OBJDETECT
// OpenCV loads old classifiers by file name only.
cv::CascadeClassifier classifier_from(const std::string& text) {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("vedette-cascade-" + std::to_string(::getpid()) + ".xml");
    std::ofstream(path) << text;
    cv::CascadeClassifier classifier;
    const bool loaded = classifier.load(path.string());
    std::filesystem::remove(path);
    BOOST_REQUIRE(loaded);
    return classifier;
}

// A rectangle with what is told of it, in an order of its own: OpenCV's threads find windows in any order.
using Told = std::tuple<int, int, int, int, int, double>;

// Compares rectangles, how many windows they join, and the last stage's weights. Returns how many there are.
std::size_t check_against_opencv(const std::string& text, const TestImage& image, const vdt_cascade_params& params) {
    cv::CascadeClassifier classifier = classifier_from(text);
    const cv::Mat pixels(static_cast<int>(image.height()), static_cast<int>(image.width()), CV_8U,
                         const_cast<std::uint8_t*>(image.bytes().data()));
    const Detection detection = detect(image, params);
    BOOST_REQUIRE_MESSAGE(detection.code == VDT_OK, detection.text);
    const cv::Size least(params.min_w, params.min_h), most(params.max_w, params.max_h);
    std::vector<cv::Rect> rectangles, weighed;
    std::vector<int> joined, levels;
    std::vector<double> weights;
    classifier.detectMultiScale(pixels, rectangles, joined, params.scale_factor, params.min_neighbors, 0, least, most);
    classifier.detectMultiScale(pixels, weighed, levels, weights, params.scale_factor, params.min_neighbors, 0, least,
                                most, true);
    std::vector<Told> expected, expected_weights, is, is_weights;
    const auto told = [](const cv::Rect& r, int count, double weight) {
        return Told{r.width, r.y, r.x, r.height, count, weight};
    };
    for (std::size_t i = 0; i < rectangles.size(); ++i)
        expected.push_back(told(rectangles[i], params.min_neighbors == 0 ? 1 : joined[i], 0));
    for (std::size_t i = 0; i < weighed.size(); ++i) expected_weights.push_back(told(weighed[i], 0, weights[i]));
    for (const vdt_item& item : detection.items) {
        const cv::Rect r(static_cast<int>(item.x), static_cast<int>(item.y), static_cast<int>(item.w),
                         static_cast<int>(item.h));
        is.push_back(told(r, item.neighbors, 0));
        is_weights.push_back(told(r, 0, item.score));
    }
    for (auto* const list : {&expected, &expected_weights, &is, &is_weights}) std::sort(list->begin(), list->end());
    BOOST_CHECK_MESSAGE(is == expected, "neighbors " << params.min_neighbors << ", largest " << params.max_w << ": "
                                                     << is.size() << " rectangles, OpenCV has " << expected.size());
    // With one stage OpenCV's form that tells weights takes flat windows for found ones.
    if (weighed.size() == rectangles.size()) BOOST_CHECK_MESSAGE(is_weights == expected_weights, "weights differ");
    return is.size();
}

void check_against_opencv(const std::string& text, const TestImage& image) {
    std::size_t seen = 0;
    for (const int neighbors : {0, 1, 3})
        for (const int largest : {0, 24}) {
            vdt_cascade_params params = params_for(text);
            params.min_neighbors = neighbors;
            params.min_w = params.min_h = 9;
            params.max_w = params.max_h = largest;
            seen += check_against_opencv(text, image, params);
        }
    BOOST_CHECK_MESSAGE(seen > 0, "nothing was detected at all");
}

std::string contents(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

// Smooth at every size, as photographs are: no window of it is flat, and many classifiers find something.
TestImage clouds(Random& random, std::uint32_t width, std::uint32_t height) {
    TestImage image(VDT_FORMAT_GRAY8, width, height);
    std::vector<double> sum(std::size_t{width} * height, 128);
    for (std::uint32_t cell = 2; cell <= 64; cell *= 2) {
        const std::uint32_t columns = width / cell + 2;
        std::vector<double> value(std::size_t{columns} * (height / cell + 2));
        for (double& v : value) v = (static_cast<double>(below(random, 256)) - 128) * std::sqrt(cell) / 12;
        for (std::uint32_t y = 0; y < height; ++y)
            for (std::uint32_t x = 0; x < width; ++x) {
                const double u = static_cast<double>(x % cell) / cell, v = static_cast<double>(y % cell) / cell;
                const double* const at = value.data() + std::size_t{y / cell} * columns + x / cell;
                sum[std::size_t{y} * width + x] += at[0] * (1 - u) * (1 - v) + at[1] * u * (1 - v) +
                                                   at[columns] * (1 - u) * v + at[columns + 1] * u * v;
            }
    }
    image.fill([&](std::uint32_t x, std::uint32_t y, std::uint32_t) { return sum[std::size_t{y} * width + x]; });
    return image;
}
#endif

}  // namespace

BOOST_AUTO_TEST_SUITE(cascade_detect)

#ifdef VEDETTE_TESTS_OPENCV_OBJDETECT
BOOST_DATA_TEST_CASE(hand_made, bdata::make({0, 1, 2}), which) {
    if (!backend_has(VDT_OP_CASCADE_DETECT, "cascade_detect")) return;
    Random random(17);
    check_against_opencv(std::vector<std::string>{haar, old_haar, lbp}[static_cast<std::size_t>(which)],
                         screen_image(random, VDT_FORMAT_GRAY8, 160, 120));
}

using Style = reference::CascadeStyle;
constexpr Style all_styles[] = {Style::stumps,       Style::trees, Style::tilted,
                                Style::real_weights, Style::lbp,   Style::lbp_trees};

// Every kind of feature in windows of many sizes, on images whose scales are wider and narrower than what is searched
// at a time.
BOOST_DATA_TEST_CASE(random_classifiers, bdata::xrange(6), style) {
    if (!backend_has(VDT_OP_CASCADE_DETECT, "cascade_detect")) return;
    Random random(static_cast<unsigned>(style) + 31);
    std::size_t seen = 0;
    for (int repeat = 0; repeat < 12; ++repeat) {
        const std::string text = reference::random_cascade(random, all_styles[style]);
        const std::uint32_t width = 40 + below(random, 100), height = 40 + below(random, 80);
        vdt_cascade_params params = params_for(text);
        params.scale_factor = 1.05 + 0.05 * below(random, 12);
        params.min_neighbors = static_cast<std::int32_t>(below(random, 3));
        params.min_w = static_cast<std::int32_t>(below(random, 40));
        params.min_h = static_cast<std::int32_t>(below(random, 40));
        BOOST_TEST_CONTEXT("repeat " << repeat << ", " << width << " x " << height)
        seen += check_against_opencv(
            text,
            repeat % 2 == 0 ? clouds(random, width, height) : screen_image(random, VDT_FORMAT_GRAY8, width, height),
            params);
    }
    const std::string text = reference::random_cascade(random, all_styles[style]);
    vdt_cascade_params params = params_for(text);
    params.scale_factor = 1.6;
    params.min_neighbors = 0;
    params.max_w = params.max_h = 70;
    seen += check_against_opencv(text, clouds(random, 1100, 330), params);
    BOOST_CHECK_MESSAGE(seen > 0, "nothing was detected at all");
}

// Every classifier of OpenCV.
BOOST_AUTO_TEST_CASE(classifiers_of_opencv) {
    if (!backend_has(VDT_OP_CASCADE_DETECT, "cascade_detect")) return;
    std::vector<std::filesystem::path> files;
    for (const char* folder : {VEDETTE_SHARED_DIR "/data/real/opencv-data", VEDETTE_SHARED_DIR "/data/real/guibot",
                               VEDETTE_TESTS_OPENCV_DATA "/haarcascades", VEDETTE_TESTS_OPENCV_DATA "/lbpcascades"}) {
        if (!std::filesystem::is_directory(folder)) {
            std::cout << "left out: " << folder << " is not there, so the classifiers of OpenCV in it are not tried\n";
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            if (entry.path().extension() == ".xml") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    Random random(3);
    const TestImage images[] = {screen_image(random, VDT_FORMAT_GRAY8, 240, 180), clouds(random, 230, 170)};
    std::size_t seen = 0;
    for (const auto& file : files) {
        const std::string text = contents(file);
        for (const TestImage& image : images)
            for (const int neighbors : {0, 3}) {
                vdt_cascade_params params = params_for(text);
                params.min_neighbors = neighbors;
                params.scale_factor = 1.1;
                BOOST_TEST_CONTEXT(file) seen += check_against_opencv(text, image, params);
            }
    }
    BOOST_CHECK_MESSAGE(files.empty() || seen > 0, "nothing was detected at all");
}
#endif

// The classifiers `haar` and `lbp` as brute force takes them.
const reference::CascadeModel haar_model{
    8,
    8,
    {{0.25, {{{{0, -1, 0.05, {{0, 0, 8, 4, 1}, {0, 4, 8, 4, -1}}}}, {-1, 1}}}},
     {0.2,
      {{{{1, 0, 0.02, {{0, 0, 8, 8, -1}, {2, 2, 4, 4, 3}, {6, 0, 2, 8, 0.5}}},
         {-1, -2, -0.01, {{4, 0, 3, 4, -1}, {4, 1, 2, 2, 2}}, true}},
        {0.5, -0.75, 1.25}},
       {{{0, -1, 0.01, {{4, 0, 3, 4, -1}, {4, 1, 2, 2, 2}}, true}}, {0.125, -0.25}}}}}};
const reference::CascadeModel lbp_model{
    12,
    12,
    {{0.1,
      {{{{0,
          -1,
          0,
          {{1, 2, 3, 3, 1}},
          false,
          {0xf0f0f0f0, 0x55555555, 0x0f0f0f0f, 0xffffffff, 0, 0x33333333, 0xcccccccc, 0x00ff00ff}}},
        {-1, 1}}}}}};

// Windows of rows where single precision could decide otherwise are left out; there are few.
BOOST_DATA_TEST_CASE(brute_force, bdata::make({0, 1}), which) {
    if (!backend_has(VDT_OP_CASCADE_DETECT, "cascade_detect")) return;
    Random random(29);
    for (const double factor : {1.15, 1.7}) {
        const TestImage image = screen_image(random, VDT_FORMAT_GRAY8, 90, 61);
        vdt_cascade_params params = params_for(which == 0 ? haar : lbp);
        params.min_neighbors = 0;
        params.scale_factor = factor;
        params.min_w = 9;
        const reference::CascadeResult expected =
            reference::cascade_windows(image.view(), which == 0 ? haar_model : lbp_model, params);
        const Detection detection = detect(image, params);
        BOOST_REQUIRE_MESSAGE(detection.code == VDT_OK, detection.text);
        BOOST_CHECK_LT(expected.doubtful_rows * 20, expected.rows);
        BOOST_CHECK_GT(expected.windows.size(), 10u);
        std::set<std::tuple<float, float>> doubtful;
        for (const auto& window : expected.windows)
            if (window.in_doubtful_row) doubtful.insert({window.item.w, window.item.y});
        std::vector<std::tuple<float, float, float, float>> is, should_be;
        double worst = 0;
        std::map<std::tuple<float, float, float, float>, double> scores;
        for (const auto& window : expected.windows) {
            const vdt_item& item = window.item;
            if (doubtful.count({item.w, item.y}) == 0) should_be.emplace_back(item.w, item.y, item.x, item.h);
            scores[{item.w, item.y, item.x, item.h}] = item.score;
        }
        for (const vdt_item& item : detection.items)
            if (doubtful.count({item.w, item.y}) == 0) {
                is.emplace_back(item.w, item.y, item.x, item.h);
                const auto found = scores.find(is.back());
                if (found != scores.end()) worst = std::max(worst, std::abs(found->second - item.score));
            }
        std::sort(is.begin(), is.end());
        std::sort(should_be.begin(), should_be.end());
        BOOST_CHECK_MESSAGE(is == should_be, is.size() << " windows, " << should_be.size() << " by brute force");
        BOOST_CHECK_LT(worst, 1e-6);
    }
}

// Old and new format are the same classifier.
BOOST_AUTO_TEST_CASE(formats_agree) {
    if (!backend_has(VDT_OP_CASCADE_DETECT, "cascade_detect")) return;
    Random random(23);
    const TestImage image = screen_image(random, VDT_FORMAT_GRAY8, 120, 90);
    vdt_cascade_params params = params_for(haar), old_params = params_for(old_haar);
    params.min_neighbors = old_params.min_neighbors = 0;
    const Detection is = detect(image, params), was = detect(image, old_params);
    BOOST_REQUIRE_MESSAGE(is.code == VDT_OK, is.text);
    BOOST_REQUIRE_MESSAGE(was.code == VDT_OK, was.text);
    BOOST_REQUIRE_EQUAL(is.items.size(), was.items.size());
    BOOST_CHECK(!is.items.empty());
    for (std::size_t i = 0; i < is.items.size(); ++i) {
        BOOST_CHECK(is.items[i].x == was.items[i].x && is.items[i].y == was.items[i].y &&
                    is.items[i].w == was.items[i].w);
        BOOST_CHECK_EQUAL(is.items[i].score, was.items[i].score);
        BOOST_CHECK_EQUAL(is.items[i].neighbors, 1);
    }
}

BOOST_AUTO_TEST_CASE(cancellation) {
    if (!backend_has(VDT_OP_CASCADE_DETECT, "cascade_detect")) return;
    Random random(29);
    const TestImage image = screen_image(random, VDT_FORMAT_GRAY8, 160, 120);
    const vdt_cascade_params params = params_for(haar);
    const Detection all = detect(image, params);
    for (const std::int64_t checks : {0, 1, 2, 5, 1000000})
        for (const vdt_code code : {VDT_E_CANCELLED, VDT_E_TIMEOUT}) {
            Limit limit;
            limit.checks_left = checks;
            limit.code = code;
            const Detection detection = detect_until(image, params, limit);
            if (checks == 0) BOOST_CHECK_EQUAL(detection.code, code);
            if (checks == 1000000) BOOST_CHECK_EQUAL(detection.code, VDT_OK);
            if (detection.code == code) continue;
            BOOST_CHECK_MESSAGE(detection.code == VDT_OK, detection.text);
            BOOST_CHECK_EQUAL(detection.items.size(), all.items.size());
        }
}

BOOST_AUTO_TEST_CASE(image_smaller_than_the_window) {
    if (!backend_has(VDT_OP_CASCADE_DETECT, "cascade_detect")) return;
    for (const std::uint32_t side : {1u, 7u}) {
        const Detection detection = detect(flat_image(VDT_FORMAT_GRAY8, side, side, 3), params_for(haar));
        BOOST_CHECK_EQUAL(detection.code, VDT_OK);
        BOOST_CHECK(detection.items.empty());
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
