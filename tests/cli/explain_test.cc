#define BOOST_TEST_MODULE cli_explain
#include "command.h"

#include <cmath>

using namespace cli_test;

namespace {

struct Files : Folder {
    Image image = tiles(640, 400, 1);
    std::string screen = write("screen.png", image);
    std::string pattern = write("pattern.png", part(image, 100, 60, 40, 24));
    std::string other = write("other.png", tiles(40, 24, 2));
};

const json& candidate(const json& call, const std::string& backend) {
    for (const json& one : call.at("candidates")) {
        if (one.at("backend") == backend) {
            return one;
        }
    }
    throw std::runtime_error("no candidate of backend " + backend);
}

// The terms make the total, the total with the correction the prediction.
void check_sums(const json& call) {
    for (const json& one : call.at("candidates")) {
        double sum = 0;
        for (const auto& [term, value] : one.at("terms_ms").items()) {
            BOOST_CHECK(value.get<double>() >= 0);
            sum += term == "total" ? 0 : term == "overlap" ? -value.get<double>() : value.get<double>();
        }
        const double total = one.at("terms_ms").at("total").get<double>();
        BOOST_CHECK_CLOSE(sum, total, 1e-6);
        BOOST_CHECK_CLOSE(total * one.at("correction").get<double>(), one.at("predicted_ms").get<double>(), 1e-6);
        BOOST_CHECK(one.at("predicted_ms").get<double>() > 0);
    }
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_find_as_json, Files) {
    const Ran ran = command({"explain", "--json", "find", screen, pattern});
    BOOST_REQUIRE_EQUAL(ran.status, 0);
    BOOST_CHECK_EQUAL(ran.err, "");
    const json object = ran.object();
    BOOST_CHECK_EQUAL(object.at("measured"), false);
    BOOST_CHECK_EQUAL(object.at("left_out"), 0);
    BOOST_REQUIRE_EQUAL(object.at("calls").size(), 1u);
    const json& call = object.at("calls").at(0);
    BOOST_CHECK_EQUAL(call.at("operation"), "template_find");
    BOOST_CHECK_EQUAL(call.at("inputs").at(0).at("width"), 640);
    BOOST_CHECK_EQUAL(call.at("inputs").at(0).at("height"), 400);
    BOOST_CHECK_EQUAL(call.at("inputs").at(0).at("format"), "BGR8");
    const json& chosen = call.at("chosen");
    const json& candidates = call.at("candidates");
    BOOST_CHECK(std::any_of(candidates.begin(), candidates.end(), [&](const json& one) {
        return one.at("backend") == chosen.at("backend") && one.at("variant") == chosen.at("variant") &&
               one.at("predicted_ms") == chosen.at("predicted_ms");
    }));
    BOOST_CHECK(chosen.at("measured_ms").get<double>() > 0);
    const json& cpu = candidate(call, "cpu");
    BOOST_CHECK(!cpu.contains("measured_ms"));
    BOOST_CHECK(cpu.at("terms_ms").at("to_device") == 0.0);
    BOOST_CHECK(!call.at("reason").get<std::string>().empty());
    check_sums(call);
    // The other --json does the same.
    BOOST_CHECK_EQUAL(command({"explain", "find", screen, pattern, "--json"}).object().at("calls").size(), 1u);
}

BOOST_FIXTURE_TEST_CASE(measured, Files) {
    const json object = command({"explain", "--measure", "--json", "find", screen, pattern, "--no-fallback"}).object();
    BOOST_CHECK_EQUAL(object.at("measured"), true);
    for (const json& call : object.at("calls")) {
        check_sums(call);
        for (const json& one : call.at("candidates")) {
            BOOST_CHECK(one.at("first_ms").get<double>() > 0);
            BOOST_CHECK(one.at("measured_ms").get<double>() > 0);
            const double predicted = one.at("predicted_ms").get<double>();
            const double real = one.at("measured_ms").get<double>();
            BOOST_CHECK_CLOSE(one.at("error").get<double>(), (predicted - real) / real, 1e-6);
        }
    }
}

BOOST_FIXTURE_TEST_CASE(as_text, Files) {
    const Ran ran = command({"explain", "find", screen, pattern, other});
    BOOST_REQUIRE_EQUAL(ran.status, 0);  // not found is no error of the explanation
    for (const char* word : {"template_find of 640 x 400 BGR8, 40 x 24 BGR8", "predicted", "compute", "  * ",
                             "taken: ", "from device properties"}) {
        BOOST_CHECK_MESSAGE(has(ran.out, word), "no '" << word << "' in: " << ran.out);
    }
    BOOST_CHECK(!has(ran.out, "found  "));  // nothing of the find itself
    // Terms that nobody has take no column: the cpu backend has no atomics and copies nothing.
    const Ran cpu = command({"explain", "find", screen, pattern, other, "--backend", "cpu"});
    BOOST_CHECK_MESSAGE(has(cpu.out, "taken: cpu on"), cpu.out);
    for (const char* const term : {"atomics", "copy in", "copy out"}) {
        BOOST_CHECK_MESSAGE(!has(cpu.out, term), term << " in: " << cpu.out);
    }
    for (const std::string& line : ran.lines()) {
        BOOST_CHECK_MESSAGE(line.empty() || line.back() != ' ', "blank at the end of: " << line);
    }
}

BOOST_FIXTURE_TEST_CASE(other_commands, Files) {
    const std::string out = *this / "small.png";
    const json resized = command({"explain", "--json", "resize", screen, out, "--size", "320x200"}).object();
    BOOST_REQUIRE_EQUAL(resized.at("calls").size(), 1u);
    BOOST_CHECK_EQUAL(resized.at("calls").at(0).at("operation"), "resize");
    BOOST_CHECK_EQUAL(resized.at("calls").at(0).at("outputs").at(0).at("width"), 320);
    BOOST_CHECK(fs::exists(out));  // the command really runs
    check_sums(resized.at("calls").at(0));
    const json matched = command({"explain", "--json", "match", screen, pattern}).object();
    BOOST_CHECK(!matched.at("calls").empty());
}

BOOST_FIXTURE_TEST_CASE(forced_backends, Files) {
    const json object = command({"explain", "--json", "find", screen, pattern, "--backend", "cpu"}).object();
    const json& call = object.at("calls").at(0);
    for (const json& one : call.at("candidates")) {
        BOOST_CHECK_EQUAL(one.at("backend"), "cpu");
    }
    BOOST_CHECK_EQUAL(call.at("reason"), "cpu was asked for by the call");
}

BOOST_FIXTURE_TEST_CASE(errors, Files) {
    check_error({"explain"}, {"subcommand"});
    check_error({"explain", "dance"}, {"see vedette --help"});
    check_error({"explain", "find", *this / "none.png", pattern}, {"none.png"}, "VDT_E_FILE");
    check_error({"explain", "find", screen}, {"PATTERN"});
}

// A drawing has a line for every backend that gives predictions, and one for its measurements.
BOOST_FIXTURE_TEST_CASE(a_drawing, Files) {
    const std::string config = write(
        "config.json",
        json({{"schema", 1},
              {"trial_seconds", 0},
              {"backends",
               {{"opencv", {{"enabled", false}}}, {"opencl", {{"enabled", false}}}, {"cuda", {{"enabled", false}}}}},
              {"model", {{"profiles", false}}}})
            .dump());
    const std::string file = *this / "convert.svg";
    const Ran ran = command(
        {"explain", "--plot", file, "--op", "convert", "--case", "bgr to gray", "--measure", "--config", config});
    BOOST_REQUIRE_MESSAGE(ran.status == 0, ran.err);
    const std::string svg = contents(file);
    BOOST_CHECK(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    for (const char* const text : {"convert: bgr to gray", ">cpu</text>", ">predicted</text>", ">measured</text>",
                                   ">300x200</text>", ">7680x4320</text>", ">milliseconds</text>"}) {
        BOOST_CHECK_MESSAGE(has(svg, text), text);
    }
    const auto count = [&](const std::string& what) {
        std::size_t found = 0;
        for (std::size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) {
            ++found;
        }
        return found;
    };
    BOOST_CHECK_EQUAL(count("<polyline"), 2u);
    BOOST_CHECK_EQUAL(count("<circle"), 7u);  // sizes

    check_error({"explain", "--plot", *this / "out.png"}, {"out.png", "SVG"}, "VDT_E_ARGUMENT");
    check_error({"explain", "--plot", file, "--op", "dance"}, {"dance"}, "VDT_E_ARGUMENT");
    check_error({"explain", "--plot", *this / "none/out.svg", "--op", "convert", "--config", config}, {"out.svg"},
                "VDT_E_FILE");
    check_error({"explain", "--plot", file, "--op", "convert", "--case", "no such case"}, {"--case"},
                "VDT_E_UNAVAILABLE");
}
