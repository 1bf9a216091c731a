// The parts that cases of all operations share: an operation with everything it needs, and the case that runs it.
#pragma once

#include "bench_cases.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vedette::cli {

// Items of one list, with the view of them that an operation takes.
class ItemList {
public:
    // Room for `capacity` items of `item_bytes` bytes; none of them counts yet.
    ItemList(std::size_t item_bytes, std::uint64_t capacity);
    template <class Item>
    static ItemList of(const std::vector<Item>& items) {
        ItemList list(sizeof(Item), items.size());
        list.assign(items.data(), items.size());
        return list;
    }

    vdt_list* view() { return &view_; }
    const vdt_list* view() const { return &view_; }
    std::size_t bytes() const { return data_.size() * sizeof(data_[0]); }

    ItemList(ItemList&&) noexcept = default;
    ItemList& operator=(ItemList&&) noexcept = default;

private:
    void assign(const void* items, std::uint64_t count);

    std::vector<std::uint64_t> data_;  // aligned to eight bytes, as lists must be
    vdt_list view_{};
};

// One operation with everything it needs, shared by the functions of a case.
struct Work {
    vdt_op op = 0;
    std::shared_ptr<const void> params;  // the operation's struct; what its pointers name is kept in `kept`
    std::shared_ptr<const void> kept;
    std::vector<Picture> inputs;  // an empty picture stands for an input left out
    std::vector<Picture> outputs;
    std::vector<ItemList> lists_in;
    std::vector<ItemList> lists_out;
    // Views of them all, made by `finish`.
    std::vector<vdt_image> views;
    std::vector<const vdt_image*> in;
    std::vector<const vdt_image*> out;
    std::vector<const vdt_list*> from;
    std::vector<vdt_list*> to;

    template <class Params>
    Work(vdt_op operation, const Params& parameters) : op(operation), params(std::make_shared<Params>(parameters)) {}

    // After pictures and lists are there, and before the work is used.
    void finish();
    // That have to be read and written at least.
    double bytes() const;
};

RunFacts facts_of(const vdt_run_info& info);

// Gives `one` the peer's function for the work's operation, when there is one. `what` tells the work from others of the
// same function.
void set_peer(const BenchSetting& setting, const std::shared_ptr<Work>& work, const std::string& what, BenchCase& one);

// A case that runs the operation itself. Finishes the work.
BenchCase operation_case(const BenchSetting& setting, const std::string& name, const std::shared_ptr<Work>& work);

struct Size {
    std::uint32_t width, height;
};

// Small screens are searched for smaller things.
Size pattern_size(const BenchScreen& screen, std::uint32_t side);
std::string size_text(Size size);  // "64x64"

}  // namespace vedette::cli
