// NULL and nonsense everywhere: refused with a code of the right range and a sentence, and never a crash.
#include "checks.h"
#include "run_case.h"

#include <cmath>
#include <limits>

namespace vedette::conformance {
namespace {

void demand_caller_fault(const Answer& answer, const std::string& what) {
    demand(VDT_IS_CALLER_FAULT(answer.code), what + " is answered " + describe(answer) + ", not with a code of -1xx");
    demand(!answer.text.empty(), what + " is refused without a sentence");
}

void demand_refused(const Answer& answer, const std::string& what) {
    demand(VDT_IS_CALLER_FAULT(answer.code) || VDT_IS_UNSUPPORTED(answer.code),
           what + " is answered " + describe(answer) + ", not with a code of -1xx or -2xx");
    demand(!answer.text.empty(), what + " is refused without a sentence");
}

}  // namespace

std::string check_nulls(const Arguments& arguments, std::uint32_t) {
    Session session(arguments);
    const vdt_plugin& t = session.table();
    vdt_self* const self = session.self();
    vdt_device* const device = session.device();
    Case of = any_case(session);
    Request request(of);
    const vdt_query* const query = request.query();

    vdt_self* no_self = nullptr;
    vdt_device* no_device = nullptr;
    vdt_plan* no_plan = nullptr;
    std::uint32_t count = 0;
    vdt_device_info info{};
    info.struct_size = sizeof info;
    vdt_op_support support{};
    support.struct_size = sizeof support;
    vdt_variant_info variant{};
    variant.struct_size = sizeof variant;
    const vdt_host* const no_host = nullptr;
    const vdt_option* const no_options = nullptr;
    const vdt_query* const no_query = nullptr;
    const vdt_call* const no_call = nullptr;

    demand_caller_fault(call("create", t.create, no_host, no_options, 0u, &no_self), "create without a host");
    demand_caller_fault(
        call("create", t.create, session.host().table(), no_options, 0u, static_cast<vdt_self**>(nullptr)),
        "create without a place for the instance");
    demand_caller_fault(call("create", t.create, session.host().table(), no_options, 3u, &no_self),
                        "create with three options at NULL");
    vdt_host short_host = *session.host().table();
    short_host.struct_size = 8;
    demand_caller_fault(call("create", t.create, static_cast<const vdt_host*>(&short_host), no_options, 0u, &no_self),
                        "create with a host whose struct_size is 8");
    demand_caller_fault(call("device_count", t.device_count, no_self, &count), "device_count without an instance");
    demand_caller_fault(call("device_count", t.device_count, self, static_cast<std::uint32_t*>(nullptr)),
                        "device_count without a place for the count");
    demand_caller_fault(call("device_info", t.device_info, no_self, 0u, &info), "device_info without an instance");
    demand_caller_fault(call("device_info", t.device_info, self, 0u, static_cast<vdt_device_info*>(nullptr)),
                        "device_info without a place for the answer");
    demand_caller_fault(call("device_open", t.device_open, no_self, 0u, &no_device), "device_open without an instance");
    demand_caller_fault(call("device_open", t.device_open, self, arguments.device, static_cast<vdt_device**>(nullptr)),
                        "device_open without a place for the device");
    demand_caller_fault(call("op_support", t.op_support, no_device, query, &support), "op_support without a device");
    demand_caller_fault(call("op_support", t.op_support, device, no_query, &support), "op_support without a query");
    demand_caller_fault(call("op_support", t.op_support, device, query, static_cast<vdt_op_support*>(nullptr)),
                        "op_support without a place for the answer");
    demand_caller_fault(call("op_variant", t.op_variant, no_device, query, &variant), "op_variant without a device");
    demand_caller_fault(call("op_variant", t.op_variant, device, no_query, &variant), "op_variant without a query");
    demand_caller_fault(call("op_variant", t.op_variant, device, query, static_cast<vdt_variant_info*>(nullptr)),
                        "op_variant without a place for the answer");
    demand_caller_fault(call("plan_create", t.plan_create, no_device, query, &no_plan), "plan_create without a device");
    demand_caller_fault(call("plan_create", t.plan_create, device, no_query, &no_plan), "plan_create without a query");
    demand_caller_fault(call("plan_create", t.plan_create, device, query, static_cast<vdt_plan**>(nullptr)),
                        "plan_create without a place for the plan");
    Answer answer;
    const std::unique_ptr<Plan> plan = make_plan(session, query, answer);
    demand(plan != nullptr, "plan_create answers " + describe(answer));
    demand_caller_fault(call("plan_run", t.plan_run, no_plan, request.call()), "plan_run without a plan");
    demand_caller_fault(call("plan_run", t.plan_run, plan->get(), no_call), "plan_run without a call");
    if (t.op_cost != nullptr) {
        vdt_cost cost{};
        cost.struct_size = sizeof cost;
        demand_caller_fault(call("op_cost", t.op_cost, no_device, query, &cost), "op_cost without a device");
        demand_caller_fault(call("op_cost", t.op_cost, device, no_query, &cost), "op_cost without a query");
        demand_caller_fault(call("op_cost", t.op_cost, device, query, static_cast<vdt_cost*>(nullptr)),
                            "op_cost without a place for the answer");
    }
    if (t.probe != nullptr)
        demand_caller_fault(call("probe", t.probe, device, static_cast<vdt_probe*>(nullptr)),
                            "probe without a question");
    if (t.resident_create != nullptr) {
        vdt_resident* resident = nullptr;
        demand_caller_fault(
            call("resident_create", t.resident_create, device, static_cast<const vdt_image*>(nullptr), &resident),
            "resident_create without an image");
        t.resident_destroy(nullptr);
    }
    // These have nobody to tell; that they return is what is looked at.
    t.destroy(nullptr);
    t.device_close(nullptr);
    t.plan_destroy(nullptr);

    // Failures without an error record.
    demand(VDT_IS_CALLER_FAULT(t.device_count(nullptr, nullptr, nullptr)), "device_count without an error record");
    demand(VDT_IS_CALLER_FAULT(t.op_support(device, nullptr, nullptr, nullptr)), "op_support without an error record");
    demand(VDT_IS_CALLER_FAULT(t.plan_create(device, nullptr, nullptr, nullptr)),
           "plan_create without an error record");
    demand(VDT_IS_CALLER_FAULT(t.plan_run(nullptr, nullptr, nullptr)), "plan_run without an error record");
    // A record of a host that knows less of it is not written beyond its size.
    struct {
        vdt_error error;
    } small{};
    small.error.struct_size = 16;
    (void)t.plan_run(nullptr, nullptr, &small.error);
    demand(small.error.text[0] == '\0', "plan_run wrote beyond the struct_size of an error record");
    return "";
}

namespace {

// Something wrong with one of the two images of a case (input or output), and what it is.
struct ImageFault {
    const char* what;
    void (*spoil)(vdt_image& image);
    bool in_query;  // also wrong in a question, where pixels do not count
};

const ImageFault image_faults[] = {
    {"struct_size 0", [](vdt_image& i) { i.struct_size = 0; }, true},
    {"struct_size 8", [](vdt_image& i) { i.struct_size = 8; }, true},
    {"width 0", [](vdt_image& i) { i.width = 0; }, true},
    {"height 0", [](vdt_image& i) { i.height = 0; }, true},
    {"width 2^32 - 1", [](vdt_image& i) { i.width = 0xFFFFFFFFu; }, true},
    {"height 2^32 - 1", [](vdt_image& i) { i.height = 0xFFFFFFFFu; }, true},
    {"both sides 2^32 - 1", [](vdt_image& i) { i.width = i.height = 0xFFFFFFFFu; }, true},
    {"width 65536", [](vdt_image& i) { i.width = VDT_MAX_DIMENSION + 1; }, true},
    {"no planes", [](vdt_image& i) { i.plane_count = 0; }, true},
    {"2^32 - 1 planes", [](vdt_image& i) { i.plane_count = 0xFFFFFFFFu; }, true},
    {"unknown format", [](vdt_image& i) { i.format = 999; }, true},
    {"unknown memory", [](vdt_image& i) { i.memory = 77; }, true},
    {"no pixels", [](vdt_image& i) { i.plane[0].base = nullptr; }, false},
    {"no bytes", [](vdt_image& i) { i.plane[0].bytes = 0; }, false},
    {"one byte too few", [](vdt_image& i) { --i.plane[0].bytes; }, false},
    {"offset behind the end", [](vdt_image& i) { i.plane[0].offset = i.plane[0].bytes + 1; }, false},
    {"offset 2^64 - 1", [](vdt_image& i) { i.plane[0].offset = ~std::uint64_t{0}; }, false},
    {"stride 0", [](vdt_image& i) { i.plane[0].row_stride = 0; }, false},
    {"largest stride", [](vdt_image& i) { i.plane[0].row_stride = std::numeric_limits<std::int64_t>::max(); }, false},
    {"smallest stride", [](vdt_image& i) { i.plane[0].row_stride = std::numeric_limits<std::int64_t>::min(); }, false},
    {"stride that overflows", [](vdt_image& i) { i.plane[0].row_stride = std::int64_t{1} << 60; }, false},
    {"stride into the buffer before", [](vdt_image& i) { i.plane[0].row_stride = -i.plane[0].row_stride; }, false},
};

// The n-th image of a case: inputs, then outputs.
vdt_image& image_at(Case& of, std::size_t n) {
    return n < of.inputs.size() ? of.inputs[n].view() : of.outputs[n - of.inputs.size()].view();
}

}  // namespace

std::string check_absurd_images(const Arguments& arguments, std::uint32_t op) {
    Session session(arguments);
    vdt_op_support general;
    if (!is_supported(session, op, general)) throw NothingToCheck("not advertised");
    Case* of = nullptr;
    std::vector<Case> cases = make_cases(op, general.input_formats, general.output_formats, Shape{});
    for (Case& one : cases) {
        Request request(one);
        vdt_op_support support;
        Answer refusal;
        if (!is_supported(session, request.query(), support, refusal)) continue;
        of = &one;
        break;
    }
    if (of == nullptr) throw NothingToCheck("nothing runs");
    Request request(*of);
    Answer answer;
    std::uint32_t asked = 0;
    const std::size_t images = of->inputs.size() + of->outputs.size();
    for (std::size_t n = 0; n < images; ++n) {
        vdt_image& image = image_at(*of, n);
        if (image.format == VDT_FORMAT_NONE) continue;
        const vdt_image good = image;
        const std::string which =
            n < of->inputs.size() ? "input " + std::to_string(n) : "output " + std::to_string(n - of->inputs.size());
        for (const ImageFault& fault : image_faults) {
            const std::unique_ptr<Plan> plan = make_plan(session, request.query(), answer);
            demand(plan != nullptr, "plan_create answers " + describe(answer));
            fault.spoil(image);
            const std::string what = which + " with " + fault.what;
            demand_refused(run_plan(session, *plan, request.call()), "plan_run, " + what);
            if (fault.in_query) {
                demand(make_plan(session, request.query(), answer) == nullptr, "plan_create accepts " + what);
                demand_refused(answer, "plan_create, " + what);
                vdt_op_support support;
                Answer refusal;
                demand(!is_supported(session, request.query(), support, refusal), "op_support accepts " + what);
            }
            image = good;
            asked += 1;
        }
        // Sound by itself, but not what the plan was made for.
        const std::unique_ptr<Plan> plan = make_plan(session, request.query(), answer);
        demand(plan != nullptr, "plan_create answers " + describe(answer));
        image.width -= 1;
        demand_refused(run_plan(session, *plan, request.call()), "plan_run, " + which + " narrower than the plan");
        image = good;
    }

    // Arrays of images.
    if (images > 0) {
        vdt_query& query = request.query_record();
        const vdt_query good = query;
        const auto demand_plan_refused = [&](const char* what) {
            demand(make_plan(session, &query, answer) == nullptr, std::string("plan_create accepts ") + what);
            demand_refused(answer, std::string("plan_create, ") + what);
            query = good;
        };
        query.struct_size = 8;
        demand_plan_refused("a query with struct_size 8");
        if (query.input_count > 0) {
            query.inputs = nullptr;
            demand_plan_refused("inputs NULL");
            const std::vector<const vdt_image*> nulls(query.input_count, nullptr);
            query.inputs = nulls.data();
            demand_plan_refused("an input NULL");
            std::vector<const vdt_image*> more(good.inputs, good.inputs + good.input_count);
            more.push_back(more.front());
            query.inputs = more.data();
            query.input_count = static_cast<std::uint32_t>(more.size());
            demand_plan_refused("one input too many");
        }
        query.variant = 0xFFFFFFFFu;
        demand_plan_refused("a variant that does not exist");
        const std::unique_ptr<Plan> plan = make_plan(session, &query, answer);
        demand(plan != nullptr, "plan_create answers " + describe(answer));
        vdt_call& run = request.call_record();
        const vdt_call good_run = run;
        const auto demand_run_refused = [&](const char* what) {
            demand_refused(run_plan(session, *plan, &run), std::string("plan_run, ") + what);
            run = good_run;
        };
        run.struct_size = 8;
        demand_run_refused("a call with struct_size 8");
        if (run.input_count > 0) {
            run.inputs = nullptr;
            demand_run_refused("inputs NULL");
            run.input_count = 0;
            demand_run_refused("no inputs");
        }
        if (run.output_count > 0) {
            run.outputs = nullptr;
            demand_run_refused("outputs NULL");
            run.output_count = 0xFFFFFFFFu;
            demand_run_refused("2^32 - 1 outputs");
        }
        if (run.list_out_count > 0) {
            run.lists_out = nullptr;
            demand_run_refused("lists_out NULL");
            run.list_out_count = 0;
            demand_run_refused("no list for the items");
            vdt_list& list = of->lists_out[0].view();
            const vdt_list good_list = list;
            list.items = nullptr;
            demand_run_refused("a list with room but no memory");
            list = good_list;
            list.item_size = 4;
            demand_run_refused("a list whose items are too small");
            list = good_list;
            list.struct_size = 8;
            demand_run_refused("a list with struct_size 8");
            list = good_list;
        }
        // After all that the plan still works.
        answer = run_plan(session, *plan, request.call());
        demand(!VDT_IS_ERROR(answer.code), "after refusals a proper plan_run answers " + describe(answer));
    }
    session.close();
    return std::to_string(asked) + " images";
}

}  // namespace vedette::conformance
