// What libvedette offers to a plugin: one vdt_host for each instance of a plugin.
#pragma once

#include "log.h"
#include "thread_pool.h"

#include <vedette/plugin/host.h>

#include <memory>
#include <string>

namespace vedette::host {

// Log, memory, the thread pool and cancellation behind the vdt_host table. Outlives the plugin's instance.
class HostServices {
public:
    // `name`: the plugin's id, put before each line it logs. `abi_minor`: the agreed one.
    HostServices(std::string name, std::uint32_t abi_minor, std::shared_ptr<ThreadPool> pool, std::shared_ptr<Log> log);
    HostServices(const HostServices&) = delete;
    HostServices& operator=(const HostServices&) = delete;

    const vdt_host* table() const noexcept { return &table_; }
    const std::string& name() const noexcept { return name_; }
    ThreadPool& pool() noexcept { return *pool_; }
    Log& log() noexcept { return *log_; }

private:
    std::string name_;
    std::shared_ptr<ThreadPool> pool_;
    std::shared_ptr<Log> log_;
    vdt_host table_{};
};

}  // namespace vedette::host
