# The sources of cuda/. Absolute paths, so that other folders can build from them, too.
set(VEDETTE_CUDA_SOURCES
    kernels/cascade.cu
    kernels/convert.cu
    kernels/feature_match.cu
    kernels/feature_match_bytes.cu
    kernels/feature_match_floats.cu
    kernels/feature_match_ransac.cu
    kernels/group.cu
    kernels/group_components.cu
    kernels/integral.cu
    kernels/integral_bytes.cu
    kernels/integral_floats.cu
    kernels/integral_tilted.cu
    kernels/template_direct.cu
    kernels/template_gemm.cu
    kernels/template_pattern.cc
    kernels/template_select.cu
    kernels/template_windows.cu
    kernels/template_zero_sum.cc
    runtime/device.cc
    runtime/error.cc
    runtime/memory.cc
    runtime/transfer.cc
)
list(TRANSFORM VEDETTE_CUDA_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
