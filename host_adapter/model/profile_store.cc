#include "profile_store.h"

#include "core/failure.h"
#include "core/json_input.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <thread>

namespace vedette::model {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds longest_wait{1000};
constexpr std::size_t most_profiles = 256;  // looked at for one plugin

std::string system_text(int number) {
    return std::error_code(number, std::generic_category()).message();
}

// 64 bits are enough for names: the file says inside which device it is of. [FNV-1a]
std::string digest(const std::string& text) {
    std::uint64_t sum = 14695981039346656037u;
    for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211u;
    constexpr const char* digits = "0123456789abcdef";
    std::string name;
    for (int shift = 60; shift >= 0; shift -= 4) name += digits[sum >> shift & 15u];
    return name;
}

bool write_all(int file, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t wrote = ::write(file, text.data() + done, text.size() - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        done += static_cast<std::size_t>(wrote);
    }
    return true;
}

}  // namespace

fs::path user_cache_directory() {
    for (const auto& [variable, below] : {std::pair{"XDG_CACHE_HOME", "vedette"}, {"HOME", ".cache/vedette"}}) {
        const char* const value = ::secure_getenv(variable);
        if (value != nullptr && *value == '/') return fs::path(value) / below;
    }
    return {};
}

// Held between processes by flock: it goes with the process, so a crash leaves nothing locked.
class ProfileStore::Lock {
public:
    explicit Lock(const fs::path& path) {
        file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file_ < 0) {
            error_ = errno;
            return;
        }
        const auto end = std::chrono::steady_clock::now() + longest_wait;
        while (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
            error_ = errno;
            if (error_ != EWOULDBLOCK && error_ != EINTR) return;
            if (std::chrono::steady_clock::now() > end) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        error_ = 0;
    }
    ~Lock() {
        if (file_ >= 0) ::close(file_);
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    int error() const noexcept { return error_; }

private:
    int file_ = -1;
    int error_ = 0;
};

ProfileStore::ProfileStore(fs::path directory, std::shared_ptr<host::Log> log)
    : directory_(std::move(directory)), log_(std::move(log)) {}

fs::path ProfileStore::file_of(const ProfileKey& key) const {
    // Names of plugins are short and plain, checked when they are loaded.
    return directory_ / (key.plugin + "-" + digest(key.device) + ".json");
}

void ProfileStore::ignore(const fs::path& file, const std::string& why) const {
    log_->write(VDT_LOG_WARNING, "The device profile " + file.string() + " is not used: " + why);
}

std::optional<Profile> ProfileStore::load(const ProfileKey& key) const {
    if (directory_.empty()) return std::nullopt;
    const fs::path file = file_of(key);
    std::error_code error;
    if (!fs::exists(fs::symlink_status(file, error))) return std::nullopt;
    try {
        Profile profile = read_profile(host::read_json_file(file), file.string());
        if (profile.key == key) return profile;
        if (profile.key.plugin != key.plugin || profile.key.device != key.device) {
            ignore(file, "it is of another device (" + profile.key.plugin + ", " + profile.key.device + ").");
        } else {
            ignore(file, "it was made with " + key.plugin + " " + profile.key.version + " and driver " +
                             profile.key.driver + "; now it is " + key.version + " and " + key.driver + ".");
        }
    } catch (const host::Failure& failure) {
        ignore(file, failure.text());
    }
    return std::nullopt;
}

bool ProfileStore::write(const Profile& profile) const {
    static std::atomic<unsigned> counter{0};
    const fs::path file = file_of(profile.key);
    const fs::path temporary = directory_ / ("." + file.filename().string() + "." + std::to_string(::getpid()) + "." +
                                             std::to_string(counter++));
    const int handle = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool good = handle >= 0 && write_all(handle, write_profile(profile));
    int error = good ? 0 : errno;
    if (handle >= 0 && ::close(handle) != 0 && good) {
        good = false;
        error = errno;
    }
    if (good && ::rename(temporary.c_str(), file.c_str()) != 0) {
        good = false;
        error = errno;
    }
    if (good) return true;
    if (handle >= 0) ::unlink(temporary.c_str());
    log_->write(VDT_LOG_WARNING,
                "The device profile " + file.string() + " cannot be written: " + system_text(error) + ".");
    return false;
}

bool ProfileStore::save(const Profile& profile) const {
    return update(profile.key, [&](Profile& stored) { stored = profile; });
}

bool ProfileStore::update(const ProfileKey& key, const std::function<void(Profile&)>& change) const {
    if (directory_.empty()) return false;
    std::error_code error;
    fs::create_directories(directory_, error);  // what is wrong with it shows when the lock is opened
    const fs::path file = file_of(key);
    const Lock lock(fs::path(file).replace_extension(".lock"));
    if (lock.error() != 0) {
        const std::string why = lock.error() == EWOULDBLOCK ? "another process holds it" : system_text(lock.error());
        log_->write(VDT_LOG_WARNING, "The device profile " + file.string() + " cannot be written: " + why + ".");
        return false;
    }
    Profile profile = load(key).value_or(Profile());
    profile.key = key;
    change(profile);
    profile.key = key;
    return write(profile);
}

std::optional<double> ProfileStore::open_time(const std::string& plugin) const {
    if (directory_.empty()) return std::nullopt;
    std::optional<double> least;
    std::error_code error;
    std::size_t seen = 0;
    for (fs::directory_iterator entry(directory_, error), end; !error && entry != end && seen < most_profiles;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(plugin + "-") || !name.ends_with(".json")) continue;
        ++seen;
        try {
            const Profile profile = read_profile(host::read_json_file(entry->path()), name);
            if (!profile.parameters.has(VDT_PARAM_OPEN_TIME)) continue;
            const double seconds = profile.parameters.get(VDT_PARAM_OPEN_TIME, 0);
            least = std::min(least.value_or(seconds), seconds);
        } catch (const host::Failure&) {
            continue;  // said when its device is opened
        }
    }
    return least;
}

}  // namespace vedette::model
