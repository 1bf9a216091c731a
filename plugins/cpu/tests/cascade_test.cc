// Inside cascade_detect: damaged text, the same windows from any number of workers and on every instruction set.
#include <numeric>

#include "boost_test.h"
#include "cascade/detector.h"
#include "cascade/xml.h"
#include "processor.h"
#include "reference/cascade_text.h"
#include "test_host.h"

namespace vedette::cpu::test {

BOOST_AUTO_TEST_SUITE(cascade)

namespace {

using vedette::cpu::cascade::Detector;
using vedette::cpu::cascade::Found;
using vedette::cpu::cascade::Model;
using vedette::cpu::cascade::read_model;
using vedette::cpu::cascade::Search;
using vedette::reference::CascadeStyle;
using vedette::reference::random_cascade;

constexpr CascadeStyle styles[] = {CascadeStyle::stumps,       CascadeStyle::trees, CascadeStyle::tilted,
                                   CascadeStyle::real_weights, CascadeStyle::lbp,   CascadeStyle::lbp_trees};

// Slopes with steps in them: some windows flat, most not.
TestImage picture(Random& random, std::uint32_t width, std::uint32_t height) {
    TestImage image(VDT_FORMAT_GRAY8, width, height, random_placement(random));
    const std::uint32_t cell = 3 + below(random, 9);
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x) {
            const std::uint32_t noise = (x / cell * 7919 + y / cell * 104729) % 97;
            const bool is_flat = x > width / 2 && y > height / 2;
            image.row<std::uint8_t>(0, y)[x] = static_cast<std::uint8_t>(is_flat ? 90 : noise * 2 + below(random, 20));
        }
    return image;
}

std::vector<Found> detect(Isa isa, std::uint32_t workers, const std::string& text, const Search& search,
                          const TestImage& image) {
    TestHost host;
    host.workers = workers;
    const Device device{&host.table, isa, workers};
    Detector detector(device, read_model(text), search, image.view().width, image.view().height);
    detector.run(image.view(), nullptr);
    return detector.run(image.view(), nullptr);  // what a first run leaves behind does not matter
}

bool same(const std::vector<Found>& a, const std::vector<Found>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Found& p, const Found& q) {
        return p.x == q.x && p.y == q.y && p.w == q.w && p.h == q.h && p.score == q.score;
    });
}

// The instruction sets that run here.
std::vector<Isa> sets() {
    std::vector<Isa> runnable;
    for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
        if (runs(isa))
            runnable.push_back(isa);
        else
            BOOST_TEST_MESSAGE("skipped: " << name_of(isa) << " does not run here");
    }
    return runnable;
}

// The code of the Failure that reading throws, VDT_OK when there is none; the sentence must be one.
vdt_code code_of_reading(std::string_view text) {
    try {
        read_model(text);
        return VDT_OK;
    } catch (const Failure& failure) {
        const std::string sentence = failure.what();
        BOOST_TEST(sentence.find("the cascade is damaged: ") == 0u);
        BOOST_TEST(sentence.size() < VDT_ERROR_TEXT_BYTES);
        for (const char c : sentence) BOOST_TEST((c >= ' ' && c <= '~'));
        return failure.code();
    }
}

}  // namespace

BOOST_DATA_TEST_CASE(workers_and_sets_agree, boost::unit_test::data::xrange(6), style) {
    Random random(static_cast<unsigned>(style) + 5);
    const std::vector<Isa> isas = sets();
    std::size_t seen = 0;
    for (int repeat = 0; repeat < 8; ++repeat) {
        const std::string text = random_cascade(random, styles[style]);
        const bool wide = repeat == 0;
        const TestImage image =
            picture(random, wide ? 1300 : 30 + below(random, 150), 30 + below(random, wide ? 400 : 90));
        const Search search{1.05 + 0.1 * below(random, 6), 0, 0, wide ? 90 : 0, wide ? 90 : 0};
        const std::vector<Found> expected = detect(Isa::portable, 1, text, search, image);
        seen += expected.size();
        for (const Isa isa : isas)
            for (const std::uint32_t workers : {1u, 2u, 5u})
                BOOST_TEST(same(detect(isa, workers, text, search, image), expected),
                           "instruction set " << static_cast<int>(isa) << ", " << workers << " workers");
    }
    BOOST_TEST(seen > 0u);
}

BOOST_AUTO_TEST_CASE(cut_off_anywhere) {
    Random random(11);
    for (const CascadeStyle style : styles) {
        std::string text;
        do text = random_cascade(random, style);
        while (text.size() > 6000);
        BOOST_TEST(code_of_reading(text) == VDT_OK);
        for (std::size_t length = 0; length + 1 < text.size(); ++length)  // the last byte ends a line
            BOOST_TEST(code_of_reading(std::string_view(text).substr(0, length)) == VDT_E_FORMAT);
    }
}

// Whatever is still accepted must be safe to run.
BOOST_DATA_TEST_CASE(changed_anywhere, boost::unit_test::data::xrange(6), style) {
    Random random(static_cast<unsigned>(style) + 13);
    const TestImage image = picture(random, 70, 50);
    TestHost host;
    const Device device{&host.table, sets().back(), host.workers};
    int accepted = 0, refused = 0;
    for (int repeat = 0; repeat < 600; ++repeat) {
        std::string text = random_cascade(random, styles[style]);
        constexpr std::string_view bytes = "0123456789-.<>/_ e\n\"'!?";
        for (std::uint32_t change = below(random, 3) + 1; change > 0; --change) {
            const std::uint32_t at = below(random, static_cast<std::uint32_t>(text.size()));
            switch (below(random, 4)) {
                case 0:
                    text[at] = static_cast<char>(below(random, 256));
                    break;
                case 1:
                    text.erase(at, 1 + below(random, 20));
                    break;
                case 2:
                    text.insert(at,
                                text.substr(below(random, static_cast<std::uint32_t>(text.size())), below(random, 40)));
                    break;
                default:
                    text[at] = bytes[below(random, static_cast<std::uint32_t>(bytes.size()))];
            }
        }
        const vdt_code code = code_of_reading(text);
        BOOST_TEST((code == VDT_OK || code == VDT_E_FORMAT));
        (code == VDT_OK ? accepted : refused)++;
        if (code != VDT_OK) continue;
        Detector detector(device, read_model(text), {1.3, 0, 0, 0, 0}, 70, 50);
        detector.run(image.view(), nullptr);
    }
    BOOST_TEST(accepted > 0);
    BOOST_TEST(refused > 0);
}

BOOST_AUTO_TEST_CASE(hostile_text) {
    Random random(17);
    const std::string head = "<?xml version=\"1.0\"?><opencv_storage>";
    const auto many = [](std::size_t count, const std::string& piece) {
        std::string text;
        text.reserve(count * piece.size());
        for (std::size_t i = 0; i < count; ++i) text += piece;
        return text;
    };
    const std::string good = random_cascade(random, CascadeStyle::stumps);
    const std::string texts[] = {
        head + many(100'000'000 / 8, "<a></a>\n"),
        head + many(2'000'000, "<a/>"),
        head + many(1'000'000, "<a>"),
        head + many(1'000'000, "</a>"),
        "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b \"bbbbbbbb\">]><opencv_storage/>",
        head + "<a b=\"" + many(1'000'000, ">"),
        head + "<!--" + many(1'000'000, "-"),
        good + "<opencv_storage/>",
        good + "more",
        std::string(good).insert(good.find("<stages>"), "words"),
        std::string(good).insert(good.find("<stages>"), "<stages>" + many(300'000, "<_></_>") + "</stages>"),
        std::string(good).replace(good.find("<internalNodes>") + 15, 4, many(400'000, " 0 -1 0 0.5")),
    };
    for (const std::string& text : texts) BOOST_TEST(code_of_reading(text) == VDT_E_FORMAT);
}

BOOST_AUTO_TEST_CASE(stopped) {
    Random random(19);
    const TestImage image = picture(random, 400, 300);
    TestHost host;
    const Device device{&host.table, Isa::portable, host.workers};
    Detector detector(device, read_model(random_cascade(random, CascadeStyle::stumps)), {1.1, 0, 0, 0, 0}, 400, 300);
    host.stop = VDT_E_CANCELLED;
    BOOST_CHECK_EXCEPTION(detector.run(image.view(), nullptr), Failure,
                          [](const Failure& failure) { return failure.code() == VDT_E_CANCELLED; });
    host.stop = VDT_OK;
    detector.run(image.view(), nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::cpu::test
