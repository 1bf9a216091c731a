#define BOOST_TEST_MODULE policy
#include "core/policy.h"
#include "boost_test.h"
#include "core/config.h"
#include "failure_of.h"

using namespace vedette::host;
using vedette::test::contains;
using vedette::test::failure_of;

namespace {

const std::vector<std::string> known = {"cpu", "cuda", "opencv"};

// "cpu cuda:1 opencv": the candidates in order; "!" before a forced one.
std::string pick(const PolicyLayers& layers, const std::string& asked = "", vdt_op op = VDT_OP_TEMPLATE_FIND) {
    const Selection selection = select_backends(layers, op, asked, known);
    std::string text;
    for (const Candidate& candidate : selection.candidates) {
        text += (text.empty() ? "" : " ") + candidate.backend;
        if (candidate.device >= 0) text += ":" + std::to_string(candidate.device);
    }
    return (selection.forced ? "!" : "") + text;
}

PolicyLayers variable(const std::string& value) {
    return {{"VEDETTE_BACKEND", parse_backend_variable(value)}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(policy)

BOOST_AUTO_TEST_CASE(the_configured_order) {
    BOOST_TEST(pick({}) == "cpu cuda opencv");
    BOOST_TEST(pick({}, "auto") == "cpu cuda opencv");
    const Selection selection = select_backends({}, VDT_OP_CONVERT, "", known);
    BOOST_TEST(selection.candidates[0].why == "cpu is first in the configured order");
    BOOST_TEST(selection.candidates[1].why == "cuda is next in the configured order");
    BOOST_TEST(select_backends({}, VDT_OP_CONVERT, "", {}).candidates.empty());
}

BOOST_AUTO_TEST_CASE(a_call_forces) {
    BOOST_TEST(pick({}, "opencv") == "!opencv");
    BOOST_TEST(pick({}, "cuda:2") == "!cuda:2");
    BOOST_TEST(pick({}, "unknown") == "!unknown");  // the caller hears why it is not there
    for (const char* bad : {"CPU", "cpu:", "cpu:x", "cpu:-1", "cpu:99999", ":1", "force:cpu", "cpu,cuda", " cpu"})
        BOOST_TEST(failure_of([&] { pick({}, bad); }).code() == VDT_E_ARGUMENT);
}

BOOST_AUTO_TEST_CASE(choices_of_the_variable) {
    BOOST_TEST(pick(variable("auto")) == "cpu cuda opencv");
    BOOST_TEST(pick(variable("opencv")) == "opencv cpu cuda");
    BOOST_TEST(pick(variable("prefer:opencv")) == "opencv cpu cuda");
    BOOST_TEST(pick(variable("cuda:1")) == "cuda:1 cuda cpu opencv");
    BOOST_TEST(pick(variable("force:opencv")) == "!opencv");
    BOOST_TEST(pick(variable("force:cuda:1")) == "!cuda:1");
    BOOST_TEST(pick(variable("forbid:cpu,cuda")) == "opencv");
    BOOST_TEST(pick(variable("forbid:cpu; cuda")) == "cuda opencv");
    BOOST_TEST(pick(variable("gone")) == "gone cpu cuda opencv");
    BOOST_TEST(pick(variable("template_find=force:opencv;integral=prefer:cpu")) == "!opencv");
    BOOST_TEST(pick(variable("template_find=force:opencv;integral=prefer:cuda"), "", VDT_OP_INTEGRAL) ==
               "cuda cpu opencv");
    BOOST_TEST(pick(variable("template_find=force:opencv;opencv:0"), "", VDT_OP_RESIZE) == "opencv:0 opencv cpu cuda");
    BOOST_TEST(pick(variable("template_find=forbid:cpu;forbid:cuda;")) == "opencv");
    BOOST_TEST(pick(variable(" template_find = cuda ; opencv ")) == "cuda cpu opencv");
}

BOOST_AUTO_TEST_CASE(malformed_variables) {
    for (const char* bad : {"CPU", "cpu cuda", "force:", "prefer", "forbid:", "forbid:cpu,", "force:cpu:x",
                            "force:cpu:0:1", "find=cpu", "template_find=", "=cpu", "cpu;opencv",
                            "template_find=cpu;template_find=cuda", "auto:1", "force:auto", "\xff"}) {
        BOOST_TEST_CONTEXT(bad) {
            const Failure failure = failure_of([&] { parse_backend_variable(bad); });
            BOOST_TEST(failure.code() == VDT_E_CONFIG);
            BOOST_TEST(contains(failure.text(), "VEDETTE_BACKEND"));
        }
    }
    BOOST_TEST(failure_of([] { parse_backend_variable(std::string(100000, 'x')); }).text().size() < 300u);
}

BOOST_AUTO_TEST_CASE(ranks) {
    const Policy cpu = parse_backend_variable("force:cpu");
    const Policy opencv = parse_backend_variable("opencv");
    const Policy nothing;
    BOOST_TEST(pick({{"high", cpu}, {"low", opencv}}) == "!cpu");
    BOOST_TEST(pick({{"high", nothing}, {"low", opencv}}) == "opencv cpu cuda");
    BOOST_TEST(pick({{"high", parse_backend_variable("auto")}, {"low", opencv}}) == "cpu cuda opencv");
    BOOST_TEST(pick({{"high", cpu}, {"low", opencv}}, "cuda") == "!cuda");
    // A choice for one operation comes before the general one of the same source, not of a higher one.
    BOOST_TEST(pick({{"high", parse_backend_variable("cuda")},
                     {"low", parse_backend_variable("template_find=opencv")}}) == "cuda cpu opencv");
    const Selection selection = select_backends({{"the configuration", opencv}}, VDT_OP_CONVERT, "", known);
    BOOST_TEST(selection.candidates[0].why == "opencv is preferred by the configuration");
    BOOST_TEST(selection.candidates[1].why == "cpu is first in the configured order");
}

BOOST_AUTO_TEST_CASE(forbidden_is_never_used) {
    const PolicyLayers layers = {{"high", parse_backend_variable("cuda")},
                                 {"low", parse_backend_variable("forbid:cuda")}};
    BOOST_TEST(pick(layers) == "cpu opencv");
    BOOST_TEST(select_backends(layers, VDT_OP_CONVERT, "", known).notes[0] == "cuda is forbidden by low");
    BOOST_TEST(select_backends(layers, VDT_OP_CONVERT, "", known).candidates[0].why ==
               "cpu is first in the configured order");
    const Failure forced = failure_of([&] { pick(layers, "cuda:0"); });
    BOOST_TEST(forced.code() == VDT_E_UNAVAILABLE);
    BOOST_TEST(contains(forced.text(), "forbidden by low"));
    const Failure none = failure_of([&] { pick(variable("forbid:cpu,cuda,opencv")); });
    BOOST_TEST(none.code() == VDT_E_UNAVAILABLE);
    BOOST_TEST(contains(none.text(), "cpu is forbidden by VEDETTE_BACKEND"));
    BOOST_TEST(pick(variable("template_find=forbid:cpu"), "", VDT_OP_RESIZE) == "cpu cuda opencv");
}

BOOST_AUTO_TEST_CASE(plugin_directories_of_the_environment) {
    const auto directories = parse_plugin_path_variable("/opt/a::/opt/b:");
    BOOST_REQUIRE(directories.size() == 2u);
    BOOST_TEST(directories[1].string() == "/opt/b");
    for (const char* bad : {"plugins", "/opt/a:.", "~/plugins"}) {
        const Failure failure = failure_of([&] { parse_plugin_path_variable(bad); });
        BOOST_TEST(failure.code() == VDT_E_CONFIG);
        BOOST_TEST(contains(failure.text(), "VEDETTE_PLUGIN_PATH"));
    }
}

BOOST_AUTO_TEST_SUITE_END()
