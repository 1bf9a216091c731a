#include "features/sift.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "formats.h"
#include "parallel.h"

namespace vedette::cpu::features {

namespace {

// Columns of a piece: the rows that a blur of radius 13 reads from so many fit a first-level cache of 32 KB.
constexpr std::uint32_t piece_width = 256;
static_assert(piece_width % sift_row_slack == 0);
// Rows of a piece; fewer and the rows that two pieces share weigh more.
constexpr std::uint32_t piece_height = 32;

// Rows of a band: enough work between two meetings of the threads, few enough to stay in the caches.
std::uint32_t band_height(std::uint32_t width) {
    constexpr std::uint32_t pixels = 1U << 19;  // chosen on a 2-core Zen 3 with 32 MB of third-level cache
    return std::clamp(pixels / width, 2 * piece_height, 1024U);
}

// Tile by tile, so that the surroundings of keypoints that follow each other overlap in a second-level cache.
auto order_of(const Place& place) {
    constexpr std::uint32_t tile = 256;
    return std::tuple(place.layer, place.x / tile, place.y, place.x);
}
bool before(const Place& a, const Place& b) {
    return order_of(a) < order_of(b);
}
bool same_pixel(const Place& a, const Place& b) {
    return order_of(a) == order_of(b);
}

// Asks for floats [begin, end) of a row that will be read soon: rows lie pages apart, where the processor does not look
// ahead by itself.
void fetch(const float* row, std::uint32_t begin, std::uint32_t end) {
    constexpr std::uint32_t line = 16;  // floats
    for (std::uint32_t x = begin; x < end; x += line) __builtin_prefetch(row + x);
}

std::uint32_t most_radius(const ScaleSpace& space) {
    std::uint32_t most = 0;
    for (const Blur& blur : space.blurs) most = std::max(most, blur.radius());
    return most;
}

}  // namespace

SiftShape make_shape(const SiftParameters& parameters, std::uint32_t width, std::uint32_t height) {
    SiftShape shape;
    shape.space = make_scale_space(parameters.octave_layers, parameters.sigma);
    std::uint32_t w = 2 * width, h = 2 * height;
    // OpenCV's number of octaves; those too small for a keypoint are left out.
    const auto octaves = std::lrint(std::log2(static_cast<double>(std::min(w, h))) - 2) + 1;
    for (std::int64_t octave = 0; octave < octaves && std::min(w, h) > 2 * octave_border; ++octave, w /= 2, h /= 2) {
        shape.octaves.emplace_back(shape.space, w, h, band_height(w), octave != 0);
        const OctavePlan& plan = shape.octaves.back();
        const auto stride = static_cast<std::uint64_t>(row_stride(w));
        std::uint64_t floats = 0;
        for (std::uint32_t layer = octave != 0 ? 1 : 0; layer < shape.space.layer_count(); ++layer)
            floats += plan.slots(layer) * stride;
        shape.row_floats = std::max(shape.row_floats, floats);
        if (octave != 0) shape.base_floats += h * stride;
    }
    if (!shape.octaves.empty()) {
        const std::uint32_t radius = shape.space.blurs[0].radius();
        std::uint32_t have = 0;
        for (const OctaveStep& step : shape.octaves[0].steps()) {
            shape.source_slots = std::max(shape.source_slots, step.have[0] - have + 2 * radius + 1);
            have = step.have[0];
        }
        // Rows reflected at the lower edge lie up to two radii back.
        shape.source_slots = std::min(shape.source_slots + radius, 2 * height);
        shape.bytes =
            sizeof(float) * (shape.row_floats + shape.base_floats +
                             std::uint64_t{shape.source_slots} * static_cast<std::uint64_t>(row_stride(2 * width)));
    }
    return shape;
}

Sift::Sift(const Device& device, const SiftKernels& kernels, const SiftParameters& parameters, std::uint32_t width,
           std::uint32_t height)
    : device_(device),
      kernels_(kernels),
      shape_(make_shape(parameters, width, height)),
      rows_(shape_.row_floats),
      bases_(shape_.base_floats),
      layers_(shape_.space.layer_count()),
      have_(shape_.space.layer_count()),
      workers_(std::max(1U, device.workers)) {
    if (shape_.octaves.empty()) return;
    source_layer_ = {nullptr, row_stride(2 * width), shape_.source_slots, 2 * width, 2 * height};
    source_.resize(static_cast<std::size_t>(source_layer_.stride) * source_layer_.slots);
    source_layer_.first = source_.data();
    float* next = bases_.data();
    for (std::size_t octave = 1; octave < shape_.octaves.size(); ++octave) {
        const OctavePlan& plan = shape_.octaves[octave];
        base_layers_.push_back({next, row_stride(plan.width()), plan.height(), plan.width(), plan.height()});
        next += base_layers_.back().stride * plan.height();
    }
    const std::size_t radius = most_radius(shape_.space);
    for (Worker& worker : workers_) {
        worker.patch.resize(static_cast<std::size_t>(sift_patch_scratch(shape_.space.patch_reach)));
        worker.blur.resize(std::size_t{piece_width} + 2 * radius + sift_row_slack);
        worker.rows.resize(std::size_t{piece_height} + 2 * radius);
        worker.extrema.resize(std::size_t{piece_width} * parameters.octave_layers);
    }
}

Strongest& Sift::run(const vdt_image& image, const vdt_image* mask, const Tests& tests, std::uint64_t most,
                     vdt_token* token) {
    tests_ = tests;
    threshold_ = static_cast<float>(std::floor(0.5 * tests.contrast / shape_.space.octave_layers * 255));
    strongest_.start(most);
    for (std::uint32_t octave = 0; octave < shape_.octaves.size(); ++octave) sweep(octave, image, mask, token);
    return strongest_;
}

void Sift::sweep(std::uint32_t octave, const vdt_image& image, const vdt_image* mask, vdt_token* token) {
    const OctavePlan& plan = shape_.octaves[octave];
    const std::uint32_t layers = shape_.space.layer_count();
    const std::uint32_t source_radius = shape_.space.blurs[0].radius();
    place_layers(octave);
    earlier_.clear();
    std::fill(have_.begin(), have_.end(), 0);
    std::uint32_t enlarged = 0;
    for (const OctaveStep& step : plan.steps()) {
        if (octave == 0) {
            const std::uint32_t needed = std::min(step.have[0] + source_radius, plan.height());
            enlarge_rows(image, enlarged, needed, token);
            enlarged = std::max(enlarged, needed);
        }
        for (std::uint32_t layer = octave == 0 ? 0 : 1; layer < layers; ++layer)
            make_rows(octave, layer, have_[layer], step.have[layer], token);
        have_ = step.have;
        search(step, token);
        gather_places();
        find_directions(token);
        offer_keypoints(octave, mask);
        describe(token);
        strongest_.prune();
    }
}

// Where the rows of every layer of an octave lie.
void Sift::place_layers(std::uint32_t octave) {
    const OctavePlan& plan = shape_.octaves[octave];
    float* next = rows_.data();
    for (std::uint32_t layer = 0; layer < layers_.size(); ++layer) {
        if (layer == 0 && octave != 0) {
            layers_[0] = base_layers_[octave - 1];
            continue;
        }
        layers_[layer] = {next, row_stride(plan.width()), plan.slots(layer), plan.width(), plan.height()};
        next += layers_[layer].stride * plan.slots(layer);
    }
}

// body(piece, worker) for the rows [begin, end) of an octave of this width.
template <class Body>
void Sift::for_pieces(std::uint32_t width, std::uint32_t begin, std::uint32_t end, vdt_token* token, const Body& body) {
    if (begin >= end) return;
    const std::uint32_t columns = (width + piece_width - 1) / piece_width;
    const std::uint32_t rows = (end - begin + piece_height - 1) / piece_height;
    // Pieces below each other follow each other: what they share is still in the cache.
    parallel_for(device_, token, 0, columns * rows, rows,
                 [&](std::uint32_t first, std::uint32_t last, std::uint32_t w) {
                     for (std::uint32_t i = first; i < last; ++i) {
                         const std::uint32_t left = i / rows * piece_width, top = begin + i % rows * piece_height;
                         body(Piece{left, std::min(left + piece_width, width), top, std::min(top + piece_height, end)},
                              workers_[w]);
                     }
                 });
}

void Sift::enlarge_rows(const vdt_image& image, std::uint32_t begin, std::uint32_t end, vdt_token* token) {
    if (begin >= end) return;
    constexpr std::uint32_t grain = 16;
    parallel_for(device_, token, begin, end, grain, [&](std::uint32_t first, std::uint32_t last, std::uint32_t) {
        for (std::uint32_t y = first; y < last; ++y) {
            const std::uint32_t near = y / 2;
            // The other row that a sample lies between; the edge's row twice.
            const std::uint32_t far = y % 2 == 0 ? near - std::min(near, 1U) : std::min(near + 1, image.height - 1);
            kernels_.enlarge(row_of<const std::uint8_t>(image, 0, near), row_of<const std::uint8_t>(image, 0, far),
                             image.width, source_layer_.row(y));
        }
    });
}

void Sift::make_rows(std::uint32_t octave, std::uint32_t layer, std::uint32_t begin, std::uint32_t end,
                     vdt_token* token) {
    for_pieces(layers_[layer].width, begin, end, token,
               [&](const Piece& piece, Worker& worker) { blur_piece(octave, layer, piece, worker); });
}

void Sift::blur_piece(std::uint32_t octave, std::uint32_t layer, const Piece& piece, Worker& worker) {
    const SiftLayer &from = layer == 0 ? source_layer_ : layers_[layer - 1], &to = layers_[layer];
    const SiftWeights filter = shape_.space.blurs[layer].filter();
    const std::int64_t radius = filter.radius(), top = piece.top;
    const bool shrink = layer == shape_.space.octave_layers && octave + 1 < shape_.octaves.size();
    // Rows around those of the piece, each found once.
    const auto count = static_cast<std::int64_t>(piece.bottom) - top + 2 * radius;
    for (std::int64_t k = 0; k < count; ++k)
        worker.rows[static_cast<std::size_t>(k)] = from.row(reflected_row(top - radius + k, to.height));
    for (std::uint32_t y = piece.top; y < piece.bottom; ++y) {
        const float* const* const rows = worker.rows.data() + (y - piece.top);
        float* const out = to.row(y);
        if (y + 1 < piece.bottom) {
            fetch(rows[2 * radius + 1], piece.left, piece.right);
            fetch(to.row(y + 1), piece.left, piece.right);
        }
        kernels_.blur(rows, filter, piece.left, piece.right, to.width, worker.blur.data(), out);
        // Every second pixel of every second row is the next octave's base.
        if (!shrink || y % 2 != 0 || y / 2 >= base_layers_[octave].height) continue;
        const std::uint32_t first = piece.left / 2, last = std::min(piece.right / 2, base_layers_[octave].width);
        if (first < last) kernels_.halve(out + piece.left, last - first, base_layers_[octave].row(y / 2) + first);
    }
}

void Sift::search(const OctaveStep& step, vdt_token* token) {
    for (Worker& worker : workers_) worker.places.clear();
    for_pieces(layers_[0].width, step.begin, step.end, token,
               [&](const Piece& piece, Worker& worker) { search_piece(piece, worker); });
}

void Sift::search_piece(const Piece& piece, Worker& worker) {
    const auto count = static_cast<std::uint32_t>(layers_.size());
    const std::uint32_t left = std::max(piece.left, octave_border),
                        right = std::min(piece.right, layers_[0].width - octave_border);
    if (left >= right) return;
    for (std::uint32_t y = piece.top; y < piece.bottom; ++y) {
        if (y + 1 < piece.bottom)
            for (const SiftLayer& layer : layers_) fetch(layer.row(y + 2), left, right);
        SiftRows rows[most_octave_layers + 3];
        for (std::uint32_t layer = 0; layer < count; ++layer)
            rows[layer] = {{layers_[layer].row(y - 1), layers_[layer].row(y), layers_[layer].row(y + 1)}};
        const std::uint32_t found = kernels_.extrema(rows, count, threshold_, left, right, worker.extrema.data());
        for (std::uint32_t i = 0; i < found; ++i) {
            Place place;
            const SiftExtremum& extremum = worker.extrema[i];
            if (refine(shape_.space, layers_.data(), tests_, extremum.x, y, extremum.layer, place))
                worker.places.push_back(place);
        }
    }
}

// Several extrema may be refined to the same pixel; they are the same keypoint then. One from the band before may have
// come into this one, or the other way round; bands are higher than twice the furthest way.
void Sift::gather_places() {
    static_assert(2 * piece_height >= 2 * refine_reach);
    std::swap(places_, earlier_);
    places_.clear();
    for (const Worker& worker : workers_) places_.insert(places_.end(), worker.places.begin(), worker.places.end());
    std::sort(places_.begin(), places_.end(), before);
    places_.erase(std::unique(places_.begin(), places_.end(), same_pixel), places_.end());
    const auto known = [this](const Place& place) {
        return std::binary_search(earlier_.begin(), earlier_.end(), place, before);
    };
    places_.erase(std::remove_if(places_.begin(), places_.end(), known), places_.end());
}

void Sift::find_directions(vdt_token* token) {
    peaks_.resize(places_.size());
    constexpr std::uint32_t grain = 16;
    parallel_for(device_, token, 0, static_cast<std::uint32_t>(places_.size()), grain,
                 [&](std::uint32_t first, std::uint32_t last, std::uint32_t worker) {
                     for (std::uint32_t i = first; i < last; ++i)
                         peaks_of(places_[i], workers_[worker].patch.data(), peaks_[i]);
                 });
}

// Every local maximum of the histogram of at least 0.8 of the highest, interpolated by a parabola.
void Sift::peaks_of(const Place& place, float* scratch, Peaks& peaks) const {
    constexpr std::uint32_t bins = 36;
    const float scale = shape_.space.scale_of(static_cast<float>(place.layer) + place.layer_offset);
    float histogram[bins];
    kernels_.directions(layers_[place.layer], static_cast<std::int32_t>(place.x), static_cast<std::int32_t>(place.y),
                        static_cast<std::int32_t>(std::lrint(4.5F * scale)), 1.5F * scale, scratch, histogram);
    const float least = *std::max_element(histogram, histogram + bins) * 0.8F;
    peaks.count = 0;
    for (std::uint32_t bin = 0; bin < bins; ++bin) {
        const float here = histogram[bin], left = histogram[(bin + bins - 1) % bins],
                    right = histogram[(bin + 1) % bins];
        if (!(here > left && here > right && here >= least)) continue;
        float place_of_peak = static_cast<float>(bin) + 0.5F * (left - right) / (left - 2 * here + right);
        if (place_of_peak < 0) place_of_peak += bins;
        if (place_of_peak >= bins) place_of_peak -= bins;
        const float angle = 360.0F - (360.0F / bins) * place_of_peak;
        peaks.angle[peaks.count++] = angle >= 360.0F ? 0.0F : angle;
    }
}

void Sift::offer_keypoints(std::uint32_t octave, const vdt_image* mask) {
    descriptions_.clear();
    // Pixels of the image for one of the octave: the first octave's are half as large.
    const float step = std::ldexp(0.5F, static_cast<int>(octave));
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
        const Place& place = places_[i];
        vdt_keypoint key{};
        key.x = (static_cast<float>(place.x) + place.x_offset) * step;
        key.y = (static_cast<float>(place.y) + place.y_offset) * step;
        if (mask != nullptr &&
            row_of<const std::uint8_t>(
                *mask, 0, static_cast<std::uint32_t>(key.y + 0.5F))[static_cast<std::uint32_t>(key.x + 0.5F)] == 0)
            continue;
        key.size = 2 * shape_.space.scale_of(static_cast<float>(place.layer) + place.layer_offset) * step;
        key.response = place.response;
        const auto fraction = static_cast<std::int32_t>(std::lrint((place.layer_offset + 0.5F) * 255));
        key.octave = static_cast<std::int32_t>((octave + 255) & 255) | static_cast<std::int32_t>(place.layer << 8) |
                     fraction << 16;
        for (std::uint32_t peak = 0; peak < peaks_[i].count; ++peak) {
            key.angle = peaks_[i].angle[peak];
            const std::uint32_t slot = strongest_.offer(key);
            if (slot != Strongest::none) descriptions_.push_back({slot, i, key.angle});
        }
    }
}

void Sift::describe(vdt_token* token) {
    constexpr std::uint32_t grain = 8;
    parallel_for(device_, token, 0, static_cast<std::uint32_t>(descriptions_.size()), grain,
                 [&](std::uint32_t first, std::uint32_t last, std::uint32_t worker) {
                     for (std::uint32_t i = first; i < last; ++i) {
                         const Description& description = descriptions_[i];
                         const Place& place = places_[description.place];
                         const SiftLayer& layer = layers_[place.layer];
                         SiftPatch patch{};
                         patch.x = static_cast<std::int32_t>(std::lrint(static_cast<float>(place.x) + place.x_offset));
                         patch.y = static_cast<std::int32_t>(std::lrint(static_cast<float>(place.y) + place.y_offset));
                         patch.cell = 3 * shape_.space.scale_of(static_cast<float>(place.layer) + place.layer_offset);
                         patch.radius = static_cast<std::int32_t>(std::lrint(patch.cell * 1.4142135623730951F * 2.5F));
                         // Directions are counted against the angle's sense.
                         patch.direction = description.angle == 0 ? 0 : 360 - description.angle;
                         const double radians = static_cast<double>(patch.direction) * (3.14159265358979323846 / 180);
                         patch.cosine = static_cast<float>(std::cos(radians)) / patch.cell;
                         patch.sine = static_cast<float>(std::sin(radians)) / patch.cell;
                         kernels_.describe(layer, patch, workers_[worker].patch.data(),
                                           strongest_.descriptor(description.slot));
                     }
                 });
}

}  // namespace vedette::cpu::features
