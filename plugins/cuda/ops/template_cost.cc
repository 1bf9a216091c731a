#include "template_cost.h"

#include <kernels/template_gemm.h>

#include <vedette/plugin/cpp/cost.hpp>

#include <algorithm>

namespace vedette::cuda_plugin {

namespace {

// Multiplications and additions of the tensor cores that take the time of one operation of an fp32 lane: an H200 does
// 628e12 of them a second [gpu-notes] and 33e12 fp32 operations.
constexpr double matrix_rate = 19;
// Operations of a score or value in double, and of the window sums of one position.
constexpr double score_operations = 60;
constexpr double window_operations = 33;

}  // namespace

bool takes_matrix(const TemplateShape& shape) {
    return !shape.masked && cuda::gemm_takes(shape.width, shape.height, shape.channels);
}

void add_direct_stage(vdt_cost& cost, const TemplateShape& shape, double columns, double rows, double out_bytes) {
    const double positions = columns * rows;
    const double words = static_cast<double>(shape.width) * shape.height * shape.channels / 4;
    // A quarter of a funnel shift and of loads, a mask, and a dp4a for the product, the square and each channel; dp4a
    // has half the rate of other operations.
    const double word_operations = 3 + 2.0 * (2 + shape.channels);
    vdt_cost_stage stage{};
    stage.work = positions * (words * word_operations + score_operations);
    stage.span = 4 * (words * word_operations + score_operations);
    stage.width = positions / 4;
    stage.divergence = 1;
    stage.global_bytes =
        (columns + shape.width - 1) * (rows + shape.height - 1) * shape.channels + out_bytes * positions;
    stage.global_refs = stage.global_bytes / 128;
    stage.shared_refs = positions * words * 3 / 4;
    plugin::add_stage(cost, stage);
    cost.launches += 1;
}

void add_matrix_stages(vdt_cost& cost, const TemplateShape& shape, double columns, double rows, double out_bytes) {
    const double positions = columns * rows;
    const cuda::GemmOperand operand = cuda::gemm_shape(shape.width, shape.height, shape.channels);
    const double products = 32.0 * operand.steps * operand.rows;  // of a position
    const double pixels = (columns + shape.width - 1) * (rows + shape.height - 1) * shape.channels;
    vdt_cost_stage product{};
    product.work = positions * products / matrix_rate;
    product.span = products / 16;
    product.width = positions / 64;
    product.divergence = 1;
    product.global_bytes = pixels + 4 * positions;
    product.global_refs = product.global_bytes / 128;
    product.shared_refs = positions * products / 2048;
    plugin::add_stage(cost, product);
    vdt_cost_stage windows{};
    const double entering = (shape.height / 24.0 + 2) * 3 * shape.channels;
    windows.work = positions * (window_operations * (1 + shape.channels) / 2 + entering + score_operations / 4);
    windows.span = 24 * 4 * window_operations;
    windows.width = positions / 96;
    windows.divergence = 1;
    windows.global_bytes = pixels + (4 + out_bytes) * positions;
    windows.global_refs = windows.global_bytes / 128;
    windows.shared_refs = positions * 3 * (1 + shape.channels);
    plugin::add_stage(cost, windows);
    cost.launches += 2;
    cost.scratch_bytes = std::max(cost.scratch_bytes, static_cast<std::uint64_t>(4 * positions));
}

void add_window_stage(vdt_cost& cost, const TemplateShape& shape, double windows) {
    const double words = static_cast<double>(shape.width) * shape.height * shape.channels / 4;
    vdt_cost_stage stage{};
    stage.work = windows * (words * (10 + 2.0 * shape.channels) + 32 * 40);
    stage.span = words / 32 * (10 + 2.0 * shape.channels) + 40;
    stage.width = windows * 32;
    stage.divergence = 1;
    stage.global_refs = windows * words / 32;
    stage.shared_refs = windows * words * 3;
    plugin::add_stage(cost, stage);
    cost.launches += 1;
}

}  // namespace vedette::cuda_plugin
