// What the operation tests share: the backend under test, and the usual way to run an operation and judge it.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "boost_test.h"
#include "plugin_fixture.h"
#include "test_image.h"
#include "test_list.h"

namespace vedette::ops {

namespace bdata = boost::unit_test::data;

struct Size {
    std::uint32_t width, height;
};
inline std::ostream& operator<<(std::ostream& out, const Size& size) {
    return out << size.width << "x" << size.height;
}

// The backend named on the command line.
const Backend& backend();

// False, with a line that everyone sees ("skip: cpu has no resize"), when the backend does not advertise `op`.
bool backend_has(vdt_op op, const char* name);

// Runs an operation with one output and compares it with `expected` within what the backend promised for this very
// query. Inputs must keep every byte, outputs their guards.
void expect_output(Operation operation, const std::vector<const TestImage*>& inputs, TestImage& output,
                   const Plane& expected);

// The same operation must be refused with `code` and a sentence.
void expect_refusal(const Operation& operation, vdt_code code);

}  // namespace vedette::ops
