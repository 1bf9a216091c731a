// What op_cost counts, as far as the inputs beside the images decide.
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "boost_test.h"
#include "test_host.h"

namespace vedette::cpu::test {

BOOST_AUTO_TEST_SUITE(cost)

namespace {

struct Counts {
    vdt_code code = VDT_OK;
    double work = 0;
    std::uint32_t launches = 0;
};

Counts counts_of(TestDevice& device, const vdt_query& query) {
    vdt_cost_stage stages[8]{};
    vdt_cost cost{};
    cost.struct_size = sizeof cost;
    cost.stage_capacity = 8;
    cost.stage_size = sizeof(vdt_cost_stage);
    cost.stages = stages;
    Counts counts;
    counts.code = device.plugin().op_cost(device.device(), &query, &cost, nullptr);
    BOOST_TEST(cost.stage_count <= 8u);
    for (const vdt_cost_stage& stage : stages) counts.work += stage.work;
    counts.launches = cost.launches;
    return counts;
}

}  // namespace

BOOST_AUTO_TEST_CASE(lengths_of_lists_count) {
    TestHost host;
    TestDevice device(host, "auto");
    const vdt_group_params params{sizeof(vdt_group_params), 3, 0.2};
    vdt_query query{};
    query.struct_size = sizeof query;
    query.op = VDT_OP_GROUP;
    query.params = &params;
    const double usual = counts_of(device, query).work;
    BOOST_TEST(usual > 0);
    vdt_list list{};
    list.struct_size = sizeof list;
    list.item_size = sizeof(vdt_item);
    const vdt_list* lists[] = {&list};
    query.lists_in = lists;
    query.list_in_count = 1;
    const auto with = [&](std::uint64_t count) {
        list.count = list.capacity = count;
        return counts_of(device, query);
    };
    BOOST_TEST(with(1024).work == usual);
    BOOST_TEST(with(0).code == VDT_OK);
    double last = 0;
    for (std::uint64_t count = 1; count < 1000000; count *= 3) {
        const Counts counts = with(count);
        BOOST_TEST(counts.code == VDT_OK);
        BOOST_TEST(counts.work > last);
        last = counts.work;
    }
    BOOST_TEST(with(400000).work == 2 * with(200000).work, boost::test_tools::tolerance(0.02));
    BOOST_TEST(with(1000).launches == 0u);
    // Hosts of ABI 1.0 and 1.1 have no such fields: what lies behind their query is not read.
    query.struct_size = offsetof(vdt_query, lists_in);
    lists[0] = nullptr;
    BOOST_TEST(counts_of(device, query).work == usual);
    query.struct_size = sizeof query;
    BOOST_TEST(counts_of(device, query).work == usual);  // nothing is said of the list
    query.struct_size = offsetof(vdt_query, lists_in) - 1;
    BOOST_TEST(counts_of(device, query).code == VDT_E_ARGUMENT);
}

// Screens of which more and more is like the pattern's surroundings, in the same memory: each is looked at anew.
BOOST_AUTO_TEST_CASE(what_the_scene_holds_counts) {
    constexpr std::uint32_t width = 1600, height = 900, side = 64;
    TestHost host;
    TestDevice device(host, "auto");
    std::mt19937 random(5);
    const auto noise = [&](std::vector<std::uint8_t>& pixels, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) pixels[i] = static_cast<std::uint8_t>(random());
    };
    std::vector<std::uint8_t> scene(std::size_t{width} * height, 90), pattern(std::size_t{side} * side);
    noise(pattern, pattern.size());
    const auto view = [](std::vector<std::uint8_t>& pixels, std::uint32_t w, std::uint32_t h) {
        vdt_image image{};
        image.struct_size = sizeof image;
        image.format = VDT_FORMAT_GRAY8;
        image.width = w;
        image.height = h;
        image.memory = VDT_MEMORY_HOST;
        image.plane_count = 1;
        image.plane[0] = {pixels.data(), 0, w, pixels.size()};
        return image;
    };
    const vdt_image images[] = {view(scene, width, height), view(pattern, side, side)};
    vdt_image none{};
    none.struct_size = sizeof none;
    const vdt_image* inputs[] = {&images[0], &images[1], &none};
    vdt_template_find_params params{};
    params.struct_size = sizeof params;
    params.threshold = 0.4;
    params.pattern_count = 1;
    params.max_results = 100;
    vdt_query query{};
    query.struct_size = sizeof query;
    query.op = VDT_OP_TEMPLATE_FIND;
    query.params = &params;
    query.inputs = inputs;
    query.input_count = 3;
    double last = 0;
    for (const double share : {0.0, 0.05, 1.0}) {
        noise(scene, static_cast<std::size_t>(share * static_cast<double>(scene.size())));
        const Counts counts = counts_of(device, query);
        BOOST_TEST(counts.code == VDT_OK);
        BOOST_TEST(counts.work > last * 1.2);
        BOOST_TEST(counts_of(device, query).work == counts.work);
        last = counts.work;
    }
    // Where the bound is given up no more is done than computing every score, and a little that was tried.
    params.threshold = 0.2;
    const double every = counts_of(device, query).work;
    BOOST_TEST(last < 1.5 * every);
    // Blocks of noise differ in their means at least: nothing is like the pattern in all of it.
    params.threshold = 1;
    BOOST_TEST(counts_of(device, query).work < last);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::cpu::test
