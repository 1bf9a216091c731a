/* Layout of every struct of ABI 1.2, frozen: the size and the offset of each field on 64-bit targets. It compiles or
 * the ABI is broken. Built as C11 and as C++20 with -Wpadded -Wpedantic -Werror by the tests. Never change a line here;
 * how a later minor version adds to it is in README.md beside this file. */
#include <vedette/plugin/plugin.h>

#include <stddef.h>

#ifdef __cplusplus
#define ASSERT(condition, text) static_assert(condition, text)
#else
#define ASSERT(condition, text) _Static_assert(condition, text)
#endif

/* Elements of arrays, which never grow, and structs that a later minor version may make longer at the end. */
#define FIXED(type, size) ASSERT(sizeof(type) == (size), "size of " #type)
#if VDT_ABI_MINOR == 2
#define GROWS(type, size) ASSERT(sizeof(type) == (size), "size of " #type)
#else
#define GROWS(type, size) ASSERT(sizeof(type) >= (size), "size of " #type)
#endif
#define AT(type, field, offset) ASSERT(offsetof(type, field) == (offset), "offset of " #type "." #field)

/* clang-format off: a table */

FIXED(void*, 8);
FIXED(void (*)(void), 8);
FIXED(float, 4);
FIXED(double, 8);
FIXED(vdt_code, 4);
FIXED(vdt_format, 4);
FIXED(vdt_op, 4);

/* abi.h */
FIXED(vdt_link, 16);
AT(vdt_link, kind, 0);
AT(vdt_link, struct_size, 4);
AT(vdt_link, next, 8);
FIXED(vdt_rect, 16);
AT(vdt_rect, x, 0);
AT(vdt_rect, y, 4);
AT(vdt_rect, w, 8);
AT(vdt_rect, h, 12);
FIXED(vdt_option, 40);
AT(vdt_option, key, 0);
AT(vdt_option, kind, 8);
AT(vdt_option, reserved, 12);
AT(vdt_option, integer, 16);
AT(vdt_option, real, 24);
AT(vdt_option, text, 32);

/* status.h */
GROWS(vdt_error, 256);
AT(vdt_error, struct_size, 0);
AT(vdt_error, code, 4);
AT(vdt_error, native_code, 8);
AT(vdt_error, text, 16);

/* image.h */
FIXED(vdt_plane, 32);
AT(vdt_plane, base, 0);
AT(vdt_plane, offset, 8);
AT(vdt_plane, row_stride, 16);
AT(vdt_plane, bytes, 24);
GROWS(vdt_image, 192);
AT(vdt_image, struct_size, 0);
AT(vdt_image, format, 4);
AT(vdt_image, width, 8);
AT(vdt_image, height, 12);
AT(vdt_image, memory, 16);
AT(vdt_image, plane_count, 20);
AT(vdt_image, flags, 24);
AT(vdt_image, reserved, 28);
AT(vdt_image, device, 32);
AT(vdt_image, ready, 40);
AT(vdt_image, resident, 48);
AT(vdt_image, next, 56);
AT(vdt_image, plane, 64);

/* result.h */
FIXED(vdt_item, 40);
AT(vdt_item, x, 0);
AT(vdt_item, y, 4);
AT(vdt_item, w, 8);
AT(vdt_item, h, 12);
AT(vdt_item, score, 16);
AT(vdt_item, pattern, 24);
AT(vdt_item, scale, 28);
AT(vdt_item, neighbors, 32);
AT(vdt_item, flags, 36);
FIXED(vdt_keypoint, 24);
AT(vdt_keypoint, x, 0);
AT(vdt_keypoint, y, 4);
AT(vdt_keypoint, size, 8);
AT(vdt_keypoint, angle, 12);
AT(vdt_keypoint, response, 16);
AT(vdt_keypoint, octave, 20);
FIXED(vdt_descriptor_match, 16);
AT(vdt_descriptor_match, query, 0);
AT(vdt_descriptor_match, train, 4);
AT(vdt_descriptor_match, distance, 8);
AT(vdt_descriptor_match, inlier, 12);
GROWS(vdt_list, 40);
AT(vdt_list, struct_size, 0);
AT(vdt_list, item_size, 4);
AT(vdt_list, capacity, 8);
AT(vdt_list, count, 16);
AT(vdt_list, needed, 24);
AT(vdt_list, items, 32);

/* ops.h */
GROWS(vdt_convert_params, 24);
AT(vdt_convert_params, struct_size, 0);
AT(vdt_convert_params, flags, 4);
AT(vdt_convert_params, scale, 8);
AT(vdt_convert_params, offset, 16);
GROWS(vdt_resize_params, 32);
AT(vdt_resize_params, struct_size, 0);
AT(vdt_resize_params, method, 4);
AT(vdt_resize_params, flags, 8);
AT(vdt_resize_params, fill, 12);
AT(vdt_resize_params, scale, 16);
AT(vdt_resize_params, offset, 24);
GROWS(vdt_integral_params, 8);
AT(vdt_integral_params, struct_size, 0);
AT(vdt_integral_params, flags, 4);
GROWS(vdt_filter_params, 72);
AT(vdt_filter_params, struct_size, 0);
AT(vdt_filter_params, kind, 4);
AT(vdt_filter_params, border, 8);
AT(vdt_filter_params, kernel_w, 12);
AT(vdt_filter_params, kernel_h, 16);
AT(vdt_filter_params, anchor_x, 20);
AT(vdt_filter_params, anchor_y, 24);
AT(vdt_filter_params, border_value, 28);
AT(vdt_filter_params, sigma_x, 32);
AT(vdt_filter_params, sigma_y, 40);
AT(vdt_filter_params, delta, 48);
AT(vdt_filter_params, kernel_x, 56);
AT(vdt_filter_params, kernel_y, 64);
GROWS(vdt_fft2_params, 16);
AT(vdt_fft2_params, struct_size, 0);
AT(vdt_fft2_params, direction, 4);
AT(vdt_fft2_params, batch, 8);
AT(vdt_fft2_params, flags, 12);
GROWS(vdt_restore_params, 24);
AT(vdt_restore_params, struct_size, 0);
AT(vdt_restore_params, method, 4);
AT(vdt_restore_params, iterations, 8);
AT(vdt_restore_params, batch, 12);
AT(vdt_restore_params, epsilon, 16);
GROWS(vdt_pyramid_params, 16);
AT(vdt_pyramid_params, struct_size, 0);
AT(vdt_pyramid_params, method, 4);
AT(vdt_pyramid_params, levels, 8);
AT(vdt_pyramid_params, flags, 12);
GROWS(vdt_template_map_params, 8);
AT(vdt_template_map_params, struct_size, 0);
AT(vdt_template_map_params, method, 4);
GROWS(vdt_template_find_params, 64);
AT(vdt_template_find_params, struct_size, 0);
AT(vdt_template_find_params, flags, 4);
AT(vdt_template_find_params, threshold, 8);
AT(vdt_template_find_params, pattern_count, 16);
AT(vdt_template_find_params, max_results, 20);
AT(vdt_template_find_params, region, 24);
AT(vdt_template_find_params, exclude, 40);
AT(vdt_template_find_params, scales, 48);
AT(vdt_template_find_params, exclude_count, 56);
AT(vdt_template_find_params, scale_count, 60);
GROWS(vdt_cascade_params, 56);
AT(vdt_cascade_params, struct_size, 0);
AT(vdt_cascade_params, flags, 4);
AT(vdt_cascade_params, cascade, 8);
AT(vdt_cascade_params, cascade_bytes, 16);
AT(vdt_cascade_params, scale_factor, 24);
AT(vdt_cascade_params, min_neighbors, 32);
AT(vdt_cascade_params, min_w, 36);
AT(vdt_cascade_params, min_h, 40);
AT(vdt_cascade_params, max_w, 44);
AT(vdt_cascade_params, max_h, 48);
AT(vdt_cascade_params, reserved, 52);
GROWS(vdt_group_params, 16);
AT(vdt_group_params, struct_size, 0);
AT(vdt_group_params, threshold, 4);
AT(vdt_group_params, eps, 8);
GROWS(vdt_features_params, 40);
AT(vdt_features_params, struct_size, 0);
AT(vdt_features_params, max_features, 4);
AT(vdt_features_params, octave_layers, 8);
AT(vdt_features_params, flags, 12);
AT(vdt_features_params, contrast_threshold, 16);
AT(vdt_features_params, edge_threshold, 24);
AT(vdt_features_params, sigma, 32);
GROWS(vdt_feature_match_params, 32);
AT(vdt_feature_match_params, struct_size, 0);
AT(vdt_feature_match_params, max_iterations, 4);
AT(vdt_feature_match_params, ratio, 8);
AT(vdt_feature_match_params, reprojection, 16);
AT(vdt_feature_match_params, seed, 24);

/* device.h */
GROWS(vdt_device_info, 232);
AT(vdt_device_info, struct_size, 0);
AT(vdt_device_info, kind, 4);
AT(vdt_device_info, name, 8);
AT(vdt_device_info, uid, 72);
AT(vdt_device_info, driver, 136);
AT(vdt_device_info, memory_bytes, 200);
AT(vdt_device_info, max_pixels, 208);
AT(vdt_device_info, max_width, 216);
AT(vdt_device_info, max_height, 220);
AT(vdt_device_info, memory_mask, 224);
AT(vdt_device_info, flags, 228);
GROWS(vdt_op_support, 56);
AT(vdt_op_support, struct_size, 0);
AT(vdt_op_support, level, 4);
AT(vdt_op_support, input_formats, 8);
AT(vdt_op_support, output_formats, 16);
AT(vdt_op_support, memory_mask, 24);
AT(vdt_op_support, variant_count, 28);
AT(vdt_op_support, determinism, 32);
AT(vdt_op_support, row_alignment, 36);
AT(vdt_op_support, tolerance, 40);
AT(vdt_op_support, scratch_bytes, 48);
GROWS(vdt_variant_info, 56);
AT(vdt_variant_info, struct_size, 0);
AT(vdt_variant_info, flags, 4);
AT(vdt_variant_info, name, 8);
GROWS(vdt_query, 72);
AT(vdt_query, struct_size, 0);
AT(vdt_query, op, 4);
AT(vdt_query, input_count, 8);
AT(vdt_query, output_count, 12);
AT(vdt_query, variant, 16);
AT(vdt_query, flags, 20);
AT(vdt_query, inputs, 24);
AT(vdt_query, outputs, 32);
AT(vdt_query, params, 40);
AT(vdt_query, next, 48);
AT(vdt_query, lists_in, 56);
AT(vdt_query, list_in_count, 64);
AT(vdt_query, reserved, 68);
GROWS(vdt_call, 96);
AT(vdt_call, struct_size, 0);
AT(vdt_call, flags, 4);
AT(vdt_call, input_count, 8);
AT(vdt_call, output_count, 12);
AT(vdt_call, list_in_count, 16);
AT(vdt_call, list_out_count, 20);
AT(vdt_call, inputs, 24);
AT(vdt_call, outputs, 32);
AT(vdt_call, lists_in, 40);
AT(vdt_call, lists_out, 48);
AT(vdt_call, params, 56);
AT(vdt_call, stream, 64);
AT(vdt_call, done, 72);
AT(vdt_call, token, 80);
AT(vdt_call, next, 88);

/* cost.h */
FIXED(vdt_cost_stage, 72);
AT(vdt_cost_stage, work, 0);
AT(vdt_cost_stage, span, 8);
AT(vdt_cost_stage, width, 16);
AT(vdt_cost_stage, divergence, 24);
AT(vdt_cost_stage, global_refs, 32);
AT(vdt_cost_stage, global_bytes, 40);
AT(vdt_cost_stage, shared_refs, 48);
AT(vdt_cost_stage, constant_refs, 56);
AT(vdt_cost_stage, atomic_refs, 64);
GROWS(vdt_cost, 72);
AT(vdt_cost, struct_size, 0);
AT(vdt_cost, flags, 4);
AT(vdt_cost, stage_capacity, 8);
AT(vdt_cost, stage_count, 12);
AT(vdt_cost, stage_size, 16);
AT(vdt_cost, launches, 20);
AT(vdt_cost, bytes_to_device, 24);
AT(vdt_cost, bytes_to_host, 32);
AT(vdt_cost, scratch_bytes, 40);
AT(vdt_cost, shared_bytes, 48);
AT(vdt_cost, constant_bytes, 56);
AT(vdt_cost, stages, 64);
FIXED(vdt_param, 32);
AT(vdt_param, id, 0);
AT(vdt_param, source, 4);
AT(vdt_param, value, 8);
AT(vdt_param, spread, 16);
AT(vdt_param, samples, 24);
AT(vdt_param, reserved, 28);
GROWS(vdt_probe, 32);
AT(vdt_probe, struct_size, 0);
AT(vdt_probe, param_count, 4);
AT(vdt_probe, param_size, 8);
AT(vdt_probe, flags, 12);
AT(vdt_probe, budget_seconds, 16);
AT(vdt_probe, params, 24);

/* host.h */
GROWS(vdt_host, 72);
AT(vdt_host, struct_size, 0);
AT(vdt_host, abi_minor, 4);
AT(vdt_host, ctx, 8);
AT(vdt_host, log, 16);
AT(vdt_host, alloc, 24);
AT(vdt_host, free, 32);
AT(vdt_host, parallel_for, 40);
AT(vdt_host, worker_count, 48);
AT(vdt_host, cancelled, 56);
AT(vdt_host, extension, 64);

/* stream.h */
GROWS(vdt_streams, 104);
AT(vdt_streams, struct_size, 0);
AT(vdt_streams, flags, 4);
AT(vdt_streams, stream_create, 8);
AT(vdt_streams, stream_sync, 16);
AT(vdt_streams, stream_destroy, 24);
AT(vdt_streams, event_create, 32);
AT(vdt_streams, event_record, 40);
AT(vdt_streams, event_query, 48);
AT(vdt_streams, event_wait_host, 56);
AT(vdt_streams, event_wait_stream, 64);
AT(vdt_streams, event_destroy, 72);
AT(vdt_streams, buffer_create, 80);
AT(vdt_streams, buffer_destroy, 88);
AT(vdt_streams, image_copy, 96);

/* plugin.h */
GROWS(vdt_plugin, 176);
AT(vdt_plugin, struct_size, 0);
AT(vdt_plugin, abi_minor, 4);
AT(vdt_plugin, id, 8);
AT(vdt_plugin, version, 16);
AT(vdt_plugin, description, 24);
AT(vdt_plugin, flags, 32);
AT(vdt_plugin, create, 40);
AT(vdt_plugin, destroy, 48);
AT(vdt_plugin, device_count, 56);
AT(vdt_plugin, device_info, 64);
AT(vdt_plugin, device_open, 72);
AT(vdt_plugin, device_close, 80);
AT(vdt_plugin, op_support, 88);
AT(vdt_plugin, op_variant, 96);
AT(vdt_plugin, op_cost, 104);
AT(vdt_plugin, probe, 112);
AT(vdt_plugin, plan_create, 120);
AT(vdt_plugin, plan_run, 128);
AT(vdt_plugin, plan_destroy, 136);
AT(vdt_plugin, resident_create, 144);
AT(vdt_plugin, resident_destroy, 152);
AT(vdt_plugin, streams, 160);
AT(vdt_plugin, extension, 168);
