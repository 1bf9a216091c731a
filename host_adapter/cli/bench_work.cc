#include "bench_work.h"

#include "table.h"

#include <cstring>

namespace vedette::cli {

ItemList::ItemList(std::size_t item_bytes, std::uint64_t capacity)
    : data_((item_bytes * capacity + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t)) {
    view_.struct_size = sizeof view_;
    view_.item_size = static_cast<std::uint32_t>(item_bytes);
    view_.capacity = capacity;
    view_.items = data_.data();
}

void ItemList::assign(const void* items, std::uint64_t count) {
    if (count != 0) {
        std::memcpy(data_.data(), items, count * view_.item_size);
    }
    view_.count = count;
    view_.needed = count;
}

void Work::finish() {
    views.reserve(inputs.size() + outputs.size());
    for (auto* side : {&inputs, &outputs}) {
        for (const Picture& picture : *side) {
            vdt_image none{};
            none.struct_size = sizeof none;
            views.push_back(picture.width() == 0 ? none : picture.view());
            (side == &inputs ? in : out).push_back(&views.back());
        }
    }
    for (const ItemList& list : lists_in) {
        from.push_back(list.view());
    }
    for (ItemList& list : lists_out) {
        to.push_back(list.view());
    }
}

double Work::bytes() const {
    double sum = 0;
    for (const auto* side : {&inputs, &outputs}) {
        for (const Picture& picture : *side) {
            sum += static_cast<double>(picture.bytes());
        }
    }
    for (const ItemList& list : lists_in) {
        sum += static_cast<double>(list.bytes());
    }
    return sum;
}

RunFacts facts_of(const vdt_run_info& info) {
    return {info.device, info.variant, info.predicted_ms};
}

void set_peer(const BenchSetting& setting, const std::shared_ptr<Work>& work, const std::string& what, BenchCase& one) {
    const char* function = setting.peer != nullptr ? setting.peer->function(work->op) : nullptr;
    if (function == nullptr) {
        return;
    }
    one.peer_name = std::string(function) + " (" + setting.peer->name + ")";
    one.peer_work = one.peer_name + " " + what;
    one.peer = [peer = setting.peer, work] {
        char text[240] = {};
        if (peer->run(work->op, work->params.get(), work->in.data(), work->out.data(), work->from.data(),
                      work->to.data(), text, sizeof text) != 0) {
            throw Problem(VDT_E_INTERNAL, std::string(peer->name) + " failed: " + text);
        }
    };
}

BenchCase operation_case(const BenchSetting& setting, const std::string& name, const std::shared_ptr<Work>& work) {
    work->finish();
    BenchCase one;
    one.name = name;
    one.residency = "host";
    one.bytes = work->bytes();
    one.run = [context = setting.context, work](const std::string& backend) {
        vdt_run_info info{};
        info.struct_size = sizeof info;
        const auto count = [](const auto& entries) { return static_cast<std::uint32_t>(entries.size()); };
        checked([&](vdt_error* error) {
            return vdt_run_operation(context, work->op, work->params.get(), work->in.data(), count(work->in),
                                     work->out.data(), count(work->out), work->from.data(), count(work->from),
                                     work->to.data(), count(work->to), backend.c_str(), &info, error);
        });
        return facts_of(info);
    };
    set_peer(setting, work, name, one);
    one.work = work;
    return one;
}

Size pattern_size(const BenchScreen& screen, std::uint32_t side) {
    return screen.bgr.height() < 300 ? Size{48, 24} : Size{side, side};
}

std::string size_text(Size size) {
    return format("%ux%u", size.width, size.height);
}

}  // namespace vedette::cli
