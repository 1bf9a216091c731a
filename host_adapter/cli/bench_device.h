// Measurements whose images stay on a device. The C API takes images in host memory, so these go through the plugin ABI
// itself, on an instance of the plugin beside the one of libvedette or on a device that is open already.
#pragma once

#include "bench_work.h"
#include "core/device.h"
#include "model/machine.h"

#include <memory>
#include <string>
#include <vector>

namespace vedette::cli {

class DeviceWork;

// Thread rule: one thread at a time.
class BenchDevice {
public:
    // Device `index` of the backend `name`, whose plugin is the file `library`. Problem when it cannot be opened.
    BenchDevice(const std::string& name, const std::string& library, std::uint32_t index);
    // A device of a plugin that is loaded. Opens it when that was not done yet; Problem.
    explicit BenchDevice(std::shared_ptr<vedette::host::Device> device);

    // Whether images can lie on it: it has streams and memory of its own.
    bool holds_images() const;
    // Bytes read and written a second by a copy within the device; the best of several. Problem.
    double measure_bandwidth() const;

    vedette::host::Device& device() const noexcept { return *device_; }
    const vdt_streams& streams() const noexcept { return *device_->table().streams; }

private:
    void open();

    std::shared_ptr<vedette::host::Device> device_;
    std::uint64_t memory_bytes_ = 0;
};

struct DeviceCounts {
    std::vector<vdt_cost_stage> stages;
    vdt_cost cost{};  // of these stages

    DeviceCounts() = default;
    DeviceCounts(DeviceCounts&&) = default;  // the stages stay where they are
};

// Images that stay in host memory, so that each call copies them.
enum class OnHost { none, inputs, outputs };

// An operation whose images lie on the device before the first run and stay there: the scene and the patterns of the
// template operations as residents where the device keeps any, all others in device memory, or in host memory where it
// has none of its own. Lists and parameters are in host memory, where the ABI wants them.
class DeviceWork {
public:
    // `work` is finished and stays as it is; its inputs are copied to the device. Problem, with an unsupported code
    // when the operation does not take such images.
    DeviceWork(const BenchDevice& on, std::shared_ptr<const Work> work, std::uint32_t variant = 0,
               OnHost on_host = OnHost::none);
    ~DeviceWork();
    DeviceWork(const DeviceWork&) = delete;
    DeviceWork& operator=(const DeviceWork&) = delete;

    const std::string& variant() const noexcept { return variant_; }
    // How many variants there are for it.
    std::uint32_t variant_count() const noexcept { return variant_count_; }
    // The plugin's counts of a run. Problem when it gives none.
    DeviceCounts counts() const;
    // One run, finished at return. Problem.
    void run();
    // Operations with lists wait for the device within each call, so a queue of them tells nothing new.
    bool can_queue() const noexcept { return lists_out_.empty() && on_.holds_images(); }
    // `calls` runs, each queued behind the one before, all finished at return: what is measured is the device, not the
    // way to it. Problem.
    void run_queued(unsigned calls);
    // An output list of the last run.
    const vdt_list& list(std::size_t index) const { return *lists_out_[index]; }
    // The images of the last run, as bytes of each output image's rows. Problem.
    std::vector<std::vector<std::uint8_t>> results() const;

private:
    struct Objects;

    vdt_image on_device(const vdt_image& image, bool from_host);
    vdt_image as_resident(const vdt_image& image);
    vdt_query query() const;
    void make_plans(unsigned count);
    vdt_call call() const;

    const BenchDevice& on_;
    const std::shared_ptr<const Work> work_;
    std::unique_ptr<Objects> objects_;
    const std::uint32_t variant_number_;
    std::uint32_t variant_count_ = 0;
    std::string variant_;
    std::vector<vdt_image> images_;  // inputs, then outputs
    std::vector<const vdt_image*> in_, out_;
    std::vector<ItemList> lists_;
    std::vector<vdt_list*> lists_out_;
};

}  // namespace vedette::cli
