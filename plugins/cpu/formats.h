// How pixel formats lie in memory.
#pragma once

#include <vedette/plugin/cpp/format.hpp>

namespace vedette::cpu {

using plugin::color_formats;
using plugin::FormatLayout;
using plugin::is_color;
using plugin::layout_of;
using plugin::row_bytes;
using plugin::row_of;

}  // namespace vedette::cpu
