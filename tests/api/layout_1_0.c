/* Layout of the structs of vedette.h 1.0 and the values of its constants, frozen: programs that were built against it
 * go on working. A later minor version adds at the end only: then "==" for the sizes becomes ">=" here. */
#include <vedette/vedette.h>

#include <stddef.h>

#define SIZE(type, size) _Static_assert(sizeof(type) == (size), "size of " #type)
#define AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), "offset of " #type "." #field)
#define VALUE(name, value) _Static_assert((name) == (value), "value of " #name)

/* clang-format off: a table */

SIZE(vdt_context_options, 56);
AT(vdt_context_options, struct_size, 0);
AT(vdt_context_options, threads, 4);
AT(vdt_context_options, config_file, 8);
AT(vdt_context_options, config_text, 16);
AT(vdt_context_options, plugin_directory, 24);
AT(vdt_context_options, log, 32);
AT(vdt_context_options, log_user, 40);
AT(vdt_context_options, log_level, 48);
AT(vdt_context_options, reserved, 52);

SIZE(vdt_backend_info, 80);
AT(vdt_backend_info, struct_size, 0);
AT(vdt_backend_info, device_index, 4);
AT(vdt_backend_info, device_kind, 8);
AT(vdt_backend_info, quarantined, 12);
AT(vdt_backend_info, backend, 16);
AT(vdt_backend_info, plugin_version, 24);
AT(vdt_backend_info, description, 32);
AT(vdt_backend_info, device_name, 40);
AT(vdt_backend_info, device_uid, 48);
AT(vdt_backend_info, driver, 56);
AT(vdt_backend_info, library, 64);
AT(vdt_backend_info, operations, 72);

SIZE(vdt_skipped_info, 40);
AT(vdt_skipped_info, struct_size, 0);
AT(vdt_skipped_info, code, 4);
AT(vdt_skipped_info, backend, 8);
AT(vdt_skipped_info, library, 16);
AT(vdt_skipped_info, stage, 24);
AT(vdt_skipped_info, reason, 32);

SIZE(vdt_pixels, 40);
AT(vdt_pixels, struct_size, 0);
AT(vdt_pixels, format, 4);
AT(vdt_pixels, width, 8);
AT(vdt_pixels, height, 12);
AT(vdt_pixels, stride, 16);
AT(vdt_pixels, bytes, 24);
AT(vdt_pixels, data, 32);

SIZE(vdt_find_options, 120);
AT(vdt_find_options, struct_size, 0);
AT(vdt_find_options, color, 4);
AT(vdt_find_options, threshold, 8);
AT(vdt_find_options, floor, 16);
AT(vdt_find_options, strictness, 24);
AT(vdt_find_options, overlap, 32);
AT(vdt_find_options, verify, 40);
AT(vdt_find_options, all, 44);
AT(vdt_find_options, max_results, 48);
AT(vdt_find_options, exclude_count, 52);
AT(vdt_find_options, region, 56);
AT(vdt_find_options, exclude, 72);
AT(vdt_find_options, scales, 80);
AT(vdt_find_options, scale_count, 88);
AT(vdt_find_options, fallbacks, 92);
AT(vdt_find_options, time_limit, 96);
AT(vdt_find_options, cancel, 104);
AT(vdt_find_options, backend, 112);

SIZE(vdt_match, 168);
AT(vdt_match, struct_size, 0);
AT(vdt_match, pattern, 4);
AT(vdt_match, x, 8);
AT(vdt_match, y, 16);
AT(vdt_match, w, 24);
AT(vdt_match, h, 32);
AT(vdt_match, score, 40);
AT(vdt_match, scale, 48);
AT(vdt_match, residual, 56);
AT(vdt_match, residual_limit, 64);
AT(vdt_match, evidence, 72);
AT(vdt_match, stage, 80);
AT(vdt_match, reason, 84);
AT(vdt_match, worst, 88);
AT(vdt_match, quad, 104);

SIZE(vdt_outcome, 200);
AT(vdt_outcome, struct_size, 0);
AT(vdt_outcome, match_count, 4);
AT(vdt_outcome, has_best, 8);
AT(vdt_outcome, reason, 12);
AT(vdt_outcome, margin, 16);
AT(vdt_outcome, margin_is_bound, 24);
AT(vdt_outcome, copies, 28);
AT(vdt_outcome, best, 32);

SIZE(vdt_feature_options, 40);
AT(vdt_feature_options, struct_size, 0);
AT(vdt_feature_options, reserved, 4);
AT(vdt_feature_options, ratio, 8);
AT(vdt_feature_options, reprojection, 16);
AT(vdt_feature_options, seed, 24);
AT(vdt_feature_options, backend, 32);

SIZE(vdt_feature_place, 224);
AT(vdt_feature_place, struct_size, 0);
AT(vdt_feature_place, found, 4);
AT(vdt_feature_place, has_quad, 8);
AT(vdt_feature_place, pairs, 12);
AT(vdt_feature_place, inliers, 16);
AT(vdt_feature_place, pattern_keypoints, 20);
AT(vdt_feature_place, screen_keypoints, 24);
AT(vdt_feature_place, reserved, 28);
AT(vdt_feature_place, quad, 32);
AT(vdt_feature_place, reason, 96);

SIZE(vdt_restore_options, 72);
AT(vdt_restore_options, struct_size, 0);
AT(vdt_restore_options, method, 4);
AT(vdt_restore_options, iterations, 8);
AT(vdt_restore_options, spread, 12);
AT(vdt_restore_options, spread_size, 16);
AT(vdt_restore_options, spread_angle, 24);
AT(vdt_restore_options, spread_weights, 32);
AT(vdt_restore_options, spread_width, 40);
AT(vdt_restore_options, spread_height, 44);
AT(vdt_restore_options, backend, 48);
AT(vdt_restore_options, progress, 56);
AT(vdt_restore_options, progress_user, 64);

SIZE(vdt_restoration, 24);
AT(vdt_restoration, struct_size, 0);
AT(vdt_restoration, tiles, 4);
AT(vdt_restoration, tile_side, 8);
AT(vdt_restoration, reserved, 12);
AT(vdt_restoration, spread_sigma, 16);

SIZE(vdt_run_info, 56);
AT(vdt_run_info, struct_size, 0);
AT(vdt_run_info, device_index, 4);
AT(vdt_run_info, backend, 8);
AT(vdt_run_info, device, 16);
AT(vdt_run_info, variant, 24);
AT(vdt_run_info, choice, 32);
AT(vdt_run_info, predicted_ms, 40);
AT(vdt_run_info, measured_ms, 48);

VALUE(VDT_COLOR_AUTO, 0);
VALUE(VDT_COLOR_GRAY, 1);
VALUE(VDT_COLOR_BGR, 2);
VALUE(VDT_FALLBACK_SCALES, 1);
VALUE(VDT_FALLBACK_FEATURES, 2);
VALUE(VDT_STAGE_SAME, 1);
VALUE(VDT_STAGE_FLAT, 2);
VALUE(VDT_STAGE_SCALE, 3);
VALUE(VDT_STAGE_FEATURES, 4);
VALUE(VDT_REASON_NONE, 0);
VALUE(VDT_REASON_BELOW_SCORE, 1);
VALUE(VDT_REASON_DIFFERS_LOCALLY, 2);
VALUE(VDT_REASON_DIFFERS_EVERYWHERE, 3);
VALUE(VDT_REASON_TOO_LITTLE_STRUCTURE, 4);
VALUE(VDT_REASON_TOO_LARGE, 5);
VALUE(VDT_REASON_NOTHING_ABOVE_FLOOR, 6);
VALUE(VDT_REASON_COLOR_ABSENT, 7);
