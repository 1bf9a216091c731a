// template_find: exact scores of all positions (kernels/template_direct.cl), then those that are wanted
// (kernels/template_select.cl); the order, and what of equal scores stays, is settled on the host.
#include "template_direct.h"

#include <vedette/plugin/cpp/cost.hpp>
#include <vedette/plugin/cpp/list.hpp>
#include <vedette/plugin/cpp/positions.hpp>
#include <vedette/plugin/cpp/template_checks.hpp>

#include <bit>

namespace vedette::opencl {

namespace {

// Room for hits at first; searches that find more make room for all of them and select again.
constexpr std::size_t first_capacity = std::size_t{1} << 16;
// Hits that come to the host with the counters; more cost another transfer.
constexpr std::size_t fetched_hits = 1024;
constexpr std::uint32_t score_classes = 2048;
constexpr std::size_t select_group = 256;
constexpr std::uint64_t sign = std::uint64_t{1} << 63;

// As the kernels' record.
struct Hit {
    std::uint64_t key;
    std::uint32_t place, pattern;
};
static_assert(sizeof(Hit) == 16);

// key_of of the kernels, and back.
std::uint64_t key_of(double score) {
    const auto bits = std::bit_cast<std::uint64_t>(score);
    return (bits & sign) != 0 ? ~bits : bits | sign;
}
double score_of(std::uint64_t key) {
    return std::bit_cast<double>((key & sign) != 0 ? key ^ sign : ~key);
}

bool fits(const TemplateShape& shape, const vdt_rect& region) {
    return shape.width <= static_cast<std::uint32_t>(region.w) && shape.height <= static_cast<std::uint32_t>(region.h);
}

template <class Body>
void for_each_shape(const vdt_query& query, const Body& body) {
    const auto& params = plugin::params_of<vdt_template_find_params>(query);
    for (std::size_t p = 0; p < params.pattern_count; ++p)
        body(template_shape(*query.inputs[1 + 2 * p], *query.inputs[2 + 2 * p]));
}

void support(const Device& device, const vdt_query& query, vdt_op_support& answer) {
    const auto& params = plugin::params_of<vdt_template_find_params>(query);
    plugin::check_template_find(query.inputs, query.input_count, params);
    const vdt_rect region = plugin::region_of(*query.inputs[0], params);
    double most_positions = 0;
    for_each_shape(query, [&](const TemplateShape& shape) {
        if (!fits(shape, region)) return;
        const double columns = region.w - static_cast<double>(shape.width) + 1;
        const double rows = region.h - static_cast<double>(shape.height) + 1;
        check_template_memory(device, "template_find", shape, columns, rows, sizeof(std::uint64_t));
        most_positions = std::max(most_positions, columns * rows);
        answer.scratch_bytes += TemplatePattern::device_floats(shape) * sizeof(float) * (shape.masked ? 2 : 1);
    });
    answer.scratch_bytes +=
        static_cast<std::uint64_t>(most_positions) * sizeof(std::uint64_t) + first_capacity * sizeof(Hit);
}

void cost(const Device& device, const vdt_query& query, vdt_cost& cost) {
    const auto& params = plugin::params_of<vdt_template_find_params>(query);
    const vdt_rect region = plugin::region_of(*query.inputs[0], params);
    cost.flags = VDT_COST_ESTIMATE | VDT_COST_DATA_DEPENDENT;
    cost.bytes_to_host = static_cast<double>(fetched_hits * sizeof(Hit));
    for_each_shape(query, [&](const TemplateShape& shape) {
        if (!fits(shape, region)) return;
        const double columns = region.w - static_cast<double>(shape.width) + 1;
        const double rows = region.h - static_cast<double>(shape.height) + 1;
        DirectSums::add_cost(cost, device, shape, columns, rows, sizeof(std::uint64_t));
        // Most keys are below the threshold: read and compared, once to count and once to select.
        const bool counted = (params.flags & VDT_FIND_BEST_ONLY) == 0 && params.max_results < columns * rows;
        for (int pass = counted ? 0 : 1; pass < 2; ++pass)
            plugin::add_launch(cost, plugin::even_stage(columns * rows * 4, 4, columns * rows,
                                                        columns * rows * sizeof(std::uint64_t), transaction_bytes));
        if (counted)
            plugin::add_launch(cost, plugin::even_stage(score_classes, score_classes / select_group + select_group,
                                                        select_group, score_classes * 4, transaction_bytes));
        cost.scratch_bytes =
            std::max(cost.scratch_bytes, static_cast<std::uint64_t>(columns * rows * sizeof(std::uint64_t)));
    });
}

// One pattern of a plan.
struct Job {
    Job(const Device& device, const TemplateShape& shape) : sums(device, "template_find", "template_scores", shape) {}

    const DirectSums sums;
    TemplatePattern pattern;
    bool searched = false;  // by this call: it fits into the region
    bool counted = false;   // by the device: only the best hits were fetched
    std::uint32_t first_excluded = 0, excluded_count = 0;
    std::vector<plugin::Position> hits;
};

class FindPlan final : public Plan {
public:
    FindPlan(const Device& device, const vdt_query& query) : device_(device), operands_(device) {
        for_each_shape(query,
                       [&](const TemplateShape& shape) { jobs_.push_back(std::make_unique<Job>(device, shape)); });
        const std::string defines = "-D CLASSES=" + std::to_string(score_classes);
        count_ = device.programs.kernel("template_select", "count_classes", defines);
        cut_ = device.programs.kernel("template_select", "cut_classes", defines);
        select_ = device.programs.kernel("template_select", "select_hits", defines);
        best_ = device.programs.kernel("template_select", "select_best", defines);
        classes_ = device.buffer<std::uint32_t>(score_classes);
        host_counters_.resize(1 + 2 * jobs_.size());
        counters_ = device.buffer<std::uint32_t>(host_counters_.size());
        hits_ = device.buffer<Hit>(first_capacity);
        host_hits_.resize(fetched_hits);
        rects_ = device.buffer<Rect>(1);
    }

    vdt_code run(const vdt_call& call) override {
        const auto& params = plugin::params_of<vdt_template_find_params>(call);
        plugin::check_template_find(call.inputs, call.input_count, params);
        if (params.pattern_count != jobs_.size())
            throw Failure(VDT_E_ARGUMENT, "template_find: the number of patterns is not that of the plan");
        const vdt_rect region = plugin::region_of(*call.inputs[0], params);
        plugin::ListWriter<> items(*call.lists_out[0]);
        plugin::throw_if_cancelled(*device_.host, call.token);
        Operands::Call running(operands_, call);
        const Plane scene = operands_.input(0).plane();
        prepare(call, params, region);
        do {
            plugin::throw_if_cancelled(*device_.host, call.token);
            search(call, params, region, scene);
        } while (!fetch());
        for (std::size_t p = 0; p < jobs_.size(); ++p) write_items(p, params, region, items);
        running.finish();
        return items.finish();
    }

private:
    struct Rect {
        std::int32_t x, y, w, h;
    };

    void prepare(const vdt_call& call, const vdt_template_find_params& params, const vdt_rect& region) {
        host_rects_.clear();
        std::size_t positions = 0;
        for (std::size_t p = 0; p < jobs_.size(); ++p) {
            Job& job = *jobs_[p];
            job.pattern.prepare(operands_, call, static_cast<std::uint32_t>(1 + 2 * p));
            const PatternSums& sums = job.pattern.sums();
            plugin::check_template_pixels(static_cast<std::uint32_t>(p), sums.area, sums.variance != 0);
            const TemplateShape& shape = job.pattern.shape();
            job.searched = fits(shape, region);
            if (!job.searched) continue;
            const TemplateSearch search = template_search(*call.inputs[0], region, shape);
            positions = std::max(positions, std::size_t{search.columns} * search.rows);
            job.first_excluded = static_cast<std::uint32_t>(host_rects_.size());
            for (std::uint32_t e = 0; e < params.exclude_count; ++e) {
                if (params.exclude[e].w <= 0 || params.exclude[e].h <= 0) continue;
                const vdt_rect rect =
                    plugin::excluded_positions(params.exclude[e], region, static_cast<std::int32_t>(shape.width),
                                               static_cast<std::int32_t>(shape.height));
                if (rect.w > 0 && rect.h > 0) host_rects_.push_back({rect.x, rect.y, rect.w, rect.h});
            }
            job.excluded_count = static_cast<std::uint32_t>(host_rects_.size()) - job.first_excluded;
        }
        if (keys_.size() < positions) keys_ = device_.buffer<std::uint64_t>(positions);
        if (rects_.size() < host_rects_.size()) rects_ = device_.buffer<Rect>(host_rects_.size());
        write(operands_.queue(), rects_, host_rects_.data(), host_rects_.size());
    }

    void search(const vdt_call& call, const vdt_template_find_params& params, const vdt_rect& region,
                const Plane& scene) {
        const cl::Queue queue = operands_.queue();
        fill_zero(queue, counters_, counters_.size());
        for (std::size_t p = 0; p < jobs_.size(); ++p) {
            Job& job = *jobs_[p];
            job.counted = false;
            if (!job.searched) continue;
            const TemplateSearch whole = template_search(*call.inputs[0], region, job.pattern.shape());
            job.sums.run(
                device_, queue, call, whole, [&](const Range& range, const TemplateSearch& band, LocalBytes tile) {
                    launch(queue, job.sums.kernel(), range, scene, keys_, band, job.pattern.sums(), rects_,
                           job.first_excluded, job.excluded_count, job.pattern.pixels(), job.pattern.mask(), tile);
                });
            select(static_cast<std::uint32_t>(p), whole, params);
        }
    }

    // Queues the choice of hits among the keys of pattern `p`.
    void select(std::uint32_t p, const TemplateSearch& search, const vdt_template_find_params& params) {
        const cl::Queue queue = operands_.queue();
        const std::uint32_t columns = search.columns, rows = search.rows;
        const std::uint64_t threshold = key_of(params.threshold);
        const auto capacity = static_cast<std::uint32_t>(hits_.size());
        const std::size_t groups = std::min<std::size_t>(rows, std::size_t{8} * device_.limits().compute_units);
        if ((params.flags & VDT_FIND_BEST_ONLY) != 0) {
            const std::size_t items = group_within(best_, select_group);
            launch(queue, best_, groups_of(groups, items), keys_, columns, rows, threshold, p, counters_, hits_,
                   capacity, LocalBytes{items * sizeof(std::uint64_t)}, LocalBytes{items * sizeof(std::uint32_t)});
            return;
        }
        const std::uint32_t local_maxima = (params.flags & VDT_FIND_LOCAL_MAXIMA) != 0 ? 1 : 0;
        // A low threshold must not make a list of half the screen.
        if (params.max_results < std::uint64_t{columns} * rows) {
            jobs_[p]->counted = true;
            fill_zero(queue, classes_, score_classes);
            launch(queue, count_, groups_of(groups, group_within(count_, select_group)), keys_, columns, rows,
                   threshold, local_maxima, classes_);
            const std::size_t items = group_within(cut_, select_group);
            launch(queue, cut_, groups_of(1, items), classes_, params.max_results, p, counters_,
                   LocalBytes{items * sizeof(std::uint32_t)});
        }
        const std::size_t across = group_within(select_, 64);
        launch(queue, select_, cover({columns, rows}, {across, 1}), keys_, columns, rows, threshold, local_maxima, p,
               counters_, hits_, capacity);
    }

    // Fetches the hits; false when there was no room for all of them, which there is afterwards.
    bool fetch() {
        const cl::Queue queue = operands_.queue();
        read(queue, counters_, host_counters_.data(), host_counters_.size(), cl::queued);
        read(queue, hits_, host_hits_.data(), fetched_hits, cl::queued);
        finish(queue);
        const std::size_t count = host_counters_[0];
        if (count > hits_.size()) {
            hits_ = {};
            hits_ = device_.buffer<Hit>(count);
            return false;
        }
        if (count > fetched_hits) {
            if (host_hits_.size() < count) host_hits_.resize(count);
            read(queue, hits_, host_hits_.data(), count);
        }
        for (const std::unique_ptr<Job>& job : jobs_) job->hits.clear();
        for (std::size_t i = 0; i < count; ++i) {
            const Hit& hit = host_hits_[i];
            jobs_[hit.pattern]->hits.push_back({score_of(hit.key), static_cast<std::int32_t>(hit.place & 0xffffU),
                                                static_cast<std::int32_t>(hit.place >> 16)});
        }
        return true;
    }

    void write_items(std::size_t p, const vdt_template_find_params& params, const vdt_rect& region,
                     plugin::ListWriter<>& items) {
        Job& job = *jobs_[p];
        const bool best_only = (params.flags & VDT_FIND_BEST_ONLY) != 0;
        const bool local_maxima = (params.flags & VDT_FIND_LOCAL_MAXIMA) != 0;
        // The device has judged local maxima among all positions, so judging its choice again changes nothing.
        const std::uint64_t found = plugin::keep_best(job.hits, best_only, local_maxima, params.max_results);
        items.count_found(job.counted ? host_counters_[2 + 2 * p] : found);
        for (const plugin::Position& hit : job.hits) {
            vdt_item item{};
            item.x = static_cast<float>(hit.x + region.x);
            item.y = static_cast<float>(hit.y + region.y);
            item.w = static_cast<float>(job.pattern.shape().width);
            item.h = static_cast<float>(job.pattern.shape().height);
            item.score = hit.score;
            item.pattern = static_cast<std::uint32_t>(p);
            items.write(item);
        }
    }

    const Device& device_;
    Operands operands_;
    std::vector<std::unique_ptr<Job>> jobs_;
    Kernel count_, cut_, select_, best_;
    Buffer<std::uint64_t> keys_;
    Buffer<std::uint32_t> classes_, counters_;
    Buffer<Hit> hits_;
    Buffer<Rect> rects_;
    std::vector<std::uint32_t> host_counters_;  // hits; cut and found of each pattern
    std::vector<Hit> host_hits_;
    std::vector<Rect> host_rects_;
};

std::unique_ptr<Plan> plan(const Device& device, const vdt_query& query) {
    return std::make_unique<FindPlan>(device, query);
}

constexpr const char* variants[] = {"direct sums"};

}  // namespace

extern const Operation template_find_operation;
const Operation template_find_operation = {VDT_OP_TEMPLATE_FIND,     variants, 1, support, cost, plan,
                                           plugin::template_formats, 0};

}  // namespace vedette::opencl
