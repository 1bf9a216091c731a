// What an operation of this backend gives the plugin's glue, and what the glue gives it.
#pragma once

#include <vedette/plugin/plugin.h>
#include <vedette/plugin/cpp/guard.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace vedette::cpu {

using plugin::Failure;

// Instruction sets with kernels of their own. Chosen once by what CPU and system support, or by the option "isa".
enum class Isa : std::uint8_t { portable = 0, avx2 = 1, avx512 = 2 /* F, BW, VL, DQ and VNNI */ };

struct Device {
    const vdt_host* host = nullptr;
    Isa isa = Isa::portable;
    std::uint32_t workers = 1;
};

// Results that operations compute from a shared image and keep with it. `key` names kind and parameters of the result.
// Thread-safe; a result is made once, others wait for it.
class Resident {
public:
    explicit Resident(const vdt_image& image) : image_(image) {
        image_.next = nullptr;
    }  // blocks live for the call only
    const vdt_image& image() const noexcept { return image_; }

    // `make` returns a shared_ptr to a T. It may use parallel_for; loop bodies must not call get. What it throws passes
    // through, and the next caller tries again.
    template <class T, class Make>
    std::shared_ptr<const T> get(std::uint64_t key, const Make& make) {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<const void>& slot = kept_[key];
        if (!slot) slot = std::shared_ptr<const T>(make());
        return std::static_pointer_cast<const T>(slot);
    }

private:
    vdt_image image_;
    std::mutex mutex_;
    std::map<std::uint64_t, std::shared_ptr<const void>> kept_;
};

inline Resident* resident_of(const vdt_image& image) noexcept {
    return reinterpret_cast<Resident*>(image.resident);
}

class Plan {
public:
    virtual ~Plan() = default;
    virtual vdt_code run(const vdt_call& call) = 0;  // throws Failure
};

// One operation. The glue has checked struct sizes and that images are host memory inside their bounds (check_image)
// before plan and run; the operation checks formats, sizes against each other, and its parameters.
struct OperationEntry {
    vdt_op op;
    const char* const* variants;  // names, variant_count of them
    std::uint32_t variant_count;
    // Fills formats, determinism, tolerance, scratch. Throws Failure with a -2xx code when this query cannot be done.
    // With query.input_count == 0: the general answer.
    void (*support)(const Device& device, const vdt_query& query, vdt_op_support& support);
    // NULL = no costs.
    void (*cost)(const Device& device, const vdt_query& query, vdt_cost& cost);
    std::unique_ptr<Plan> (*plan)(const Device& device, const vdt_query& query);
    // sizeof the operation's parameter struct: with images in the query, the glue has checked that there are parameters
    // of at least this size. 0: the operation checks them itself.
    std::uint32_t params_size = 0;
    // The operation works on lists only: a query without images but with parameters is about a plan.
    bool no_images = false;
};

extern const OperationEntry cascade_detect_operation;
extern const OperationEntry convert_operation;
extern const OperationEntry feature_match_operation;
extern const OperationEntry features_operation;
extern const OperationEntry fft2_operation;
extern const OperationEntry filter_operation;
extern const OperationEntry group_operation;
extern const OperationEntry integral_operation;
extern const OperationEntry pyramid_operation;
extern const OperationEntry resize_operation;
extern const OperationEntry restore_operation;
extern const OperationEntry template_find_operation;
extern const OperationEntry template_map_operation;

}  // namespace vedette::cpu
