#define BOOST_TEST_MODULE cpu
#include "boost_test.h"
