#include "java_mat.h"

namespace vedette::java {
namespace {

// OpenCV's packing of types: depth in three bits, channels - 1 above.
constexpr jint depth_bits = 7, depth_byte = 0, depth_float = 5, channel_shift = 3, scores_type = depth_float;

bool clear(JNIEnv* env) {
    if (env->ExceptionCheck() == JNI_FALSE) return false;
    env->ExceptionClear();
    return true;
}

}  // namespace

std::optional<MatMethods> MatMethods::of(JNIEnv* env) {
    const jclass mat = env->FindClass("org/opencv/core/Mat");
    if (clear(env) || mat == nullptr) return std::nullopt;
    MatMethods methods(env, mat);
    const struct {
        jmethodID MatMethods::*method;
        const char* name;
        const char* signature;
    } wanted[] = {{&MatMethods::dims_, "n_dims", "(J)I"},       {&MatMethods::rows_, "n_rows", "(J)I"},
                  {&MatMethods::columns_, "n_cols", "(J)I"},    {&MatMethods::type_, "n_type", "(J)I"},
                  {&MatMethods::step_, "n_step1", "(J)J"},      {&MatMethods::address_, "n_dataAddr", "(J)J"},
                  {&MatMethods::create_, "n_create", "(JIII)V"}};
    for (const auto& one : wanted) {
        methods.*one.method = env->GetStaticMethodID(mat, one.name, one.signature);
        if (clear(env) || methods.*one.method == nullptr) return std::nullopt;
    }
    return methods;
}

bool MatMethods::failed() const {
    return clear(env_);
}

std::optional<compat::Raster> MatMethods::raster(jlong address) const {
    const auto ask = [&](jmethodID method) {
        const jint answer = env_->CallStaticIntMethod(mat_, method, address);
        return failed() ? -1 : answer;
    };
    const jint dims = ask(dims_), rows = ask(rows_), columns = ask(columns_), type = ask(type_);
    if (rows == 0 || columns == 0) return compat::Raster{};
    const jint depth = type & depth_bits;
    if (dims != 2 || rows < 0 || columns < 0 || type < 0 || (depth != depth_byte && depth != depth_float))
        return std::nullopt;
    const jlong step = env_->CallStaticLongMethod(mat_, step_, address);
    if (failed()) return std::nullopt;
    const jlong data = env_->CallStaticLongMethod(mat_, address_, address);
    if (failed() || data == 0 || step <= 0) return std::nullopt;
    compat::Raster raster;
    raster.real = depth == depth_float;
    raster.data = reinterpret_cast<const unsigned char*>(data);
    raster.step = static_cast<std::ptrdiff_t>(step) * (raster.real ? 4 : 1);
    raster.width = columns;
    raster.height = rows;
    raster.channels = (type >> channel_shift) + 1;
    return raster;
}

bool MatMethods::create_scores(jlong address, int rows, int columns) const {
    env_->CallStaticVoidMethod(mat_, create_, address, jint{rows}, jint{columns}, scores_type);
    return !failed();
}

}  // namespace vedette::java
