#include "restore_image.h"

#include "restore_tiles.h"

#include <algorithm>
#include <cmath>

namespace vedette::cli {

namespace {

// Squares restored by one call: enough for every thread to have several, few enough to tell progress and to bound the
// memory (256 x 256: 10 MB each for what comes in, for spreads and for what goes out).
constexpr std::uint32_t squares_a_call = 36;
// Multiplicative methods cannot leave 0, so black is lifted off it: half of one of the 255 steps would do.
constexpr float lift = 1;
constexpr double least_divisor = 1e-3;

vdt_image view_of(std::vector<float>& squares, std::uint32_t side) {
    vdt_image view{};
    view.struct_size = sizeof view;
    view.format = VDT_FORMAT_GRAYF32;
    view.width = side;
    view.height = static_cast<std::uint32_t>(squares.size() / side);
    view.plane_count = 1;
    view.plane[0].base = squares.data();
    view.plane[0].row_stride = std::int64_t{4} * side;
    view.plane[0].bytes = squares.size() * sizeof(float);
    return view;
}

FloatPlanes planes_of(const vdt_pixels& pixels, const unsigned char* data, int step, int channels) {
    FloatPlanes planes(static_cast<int>(pixels.width), static_cast<int>(pixels.height), channels);
    for (int y = 0; y < planes.height; ++y) {
        for (int x = 0; x < planes.width; ++x) {
            for (int c = 0; c < channels; ++c) {
                planes.at(c, x, y) = data[y * pixels.stride + x * step + c] + lift;
            }
        }
    }
    return planes;
}

// Runs the operation on squares of one batch and adds up who did it and how long it took.
class Runner {
public:
    Runner(const Context& context, const RestoreSettings& settings, std::uint32_t side, RestoreReport& report)
        : context_(context), settings_(settings), side_(side), report_(report) {}

    // `spreads` holds a point-spread function for each square. Blind: it becomes the one found.
    void run(std::uint32_t method, std::vector<float>& squares, std::vector<float>& spreads) const {
        const bool blind = method == VDT_RESTORE_MIA_BLIND;
        vdt_restore_params params{};
        params.struct_size = sizeof params;
        params.method = method;
        params.iterations = settings_.iterations;
        params.batch = static_cast<std::uint32_t>(squares.size() / side_ / side_);
        params.epsilon = least_divisor;
        std::vector<float> restored(squares.size()), found(blind ? spreads.size() : 0);
        const vdt_image images[] = {view_of(squares, side_), view_of(spreads, side_), view_of(restored, side_),
                                    view_of(found, side_)};
        const vdt_image* const inputs[] = {&images[0], &images[1]};
        const vdt_image* const outputs[] = {&images[2], &images[3]};
        vdt_run_info info{};
        info.struct_size = sizeof info;
        checked([&](vdt_error* error) {
            return vdt_run_operation(context_.get(), VDT_OP_RESTORE, &params, inputs, 2, outputs, blind ? 2 : 1,
                                     nullptr, 0, nullptr, 0, settings_.backend.c_str(), &info, error);
        });
        report_.backend = info.backend;
        report_.device = info.device;
        report_.variant = info.variant;
        report_.choice = info.choice;
        report_.measured_ms += info.measured_ms;
        squares.swap(restored);
        if (blind) {
            spreads.swap(found);
        }
    }

private:
    const Context& context_;
    const RestoreSettings& settings_;
    std::uint32_t side_;
    RestoreReport& report_;
};

// The mean of the channels of the tile whose neighbouring pixels differ most.
std::vector<float> busiest_tile(const Tiling& tiling, const FloatPlanes& image) {
    const int side = tiling.side();
    std::vector<float> best, mean, tile(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
    double most = -1;
    for (int row = 0; row < tiling.rows(); ++row) {
        for (int column = 0; column < tiling.columns(); ++column) {
            mean.assign(tile.size(), 0);
            for (int channel = 0; channel < image.channels; ++channel) {
                tiling.read(image, channel, column, row, tile.data());
                for (std::size_t i = 0; i < tile.size(); ++i) {
                    mean[i] += tile[i] / static_cast<float>(image.channels);
                }
            }
            double structure = 0;
            for (std::size_t i = static_cast<std::size_t>(side); i < mean.size(); ++i) {
                structure += std::pow(double{mean[i] - mean[i - 1]}, 2) +
                             std::pow(double{mean[i] - mean[i - static_cast<std::size_t>(side)]}, 2);
            }
            if (structure > most) {
                most = structure;
                best = mean;
            }
        }
    }
    return best;
}

struct Place {
    int channel, column, row;
};

}  // namespace

RestoreReport restore_image(const Context& context, vdt_pixels& pixels, unsigned char* data, PointSpread spread,
                            const RestoreSettings& settings,
                            const std::function<void(std::uint32_t done, std::uint32_t all)>& progress) {
    const int step = pixels.format == VDT_FORMAT_GRAY8 ? 1 : (pixels.format == VDT_FORMAT_BGR8 ? 3 : 4);
    const int channels = std::min(step, 3);
    const FloatPlanes image = planes_of(pixels, data, step, channels);
    const Tiling tiling(image.width, image.height, spread.reach);
    const auto side = static_cast<std::uint32_t>(tiling.side());
    const std::size_t square = std::size_t{side} * side;
    RestoreReport report;
    report.tiles = static_cast<std::uint32_t>(tiling.columns()) * static_cast<std::uint32_t>(tiling.rows());
    report.tile_side = side;
    const Runner runner(context, settings, side, report);
    std::uint32_t method = settings.method;
    if (method == VDT_RESTORE_MIA_BLIND) {
        std::vector<float> tile = busiest_tile(tiling, image), found = wrapped_spread(spread, tiling.side());
        runner.run(method, tile, found);
        spread = unwrapped_spread(found, tiling.side(), spread.reach);
        method = VDT_RESTORE_MIA_KNOWN;
    }
    report.spread = spread;
    const std::vector<float> wrapped = wrapped_spread(spread, tiling.side());

    std::vector<Place> places;
    for (int row = 0; row < tiling.rows(); ++row) {
        for (int column = 0; column < tiling.columns(); ++column) {
            for (int channel = 0; channel < channels; ++channel) {
                places.push_back({channel, column, row});
            }
        }
    }
    FloatPlanes sum(image.width, image.height, channels);
    for (std::size_t begin = 0; begin < places.size(); begin += squares_a_call) {
        const std::size_t count = std::min<std::size_t>(squares_a_call, places.size() - begin);
        std::vector<float> squares(count * square), spreads;
        for (std::size_t i = 0; i < count; ++i) {
            const Place& place = places[begin + i];
            tiling.read(image, place.channel, place.column, place.row, squares.data() + i * square);
            spreads.insert(spreads.end(), wrapped.begin(), wrapped.end());
        }
        runner.run(method, squares, spreads);
        for (std::size_t i = 0; i < count; ++i) {
            const Place& place = places[begin + i];
            tiling.add(squares.data() + i * square, place.channel, place.column, place.row, sum);
        }
        progress(static_cast<std::uint32_t>((begin + count) / static_cast<std::size_t>(channels)), report.tiles);
    }
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            for (int c = 0; c < channels; ++c) {
                const float value = std::clamp(std::round(sum.at(c, x, y) - lift), 0.0F, 255.0F);
                data[y * pixels.stride + x * step + c] = static_cast<unsigned char>(value);
            }
        }
    }
    return report;
}

}  // namespace vedette::cli
