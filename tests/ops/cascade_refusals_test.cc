// What cascade_detect refuses: damaged classifiers and parameters out of range.
#include <cmath>
#include <functional>

#include "cascade_run.h"

namespace vedette::ops {

BOOST_AUTO_TEST_SUITE(cascade_detect)

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
        with(haar, "0.05", "nan"),
        with(haar, "0.05", "1e999"),
        with(haar, "-1. 1.", "-1. inf"),
        with(haar, "<stageThreshold>0.25", "<stageThreshold>nan"),
        with(haar, "0 0 8 4 1.", "0 0 8 4 nan"),
        with(haar, "0 0 8 4 1.", "0 0 8 4"),
        with(haar, "<_>0 0 8 4 1.</_>", ""),
        with(haar, "<stages>", "<!-- "),
        with(haar, "</cascade>", "</cascades>"),
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
