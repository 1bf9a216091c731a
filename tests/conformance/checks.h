// The checks, by the file that holds them. Each has the signature of Check::run.
#pragma once

#include "check.h"

namespace vedette::conformance {

// checks_load.cc
std::string check_load(const Arguments&, std::uint32_t);
std::string check_negotiation(const Arguments&, std::uint32_t);
std::string check_table(const Arguments&, std::uint32_t);
// checks_instance.cc
std::string check_create(const Arguments&, std::uint32_t);
std::string check_options(const Arguments&, std::uint32_t);
std::string check_extension(const Arguments&, std::uint32_t);
std::string check_devices(const Arguments&, std::uint32_t);
std::string check_open(const Arguments&, std::uint32_t);
std::string check_repeat(const Arguments&, std::uint32_t);
std::string check_two_instances(const Arguments&, std::uint32_t);
std::string check_quiet(const Arguments&, std::uint32_t);
// checks_support.cc
std::string check_support(const Arguments&, std::uint32_t);
std::string check_refusals(const Arguments&, std::uint32_t);
std::string check_links(const Arguments&, std::uint32_t);
// checks_run.cc; the parameter is the operation
std::string check_run(const Arguments&, std::uint32_t);
std::string check_shapes(const Arguments&, std::uint32_t);
std::string check_determinism(const Arguments&, std::uint32_t);
std::string check_lists(const Arguments&, std::uint32_t);
// checks_arguments.cc
std::string check_nulls(const Arguments&, std::uint32_t);
std::string check_absurd_images(const Arguments&, std::uint32_t);
std::string check_absurd_parameters(const Arguments&, std::uint32_t);
// checks_threads.cc
std::string check_concurrent_queries(const Arguments&, std::uint32_t);
std::string check_concurrent_plans(const Arguments&, std::uint32_t);
std::string check_cancel(const Arguments&, std::uint32_t);
std::string check_time_limit(const Arguments&, std::uint32_t);
std::string check_steady(const Arguments&, std::uint32_t);
// checks_optional.cc
std::string check_cost(const Arguments&, std::uint32_t);
std::string check_probe(const Arguments&, std::uint32_t);
std::string check_residents(const Arguments&, std::uint32_t);
std::string check_streams(const Arguments&, std::uint32_t);

}  // namespace vedette::conformance
