// Counts of this backend's operations for the host's model [A]: what the calls of OpenCV do by definition. How well
// they use the processor is for the host to measure. The query was checked.
#pragma once

#include "op.h"

namespace vedette::opencv {

void cost_of_convert(const Device& device, const vdt_query& query, vdt_cost& cost);
void cost_of_resize(const Device& device, const vdt_query& query, vdt_cost& cost);
void cost_of_integral(const Device& device, const vdt_query& query, vdt_cost& cost);
void cost_of_filter(const Device& device, const vdt_query& query, vdt_cost& cost);
void cost_of_pyramid(const Device& device, const vdt_query& query, vdt_cost& cost);
void cost_of_fft2(const Device& device, const vdt_query& query, vdt_cost& cost);
void cost_of_restore(const Device& device, const vdt_query& query, vdt_cost& cost);
void cost_of_template_map(const Device& device, const vdt_query& query, vdt_cost& cost);
void cost_of_template_find(const Device& device, const vdt_query& query, vdt_cost& cost);
void cost_of_group(const Device& device, const vdt_query& query, vdt_cost& cost);
void cost_of_cascade_detect(const Device& device, const vdt_query& query, vdt_cost& cost);
void cost_of_features(const Device& device, const vdt_query& query, vdt_cost& cost);
void cost_of_feature_match(const Device& device, const vdt_query& query, vdt_cost& cost);

// Names of what OpenCV does by functions that use the processor unlike: efficiencies go by them.
const char* way_of_convert(const Device& device, const vdt_query& query);
const char* way_of_resize(const Device& device, const vdt_query& query);
const char* way_of_integral(const Device& device, const vdt_query& query);
const char* way_of_filter(const Device& device, const vdt_query& query);
const char* way_of_pyramid(const Device& device, const vdt_query& query);

}  // namespace vedette::opencv
