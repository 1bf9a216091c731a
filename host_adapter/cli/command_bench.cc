#include "bench_cases.h"
#include "bench_timing.h"
#include "commands.h"
#include "library.h"
#include "output.h"
#include "table.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <thread>

namespace vedette::cli {

namespace {

struct BenchArguments {
    ContextArguments context;
    std::string op;
    std::string backend;
    std::string screen;
    std::string part_of_name;
    bool quick = false;
    bool json = false;
};

// At least 21 runs give a steady median; a quick look keeps the whole table well under a minute on two cores.
// A peer that takes seconds for one run is not asked for 21.
constexpr Schedule full_schedule{21, 201, 0.5, 8};
constexpr Schedule quick_schedule{5, 21, 0.1, 0.5};
constexpr std::uint32_t seed = 20240229;

struct Device {
    std::string backend;
    std::uint32_t index = 0;
    std::string name;
    std::uint64_t operations = 0;
};

struct Row {
    std::string op;
    std::string name;
    std::optional<Device> device;
    RunFacts facts;
    std::string residency;
    Timing timing;
    std::string peer;
    double peer_ms = -1;
    double floor_ms = -1;
    std::string skipped;  // why nothing was measured
};

Json row_json(const Row& row) {
    const auto text = [](const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); };
    return {{"op", row.op},
            {"case", row.name},
            {"backend", row.device ? Json(row.device->backend) : Json(nullptr)},
            {"device", row.device ? Json(row.device->name) : Json(nullptr)},
            {"variant", text(row.facts.variant)},
            {"residency", text(row.residency)},
            {"ms", row.timing.median_ms},
            {"ms_min", row.timing.least_ms},
            {"ms_max", row.timing.most_ms},
            {"peer", text(row.peer)},
            {"peer_ms", known_or_null(row.peer_ms)},
            {"ratio", row.peer_ms < 0 ? Json(nullptr) : Json(row.peer_ms / row.timing.median_ms)},
            {"floor_ms", known_or_null(row.floor_ms)},
            {"predicted_ms", known_or_null(row.facts.predicted_ms)}};
}

std::vector<std::string> row_cells(const Row& row) {
    const auto ms = [](double value) { return value < 0 ? std::string("-") : format("%.3f", value); };
    std::vector<std::string> cells{row.op, row.name,
                                   row.device ? row.device->backend + ":" + std::to_string(row.device->index) : ""};
    if (!row.skipped.empty()) {
        cells.insert(cells.end(), {"skipped", row.residency, "-", "-", "-", "-", "-", "-", "-", row.skipped});
        return cells;
    }
    cells.insert(cells.end(), {row.facts.variant, row.residency, ms(row.timing.median_ms), ms(row.timing.least_ms),
                               ms(row.timing.most_ms), ms(row.peer_ms),
                               row.peer_ms < 0 ? "-" : format("%.2f", row.peer_ms / row.timing.median_ms),
                               ms(row.floor_ms), ms(row.facts.predicted_ms)});
    return cells;
}

Table new_table() {
    Table table{5, 6, 7, 8, 9, 10, 11};
    table.add({"OPERATION", "CASE", "BACKEND", "VARIANT", "RESIDENCY", "MS", "MIN", "MAX", "PEER MS", "RATIO",
               "FLOOR MS", "PREDICTED"});
    return table;
}

// A line on standard error that is overwritten, where somebody looks at it.
class Progress {
public:
    void show(const std::string& text) const {
        if (on_) {
            std::fprintf(stderr, "\r\033[K%s", text.c_str());
        }
    }
    void clear() const { show(""); }

private:
    const bool on_ = isatty(STDERR_FILENO) != 0;
};

std::string operation_names() {
    std::string names;
    for (const vdt_op op : benchmarked_operations()) {
        names += std::string(names.empty() ? "" : ", ") + vdt_operation_name(op);
    }
    return names;
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

std::vector<Device> wanted_devices(const Context& context, const std::string& wanted) {
    std::vector<Device> devices;
    for (std::uint32_t i = 0, count = vdt_backend_count(context.get()); i < count; ++i) {
        vdt_backend_info info{};
        info.struct_size = sizeof info;
        checked([&](vdt_error* error) { return vdt_backend_at(context.get(), i, &info, error); });
        const std::string name = info.backend;
        if (wanted.empty() || wanted == name || wanted == name + ":" + std::to_string(info.device_index)) {
            devices.push_back({name, info.device_index, info.device_name, info.operations});
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
        setting_ = {context.get(), peer_.peer, arguments.quick};
    }

    void run() {
        const std::vector<vdt_op> operations = wanted_operations(arguments_.op);
        const std::vector<BenchScreen> screens = make_screens();
        measure_memory();
        for (const vdt_op op : operations) {
            table_ = new_table();
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
    }

private:
    void measure_memory() {
        const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
        progress_.show("measuring memory");
        bandwidth_ = measure_bandwidth(threads);
        progress_.clear();
        const std::string text =
            format("%.1f GB/s read and written by a copy on %u threads", bandwidth_ / 1e9, threads);
        if (arguments_.json) {
            std::fprintf(stderr, "vedette: memory: %s\n", text.c_str());
        } else {
            print("memory: " + text +
                  "\npeer:   " + (peer_.peer != nullptr ? peer_.peer->name : "none, " + peer_.missing) + "\n\n");
        }
    }

    std::vector<BenchScreen> make_screens() const {
        progress_.show("drawing screens");
        std::vector<BenchScreen> screens;
        for (const auto& [width, height] : {std::pair{300u, 200u}, {1024u, 768u}, {1920u, 1080u}, {3840u, 2160u}}) {
            screens.push_back({format("%ux%u", width, height), synthetic_screen(width, height, seed)});
        }
        if (!arguments_.screen.empty()) {
            Picture picture = read_picture(arguments_.screen);
            const std::string name = format("%s %ux%u", arguments_.screen.c_str(), picture.width(), picture.height());
            screens.push_back({name, std::move(picture)});
        }
        return screens;
    }

    void run_case(vdt_op op, const BenchCase& one) {
        for (const Device& device : devices_) {
            Row row;
            row.op = vdt_operation_name(op);
            row.name = one.name;
            row.residency = one.residency;
            row.device = device;
            row.floor_ms = one.bytes / bandwidth_ * 1e3;
            const std::string backend = device.backend + ":" + std::to_string(device.index);
            progress_.show(row.op + " " + row.name + " " + backend);
            if ((device.operations >> op & 1) == 0) {
                row.skipped = "the backend does not do it";
            } else {
                try {
                    row.timing = measure(schedule(), [&] { row.facts = one.run(backend); });
                } catch (const Problem& problem) {
                    if (!VDT_IS_UNSUPPORTED(problem.code())) {
                        throw;
                    }
                    row.skipped = problem.what();
                }
            }
            if (row.skipped.empty() && one.peer) {
                row.peer = one.peer_name;
                row.peer_ms = peer_time(one);
            }
            add(row);
        }
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

    void add(const Row& row) {
        if (!arguments_.json) {
            table_.add(row_cells(row));
        } else if (row.skipped.empty()) {
            progress_.clear();
            print(row_json(row));
        }
    }

    const BenchArguments& arguments_;
    const std::vector<Device> devices_;
    const BenchPeer peer_;
    BenchSetting setting_{};
    std::map<std::string, double> peer_times_;
    double bandwidth_ = 0;
    Table table_;
    Progress progress_;
};

}  // namespace

Command add_bench(CLI::App& app) {
    const auto arguments = std::make_shared<BenchArguments>();
    CLI::App& bench = *app.add_subcommand("bench", "Measure every backend's operations beside OpenCV's");
    bench.add_option("--op", arguments->op, "Only one of " + operation_names())->type_name("OP");
    bench.add_option("--backend", arguments->backend, "Only this backend")->type_name("NAME[:DEVICE]");
    bench.add_option("--screen", arguments->screen, "A screenshot of your own, measured besides the drawn screens")
        ->type_name("FILE");
    bench.add_option("--case", arguments->part_of_name, "Only cases whose names contain this text")->type_name("TEXT");
    bench.add_flag("--quick", arguments->quick, "Fewer runs and cases, under a minute altogether");
    bench.add_flag("--json", arguments->json, "Print one JSON object a line for each measurement");
    bench.add_option("--config", arguments->context.config, "Configuration file instead of the installed one")
        ->type_name("FILE");
    bench.add_flag("--verbose", arguments->context.verbose, "Tell on standard error what is wrong with backends");
    bench.footer(wrapped(
        "MS is the median of at least 21 single runs (fewer with --quick and where they take long) after one that does "
        "not count. RATIO is how "
        "many times faster than the peer, the OpenCV function measured in the same run with its own threads. FLOOR MS "
        "is the time memory alone would take for the bytes that must be read and written; what fits into caches can be "
        "faster. Residency host: a fresh screen each time; resident: the screen is kept between the runs.",
        help_line));
    return [arguments] {
        const Context context = open_context(arguments->context);
        Bench(*arguments, context).run();
        return 0;
    };
}

}  // namespace vedette::cli
