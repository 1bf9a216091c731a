// How well times are predicted and backends chosen: `vedette bench --choice`.
#pragma once

#include "bench_cases.h"
#include "choice_score.h"

#include <functional>
#include <string>
#include <vector>

namespace vedette::cli {

// Runs the cases of `operations` on drawn screens from a part of a window to 8K (with `setting.quick` no larger than
// 1920x1080), none of those that a probe calibrates on, and adds them to `score`. `step` is called before each case.
// What fails, and cases whose names do not contain `part_of_name`,
// are left out. Begins no case after `seconds`.
void score_choices(const BenchSetting& setting, const std::vector<vdt_op>& operations, double seconds,
                   const std::string& part_of_name, ChoiceScore& score,
                   const std::function<void(const std::string&)>& step);

}  // namespace vedette::cli
