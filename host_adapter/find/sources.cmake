target_sources(vedette_internal PRIVATE
    find/annotate.cc
    find/api_features.cc
    find/api_find.cc
    find/api_images.cc
    find/appearance.cc
    find/candidate.cc
    find/coarse_scales.cc
    find/compose.cc
    find/evidence.cc
    find/exact_score.cc
    find/feature_fallback.cc
    find/features.cc
    find/fft.cc
    find/fallback.cc
    find/find_options.cc
    find/flat_map.cc
    find/flat_search.cc
    find/import_pixels.cc
    find/kernels/choice.cc
    find/lab.cc
    find/pattern.cc
    find/propose.cc
    find/reach.cc
    find/resample.cc
    find/refine_scale.cc
    find/residual.cc
    find/screen.cc
    find/sized_search.cc
    find/suppress.cc
    find/warp.cc)
# Geometry that the command uses too; it links the C API and nothing else of the library.
add_library(vedette_places OBJECT find/feature_judgement.cc find/feature_place.cc find/quad.cc)
target_link_libraries(vedette_places PUBLIC Vedette::plugin_api PRIVATE vedette_warnings)
target_include_directories(vedette_places PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_sources(vedette_internal PRIVATE $<TARGET_OBJECTS:vedette_places>)

# Loops over pixels that must become vector instructions.
set_source_files_properties(find/evidence.cc find/flat_map.cc find/refine_scale.cc find/resample.cc find/warp.cc PROPERTIES COMPILE_OPTIONS "-O3")

# The kernels, once for each instruction set; nothing in them has a name that another set's copy could be merged with. No
# product and sum is fused, so all give the same values; sqrt need not set errno, else it would stay a call.
function(vedette_find_kernels isa)
    add_library(vedette_find_${isa} OBJECT find/kernels/kernels.cc)
    target_compile_definitions(vedette_find_${isa} PRIVATE VEDETTE_FIND_ISA=${isa})
    target_compile_options(vedette_find_${isa} PRIVATE -ffp-contract=off -fno-math-errno -Wno-psabi
        $<$<NOT:$<CONFIG:Debug>>:-O3> ${ARGN})
    target_link_libraries(vedette_find_${isa} PRIVATE vedette_warnings)
    target_sources(vedette_internal PRIVATE $<TARGET_OBJECTS:vedette_find_${isa}>)
endfunction()
vedette_find_kernels(baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    vedette_find_kernels(avx2 -mavx2)
    set_source_files_properties(find/kernels/choice.cc PROPERTIES COMPILE_DEFINITIONS VEDETTE_FIND_AVX2)
endif()
