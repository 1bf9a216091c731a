#include "cascade/known.h"

#include <vedette/plugin/cpp/digest.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace vedette::cascade {

namespace {

struct Known {
    std::size_t bytes = 0;
    plugin::Digest digest{};
    std::shared_ptr<const Model> model;
};

struct Shelf {
    std::mutex mutex;
    std::array<Known, 2> known;  // the one asked for last first
};

Shelf& shelf() {
    static Shelf one;
    return one;
}

}  // namespace

std::shared_ptr<const Model> known_model(std::string_view xml) {
    const plugin::Digest digest = plugin::digest_of(xml.data(), xml.size());
    auto& [mutex, known] = shelf();
    {
        const std::lock_guard lock(mutex);
        const auto found = std::find_if(known.begin(), known.end(), [&](const Known& one) {
            return one.model != nullptr && one.bytes == xml.size() && one.digest == digest;
        });
        if (found != known.end()) {
            std::rotate(known.begin(), found, found + 1);
            return known.front().model;
        }
    }
    auto model = std::make_shared<const Model>(read_model(xml));
    const std::lock_guard lock(mutex);
    std::rotate(known.begin(), known.end() - 1, known.end());
    known.front() = {xml.size(), digest, model};
    return model;
}

}  // namespace vedette::cascade
