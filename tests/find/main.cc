#define BOOST_TEST_MODULE find
#include "boost_test.h"
