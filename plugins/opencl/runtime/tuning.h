// Which of several forms of a kernel is the fastest here, found by measuring and kept with the compiled programs.
#pragma once

#include "binary_cache.h"
#include "device.h"
#include "object.h"

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace vedette::opencl {

// Where forms are measured. Not on processors unless asked for: their compilers take half a second for a form that the
// recorded default is hardly slower than (fft2, PoCL 3.1, 2-core Zen 3). last: nothing is measured, the last form is
// taken, so that tests see others than the default.
enum class Search { automatic, always, never, last };

// Choices for one device. Thread-safe: one search at a time, so that none disturbs another.
class Tuning {
public:
    // All outlive this object.
    Tuning(const DeviceEntry& entry, const BinaryCache& cache, Search search);

    // Which of the forms 0 ... count - 1 to take; 0 is the recorded default for this class of device, and what is taken
    // where nothing is measured. `what` names the kernels and all that the times depend on; a choice made once, in this
    // process or an earlier one, holds for it. `file`: that of the kernels, whose text is a part of the key, so that
    // changed kernels are measured anew. `seconds(form)` builds and runs a form; one whose Error says that the device
    // cannot run it is left out. The default comes first and keeps its place unless another form is clearly
    // faster; after `limit` seconds no further form is begun, and what was the fastest so far is kept.
    std::size_t choose(std::string_view file, const std::string& what, std::size_t count,
                       const std::function<double(std::size_t form)>& seconds, double limit = 0.3);

private:
    std::size_t measure(std::size_t count, const std::function<double(std::size_t)>& seconds, double limit) const;

    const BinaryCache& cache_;
    const bool measures_, takes_last_;
    const std::string identity_;
    std::mutex mutex_;
    std::map<std::string, std::size_t> chosen_;
};

// Seconds that what `enqueue` queues takes: the least of several tries after one that warms up.
double time_of(cl::Queue queue, const std::function<void()>& enqueue);

}  // namespace vedette::opencl
