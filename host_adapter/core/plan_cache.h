// Plans that are ready for use again.
#pragma once

#include "device.h"

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace vedette::host {

// A plan with the device it belongs to. Destroyed with this object, unless the process forked meanwhile.
class Plan {
public:
    Plan(std::shared_ptr<Device> device, vdt_plan* plan) noexcept : device_(std::move(device)), plan_(plan) {}
    ~Plan();
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    vdt_plan* get() const noexcept { return plan_; }
    Device& device() const noexcept { return *device_; }

private:
    std::shared_ptr<Device> device_;
    vdt_plan* plan_;
};

// Idle plans by key. A plan is taken out while it runs, because the ABI allows one run of a plan at a time; two threads
// that want the same plan get two. Bounded: the plan that lay idle longest goes first. Thread-safe.
class PlanCache {
public:
    explicit PlanCache(std::size_t capacity = 64) : capacity_(capacity) {}

    // NULL when there is none.
    std::unique_ptr<Plan> take(const std::string& key);
    void give_back(const std::string& key, std::unique_ptr<Plan> plan);
    // Destroys the idle plans of one device (it is out of memory, or lost).
    void drop(const Device& device);
    std::size_t size() const;

private:
    struct Entry {
        std::string key;
        std::unique_ptr<Plan> plan;
    };
    const std::size_t capacity_;
    mutable std::mutex mutex_;
    std::list<Entry> idle_;  // most recently used first
};

}  // namespace vedette::host
