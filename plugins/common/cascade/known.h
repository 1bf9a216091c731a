// Classifiers that were read before.
#pragma once

#include <memory>
#include <string_view>

#include "cascade/model.h"

namespace vedette::cascade {

// As read_model; a text that was read lately is not read again (reading one of a megabyte takes 7 ms on one core of
// Zen 3): the estimate of a search comes before its plan, and plans for several sizes of image share a classifier.
// Keeps the last two classifiers of the process. Thread-safe.
std::shared_ptr<const Model> known_model(std::string_view xml);

}  // namespace vedette::cascade
