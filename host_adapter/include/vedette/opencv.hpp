// Vedette for programs written against OpenCV 4: matchTemplate, CascadeClassifier and SIFT with cv:: types, and the
// choice of the processor as in cv::dnn. Header only, C++17; needs OpenCV's core and imgproc, for SIFT also features2d.
//
//     namespace fast = vedette::opencv;
//     fast::setPreferableBackend("cuda");                 // optional; "auto" lets the library choose
//     fast::matchTemplate(screen, button, scores, cv::TM_CCOEFF_NORMED);
//
// Values are OpenCV's but for its roundings, and always finite: see template_map, cascade_detect and features in
// <vedette/plugin/ops.h>. Functions throw vedette::Error, with the library's sentence, or cv::Exception for arguments
// that OpenCV refuses as well. Thread rule: any thread, but one CascadeClassifier or SIFT by one thread at a time.
#ifndef VEDETTE_OPENCV_HPP
#define VEDETTE_OPENCV_HPP

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <utility>
#include <vector>
#if __has_include(<opencv2/features2d.hpp>)
#include <opencv2/features2d.hpp>
#define VEDETTE_OPENCV_HAS_FEATURES 1
#endif

#include <vedette/vedette.hpp>

namespace vedette::opencv {

// The context that everything here uses: made by the first call, again in a child after fork(). It lives as long as the
// process, because another thread may use it when the program ends.
inline Context& context() {
    static std::mutex mutex;
    static auto& contexts = *new std::map<pid_t, std::unique_ptr<Context>>;
    const std::lock_guard lock(mutex);
    std::unique_ptr<Context>& mine = contexts[::getpid()];
    if (mine == nullptr) mine = std::make_unique<Context>();
    return *mine;
}

// As cv::dnn::Net's. `backend`: "auto" or a name of getAvailableBackends; another one serves what it cannot do.
// `target`: a device of that backend, -1 = any. Error VDT_E_ARGUMENT when there is no such backend or device.
inline void setPreferableBackend(const std::string& backend) {
    context().set_preferable_backend(backend);
}
inline void setPreferableTarget(int target) {
    context().set_preferable_target(target);
}

// Pairs of a backend's name and a device, as cv::dnn::getAvailableBackends. Loads every backend.
inline std::vector<std::pair<std::string, int>> getAvailableBackends() {
    std::vector<std::pair<std::string, int>> pairs;
    for (const vdt_backend_info& info : context().backends())
        if (info.quarantined == 0) pairs.emplace_back(info.backend, static_cast<int>(info.device_index));
    return pairs;
}
inline std::vector<int> getAvailableTargets(const std::string& backend) {
    std::vector<int> targets;
    for (const auto& [name, device] : getAvailableBackends())
        if (name == backend) targets.push_back(device);
    return targets;
}

// Who did a call. "OpenCV" is OpenCV itself, for what Vedette does not take.
struct Run {
    std::string backend;
    int target = 0;
    double milliseconds = 0;
    std::string why;  // one sentence about the choice
};

namespace detail {

// A view of rows in place; the matrix is 8-bit of 1 or 3 channels, or float of 1.
inline vdt_image view_of(const cv::Mat& image) {
    auto view = vedette::detail::sized<vdt_image>();
    if (image.empty()) return view;
    view.format = image.depth() == CV_32F ? vdt_format{VDT_FORMAT_GRAYF32}
                  : image.channels() == 1 ? vdt_format{VDT_FORMAT_GRAY8}
                                          : vdt_format{VDT_FORMAT_BGR8};
    view.width = static_cast<std::uint32_t>(image.cols);
    view.height = static_cast<std::uint32_t>(image.rows);
    view.memory = VDT_MEMORY_HOST;
    view.plane_count = 1;
    view.plane[0].base = image.data;
    view.plane[0].row_stride = static_cast<std::int64_t>(image.step[0]);
    view.plane[0].bytes = image.step[0] * static_cast<std::size_t>(image.rows - 1) +
                          image.elemSize() * static_cast<std::size_t>(image.cols);
    return view;
}

// Runs an operation; `list` may be NULL. The code tells VDT_INCOMPLETE from VDT_OK.
inline vdt_code run(vdt_op op, const void* params, const std::vector<cv::Mat>& inputs,
                    const std::vector<cv::Mat>& outputs, vdt_list* list, Run& run) {
    std::vector<vdt_image> views;
    std::vector<const vdt_image*> pointers;
    for (const std::vector<cv::Mat>* images : {&inputs, &outputs})
        for (const cv::Mat& image : *images) views.push_back(view_of(image));
    for (const vdt_image& view : views) pointers.push_back(&view);
    vdt_list* const lists[] = {list};
    auto info = vedette::detail::sized<vdt_run_info>();
    const vdt_code code = vedette::detail::checked([&](vdt_error* error) {
        return vdt_run_operation(context().get(), op, params, pointers.data(),
                                 static_cast<std::uint32_t>(inputs.size()), pointers.data() + inputs.size(),
                                 static_cast<std::uint32_t>(outputs.size()), nullptr, 0,
                                 list == nullptr ? nullptr : lists, list == nullptr ? 0 : 1, nullptr, &info, error);
    });
    run = {info.backend, static_cast<int>(info.device_index), info.measured_ms, info.choice};
    return code;
}

// Runs an operation that fills a list of items, again with room for all when there was too little. `outputs_for` gives
// the images for so many items.
template <class Item, class OutputsFor>
Run run_list(vdt_op op, const void* params, const std::vector<cv::Mat>& inputs, std::vector<Item>& items,
             const OutputsFor& outputs_for) {
    Run done;
    for (;;) {
        auto list = vedette::detail::sized<vdt_list>();
        list.item_size = sizeof(Item);
        list.capacity = items.size();
        list.items = items.data();
        const vdt_code code = run(op, params, inputs, outputs_for(items.size()), &list, done);
        if (code == VDT_INCOMPLETE && list.needed > items.size()) {
            items.resize(list.needed);
            continue;
        }
        items.resize(list.count);
        return done;
    }
}

inline bool is_native(cv::InputArray array) {
    return array.kind() == cv::_InputArray::MAT && (array.type() == CV_8UC1 || array.type() == CV_8UC3) &&
           !array.empty();
}

inline cv::Mat gray_of(cv::InputArray image) {
    CV_Assert(image.depth() == CV_8U);
    if (image.channels() == 1) return image.getMat();
    cv::Mat gray;
    cv::cvtColor(image, gray, image.channels() == 4 ? cv::COLOR_BGRA2GRAY : cv::COLOR_BGR2GRAY);
    return gray;
}

}  // namespace detail

// cv::matchTemplate. By Vedette for 8-bit matrices of 1 or 3 channels with an 8-bit mask or none, by OpenCV for all
// other arrays. Where OpenCV divides by nothing (a template or window without contrast) the value is 0, for
// SQDIFF_NORMED 1.
inline Run matchTemplate(cv::InputArray image, cv::InputArray templ, cv::OutputArray result, int method,
                         cv::InputArray mask = cv::noArray()) {
    const cv::Size size(image.cols() - templ.cols() + 1, image.rows() - templ.rows() + 1);
    const bool native =
        detail::is_native(image) && detail::is_native(templ) && image.type() == templ.type() &&
        method >= cv::TM_SQDIFF && method <= cv::TM_CCOEFF_NORMED && size.width > 0 && size.height > 0 &&
        (mask.empty() || (detail::is_native(mask) && mask.channels() == 1 && mask.size() == templ.size()));
    if (!native) {
        cv::TickMeter watch;
        watch.start();
        cv::matchTemplate(image, templ, result, method, mask);
        watch.stop();
        return {"OpenCV", 0, watch.getTimeMilli(), "images of this type are OpenCV's"};
    }
    // Held before `result` is made, which may be one of them.
    const cv::Mat scene = image.getMat(), pattern = templ.getMat(), taken = mask.empty() ? cv::Mat() : mask.getMat();
    result.create(size, CV_32FC1);
    auto params = vedette::detail::sized<vdt_template_map_params>();
    params.method = static_cast<std::uint32_t>(method);
    Run run;
    if (result.kind() == cv::_InputArray::MAT) {
        detail::run(VDT_OP_TEMPLATE_MAP, &params, {scene, pattern, taken}, {result.getMat()}, nullptr, run);
    } else {
        cv::Mat map(size, CV_32FC1);
        detail::run(VDT_OP_TEMPLATE_MAP, &params, {scene, pattern, taken}, {map}, nullptr, run);
        map.copyTo(result);
    }
    return run;
}

// cv::CascadeClassifier for files of the old and new format, Haar and LBP.
class CascadeClassifier {
public:
    CascadeClassifier() = default;
    explicit CascadeClassifier(const std::string& filename) { load(filename); }

    bool empty() const noexcept { return text_.empty(); }
    // False, and empty, when the file cannot be read or is no cascade.
    bool load(const std::string& filename) {
        text_.clear();
        std::ifstream file(filename, std::ios::binary);
        text_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        if (text_.empty()) return false;
        try {
            // The text is read when it is first used: here.
            std::vector<cv::Rect> none;
            detectMultiScale(cv::Mat::zeros(16, 16, CV_8U), none);
        } catch (const Error& error) {
            if (error.code() != VDT_E_FORMAT) throw;
            text_.clear();
        }
        return !text_.empty();
    }

    // `image` 8-bit, gray or BGR. `flags` is there for OpenCV's order of arguments; classifiers of today ignore it.
    Run detectMultiScale(cv::InputArray image, std::vector<cv::Rect>& objects, double scaleFactor = 1.1,
                         int minNeighbors = 3, int flags = 0, cv::Size minSize = cv::Size(),
                         cv::Size maxSize = cv::Size()) {
        std::vector<int> joined;
        return detectMultiScale(image, objects, joined, scaleFactor, minNeighbors, flags, minSize, maxSize);
    }
    // `numDetections`: how many windows each object joins.
    Run detectMultiScale(cv::InputArray image, std::vector<cv::Rect>& objects, std::vector<int>& numDetections,
                         double scaleFactor = 1.1, int minNeighbors = 3, int flags = 0, cv::Size minSize = cv::Size(),
                         cv::Size maxSize = cv::Size()) {
        (void)flags;
        CV_Assert(!empty());
        CV_Assert(!image.empty());
        const cv::Mat gray = detail::gray_of(image);
        auto params = vedette::detail::sized<vdt_cascade_params>();
        params.cascade = text_.data();
        params.cascade_bytes = text_.size();
        params.scale_factor = scaleFactor;
        params.min_neighbors = minNeighbors;
        params.min_w = minSize.width;
        params.min_h = minSize.height;
        params.max_w = maxSize.width;
        params.max_h = maxSize.height;
        std::vector<vdt_item> items(1000);
        Run run = detail::run_list(VDT_OP_CASCADE_DETECT, &params, {gray}, items,
                                   [](std::size_t) { return std::vector<cv::Mat>(); });
        objects.clear();
        numDetections.clear();
        for (const vdt_item& item : items) {
            objects.emplace_back(cvRound(item.x), cvRound(item.y), cvRound(item.w), cvRound(item.h));
            numDetections.push_back(item.neighbors);
        }
        return run;
    }

private:
    std::string text_;
};

#ifdef VEDETTE_OPENCV_HAS_FEATURES

// cv::SIFT with the same parameters, usable as any cv::Feature2D. Describing keypoints of others (compute,
// useProvidedKeypoints) is OpenCV's alone: cv::Error::StsNotImplemented.
class SIFT : public cv::Feature2D {
public:
    static cv::Ptr<SIFT> create(int nfeatures = 0, int nOctaveLayers = 3, double contrastThreshold = 0.04,
                                double edgeThreshold = 10, double sigma = 1.6) {
        auto made = cv::makePtr<SIFT>();
        made->params_.max_features = static_cast<std::uint32_t>(nfeatures < 0 ? 0 : nfeatures);
        made->params_.octave_layers = static_cast<std::uint32_t>(nOctaveLayers);
        made->params_.contrast_threshold = contrastThreshold;
        made->params_.edge_threshold = edgeThreshold;
        made->params_.sigma = sigma;
        return made;
    }

    int descriptorSize() const override { return 128; }
    int descriptorType() const override { return CV_32F; }
    int defaultNorm() const override { return cv::NORM_L2; }
    bool empty() const override { return false; }
    cv::String getDefaultName() const override { return "Feature2D.VedetteSIFT"; }
    // Of the last detection.
    const Run& lastRun() const noexcept { return run_; }

    // Keypoints best first, `descriptors` one row of 128 floats for each. `mask` 8-bit: keypoints lie where it is not
    // 0.
    void detectAndCompute(cv::InputArray image, cv::InputArray mask, std::vector<cv::KeyPoint>& keypoints,
                          cv::OutputArray descriptors, bool useProvidedKeypoints = false) override {
        if (useProvidedKeypoints)
            CV_Error(cv::Error::StsNotImplemented, "Vedette's SIFT describes its own keypoints alone; use cv::SIFT");
        CV_Assert(!image.empty());
        const cv::Mat gray = detail::gray_of(image), taken = mask.empty() ? cv::Mat() : mask.getMat();
        CV_Assert(taken.empty() || (taken.type() == CV_8UC1 && taken.size() == gray.size()));
        std::vector<vdt_keypoint> points(params_.max_features == 0 ? 4096 : params_.max_features);
        cv::Mat rows;
        run_ = detail::run_list(VDT_OP_FEATURES, &params_, {gray, taken}, points, [&](std::size_t count) {
            rows.create(static_cast<int>(count), 128, CV_32F);
            return std::vector<cv::Mat>{rows};
        });
        keypoints.clear();
        for (const vdt_keypoint& point : points)
            keypoints.emplace_back(point.x, point.y, point.size, point.angle, point.response, point.octave);
        if (descriptors.needed()) rows.rowRange(0, static_cast<int>(points.size())).copyTo(descriptors);
    }

private:
    vdt_features_params params_ = vedette::detail::sized<vdt_features_params>();
    Run run_;
};

#endif

}  // namespace vedette::opencv

#endif
