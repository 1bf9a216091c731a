#define BOOST_TEST_MODULE cli_resize
#include "command.h"

using namespace cli_test;

namespace {

struct Files : Folder {
    Image image = tiles(64, 48, 1, 8);
    std::string in = write("in.png", image);
    std::string out = *this / "out.png";

    Image result() const { return vedette::host::read_image(out); }
};

}  // namespace

// Tiles of 8 pixels halved are tiles of 4: every output pixel is the mean of equal ones.
BOOST_FIXTURE_TEST_CASE(halves_by_area, Files) {
    const Ran ran = command({"resize", in, out, "--size", "32x24"});
    BOOST_CHECK_EQUAL(ran.status, 0);
    BOOST_CHECK_EQUAL(ran.err, "");
    BOOST_CHECK_MESSAGE(has(ran.out, "32 x 24") && has(ran.out, "64 x 48") && has(ran.out, "area"), ran.out);
    const Image small = result();
    BOOST_REQUIRE(small.format() == VDT_FORMAT_BGR8 && small.width() == 32 && small.height() == 24);
    for (std::uint32_t y = 0; y < 24; ++y)
        for (std::uint32_t x = 0; x < 32; ++x)
            BOOST_REQUIRE(std::memcmp(small.row(y) + 3 * x, image.row(2 * y) + 6 * x, 3) == 0);
}

BOOST_FIXTURE_TEST_CASE(every_method_keeps_corners_and_channels, Files) {
    const std::string gray = write("gray.png", tiles(20, 10, 3, 4, VDT_FORMAT_GRAY8));
    for (const char* method : {"half-pixel", "area", "aligned-corners", "Half-Pixel"}) {
        const Ran ran = command({"resize", gray, out, "--size", "40x30", "--method", method, "--backend", "cpu"});
        BOOST_CHECK_EQUAL(ran.status, 0);
        const Image large = result();
        BOOST_REQUIRE(large.format() == VDT_FORMAT_GRAY8 && large.width() == 40 && large.height() == 30);
        BOOST_CHECK_EQUAL(int{large.row(0)[0]}, int{tiles(20, 10, 3, 4, VDT_FORMAT_GRAY8).row(0)[0]});
    }
}

BOOST_FIXTURE_TEST_CASE(letterboxes_both_ways, Files) {
    BOOST_CHECK_EQUAL(
        command({"resize", in, out, "--size", "64x64", "--letterbox", "--fill", "200", "--method", "half-pixel"})
            .status,
        0);
    const Image wide = result();  // 64 x 48 in the middle of 64 x 64
    for (std::uint32_t y = 0; y < 64; ++y)
        for (std::uint32_t i = 0; i < 64 * 3; ++i)
            BOOST_REQUIRE_EQUAL(int{wide.row(y)[i]}, y < 8 || y >= 56 ? 200 : int{image.row(y - 8)[i]});
    BOOST_CHECK_EQUAL(command({"resize", in, out, "--size", "100x48", "--letterbox"}).status, 0);
    const Image high = result();
    for (std::uint32_t x = 0; x < 100; ++x)
        for (std::uint32_t c = 0; c < 3; ++c)
            BOOST_REQUIRE_EQUAL(int{high.row(5)[3 * x + c]},
                                x < 18 || x >= 82 ? 0 : int{image.row(5)[3 * (x - 18) + c]});
}

BOOST_FIXTURE_TEST_CASE(one_object, Files) {
    const Ran ran = command({"resize", in, out, "--size", "10x20", "--json", "--letterbox"});
    BOOST_CHECK_EQUAL(ran.status, 0);
    const json object = ran.object();
    BOOST_CHECK_EQUAL(object["status"], "done");
    BOOST_CHECK_EQUAL(object["output"], out);
    BOOST_CHECK(object["width"] == 10 && object["height"] == 20);
    BOOST_CHECK(object["from_width"] == 64 && object["from_height"] == 48);
    BOOST_CHECK(object["method"] == "area" && object["letterbox"] == true);
    BOOST_CHECK(!object["backend"].get<std::string>().empty() && !object["choice"].get<std::string>().empty());
    BOOST_CHECK_GT(object["measured_ms"].get<double>(), 0);
}

BOOST_FIXTURE_TEST_CASE(reads_standard_input, Files) {
    BOOST_CHECK_EQUAL(command({"resize", "-", out, "--size", "5x5"}, in).status, 0);
    BOOST_CHECK_EQUAL(result().width(), 5);
}

BOOST_FIXTURE_TEST_CASE(errors, Files) {
    check_error({"resize", in, out, "--size", "10"}, {"--size", "WIDTHxHEIGHT"}, "VDT_E_ARGUMENT");
    check_error({"resize", in, out, "--size", "0x5"}, {"--size", "1 to 65535"}, "VDT_E_ARGUMENT");
    check_error({"resize", in, out, "--size", "70000x5"}, {"--size", "65535"}, "VDT_E_ARGUMENT");
    check_error({"resize", in, out, "--size", "65535x65535"}, {"--size", "2^29"}, "VDT_E_ARGUMENT");
    check_error({"resize", in, out, "--size", "-3x5"}, {"--size"}, "VDT_E_ARGUMENT");
    check_error({"resize", in, out, "--size", "5x5", "--fill", "256"}, {"--fill", "255"}, "VDT_E_ARGUMENT");
    check_error({"resize", in, out, "--size", "5x5", "--method", "cubic"}, {"cubic"}, "VDT_E_ARGUMENT");
    check_error({"resize", in, out}, {"--size"}, "VDT_E_ARGUMENT");
    check_error({"resize", *this / "none.png", out, "--size", "5x5"}, {"none.png"}, "VDT_E_FILE");
    check_error({"resize", write("text.png", std::string("no image")), out, "--size", "5x5"}, {"text.png"},
                "VDT_E_FORMAT");
    check_error({"resize", in, *this / "no/folder.png", "--size", "5x5"}, {"no/folder.png"}, "VDT_E_FILE");
    check_error({"resize", in, out, "--size", "5x5", "--backend", "none"}, {"none"});
    BOOST_CHECK(!fs::exists(out));
}
