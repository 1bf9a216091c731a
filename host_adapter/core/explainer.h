// Records how calls are decided, for `vedette explain` and vdt_explain_start.
#pragma once

#include "chooser.h"
#include "execution.h"

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace vedette::host {

// Thread-safe.
class Explainer {
public:
    explicit Explainer(Context& context);
    ~Explainer();

    bool on() const noexcept { return on_; }
    // Failure VDT_E_STATE when it is on already.
    void start(bool measure);
    // The document of vdt_explain_stop. Failure VDT_E_STATE when it is not on.
    std::string stop();

    // As run_operation, on the same option, with an entry in the document: every device is opened and asked, and with
    // `measure` every option is run as well.
    vdt_code run(const Operation& operation, const std::string& backend, CallLimit* limit, RunReport& report);

private:
    struct Document;
    Context& context_;
    std::atomic<bool> on_{false};
    std::mutex mutex_;  // guards what follows
    bool measure_ = false;
    std::unique_ptr<Document> document_;
};

}  // namespace vedette::host
