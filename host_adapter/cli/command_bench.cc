#include "arguments.h"
#include "bench_cases.h"
#include "bench_choice.h"
#include "bench_device.h"
#include "bench_row.h"
#include "bench_timing.h"
#include "commands.h"
#include "core/processors.h"
#include "library.h"
#include "output.h"
#include "table.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>

namespace vedette::cli {

namespace {

struct BenchArguments {
    ContextArguments context;
    std::string op;
    std::string backend;
    std::string screen;
    std::string part_of_name;
    std::string cascade;
    std::vector<std::string> sizes;
    bool quick = false;
    bool json = false;
    bool choice = false;
    double choice_seconds = 3600;
};

// At least 21 runs give a steady median; a quick look keeps the whole table well under a minute on two cores.
// A peer that takes seconds for one run is not asked for 21.
constexpr Schedule full_schedule{21, 201, 0.5, 8};
constexpr Schedule quick_schedule{5, 21, 0.1, 0.5};
constexpr std::uint32_t seed = 20240229;
constexpr Size drawn_screens[] = {{300, 200}, {1024, 768}, {1920, 1080}, {3840, 2160}};
// Queued together, so that the way to the device is spread over them.
constexpr unsigned queued_calls = 16;

std::string operation_names() {
    std::string names;
    for (const vdt_op op : benchmarked_operations()) {
        names += std::string(names.empty() ? "" : ", ") + vdt_operation_name(op);
    }
    return names;
}

std::vector<std::string> drawn_sizes() {
    std::vector<std::string> sizes;
    for (const Size size : drawn_screens) {
        sizes.push_back(size_text(size));
    }
    return sizes;
}

// What was asked for is refused with a sentence rather than measured as nothing.
std::vector<vdt_op> wanted_operations(const std::string& name) {
    for (const vdt_op op : benchmarked_operations()) {
        if (name == vdt_operation_name(op)) {
            return {op};
        }
    }
    if (name.empty()) {
        return benchmarked_operations();
    }
    throw Problem(VDT_E_ARGUMENT, "--op " + name + " cannot be benchmarked; it is one of " + operation_names() + ".");
}

std::vector<BackendDevice> wanted_devices(const Context& context, const std::string& wanted) {
    std::vector<BackendDevice> devices;
    for (std::uint32_t i = 0, count = vdt_backend_count(context.get()); i < count; ++i) {
        vdt_backend_info info{};
        info.struct_size = sizeof info;
        checked([&](vdt_error* error) { return vdt_backend_at(context.get(), i, &info, error); });
        const std::string name = info.backend;
        if (wanted.empty() || wanted == name || wanted == name + ":" + std::to_string(info.device_index)) {
            devices.push_back(
                {name, info.device_index, info.device_kind, info.device_name, info.library, info.operations});
        }
    }
    if (devices.empty()) {
        throw Problem(VDT_E_UNAVAILABLE, wanted.empty()
                                             ? "There is no backend to benchmark; see vedette backends."
                                             : "--backend " + wanted + " is no loaded backend; see vedette backends.");
    }
    return devices;
}

class Bench {
public:
    Bench(const BenchArguments& arguments, const Context& context)
        : arguments_(arguments), devices_(wanted_devices(context, arguments.backend)), peer_(load_bench_peer()) {
        setting_ = {context.get(), peer_.peer, arguments.quick, arguments.cascade};
    }

    void run() {
        const std::vector<vdt_op> operations = wanted_operations(arguments_.op);
        const std::vector<BenchScreen> screens = make_screens();
        measure_memory();
        for (const vdt_op op : operations) {
            table_ = bench_table();
            for (const BenchScreen& screen : screens) {
                for (const BenchCase& one : make_cases(setting_, op, screen)) {
                    if (one.name.find(arguments_.part_of_name) != std::string::npos) {
                        run_case(op, one);
                    }
                }
            }
            progress_.clear();
            if (!arguments_.json) {
                print(table_.text() + "\n");
            }
        }
        if (!failures_.empty()) {
            throw Problem(VDT_E_INTERNAL,
                          std::to_string(failures_.size()) + " measurements failed, the first: " + failures_.front());
        }
    }

private:
    void measure_memory() {
        const unsigned threads = host::usable_processors();
        progress_.show("measuring memory");
        bandwidth_ = measure_bandwidth(threads);
        progress_.clear();
        const std::string text =
            format("%.1f GB/s read and written by a copy on %u threads", bandwidth_ / 1e9, threads);
        tell_memory(text);
        if (!arguments_.json) {
            print(std::string("peer:   ") + (peer_.peer != nullptr ? peer_.peer->name : "none, " + peer_.missing) +
                  "\n\n");
        }
    }

    void tell_memory(const std::string& text) const {
        progress_.clear();
        if (arguments_.json) {
            std::fprintf(stderr, "vedette: memory: %s\n", text.c_str());
        } else {
            print("memory: " + text + "\n");
        }
    }

    std::vector<BenchScreen> make_screens() const {
        progress_.show("drawing screens");
        std::vector<BenchScreen> screens;
        for (const Size size : drawn_screens) {
            const std::string name = size_text(size);
            const std::vector<std::string>& wanted = arguments_.sizes;
            if (wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end()) {
                screens.push_back({name, synthetic_screen(size.width, size.height, seed)});
            }
        }
        if (!arguments_.screen.empty()) {
            Picture picture = read_picture(arguments_.screen);
            const std::string name = format("%s %ux%u", arguments_.screen.c_str(), picture.width(), picture.height());
            screens.push_back({name, std::move(picture)});
        }
        return screens;
    }

    void run_case(vdt_op op, const BenchCase& one) {
        for (const BackendDevice& device : devices_) {
            BenchRow row;
            row.op = vdt_operation_name(op);
            row.name = one.name;
            row.residency = one.residency;
            row.device = device;
            row.floor_ms = one.bytes / bandwidth_ * 1e3;
            if ((device.operations >> op & 1) == 0) {
                row.skipped = "the backend does not do it";
                add(row);
                continue;
            }
            const std::string backend = device.asked_for();
            measure_row(row, one, [&] { row.timing = measure(schedule(), [&] { row.facts = one.run(backend); }); });
            if (one.work != nullptr && !one.work->views.empty() && device.kind != VDT_DEVICE_CPU) {
                run_on_device(std::move(row), one);
            }
        }
    }

    // The same with its images on the device: each run by itself, and where that is possible several queued.
    void run_on_device(BenchRow row, const BenchCase& one) {
        const std::string backend = row.device->asked_for();
        row.skipped.clear();
        row.residency = "device";
        row.facts = {};
        std::unique_ptr<DeviceWork> work;
        measure_row(row, one, [&] {
            OpenDevice& opened = open_device(*row.device);
            row.floor_ms = one.bytes / opened.bandwidth * 1e3;
            work = std::make_unique<DeviceWork>(*opened.device, one.work);
            row.facts.device = row.device->name;
            row.facts.variant = work->variant();
            row.timing = measure(schedule(), [&] { work->run(); });
            if (work->can_queue()) {
                (void)one.run(backend);  // the peer wrote over its results
                check_same(*one.work, *work);
            }
        });
        if (work == nullptr || !row.skipped.empty() || !work->can_queue()) {
            return;
        }
        row.residency = "queued";
        measure_row(row, one, [&] {
            row.timing = measure(schedule(), [&] { work->run_queued(queued_calls); });
            for (double* const ms : {&row.timing.median_ms, &row.timing.least_ms, &row.timing.most_ms}) {
                *ms /= queued_calls;
            }
            check_same(*one.work, *work);
        });
    }

    // What is fast and wrong is not measured.
    static void check_same(const Work& from_host, const DeviceWork& on_device) {
        const auto results = on_device.results();
        for (std::size_t i = 0; i < results.size(); ++i) {
            const Picture& expected = from_host.outputs[i];
            if (std::memcmp(results[i].data(), expected.at(0, 0), expected.bytes()) != 0) {
                throw Problem(VDT_E_INTERNAL, "output " + std::to_string(i) +
                                                  " differs when the images lie on the device from when they come from "
                                                  "host memory");
            }
        }
    }

    // Measures with `body` and prints the row. What fails is told, and the table goes on: the other cases may work.
    template <class Body>
    void measure_row(BenchRow& row, const BenchCase& one, const Body& body) {
        progress_.show(row.op + " " + row.name + " " + row.device->asked_for() + " " + row.residency);
        try {
            body();
        } catch (const Problem& problem) {
            row.skipped = problem.what();
            if (!VDT_IS_UNSUPPORTED(problem.code())) {
                row.skipped = "failed: " + row.skipped;
                failures_.push_back(row.op + " " + row.name + " on " + row.device->asked_for() + " (" + row.residency +
                                    "): " + problem.what());
            }
        }
        if (row.skipped.empty() && one.peer) {
            row.peer = one.peer_name;
            row.peer_ms = peer_time(one);
        }
        add(row);
    }

    struct OpenDevice {
        std::unique_ptr<BenchDevice> device;
        double bandwidth = 0;
    };

    OpenDevice& open_device(const BackendDevice& device) {
        OpenDevice& opened = opened_[device.asked_for()];
        if (opened.device == nullptr) {
            auto made = std::make_unique<BenchDevice>(device.backend, device.library, device.index);
            if (!made->holds_images()) {
                throw Problem(VDT_E_UNSUPPORTED, "the backend has no streams or no device memory");
            }
            opened.bandwidth = made->measure_bandwidth();
            opened.device = std::move(made);
            tell_memory(format("%.1f GB/s read and written by a copy on %s", opened.bandwidth / 1e9,
                               device.asked_for().c_str()));
        }
        return opened;
    }

    double peer_time(const BenchCase& one) {
        const auto [entry, missing] = peer_times_.emplace(one.peer_work, -1);
        if (missing) {
            progress_.show(one.peer_work);
            entry->second = measure(schedule(), one.peer).median_ms;
        }
        return entry->second;
    }

    const Schedule& schedule() const { return arguments_.quick ? quick_schedule : full_schedule; }

    void add(const BenchRow& row) {
        if (!arguments_.json) {
            table_.add(row_cells(row));
        } else {
            progress_.clear();
            print(row_json(row));
        }
    }

    const BenchArguments& arguments_;
    const std::vector<BackendDevice> devices_;
    const BenchPeer peer_;
    BenchSetting setting_{};
    std::map<std::string, double> peer_times_;
    std::map<std::string, OpenDevice> opened_;
    std::vector<std::string> failures_;
    double bandwidth_ = 0;
    Table table_;
    StatusLine progress_;
};

void run_choice(const BenchArguments& arguments, const Context& context) {
    const StatusLine progress;
    ChoiceScore score;
    score_choices({context.get(), nullptr, arguments.quick, arguments.cascade}, wanted_operations(arguments.op),
                  arguments.choice_seconds, arguments.part_of_name, score,
                  [&](const std::string& text) { progress.show(text); });
    progress.clear();
    if (arguments.json) {
        print(score.json());
    } else {
        print(score.text());
    }
}

}  // namespace

Command add_bench(CLI::App& app) {
    const auto arguments = std::make_shared<BenchArguments>();
    CLI::App& bench = *app.add_subcommand("bench", "Measure every backend's operations beside OpenCV's");
    bench.add_option("--op", arguments->op, "Only one of " + operation_names())->type_name("OP");
    bench.add_option("--backend", arguments->backend, "Only this backend")->type_name("NAME[:DEVICE]");
    bench.add_option("--screen", arguments->screen, "A screenshot of your own, measured besides the drawn screens")
        ->type_name("FILE");
    bench.add_option("--case", arguments->part_of_name, "Only cases whose names contain this text")->type_name("TEXT");
    bench.add_option("--size", arguments->sizes, "Only drawn screens of this size; may be given several times")
        ->type_name("WxH")
        ->allow_extra_args(false)
        ->check(CLI::IsMember(drawn_sizes()));
    bench.add_option("--cascade", arguments->cascade, "Classifier for cascade_detect instead of OpenCV's faces")
        ->type_name("FILE.xml");
    bench.add_flag("--quick", arguments->quick, "Fewer runs and cases, under a minute altogether");
    bench.add_flag("--json", arguments->json, "Print one JSON object a line for each measurement");
    bench.add_option("--config", arguments->context.config, "Configuration file instead of the installed one")
        ->type_name("FILE");
    bench.add_flag("--verbose", arguments->context.verbose, "Tell on standard error what is wrong with backends");
    bench.add_flag(
        "--choice", arguments->choice,
        wrapped("Instead, how well times are predicted and backends chosen: errors by operation and backend, "
                "and what the choice costs beside the best one and beside always taking one backend",
                help_text));
    bench.add_option("--seconds", arguments->choice_seconds, "With --choice: begin no case after so long (3600)")
        ->type_name("S");
    bench.footer(wrapped(
        "MS is the median of at least 21 single runs (fewer with --quick and where they take long) after one that does "
        "not count. RATIO is how "
        "many times faster than the peer, the OpenCV function measured in the same run with its own threads. FLOOR MS "
        "is the time memory alone would take for the bytes that must be read and written; what fits into caches can be "
        "faster. Residency host: a fresh screen each time; resident: the screen is kept between the runs; on a GPU "
        "also "
        "device: all images lie on it; queued: the same, time per run of 16 queued one behind the other.",
        help_line));
    return [arguments] {
        require_range("--seconds", arguments->choice_seconds, 0.1, 86400);
        const Context context = open_context(arguments->context);
        if (arguments->choice) {
            run_choice(*arguments, context);
            return 0;
        }
        Bench(*arguments, context).run();
        return 0;
    };
}

}  // namespace vedette::cli
