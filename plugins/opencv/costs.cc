#include "costs.h"

#include <cascade/estimate.h>
#include <algorithm>
#include <cmath>
#include <vedette/plugin/cpp/cost.hpp>

#include "formats.h"

namespace vedette::opencv {

namespace {

// The width of what one thread does: two vectors of 128 bits, with which OpenCV's packages are built.
constexpr double thread_lanes = 8;
constexpr double cache_line = 64;

// A loop over `pieces`, each done by one thread; OpenCV's own threads are off, so most operations are one piece.
void add_pieces(const Device& device, vdt_cost& cost, double work, double bytes, double pieces = 1) {
    vdt_cost_stage stage = plugin::even_stage(work, 0, std::max(1.0, pieces) * thread_lanes, bytes, cache_line);
    plugin::add_stage(cost, stage);
    if (pieces > 1 && device.host->worker_count(device.host->ctx) > 1) ++cost.launches;
}

// One operation after the other.
void add_scalar(vdt_cost& cost, double work, double bytes) {
    plugin::add_stage(cost, plugin::even_stage(work, 0, 1, bytes, cache_line));
}

double elements_of(const vdt_image& image) {
    const FormatLayout& layout = *layout_of(image.format);
    return static_cast<double>(image.width) * image.height * layout.pixel_elements * layout.planes;
}

double bytes_of(const vdt_image& image) {
    return elements_of(image) * layout_of(image.format)->element_bytes;
}

bool is_bytes(const vdt_image& image) {
    return layout_of(image.format)->element_bytes == 1;
}

// Of a radix-2 transform of side x side complex values.
double transform_operations(double side) {
    return 5 * side * side * 2 * std::log2(std::max(side, 2.0));
}

// Correlations of one pattern in a scene by tiles of transforms in double (window_sums.cc), and what comes of each
// position: sums of windows, and `each` operations more.
void add_correlation(const Device& device, vdt_cost& cost, const vdt_image& pattern, bool masked, double columns,
                     double rows, double each) {
    const double channels = layout_of(pattern.format)->channels;
    const double w = pattern.width, h = pattern.height;
    const double tile_w = std::min(columns + w - 1, std::max(512.0, 4 * w));
    const double tile_h = std::min(rows + h - 1, std::max(512.0, 4 * h));
    const double tiles = std::ceil(columns / (tile_w - w + 1)) * std::ceil(rows / (tile_h - h + 1));
    const double transforms = masked ? 2 * channels + 3 : channels + 1;
    // Real values: half of a complex transform, in double: half as many at a time.
    const double one = transform_operations(std::sqrt(tile_w * tile_h));
    const double positions = columns * rows;
    add_pieces(device, cost, tiles * transforms * one + positions * (each + 30 * channels),
               positions * (channels + 8 * transforms), tiles);
    cost.scratch_bytes += static_cast<std::uint64_t>(tile_w * tile_h * 8 * transforms);
}

}  // namespace

void cost_of_convert(const Device& device, const vdt_query& query, vdt_cost& cost) {
    cost.flags = VDT_COST_ESTIMATE;
    add_pieces(device, cost, 3 * std::max(elements_of(*query.inputs[0]), elements_of(*query.outputs[0])),
               bytes_of(*query.inputs[0]) + bytes_of(*query.outputs[0]));
}

const char* way_of_convert(const Device&, const vdt_query& query) {
    const vdt_image &in = *query.inputs[0], &out = *query.outputs[0];
    if (!is_bytes(in) || !is_bytes(out)) return "reference, of values";
    return layout_of(out.format)->channels == 1 ? "reference, to gray" : "reference, order of bytes";
}

void cost_of_resize(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const vdt_image &in = *query.inputs[0], &out = *query.outputs[0];
    const bool area = params_of<vdt_resize_params>(query).method == VDT_RESIZE_AREA;
    cost.flags = VDT_COST_ESTIMATE;
    // Of rows that are shrunk beyond it every second one is read at most twice.
    const double read = area ? bytes_of(in) : std::min(bytes_of(in), 4 * elements_of(out) * in.width / out.width);
    add_pieces(device, cost, area ? 3 * elements_of(in) : 12 * elements_of(out), read + bytes_of(out));
}

const char* way_of_resize(const Device&, const vdt_query& query) {
    constexpr const char* names[2][2] = {{"reference, area of values", "reference, area of bytes"},
                                         {"reference, bilinear of values", "reference, bilinear of bytes"}};
    const bool area = params_of<vdt_resize_params>(query).method == VDT_RESIZE_AREA;
    return names[area ? 0 : 1][is_bytes(*query.inputs[0]) && is_bytes(*query.outputs[0]) ? 1 : 0];
}

void cost_of_integral(const Device& device, const vdt_query& query, vdt_cost& cost) {
    cost.flags = VDT_COST_ESTIMATE;
    double bytes = bytes_of(*query.inputs[0]);
    for (std::uint32_t i = 0; i < query.output_count; ++i) bytes += bytes_of(*query.outputs[i]);
    add_pieces(device, cost, 4 * elements_of(*query.inputs[0]) * query.output_count, bytes);
}

const char* way_of_integral(const Device&, const vdt_query& query) {
    return query.output_count > 1 ? "reference, several" : "reference";
}

void cost_of_filter(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const auto& params = params_of<vdt_filter_params>(query);
    const double w = params.kernel_w, h = params.kernel_h;
    cost.flags = VDT_COST_ESTIMATE;
    const double elements = elements_of(*query.inputs[0]);
    // Boxes by running sums; large kernels that do not separate by transforms [cv::filter2D].
    constexpr double most_taps = 121;
    const double each = params.kind == VDT_FILTER_BOX       ? 8
                        : params.kind == VDT_FILTER_GENERAL ? 2 * std::min(w * h, most_taps)
                                                            : 2 * (w + h);
    add_pieces(device, cost, elements * each, bytes_of(*query.inputs[0]) + bytes_of(*query.outputs[0]));
}

const char* way_of_filter(const Device&, const vdt_query& query) {
    const auto kind = params_of<vdt_filter_params>(query).kind;
    if (kind == VDT_FILTER_BOX) return "reference, box";
    if (kind == VDT_FILTER_GENERAL) return "reference, general";
    return is_bytes(*query.inputs[0]) ? "reference, separable of bytes" : "reference, separable";
}

void cost_of_pyramid(const Device& device, const vdt_query& query, vdt_cost& cost) {
    cost.flags = VDT_COST_ESTIMATE;
    const vdt_image* above = query.inputs[0];
    for (std::uint32_t level = 0; level < query.output_count; ++level) {
        const vdt_image& out = *query.outputs[level];
        add_pieces(device, cost, 5 * elements_of(*above), bytes_of(*above) + bytes_of(out));
        above = &out;
    }
}

const char* way_of_pyramid(const Device&, const vdt_query& query) {
    return params_of<vdt_pyramid_params>(query).method == VDT_PYRAMID_AREA2 ? "reference, area" : "reference";
}

void cost_of_fft2(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const double batch = params_of<vdt_fft2_params>(query).batch, side = query.inputs[0]->width;
    cost.flags = VDT_COST_ESTIMATE;
    add_pieces(device, cost, batch * 2 * transform_operations(side),
               bytes_of(*query.inputs[0]) + bytes_of(*query.outputs[0]), batch);
}

void cost_of_restore(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const auto& params = params_of<vdt_restore_params>(query);
    const double side = query.inputs[0]->width, batch = params.batch;
    // Transforms of an iteration: of the image and the lens, and of each correction.
    const double transforms = params.method == VDT_RESTORE_MIA_BLIND         ? 6
                              : params.method == VDT_RESTORE_RICHARDSON_LUCY ? 5
                                                                             : 4;
    constexpr double beside = 12;  // products and quotients of a value, for each transform
    cost.flags = VDT_COST_ESTIMATE;
    add_pieces(device, cost,
               batch * params.iterations * transforms * (2 * transform_operations(side) + beside * side * side),
               bytes_of(*query.inputs[0]) + bytes_of(*query.outputs[0]), batch);
}

void cost_of_template_map(const Device& device, const vdt_query& query, vdt_cost& cost) {
    cost.flags = VDT_COST_ESTIMATE;
    add_correlation(device, cost, *query.inputs[1], query.inputs[2]->format != VDT_FORMAT_NONE, query.outputs[0]->width,
                    query.outputs[0]->height, 40);
}

void cost_of_template_find(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const auto& params = params_of<vdt_template_find_params>(query);
    const vdt_image& scene = *query.inputs[0];
    const double width = params.region.w != 0 ? params.region.w : scene.width;
    const double height = params.region.h != 0 ? params.region.h : scene.height;
    cost.flags = VDT_COST_ESTIMATE;
    for (std::uint32_t p = 0; p < params.pattern_count; ++p) {
        const vdt_image& pattern = *query.inputs[1 + 2 * std::size_t{p}];
        if (pattern.width > width || pattern.height > height) continue;
        const double columns = width - pattern.width + 1, rows = height - pattern.height + 1;
        add_correlation(device, cost, pattern, query.inputs[2 + 2 * std::size_t{p}]->format != VDT_FORMAT_NONE, columns,
                        rows, 40);
        add_scalar(cost, 2 * columns * rows, 8 * columns * rows);  // those that reach the threshold
    }
}

void cost_of_group(const Device&, const vdt_query& query, vdt_cost& cost) {
    // Every two of them are compared; so many where the query names no list.
    constexpr double usual_count = 2000;
    const double count = plugin::list_length(query, 0, usual_count);
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    add_scalar(cost, count * count / 2 * 12 + count * 20, 0);
}

void cost_of_cascade_detect(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const auto expected = cascade::estimate_of(params_of<vdt_cascade_params>(query), *query.inputs[0], 1);
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    // One form of OpenCV's function tells how many windows were joined, another the weights: both are called.
    constexpr double searches = 2;
    add_pieces(device, cost, searches * expected.pixels * 10, searches * expected.pixels * 9);
    // Sums, their deviation, and 20 operations for a weak classifier.
    add_scalar(cost, searches * expected.windows * (20 + expected.classifiers * 20), 0);
}

void cost_of_features(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const auto& params = params_of<vdt_features_params>(query);
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    // The picture is doubled; octaves add a third. A blur of 2 x 15 taps for each layer, and differences.
    const double pixels = 4.0 * query.inputs[0]->width * query.inputs[0]->height * 4 / 3;
    const double layers = params.octave_layers + 3.0;
    add_pieces(device, cost, pixels * layers * 50, pixels * layers * 20);
    constexpr double pixels_for_a_keypoint = 85, samples = 37.0 * 37.0;
    const double keypoints = pixels / 5.3 / pixels_for_a_keypoint;
    add_pieces(device, cost, keypoints * samples * 90, keypoints * samples * 4);
}

void cost_of_feature_match(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const double queries = query.inputs[0]->height, train = query.inputs[1]->height, length = query.inputs[0]->width;
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    add_pieces(device, cost, queries * train * length * 3, queries * train * 4 + train * length * 4 * queries / 64);
}

}  // namespace vedette::opencv
