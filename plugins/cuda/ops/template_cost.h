// Counts of work of the ways that template_find and template_map search.
#pragma once

#include <vedette/plugin/cost.h>

#include <kernels/template_pattern.h>

namespace vedette::cuda_plugin {

struct TemplateShape {
    int width = 0;
    int height = 0;
    int channels = 1;
    bool masked = false;
};

inline TemplateShape shape_of(const cuda::Pattern& pattern) {
    return {pattern.width(), pattern.height(), pattern.channels(), pattern.masked()};
}

// Whether exact sums of all positions come from the matrix kernels.
bool takes_matrix(const TemplateShape& shape);

// Direct sums at columns x rows positions, each leaving `out_bytes`.
void add_direct_stage(vdt_cost& cost, const TemplateShape& shape, double columns, double rows, double out_bytes);
// The matrix product of one pattern, of several at once.
void add_product_stage(vdt_cost& cost, const TemplateShape& shape, double columns, double rows);
void add_many_stage(vdt_cost& cost, const TemplateShape& shape, double columns, double rows, int patterns);
// Block means of the screen, by phases.
void add_phase_stage(vdt_cost& cost, const TemplateShape& shape, double columns, double rows);
// Thresholds of quads; sums of every window and what is made of them.
void add_quad_stage(vdt_cost& cost, const TemplateShape& shape, double columns, double rows);
void add_sums_stage(vdt_cost& cost, const TemplateShape& shape, double columns, double rows, double out_bytes);
// A warp for each of `windows`.
void add_window_stage(vdt_cost& cost, const TemplateShape& shape, double windows);

}  // namespace vedette::cuda_plugin
