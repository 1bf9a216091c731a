// Help for plugins written in C++; not part of the ABI. An image kept on a device, with what operations compute from
// it.
#ifndef VEDETTE_PLUGIN_CPP_RESIDENT_HPP
#define VEDETTE_PLUGIN_CPP_RESIDENT_HPP

#include <map>
#include <memory>
#include <mutex>

#include "handle.hpp"

namespace vedette::plugin {

// An image shared by many runs, and results that operations compute from it and keep with it. Base of a backend's own
// class where more belongs to it, such as a copy in device memory. Thread-safe; a result is made once, others wait for
// it.
class Resident {
public:
    explicit Resident(const vdt_image& image) : image_(image) {
        image_.next = nullptr;  // blocks and events live for the call only
        image_.ready = nullptr;
    }
    Resident(const Resident&) = delete;
    Resident& operator=(const Resident&) = delete;

    const vdt_image& image() const noexcept { return image_; }

    // The result that `key` names (kind and parameters); one key always stands for one type T. `make` returns a
    // shared_ptr to a T. It may use parallel_for; loop bodies must not call get, nor may `make`. What it throws passes
    // through, and the next caller tries again.
    template <class T, class Make>
    std::shared_ptr<const T> get(uint64_t key, const Make& make) {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<const void>& slot = kept_[key];
        if (!slot) slot = std::shared_ptr<const T>(make());
        return std::static_pointer_cast<const T>(slot);
    }

private:
    vdt_image image_;
    std::mutex mutex_;
    std::map<uint64_t, std::shared_ptr<const void>> kept_;
};

// What a view brings along, NULL when nothing. Resident: the backend's class.
template <class Resident>
Resident* resident_of(const vdt_image& image) noexcept {
    return Handle<vdt_resident, Resident>::object(image.resident);
}

}  // namespace vedette::plugin
#endif
