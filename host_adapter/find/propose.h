// Proposals by the operation template_find, on the backend the policy picks.
#pragma once

#include "../core/execution.h"
#include "compose.h"

#include <string>

namespace vedette::host {

// Runs template_find for each request and keeps account of who did it. For one find; one thread at a time.
class OperationProposer {
public:
    // `backend` as run_operation; `limit` may be NULL. Both and `context` outlive this.
    OperationProposer(Context& context, std::string backend, CallLimit* limit)
        : context_(context), backend_(std::move(backend)), limit_(limit) {}

    // Failure as run_operation.
    std::vector<Proposal> operator()(const ProposalRequest& request);

    // Of the first run; the predicted time is that of all runs, -1 when one was not known. backend "" when nothing ran.
    const RunReport& report() const noexcept { return report_; }

private:
    void run(const ProposalRequest& request, std::size_t first, std::size_t count, std::vector<Proposal>& proposals);
    void add(const RunReport& report);

    Context& context_;
    std::string backend_;
    CallLimit* limit_;
    RunReport report_;
    bool ran_ = false;
};

}  // namespace vedette::host
