// cv::CascadeClassifier: the same objects by Vedette, and OpenCV itself where a classifier is of another making.
#include <fstream>
#include <opencv2/objdetect.hpp>
#include <tuple>

#include "boost_test.h"
#include "comparison.h"

namespace vedette::preload_test {
namespace {

namespace bdata = boost::unit_test::data;

const std::string folder = "/usr/share/opencv4/";
const char* const files[] = {"haarcascades/haarcascade_frontalface_default.xml", "haarcascades/haarcascade_eye.xml",
                             "lbpcascades/lbpcascade_frontalface.xml"};

bool is_there(const std::string& file) {
    if (std::ifstream(file)) return true;
    BOOST_TEST_MESSAGE("skipped: " << file << " is not there; install opencv-data");
    return false;
}

// Blobs, of which some windows pass for faces.
cv::Mat blobs(int channels, int seed) {
    cv::Mat image(150, 200, CV_8UC(channels));
    cv::RNG random(static_cast<std::uint64_t>(seed));
    random.fill(image, cv::RNG::UNIFORM, 0, 256);
    cv::GaussianBlur(image, image, {0, 0}, 6);
    cv::normalize(image, image, 0, 255, cv::NORM_MINMAX);
    return image;
}

using Objects = std::vector<std::tuple<int, int, int, int, int>>;

Objects sorted(const std::vector<cv::Rect>& objects, const std::vector<int>& counts) {
    Objects all;
    for (std::size_t i = 0; i < objects.size(); ++i)
        all.emplace_back(objects[i].x, objects[i].y, objects[i].width, objects[i].height,
                         counts.empty() ? 0 : counts[i]);
    std::sort(all.begin(), all.end());
    return all;
}

// By the object's own methods, past the preloaded library. What the class around it adds is that objects end at the
// image's border.
Objects from_opencv(cv::CascadeClassifier& classifier, const cv::Mat& image, double factor, int neighbors,
                    cv::Size least, cv::Size most) {
    std::vector<cv::Rect> objects;
    std::vector<int> counts;
    classifier.cc->detectMultiScale(image, objects, counts, factor, neighbors, 0, least, most);
    for (cv::Rect& object : objects) object &= cv::Rect({0, 0}, image.size());
    return sorted(objects, counts);
}

std::string difference(const Objects& ours, const Objects& theirs) {
    std::string text;
    const auto add = [&](const char* sign, const Objects& some, const Objects& others) {
        for (const auto& [x, y, w, h, count] : some)
            if (std::find(others.begin(), others.end(), std::tuple(x, y, w, h, count)) == others.end())
                text += sign + std::to_string(x) + "," + std::to_string(y) + " " + std::to_string(w) + "x" +
                        std::to_string(h) + " (" + std::to_string(count) + ") ";
    };
    add("+", ours, theirs);
    add("-", theirs, ours);
    return text;
}

bool by_vedette() {
    const std::string line = last_log_line();
    return line.find("detectMultiScale") != std::string::npos && line.find(": cpu:0 ") != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cascades)

BOOST_DATA_TEST_CASE(same_objects, bdata::make(files) * bdata::make({0, 2}) * bdata::make({1, 3}), file, neighbors,
                     channels) {
    if (!is_there(folder + file)) return;
    cv::CascadeClassifier classifier(folder + file);
    BOOST_TEST_REQUIRE(!classifier.empty());
    std::size_t compared = 0;
    for (int seed = 0; seed < 4; ++seed)
        for (const cv::Size least : {cv::Size(), cv::Size(30, 30)}) {
            const cv::Mat image = blobs(channels, seed);
            const cv::Size most = least.empty() ? cv::Size() : cv::Size(90, 90);
            const Objects expected = from_opencv(classifier, image, 1.1, neighbors, least, most);
            compared += expected.size();
            std::vector<cv::Rect> objects(3);
            std::vector<int> counts(3);
            classifier.detectMultiScale(image, objects, counts, 1.1, neighbors, 0, least, most);
            BOOST_TEST(by_vedette(), last_log_line());
            BOOST_TEST((sorted(objects, counts) == expected), difference(sorted(objects, counts), expected));
            classifier.detectMultiScale(image(cv::Rect(0, 0, 200, 150)), objects, 1.1, neighbors, 0, least, most);
            BOOST_TEST(by_vedette(), last_log_line());
            BOOST_TEST(objects.size() == expected.size());
        }
    if (neighbors == 0) BOOST_TEST(compared != 0u, "nothing was compared");
}

BOOST_AUTO_TEST_CASE(other_classifiers) {
    const std::string file = folder + files[0];
    if (!is_there(file)) return;
    const cv::Mat image = blobs(1, 1);
    std::vector<cv::Rect> objects;
    cv::CascadeClassifier classifier(file), copy = classifier, read, empty;
    copy.detectMultiScale(image, objects);
    BOOST_TEST(by_vedette());
    const cv::FileStorage storage(file, cv::FileStorage::READ);
    BOOST_TEST(read.read(storage.getFirstTopLevelNode()));
    read.detectMultiScale(image, objects, 1.1, 0);
    BOOST_TEST(!by_vedette());
    BOOST_TEST((sorted(objects, {}).size() == from_opencv(read, image, 1.1, 0, {}, {}).size()));
    classifier.detectMultiScale(image({0, 0, 60, 60}), objects);
    BOOST_TEST(!by_vedette(), "small images are OpenCV's");
    BOOST_CHECK_THROW(empty.detectMultiScale(image, objects), cv::Exception);
    BOOST_TEST(!empty.load("/nonexistent.xml"));
    // Loaded anew: the second file counts.
    if (!is_there(folder + files[2])) return;
    BOOST_TEST(classifier.load(folder + files[2]));
    std::vector<int> counts;
    classifier.detectMultiScale(image, objects, counts, 1.1, 0);
    BOOST_TEST(by_vedette());
    BOOST_TEST((sorted(objects, counts) == from_opencv(classifier, image, 1.1, 0, {}, {})));
    for (const double factor : {1.0, 0.5}) {
        try {
            classifier.detectMultiScale(image, objects, factor);
        } catch (const cv::Exception&) {
        }
        BOOST_TEST(!by_vedette());
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::preload_test
