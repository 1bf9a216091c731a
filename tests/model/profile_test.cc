// Device profiles: as text, in the cache directory, and what is done with files that cannot be used.
#define BOOST_TEST_MODULE profile
#include "model/profile.h"
#include "boost_test.h"
#include "failure_of.h"
#include "model/profile_store.h"
#include "model/properties.h"
#include "temporary_directory.h"

#include <vedette/plugin/device.h>
#include <vedette/plugin/host.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

using namespace vedette::model;
using vedette::host::Log;
using vedette::test::contains;
using vedette::test::failure_of;
using vedette::test::TemporaryDirectory;
namespace fs = std::filesystem;

namespace {

Profile sample() {
    Profile profile;
    profile.key = {"cuda", "1.0.0", "pci:0000:01:00.0, Some GPU", "13.0"};
    profile.kind = 2;
    profile.recorded = "2026-11-30T09:00:00Z";
    vdt_param measured{};
    measured.id = VDT_PARAM_GLOBAL_BANDWIDTH;
    measured.source = VDT_SOURCE_MEASURED;
    measured.value = 4.2e12;
    measured.spread = 0.01;
    measured.samples = 21;
    profile.parameters.set(measured);
    profile.parameters.set(VDT_PARAM_PROCESSORS, 132);
    profile.efficiencies[VDT_OP_INTEGRAL]["bands"] = {0.5, 0.02, 9};
    profile.corrections[VDT_OP_INTEGRAL]["bands"][5] = Correction(0.25, 12);
    return profile;
}

// A store with its directory, and the lines it logs.
struct Store {
    TemporaryDirectory directory;
    std::vector<std::string> lines;
    std::shared_ptr<Log> log = std::make_shared<Log>(
        [](void* user, std::uint32_t, const char* line) {
            static_cast<std::vector<std::string>*>(user)->emplace_back(line);
        },
        &lines, VDT_LOG_WARNING);
    ProfileStore store{directory.path() / "cache", log};

    void write(const std::string& text) {
        fs::create_directories(store.directory());
        std::ofstream(store.file_of(sample().key), std::ios::binary) << text;
    }
    // The file cannot be used: one line says why; then it is replaced.
    void check_ignored(const std::string& why) {
        lines.clear();
        BOOST_TEST(!store.load(sample().key).has_value());
        BOOST_TEST(lines.size() == 1u);
        if (!lines.empty()) BOOST_TEST(contains(lines[0], why), lines[0]);
        BOOST_TEST(store.save(sample()));
        BOOST_TEST(store.load(sample().key).has_value());
    }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(round_trip) {
    const std::string text = write_profile(sample());
    const Profile read = read_profile(text, "sample");
    BOOST_TEST((read.key == sample().key));
    BOOST_TEST(read.kind == 2u);
    BOOST_TEST(read.recorded == sample().recorded);
    BOOST_TEST(read.parameters.get(VDT_PARAM_GLOBAL_BANDWIDTH, 0) == 4.2e12);
    BOOST_TEST(read.parameters.entry(VDT_PARAM_GLOBAL_BANDWIDTH).source == std::uint32_t{VDT_SOURCE_MEASURED});
    BOOST_TEST(read.parameters.entry(VDT_PARAM_GLOBAL_BANDWIDTH).samples == 21u);
    BOOST_TEST(read.parameters.entry(VDT_PARAM_GLOBAL_BANDWIDTH).spread == 0.01);
    BOOST_TEST(read.parameters.entry(VDT_PARAM_PROCESSORS).source == std::uint32_t{VDT_SOURCE_PROPERTIES});
    BOOST_TEST(!read.parameters.has(VDT_PARAM_CLOCK));
    BOOST_TEST(read.efficiency(VDT_OP_INTEGRAL, "bands") == 0.5);
    // What was never fitted is taken to be like the rest.
    BOOST_TEST(read.efficiency(VDT_OP_INTEGRAL, "tilted") == 0.5);
    BOOST_TEST(read.efficiency(VDT_OP_FILTER, "strips") == 0.5);
    Profile several = read;
    several.efficiencies[VDT_OP_FILTER] = {{"strips", {0.25, 0, 1}}, {"rows", {0.125, 0, 1}}, {"boxes", {0.75, 0, 1}}};
    BOOST_TEST(several.efficiency(VDT_OP_FILTER, "bands") == 0.5);    // the same name
    BOOST_TEST(several.efficiency(VDT_OP_FILTER, "tiles") == 0.25);   // the same operation
    BOOST_TEST(several.efficiency(VDT_OP_RESIZE, "strips") == 0.25);  // the same name
    BOOST_TEST(several.efficiency(VDT_OP_RESIZE, "tiles") == 0.5);    // anything
    BOOST_TEST(Profile().efficiency(VDT_OP_FILTER, "bands") == 1.0);
    // What a CPU's calling thread does alone has a factor of its own, or its variant's.
    vdt_cost shared{}, alone{};
    shared.stage_count = alone.stage_count = 1;
    shared.launches = 1;
    several.kind = VDT_DEVICE_CPU;
    BOOST_TEST(several.fitted_name("strips", shared) == "strips");
    BOOST_TEST(several.fitted_name("strips", alone) == "strips, one thread");
    BOOST_TEST(several.efficiency(VDT_OP_FILTER, "strips, one thread") == 0.25);
    several.efficiencies[VDT_OP_FILTER]["strips, one thread"] = {2, 0, 1};
    BOOST_TEST(several.efficiency(VDT_OP_FILTER, "strips, one thread") == 2.0);
    BOOST_TEST(several.efficiency(VDT_OP_FILTER, "strips") == 0.25);
    several.kind = VDT_DEVICE_GPU;
    BOOST_TEST(several.fitted_name("strips", alone) == "strips");
    BOOST_TEST(read.corrections.at(VDT_OP_INTEGRAL).at("bands").at(5).log_factor() == 0.25);
    BOOST_TEST(read.corrections.at(VDT_OP_INTEGRAL).at("bands").at(5).count() == 12u);
    BOOST_TEST(write_profile(read) == text);
}

BOOST_AUTO_TEST_CASE(what_is_no_profile) {
    const std::string good = write_profile(sample());
    const auto replaced = [&](const std::string& what, const std::string& by) {
        std::string text = good;
        const std::size_t at = text.find(what);
        BOOST_REQUIRE(at != std::string::npos);
        return text.replace(at, what.size(), by);
    };
    for (const std::string& bad :
         {std::string(), std::string("{}"), std::string("[]"), good.substr(0, good.size() / 2), good + "x",
          replaced("\"schema\": 1", "\"schema\": 2"), replaced("4200000000000.0", "-4200000000000.0"),
          replaced("4200000000000.0", "1e999"), replaced("4200000000000.0", "0"), replaced("4200000000000.0", "null"),
          replaced("\"measured\"", "\"guessed\""), replaced("\"plugin\"", "\"plug\""), std::string("7")}) {
        const auto failure = failure_of([&] { read_profile(bad, "the file"); });
        BOOST_TEST(failure.code() == VDT_E_CONFIG, bad.substr(0, 60));
        BOOST_TEST(contains(failure.text(), "the file"));
    }
    // Parameters and operations of a later version are passed over.
    BOOST_TEST(read_profile(replaced("\"processors\"", "\"qubits\""), "").parameters.get(VDT_PARAM_PROCESSORS, 7) ==
               7.0);
    BOOST_TEST(read_profile(replaced("\"integral\"", "\"telepathy\""), "").corrections.empty());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(store)

BOOST_AUTO_TEST_CASE(kept_and_read) {
    Store kept;
    BOOST_TEST(!kept.store.load(sample().key).has_value());
    BOOST_TEST(kept.lines.empty());  // no file is nothing to tell
    BOOST_TEST(kept.store.save(sample()));
    const auto read = kept.store.load(sample().key);
    BOOST_REQUIRE(read.has_value());
    BOOST_TEST(write_profile(*read) == write_profile(sample()));
    BOOST_TEST(kept.store.update(sample().key, [](Profile& profile) { profile.kind = 3; }));
    BOOST_TEST(kept.store.load(sample().key)->kind == 3u);
    BOOST_TEST(kept.lines.empty());
    // Nothing is left beside the profile and its lock.
    BOOST_TEST(std::distance(fs::directory_iterator(kept.store.directory()), {}) == 2);
    BOOST_TEST(!kept.store.open_time("cuda").has_value());
    Profile opened = sample();
    opened.parameters.set(VDT_PARAM_OPEN_TIME, 0.25);
    kept.store.save(opened);
    BOOST_TEST(kept.store.open_time("cuda").value() == 0.25);
    BOOST_TEST(!kept.store.open_time("cpu").has_value());
}

BOOST_AUTO_TEST_CASE(files_that_cannot_be_used) {
    Store damaged;
    damaged.write("not JSON");
    damaged.check_ignored("line 1");
    damaged.write("");
    damaged.check_ignored("line 1");
    const std::string good = write_profile(sample());
    for (std::size_t length = 1; length + 2 < good.size(); length += 37) {
        damaged.write(good.substr(0, length));
        damaged.check_ignored("is not used");
    }
    std::string binary(5000, '\xff');
    damaged.write(binary);
    damaged.check_ignored("is not used");
    damaged.write(std::string(3u << 20, ' '));
    damaged.check_ignored("larger than 1 MiB");
}

BOOST_AUTO_TEST_CASE(stale_and_foreign_files) {
    Store kept;
    for (const auto& change :
         {+[](ProfileKey& key) { key.version = "0.9"; }, +[](ProfileKey& key) { key.driver = "12"; }}) {
        Profile old = sample();
        change(old.key);
        BOOST_TEST(kept.store.save(old));
        kept.check_ignored("it was made with");
    }
    Profile foreign = sample();
    foreign.key.device = "pci:0000:02:00.0, Another GPU";
    kept.write(write_profile(foreign));
    kept.check_ignored("of another device");
}

BOOST_AUTO_TEST_CASE(no_regular_file) {
    Store kept;
    fs::create_directories(kept.store.directory());
    const fs::path file = kept.store.file_of(sample().key);
    BOOST_REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    kept.check_ignored("no regular file");  // and does not wait for a writer
    fs::remove(file);
    fs::create_directory(file);
    kept.lines.clear();
    BOOST_TEST(!kept.store.load(sample().key).has_value());
    BOOST_TEST(kept.lines.size() == 1u);
    BOOST_TEST(!kept.store.save(sample()));
    BOOST_TEST(contains(kept.lines.back(), "cannot be written"));
}

BOOST_AUTO_TEST_CASE(places_that_cannot_be_written) {
    std::vector<std::string> lines;
    const auto log = std::make_shared<Log>(
        [](void* user, std::uint32_t, const char* line) {
            static_cast<std::vector<std::string>*>(user)->emplace_back(line);
        },
        &lines, VDT_LOG_WARNING);
    TemporaryDirectory directory;
    directory.write("file", "in the way");
    ProfileStore blocked(directory.path() / "file" / "below", log);
    BOOST_TEST(!blocked.load(sample().key).has_value());
    BOOST_TEST(lines.empty());
    BOOST_TEST(!blocked.save(sample()));
    BOOST_TEST(lines.size() == 1u);
    ProfileStore nowhere({}, log);
    BOOST_TEST(!nowhere.load(sample().key).has_value());
    BOOST_TEST(!nowhere.save(sample()));
    BOOST_TEST(!nowhere.open_time("cuda").has_value());
    BOOST_TEST(lines.size() == 1u);
}

BOOST_AUTO_TEST_CASE(processes_at_once) {
    // Eight processes each add one to a number in the profile many times while this one reads: no update is lost, no
    // reader sees half a file.
    Store kept;
    constexpr int processes = 8, updates = 25;
    std::vector<pid_t> children;
    for (int child = 0; child < processes; ++child) {
        const pid_t pid = ::fork();
        BOOST_REQUIRE(pid >= 0);
        if (pid == 0) {
            bool good = true;
            for (int i = 0; i < updates; ++i)
                good = kept.store.update(sample().key, [](Profile& profile) { ++profile.kind; }) && good;
            ::_exit(good ? 0 : 1);
        }
        children.push_back(pid);
    }
    std::uint32_t last = 0;
    for (std::size_t waiting = children.size(); waiting != 0;) {
        if (const auto seen = kept.store.load(sample().key)) {
            BOOST_TEST(seen->kind >= last);
            last = seen->kind;
        }
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, WNOHANG);
        if (ended <= 0) continue;
        BOOST_TEST(status == 0);
        --waiting;
    }
    BOOST_TEST(kept.lines.empty());
    BOOST_TEST(kept.store.load(sample().key)->kind == std::uint32_t{processes * updates});
}

BOOST_AUTO_TEST_CASE(a_lock_that_somebody_keeps) {
    Store kept;
    BOOST_TEST(kept.store.save(sample()));
    fs::path lock = kept.store.file_of(sample().key);
    lock.replace_extension(".lock");
    const int held = ::open(lock.c_str(), O_RDWR);
    BOOST_REQUIRE(::flock(held, LOCK_EX) == 0);
    BOOST_TEST(!kept.store.save(sample()));
    BOOST_TEST(contains(kept.lines.back(), "another process holds it"));
    BOOST_TEST(kept.store.load(sample().key).has_value());  // reading needs no lock
    ::close(held);
    BOOST_TEST(kept.store.save(sample()));
}

BOOST_AUTO_TEST_CASE(the_cache_directory) {
    const char* const home = std::getenv("HOME");
    const std::string old_home = home == nullptr ? "" : home;
    ::setenv("XDG_CACHE_HOME", "/var/cache/someone", 1);
    BOOST_TEST(user_cache_directory().string() == "/var/cache/someone/vedette");
    ::setenv("XDG_CACHE_HOME", "relative", 1);  // to be ignored, says the specification
    ::setenv("HOME", "/home/someone", 1);
    BOOST_TEST(user_cache_directory().string() == "/home/someone/.cache/vedette");
    ::unsetenv("XDG_CACHE_HOME");
    ::unsetenv("HOME");
    BOOST_TEST(user_cache_directory().empty());
    if (!old_home.empty()) ::setenv("HOME", old_home.c_str(), 1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(properties)

BOOST_AUTO_TEST_CASE(of_a_cpu) {
    TemporaryDirectory root;
    const auto put = [&](const std::string& file, const std::string& text) {
        fs::create_directories((root.path() / file).parent_path());
        root.write(file, text + "\n");
    };
    const std::string cpu = "sys/devices/system/cpu/cpu0/";
    put("proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2450.000");
    put(cpu + "cache/index0/level", "1");
    put(cpu + "cache/index0/type", "Data");
    put(cpu + "cache/index0/size", "32K");
    put(cpu + "cache/index1/level", "1");
    put(cpu + "cache/index1/type", "Instruction");
    put(cpu + "cache/index1/size", "64K");
    put(cpu + "cache/index2/level", "2");
    put(cpu + "cache/index2/type", "Unified");
    put(cpu + "cache/index2/size", "512K");
    put(cpu + "cache/index2/shared_cpu_list", "0-1");
    put(cpu + "cache/index3/level", "3");
    put(cpu + "cache/index3/type", "Unified");
    put(cpu + "cache/index3/size", "32M");
    put(cpu + "cache/index3/shared_cpu_list", "0-7,16-23");
    const Parameters found = cpu_properties(8, "avx2", root.path().string() + "/");
    BOOST_TEST(found.get(VDT_PARAM_PROCESSORS, 0) == 8.0);
    BOOST_TEST(found.get(VDT_PARAM_BUNDLE, 0) == 16.0);
    BOOST_TEST(found.get(VDT_PARAM_LANES, 0) == 16.0);
    BOOST_TEST(found.get(VDT_PARAM_CLOCK, 0) == 2.45e9);
    BOOST_TEST(found.get(VDT_PARAM_SHARED_BYTES, 0) == 32.0 * 1024);
    BOOST_TEST(found.get(VDT_PARAM_CACHE2_BYTES, 0) == 4 * 512.0 * 1024);
    BOOST_TEST(found.get(VDT_PARAM_CACHE3_BYTES, 0) == 32.0 * 1048576);
    BOOST_TEST(found.source() == std::uint32_t{VDT_SOURCE_PROPERTIES});
    put(cpu + "cpufreq/cpuinfo_max_freq", "3500000");
    BOOST_TEST(cpu_properties(8, "avx2", root.path().string() + "/").get(VDT_PARAM_CLOCK, 0) == 3.5e9);
    // A system that tells nothing.
    const Parameters blind = cpu_properties(0, "portable", (root.path() / "none").string() + "/");
    BOOST_TEST(blind.get(VDT_PARAM_PROCESSORS, 0) == 1.0);
    BOOST_TEST(blind.get(VDT_PARAM_CLOCK, 0) == 2.5e9);
    BOOST_TEST(!blind.has(VDT_PARAM_CACHE3_BYTES));
}

BOOST_AUTO_TEST_CASE(of_a_gpu) {
    BOOST_TEST(gpu_properties(false).get(VDT_PARAM_GLOBAL_BANDWIDTH, 0) >
               gpu_properties(true).get(VDT_PARAM_GLOBAL_BANDWIDTH, 0));
}

BOOST_AUTO_TEST_SUITE_END()
