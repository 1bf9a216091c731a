// cascade_detect against cv::CascadeClassifier: hand-made classifiers of both formats, and OpenCV's own where the
// folder with real data is there.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "suite.h"

#ifdef VEDETTE_TESTS_OPENCV_OBJDETECT
#include VEDETTE_TESTS_OPENCV_CASCADE_HEADER
#include <opencv2/imgproc.hpp>
#endif

namespace vedette::ops {

namespace {

// Two stages on a window of 8 x 8: bright above dark, and a tilted feature with three rectangles in a tree of two
// nodes.
const std::string haar = R"(<?xml version="1.0"?>
<opencv_storage><cascade type_id="opencv-cascade-classifier"><stageType>BOOST</stageType><featureType>HAAR</featureType>
<height>8</height><width>8</width><featureParams><maxCatCount>0</maxCatCount></featureParams><stageNum>2</stageNum>
<stages>
<_><maxWeakCount>1</maxWeakCount><stageThreshold>0.25</stageThreshold><weakClassifiers>
  <_><internalNodes>0 -1 0 0.05</internalNodes><leafValues>-1. 1.</leafValues></_></weakClassifiers></_>
<_><maxWeakCount>2</maxWeakCount><stageThreshold>0.2</stageThreshold><weakClassifiers>
  <_><internalNodes>1 0 1 0.02 -1 -2 2 -0.01</internalNodes><leafValues>0.5 -0.75 1.25</leafValues></_>
  <_><internalNodes>0 -1 2 0.01</internalNodes><leafValues>0.125 -0.25</leafValues></_></weakClassifiers></_>
</stages>
<features>
<_><rects><_>0 0 8 4 1.</_><_>0 4 8 4 -1.</_></rects><tilted>0</tilted></_>
<_><rects><_>0 0 8 8 -1.</_><_>2 2 4 4 3.</_><_>6 0 2 8 0.5</_></rects></_>
<_><rects><_>4 0 3 4 -1.</_><_>4 1 2 2 2.</_></rects><tilted>1</tilted></_>
</features></cascade></opencv_storage>)";

// The same classifier as OpenCV 1 wrote it.
const std::string old_haar = R"(<?xml version="1.0"?>
<opencv_storage><tiny type_id="opencv-haar-classifier"><size>8 8</size><stages>
<_><!-- bright < above > dark --><trees><_><_><feature><rects><_>0 0 8 4 1.</_><_>0 4 8 4 -1.</_></rects><tilted>0</tilted></feature>
  <threshold>0.05</threshold><left_val>-1.</left_val><right_val>1.</right_val></_></_></trees>
  <stage_threshold>0.25</stage_threshold><parent>-1</parent><next>-1</next></_>
<_><trees>
  <_><_><feature><rects><_>0 0 8 8 -1.</_><_>2 2 4 4 3.</_><_>6 0 2 8 0.5</_></rects><tilted>0</tilted></feature>
     <threshold>0.02</threshold><left_node>1</left_node><right_val>0.5</right_val></_>
     <_><feature><rects><_>4 0 3 4 -1.</_><_>4 1 2 2 2.</_></rects><tilted>1</tilted></feature>
     <threshold>-0.01</threshold><left_val>-0.75</left_val><right_val>1.25</right_val></_></_>
  <_><_><feature><rects><_>4 0 3 4 -1.</_><_>4 1 2 2 2.</_></rects><tilted>1</tilted></feature>
     <threshold>0.01</threshold><left_val>0.125</left_val><right_val>-0.25</right_val></_></_></trees>
  <stage_threshold>0.2</stage_threshold><parent>0</parent><next>-1</next></_>
</stages></tiny></opencv_storage>)";

const std::string lbp = R"(<?xml version="1.0"?>
<opencv_storage><cascade><stageType>BOOST</stageType><featureType>LBP</featureType><height>12</height><width>12</width>
<featureParams><maxCatCount>256</maxCatCount></featureParams><stageNum>1</stageNum>
<stages><_><maxWeakCount>1</maxWeakCount><stageThreshold>0.1</stageThreshold><weakClassifiers><_>
<internalNodes>0 -1 0 -252645136 1431655765 252645135 -1 0 858993459 -858993460 16711935</internalNodes>
<leafValues>-1. 1.</leafValues></_></weakClassifiers></_></stages>
<features><_><rect>1 2 3 3</rect></_></features></cascade></opencv_storage>)";

struct Detection {
    vdt_code code = VDT_OK;
    std::string text;
    std::vector<vdt_item> items;
};

vdt_cascade_params params_for(const std::string& cascade) {
    vdt_cascade_params params{};
    params.struct_size = sizeof params;
    params.cascade = cascade.data();
    params.cascade_bytes = cascade.size();
    params.scale_factor = 1.2;
    params.min_neighbors = 2;
    return params;
}

Detection detect(const TestImage& image, const vdt_cascade_params& params) {
    TestList list(200000);
    Operation operation;
    operation.op = VDT_OP_CASCADE_DETECT;
    operation.params = &params;
    operation.inputs = {image.ptr()};
    operation.lists_out = {list.ptr()};
    const Outcome outcome = backend().run(operation);
    Detection detection{outcome.code, outcome.text, {}};
    if (VDT_IS_ERROR(outcome.code)) return detection;
    BOOST_CHECK(list.guards_intact());
    detection.items = list.items();
    return detection;
}

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

void check_against_opencv(const std::string& text, const TestImage& image) {
    cv::CascadeClassifier classifier = classifier_from(text);
    const cv::Mat pixels(static_cast<int>(image.height()), static_cast<int>(image.width()), CV_8U,
                         const_cast<std::uint8_t*>(image.bytes().data()));
    std::size_t seen = 0;
    for (const int neighbors : {0, 1, 3})
        for (const int largest : {0, 24}) {
            vdt_cascade_params params = params_for(text);
            params.min_neighbors = neighbors;
            params.min_w = params.min_h = 9;
            params.max_w = params.max_h = largest;
            const Detection detection = detect(image, params);
            BOOST_REQUIRE_MESSAGE(detection.code == VDT_OK, detection.text);
            std::vector<cv::Rect> expected, is;
            std::vector<int> joined;
            classifier.detectMultiScale(pixels, expected, joined, 1.2, neighbors, 0, cv::Size(9, 9),
                                        cv::Size(largest, largest));
            for (const vdt_item& item : detection.items)
                is.emplace_back(static_cast<int>(item.x), static_cast<int>(item.y), static_cast<int>(item.w),
                                static_cast<int>(item.h));
            seen += is.size();
            const auto order = [](const cv::Rect& a, const cv::Rect& b) {
                return std::tie(a.width, a.y, a.x, a.height) < std::tie(b.width, b.y, b.x, b.height);
            };
            std::sort(is.begin(), is.end(), order);
            std::sort(expected.begin(), expected.end(), order);
            BOOST_CHECK_MESSAGE(is == expected, "neighbors " << neighbors << ": " << is.size()
                                                             << " rectangles, OpenCV has " << expected.size());
        }
    BOOST_CHECK_MESSAGE(seen > 0, "nothing was detected at all");
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

// Every classifier of the data folder on a screen of the same folder.
BOOST_AUTO_TEST_CASE(classifiers_of_opencv) {
    if (!backend_has(VDT_OP_CASCADE_DETECT, "cascade_detect")) return;
    const std::filesystem::path folder = std::filesystem::path(VEDETTE_SHARED_DIR) / "data/real/opencv-data";
    if (!std::filesystem::is_directory(folder)) {
        std::cout << "left out: " << folder << " is not there, so OpenCV's own classifiers are not tried\n";
        return;
    }
    Random random(3);
    const TestImage image = screen_image(random, VDT_FORMAT_GRAY8, 240, 180);
    int tried = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".xml") continue;
        std::ostringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        cv::CascadeClassifier classifier(entry.path().string());
        vdt_cascade_params params = params_for("");
        const std::string content = text.str();
        params.cascade = content.data();
        params.cascade_bytes = content.size();
        params.min_neighbors = 0;
        std::vector<cv::Rect> expected;
        classifier.detectMultiScale(cv::Mat(180, 240, CV_8U, const_cast<std::uint8_t*>(image.bytes().data())), expected,
                                    1.2, 0);
        const Detection detection = detect(image, params);
        BOOST_CHECK_MESSAGE(detection.code == VDT_OK, entry.path() << ": " << detection.text);
        BOOST_CHECK_MESSAGE(detection.items.size() == expected.size(), entry.path() << ": " << detection.items.size()
                                                                                    << " windows, OpenCV has "
                                                                                    << expected.size());
        ++tried;
    }
    BOOST_CHECK_GT(tried, 0);
}
#endif

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

BOOST_AUTO_TEST_CASE(image_smaller_than_the_window) {
    if (!backend_has(VDT_OP_CASCADE_DETECT, "cascade_detect")) return;
    for (const std::uint32_t side : {1u, 7u}) {
        const Detection detection = detect(flat_image(VDT_FORMAT_GRAY8, side, side, 3), params_for(haar));
        BOOST_CHECK_EQUAL(detection.code, VDT_OK);
        BOOST_CHECK(detection.items.empty());
    }
}

// Each would make a trusting reader read or write where it must not, or never come back.
BOOST_AUTO_TEST_CASE(damaged_text) {
    if (!backend_has(VDT_OP_CASCADE_DETECT, "cascade_detect")) return;
    const auto with = [](std::string text, const std::string& old_part, const std::string& new_part) {
        const std::size_t at = text.find(old_part);
        BOOST_REQUIRE_MESSAGE(at != std::string::npos, old_part);
        return text.replace(at, old_part.size(), new_part);
    };
    std::string deep = "<?xml version=\"1.0\"?>\n<opencv_storage>";
    for (int i = 0; i < 200000; ++i) deep += "<a>";
    const std::string texts[] = {
        " ",
        "not a cascade at all",
        "<?xml version=\"1.0\"?>",
        "<?xml version=\"1.0\"?><opencv_storage></opencv_storage>",
        "%YAML:1.0\ncascade: [[[[",
        std::string(1000, '\0'),
        haar.substr(0, haar.size() / 2),
        haar.substr(0, haar.size() - 20),
        lbp.substr(0, 500),
        old_haar.substr(0, 700),
        deep,
        with(haar, "BOOST", "FOREST"),
        with(haar, "HAAR", "WAVE"),
        with(haar, "HAAR", "LBP"),
        with(haar, "<height>8</height>", "<height>-8</height>"),
        with(haar, "<width>8</width>", ""),
        with(haar, "<width>8</width>", "<width>2000000000</width>"),
        with(haar, "0 -1 0 0.05", "0 -1 3 0.05"),
        with(haar, "0 -1 0 0.05", "0 -1 -1 0.05"),
        with(haar, "0 -1 0 0.05", "0 -2 0 0.05"),
        with(haar, "0 -1 0 0.05", "0 -1 0"),
        with(haar, "1 0 1 0.02 -1 -2 2", "1 0 1 0.02 1 -2 2"),  // a node that leads to itself
        with(haar, "<leafValues>-1. 1.</leafValues>", "<leafValues>-1.</leafValues>"),
        with(haar, "0 0 8 4 1.", "0 0 9 4 1."),
        with(haar, "0 0 8 4 1.", "0 0 -8 4 1."),
        with(haar, "0 0 8 4 1.", "0 0 2147483647 4 1."),
        with(haar, "4 0 3 4 -1.", "4 0 4 5 -1."),  // tilted: sticks out below
        with(haar, "<_>6 0 2 8 0.5</_>", "<_>6 0 2 8 0.5</_><_>6 0 2 8 0.5</_>"),
        with(haar, "<maxCatCount>0</maxCatCount>", "<maxCatCount>256</maxCatCount>"),
        with(lbp, "1 2 3 3", "4 2 3 3"),
        with(lbp, "<maxCatCount>256</maxCatCount>", "<maxCatCount>32</maxCatCount>"),
        with(old_haar, "<size>8 8</size>", "<size>8</size>"),
        with(old_haar, "<left_node>1</left_node>", "<left_node>5</left_node>"),
        with(old_haar, "<_>6 0 2 8 0.5</_>", "<_>6 0 2 8 0.5</_><_>6 0 2 8 0.5</_><_>6 0 2 8 0.5</_>"),
        with(old_haar, "<threshold>0.02</threshold>", "<threshold>high</threshold>"),
        with(old_haar, "<trees>", "<twigs>"),
    };
    const TestImage image = flat_image(VDT_FORMAT_GRAY8, 40, 40, 80);
    int i = 0;
    for (const std::string& text : texts) {
        const Detection detection = detect(image, params_for(text));
        BOOST_CHECK_MESSAGE(detection.code == VDT_E_FORMAT,
                            "text " << i << ": code " << detection.code << " " << detection.text);
        BOOST_CHECK_MESSAGE(!detection.text.empty() && detection.text.find('\n') == std::string::npos, "text " << i);
        ++i;
    }
}

BOOST_AUTO_TEST_CASE(bad_parameters) {
    if (!backend_has(VDT_OP_CASCADE_DETECT, "cascade_detect")) return;
    const TestImage image = flat_image(VDT_FORMAT_GRAY8, 40, 40, 80);
    const std::vector<std::function<void(vdt_cascade_params&)>> faults = {
        [](vdt_cascade_params& p) { p.cascade = nullptr; },
        [](vdt_cascade_params& p) { p.cascade_bytes = 0; },
        [](vdt_cascade_params& p) { p.scale_factor = 1; },
        [](vdt_cascade_params& p) { p.scale_factor = std::nan(""); },
        [](vdt_cascade_params& p) { p.min_neighbors = -1; },
        [](vdt_cascade_params& p) { p.min_w = -1; },
        [](vdt_cascade_params& p) { p.max_h = -1; },
    };
    for (std::size_t i = 0; i < faults.size(); ++i) {
        vdt_cascade_params params = params_for(haar);
        faults[i](params);
        const Detection detection = detect(image, params);
        BOOST_CHECK_MESSAGE(detection.code == VDT_E_ARGUMENT,
                            "fault " << i << ": code " << detection.code << " " << detection.text);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::ops
