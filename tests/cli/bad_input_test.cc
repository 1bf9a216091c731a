#define BOOST_TEST_MODULE cli_bad_input
#include "command.h"

using namespace cli_test;

namespace {

struct Files : Folder {
    Image image = tiles(320, 200, 1);
    std::string screen = write("screen.png", image);
    std::string pattern = write("pattern.png", part(image, 100, 60, 40, 24));

    // `bad` as the screen and as the pattern.
    void check_bad_file(const std::string& bad, const std::vector<std::string>& words, const std::string& code) const {
        check_error({"find", bad, pattern}, words, code);
        check_error({"find", screen, bad}, words, code);
        check_error({"find", screen, pattern, bad}, words, code);
    }
    void check_bad_option(const std::vector<std::string>& option, const std::vector<std::string>& words) const {
        std::vector<std::string> arguments{"find", screen, pattern};
        arguments.insert(arguments.end(), option.begin(), option.end());
        check_error(arguments, words, "VDT_E_ARGUMENT");
    }
};

}  // namespace

BOOST_AUTO_TEST_CASE(files_that_cannot_be_read) {
    const Files files;
    files.check_bad_file(files / "missing.png", {"missing.png", "No such file"}, "VDT_E_FILE");
    files.check_bad_file(files.path(), {"is a directory"}, "VDT_E_FILE");
    files.check_bad_file(files.write("empty.png", ""), {"empty.png", "empty"}, "VDT_E_FILE");
    files.check_bad_file(files.write("text.png", "hello"), {"text.png", "no image"}, "VDT_E_FORMAT");
    const std::string whole = contents(files.pattern);
    files.check_bad_file(files.write("cut.png", whole.substr(0, whole.size() / 2)), {"cut.png", "truncated"},
                         "VDT_E_FORMAT");
    std::string damaged = whole;
    damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 0x55);
    files.check_bad_file(files.write("damaged.png", damaged), {"damaged.png", "damaged"}, "VDT_E_FORMAT");
    files.check_bad_file(files.write("nothing.pgm", "P5 0 4 255 "), {"nothing.pgm", "0 x 4"}, "VDT_E_FORMAT");
    files.check_bad_file(files.write("huge.pgm", "P5 65536 1 255 "), {"huge.pgm", "65536"}, "VDT_E_SIZE");
}

BOOST_AUTO_TEST_CASE(standard_input_that_cannot_be_read) {
    const Files files;
    check_error({"find", "-", files.pattern}, {"Standard input is empty"}, "VDT_E_FILE");
    check_error({"find", "-", "-"}, {"Only one image"}, "VDT_E_ARGUMENT");
    check_error({"find", files.screen, "-", "-"}, {"Only one image"}, "VDT_E_ARGUMENT");
}

BOOST_AUTO_TEST_CASE(unusual_sizes_are_no_errors) {
    const Files files;
    // One pixel: without structure, found by its colour or not.
    Image dot(VDT_FORMAT_BGR8, 1, 1);
    std::memcpy(dot.row(0), files.image.row(10) + 30, 3);
    const Ran found = command({"find", files.screen, files.write("dot.png", dot), "--json"});
    BOOST_CHECK_EQUAL(found.status, 0);
    BOOST_CHECK_EQUAL(found.object()["matches"].at(0)["stage"], "flat");
    const Ran small = command({"find", files / "dot.png", files.pattern, "--json"});
    BOOST_CHECK_EQUAL(small.status, 1);
    BOOST_CHECK(small.object()["reason"].is_string());
    BOOST_CHECK_EQUAL(command({"find", files / "dot.png", files / "dot.png"}).status, 0);

    const Image wide = tiles(40000, 12, 3);
    const std::string wide_file = files.write("wide.png", wide);
    const Ran far = command({"find", wide_file, files.write("far.png", part(wide, 39000, 2, 16, 8)), "--json"});
    BOOST_CHECK_EQUAL(far.status, 0);
    BOOST_CHECK_EQUAL(far.object()["matches"].at(0)["x"], 39000);
    const Ran too_wide = command({"find", files.screen, wide_file, "--json"});
    BOOST_CHECK_EQUAL(too_wide.status, 1);
}

BOOST_AUTO_TEST_CASE(a_pattern_larger_than_the_screen_or_the_region_is_not_found) {
    const Files files;
    const std::string large = files.write("large.png", tiles(400, 20, 4));
    const Ran screen = command({"find", files.screen, large, "--json"});
    BOOST_CHECK_EQUAL(screen.status, 1);
    const json object = screen.object();
    BOOST_CHECK(object["best"].is_null());
    BOOST_CHECK_EQUAL(
        object["reason"],
        command({"find", files.screen, files.pattern, "--region", "0,0,39,200", "--json"}).object()["reason"]);
    const Ran text = command({"find", files.screen, large});
    BOOST_CHECK_EQUAL(text.status, 1);
    BOOST_CHECK_MESSAGE(has(text.out, object["reason"].get<std::string>()), text.out);
}

BOOST_AUTO_TEST_CASE(rectangles) {
    const Files files;
    for (const char* option : {"--region", "--exclude"}) {
        for (const char* bad : {"", "1,2,3", "1,2,3,4,5", "a,b,c,d", "1,2,3,x", "1.5,2,3,4", "1,2,3,4 ", "1 2 3 4",
                                "1,,3,4", "99999999999,0,1,1"}) {
            if (*bad != '\0') {
                files.check_bad_option({option, bad}, {option, "X,Y,WIDTH,HEIGHT"});
            }
        }
        files.check_bad_option({option, "1,2,0,4"}, {option, "at least 1"});
        files.check_bad_option({option, "1,2,3,-4"}, {option, "at least 1"});
    }
    for (const char* outside :
         {"-1,0,50,50", "300,0,50,50", "0,0,321,200", "1000,1000,5,5", "2147483647,0,2147483647,1"}) {
        std::vector<std::string> arguments{"find", files.screen, files.pattern, "--region", outside};
        BOOST_CHECK_EQUAL(command(arguments).status, 2);
    }
    // Excluding what is not there excludes nothing.
    BOOST_CHECK_EQUAL(command({"find", files.screen, files.pattern, "--exclude", "1000,1000,5,5"}).status, 0);
    BOOST_CHECK_EQUAL(command({"find", files.screen, files.pattern, "--exclude", "-50,-50,20,20"}).status, 0);
}

BOOST_AUTO_TEST_CASE(numbers) {
    const Files files;
    for (const char* bad : {"nan", "inf", "-inf", "1.5", "-1.5", "1e300"}) {
        files.check_bad_option({"--threshold", bad}, {"threshold"});
        files.check_bad_option({"--floor", bad}, {"floor"});
    }
    for (const char* bad : {"nan", "0", "-1", "0.2", "4.5", "inf"}) {
        files.check_bad_option({"--strict", bad}, {"--strict", "0.25"});
    }
    for (const char* bad : {"0", "-1", "nan", "x", "inf"}) {
        files.check_bad_option({"--time-limit", bad}, {"--time-limit"});
    }
    for (const char* bad : {"0", "-3", "x", "99999999999999"}) {
        files.check_bad_option({"--max", bad}, {"--max"});
    }
    files.check_bad_option({"--threshold", "high"}, {"--threshold"});
    files.check_bad_option({"--threshold"}, {"--threshold"});
    files.check_bad_option({"--color", "pink"}, {"--color", "pink"});
}

BOOST_AUTO_TEST_CASE(scales) {
    const Files files;
    for (const char* bad : {"1", "1:2", "1:2:3:4", "a:b:c", "1:2:", "1:2:0.5x"}) {
        files.check_bad_option({"--scales", bad}, {"--scales", "FIRST:LAST:STEP"});
    }
    for (const char* bad : {"0:1:0.1", "-1:1:0.5", "2:1:0.5", "1:2:0", "1:2:-1", "nan:2:1", "1:inf:1", "1:2:nan"}) {
        files.check_bad_option({"--scales", bad}, {"--scales", "above 0"});
    }
    files.check_bad_option({"--scales", "0.5:2:0.001"}, {"--scales", "200"});
    files.check_bad_option({"--scales", "1:1e300:1e-300"}, {"--scales", "200"});
}

BOOST_AUTO_TEST_CASE(commands_and_options) {
    const Files files;
    for (const char* option : {"--json", "--colour"}) {
        BOOST_CHECK_EQUAL(command({option}).status, 2);
    }
    const Ran nothing = command({});
    BOOST_CHECK_EQUAL(nothing.status, 2);
    BOOST_CHECK_EQUAL(nothing.err,
                      "vedette: A command is missing; it is one of find, detect, match, restore, resize, "
                      "backends, bench, explain, probe; see vedette --help.\n");
    check_error({"seek"}, {"\"seek\" is no command", "find, detect, match, restore, resize, backends, bench, explain"},
                "VDT_E_ARGUMENT");
    check_error({"find"}, {"SCREEN"});
    check_error({"find", files.screen}, {"PATTERN"});
    check_error({"find", files.screen, files.pattern, "--colour", "gray"}, {"--colour"}, "VDT_E_ARGUMENT");
    check_error({"find", files.screen, files.pattern, "-q"}, {"-q"});
    check_error({"backends", "--all"}, {"--all"});
    check_error({"backends", "extra"}, {"extra"});
    check_error({"bench", "--op", "resise"}, {"resise", "resize", "template_find"});
    check_error({"bench", "--backend", "nonesuch"}, {"nonesuch"});
    check_error({"bench", "--op", "convert", "--screen", files / "missing.png"}, {"missing.png"});
}

BOOST_AUTO_TEST_CASE(backends_that_are_not_there) {
    const Files files;
    for (const char* bad : {"nonesuch", "cpu:99", "cpu:x", "cpu:-1", ":0", "../cpu", "cpu:0:0"}) {
        const Ran ran = command({"find", files.screen, files.pattern, "--backend", bad});
        BOOST_CHECK_MESSAGE(ran.status == 2, bad << ": " << ran.status << ran.out);
        BOOST_CHECK_MESSAGE(ran.err.rfind("vedette: ", 0) == 0, ran.err);
    }
}

BOOST_AUTO_TEST_CASE(configurations) {
    const Files files;
    const auto check = [&](const std::string& config, const std::vector<std::string>& words, const std::string& code) {
        check_error({"find", files.screen, files.pattern, "--config", config}, words, code);
        check_error({"backends", "--config", config}, words, code);
    };
    check(files / "missing.json", {"missing.json"}, "VDT_E_FILE");
    check(files.write("broken.json", "{\"order\": ["), {"broken.json"}, "VDT_E_CONFIG");
    check(files.write("list.json", "[]"), {"list.json"}, "VDT_E_CONFIG");
    check(files.write("unknown.json", "{\"no_such_key\": 1}"), {"unknown.json", "no_such_key"}, "VDT_E_CONFIG");
    check(files.write("binary.json", std::string("\0\xff\xfe{}", 5)), {"binary.json"}, "VDT_E_CONFIG");
    check(files.write("deep.json", std::string(200'000, '[')), {"deep.json"}, "VDT_E_CONFIG");
}

BOOST_AUTO_TEST_CASE(results_that_cannot_be_written) {
    const Files files;
    check_error({"find", files.screen, files.pattern, "--annotate", files / "no/such/folder.png"}, {"folder.png"},
                "VDT_E_FILE");
    check_error({"find", files.screen, files.pattern, "--annotate", files.path()}, {"directory"}, "VDT_E_FILE");
    if (fs::exists("/dev/full")) {
        for (const std::vector<std::string>& arguments :
             {std::vector<std::string>{"find", files.screen, files.pattern},
              std::vector<std::string>{"find", files.screen, files.pattern, "--json"},
              std::vector<std::string>{"backends"}}) {
            const Ran full = command(arguments, "/dev/null", "/dev/full");
            BOOST_CHECK_EQUAL(full.status, 2);
            BOOST_CHECK_MESSAGE(has(full.err, "Standard output cannot be written"), full.err);
        }
    }
}
