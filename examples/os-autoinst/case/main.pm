use strict;
use warnings;
use autotest;

autotest::loadtest 'tests/calculate.pm';
1;
