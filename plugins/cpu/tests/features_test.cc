// features and feature_match on every instruction set that runs here: the same bits, whatever the number of threads.
#include <cmath>
#include <cstring>

#include "boost_test.h"
#include "test_host.h"

namespace vedette::cpu::test {

BOOST_AUTO_TEST_SUITE(features)

namespace {

constexpr const char* sets[] = {"portable", "avx2", "avx512"};
constexpr std::uint32_t room = 6000;

// Boxes, waves and noise: keypoints of all octaves, many of them near each other and at the edges.
void paint(const TestImage& image, Random& random) {
    const std::uint32_t width = image.view().width, height = image.view().height;
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x)
            image.row<std::uint8_t>(0, y)[x] =
                static_cast<std::uint8_t>(110 + 60 * std::sin(x * 0.11) * std::cos(y * 0.07) + below(random, 12));
    for (std::uint32_t box = 0; box < width * height / 300; ++box) {
        const std::uint32_t left = below(random, width), top = below(random, height),
                            right = std::min(width, left + 1 + below(random, 20)),
                            bottom = std::min(height, top + 1 + below(random, 20));
        const auto level = static_cast<std::uint8_t>(below(random, 256));
        for (std::uint32_t y = top; y < bottom; ++y)
            std::memset(image.row<std::uint8_t>(0, y) + left, level, right - left);
    }
}

// All that a run of features gives.
struct Found {
    std::vector<vdt_keypoint> points;
    std::vector<float> descriptors;
};

Found find(TestDevice& device, const TestImage& image, std::uint32_t most, std::uint32_t layers) {
    vdt_features_params params{};
    params.struct_size = sizeof params;
    params.max_features = most;
    params.octave_layers = layers;
    params.contrast_threshold = 0.03;
    params.edge_threshold = 12;
    params.sigma = 1.6;
    const TestImage rows(VDT_FORMAT_GRAYF32, 128, room, {});
    vdt_image none{};
    none.struct_size = sizeof none;
    Found found;
    found.points.resize(room);
    vdt_list list = list_of(found.points, 0);
    BOOST_REQUIRE_EQUAL(device.run(VDT_OP_FEATURES, &params, {&image.view(), &none}, {&rows.view()}, {}, {&list}),
                        VDT_OK);
    BOOST_CHECK(rows.guards_untouched());
    found.points.resize(list.count);
    for (std::uint32_t i = 0; i < list.count; ++i)
        found.descriptors.insert(found.descriptors.end(), rows.row<float>(0, i), rows.row<float>(0, i) + 128);
    return found;
}

struct Pairs {
    std::vector<vdt_descriptor_match> pairs;
    double homography[9];
};

Pairs match(TestDevice& device, std::uint32_t length, const std::vector<float>& query_rows,
            std::vector<vdt_keypoint> from, const std::vector<float>& train_rows, std::vector<vdt_keypoint> to) {
    vdt_feature_match_params params{};
    params.struct_size = sizeof params;
    params.max_iterations = 1000;
    params.ratio = 0.95;
    params.reprojection = 3;
    params.seed = 7;
    const auto count = [length](const std::vector<float>& rows) {
        return static_cast<std::uint32_t>(rows.size() / length);
    };
    const TestImage query_image(VDT_FORMAT_GRAYF32, length, count(query_rows), {1, 3, true}),
        train_image(VDT_FORMAT_GRAYF32, length, count(train_rows), {}), homography(VDT_FORMAT_F64, 3, 3, {0, 1, false});
    for (std::uint32_t i = 0; i < count(query_rows); ++i)
        std::memcpy(query_image.row<float>(0, i), query_rows.data() + std::size_t{i} * length, length * sizeof(float));
    for (std::uint32_t i = 0; i < count(train_rows); ++i)
        std::memcpy(train_image.row<float>(0, i), train_rows.data() + std::size_t{i} * length, length * sizeof(float));
    Pairs result;
    result.pairs.resize(from.size());
    const vdt_list from_list = list_of(from, from.size()), to_list = list_of(to, to.size());
    vdt_list list = list_of(result.pairs, 0);
    BOOST_REQUIRE_EQUAL(device.run(VDT_OP_FEATURE_MATCH, &params, {&query_image.view(), &train_image.view()},
                                   {&homography.view()}, {&from_list, &to_list}, {&list}),
                        VDT_OK);
    result.pairs.resize(list.count);
    for (std::uint32_t y = 0; y < 3; ++y)
        std::memcpy(result.homography + 3 * y, homography.row<double>(0, y), 3 * sizeof(double));
    return result;
}

bool same(const Found& a, const Found& b) {
    return a.points.size() == b.points.size() && a.descriptors == b.descriptors &&
           std::memcmp(a.points.data(), b.points.data(), a.points.size() * sizeof a.points[0]) == 0;
}
bool same(const Pairs& a, const Pairs& b) {
    return a.pairs.size() == b.pairs.size() &&
           std::memcmp(a.pairs.data(), b.pairs.data(), a.pairs.size() * sizeof a.pairs[0]) == 0 &&
           std::memcmp(a.homography, b.homography, sizeof a.homography) == 0;
}

}  // namespace

// 700 columns: several pieces beside each other; 400 rows: several bands.
BOOST_AUTO_TEST_CASE(same_bits_on_every_set_and_thread_count) {
    Random random(12);
    struct Sizes {
        std::uint32_t width, height, layers, most;
        std::size_t least;  // keypoints, for the comparison to mean something
    };
    for (const Sizes& size :
         {Sizes{700, 400, 3, 0, 500}, Sizes{75, 61, 4, 0, 3}, Sizes{333, 90, 5, 40, 40}, Sizes{16, 300, 3, 0, 3}}) {
        const TestImage image(VDT_FORMAT_GRAY8, size.width, size.height, random_placement(random));
        paint(image, random);
        Found first;
        std::string first_set;
        for (const char* const set : sets)
            for (const std::uint32_t workers : {1U, 3U}) {
                TestHost host;
                host.workers = workers;
                TestDevice device(host, set);
                if (!device.available()) continue;
                const Found found = find(device, image, size.most, size.layers);
                if (first_set.empty()) {
                    first = found;
                    first_set = set;
                    BOOST_CHECK_GE(found.points.size(), size.least);
                }
                BOOST_CHECK_MESSAGE(same(found, first), size.width << " x " << size.height << ": " << set << " on "
                                                                   << workers << " threads is not as " << first_set);
            }
    }
}

// `bytes`: descriptors as SIFT's; else floats, of a length that is no multiple of a vector's.
BOOST_AUTO_TEST_CASE(same_pairs_on_every_set_and_thread_count) {
    for (const std::uint32_t length : {128U, 61U, 7U})
        for (const bool bytes : {true, false}) {
            Random random(length);
            std::vector<float> train(std::size_t{1300} * length), query(std::size_t{250} * length);
            std::vector<vdt_keypoint> from(250), to(1300);
            for (float& value : train)
                value =
                    static_cast<float>(below(random, 256)) + (bytes ? 0 : static_cast<float>(below(random, 64)) / 64);
            for (std::uint32_t i = 0; i < 1300; ++i) {
                to[i].x = static_cast<float>(below(random, 500));
                to[i].y = static_cast<float>(below(random, 500));
            }
            for (std::uint32_t i = 0; i < 250; ++i) {
                const std::uint32_t like = below(random, 1300);
                from[i].x = to[like].x + static_cast<float>(below(random, 3));
                from[i].y = to[like].y + static_cast<float>(below(random, 3));
                for (std::uint32_t k = 0; k < length; ++k)
                    query[std::size_t{i} * length + k] = below(random, 4) == 0 ? static_cast<float>(below(random, 256))
                                                                               : train[std::size_t{like} * length + k];
            }
            Pairs first;
            bool any = false;
            for (const char* const set : sets)
                for (const std::uint32_t workers : {1U, 3U}) {
                    TestHost host;
                    host.workers = workers;
                    TestDevice device(host, set);
                    if (!device.available()) continue;
                    const Pairs found = match(device, length, query, from, train, to);
                    if (!any) {
                        first = found;
                        BOOST_CHECK_GT(found.pairs.size(), 50);
                    }
                    any = true;
                    BOOST_CHECK_MESSAGE(same(found, first), "length " << length << ": " << set << " on " << workers);
                }
        }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::cpu::test
