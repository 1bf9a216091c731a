/* Mentions every type of the plugin ABI in the parameters of exported functions, because debug information is recorded
 * for what an exported function can reach: the parameters of the operations travel as `const void*` and would be left
 * out. */
#include <vedette/plugin/plugin.h>

VDT_PLUGIN_EXPORT void vdt_subject_operations(
    const vdt_convert_params* convert, const vdt_resize_params* resize, const vdt_integral_params* integral,
    const vdt_filter_params* filter, const vdt_fft2_params* fft2, const vdt_restore_params* restore,
    const vdt_pyramid_params* pyramid, const vdt_template_map_params* template_map,
    const vdt_template_find_params* template_find, const vdt_cascade_params* cascade, const vdt_group_params* group,
    const vdt_features_params* features, const vdt_feature_match_params* feature_match);
VDT_PLUGIN_EXPORT void vdt_subject_items(const vdt_item* item, const vdt_keypoint* keypoint,
                                         const vdt_descriptor_match* match);

void vdt_subject_operations(const vdt_convert_params* convert, const vdt_resize_params* resize,
                            const vdt_integral_params* integral, const vdt_filter_params* filter,
                            const vdt_fft2_params* fft2, const vdt_restore_params* restore,
                            const vdt_pyramid_params* pyramid, const vdt_template_map_params* template_map,
                            const vdt_template_find_params* template_find, const vdt_cascade_params* cascade,
                            const vdt_group_params* group, const vdt_features_params* features,
                            const vdt_feature_match_params* feature_match) {
    (void)convert, (void)resize, (void)integral, (void)filter, (void)fft2, (void)restore, (void)pyramid;
    (void)template_map, (void)template_find, (void)cascade, (void)group, (void)features, (void)feature_match;
}

void vdt_subject_items(const vdt_item* item, const vdt_keypoint* keypoint, const vdt_descriptor_match* match) {
    (void)item, (void)keypoint, (void)match;
}

const vdt_plugin* VDT_PLUGIN_ENTRY(uint32_t host_minor_min, uint32_t host_minor_max, vdt_error* why) {
    (void)host_minor_min, (void)host_minor_max, (void)why;
    return 0;
}
