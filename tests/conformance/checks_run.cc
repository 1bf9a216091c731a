// Operations really run, agree with the reference, stay inside their images, and give the same twice.
#include "checks.h"
#include "run_case.h"

#include <set>

namespace vedette::conformance {
namespace {

// General support of the operation, or NothingToCheck.
vdt_op_support offered(Session& session, vdt_op op) {
    vdt_op_support support;
    if (!is_supported(session, op, support)) throw NothingToCheck("not advertised");
    return support;
}

std::string counted(std::uint32_t count, const char* what) {
    return std::to_string(count) + " " + what;
}

}  // namespace

std::string check_run(const Arguments& arguments, std::uint32_t op) {
    Session session(arguments);
    const vdt_op_support support = offered(session, op);
    std::set<vdt_format> inputs, outputs;
    std::uint32_t ran = 0, refused = 0, without = 0;
    for (Case& of : make_cases(op, support.input_formats, support.output_formats, Shape{})) {
        const Outcome outcome = run_case(session, of);
        if (outcome == Outcome::refused) {
            ++refused;
            continue;
        }
        ++ran;
        if (outcome == Outcome::ran_without_reference) ++without;
        if (!of.inputs.empty()) inputs.insert(of.inputs[0].view().format);
        if (!of.outputs.empty()) outputs.insert(of.outputs[0].view().format);
    }
    demand(ran > 0, "it is advertised, but every single case is refused");
    for (const vdt_format format : formats_in(support.input_formats))
        demand(inputs.contains(format), "input " + format_name(format) + " is advertised, but nothing runs with it");
    for (const vdt_format format : formats_in(support.output_formats))
        demand(outputs.contains(format), "output " + format_name(format) + " is advertised, but nothing runs with it");
    session.close();
    std::string note = counted(ran, "cases");
    if (without == ran)
        note += ", no reference";
    else if (without > 0)
        note += ", " + counted(without, "without reference");
    if (refused > 0) note += ", " + counted(refused, "refused");
    return note;
}

std::string check_shapes(const Arguments& arguments, std::uint32_t op) {
    static constexpr std::pair<std::uint32_t, std::uint32_t> sizes[] = {{1, 1}, {1, 19}, {23, 1}, {2, 2},
                                                                        {5, 3}, {17, 9}, {64, 8}, {33, 32}};
    Session session(arguments);
    const vdt_op_support support = offered(session, op);
    std::uint32_t ran = 0;
    for (const Layout layout : all_layouts)
        for (const auto& [width, height] : sizes)
            for (Case& of : make_cases(op, support.input_formats, support.output_formats, {width, height, layout})) {
                of.name = std::to_string(width) + " x " + std::to_string(height) + ", " + layout_name(layout) + ", " +
                          of.name;
                if (run_case(session, of) != Outcome::refused) ++ran;
            }
    session.close();
    if (ran == 0) throw NothingToCheck("no odd size is supported");
    return counted(ran, "cases");
}

namespace {

// All bytes that a run produced.
std::vector<std::uint8_t> produced(const Case& of) {
    std::vector<std::uint8_t> bytes;
    for (const TestImage& output : of.outputs) {
        const std::vector<std::uint8_t> pixels = output.pixel_bytes();
        bytes.insert(bytes.end(), pixels.begin(), pixels.end());
    }
    for (const TestList& list : of.lists_out) {
        const auto* first = static_cast<const std::uint8_t*>(list.view().items);
        bytes.insert(bytes.end(), first, first + list.view().count * list.view().item_size);
    }
    return bytes;
}

}  // namespace

std::string check_determinism(const Arguments& arguments, std::uint32_t op) {
    Session session(arguments);
    const vdt_op_support support = offered(session, op);
    std::uint32_t ran = 0;
    for (Case& of : make_cases(op, support.input_formats, support.output_formats, {97, 71, Layout::padded})) {
        Request request(of);
        vdt_op_support specific;
        Answer answer;
        if (!is_supported(session, request.query(), specific, answer)) continue;
        std::vector<std::uint8_t> before;
        for (int fresh = 0; fresh < 2; ++fresh) {
            const std::unique_ptr<Plan> plan = make_plan(session, request.query(), answer);
            demand(plan != nullptr, of.name + ": plan_create answers " + describe(answer));
            for (int again = 0; again < 2; ++again) {
                answer = run_plan(session, *plan, request.call());
                demand(answer.ok(), of.name + ": plan_run answers " + describe(answer));
                std::vector<std::uint8_t> now = produced(of);
                demand(before.empty() || now == before, of.name + ": two runs give different bits");
                before = std::move(now);
            }
        }
        ++ran;
    }
    if (ran == 0) throw NothingToCheck("nothing runs");
    return counted(ran, "cases");
}

std::string check_lists(const Arguments& arguments, std::uint32_t op) {
    Session session(arguments);
    const vdt_op_support support = offered(session, op);
    // The case that gives most items.
    std::vector<Case> cases = make_cases(op, support.input_formats, support.output_formats, Shape{});
    Case* most = nullptr;
    std::uint64_t items = 0;
    for (Case& of : cases) {
        if (of.lists_out.empty() || run_case(session, of) == Outcome::refused) continue;
        if (of.lists_out[0].view().count > items) {
            items = of.lists_out[0].view().count;
            most = &of;
        }
    }
    if (most == nullptr || items < 2) throw NothingToCheck("no case gives two items");
    const std::uint32_t item_size = most->lists_out[0].view().item_size;
    std::vector<std::uint8_t> all = produced(*most);
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(items * item_size));  // without output images
    const bool sized_outputs = op == VDT_OP_FEATURES;  // its descriptors are as many as the list holds

    for (const std::uint64_t capacity : {std::uint64_t{0}, std::uint64_t{1}, items - 1, items, items + 3}) {
        if (sized_outputs && capacity != items) continue;
        for (const std::uint32_t stride : {item_size, item_size + 8}) {
            most->lists_out.clear();
            most->lists_out.emplace_back(stride, capacity);
            if (capacity == 0) most->lists_out[0].view().items = nullptr;
            Request request(*most);
            Answer answer;
            const std::unique_ptr<Plan> plan = make_plan(session, request.query(), answer);
            demand(plan != nullptr, most->name + ": plan_create answers " + describe(answer));
            answer = run_plan(session, *plan, request.call());
            const vdt_list& list = most->lists_out[0].view();
            const std::string where =
                "room for " + std::to_string(capacity) + " of " + std::to_string(items) + " items: ";
            const vdt_code expected = capacity < items ? VDT_INCOMPLETE : VDT_OK;
            demand(answer.code == expected,
                   where + "plan_run answers " + describe(answer) + ", not " + code_text(expected));
            demand(list.needed == items, where + "`needed` is " + std::to_string(list.needed));
            demand(list.count == std::min(items, capacity), where + "`count` is " + std::to_string(list.count));
            if (capacity > 0)
                demand(!most->lists_out[0].written_behind(), where + "it wrote behind the end of the list");
            if (!most->lists_in.empty()) continue;
            const auto* first = static_cast<const std::uint8_t*>(list.items);
            for (std::uint64_t i = 0; i < list.count; ++i)
                demand(std::equal(first + i * stride, first + i * stride + item_size,
                                  all.begin() + static_cast<std::ptrdiff_t>(i * item_size)),
                       where + "item " + std::to_string(i) + " is not the same as with room for all");
        }
    }
    session.close();
    return counted(static_cast<std::uint32_t>(items), "items");
}

}  // namespace vedette::conformance
