// The host survives every faulty plugin, says what happened, and another backend serves the find.
#define BOOST_TEST_MODULE faults
#include "boost_test.h"

#include <vedette/vedette.h>

#include <string>
#include <vector>

namespace {

struct Text {
    vdt_error error{};
    Text() { error.struct_size = sizeof error; }
    operator vdt_error*() { return &error; }
};

// A context whose first backend is the plugin with the fault; the cpu backend of this build comes after it.
class Host {
public:
    explicit Host(const std::string& fault) {
        const std::string folder = std::string(VEDETTE_FAULTS) + "/" + fault;
        const char* const config =
            R"({"schema": 1, "threads": 2, "trial_seconds": 2, "order": ["fault", "cpu"], "backends": {"opencv": {"enabled": false}},
                "policy": {"default": {"mode": "prefer", "backend": "fault"}}})";
        vdt_context_options options{};
        options.struct_size = sizeof options;
        options.config_text = config;
        options.plugin_directory = folder.c_str();
        Text error;
        BOOST_REQUIRE_MESSAGE(vdt_context_create(&options, &context_, error) == VDT_OK, error.error.text);
        make_images();
    }
    ~Host() {
        vdt_pattern_destroy(pattern_);
        vdt_screen_destroy(screen_);
        vdt_context_destroy(context_);
    }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    // Finds the pattern, which lies at (31, 17), and checks that it is found there. Gives the backend, and the sentence
    // about its choice.
    std::pair<std::string, std::string> find() {
        vdt_find_options options{};
        options.struct_size = sizeof options;
        vdt_find_options_init(&options);
        vdt_result* result = nullptr;
        Text error;
        const vdt_code code = vdt_find(context_, screen_, &pattern_, 1, &options, &result, error);
        BOOST_REQUIRE_MESSAGE(code == VDT_OK, "vdt_find: " << code << " " << error.error.text);
        vdt_match match{};
        match.struct_size = sizeof match;
        BOOST_TEST(vdt_result_match_count(result) == 1u);
        BOOST_TEST(vdt_result_match(result, 0, &match, error) == VDT_OK, error.error.text);
        BOOST_TEST((match.x == 31 && match.y == 17 && match.score == 1));
        vdt_run_info run{};
        run.struct_size = sizeof run;
        BOOST_REQUIRE(vdt_result_run(result, &run, error) == VDT_OK);
        std::pair<std::string, std::string> told{run.backend, run.choice};
        vdt_result_destroy(result);
        return told;
    }

    // Why the backend "fault" was left out; stage "" when it was not.
    vdt_skipped_info skipped() {
        for (std::uint32_t i = 0; i < vdt_skipped_count(context_); ++i) {
            vdt_skipped_info info{};
            info.struct_size = sizeof info;
            BOOST_REQUIRE(vdt_skipped_at(context_, i, &info, nullptr) == VDT_OK);
            if (std::string(info.backend) == "fault") return info;
        }
        vdt_skipped_info none{};
        none.stage = none.reason = "";
        return none;
    }

    std::uint32_t devices_of_fault() {
        std::uint32_t count = 0;
        for (std::uint32_t i = 0; i < vdt_backend_count(context_); ++i) {
            vdt_backend_info info{};
            info.struct_size = sizeof info;
            BOOST_REQUIRE(vdt_backend_at(context_, i, &info, nullptr) == VDT_OK);
            if (std::string(info.backend) == "fault") count += info.quarantined == 0 ? 1 : 0;
        }
        return count;
    }

private:
    void make_images() {
        constexpr std::uint32_t width = 120, height = 80, side = 14;
        std::vector<std::uint8_t> pixels(width * height * 3);
        std::uint32_t state = 1;
        for (std::uint8_t& value : pixels) {
            state = state * 1664525u + 1013904223u;
            value = static_cast<std::uint8_t>(state >> 24);
        }
        vdt_pixels view{};
        view.struct_size = sizeof view;
        view.format = VDT_FORMAT_BGR8;
        view.width = width;
        view.height = height;
        view.stride = width * 3;
        view.bytes = pixels.size();
        view.data = pixels.data();
        Text error;
        BOOST_REQUIRE_MESSAGE(vdt_screen_create(context_, &view, &screen_, error) == VDT_OK, error.error.text);
        view.data = pixels.data() + (17 * width + 31) * 3;
        view.bytes = (side - 1) * width * 3 + side * 3;
        view.width = view.height = side;
        BOOST_REQUIRE_MESSAGE(vdt_pattern_create(context_, &view, &pattern_, error) == VDT_OK, error.error.text);
    }

    vdt_context* context_ = nullptr;
    vdt_screen* screen_ = nullptr;
    vdt_pattern* pattern_ = nullptr;
};

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

struct Loading {
    const char* fault;
    const char* stage;
    vdt_code code;
    const char* part;  // of the reason
};
std::ostream& operator<<(std::ostream& out, const Loading& loading) {
    return out << loading.fault;
}

const Loading loading_faults[] = {
    {"no_symbol", "negotiate", VDT_E_ABI, "vdt_plugin_entry_1"},
    {"crash_on_load", "load", VDT_E_REFUSED, "crashed"},
    {"crash_in_entry", "negotiate", VDT_E_REFUSED, "crashed"},
    {"hang_in_entry", "negotiate", VDT_E_TIMEOUT, "2 s"},
    {"null_table", "negotiate", VDT_E_ABI, "no table"},
    {"foreign_version", "negotiate", VDT_E_ABI, "1.7 to 1.9"},
    {"small_table", "negotiate", VDT_E_CONTRACT, "bytes"},
    {"null_slot", "negotiate", VDT_E_CONTRACT, "plan_run"},
    {"wrong_id", "negotiate", VDT_E_CONTRACT, "Somebody Else"},
    {"throw_in_create", "create", VDT_E_EXCEPTION, "throws on purpose"},
    {"crash_in_create", "create", VDT_E_REFUSED, "crashed"},
    {"hang_in_create", "create", VDT_E_TIMEOUT, "2 s"},
    {"fail_in_create", "create", VDT_E_INTERNAL, "fails on purpose"},
    {"no_device", "devices", VDT_E_NO_DEVICE, "no device on purpose"},
    {"fail_to_open", "open", VDT_E_NO_DRIVER, "does not open"},
};

struct Running {
    const char* fault;
    const char* part;  // of the sentence about the choice
    bool out_of_use;   // the device is not tried again
};
std::ostream& operator<<(std::ostream& out, const Running& running) {
    return out << running.fault;
}

const Running running_faults[] = {
    {"throw_in_run", "throws on purpose", false},
    {"guarded_throw", "throws on purpose", false},
    {"refuse_plan", "refuses on purpose", false},
    {"refuse_run", "refuses on purpose", false},
    {"device_lost", "loses its device", true},
    {"out_of_memory", "out of memory", false},
    {"unknown_code", "-12345", false},
    {"count_too_large", "more than it has room for", false},
    {"not_a_number", "not finite", false},
    {"below_threshold", "below the threshold", false},
};

}  // namespace

BOOST_AUTO_TEST_CASE(without_a_fault_the_plugin_serves) {
    Host host("none");
    BOOST_TEST(host.find().first == "fault");
    BOOST_TEST(host.skipped().stage == "");
    BOOST_TEST(host.devices_of_fault() == 1u);
}

BOOST_DATA_TEST_CASE(refused_while_loading, boost::unit_test::data::make(loading_faults), loading) {
    Host host(loading.fault);
    const auto [backend, choice] = host.find();
    BOOST_TEST(backend == "cpu");
    BOOST_TEST(contains(choice, "fault"), "the choice does not mention the plugin: " << choice);
    const vdt_skipped_info skipped = host.skipped();
    BOOST_TEST(skipped.stage == std::string(loading.stage));
    BOOST_TEST(skipped.code == loading.code);
    BOOST_TEST(contains(skipped.reason, loading.part), skipped.reason);
    BOOST_TEST(contains(skipped.library, "vedette-fault-"), skipped.library);
    BOOST_TEST(host.devices_of_fault() == 0u);
    BOOST_TEST(host.find().first == "cpu");
}

BOOST_DATA_TEST_CASE(replaced_while_running, boost::unit_test::data::make(running_faults), running) {
    Host host(running.fault);
    const auto [backend, choice] = host.find();
    BOOST_TEST(backend == "cpu");
    BOOST_TEST(contains(choice, "fault"), choice);
    BOOST_TEST(contains(choice, running.part), choice);
    const auto [again, second_choice] = host.find();
    BOOST_TEST(again == "cpu");
    BOOST_TEST(contains(second_choice, "out of use") == running.out_of_use, second_choice);
    BOOST_TEST(host.devices_of_fault() == (running.out_of_use ? 0u : 1u));
}

// Bugs that come again take the device out.
BOOST_AUTO_TEST_CASE(three_failures_are_enough) {
    Host host("guarded_throw");
    for (int i = 0; i < 3; ++i) BOOST_TEST(host.find().first == "cpu");
    BOOST_TEST(contains(host.find().second, "out of use"));
    BOOST_TEST(host.devices_of_fault() == 0u);
}

// Wrong in ways that the host cannot see or that do not matter to it: the find is right all the same.
BOOST_DATA_TEST_CASE(harmless_to_the_host,
                     boost::unit_test::data::make({"same_uid", "any_option", "wrong_needed", "flicker",
                                                   "accept_anything", "ignore_token", "leak_memory", "leak_host_memory",
                                                   "leak_thread", "leak_file", "bad_costs", "outside"}),
                     fault) {
    Host host(fault);
    const std::string backend = host.find().first;
    BOOST_TEST((backend == "fault" || backend == "cpu"));
    BOOST_TEST(host.find().first == backend);
}
