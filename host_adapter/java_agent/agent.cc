// libvedette_java_agent.so: gives Imgproc.matchTemplate of a Java program to Vedette. A virtual machine loads it by
// JAVA_TOOL_OPTIONS=-agentpath:/path/libvedette_java_agent.so; when the program first calls the native method behind
// Imgproc.matchTemplate, the machine asks the agent for another one. Anything unusual goes to the program's own OpenCV.
// VEDETTE_LOG and VEDETTE_OPENCV as for the preloaded library.
#include <jvmti.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "call_log.h"
#include "java_mat.h"
#include "score_map.h"

namespace {

using namespace vedette;

using MaskedMatch = void(JNICALL*)(JNIEnv*, jclass, jlong image, jlong pattern, jlong result, jint method, jlong mask);
using PlainMatch = void(JNICALL*)(JNIEnv*, jclass, jlong image, jlong pattern, jlong result, jint method);

// The methods of the program's binding. Class loaders may each bring one; all are of one kind, and the last serves.
std::atomic<MaskedMatch> masked_original{nullptr};
std::atomic<PlainMatch> plain_original{nullptr};

bool wish_is(const char* value) noexcept {
    const char* const wish = ::secure_getenv("VEDETTE_OPENCV");
    return wish != nullptr && std::strcmp(wish, value) == 0;
}

bool overlap(const compat::Raster& a, const compat::Raster& b) {
    if (a.data == nullptr || b.data == nullptr) return false;
    const std::less<const unsigned char*> before;
    return before(a.data, b.data + b.step * b.height) && before(b.data, a.data + a.step * a.height);
}

bool decline(compat::MapAnswer& answer, const char* reason) {
    answer.declined = reason;
    return false;
}

bool try_vedette(JNIEnv* env, jlong image, jlong pattern, jlong result, jint method, jlong mask, compat::MapCall& call,
                 compat::MapAnswer& answer) {
    if (env->ExceptionCheck() != JNI_FALSE) return decline(answer, "an exception is pending");
    if (method < 0 || method > 5) return decline(answer, "no such method");
    const auto mat = java::MatMethods::of(env);
    if (!mat) return decline(answer, "a Mat of another kind");
    const auto image_rows = mat->raster(image), pattern_rows = mat->raster(pattern);
    const auto mask_rows = mask == 0 ? compat::Raster{} : mat->raster(mask);
    if (!image_rows || !pattern_rows || !mask_rows || image_rows->data == nullptr || pattern_rows->data == nullptr)
        return decline(answer, "images that are no 8-bit or float matrices");
    call.image = *image_rows;
    call.pattern = *pattern_rows;
    call.mask = *mask_rows;
    call.method = method;
    call.finite = wish_is("finite");
    if (call.image.channels != call.pattern.channels || call.image.real != call.pattern.real)
        return decline(answer, "image and template differ in type");
    if (call.pattern.width > call.image.width || call.pattern.height > call.image.height)
        return decline(answer, "the template is larger than the image");
    if (call.mask.data != nullptr &&
        (call.mask.width != call.pattern.width || call.mask.height != call.pattern.height ||
         (call.mask.channels != 1 && call.mask.channels != call.pattern.channels)))
        return decline(answer, "a mask of another size or type");
    // A result of a type that cannot be told may be anything; it is replaced.
    const auto before = mat->raster(result);
    if (result == image || result == pattern || result == mask ||
        (before && (overlap(*before, call.image) || overlap(*before, call.pattern) || overlap(*before, call.mask))))
        return decline(answer, "the result shares memory with an input");
    const int width = call.image.width - call.pattern.width + 1, height = call.image.height - call.pattern.height + 1;
    if (!mat->create_scores(result, height, width)) return decline(answer, "the result cannot be made");
    const auto scores = mat->raster(result);
    if (!scores || scores->data == nullptr || !scores->real || scores->channels != 1 || scores->width != width ||
        scores->height != height)
        return decline(answer, "the result cannot be made");
    call.out = reinterpret_cast<float*>(const_cast<unsigned char*>(scores->data));
    call.out_step = scores->step;
    return compat::score_map(call, answer);
}

std::string describe(const compat::Raster& raster) {
    return std::to_string(raster.width) + "x" + std::to_string(raster.height) + (raster.real ? " CV_32FC" : " CV_8UC") +
           std::to_string(raster.channels);
}

void log_call(const compat::MapCall& call, const std::string& who, double milliseconds) noexcept try {
    char time[32];
    std::snprintf(time, sizeof time, "%.2f ms", milliseconds);
    std::string line = "Imgproc.matchTemplate method " + std::to_string(call.method);
    if (call.image.data != nullptr && call.pattern.data != nullptr)
        line += ", image " + describe(call.image) + ", template " + describe(call.pattern);
    if (call.mask.data != nullptr) line += ", mask " + describe(call.mask);
    compat::log_line(line + ": " + who + ", " + time);
} catch (...) {
    // Without memory for the line there is no line.
}

// True: done. Nothing leaves it, neither a C++ exception nor a pending Java one.
bool match(JNIEnv* env, jlong image, jlong pattern, jlong result, jint method, jlong mask, compat::MapCall& call,
           compat::MapAnswer& answer) noexcept try {
    const compat::Stopwatch watch;
    if (!try_vedette(env, image, pattern, result, method, mask, call, answer)) return false;
    if (compat::logging()) log_call(call, answer.who, watch.milliseconds());
    return true;
} catch (...) {
    return false;
}

void match_or(JNIEnv* env, jlong image, jlong pattern, jlong result, jint method, jlong mask,
              const std::function<void()>& original) {
    compat::MapCall call;
    compat::MapAnswer answer;
    if (match(env, image, pattern, result, method, mask, call, answer)) return;
    const compat::Stopwatch watch;
    original();
    if (compat::logging()) log_call(call, "OpenCV (" + answer.declined + ")", watch.milliseconds());
}

void JNICALL match_masked(JNIEnv* env, jclass imgproc, jlong image, jlong pattern, jlong result, jint method,
                          jlong mask) {
    match_or(env, image, pattern, result, method, mask,
             [=] { masked_original.load()(env, imgproc, image, pattern, result, method, mask); });
}

void JNICALL match_plain(JNIEnv* env, jclass imgproc, jlong image, jlong pattern, jlong result, jint method) {
    match_or(env, image, pattern, result, method, 0,
             [=] { plain_original.load()(env, imgproc, image, pattern, result, method); });
}

// A string of the machine, given back to it.
class MachineText {
public:
    explicit MachineText(jvmtiEnv* machine) : machine_(machine) {}
    ~MachineText() {
        if (text_ != nullptr) machine_->Deallocate(reinterpret_cast<unsigned char*>(text_));
    }
    MachineText(const MachineText&) = delete;
    MachineText& operator=(const MachineText&) = delete;
    char** out() noexcept { return &text_; }
    bool is(const char* value) const noexcept { return text_ != nullptr && std::strcmp(text_, value) == 0; }

private:
    jvmtiEnv* machine_;
    char* text_ = nullptr;
};

void JNICALL on_bind(jvmtiEnv* machine, JNIEnv* env, jthread, jmethodID method, void* address, void** replacement) {
    MachineText name(machine), signature(machine), owner(machine);
    if (machine->GetMethodName(method, name.out(), signature.out(), nullptr) != JVMTI_ERROR_NONE) return;
    const bool masked = name.is("matchTemplate_0") && signature.is("(JJJIJ)V");
    const bool plain = name.is("matchTemplate_1") && signature.is("(JJJI)V");
    if (!masked && !plain) return;
    jclass declaring = nullptr;
    if (machine->GetMethodDeclaringClass(method, &declaring) != JVMTI_ERROR_NONE) return;
    const bool known = machine->GetClassSignature(declaring, owner.out(), nullptr) == JVMTI_ERROR_NONE &&
                       owner.is("Lorg/opencv/imgproc/Imgproc;");
    if (env != nullptr) env->DeleteLocalRef(declaring);
    if (!known) return;
    if (masked) {
        masked_original.store(reinterpret_cast<MaskedMatch>(address));
        *replacement = reinterpret_cast<void*>(&match_masked);
    } else {
        plain_original.store(reinterpret_cast<PlainMatch>(address));
        *replacement = reinterpret_cast<void*>(&match_plain);
    }
}

void watch_binding(JavaVM* java) {
    jvmtiEnv* machine = nullptr;
    if (java->GetEnv(reinterpret_cast<void**>(&machine), JVMTI_VERSION_1_2) != JNI_OK) {
        compat::log_line("this Java has no tool interface; OpenCV does everything");
        return;
    }
    jvmtiCapabilities capabilities{};
    capabilities.can_generate_native_method_bind_events = 1;
    jvmtiEventCallbacks callbacks{};
    callbacks.NativeMethodBind = on_bind;
    // From the machine's start on methods may be asked for their names.
    callbacks.VMInit = [](jvmtiEnv* started, JNIEnv*, jthread) {
        started->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND, nullptr);
    };
    if (machine->AddCapabilities(&capabilities) != JVMTI_ERROR_NONE ||
        machine->SetEventCallbacks(&callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
        machine->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, nullptr) != JVMTI_ERROR_NONE)
        compat::log_line("this Java does not tell of native methods; OpenCV does everything");
}

}  // namespace

// Never anything but success: Java ends when an agent fails.
extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* java, char*, void*) {
    if (wish_is("off"))
        compat::log_line("VEDETTE_OPENCV is off; OpenCV does everything");
    else
        watch_binding(java);
    return JNI_OK;
}
