#define BOOST_TEST_MODULE opencl
#include "boost_test.h"
