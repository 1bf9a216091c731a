#define BOOST_TEST_MODULE loader
#include "boost_test.h"
#include "core/context.h"
#include "core/library_place.h"
#include "core/plugin_library.h"
#include "failure_of.h"
#include "fake_plugin.h"
#include "temporary_directory.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace vedette::host;
using vedette::test::built_in;
using vedette::test::contains;
using vedette::test::failure_of;
using vedette::test::Fake;
using vedette::test::TemporaryDirectory;
namespace fs = std::filesystem;

namespace {

std::string manifest(const std::string& id, const std::string& library, const std::string& more = "") {
    return R"({"schema": 1, "id": ")" + id + R"(", "library": ")" + library +
           R"(", "abi": {"major": 1, "minor_min": 0, "minor_max": 0})" + more + "}";
}

// The small plugin's library with another id in it.
std::string library_called(const std::string& id) {
    std::ifstream file(VEDETTE_SMALL_PLUGIN, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const std::string own = "small_plugin_for_tests";
    const std::size_t place = bytes.find(own);
    BOOST_REQUIRE(place != std::string::npos);
    BOOST_REQUIRE(id.size() <= own.size());
    return bytes.replace(place, own.size(), id + std::string(own.size() - id.size(), '\0'));
}

// A directory of plugins with a context that searches it. The installation beside it has the trial program and no
// backend: what the drivers of this machine's devices open would be counted and timed with the rest.
struct Plugins {
    TemporaryDirectory directory;
    TemporaryDirectory installation;
    std::vector<std::string> log;
    std::unique_ptr<Context> context;

    Plugins() {
        const fs::path trial = fs::path("vedette") / "vedette-probe-plugin";
        fs::create_directory(installation.path() / "vedette");
        fs::create_symlink(fs::path(VEDETTE_LIBRARY_DIRECTORY) / trial, installation.path() / trial);
    }

    // A copy of the small plugin that calls itself `id`, with its manifest.
    void add(const std::string& id, const std::string& more = "") {
        directory.write(id + ".so", library_called(id));
        directory.write(id + ".json", manifest(id, id + ".so", more));
    }
    Context& open(const std::string& more = "", const fs::path& searched = {}, const fs::path& library_directory = {}) {
        start(more, searched, library_directory).registry().load_all();
        return *context;
    }
    // The same, with no plugin loaded yet.
    Context& start(const std::string& more = "", const fs::path& searched = {},
                   const fs::path& library_directory = {}) {
        ContextOptions options;
        options.config_text =
            (contains(more, "trial_seconds") ? "{\"threads\": 1" : "{\"trial_seconds\": 1") + more + "}";
        options.plugin_directory = searched.empty() ? directory.path() : searched;
        options.library_directory = library_directory.empty() ? installation.path() : library_directory;
        options.log = [](void* user, std::uint32_t, const char* text) {
            static_cast<std::vector<std::string>*>(user)->push_back(text);
        };
        options.log_user = &log;
        options.log_level = VDT_LOG_INFO;
        context = std::make_unique<Context>(options);
        return *context;
    }
    bool loaded(const std::string& id) { return !context->registry().devices(id).empty(); }
    // The one refusal of `id`; the stage says "loaded" when there is none.
    Refusal refusal(const std::string& id) {
        Refusal found;
        found.stage = "loaded";
        for (std::size_t i = 0; i < context->registry().refusal_count(); ++i)
            if (context->registry().refusal_at(i).backend == id) found = context->registry().refusal_at(i);
        return found;
    }
};

void destroy_nothing(vdt_resident*) noexcept {}

void check_refusal(Plugins& plugins, const std::string& id, const std::string& stage, vdt_code code,
                   const std::string& part) {
    const Refusal refusal = plugins.refusal(id);
    BOOST_TEST(refusal.stage == stage);
    BOOST_TEST(refusal.code == code);
    BOOST_TEST(contains(refusal.reason, part), refusal.reason << " does not say: " << part);
    BOOST_TEST(refusal.reason.ends_with('.'));
    BOOST_TEST(!plugins.loaded(id));
}

std::size_t open_descriptors() {
    std::size_t count = 0;
    DIR* const directory = ::opendir("/proc/self/fd");
    while (::readdir(directory) != nullptr) ++count;
    ::closedir(directory);
    return count;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(loader)

BOOST_AUTO_TEST_CASE(a_good_plugin) {
    Plugins plugins;
    plugins.add("small");
    plugins.add("wanted");
    Context& context = plugins.open(R"(, "order": ["wanted"])");
    BOOST_TEST(plugins.refusal("small").stage == "loaded");
    const auto devices = context.registry().devices("small");
    BOOST_REQUIRE(devices.size() == 1u);
    BOOST_TEST(devices[0]->name() == "small device");
    BOOST_TEST(devices[0]->operations() == 0u);
    BOOST_TEST(devices[0]->plugin().library() == (plugins.directory.path() / "small.so").string());
    BOOST_TEST(devices[0]->plugin().version() == "1.0.0");
    BOOST_TEST(context.registry().names() == (std::vector<std::string>{"wanted", "small"}),
               "what the order does not name comes last");
}

BOOST_AUTO_TEST_CASE(a_library_inside_its_directory_may_be_a_link) {
    Plugins plugins;
    plugins.add("small");
    fs::rename(plugins.directory.path() / "small.so", plugins.directory.path() / "small.so.1");
    fs::create_symlink("small.so.1", plugins.directory.path() / "small.so");
    plugins.open();
    BOOST_TEST(plugins.loaded("small"));
}

BOOST_AUTO_TEST_CASE(refused_files) {
    Plugins plugins;
    const fs::path place = plugins.directory.path();
    for (const char* id : {"world", "group", "parent", "escaped", "folder", "planted"}) plugins.add(id);
    ::chmod((place / "world.so").c_str(), 0666);
    ::chmod((place / "planted.json").c_str(), 0666);
    TemporaryDirectory elsewhere;
    fs::rename(place / "escaped.so", elsewhere.path() / "escaped.so");
    fs::create_symlink(elsewhere.path() / "escaped.so", place / "escaped.so");
    fs::remove(place / "folder.so");
    fs::create_directory(place / "folder.so");
    fs::remove(place / "parent.so");
    plugins.directory.write("text.json", manifest("text", "text.so"));
    plugins.directory.write("text.so", "This is not a library.");
    plugins.open();
    check_refusal(plugins, "world", "file", VDT_E_REFUSED, "world.so can be written by everybody");
    check_refusal(plugins, "planted", "file", VDT_E_REFUSED, "planted.json can be written by everybody");
    check_refusal(plugins, "escaped", "file", VDT_E_REFUSED, "leads out of its directory");
    check_refusal(plugins, "folder", "file", VDT_E_REFUSED, "is no regular file");
    check_refusal(plugins, "parent", "file", VDT_E_FILE, "parent.so cannot be opened");
    check_refusal(plugins, "text", "load", VDT_E_REFUSED, "text.so");
    BOOST_TEST(plugins.loaded("group"));  // the others serve
}

BOOST_AUTO_TEST_CASE(owners_and_groups) {
    if (::geteuid() != 0) {
        BOOST_TEST_MESSAGE("skipped: only root can give files away");
        return;
    }
    Plugins plugins;
    const fs::path place = plugins.directory.path();
    for (const char* id : {"stranger", "foreign", "mine"}) plugins.add(id);
    BOOST_REQUIRE(::chown((place / "stranger.so").c_str(), 12345, 0) == 0);
    BOOST_REQUIRE(::chown((place / "foreign.so").c_str(), 0, 12345) == 0);
    ::chmod((place / "foreign.so").c_str(), 0664);
    ::chmod((place / "mine.so").c_str(), 0664);
    plugins.open();
    check_refusal(plugins, "stranger", "file", VDT_E_REFUSED, "belongs to another user (12345)");
    check_refusal(plugins, "foreign", "file", VDT_E_REFUSED, "can be written by another group (12345)");
    BOOST_TEST(plugins.loaded("mine"));
}

BOOST_AUTO_TEST_CASE(directories_that_everybody_can_write) {
    Plugins plugins;
    const fs::path open_directory = plugins.directory.path() / "open";
    const fs::path inside = open_directory / "inside";
    fs::create_directories(inside);
    for (const fs::path& place : {open_directory, inside}) {
        plugins.add("small");
        for (const char* name : {"small.so", "small.json"}) fs::rename(plugins.directory.path() / name, place / name);
    }
    ::chmod(open_directory.c_str(), 0777);
    plugins.open("", open_directory);
    check_refusal(plugins, "small", "file", VDT_E_REFUSED, "open can be written by everybody");
    plugins.open("", inside);
    check_refusal(plugins, "small", "file", VDT_E_REFUSED, "open can be written by everybody");
    ::chmod(open_directory.c_str(), 01777);  // as /tmp: others can write, but not exchange what is there
    plugins.open("", inside);
    BOOST_TEST(plugins.loaded("small"));
}

BOOST_AUTO_TEST_CASE(refused_manifests) {
    Plugins plugins;
    plugins.add("good");
    plugins.directory.write("broken.json", "{\"schema\": 1,");
    plugins.directory.write("typo.json", manifest("typo", "good.so", R"(, "need": [])"));
    plugins.directory.write("huge.json", std::string(3u << 20, '['));
    plugins.directory.write("old.json", R"({"schema": 1, "id": "old", "library": "good.so",
                                            "abi": {"major": 2, "minor_min": 0, "minor_max": 1}})");
    plugins.directory.write("newer.json", R"({"schema": 1, "id": "newer", "library": "good.so",
                                            "abi": {"major": 1, "minor_min": 7, "minor_max": 9}})");
    plugins.directory.write("zebra.json", manifest("good", "other.so"));
    plugins.directory.write("wrong.json", manifest("wrong", "good.so"));
    plugins.directory.write("notes.txt", "no manifest");
    plugins.directory.write("empty.json", "");
    plugins.open();
    check_refusal(plugins, "broken", "manifest", VDT_E_CONFIG, "broken.json, line 1");
    check_refusal(plugins, "typo", "manifest", VDT_E_CONFIG, "/need is no known key");
    check_refusal(plugins, "huge", "manifest", VDT_E_CONFIG, "larger than 1 MiB");
    check_refusal(plugins, "old", "negotiate", VDT_E_ABI, "ABI 2.0 to 2.1");
    check_refusal(plugins, "newer", "negotiate", VDT_E_ABI, "this host speaks 1.0 to 1.2");
    check_refusal(plugins, "empty", "manifest", VDT_E_CONFIG, "line 1, column 1");
    check_refusal(plugins, "wrong", "negotiate", VDT_E_CONTRACT,
                  "It calls itself \"good\", its manifest calls it \"wrong\"");
    const Refusal second = plugins.refusal("good");
    BOOST_TEST(second.stage == "manifest");
    BOOST_TEST(contains(second.reason, "Another plugin of that name was found first"));
    BOOST_TEST(plugins.loaded("good"));
}

BOOST_AUTO_TEST_CASE(a_process_of_its_own_looks_for_costs) {
    Plugins plugins;
    plugins.add("apart", R"(, "list_apart": true)");
    plugins.add("plain");
    plugins.add("crash", R"(, "list_apart": true, "options": {"misbehave": "crash"})");
    Registry& registry = plugins.start().registry();
    BOOST_TEST(!registry.gives_costs("apart"));  // the small plugin has none
    BOOST_TEST(registry.loaded_devices("apart").empty());
    // Of others nobody knows before they are loaded.
    BOOST_TEST(registry.gives_costs("plain"));
    BOOST_TEST(registry.gives_costs("crash"));
    BOOST_TEST(registry.gives_costs("absent"));
    for (const char* id : {"apart", "plain"}) {
        BOOST_TEST(registry.devices(id).size() == 1u);
        BOOST_TEST(!registry.gives_costs(id));
    }
    BOOST_TEST(plugins.start(R"(, "trial_seconds": 0)").registry().gives_costs("apart"));
}

BOOST_AUTO_TEST_CASE(missing_drivers_are_no_error) {
    Plugins plugins;
    plugins.add("gpu", R"(, "needs": ["libc.so.6", "libnothing-of-this-name.so.9"])");
    plugins.add("plain", R"(, "needs": ["libc.so.6"])");
    for (const char* trial : {"2", "0"}) {
        plugins.open(std::string(R"(, "backends": {"gpu": {}}, "trial_seconds": )") + trial);
        check_refusal(plugins, "gpu", "needs", VDT_E_NO_DRIVER, "It needs libnothing-of-this-name.so.9");
        BOOST_TEST(plugins.loaded("plain"));
    }
}

BOOST_AUTO_TEST_CASE(a_library_without_entry) {
    Plugins plugins;
    plugins.directory.write("mute.json", manifest("mute", "mute.so"));
    std::string bytes = library_called("mute");
    for (std::size_t at; (at = bytes.find("vdt_plugin_entry_1")) != std::string::npos;) bytes[at] = 'x';
    plugins.directory.write("mute.so", bytes);
    plugins.open();
    check_refusal(plugins, "mute", "negotiate", VDT_E_ABI, "It exports no vdt_plugin_entry_1");
}

BOOST_AUTO_TEST_CASE(plugins_that_crash_hang_or_end_the_process) {
    Plugins plugins;
    for (const char* id : {"crash", "hang", "leave", "print", "good"})
        plugins.add(id, std::string(R"(, "options": {"misbehave": ")") + id + "\"}");
    const std::size_t before = open_descriptors();
    const auto start = std::chrono::steady_clock::now();
    plugins.open();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    check_refusal(plugins, "crash", "create", VDT_E_REFUSED, "Its code crashed with signal 6");
    check_refusal(plugins, "hang", "create", VDT_E_TIMEOUT, "It did not finish within 1 s");
    check_refusal(plugins, "leave", "create", VDT_E_REFUSED, "with exit status 3");
    BOOST_TEST(plugins.loaded("print"));  // what it prints is not taken for the trial's answer
    BOOST_TEST(plugins.loaded("good"));
    BOOST_TEST(took.count() < 10);
    BOOST_TEST(open_descriptors() <= before + 2);
    // The verdict holds: no second wait.
    const auto again = std::chrono::steady_clock::now();
    plugins.open();
    check_refusal(plugins, "hang", "create", VDT_E_TIMEOUT, "It did not finish");
    BOOST_TEST(std::chrono::duration<double>(std::chrono::steady_clock::now() - again).count() < 0.9);
}

BOOST_AUTO_TEST_CASE(trials_work_whatever_the_application_does_with_its_children) {
    Plugins plugins;
    plugins.add("ignored");
    plugins.add("crashed", R"(, "options": {"misbehave": "crash"})");
    const auto before = std::signal(SIGCHLD, SIG_IGN);
    plugins.open();
    std::signal(SIGCHLD, before);
    BOOST_TEST(plugins.loaded("ignored"));
    check_refusal(plugins, "crashed", "create", VDT_E_REFUSED, "ended without an answer");
}

BOOST_AUTO_TEST_CASE(options_of_manifest_and_configuration) {
    Plugins plugins;
    plugins.add("first", R"(, "options": {"misbehave": "crash"})");
    plugins.add("second", R"(, "options": {"speed": 3})");
    plugins.add("third");
    plugins.open(
        R"(, "backends": {"first": {"options": {"misbehave": "no"}}, "third": {"options": {"misbehave": 1.5}}})");
    BOOST_TEST(plugins.loaded("first"));
    check_refusal(plugins, "second", "create", VDT_E_OPTION, "The only option is `misbehave`");
    check_refusal(plugins, "third", "create", VDT_E_OPTION, "The only option is `misbehave`");
    plugins.open(R"(, "backends": {"third": {"enabled": false}, "nobody": {"enabled": false}})");
    check_refusal(plugins, "third", "manifest", VDT_E_UNAVAILABLE, "disabled by the configuration");
    BOOST_TEST(plugins.refusal("nobody").stage == "loaded");
}

BOOST_AUTO_TEST_CASE(only_the_installations_own_plugins_need_no_trial) {
    // An installation without the trial program: whatever wants a trial is refused.
    const TemporaryDirectory installation;
    const fs::path own = installation.path() / "vedette" / "plugins";
    fs::create_directories(own);
    Plugins plugins;
    for (const char* id : {"cpu", "guest"}) {
        plugins.add(id);
        for (const char* end : {".so", ".json"})
            fs::rename(plugins.directory.path() / (std::string(id) + end), own / (std::string(id) + end));
    }
    plugins.add("opencv");  // a name of the project's, in another place
    plugins.open("", {}, installation.path());
    BOOST_TEST(plugins.loaded("cpu"));
    check_refusal(plugins, "guest", "load", VDT_E_REFUSED, "vedette-probe-plugin could not be started");
    check_refusal(plugins, "opencv", "load", VDT_E_REFUSED, "vedette-probe-plugin could not be started");
    plugins.open(R"(, "trial_seconds": 0)", {}, installation.path());
    BOOST_TEST(plugins.loaded("guest"));
}

BOOST_AUTO_TEST_CASE(directories_of_the_environment) {
    Plugins plugins;
    plugins.add("guest");
    const TemporaryDirectory empty;
    ::setenv("VEDETTE_PLUGIN_PATH", plugins.directory.path().c_str(), 1);
    plugins.open("", empty.path());
    BOOST_TEST(plugins.loaded("guest"));
    plugins.open(R"(, "allow_environment_plugins": false)", empty.path());
    BOOST_TEST(!plugins.loaded("guest"));
    ::setenv("VEDETTE_PLUGIN_PATH", "plugins", 1);
    BOOST_TEST(failure_of([&] { plugins.open("", empty.path()); }).code() == VDT_E_CONFIG);
    ::unsetenv("VEDETTE_PLUGIN_PATH");
    plugins.open(R"(, "plugin_directories": ["/nowhere/at/all", ")" + plugins.directory.path().string() + "\"]",
                 empty.path());
    BOOST_TEST(plugins.loaded("guest"));
}

BOOST_AUTO_TEST_CASE(the_working_directory_is_never_searched) {
    Plugins plugins;
    plugins.add("here");
    const TemporaryDirectory empty;
    const fs::path before = fs::current_path();
    fs::current_path(plugins.directory.path());
    plugins.open("", empty.path());
    BOOST_TEST(!plugins.loaded("here"));
    BOOST_TEST(failure_of([&] { plugins.open("", "."); }).code() == VDT_E_ARGUMENT);
    fs::current_path(before);
    BOOST_TEST(failure_of([&] { plugins.open("", "/nowhere/at/all"); }).code() == VDT_E_FILE);
}

BOOST_AUTO_TEST_CASE(own_directory_is_the_programs) {
    BOOST_TEST(own_directory() == fs::canonical("/proc/self/exe").parent_path());
}

BOOST_AUTO_TEST_CASE(tables_that_lie) {
    // Through a plugin of the process: what negotiate refuses does not depend on where the table comes from.
    static vdt_plugin table;
    static const vdt_plugin* given;
    const vdt_plugin_entry_fn entry = [](std::uint32_t, std::uint32_t, vdt_error*) noexcept { return given; };
    Fake fake;
    fake.id = "fake";
    const vdt_plugin good = *built_in(fake, 0).entry(0, 0, nullptr);
    const auto refusal = [&](auto&& change) {
        table = good;
        given = &table;
        change(table);
        return negotiate(entry, "fake");
    };
    BOOST_TEST(refusal([](vdt_plugin&) {}).table == &table);
    BOOST_TEST(refusal([](vdt_plugin& t) { t.struct_size += 64, t.abi_minor = 9; }).table == &table);  // a newer one
    BOOST_TEST(refusal([](vdt_plugin& t) { t.abi_minor = 9; }).abi_minor == std::uint32_t{VDT_ABI_MINOR});
    BOOST_TEST(refusal([](vdt_plugin&) { given = nullptr; }).code == VDT_E_ABI);
    BOOST_TEST(refusal([](vdt_plugin& t) { t.struct_size = 16; }).code == VDT_E_CONTRACT);
    BOOST_TEST(refusal([](vdt_plugin& t) { t.id = nullptr; }).code == VDT_E_CONTRACT);
    BOOST_TEST(refusal([](vdt_plugin& t) { t.id = "other"; }).code == VDT_E_CONTRACT);
    BOOST_TEST(refusal([](vdt_plugin& t) { t.version = nullptr; }).code == VDT_E_CONTRACT);
    BOOST_TEST(refusal([](vdt_plugin& t) { t.plan_run = nullptr; }).reason == "Its table lacks plan_run.");
    BOOST_TEST(refusal([](vdt_plugin& t) { t.resident_destroy = destroy_nothing; }).reason ==
               "Its table lacks resident_create.");
}

BOOST_AUTO_TEST_CASE(devices_that_cannot_be) {
    Fake fake;
    fake.id = "fake";
    const auto refusal = [&] {
        ContextOptions options;
        options.config_text = "{}";
        options.library_directory = "/";
        options.built_in = {built_in(fake, 0)};
        Context context(options);
        context.registry().load_all();
        BOOST_REQUIRE(context.registry().refusal_count() == 1u);
        return context.registry().refusal_at(0);
    };
    fake.device_count = 1000;
    BOOST_TEST(refusal().stage == "devices");
    BOOST_TEST(refusal().code == VDT_E_CONTRACT);
    fake.device_count = 0;
    fake.no_device_code = VDT_E_NO_DRIVER;
    BOOST_TEST(refusal().code == VDT_E_NO_DRIVER);
    BOOST_TEST(refusal().reason == "There is nothing here.");
    fake.device_count = 1;
    fake.create = [](vdt_error*) -> vdt_code { throw std::runtime_error("boom"); };
    BOOST_TEST(refusal().stage == "create");
    BOOST_TEST(refusal().code == VDT_E_EXCEPTION);
    BOOST_TEST(refusal().reason == "it threw: boom.");
    BOOST_TEST(fake.destroys == fake.creates - 3);  // what was not created is not destroyed
}

BOOST_AUTO_TEST_SUITE_END()
