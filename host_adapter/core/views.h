// The images of a call as one device sees them.
#pragma once

#include "execution.h"

#include <cstdint>
#include <vector>

namespace vedette::host {

// Holds pointers to the images it was made from, which outlive it.
class Views {
public:
    explicit Views(const std::vector<OperationImage>& images);

    const vdt_image* const* data() const noexcept { return pointers_.empty() ? nullptr : pointers_.data(); }
    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(views_.size()); }
    const std::vector<vdt_image>& all() const noexcept { return views_; }

    // Puts in what `device` keeps of shared images, which makes it keep them from now on. True when it keeps any.
    bool move_to(Device& device);
    // Puts in what `device` keeps already; nothing is uploaded.
    void show_kept(Device& device);
    void move_back() noexcept;

private:
    const std::vector<OperationImage>& images_;
    std::vector<vdt_image> views_;
    std::vector<const vdt_image*> pointers_;
};

// A query about `operation` with these views, which outlive it. Variant 0.
vdt_query query_of(const Operation& operation, const Views& inputs, const Views& outputs) noexcept;

}  // namespace vedette::host
