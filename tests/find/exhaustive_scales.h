// The search of other sizes written plainly, as the fast one's measure: every size on the whole of the screen at full
// resolution, every position compared.
#pragma once

#include "finder.h"

namespace vedette::test {

// What is found of `pattern` at another size; without matches when nothing is. Slow: for small pictures.
host::PatternOutcome find_at_any_scale(const Image& screen, const Image& pattern, host::FindQuery query);

}  // namespace vedette::test
