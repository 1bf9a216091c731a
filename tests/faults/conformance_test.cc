// The conformance program passes the plugin without a fault, and fails each other one in the check that is about its
// fault.
#define BOOST_TEST_MODULE faults_conformance
#include "boost_test.h"

#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

struct Report {
    nlohmann::json json;
    int status = -1;
    nlohmann::json check(const std::string& name) const {
        for (const auto& check : json["checks"])
            if (check["name"] == name) return check;
        return nullptr;
    }
};

Report examine(const std::string& fault, const std::string& arguments) {
    const std::string command = std::string(VEDETTE_CONFORMANCE) + " " + VEDETTE_FAULTS + "/" + fault +
                                "/vedette-fault-" + fault + ".so --json " + arguments + " 2> /dev/null";
    FILE* const pipe = popen(command.c_str(), "r");
    BOOST_REQUIRE(pipe != nullptr);
    std::string text;
    std::array<char, 4096> buffer;
    while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), n);
    const int status = pclose(pipe);
    BOOST_REQUIRE(WIFEXITED(status));
    return {nlohmann::json::parse(text), WEXITSTATUS(status)};
}

// Seconds a check may take that is expected to end. The cancellation check asks for long runs first, which take several
// times longer under a sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr const char* patience = "90";
#else
constexpr const char* patience = "20";
#endif

struct Expected {
    const char* fault;
    const char* check;
    const char* part;  // of the reason
    const char* limit = patience;
};
std::ostream& operator<<(std::ostream& out, const Expected& expected) {
    return out << expected.fault;
}

const Expected faults[] = {
    {"no_symbol", "load", "does not export"},
    {"crash_on_load", "load", "crashed"},
    {"crash_in_entry", "negotiate", "crashed"},
    {"hang_in_entry", "negotiate", "not done", "1"},
    {"null_table", "negotiate", "refused"},
    {"foreign_version", "negotiate", "1.7 to 1.9"},
    {"small_table", "table", "struct_size"},
    {"null_slot", "table", "plan_run"},
    {"wrong_id", "table", "Somebody Else"},
    {"throw_in_create", "create", "let an exception out"},
    {"crash_in_create", "create", "crashed"},
    {"hang_in_create", "create", "not done", "1"},
    {"fail_in_create", "create", "-500"},
    {"same_uid", "devices", "two devices"},
    {"fail_to_open", "open", "-401"},
    {"any_option", "options", "unknown option"},
    {"throw_in_run", "run.template_find", "let an exception out"},
    {"guarded_throw", "run.template_find", "-501"},
    {"crash_in_run", "run.template_find", "crashed"},
    {"hang_in_run", "run.template_find", "not done", "1"},
    {"refuse_plan", "run.template_find", "op_support says yes"},
    {"refuse_run", "run.template_find", "-200"},
    {"device_lost", "run.template_find", "-403"},
    {"out_of_memory", "run.template_find", "-300"},
    {"unknown_code", "run.template_find", "-12345"},
    {"count_too_large", "run.template_find", "above its capacity"},
    {"not_a_number", "run.template_find", "not in -1..1"},
    {"below_threshold", "run.template_find", "below the threshold"},
    {"outside", "run.template_find", "not inside the scene"},
    {"wrong_score", "run.template_find", "the reference has"},
    {"write_behind", "run.template_find", "behind the end"},
    {"wrong_needed", "lists.template_find", "needed"},
    {"flicker", "determinism.template_find", "different bits"},
    {"accept_anything", "refusals", "op_support says yes"},
    {"trust_sizes", "images.template_find", ""},
    {"trust_pointers", "nulls", ""},  // a crash, which sanitizers report in their own way
    {"ignore_token", "cancel", "cancelled"},
    {"print", "quiet", "writes"},
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    {"leak_memory", "repeat", "memory grew"},
#endif
    {"leak_host_memory", "open", "not given back"},
    {"leak_thread", "repeat", "threads"},
    {"leak_file", "repeat", "open files"},
    {"bad_costs", "costs", "finite"},
};

}  // namespace

// Exit status of the program with these words after its name; what it prints is not looked at.
int status_of(const std::string& words) {
    const int status = std::system((std::string(VEDETTE_CONFORMANCE) + " " + words + " > /dev/null 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

BOOST_AUTO_TEST_CASE(wrong_usage_ends_with_two) {
    const std::string good = std::string(VEDETTE_FAULTS) + "/none/vedette-fault-none.so";
    for (const std::string& words :
         {std::string(), std::string("--no-such-option"), std::string("/no/such/library.so"), good + " --device x",
          good + " --limit 0", good + " --only no-such-check", good + " --option nonsense", good + " " + good,
          good + " --limit", std::string(VEDETTE_FAULTS) + "/none/fault.json", std::string(VEDETTE_FAULTS)})
        BOOST_TEST(status_of(words) == 2, words);
    BOOST_TEST(status_of("--list") == 0);
    BOOST_TEST(status_of("--help") == 0);
    BOOST_TEST(status_of(good + " --only load") == 0);
    // Options reach the plugin, which refuses one that it does not know.
    BOOST_TEST(status_of(good + " --only create --option speed=high") == 1);
}

BOOST_AUTO_TEST_CASE(without_a_fault_everything_passes) {
    const Report report = examine("none", std::string("--limit ") + patience);
    BOOST_TEST(report.status == 0);
    for (const auto& check : report.json["checks"])
        BOOST_TEST(check["result"] != "fail", check["name"] << ": " << check["text"]);
    BOOST_TEST(report.json["passed"].get<int>() > 20);
}

BOOST_DATA_TEST_CASE(the_right_check_fails, boost::unit_test::data::make(faults), expected) {
    const std::string name = expected.check;
    const Report report = examine(expected.fault, "--limit " + std::string(expected.limit) + " --only " + name);
    const nlohmann::json check = report.check(name);
    BOOST_REQUIRE(!check.is_null());
    BOOST_TEST(check["result"] == "fail", name << ": " << check["result"] << " " << check["text"]);
    const std::string text = check["text"].is_string() ? check["text"].get<std::string>() : "";
    BOOST_TEST(text.find(expected.part) != std::string::npos, text);
    // The checks before it, which it needs, have nothing to say.
    BOOST_TEST(report.json["failed"] == 1);
    BOOST_TEST(report.status == (name == "load" ? 2 : 1));
}
