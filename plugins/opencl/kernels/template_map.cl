// template_map: the value of every position.
#include "template_direct.cl"

__kernel void template_map(IMAGE_IN(scene), IMAGE_OUT(map), const TemplateSearch search, const PatternSums sums,
                           const uint method, __global const float *restrict pattern,
                           __global const float *restrict mask, __local float *restrict tile) {
    WindowSums window[LANES];
    window_sums(scene_data, scene_offset, scene_stride, &search, pattern, mask, &sums, tile, window);
    const uint x = search_column(), y = search_row(&search);
    if (y >= search.rows) return;
    for (uint p = 0; p < LANES; ++p)
        if (x + p < search.columns) ROW_OUT(float, map, y)[x + p] = map_value(&sums, &window[p], method);
}
