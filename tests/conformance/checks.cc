#include "checks.h"

#include <vedette/plugin/ops.h>

namespace vedette::conformance {

std::string operation_name(std::uint32_t op) {
    static const char* const names[] = {"none",           "convert", "resize",   "integral",     "filter",
                                        "fft2",           "restore", "pyramid",  "template_map", "template_find",
                                        "cascade_detect", "group",   "features", "feature_match"};
    static_assert(sizeof names / sizeof names[0] == VDT_OP_COUNT);
    return op < VDT_OP_COUNT ? names[op] : "operation " + std::to_string(op);
}

const std::vector<Check>& all_checks() {
    static const std::vector<Check> checks = [] {
        std::vector<Check> list = {
            {"load", "the library loads with NOW and LOCAL and exports the entry", "", check_load},
            {"negotiate", "the entry refuses foreign versions and names both ranges", "load", check_negotiation},
            {"table", "the table is complete and well formed", "negotiate", check_table},
            {"create", "an instance is made and destroyed", "table", check_create},
            {"options", "an unknown option is refused by name", "create", check_options},
            {"devices", "devices are listed completely, with different uids", "create", check_devices},
            {"open", "the device opens and closes without leaving anything", "devices", check_open},
            {"extension", "an unknown extension gives NULL", "open", check_extension},
            {"support", "general questions are answered soundly", "open", check_support},
            {"refusals", "what is not advertised is refused with -2xx", "support", check_refusals},
            {"links", "unknown chained blocks are skipped or refused as they demand", "support", check_links},
            {"nulls", "NULL anywhere is refused with -1xx", "support", check_nulls},
            {"quiet", "nothing is printed", "open", check_quiet},
            {"two-instances", "two instances live side by side", "open", check_two_instances},
        };
        struct ForEach {
            const char* name;
            const char* purpose;
            std::string (*run)(const Arguments&, std::uint32_t);
        };
        const ForEach each[] = {
            {"run", "every format runs and agrees with the reference", check_run},
            {"shapes", "odd sizes and strides, and nothing outside the pixels is touched", check_shapes},
            {"determinism", "two runs give the same bits", check_determinism},
            {"lists", "lists that are too small are filled and reported", check_lists},
            {"images", "absurd images are refused", check_absurd_images},
            {"parameters", "absurd parameters are refused", check_absurd_parameters},
        };
        for (std::uint32_t op = 1; op < VDT_OP_COUNT; ++op)
            for (const ForEach& check : each) {
                if (check.run == check_lists && op < VDT_OP_TEMPLATE_FIND) continue;  // no lists
                const std::string name = operation_name(op);
                list.push_back(
                    {std::string(check.name) + "." + name, name + ": " + check.purpose, "support", check.run, op});
            }
        const Check last[] = {
            {"concurrent-queries", "questions from several threads", "support", check_concurrent_queries},
            {"concurrent-plans", "plans that run at the same time", "support", check_concurrent_plans},
            {"cancel", "a cancelled call ends soon with VDT_E_CANCELLED", "support", check_cancel},
            {"time-limit", "a call whose time is over ends with VDT_E_TIMEOUT", "support", check_time_limit},
            {"costs", "costs are finite, sound and the same every time", "support", check_cost},
            {"probe", "measuring keeps its budget", "open", check_probe},
            {"residents", "images that are kept give the same results", "support", check_residents},
            {"streams", "work on a stream finishes and says so", "support", check_streams},
            {"steady", "plans run for long without taking memory", "support", check_steady},
            {"repeat", "100 times create and destroy leave no thread, file or memory behind", "open", check_repeat},
        };
        list.insert(list.end(), std::begin(last), std::end(last));
        return list;
    }();
    return checks;
}

}  // namespace vedette::conformance
