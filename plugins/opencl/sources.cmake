# The operations of the OpenCL backend, in alphabetical order: each has ops/<name>.cc, which defines <name>_operation, and
# its kernels in kernels/<name>.cl.
set(VEDETTE_OPENCL_OPERATIONS
    cascade_detect
    convert
    feature_match
    features
    fft2
    filter
    group
    integral
    pyramid
    resize
    restore
    template_find
    template_map
)
# Further sources of operations.
set(VEDETTE_OPENCL_OPERATION_PARTS
    ops/cascade_program.cc
    ops/cascade_search.cc
    ops/features_space.cc
    ops/fft_form.cc
    ops/grouping.cc
    ops/integral_sums.cc
    ops/template_direct.cc
    ops/template_pattern.cc
)
