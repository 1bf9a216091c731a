#include "result_check.h"

#include "failure.h"

#include <cmath>
#include <cstring>

namespace vedette::host {
namespace {

[[noreturn]] void broken(const std::string& what) {
    throw Failure(VDT_E_CONTRACT, "Its result cannot be: " + what + ".");
}

template <class T>
T entry(const vdt_list& list, std::uint64_t index) {
    T value;
    std::memcpy(&value, static_cast<const char*>(list.items) + index * list.item_size, sizeof value);
    return value;
}

std::string place(std::uint64_t index) {
    return "entry " + std::to_string(index);
}

// Sums tell of all their terms at once; what a sum loses to its range is looked at again.
bool all_finite(const vdt_item& item) {
    return std::isfinite(double{item.x} + double{item.y} + double{item.w} + double{item.h} + item.score) ||
           (std::isfinite(item.x) && std::isfinite(item.y) && std::isfinite(item.w) && std::isfinite(item.h) &&
            std::isfinite(item.score));
}

void check_items(const Operation& operation, const vdt_list& list) {
    const bool find = operation.op == VDT_OP_TEMPLATE_FIND;
    const auto* const params = find ? static_cast<const vdt_template_find_params*>(operation.params) : nullptr;
    const std::uint32_t scales = find && params->scales != nullptr ? params->scale_count : 1;
    const OperationImage& scene = operation.inputs[0];
    const double width = scene.shared != nullptr ? scene.shared->image().width() : scene.view.width;
    const double height = scene.shared != nullptr ? scene.shared->image().height() : scene.view.height;
    // The caller reads pixels at the places a find gives.
    const auto inside_scene = [&](const vdt_item& item) {
        return item.x >= 0 && item.y >= 0 && double{item.x} + item.w <= width && double{item.y} + item.h <= height;
    };
    vdt_item before{};
    for (std::uint64_t i = 0; i < list.count; ++i) {
        const auto item = entry<vdt_item>(list, i);
        if (!all_finite(item)) broken(place(i) + " holds a number that is not finite");
        if (item.w < 0 || item.h < 0) broken(place(i) + " has a negative size");
        if (!find) continue;
        if (item.score < -1 || item.score > 1) broken(place(i) + " has the score " + std::to_string(item.score));
        if (item.score < params->threshold) broken(place(i) + " lies below the threshold");
        if (item.pattern >= params->pattern_count) broken(place(i) + " names a pattern that was not asked for");
        if (item.scale >= scales) broken(place(i) + " names a scale that was not asked for");
        if (!inside_scene(item)) broken(place(i) + " lies outside the scene");
        const bool ordered =
            i == 0 || item.pattern > before.pattern || (item.pattern == before.pattern && item.score <= before.score);
        if (!ordered) broken(place(i) + " is not in the order of patterns and scores");
        before = item;
    }
}

void check_keypoints(const vdt_list& list) {
    for (std::uint64_t i = 0; i < list.count; ++i) {
        const auto point = entry<vdt_keypoint>(list, i);
        if (!std::isfinite(point.x) || !std::isfinite(point.y) || !std::isfinite(point.size) ||
            !std::isfinite(point.angle) || !std::isfinite(point.response))
            broken(place(i) + " holds a number that is not finite");
    }
}

void check_pairs(const Operation& operation, const vdt_list& list) {
    for (std::uint64_t i = 0; i < list.count; ++i) {
        const auto pair = entry<vdt_descriptor_match>(list, i);
        if (!std::isfinite(pair.distance)) broken(place(i) + " holds a number that is not finite");
        if (pair.query >= operation.lists_in[0]->count || pair.train >= operation.lists_in[1]->count)
            broken(place(i) + " names a keypoint that is not there");
    }
}

}  // namespace

void check_results(const Operation& operation, vdt_code code) {
    if (code != VDT_OK && code != VDT_INCOMPLETE)
        broken("the code " + std::to_string(code) + " is no success of a run");
    bool more = false;
    for (const vdt_list* list : operation.lists_out) {
        if (list->count > list->capacity) broken("a list holds more than it has room for");
        if (list->count > list->needed) broken("a list says that fewer were found than it holds");
        more = more || list->needed > list->capacity;
    }
    if (code == VDT_INCOMPLETE && !more) broken("it says VDT_INCOMPLETE though every list had room");
    for (const vdt_list* list : operation.lists_out) {
        switch (operation.op) {
            case VDT_OP_TEMPLATE_FIND:
            case VDT_OP_CASCADE_DETECT:
            case VDT_OP_GROUP:
                check_items(operation, *list);
                break;
            case VDT_OP_FEATURES:
                check_keypoints(*list);
                break;
            case VDT_OP_FEATURE_MATCH:
                check_pairs(operation, *list);
                break;
            default:
                break;
        }
    }
}

}  // namespace vedette::host
