// Profiles in the user's cache directory, one file a device.
#pragma once

#include "profile.h"

#include "core/log.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace vedette::model {

// $XDG_CACHE_HOME/vedette, else $HOME/.cache/vedette; empty when neither is an absolute path, and in set-uid programs,
// which do not listen to their caller's environment.
std::filesystem::path user_cache_directory();

// Reads and writes whole files: a reader sees the old or the new one, never a part. Thread rule: any; several processes
// may use one directory at the same time.
class ProfileStore {
public:
    // `directory` is made when something is first written; empty: nothing is read or written. `log` gets one line for
    // each file that cannot be used.
    ProfileStore(std::filesystem::path directory, std::shared_ptr<host::Log> log);

    const std::filesystem::path& directory() const noexcept { return directory_; }
    // The name depends on plugin and device alone, so that a profile of another version or driver is replaced.
    std::filesystem::path file_of(const ProfileKey& key) const;

    // Nothing when there is no file, or when it cannot be used: damaged, of another device, or made with another
    // version or driver. A file that cannot be used is said in the log and left for `save` to replace.
    std::optional<Profile> load(const ProfileKey& key) const;
    // False, with a line in the log, when it cannot be written.
    bool save(const Profile& profile) const;
    // Runs `change` on the stored profile (with only the key set when there is none that can be used) and saves the
    // result, while no other process does the same. False as `save`, or when another holds the lock for a second.
    bool update(const ProfileKey& key, const std::function<void(Profile&)>& change) const;
    // Least opening time of the stored devices of `plugin`, seconds; nothing when none is known. For a plugin that is
    // not loaded yet.
    std::optional<double> open_time(const std::string& plugin) const;

private:
    class Lock;
    bool write(const Profile& profile) const;
    void ignore(const std::filesystem::path& file, const std::string& why) const;

    std::filesystem::path directory_;
    std::shared_ptr<host::Log> log_;
};

}  // namespace vedette::model
