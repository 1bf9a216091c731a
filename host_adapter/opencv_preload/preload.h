/* What libvedette_opencv_preload.so and the bridge it loads agree on. The preloaded library is plain C and needs libc
 * alone, so that a process tree that runs under LD_PRELOAD pays for OpenCV and Vedette only where OpenCV is used. The
 * bridge knows OpenCV's types. Objects of OpenCV cross as addresses. */
#ifndef VEDETTE_OPENCV_PRELOAD_H
#define VEDETTE_OPENCV_PRELOAD_H

/* void cv::matchTemplate(InputArray, InputArray, OutputArray, int, InputArray) */
#define VEDETTE_MATCH_TEMPLATE _ZN2cv13matchTemplateERKNS_11_InputArrayES2_RKNS_12_OutputArrayEiS2_

typedef void vedette_match_template_fn(const void* image, const void* pattern, const void* result, int method,
                                       const void* mask);

/* Exported by the bridge as `vedette_bridge_match_template`: does the call, or hands it to `original`, whose exceptions
 * reach the caller; its own never do. Thread rule: any. */
typedef void vedette_bridge_match_template_fn(const void* image, const void* pattern, const void* result, int method,
                                              const void* mask, vedette_match_template_fn* original);

#endif
