// template_find: the score of every position, as a number whose order is that of the scores.
#include "template_direct.cl"

// Order of doubles as order of unsigned integers; 0, which stands for a position that is not searched, is below all.
inline ulong key_of(real score) {
    const ulong bits = bits_of(score);
    return (bits & SOFT_SIGN) != 0 ? ~bits : bits | SOFT_SIGN;
}

inline bool is_excluded(__global const int4 *restrict rects, uint count, int x, int y) {
    for (uint i = 0; i < count; ++i) {
        const int4 rect = rects[i];
        if (x >= rect.x && y >= rect.y && x - rect.x < rect.z && y - rect.y < rect.w) return true;
    }
    return false;
}

// `excluded`: left, top, width, height of positions, `excluded_count` of them from `first_excluded` on.
__kernel void template_scores(IMAGE_IN(scene), __global ulong *restrict keys, const TemplateSearch search,
                              const PatternSums sums, __global const int4 *restrict excluded,
                              const uint first_excluded, const uint excluded_count,
                              __global const float *restrict pattern, __global const float *restrict mask,
                              __local float *restrict tile) {
    WindowSums window[LANES];
    window_sums(scene_data, scene_offset, scene_stride, &search, pattern, mask, &sums, tile, window);
    const uint x = search_column(), y = search_row(&search);
    if (y >= search.rows) return;
    for (uint p = 0; p < LANES; ++p)
        if (x + p < search.columns)
            keys[(size_t)y * search.columns + x + p] =
                is_excluded(excluded + first_excluded, excluded_count, (int)(x + p), (int)y)
                    ? 0
                    : key_of(score_of(&sums, &window[p]));
}
