#define BOOST_TEST_MODULE cli_detect
#include <algorithm>

#include "command.h"

using namespace cli_test;

namespace {

// Bright above dark, in windows of 16 x 12.
const std::string edge = R"(<?xml version="1.0"?>
<opencv_storage><cascade type_id="opencv-cascade-classifier"><stageType>BOOST</stageType><featureType>HAAR</featureType>
<height>12</height><width>16</width><featureParams><maxCatCount>0</maxCatCount></featureParams>
<stages><_><maxWeakCount>1</maxWeakCount><stageThreshold>0.5</stageThreshold><weakClassifiers>
<_><internalNodes>0 -1 0 0.45</internalNodes><leafValues>-1. 1.</leafValues></_></weakClassifiers></_></stages>
<features><_><rects><_>0 0 16 12 -1.</_><_>0 0 16 6 2.</_></rects><tilted>0</tilted></_></features>
</cascade></opencv_storage>)";

// A bright bar above a dark one at (100, 60), 64 x 48 together, on a gray that hides nothing.
struct Files : Folder {
    Image image = screen();
    std::string screen_file = write("screen.png", image);
    std::string cascade = write("edge.xml", edge);

    static Image screen() {
        Image image(VDT_FORMAT_BGR8, 320, 200);
        for (std::uint32_t y = 0; y < 200; ++y) {
            for (std::uint32_t x = 0; x < 320; ++x) {
                const bool inside = x >= 100 && x < 164 && y >= 60 && y < 108;
                const int value = !inside ? 128 : (y < 84 ? 250 : 10);
                std::memset(image.row(y) + 3 * x, value, 3);
            }
        }
        return image;
    }
};

const std::vector<std::string> keys{"status",  "detections", "backend",      "device",
                                    "variant", "choice",     "predicted_ms", "measured_ms"};

std::vector<std::string> keys_of(const json& object) {
    std::vector<std::string> result;
    for (const auto& [key, value] : object.items()) {
        result.push_back(key);
    }
    return result;
}

bool same_keys(const json& object, std::vector<std::string> wanted) {
    std::vector<std::string> is = keys_of(object);
    std::sort(is.begin(), is.end());
    std::sort(wanted.begin(), wanted.end());
    return is == wanted;
}

bool is_green(const Image& picture, std::uint32_t x, std::uint32_t y) {
    const std::uint8_t* const p = picture.row(y) + 3 * std::size_t{x};
    return p[1] > p[0] + 60 && p[1] > p[2] + 60;
}

}  // namespace

BOOST_AUTO_TEST_CASE(detected_as_json) {
    const Files files;
    const Ran ran = command({"detect", files.screen_file, files.cascade, "--json"});
    BOOST_CHECK_EQUAL(ran.status, 0);
    BOOST_CHECK_EQUAL(ran.err, "");
    BOOST_CHECK_EQUAL(ran.lines().size(), 1u);
    const json object = ran.object();
    BOOST_CHECK(same_keys(object, keys));
    BOOST_CHECK_EQUAL(object["status"], "found");
    BOOST_REQUIRE(!object["detections"].empty());
    int before = 1 << 30;
    for (const json& detection : object["detections"]) {
        BOOST_CHECK(same_keys(detection, {"x", "y", "w", "h", "neighbors", "score"}));
        BOOST_CHECK_GT(detection["neighbors"].get<int>(), 3);
        BOOST_CHECK_LE(detection["neighbors"].get<int>(), before);
        before = detection["neighbors"];
        BOOST_CHECK_CLOSE(detection["score"].get<double>(), 1.0, 1e-6);
        // The edge between the bars runs through it.
        BOOST_CHECK_LT(detection["y"].get<int>(), 84);
        BOOST_CHECK_GT(detection["y"].get<int>() + detection["h"].get<int>(), 84);
        BOOST_CHECK_GT(detection["x"].get<int>() + detection["w"].get<int>(), 100);
        BOOST_CHECK_LT(detection["x"].get<int>(), 164);
    }
    BOOST_CHECK(object["backend"].is_string() && object["device"].is_string() && object["choice"].is_string());
    BOOST_CHECK_GT(object["measured_ms"].get<double>(), 0);
}

BOOST_AUTO_TEST_CASE(options_reach_the_search) {
    const Files files;
    const auto detect = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"detect", files.screen_file, files.cascade, "--json"});
        return command(more).object()["detections"];
    };
    const json single = detect({"--min-neighbors", "0"});
    BOOST_CHECK_GT(single.size(), detect({}).size());
    for (const json& window : single) {
        BOOST_CHECK_EQUAL(window["neighbors"], 1);
    }
    BOOST_CHECK_GT(single.size(), detect({"--min-neighbors", "0", "--scale-factor", "1.5"}).size());
    const json sized = detect({"--min-neighbors", "0", "--min-size", "30", "--max-size", "60,50"});
    BOOST_CHECK(!sized.empty());
    for (const json& window : sized) {
        BOOST_CHECK(window["w"].get<int>() >= 30 && window["w"].get<int>() <= 60);
        BOOST_CHECK(window["h"].get<int>() >= 30 && window["h"].get<int>() <= 50);
    }
    const json region = detect({"--min-neighbors", "0", "--region", "90,50,80,70"});
    BOOST_CHECK(!region.empty());
    for (const json& window : region) {
        BOOST_CHECK(window["x"].get<int>() >= 90 && window["y"].get<int>() >= 50);
        BOOST_CHECK_LE(window["x"].get<int>() + window["w"].get<int>(), 170);
    }
    BOOST_CHECK_EQUAL(command({"detect", files.screen_file, files.cascade, "--region", "200,110,100,80"}).status, 1);
}

BOOST_AUTO_TEST_CASE(text_for_people) {
    const Files files;
    const Ran ran = command({"detect", files.screen_file, files.cascade});
    BOOST_CHECK_EQUAL(ran.status, 0);
    const std::vector<std::string> lines = ran.lines();
    BOOST_REQUIRE_GE(lines.size(), 2u);
    for (const char* word : {"found ", " at ", " x ", " windows joined", "weight 1.0000"}) {
        BOOST_CHECK_MESSAGE(has(lines[0], word), lines[0]);
    }
    BOOST_CHECK_MESSAGE(has(lines.back(), "320 x 200 searched in "), lines.back());

    Image flat(VDT_FORMAT_GRAY8, 100, 80);
    const std::string flat_file = files.write("flat.png", flat);
    const Ran none = command({"detect", flat_file, files.cascade});
    BOOST_CHECK_EQUAL(none.status, 1);
    BOOST_CHECK_EQUAL(none.lines().front(), "not found");
    BOOST_CHECK_EQUAL(command({"detect", flat_file, files.cascade, "--json"}).object()["status"], "not_found");
    BOOST_CHECK_EQUAL(command({"detect", "-", files.cascade}, files.screen_file).status, 0);
}

BOOST_AUTO_TEST_CASE(backends_agree) {
    const Files files;
    json first;
    const json listed = command({"backends", "--json"}).object();
    for (const json& backend : listed["backends"]) {
        const json& operations = backend["operations"];
        if (std::find(operations.begin(), operations.end(), "cascade_detect") == operations.end()) {
            BOOST_TEST_MESSAGE("skipped: " << backend["backend"] << " does not detect");
            continue;
        }
        const json object = command({"detect", files.screen_file, files.cascade, "--json", "--backend",
                                     backend["backend"].get<std::string>()})
                                .object();
        BOOST_CHECK_EQUAL(object["backend"], backend["backend"]);
        if (first.is_null()) {
            first = object["detections"];
        }
        BOOST_CHECK_EQUAL(object["detections"], first);
    }
    BOOST_CHECK(!first.is_null());
}

BOOST_AUTO_TEST_CASE(annotated_picture) {
    const Files files;
    const std::string picture = files / "annotated.png";
    const Ran ran = command({"detect", files.screen_file, files.cascade, "--annotate", picture, "--json"});
    BOOST_CHECK_EQUAL(ran.status, 0);
    const json detection = ran.object()["detections"].at(0);
    const Image seen = vedette::host::read_image(picture);
    BOOST_CHECK_EQUAL(seen.width(), 320u);
    BOOST_CHECK_EQUAL(seen.height(), 200u);
    const std::uint32_t x = detection["x"], y = detection["y"], w = detection["w"], h = detection["h"];
    BOOST_CHECK(is_green(seen, x + w / 2, y - 1));
    BOOST_CHECK(is_green(seen, x + w / 2, y + h));
    BOOST_CHECK(is_green(seen, x - 1, y + h / 2));
    BOOST_CHECK(is_green(seen, x + w, y + h / 2));
    BOOST_CHECK(std::memcmp(seen.row(195), files.image.row(195), 3 * 320) == 0);  // elsewhere the screen itself
}

BOOST_AUTO_TEST_CASE(bad_input) {
    const Files files;
    const std::string& screen = files.screen_file;
    check_error({"detect", files / "missing.png", files.cascade}, {"missing.png"}, "VDT_E_FILE");
    check_error({"detect", screen, files / "missing.xml"}, {"missing.xml", "No such file"}, "VDT_E_FILE");
    check_error({"detect", screen, files.write("empty.xml", "")}, {"empty.xml", "empty"}, "VDT_E_FILE");
    check_error({"detect", screen, screen}, {"the cascade is damaged"}, "VDT_E_FORMAT");
    check_error({"detect", screen, "/dev/zero"}, {"/dev/zero", "most that is read"}, "VDT_E_FILE");
    check_error({"detect", screen, files.write("half.xml", edge.substr(0, 400))}, {"the cascade is damaged"},
                "VDT_E_FORMAT");
    const auto check_option = [&](const std::string& option, const std::string& value) {
        check_error({"detect", screen, files.cascade, option, value}, {option.substr(2)}, "VDT_E_ARGUMENT");
    };
    check_option("--min-size", "0");
    check_option("--min-size", "4,5,6");
    check_error({"detect", screen, files.cascade, "--min-size", "100", "--max-size", "50"},
                {"--max-size", "--min-size"}, "VDT_E_ARGUMENT");
    check_option("--max-size", "a");
    check_option("--region", "0,0,321,10");
    check_option("--min-neighbors", "-1");
    check_error({"detect", screen, files.cascade, "--scale-factor", "1"}, {"scale_factor"}, "VDT_E_ARGUMENT");
    check_error({"detect", screen}, {"CASCADE"}, "VDT_E_ARGUMENT");
}
