// One cascade_detect of libvedette.
#pragma once

#include <string>
#include <vector>

#include "library.h"
#include "score_map.h"

namespace vedette::compat {

struct CascadeCall {
    Raster gray;                           // 8-bit, one channel
    const std::string* cascade = nullptr;  // the text of the file
    double scale_factor = 1.1;
    int min_neighbors = 3;
    int min_width = 0, min_height = 0, max_width = 0, max_height = 0;
};

// `items` gets what OpenCV's detectMultiScale finds, in an order of its own. False when no backend did it, or only the
// reference; `answer` says which. Throws std::bad_alloc. Thread rule: any.
bool run_cascade(const Session& session, const CascadeCall& call, std::vector<vdt_item>& items, MapAnswer& answer);

}  // namespace vedette::compat
