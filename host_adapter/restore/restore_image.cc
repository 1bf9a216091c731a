#include "restore_image.h"

#include "../core/context.h"
#include "tiling.h"

#include <algorithm>
#include <cmath>

namespace vedette::host {

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

FloatPlanes planes_of(const Image& image, int step, int channels) {
    FloatPlanes planes(static_cast<int>(image.width()), static_cast<int>(image.height()), channels);
    for (int y = 0; y < planes.height; ++y) {
        const std::uint8_t* const row = image.row(static_cast<std::uint32_t>(y));
        for (int x = 0; x < planes.width; ++x) {
            for (int c = 0; c < channels; ++c) {
                planes.at(c, x, y) = row[x * step + c] + lift;
            }
        }
    }
    return planes;
}

// Runs the operation on squares of one batch and adds up who did it and how long it took.
class Runner {
public:
    Runner(Context& context, const RestoreSettings& settings, std::uint32_t side, RestoreReport& report)
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
        Operation operation;
        operation.op = VDT_OP_RESTORE;
        operation.params = &params;
        operation.inputs = {OperationImage::of(view_of(squares, side_)), OperationImage::of(view_of(spreads, side_))};
        operation.outputs = {OperationImage::of(view_of(restored, side_))};
        if (blind) {
            operation.outputs.push_back(OperationImage::of(view_of(found, side_)));
        }
        const double before = report_.run.measured_ms;
        run_operation(context_, operation, settings_.backend, nullptr, report_.run);
        report_.run.measured_ms += before;
        squares.swap(restored);
        if (blind) {
            spreads.swap(found);
        }
    }

private:
    Context& context_;
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

RestoreReport restore_image(Context& context, Image& pixels, PointSpread spread, const RestoreSettings& settings,
                            const std::function<void(std::uint32_t done, std::uint32_t all)>& progress) {
    const auto step = static_cast<int>(bytes_per_pixel(pixels.format()));
    const int channels = std::min(step, 3);
    const FloatPlanes image = planes_of(pixels, step, channels);
    const Tiling tiling(image.width, image.height, spread.reach);
    const auto side = static_cast<std::uint32_t>(tiling.side());
    const std::size_t square = std::size_t{side} * side;
    RestoreReport report;
    report.run.measured_ms = 0;
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
        std::uint8_t* const row = pixels.row(static_cast<std::uint32_t>(y));
        for (int x = 0; x < image.width; ++x) {
            for (int c = 0; c < channels; ++c) {
                const float value = std::clamp(std::round(sum.at(c, x, y) - lift), 0.0F, 255.0F);
                row[x * step + c] = static_cast<std::uint8_t>(value);
            }
        }
    }
    return report;
}

}  // namespace vedette::host
