#include "bench_cases.h"

#include <array>

namespace vedette::cli {

namespace {

struct CasesOfOperation {
    vdt_op op;
    std::vector<BenchCase> (*make)(const BenchSetting& setting, const BenchScreen& screen);
};

// In the order of the table that is printed.
constexpr std::array all_cases{
    CasesOfOperation{VDT_OP_TEMPLATE_FIND, template_find_cases},
    CasesOfOperation{VDT_OP_TEMPLATE_MAP, template_map_cases},
    CasesOfOperation{VDT_OP_INTEGRAL, integral_cases},
    CasesOfOperation{VDT_OP_CONVERT, convert_cases},
    CasesOfOperation{VDT_OP_RESIZE, resize_cases},
    CasesOfOperation{VDT_OP_FILTER, filter_cases},
    CasesOfOperation{VDT_OP_PYRAMID, pyramid_cases},
    CasesOfOperation{VDT_OP_CASCADE_DETECT, cascade_detect_cases},
    CasesOfOperation{VDT_OP_FFT2, fft2_cases},
    CasesOfOperation{VDT_OP_RESTORE, restore_cases},
    CasesOfOperation{VDT_OP_GROUP, group_cases},
    CasesOfOperation{VDT_OP_FEATURES, features_cases},
    CasesOfOperation{VDT_OP_FEATURE_MATCH, feature_match_cases},
};

}  // namespace

const std::vector<vdt_op>& benchmarked_operations() {
    static const std::vector<vdt_op> operations = [] {
        std::vector<vdt_op> ops;
        for (const CasesOfOperation& entry : all_cases) {
            ops.push_back(entry.op);
        }
        return ops;
    }();
    return operations;
}

std::vector<BenchCase> make_cases(const BenchSetting& setting, vdt_op op, const BenchScreen& screen) {
    constexpr std::uint32_t largest_pattern = 256;
    if (screen.bgr.width() < largest_pattern || screen.bgr.height() < 64) {
        throw Problem(VDT_E_ARGUMENT,
                      screen.name + " is too small to benchmark: a screen has at least 256 x 64 pixels.");
    }
    for (const CasesOfOperation& entry : all_cases) {
        if (entry.op == op) {
            return entry.make(setting, screen);
        }
    }
    return {};
}

}  // namespace vedette::cli
