// Answers of the driver about kernels, which take microseconds to get and do not change.
#pragma once

#include <map>
#include <mutex>
#include <utility>

namespace vedette::cuda {

// One answer for each device and kernel. Thread-safe; allocates for the first question only.
class AskedOnce {
public:
    template <class... Parameters, class Ask>
    unsigned operator()(int ordinal, void (*kernel)(Parameters...), const Ask& ask) {
        const std::lock_guard lock(mutex_);
        const auto key = std::pair(ordinal, reinterpret_cast<const void*>(kernel));
        const auto known = answers_.find(key);
        if (known != answers_.end()) return known->second;
        const unsigned answer = ask();
        answers_.emplace(key, answer);
        return answer;
    }

private:
    std::mutex mutex_;
    std::map<std::pair<int, const void*>, unsigned> answers_;
};

}  // namespace vedette::cuda
