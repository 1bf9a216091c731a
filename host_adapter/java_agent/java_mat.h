// org.opencv.core.Mat seen through its own Java methods, so that nothing depends on the layout of cv::Mat: Java
// programs bring OpenCV of any version, linked into their binding.
#pragma once

#include <jni.h>

#include <optional>

#include "score_map.h"

namespace vedette::java {

// What the private native methods of Mat say; made once a call, on its thread.
class MatMethods {
public:
    // Nothing when the class or one of the methods is not there. No exception is pending afterwards.
    static std::optional<MatMethods> of(JNIEnv* env);

    // The rows of the matrix at `address`; a raster without data when it is empty. Nothing when it is no 8-bit or float
    // matrix of two dimensions, or Java has thrown (the exception is cleared).
    std::optional<compat::Raster> raster(jlong address) const;
    // Makes it a matrix of one float a cell. False when Java has thrown.
    bool create_scores(jlong address, int rows, int columns) const;

private:
    MatMethods(JNIEnv* env, jclass mat) : env_(env), mat_(mat) {}
    bool failed() const;

    JNIEnv* env_;
    jclass mat_;
    jmethodID dims_ = nullptr, rows_ = nullptr, columns_ = nullptr, type_ = nullptr, step_ = nullptr,
              address_ = nullptr, create_ = nullptr;
};

}  // namespace vedette::java
