#define BOOST_TEST_MODULE vedette_operations
#include "suite.h"

#include <iostream>
#include <set>

namespace vedette::ops {

namespace {

std::unique_ptr<Backend> loaded;
bool unusable = false;  // the machine has no device for it, or cannot do what the settings ask for

struct Load {
    Load() {
        const auto& suite = boost::unit_test::framework::master_test_suite();
        if (suite.argc < 2) throw std::runtime_error("usage: ops_test [Boost.Test options] -- PLUGIN.so [key=text]...");
        const std::vector<std::string> settings(suite.argv + 2, suite.argv + suite.argc);
        try {
            loaded = std::make_unique<Backend>(suite.argv[1], settings);
        } catch (const CannotUse& reason) {
            const bool no_device = reason.code() == VDT_E_NO_DEVICE || reason.code() == VDT_E_NO_DRIVER;
            if (reason.code() != VDT_E_OPTION && !no_device) throw;
            std::cout << "skip: " << reason.what() << '\n';
            unusable = true;
        }
    }
    ~Load() { loaded.reset(); }
};

BOOST_TEST_GLOBAL_FIXTURE(Load);

}  // namespace

const Backend& backend() {
    return *loaded;
}

bool backend_has(vdt_op op, const char* name) {
    if (unusable) return false;
    if (loaded->advertises(op)) return true;
    static std::set<vdt_op> said;
    if (said.insert(op).second) std::cout << "skip: " << loaded->name() << " has no " << name << '\n';
    return false;
}

void expect_output(Operation operation, const std::vector<const TestImage*>& inputs, TestImage& output,
                   const Plane& expected) {
    std::vector<std::vector<std::uint8_t>> before;
    operation.inputs.clear();
    for (const TestImage* input : inputs) {
        operation.inputs.push_back(input->ptr());
        before.push_back(input->bytes());
    }
    operation.outputs = {output.ptr()};
    const Outcome outcome = backend().run(operation);
    BOOST_REQUIRE_MESSAGE(outcome.code == VDT_OK, "code " << outcome.code << ": " << outcome.text);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        BOOST_CHECK_MESSAGE(inputs[i]->bytes() == before[i], "input " << i << " was written");
    const double tolerance = outcome.support.determinism == VDT_DETERMINISM_EXACT ? 0 : outcome.support.tolerance;
    const std::string wrong = difference(output, expected, tolerance);
    BOOST_CHECK_MESSAGE(wrong.empty(), wrong);
}

void expect_refusal(const Operation& operation, vdt_code code) {
    const Outcome outcome = backend().run(operation);
    BOOST_CHECK_MESSAGE(outcome.code == code,
                        "code " << outcome.code << " instead of " << code << ": " << outcome.text);
    BOOST_CHECK_MESSAGE(!outcome.text.empty(), "the refusal has no text");
}

}  // namespace vedette::ops

using namespace vedette::ops;

// Every operation that a backend advertises is tested here: a suite of its name exists.
BOOST_AUTO_TEST_CASE(coverage) {
    const std::pair<vdt_op, const char*> suites[] = {
        {VDT_OP_CONVERT, "convert"},
        {VDT_OP_RESIZE, "resize"},
        {VDT_OP_INTEGRAL, "integral"},
        {VDT_OP_FILTER, "filter"},
        {VDT_OP_PYRAMID, "pyramid"},
        {VDT_OP_TEMPLATE_MAP, "template_map"},
        {VDT_OP_TEMPLATE_FIND, "template_find"},
        {VDT_OP_CASCADE_DETECT, "cascade_detect"},
        {VDT_OP_GROUP, "group"},
        {VDT_OP_FFT2, "fft2"},
        {VDT_OP_RESTORE, "restore"},
        {VDT_OP_FEATURES, "features"},
        {VDT_OP_FEATURE_MATCH, "feature_match"},
    };
    if (unusable) return;
    for (vdt_op op = 0; op <= VDT_OP_COUNT; ++op) {
        if (!backend().advertises(op)) continue;
        bool found = false;
        for (const auto& [tested, name] : suites)
            found = found || (tested == op && boost::unit_test::framework::master_test_suite().get(name) !=
                                                  boost::unit_test::INV_TEST_UNIT_ID);
        BOOST_CHECK_MESSAGE(found, "operation " << op << " of " << backend().name() << " has no tests in tests/ops");
    }
}
