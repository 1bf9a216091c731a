// The frozen values, read as C++20.
#include "../../plugin_api/abi/values_1_2.c"
