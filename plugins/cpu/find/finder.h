// template_find and template_map as a whole: checks, choice of the way, units of work, joining.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "planner.h"
#include "prepared.h"
#include "row_share.h"

namespace vedette::cpu::find {

// One plan's state. Not thread-safe; the threads of the host's pool work inside find() and map().
class Finder {
public:
    explicit Finder(const Device& device);

    // Operation template_find without scales; images and parameter struct sizes were checked, formats and sizes agree.
    vdt_code find(const vdt_call& call);
    // The search of find() alone: its lists are not touched.
    void search(const vdt_call& call);
    // The positions of a pattern of the last search, best first, as many as were asked for; returns how many there
    // were. They count from the corner of the region. Once for each pattern and search.
    std::uint64_t join(std::size_t pattern, std::vector<Hit>& hits);
    // Operation template_map.
    vdt_code map(const vdt_call& call);

private:
    struct Job {  // one pattern
        std::shared_ptr<const Prepared> prepared;
        const Bound* bound = nullptr;
        const MaskedBound* masked = nullptr;
        int transform = 0;            // tile side when every score is computed, 0 = directly
        double exhaustive_price = 0;  // nanoseconds a position then
        Excluded excluded;
        Goal goal;
        std::size_t first_list = 0;  // in lists_: one for each worker
        // The choice is kept while pattern, threshold and scene's size stay, and the pixels behave as they were
        // expected to.
        Choice choice;
        std::shared_ptr<const Prepared> chosen_for;
        double chosen_threshold = 0;
        int chosen_width = 0, chosen_height = 0;
        std::atomic<std::uint64_t> survivors{0};
    };
    // Jobs whose bounds share a sweep, or one job alone.
    struct Group {
        std::vector<std::size_t> jobs;
        double cost = 0;  // expected nanoseconds a position on one core
    };
    struct Piece {
        std::size_t group;
        Unit unit;
    };

    void prepare_jobs(const vdt_call& call, const vdt_template_find_params& params, const vdt_rect& region);
    // Chooses direct correlation or transforms for computing every score.
    void choose_exhaustive(Job& job);
    void choose_way(Job& job, double threshold, vdt_token* token);
    void add_to_group(std::size_t job, double cost);
    void add_pieces(std::size_t group);
    void add_blocks(std::size_t group);
    void search_piece(const Piece& piece, std::uint32_t worker);
    // Takes rows of a piece that another worker is at; false when none has so much left that it is worth while.
    bool help(std::uint32_t worker);
    // Nanoseconds that the pieces whose rows can be shared are expected to take.
    double shared_work() const;
    Task task_of(Job& job) const;
    void run_pieces(vdt_token* token, const std::function<void(const Piece&, std::uint32_t worker)>& run);

    const Device& device_;
    const Kernels& kernels_;
    Scene scene_;
    std::vector<std::unique_ptr<Job>> jobs_;
    std::vector<Group> groups_;
    std::vector<Piece> pieces_;
    std::vector<std::unique_ptr<Worker>> workers_;
    // What a worker is at, where its rows can be shared.
    struct Running {
        std::mutex mutex;  // of the piece
        bool at_it = false;
        Piece piece{};
        RowShare rows;
    };
    class Shared;
    std::vector<std::unique_ptr<Running>> running_;  // one for each worker
    bool shared_ = false;                            // rows are, in this search
    std::vector<HitList> lists_;
    std::vector<Hit> joined_;
};

}  // namespace vedette::cpu::find
