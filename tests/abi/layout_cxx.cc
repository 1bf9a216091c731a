// The frozen layout, read as C++20.
#include "../../plugin_api/abi/layout_1_2.c"
