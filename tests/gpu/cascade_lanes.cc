// What idle lanes cost cascade_detect, with survivors gathered after each stage and without: the times of both variants
// with the image on the device, and of each stage how many of the lanes' places for a weak classifier had a window to
// decide. Lanes are counted by another run than the one that is timed.
#include <core/device.h>
#include <core/plugin_library.h>
#include <core/processors.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "bench_device.h"
#include "bench_timing.h"

namespace vedette::cli {

namespace {

constexpr const char* usage =
    "usage: gpu_cascade_lanes PLUGIN.so CLASSIFIER.xml [--device N] [--size WxH | --screen FILE]\n"
    "  --device N     of the backend, 0 by default\n"
    "  --size WxH     a drawn screen of this size, 3840x2160 by default\n"
    "  --screen FILE  an image file instead\n"
    "Prints a line of JSON for each variant, and on standard error a table of the stages.\n";

struct Arguments {
    std::string plugin, classifier, screen;
    std::uint32_t device = 0, width = 3840, height = 2160;
};

bool parse(int argc, char** argv, Arguments& arguments) {
    if (argc < 3) return false;
    arguments.plugin = argv[1];
    arguments.classifier = argv[2];
    for (int i = 3; i < argc; i += 2) {
        const std::string name = argv[i];
        if (i + 1 == argc) return false;
        char end = 0;
        if (name == "--device") {
            if (std::sscanf(argv[i + 1], "%u%c", &arguments.device, &end) != 1) return false;
        } else if (name == "--size") {
            if (std::sscanf(argv[i + 1], "%ux%u%c", &arguments.width, &arguments.height, &end) != 2) return false;
        } else if (name == "--screen") {
            arguments.screen = argv[i + 1];
        } else {
            return false;
        }
    }
    return true;
}

struct Lanes {
    unsigned long long issued = 0, needed = 0;
};

// Takes what the plugin logs of its last call.
struct Counts {
    std::vector<Lanes> stages;

    static void take(void* user, std::uint32_t, const char* text) {
        auto& stages = static_cast<Counts*>(user)->stages;
        unsigned stage = 0, count = 0;
        Lanes lanes;
        const char* const place = std::strstr(text, "cascade_detect: stage ");
        if (place == nullptr ||
            std::sscanf(place,
                        "cascade_detect: stage %u of %u: of %llu places of lanes for weak classifiers %llu were needed",
                        &stage, &count, &lanes.issued, &lanes.needed) != 4)
            return;
        if (stage < 1 || stage > count) return;
        stages.resize(count);
        stages[stage - 1] = lanes;
    }
};

std::shared_ptr<const Work> work_of(const Arguments& arguments) {
    std::ifstream file(arguments.classifier, std::ios::binary);
    const auto text =
        std::make_shared<const std::string>(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (text->empty()) throw Problem(VDT_E_FILE, arguments.classifier + " cannot be read.");
    vdt_cascade_params params{};
    params.struct_size = sizeof params;
    params.cascade = text->data();
    params.cascade_bytes = text->size();
    params.scale_factor = 1.1;
    params.min_neighbors = 3;
    params.min_w = params.min_h = 24;
    const auto work = std::make_shared<Work>(VDT_OP_CASCADE_DETECT, params);
    work->kept = text;
    constexpr std::uint32_t seed = 20240229;
    work->inputs.push_back(gray_of(arguments.screen.empty() ? synthetic_screen(arguments.width, arguments.height, seed)
                                                            : read_picture(arguments.screen)));
    work->lists_out.emplace_back(sizeof(vdt_item), 100000);
    work->finish();
    return work;
}

double share(const Lanes& lanes) {
    return lanes.issued == 0 ? 1 : static_cast<double>(lanes.needed) / static_cast<double>(lanes.issued);
}

void measure_variant(const BenchDevice& on, const std::shared_ptr<const Work>& work, std::uint32_t variant,
                     Counts& counts, std::vector<std::vector<Lanes>>& all) {
    ::unsetenv("VEDETTE_CUDA_COUNT_LANES");
    DeviceWork timed(on, work, variant);
    const Timing timing = measure({21, 201, 0.5, 2}, [&] { timed.run(); });
    ::setenv("VEDETTE_CUDA_COUNT_LANES", "1", 1);
    DeviceWork counted(on, work, variant);
    counts.stages.clear();
    counted.run();
    if (counts.stages.empty()) throw Problem(VDT_E_UNSUPPORTED, "this backend does not count its lanes.");
    Lanes sum;
    std::string stages;
    for (const Lanes& stage : counts.stages) {
        sum.issued += stage.issued;
        sum.needed += stage.needed;
        stages +=
            (stages.empty() ? "[" : ", [") + std::to_string(stage.issued) + ", " + std::to_string(stage.needed) + "]";
    }
    std::printf(
        "{\"variant\": \"%s\", \"ms\": %.6f, \"ms_min\": %.6f, \"detections\": %llu, \"issued\": %llu, "
        "\"needed\": %llu, \"idle_share\": %.4f, \"stages\": [%s]}\n",
        timed.variant().c_str(), timing.median_ms, timing.least_ms,
        static_cast<unsigned long long>(timed.list(0).count), sum.issued, sum.needed, 1 - share(sum), stages.c_str());
    std::fprintf(stderr, "%-12s %9.3f ms, %5.1f %% of the lanes idle\n", timed.variant().c_str(), timing.median_ms,
                 100 * (1 - share(sum)));
    all.push_back(counts.stages);
}

int run(const Arguments& arguments) {
    Counts counts;
    const host::LoadedTable loaded = host::load_plugin(arguments.plugin, "cuda", {});
    if (loaded.table == nullptr) throw Problem(loaded.code, loaded.reason);
    const auto instance = std::make_shared<host::PluginInstance>(
        *loaded.table, "cuda", arguments.plugin, loaded.abi_minor, std::vector<host::OptionValue>{},
        std::make_shared<host::ThreadPool>(host::usable_processors()),
        std::make_shared<host::Log>(Counts::take, &counts, VDT_LOG_INFO));
    const auto devices = host::list_devices(instance);
    if (arguments.device >= devices.size())
        throw Problem(VDT_E_NO_DEVICE, "there is no device " + std::to_string(arguments.device) + ".");
    const BenchDevice on(devices[arguments.device]);
    const auto work = work_of(arguments);
    std::vector<std::vector<Lanes>> variants;
    measure_variant(on, work, 0, counts, variants);
    measure_variant(on, work, 1, counts, variants);
    std::fprintf(stderr, "\nSTAGE   PLACES  NEEDED   PLACES  NEEDED    (compacted, straight; millions)\n");
    for (std::size_t stage = 0; stage < variants[0].size(); ++stage) {
        std::fprintf(stderr, "%5zu", stage + 1);
        for (const std::vector<Lanes>& one : variants)
            std::fprintf(stderr, " %8.2f %5.1f %%", static_cast<double>(one.at(stage).issued) / 1e6,
                         100 * share(one.at(stage)));
        std::fprintf(stderr, "\n");
    }
    return 0;
}

}  // namespace

}  // namespace vedette::cli

int main(int argc, char** argv) {
    vedette::cli::Arguments arguments;
    if (!vedette::cli::parse(argc, argv, arguments)) {
        std::fputs(vedette::cli::usage, stderr);
        return 2;
    }
    try {
        return vedette::cli::run(arguments);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "gpu_cascade_lanes: %s\n", problem.what());
        return 1;
    }
}
