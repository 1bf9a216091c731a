// cv::CascadeClassifier for the preloaded library. A classifier does not give back what it was loaded from, so the
// bridge keeps the text of each file with the object that OpenCV made of it.
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <type_traits>

#include "bridge_arguments.h"
#include "call_log.h"
#include "cascade_runner.h"
#include "preload.h"

namespace {

using namespace vedette::compat;

static_assert(sizeof(cv::Size) == sizeof(vedette_size) && std::is_trivially_copy_constructible_v<cv::Size>,
              "cv::Size is passed as a plain pair");

using Text = std::shared_ptr<const std::string>;

// Texts by the object that was made of them. The object is held weakly: a new one at an old address is another one.
class Texts {
public:
    void put(const cv::Ptr<cv::BaseCascadeClassifier>& classifier, Text text) {
        const std::unique_lock lock(mutex_, patience);
        if (!lock.owns_lock()) return;
        for (auto it = entries_.begin(); it != entries_.end();)
            it = it->second.classifier.expired() ? entries_.erase(it) : std::next(it);
        entries_[classifier.get()] = {classifier, std::move(text)};
    }
    Text get(const cv::Ptr<cv::BaseCascadeClassifier>& classifier) {
        const std::unique_lock lock(mutex_, patience);
        if (!lock.owns_lock()) return nullptr;
        const auto entry = entries_.find(classifier.get());
        return entry != entries_.end() && entry->second.classifier.lock() == classifier ? entry->second.text : nullptr;
    }

private:
    struct Entry {
        std::weak_ptr<cv::BaseCascadeClassifier> classifier;
        Text text;
    };
    // Another thread may have held the lock while this process was forked off: then it is never given back, and OpenCV
    // does the work.
    static constexpr std::chrono::milliseconds patience{20};
    std::timed_mutex mutex_;
    std::map<const cv::BaseCascadeClassifier*, Entry> entries_;
};

Texts& texts() {
    static Texts& all = *new Texts;  // threads may still detect when the program ends
    return all;
}

void remember(const cv::CascadeClassifier& classifier, const std::string& filename) noexcept try {
    if (classifier.cc == nullptr || classifier.cc->isOldFormatCascade()) return;
    std::ifstream file(filename, std::ios::binary);
    auto text = std::make_shared<std::string>(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    texts().put(classifier.cc, text->empty() ? nullptr : std::move(text));
} catch (...) {
    // Without a text OpenCV detects.
}

struct DetectCall {
    cv::CascadeClassifier& classifier;
    const cv::_InputArray& image;
    std::vector<cv::Rect>& objects;
    std::vector<int>* counts;
    double scale_factor;
    int min_neighbors;
    vedette_size least, most;
};

// A call of the library takes 1.6 ms before it looks at the image, since it tells classifiers apart by their whole
// text; OpenCV is done with fewer pixels in that time (frontalface_default at 64 x 64: 0.25 ms; 2-core Zen 3, AVX2).
constexpr std::size_t fewest_pixels = 128 * 128;

bool decline(MapAnswer& answer, const char* reason) {
    answer.declined = reason;
    return false;
}

bool try_vedette(const DetectCall& call, MapAnswer& answer) {
    if (call.image.kind() != cv::_InputArray::MAT || call.image.empty() || call.image.dims() != 2 ||
        call.image.depth() != CV_8U || call.image.channels() == 2 || call.image.channels() > 4)
        return decline(answer, "an image that is no 8-bit matrix");
    if (call.image.total() < fewest_pixels) return decline(answer, "an image so small that OpenCV is faster");
    if (call.classifier.cc == nullptr) return decline(answer, "no classifier");
    if (call.classifier.cc->getMaskGenerator() != nullptr) return decline(answer, "a mask generator");
    // Below this OpenCV's steps do not end as described.
    if (!(call.scale_factor > 1.001) || call.min_neighbors < 0 || call.least.width < 0 || call.least.height < 0 ||
        call.most.width < 0 || call.most.height < 0)
        return decline(answer, "unusual parameters");
    const Text text = texts().get(call.classifier.cc);
    if (text == nullptr) return decline(answer, "a classifier that was not loaded from a file of the new format");
    cv::Mat gray = call.image.getMat();
    if (gray.channels() > 1) {
        cv::Mat converted;
        cv::cvtColor(gray, converted, cv::COLOR_BGR2GRAY);
        gray = converted;
    }
    CascadeCall cascade;
    cascade.gray = raster_of(gray);
    cascade.cascade = text.get();
    cascade.scale_factor = call.scale_factor;
    cascade.min_neighbors = call.min_neighbors;
    cascade.min_width = call.least.width;
    cascade.min_height = call.least.height;
    cascade.max_width = call.most.width;
    cascade.max_height = call.most.height;
    std::vector<vdt_item> items;
    if (!run_cascade(session(wanted_threads()), cascade, items, answer)) return false;
    std::vector<cv::Rect> objects;
    std::vector<int> counts;
    for (const vdt_item& item : items) {
        objects.emplace_back(cvRound(item.x), cvRound(item.y), cvRound(item.w), cvRound(item.h));
        counts.push_back(item.neighbors);
    }
    call.objects.swap(objects);
    if (call.counts != nullptr) call.counts->swap(counts);
    return true;
}

bool try_safely(const DetectCall& call, MapAnswer& answer) noexcept try {
    return try_vedette(call, answer);
} catch (...) {
    return false;
}

void log_call(const DetectCall& call, const std::string& who, double milliseconds) noexcept try {
    log_line("detectMultiScale, image " + describe(call.image) + ", scale factor " + std::to_string(call.scale_factor) +
             ", neighbors " + std::to_string(call.min_neighbors) + ": " + who + ", " +
             std::to_string(call.objects.size()) + " objects, " + in_milliseconds(milliseconds));
} catch (...) {
    // Nothing is to be said about arguments that cannot be described.
}

template <class Original>
void detect(const DetectCall& call, const Original& original) {
    const Stopwatch own;
    MapAnswer answer;
    if (try_safely(call, answer)) {
        if (logging()) log_call(call, answer.who, own.milliseconds());
        return;
    }
    const Stopwatch theirs;
    try {
        original();
    } catch (...) {
        if (logging()) log_call(call, "an exception of OpenCV (" + answer.declined + ")", theirs.milliseconds());
        throw;
    }
    if (logging()) log_call(call, "OpenCV (" + answer.declined + ")", theirs.milliseconds());
}

cv::CascadeClassifier& classifier_at(void* address) {
    return *static_cast<cv::CascadeClassifier*>(address);
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED bool vedette_bridge_load_cascade(void* classifier, const void* filename, vedette_load_cascade_fn* original) {
    const bool loaded = original(classifier, filename);
    if (loaded) remember(classifier_at(classifier), *static_cast<const std::string*>(filename));
    return loaded;
}

EXPORTED void vedette_bridge_detect(void* classifier, const void* image, void* objects, double scale_factor,
                                    int min_neighbors, int flags, vedette_size least, vedette_size most,
                                    vedette_detect_fn* original) {
    detect({classifier_at(classifier), *static_cast<const cv::_InputArray*>(image),
            *static_cast<std::vector<cv::Rect>*>(objects), nullptr, scale_factor, min_neighbors, least, most},
           [&] { original(classifier, image, objects, scale_factor, min_neighbors, flags, least, most); });
}

EXPORTED void vedette_bridge_detect_counts(void* classifier, const void* image, void* objects, void* counts,
                                           double scale_factor, int min_neighbors, int flags, vedette_size least,
                                           vedette_size most, vedette_detect_counts_fn* original) {
    detect({classifier_at(classifier), *static_cast<const cv::_InputArray*>(image),
            *static_cast<std::vector<cv::Rect>*>(objects), static_cast<std::vector<int>*>(counts), scale_factor,
            min_neighbors, least, most},
           [&] { original(classifier, image, objects, counts, scale_factor, min_neighbors, flags, least, most); });
}
