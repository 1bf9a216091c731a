#define BOOST_TEST_MODULE cli_restore
#include "command.h"

#include <cmath>
#include <set>

using namespace cli_test;

namespace {

// Blurred by a Gaussian, mirrored at the edges, the way the command's own point-spread functions are made.
Image blurred(const Image& image, double sigma) {
    const int reach = static_cast<int>(std::ceil(3 * sigma));
    const auto width = static_cast<int>(image.width()), height = static_cast<int>(image.height());
    const auto channels = static_cast<int>(vedette::host::bytes_per_pixel(image.format()));
    const auto inside = [](int at, int size) {
        at = ((at % (2 * size)) + 2 * size) % (2 * size);
        return at < size ? at : 2 * size - 1 - at;
    };
    Image result(image.format(), image.width(), image.height());
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            for (int c = 0; c < channels; ++c) {
                double sum = 0, total = 0;
                for (int j = -reach; j <= reach; ++j) {
                    for (int i = -reach; i <= reach; ++i) {
                        const double weight = std::exp(-(i * i + j * j) / (2 * sigma * sigma));
                        const auto row = static_cast<std::uint32_t>(inside(y + j, height));
                        sum += weight * image.row(row)[inside(x + i, width) * channels + c];
                        total += weight;
                    }
                }
                const bool alpha = c == 3;
                result.row(static_cast<std::uint32_t>(y))[x * channels + c] =
                    alpha ? image.row(static_cast<std::uint32_t>(y))[x * channels + c]
                          : static_cast<std::uint8_t>(std::lround(sum / total));
            }
        }
    }
    return result;
}

// Root mean square difference over all channels.
double distance(const Image& a, const Image& b) {
    BOOST_REQUIRE(a.width() == b.width() && a.height() == b.height() && a.format() == b.format());
    const std::size_t row = a.width() * vedette::host::bytes_per_pixel(a.format());
    double sum = 0;
    for (std::uint32_t y = 0; y < a.height(); ++y) {
        for (std::size_t i = 0; i < row; ++i) {
            sum += std::pow(a.row(y)[i] - b.row(y)[i], 2);
        }
    }
    return std::sqrt(sum / static_cast<double>(row * a.height()));
}

Image read(const std::string& path) {
    return vedette::host::read_image(path);
}

}  // namespace

// Every size, one tile or several, gray or colour: nearer to the sharp image than the blurred one is.
BOOST_AUTO_TEST_CASE(sharpens_images_of_every_size_and_format) {
    struct Case {
        std::uint32_t width, height;
        vdt_format format;
    };
    for (const Case& one : {Case{1, 1, VDT_FORMAT_GRAY8}, Case{7, 90, VDT_FORMAT_BGR8}, Case{64, 64, VDT_FORMAT_GRAY8},
                            Case{300, 211, VDT_FORMAT_BGR8}, Case{497, 97, VDT_FORMAT_BGRA8}}) {
        BOOST_TEST_CONTEXT(one.width << " x " << one.height << ", format " << one.format) {
            const Folder folder;
            const Image sharp = tiles(one.width, one.height, 3, 6, one.format), soft = blurred(sharp, 1.5);
            const std::string out = folder / "out.png";
            const Ran ran = command({"restore", folder.write("in.png", soft), out, "--psf", "gaussian:1.5"});
            BOOST_REQUIRE_MESSAGE(ran.status == 0, ran.err);
            BOOST_TEST(ran.err == "");
            BOOST_TEST(has(ran.out, "richardson-lucy, 30 iterations"));
            const Image restored = read(out);
            if (one.width > 1) {
                BOOST_TEST(distance(restored, sharp) < 0.8 * distance(soft, sharp));
            }
        }
    }
}

// Where tiles meet, the restored image is as near to the sharp one as elsewhere.
BOOST_AUTO_TEST_CASE(no_seams) {
    const Folder folder;
    const Image sharp = tiles(700, 80, 4, 6, VDT_FORMAT_GRAY8), soft = blurred(sharp, 1.5);
    const std::string out = folder / "out.png";
    const Ran ran = command({"restore", folder.write("in.png", soft), out, "--psf", "gaussian:1.5", "--json"});
    BOOST_REQUIRE_EQUAL(ran.status, 0);
    BOOST_TEST(ran.object().at("tiles").get<int>() >= 3);
    const Image restored = read(out);
    const double whole = distance(restored, sharp);
    for (std::uint32_t x = 0; x + 20 <= 700; x += 10) {
        BOOST_TEST(distance(part(restored, x, 0, 20, 80), part(sharp, x, 0, 20, 80)) < 1.6 * whole, "at " << x);
    }
    // An even image stays even, seams and edges included.
    Image even(VDT_FORMAT_GRAY8, 500, 300);
    for (std::uint32_t y = 0; y < 300; ++y) {
        std::fill(even.row(y), even.row(y) + 500, std::uint8_t{131});
    }
    BOOST_REQUIRE_EQUAL(command({"restore", folder.write("even.png", even), out}).status, 0);
    BOOST_TEST(distance(read(out), even) == 0);
}

BOOST_AUTO_TEST_CASE(methods_and_point_spread_functions) {
    const Folder folder;
    const Image sharp = tiles(160, 120, 5, 8), soft = blurred(sharp, 1.5);
    const std::string in = folder.write("in.png", soft), out = folder / "out.png";
    // The image of a spread: a Gaussian, scaled to 8 bits.
    Image spread(VDT_FORMAT_GRAY8, 11, 11);
    for (int y = 0; y < 11; ++y) {
        for (int x = 0; x < 11; ++x) {
            spread.row(static_cast<std::uint32_t>(y))[x] =
                static_cast<std::uint8_t>(std::lround(255 * std::exp(-((x - 5) * (x - 5) + (y - 5) * (y - 5)) / 4.5)));
        }
    }
    const std::string file = folder.write("spread.png", spread);
    const std::vector<std::vector<std::string>> ways{{"--method", "mia"},
                                                     {"--method", "blind", "--iterations", "10"},
                                                     {"--psf", file},
                                                     {"--psf", "disk:3"},
                                                     {"--iterations", "5"}};
    for (const std::vector<std::string>& way : ways) {
        std::vector<std::string> arguments{"restore", in, out, "--json"};
        arguments.insert(arguments.end(), way.begin(), way.end());
        BOOST_TEST_CONTEXT(way[0] << " " << way[1]) {
            const Ran ran = command(arguments);
            BOOST_REQUIRE_MESSAGE(ran.status == 0, ran.err);
            BOOST_TEST(distance(read(out), sharp) < 0.9 * distance(soft, sharp));
        }
    }
    BOOST_REQUIRE_EQUAL(command({"restore", in, out, "--psf", "motion:5,30"}).status, 0);
}

BOOST_AUTO_TEST_CASE(json_and_backends) {
    const Folder folder;
    const std::string in = folder.write("in.png", tiles(90, 70, 6)), out = folder / "out.png";
    const json object = command({"restore", in, out, "--json", "--backend", "cpu", "--iterations", "7"}).object();
    std::set<std::string> keys;
    for (const auto& [key, value] : object.items()) {
        keys.insert(key);
    }
    const std::set<std::string> wanted{"status",     "output",       "width",  "height",     "method",
                                       "iterations", "spread_width", "tiles",  "tile_side",  "backend",
                                       "device",     "variant",      "choice", "measured_ms"};
    BOOST_CHECK_EQUAL_COLLECTIONS(keys.begin(), keys.end(), wanted.begin(), wanted.end());
    BOOST_TEST(object.at("status") == "done");
    BOOST_TEST(object.at("backend") == "cpu");
    BOOST_TEST(object.at("width") == 90);
    BOOST_TEST(object.at("iterations") == 7);
    BOOST_TEST(std::abs(object.at("spread_width").get<double>() - 1.5) < 0.1);
    BOOST_TEST(object.at("measured_ms").get<double>() > 0);
}

BOOST_AUTO_TEST_CASE(errors) {
    const Folder folder;
    const std::string in = folder.write("in.png", tiles(40, 30, 7)), out = folder / "out.png";
    check_error({"restore", folder / "none.png", out}, {"none.png", "cannot be read"}, "VDT_E_FILE");
    check_error({"restore", folder.write("text.png", "no image"), out}, {"text.png"}, "VDT_E_FORMAT");
    check_error({"restore", in, folder / "no/such/folder.png"}, {"folder.png"}, "VDT_E_FILE");
    for (const char* spread : {"gaussian:", "gaussian:0", "gaussian:-1", "gaussian:nan", "gaussian:1e9", "gaussian:2x",
                               "disk:500", "motion:5", "motion:5,", "motion:5,x", "motion:1e300,0"}) {
        check_error({"restore", in, out, "--psf", spread}, {"--psf", spread}, "VDT_E_ARGUMENT");
    }
    check_error({"restore", in, out, "--psf", folder / "none.png"}, {"none.png"}, "VDT_E_FILE");
    check_error({"restore", in, out, "--psf", folder.write("large.png", tiles(200, 10, 8))}, {"--psf", "200 x 10"},
                "VDT_E_ARGUMENT");
    check_error({"restore", in, out, "--psf", folder.write("black.png", Image(VDT_FORMAT_GRAY8, 5, 5))},
                {"--psf", "black"}, "VDT_E_ARGUMENT");
    check_error({"restore", in, out, "--method", "magic"}, {"--method"});
    check_error({"restore", in, out, "--iterations", "0"}, {"--iterations"});
    check_error({"restore", in, out, "--backend", "nobody"}, {"nobody"});
    check_error({"restore", in}, {"OUT.png"});
    BOOST_TEST(!fs::exists(out));
}
