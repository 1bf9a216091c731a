// The table of `vedette explain`.
#pragma once

#include "output.h"

#include <string>

namespace vedette::cli {

// For people, of the document that vdt_explain_stop gives: for each call (calls that repeat are counted) its candidates
// with the terms that are not nothing for all of them, what was taken and why, and what could not.
std::string explain_text(const Json& document);

}  // namespace vedette::cli
