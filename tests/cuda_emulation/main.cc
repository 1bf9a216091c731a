#define BOOST_TEST_MODULE vedette_cuda_emulation
#include "boost_test.h"
