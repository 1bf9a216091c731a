/* What libvedette_opencv_preload.so and the bridge it loads agree on. The preloaded library is plain C and needs libc
 * alone, so that a process tree that runs under LD_PRELOAD pays for OpenCV and Vedette only where OpenCV is used. The
 * bridge knows OpenCV's types. Objects of OpenCV cross as addresses. */
#ifndef VEDETTE_OPENCV_PRELOAD_H
#define VEDETTE_OPENCV_PRELOAD_H

#include <stdbool.h>

/* void cv::matchTemplate(InputArray, InputArray, OutputArray, int, InputArray) */
#define VEDETTE_MATCH_TEMPLATE _ZN2cv13matchTemplateERKNS_11_InputArrayES2_RKNS_12_OutputArrayEiS2_

typedef void vedette_match_template_fn(const void* image, const void* pattern, const void* result, int method,
                                       const void* mask);

/* Exported by the bridge as `vedette_bridge_match_template`: does the call, or hands it to `original`, whose exceptions
 * reach the caller; its own never do. Thread rule: any. */
typedef void vedette_bridge_match_template_fn(const void* image, const void* pattern, const void* result, int method,
                                              const void* mask, vedette_match_template_fn* original);

/* bool cv::CascadeClassifier::load(const String&); its constructor with a file name calls it. The bridge remembers what
 * file a classifier holds. Exported as `vedette_bridge_load_cascade`. */
#define VEDETTE_LOAD_CASCADE _ZN2cv17CascadeClassifier4loadERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE

typedef bool vedette_load_cascade_fn(void* classifier, const void* filename);
typedef bool vedette_bridge_load_cascade_fn(void* classifier, const void* filename, vedette_load_cascade_fn* original);

/* void cv::CascadeClassifier::detectMultiScale(InputArray, vector<Rect>&, [vector<int>&,] double, int, int, Size,
 * Size). Exported as `vedette_bridge_detect` and `vedette_bridge_detect_counts`. */
#define VEDETTE_DETECT \
    _ZN2cv17CascadeClassifier16detectMultiScaleERKNS_11_InputArrayERSt6vectorINS_5Rect_IiEESaIS6_EEdiiNS_5Size_IiEESB_
#define VEDETTE_DETECT_COUNTS \
    _ZN2cv17CascadeClassifier16detectMultiScaleERKNS_11_InputArrayERSt6vectorINS_5Rect_IiEESaIS6_EERS4_IiSaIiEEdiiNS_5Size_IiEESE_

/* Passed as cv::Size is: by value, like any plain pair. */
typedef struct vedette_size {
    int width, height;
} vedette_size;

typedef void vedette_detect_fn(void* classifier, const void* image, void* objects, double scale_factor,
                               int min_neighbors, int flags, vedette_size least, vedette_size most);
typedef void vedette_bridge_detect_fn(void* classifier, const void* image, void* objects, double scale_factor,
                                      int min_neighbors, int flags, vedette_size least, vedette_size most,
                                      vedette_detect_fn* original);
typedef void vedette_detect_counts_fn(void* classifier, const void* image, void* objects, void* counts,
                                      double scale_factor, int min_neighbors, int flags, vedette_size least,
                                      vedette_size most);
typedef void vedette_bridge_detect_counts_fn(void* classifier, const void* image, void* objects, void* counts,
                                             double scale_factor, int min_neighbors, int flags, vedette_size least,
                                             vedette_size most, vedette_detect_counts_fn* original);

#endif
