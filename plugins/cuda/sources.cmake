# The plugin's own sources; absolute, since the tests that run it without a GPU use them, too.
set(VEDETTE_CUDA_PLUGIN_SOURCES
    operands.cc
    plugin.cc
    probe.cc
    streams.cc
    ops/cascade_detect.cc
    ops/cascade_program.cc
    ops/cascade_search.cc
    ops/convert.cc
    ops/feature_match.cc
    ops/features.cc
    ops/fft2.cc
    ops/fft_sides.cc
    ops/filter.cc
    ops/group.cc
    ops/grouping.cc
    ops/integral.cc
    ops/pyramid.cc
    ops/resize.cc
    ops/restore.cc
    ops/template_cost.cc
    ops/template_find.cc
    ops/template_finder.cc
    ops/template_map.cc
    ops/template_operands.cc
)
list(TRANSFORM VEDETTE_CUDA_PLUGIN_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
