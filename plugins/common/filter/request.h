// What ops.h asks of filter, for backends that sum in single precision or in fixed point.
#pragma once

#include <vedette/plugin/plugin.h>

#include "filter/fixed_point.h"

namespace vedette::imaging {

// Checks a query, general ones too, and fills formats, determinism and tolerance of the answer. Throws Failure.
void answer_filter(const vdt_query& query, vdt_op_support& answer);

// The parameters a plan was made for, with the weights they pointed to.
class PlannedFilter {
public:
    explicit PlannedFilter(const vdt_filter_params& params);
    // Throws Failure, VDT_E_ARGUMENT, unless `params` ask for the same.
    void check(const vdt_filter_params& params) const;

private:
    vdt_filter_params params_;  // its kernel pointers are not followed
    std::vector<float> kernel_x_, kernel_y_;
};

}  // namespace vedette::imaging
