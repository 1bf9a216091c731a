// Include instead of a Boost.Test header, after defining BOOST_TEST_MODULE in the file that holds main.
#pragma once
#if defined(VEDETTE_BOOST_TEST_LIBRARY) || !defined(BOOST_TEST_MODULE)
#include <boost/test/unit_test.hpp>
#else
#include <boost/test/included/unit_test.hpp>
#endif
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
