#include "feature_run.h"
namespace vedette::ops {
BOOST_AUTO_TEST_SUITE(feature_match)
BOOST_AUTO_TEST_SUITE_END()
}  // namespace vedette::ops
