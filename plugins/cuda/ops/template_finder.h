// template_find as a whole: which way each pattern is searched, what is kept between calls, and the items.
#pragma once

#include "pace.h"
#include "template_hit_list.h"
#include "template_operands.h"

#include <kernels/template_coarse.h>

#include <vedette/plugin/cpp/positions.hpp>

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace vedette::cuda_plugin {

// Ways of searching, the variants of the operation. The matrix kernels' way turns to direct sums for patterns that they
// do not take; that of block means turns to the matrix kernels' for patterns that are too small for it, coloured or
// masked, or whose blocks say too little.
enum class FindWay : std::uint32_t { matrix, direct, windows, blocks };
inline bool by_products(FindWay way) noexcept {
    return way == FindWay::matrix || way == FindWay::blocks;
}

// The step of the block means that a gray pattern without a mask is compared by first, at most; 0: it is too small.
// Fewer than sixteen blocks along a side say little, and to halve the sides of a small pattern saves less than two more
// kernels take (H200, 4K: 32 x 32 took 115 us as it is and 148 us with means of 2 x 2).
constexpr int largest_step_for(int width, int height) {
    const int side = width < height ? width : height;
    if (side >= 16 * cuda::coarse_largest_step) return cuda::coarse_largest_step;
    return side >= 48 ? 2 : 0;
}

// Candidates of a pattern of width * height * channels bytes that are worth testing one by one; with more, every score
// is computed.
std::uint32_t most_candidates(std::int64_t bytes, bool masked, double positions);

// One plan's state. Images and parameters of a call were checked.
class TemplateFinder {
public:
    TemplateFinder(const Device& device, FindWay way);

    // VDT_OK or VDT_INCOMPLETE. Waits for the device: the items come through the host.
    vdt_code find(const vdt_call& call);

private:
    struct Job {  // one pattern
        PreparedPattern prepared;
        bool fits = false;  // into the region
        cuda::TemplateScene scene;
        cuda::Exclusions exclusions;
        std::vector<plugin::Position> hits;
        std::uint64_t found = 0;  // before max_results
        cuda::WindowPart part;
        float factor = 0;      // of the thresholds of that part; 0: every score is computed
        float upper = 0;       // with thresholds of quads, in the unit of `factor`; 0: one for each position
        int step = 0;          // of the block means that are compared first; 0: none, the pattern itself is
        cuda::FineBound fine;  // with `step`
        bool at_once = false;  // was searched with others of its size
        bool counted = false;  // by the device: only the best hits were fetched
        // Candidates or hits were too many for this version of the pattern at this threshold: every score is computed.
        std::uint64_t crowded_version = 0;
        double crowded_threshold = 0;
        // The largest step that the next search of this version of the pattern, at this threshold or a lower one,
        // begins with: a larger one left too much of the screen.
        int next_step = cuda::coarse_largest_step;
        std::uint64_t next_step_version = 0;
        double next_step_threshold = 0;
        void leave_candidates(double threshold) {
            crowded_version = prepared.version();
            crowded_threshold = threshold;
        }
    };

    // Patterns of one size that are searched at once.
    struct Many {
        std::vector<std::pair<std::size_t, std::uint64_t>> members;  // jobs and their patterns' versions
        cuda::Block<std::uint32_t> words;
    };

    void prepare(const vdt_call& call, const vdt_template_find_params& params, const DeviceImage& scene,
                 const vdt_rect& region);
    void upload_exclusions(const vdt_template_find_params& params, const vdt_rect& region);
    void search(const vdt_template_find_params& params);
    // Before each search of a pattern, of which `searched` were queued before.
    void heed_limits(std::size_t searched);
    void search_candidates(std::size_t index, const vdt_template_find_params& params, const cuda::Cleared& cleared);
    // How many jobs of order_, from `first` on, can be searched at once.
    std::size_t alike(std::size_t first) const;
    void search_many(std::size_t first, std::size_t count, const vdt_template_find_params& params,
                     const cuda::Cleared& cleared);
    const std::uint32_t* many_words(std::size_t first, std::size_t count);
    static std::uint32_t capacity_for(const Job& job);
    cuda::PlaceTest place_test(std::size_t index, const cuda::Candidates& candidates,
                               const vdt_template_find_params& params) const;
    void search_scores(std::size_t index, const vdt_template_find_params& params);
    void choose_factor(Job& job, double threshold);
    // Turns to block means where they say enough.
    void choose_step(Job& job, double threshold);
    void search_coarse(Job& job, const cuda::Candidates& candidates, cuda::Progress* progress,
                       const cuda::Cleared& cleared);
    // Looks at how much block means left; so the next search chooses.
    void learn_step(Job& job, const cuda::Progress& progress, double threshold) const;
    cuda::PositionPlane plane_of(const cuda::TemplateScene& scene, cuda::Block<std::int32_t>& block) const;
    // Whether thresholds that were made for one job do for another.
    static bool serves(const Job& made_for, const Job& job);
    // Makes the thresholds of a job, unless those that were made last serve it, too, and tells whether; `cleared` is
    // cleared with them.
    bool make_thresholds(const Job& job, const cuda::Cleared& cleared);
    // The same for quads; both lie in thresholds_.
    cuda::QuadPlane quads_of(const cuda::TemplateScene& scene);
    // Looks at what the candidates' counters say; false when a job must be searched again.
    bool all_candidates_fit(const vdt_template_find_params& params);
    // Fetches the hits; false when there was no room for all of them, which there is afterwards.
    bool fetch(const vdt_template_find_params& params);
    cuda::HitTest test_of(std::size_t job, const vdt_template_find_params& params) const;

    const FindWay way_;
    const Device& device_;
    Operands operands_;
    Pace pace_;
    std::vector<std::unique_ptr<Job>> jobs_;
    std::vector<std::size_t> order_;     // jobs that are searched by candidates
    std::vector<std::uint64_t> firsts_;  // items before each job's
    std::map<std::size_t, Many> many_;   // by the first one's place in order_
    std::size_t job_count_ = 0;
    HitList list_;
    cuda::Block<cuda::PlaceTest> tests_, host_tests_;  // by place in order_; the host's pinned
    cuda::Block<cuda::PlaceRect> rects_;
    std::vector<cuda::PlaceRect> host_rects_;
    cuda::Block<double> scores_;
    cuda::Block<std::uint32_t> class_counts_;
    cuda::Block<std::uint32_t> places_;
    cuda::Block<std::int32_t> thresholds_;
    cuda::Block<std::int32_t> products_;
    cuda::Block<std::uint8_t> phases_;
    cuda::Block<std::uint32_t> left_;
    const Job* thresholds_for_ = nullptr;  // of this search
    int phases_step_ = 0;                  // of phases_, in this search
};

void cost_of_template_find(const Device& device, const vdt_query& query, vdt_cost& cost);
// What a variant comes to for these patterns, whose kernels differ in how well they use a device.
const char* way_of_template_find(const Device& device, const vdt_query& query);

}  // namespace vedette::cuda_plugin
