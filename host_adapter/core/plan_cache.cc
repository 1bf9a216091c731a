#include "plan_cache.h"

namespace vedette::host {

Plan::~Plan() {
    if (plan_ != nullptr && device_->plugin().process().same())
        call_plugin_quietly(device_->table().plan_destroy, plan_);
}

std::unique_ptr<Plan> PlanCache::take(const std::string& key) {
    const std::lock_guard lock(mutex_);
    for (auto entry = idle_.begin(); entry != idle_.end(); ++entry) {
        if (entry->key != key) continue;
        std::unique_ptr<Plan> plan = std::move(entry->plan);
        idle_.erase(entry);
        return plan;
    }
    return nullptr;
}

void PlanCache::give_back(const std::string& key, std::unique_ptr<Plan> plan) {
    std::list<Entry> surplus;  // destroyed after the lock: plan_destroy may take its time
    const std::lock_guard lock(mutex_);
    idle_.push_front({key, std::move(plan)});
    while (idle_.size() > capacity_) surplus.splice(surplus.begin(), idle_, std::prev(idle_.end()));
}

void PlanCache::drop(const Device& device) {
    std::list<Entry> dropped;
    const std::lock_guard lock(mutex_);
    for (auto entry = idle_.begin(); entry != idle_.end();) {
        const auto next = std::next(entry);
        if (&entry->plan->device() == &device) dropped.splice(dropped.begin(), idle_, entry);
        entry = next;
    }
}

std::size_t PlanCache::size() const {
    const std::lock_guard lock(mutex_);
    return idle_.size();
}

}  // namespace vedette::host
