#include "template_cost.h"

#include "backend.h"

#include <kernels/template_gemm.h>
#include <kernels/template_many.h>

#include <vedette/plugin/cpp/cost.hpp>

#include <algorithm>
#include <cmath>

namespace vedette::cuda_plugin {

namespace {

// Multiplications and additions of the tensor cores that take the time of one operation of an fp32 lane: an H200 does
// 628e12 of them a second [gpu-notes] and 33e12 fp32 operations.
constexpr double matrix_rate = 19;
// Operations of a score or value in double.
constexpr double score_operations = 60;
// Of the window sums of one position, counted in template_windows.cu: a column of gray enters and leaves (5), is
// scanned with its neighbours (7) and differences are taken (8), each once more for every channel beyond the first.
constexpr double window_operations = 20;
// Rows of a block and columns of a thread there.
constexpr double window_rows = 16;
constexpr double window_columns = 8;
// Operations of the thresholds of quads, for each position, and rows of positions of a block (template_quads.cu).
constexpr double quad_operations = 11;
constexpr double quad_rows_of_block = 16;

}  // namespace

bool takes_matrix(const TemplateShape& shape) {
    return !shape.masked && cuda::gemm_takes(shape.width, shape.height, shape.channels);
}

void add_direct_stage(vdt_cost& cost, const TemplateShape& shape, double columns, double rows, double out_bytes) {
    const double positions = columns * rows;
    const double words = static_cast<double>(shape.width) * shape.height * shape.channels / 4;
    // A quarter of a funnel shift and of loads, a mask, and a dp4a for the product, the square and each channel; dp4a
    // has half the rate of other operations.
    const double operations = words * (3 + 2.0 * (2 + shape.channels)) + score_operations;
    const double pixels = (columns + shape.width - 1) * (rows + shape.height - 1) * shape.channels;
    vdt_cost_stage stage = plugin::even_stage(positions * operations, 4 * operations, positions / 4,
                                              pixels + out_bytes * positions, transaction_bytes);
    stage.shared_refs = positions * words * 3 / 4;
    plugin::add_launch(cost, stage);
}

void add_product_stage(vdt_cost& cost, const TemplateShape& shape, double columns, double rows) {
    const double positions = columns * rows;
    const cuda::GemmOperand operand = cuda::gemm_shape(shape.width, shape.height, shape.channels);
    const double products = (32.0 * operand.steps + (operand.half_step ? 16 : 0)) * operand.rows;  // of a position
    const double pixels = (columns + shape.width - 1) * (rows + shape.height - 1) * shape.channels;
    vdt_cost_stage product = plugin::even_stage(positions * products / matrix_rate, products / 16, positions / 64,
                                                pixels + 4 * positions, transaction_bytes);
    product.shared_refs = positions * products / 2048;
    plugin::add_launch(cost, product);
}

void add_many_stage(vdt_cost& cost, const TemplateShape& shape, double columns, double rows, int patterns) {
    const double positions = columns * rows;
    // Patterns are searched in whole halves, their rows in whole steps of 32 bytes.
    const double halves = patterns > cuda::many_half ? 2 : 1;
    const double products = std::ceil(shape.width / 32.0) * 32 * shape.height * cuda::many_half * halves;
    const double pixels = (columns + shape.width - 1) * (rows + shape.height - 1);
    vdt_cost_stage product = plugin::even_stage(positions * products / matrix_rate, products / 16, positions / 64,
                                                pixels + positions, transaction_bytes);
    product.shared_refs = positions * products / 2048;
    plugin::add_launch(cost, product);
    cost.bytes_to_device += static_cast<double>(patterns) * sizeof(cuda::PlaceTest);
}

void add_quad_stage(vdt_cost& cost, const TemplateShape& shape, double columns, double rows) {
    const double positions = columns * rows;
    const double quads = positions / 4;
    // Rows that enter before a block's first position take six operations for two rows of a pair of columns.
    const double entering = shape.height * 1.5 / quad_rows_of_block;
    const double pixels = (columns + shape.width - 1) * (rows + shape.height - 1);
    vdt_cost_stage stage = plugin::even_stage(positions * quad_operations + quads * 4 * entering,
                                              quad_rows_of_block * 32 * quad_operations, quads / 32, pixels + 4 * quads,
                                              transaction_bytes);
    stage.shared_refs = quads * 4;
    plugin::add_launch(cost, stage);
    cost.scratch_bytes = std::max(cost.scratch_bytes, static_cast<std::uint64_t>(4 * quads));
}

void add_phase_stage(vdt_cost& cost, const TemplateShape& shape, double columns, double rows) {
    constexpr double operations = 7;  // of a pixel, counted in template_phases.cu
    constexpr double thread_pixels = 128;
    const double pixels = (columns + shape.width - 1) * (rows + shape.height - 1);
    plugin::add_launch(cost, plugin::even_stage(pixels * operations, thread_pixels * operations, pixels / thread_pixels,
                                                2 * pixels, transaction_bytes));
    cost.scratch_bytes = std::max(cost.scratch_bytes, static_cast<std::uint64_t>(pixels));
}

void add_sums_stage(vdt_cost& cost, const TemplateShape& shape, double columns, double rows, double out_bytes) {
    const double positions = columns * rows;
    const double pixels = (columns + shape.width - 1) * (rows + shape.height - 1) * shape.channels;
    // Rows that enter before a block's first position.
    const double entering = shape.height / window_rows * 3 * shape.channels;
    const double windows_work = window_operations * (1 + shape.channels) / 2 + entering + score_operations / 4;
    vdt_cost_stage windows = plugin::even_stage(positions * windows_work, window_rows * window_columns * windows_work,
                                                positions / (window_rows * window_columns),
                                                pixels + (4 + out_bytes) * positions, transaction_bytes);
    windows.shared_refs = positions * 2 * (1 + shape.channels);
    plugin::add_launch(cost, windows);
    cost.scratch_bytes = std::max(cost.scratch_bytes, static_cast<std::uint64_t>(4 * positions));
}

void add_window_stage(vdt_cost& cost, const TemplateShape& shape, double windows) {
    const double words = static_cast<double>(shape.width) * shape.height * shape.channels / 4;
    const double word_operations = 10 + 2.0 * shape.channels;
    // What it reads of the scene was counted by the stages before, or lies in the caches.
    vdt_cost_stage stage = plugin::even_stage(windows * (words * word_operations + 32 * 40),
                                              words / 32 * word_operations + 40, windows * 32, 0, transaction_bytes);
    stage.global_refs = windows * words / 32;
    stage.shared_refs = windows * words * 3;
    plugin::add_launch(cost, stage);
}

}  // namespace vedette::cuda_plugin
