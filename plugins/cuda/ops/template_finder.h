// template_find as a whole: which way each pattern is searched, what is kept between calls, and the items.
#pragma once

#include "template_operands.h"

#include <memory>
#include <vector>

namespace vedette::cuda_plugin {

// One plan's state. Images and parameters of a call were checked.
class TemplateFinder {
public:
    explicit TemplateFinder(const Device& device);

    // VDT_OK or VDT_INCOMPLETE. Waits for the device: the items come through the host.
    vdt_code find(const vdt_call& call);

private:
    struct Job {  // one pattern
        PreparedPattern prepared;
        bool fits = false;  // into the region
        cuda::TemplateScene scene;
        cuda::Exclusions exclusions;
        std::vector<cuda::Hit> hits;
    };

    void prepare(const vdt_call& call, const vdt_template_find_params& params, const DeviceImage& scene,
                 const vdt_rect& region);
    void upload_exclusions(const vdt_template_find_params& params, const vdt_rect& region);
    void search(const vdt_template_find_params& params);
    void search_job(std::size_t index, const vdt_template_find_params& params);
    // Fetches the hits; false when there was no room for all of them, which there is afterwards.
    bool fetch();
    cuda::HitTest test_of(std::size_t job, const vdt_template_find_params& params) const;

    // Results on the device: the count of hits, the patterns' progress, the hits.
    std::size_t progress_bytes() const;
    std::size_t hits_offset() const;

    const Device& device_;
    Operands operands_;
    std::vector<std::unique_ptr<Job>> jobs_;
    std::size_t job_count_ = 0;
    cuda::Block<std::byte> results_;
    std::size_t hit_capacity_ = 0;
    cuda::Block<std::byte> fetched_;  // pinned: the same, with the first hits
    cuda::Block<cuda::Hit> more_;     // pinned: all hits, when there are many
    cuda::Block<cuda::PlaceRect> rects_;
    std::vector<cuda::PlaceRect> host_rects_;
    cuda::Block<double> scores_;
};

void cost_of_template_find(const Device& device, const vdt_query& query, vdt_cost& cost);

}  // namespace vedette::cuda_plugin
