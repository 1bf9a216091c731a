// Looks at what a plugin returned before anybody relies on it.
#pragma once

#include "execution.h"

namespace vedette::host {

// Checks the code and the lists of a run that says it succeeded: counts within capacity, numbers finite and in range,
// the order the operation defines. Failure VDT_E_CONTRACT with what is wrong.
void check_results(const Operation& operation, vdt_code code);

}  // namespace vedette::host
