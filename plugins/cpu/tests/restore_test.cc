// fft2 and restore: bit for bit the same on every instruction set and with any number of workers. That they are right
// is tested in tests/ops.
#include <algorithm>
#include <cmath>

#include "boost_test.h"
#include "test_host.h"

namespace vedette::cpu::test {

namespace {

constexpr const char* sets[] = {"portable", "avx2", "avx512"};
constexpr std::uint32_t worker_counts[] = {1, 2, 5};

void fill(const TestImage& image, std::uint32_t floats_in_row) {
    Random random(floats_in_row);
    std::uniform_real_distribution<float> real(0, 255);
    for (std::uint32_t y = 0; y < image.view().height; ++y)
        for (std::uint32_t i = 0; i < floats_in_row; ++i) image.row<float>(0, y)[i] = real(random);
}

// A small Gaussian for each square below the other.
void fill_spread(const TestImage& image) {
    const std::uint32_t side = image.view().width;
    for (std::uint32_t y = 0; y < image.view().height; ++y)
        for (std::uint32_t x = 0; x < side; ++x) {
            const auto dx = static_cast<float>(std::min(x, side - x));
            const auto dy = static_cast<float>(std::min(y % side, side - y % side));
            image.row<float>(0, y)[x] = std::exp(-(dx * dx + dy * dy) / 4) * 0.08F;
        }
}

void append(std::vector<float>& all, const TestImage& image, std::uint32_t floats_in_row) {
    for (std::uint32_t y = 0; y < image.view().height; ++y)
        all.insert(all.end(), image.row<float>(0, y), image.row<float>(0, y) + floats_in_row);
}

// `run` gives what a device made; it must be the same for every set and number of workers.
template <class Run>
void check_same_everywhere(const Run& run) {
    std::vector<float> first;
    for (const char* const set : sets)
        for (const std::uint32_t workers : worker_counts) {
            TestHost host;
            host.workers = workers;
            TestDevice device(host, set);
            if (!device.available()) continue;
            const std::vector<float> values = run(device);
            BOOST_TEST_REQUIRE(!values.empty());
            if (first.empty()) first = values;
            BOOST_TEST(std::equal(first.begin(), first.end(), values.begin(), values.end()),
                       set << " with " << workers << " workers differs");
        }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(transforms)

BOOST_AUTO_TEST_CASE(fft2_is_the_same_everywhere) {
    for (std::uint32_t side = 32; side <= 512; side *= 2)
        for (const std::uint32_t batch : {1u, 17u})
            for (const bool real : {false, true})
                for (const std::uint32_t direction : {VDT_FFT_FORWARD, VDT_FFT_INVERSE}) {
                    if (side > 128 && batch > 1) continue;
                    const bool forward = direction == VDT_FFT_FORWARD;
                    const std::uint32_t half = real ? side / 2 + 1 : side;
                    const vdt_format plain_format = real ? VDT_FORMAT_GRAYF32 : VDT_FORMAT_COMPLEXF32;
                    const TestImage plain(plain_format, side, side * batch, {});
                    const TestImage spectrum(VDT_FORMAT_COMPLEXF32, half, side * batch, {});
                    const TestImage &in = forward ? plain : spectrum, &out = forward ? spectrum : plain;
                    const std::uint32_t plain_floats = real ? side : 2 * side;
                    fill(in, forward ? plain_floats : 2 * half);
                    const vdt_fft2_params params{sizeof(vdt_fft2_params), direction, batch, 0};
                    check_same_everywhere([&](TestDevice& device) {
                        std::vector<float> values;
                        if (device.run(VDT_OP_FFT2, &params, {&in.view()}, {&out.view()}) == VDT_OK)
                            append(values, out, forward ? 2 * half : plain_floats);
                        return values;
                    });
                }
}

BOOST_AUTO_TEST_CASE(restore_is_the_same_everywhere) {
    for (std::uint32_t side = 32; side <= 512; side *= 2)
        for (std::uint32_t method = VDT_RESTORE_MIA_BLIND; method <= VDT_RESTORE_RICHARDSON_LUCY; ++method)
            for (const std::uint32_t batch : {1u, 11u}) {
                if (side > 128 && batch > 1) continue;
                const auto image = [&] { return TestImage(VDT_FORMAT_GRAYF32, side, side * batch, {}); };
                const TestImage blurred = image(), spread = image(), restored = image(), final_spread = image();
                fill(blurred, side);
                fill_spread(spread);
                const vdt_restore_params params{sizeof(vdt_restore_params), method, 7, batch, 1e-4};
                check_same_everywhere([&](TestDevice& device) {
                    std::vector<const vdt_image*> outputs{&restored.view()};
                    if (method == VDT_RESTORE_MIA_BLIND) outputs.push_back(&final_spread.view());
                    std::vector<float> values;
                    if (device.run(VDT_OP_RESTORE, &params, {&blurred.view(), &spread.view()}, outputs) != VDT_OK)
                        return values;
                    append(values, restored, side);
                    if (method == VDT_RESTORE_MIA_BLIND) append(values, final_spread, side);
                    return values;
                });
            }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace vedette::cpu::test
