#include "cascade/model.h"

#include <vedette/plugin/cpp/guard.hpp>

#include <cmath>
#include <limits>
#include <string>

#include "cascade/xml.h"

namespace vedette::cascade {

using plugin::Failure;

namespace {

constexpr int longest_side = 4096;         // of a window; OpenCV's own classifiers have up to 80
constexpr float threshold_margin = 1e-5F;  // cv::CascadeClassifier lowers every stage's threshold by it
constexpr std::uint32_t most_nodes = 256;  // of one tree; theirs have up to 3

int whole_member(const Document& document, const Element& parent, const char* name) {
    return whole_number(document.member(parent, name).text, name);
}

// The children of a list that must not be empty.
const Element& list(const Document& document, const Element& parent, const char* name) {
    const Element& found = document.member(parent, name);
    if (found.children == 0) damaged(std::string(name) + " is empty");
    return found;
}

class Reader {
public:
    explicit Reader(const Document& document) : document_(document) {}
    virtual ~Reader() = default;

    Model take() {
        read();
        check_trees();
        straighten_stumps();
        return std::move(model_);
    }

protected:
    virtual void read() = 0;

    template <class Each>
    void each(const Element& parent, const Each& visit) {
        for (const Element* child = document_.first_child(parent); child != nullptr; child = document_.next(*child))
            visit(*child);
    }

    void set_window(int width, int height) {
        // Haar sums are normalised over the window without its border of one pixel.
        if (width < 3 || height < 3 || width > longest_side || height > longest_side)
            damaged("the window of " + std::to_string(width) + " x " + std::to_string(height) +
                    " is not of 3 to 4096 pixels a side");
        model_.width = width;
        model_.height = height;
    }

    void begin_stage(double threshold) {
        model_.stages.push_back(
            {static_cast<std::uint32_t>(model_.trees.size()), 0, static_cast<float>(threshold) - threshold_margin});
    }

    void begin_tree() {
        ++model_.stages.back().trees;
        model_.trees.push_back(
            {static_cast<std::uint32_t>(model_.nodes.size()), 0, static_cast<std::uint32_t>(model_.leaves.size()), 0});
    }

    void add_node(const Node& node) {
        if (model_.trees.back().nodes == most_nodes) damaged("a tree has more than 256 nodes");
        ++model_.trees.back().nodes;
        model_.nodes.push_back(node);
    }

    void add_leaf(double value) {
        ++model_.trees.back().leaves;
        model_.leaves.push_back(static_cast<float>(value));
    }

    // Rectangles of a Haar feature, each five words. `weightless`: a third one without weight stands for none.
    void add_haar(const Element& feature, bool weightless = false) {
        HaarFeature read{};
        const Element* const tilted = document_.find(feature, "tilted");
        read.tilted = tilted != nullptr && whole_number(tilted->text, "tilted") != 0;
        const Element& rectangles = list(document_, feature, "rects");
        if (rectangles.children < 2 || rectangles.children > 3)
            damaged("a feature has " + std::to_string(rectangles.children) + " rectangles, not two or three");
        std::size_t i = 0;
        each(rectangles, [&](const Element& element) {
            Words words(element.text);
            const Rectangle rectangle = take_rectangle(words);
            const auto weight = static_cast<float>(number(words.next(), "a rectangle's weight"));
            if (!words.next().empty()) damaged("a feature's rectangle has more than five numbers");
            if (i == 2 && weightless && std::abs(weight) < std::numeric_limits<float>::epsilon()) return;
            check_inside(rectangle, read.tilted);
            read.rectangle[i] = rectangle;
            read.weight[i] = weight;
            ++i;
        });
        model_.has_tilted = model_.has_tilted || read.tilted;
        model_.haar.push_back(read);
    }

    static Rectangle take_rectangle(Words& words) {
        int side[4] = {};
        for (int& value : side) {
            value = whole_number(words.next(), "a feature's rectangle");
            if (value < 0 || value > longest_side) damaged("a feature's rectangle lies outside the window");
        }
        return {side[0], side[1], side[2], side[3]};
    }

    void check_inside(const Rectangle& r, bool tilted) const {
        if (r.w == 0 || r.h == 0) damaged("a feature's rectangle is empty");
        if (r.x + r.w > model_.width || r.y + r.h > model_.height)
            damaged("a feature's rectangle lies outside the window");
        if (tilted && (r.x - r.h < 0 || r.y + r.w + r.h > model_.height))
            damaged("a tilted rectangle lies outside the window");
    }

    const Document& document_;
    Model model_;

private:
    void check_trees() const {
        const auto features =
            static_cast<int>(model_.kind == FeatureKind::haar ? model_.haar.size() : model_.lbp.size());
        for (const Tree& tree : model_.trees) {
            for (std::uint32_t i = 0; i < tree.nodes; ++i) {
                const Node& node = model_.nodes[tree.first_node + i];
                check_child(node.left, i, tree);
                check_child(node.right, i, tree);
                if (node.feature < 0 || node.feature >= features)
                    damaged("a tree node uses feature " + std::to_string(node.feature) + " of " +
                            std::to_string(features));
            }
        }
    }

    // Where no tree has a second node OpenCV takes the first leaf for left and the second for right, whatever the nodes
    // say.
    void straighten_stumps() {
        for (const Tree& tree : model_.trees)
            if (tree.nodes != 1) return;
        for (Node& node : model_.nodes) {
            node.left = 0;
            node.right = -1;
        }
    }

    // Only later nodes, so that every path ends.
    static void check_child(int child, std::uint32_t index, const Tree& tree) {
        const bool is_leaf = child <= 0 && -std::int64_t{child} < std::int64_t{tree.leaves};
        const bool is_later = child > static_cast<int>(index) && child < static_cast<int>(tree.nodes);
        if (!is_leaf && !is_later) damaged("a tree node leads to a node or leaf that does not exist");
    }
};

class NewFormat final : public Reader {
public:
    using Reader::Reader;

private:
    void read() override {
        const Element& cascade = root();
        if (document_.member(cascade, "stageType").text != "BOOST") damaged("stageType is not BOOST");
        const std::string_view type = document_.member(cascade, "featureType").text;
        if (type == "HOG")
            throw Failure(VDT_E_UNSUPPORTED, "cascades of HOG features are not supported by OpenCV 3 and later");
        if (type != "HAAR" && type != "LBP") damaged("featureType is neither HAAR nor LBP");
        model_.kind = type == "HAAR" ? FeatureKind::haar : FeatureKind::lbp;
        set_window(whole_member(document_, cascade, "width"), whole_member(document_, cascade, "height"));
        const int codes = whole_member(document_, document_.member(cascade, "featureParams"), "maxCatCount");
        if (codes != (model_.kind == FeatureKind::haar ? 0 : 32 * lbp_subset_words))
            damaged("maxCatCount does not fit the type of features");
        each(list(document_, cascade, "features"), [&](const Element& feature) { read_feature(feature); });
        each(list(document_, cascade, "stages"), [&](const Element& stage) { read_stage(stage); });
    }

    const Element& root() const {
        const Element* const cascade = document_.first_child(document_.root());
        if (cascade == nullptr) damaged("there is no classifier in it");
        return *cascade;
    }

    void read_feature(const Element& feature) {
        if (model_.kind == FeatureKind::haar) {
            add_haar(feature);
            return;
        }
        Words words(document_.member(feature, "rect").text);
        const Rectangle block = take_rectangle(words);
        if (!words.next().empty()) damaged("a feature's rectangle has more than four numbers");
        if (block.w == 0 || block.h == 0) damaged("a feature's rectangle is empty");
        if (block.x + 3 * block.w > model_.width || block.y + 3 * block.h > model_.height)
            damaged("a feature's three by three blocks lie outside the window");
        model_.lbp.push_back(block);
    }

    void read_stage(const Element& stage) {
        begin_stage(number(document_.member(stage, "stageThreshold").text, "stageThreshold"));
        each(list(document_, stage, "weakClassifiers"), [&](const Element& weak) {
            begin_tree();
            Words nodes(document_.member(weak, "internalNodes").text);
            for (std::string_view word = nodes.next(); !word.empty(); word = nodes.next())
                add_node(read_node(word, nodes));
            Words leaves(document_.member(weak, "leafValues").text);
            for (std::string_view word = leaves.next(); !word.empty(); word = leaves.next())
                add_leaf(number(word, "a leaf value"));
            const Tree& tree = model_.trees.back();
            if (tree.nodes == 0) damaged("internalNodes is empty");
            if (tree.leaves != tree.nodes + 1) damaged("leafValues does not hold one value more than there are nodes");
        });
    }

    Node read_node(std::string_view word, Words& words) {
        Node node{};
        node.left = whole_number(word, "a tree node");
        node.right = whole_number(words.next(), "a tree node");
        node.feature = whole_number(words.next(), "a tree node");
        if (model_.kind == FeatureKind::haar) {
            node.threshold = static_cast<float>(number(words.next(), "a node's threshold"));
        } else {
            for (int i = 0; i < lbp_subset_words; ++i)
                model_.subsets.push_back(whole_number(words.next(), "a node's subset"));
        }
        return node;
    }
};

// The format of OpenCV 1: <size>, and in each node its feature, threshold, and values or later nodes.
class OldFormat final : public Reader {
public:
    using Reader::Reader;

private:
    void read() override {
        const Element& cascade = *document_.first_child(document_.root());
        Words size(document_.member(cascade, "size").text);
        const int width = whole_number(size.next(), "size");
        const int height = whole_number(size.next(), "size");
        if (!size.next().empty()) damaged("size has more than two numbers");
        set_window(width, height);
        each(list(document_, cascade, "stages"), [&](const Element& stage) {
            begin_stage(number(document_.member(stage, "stage_threshold").text, "stage_threshold"));
            each(list(document_, stage, "trees"), [&](const Element& tree) {
                if (tree.children == 0) damaged("a tree is empty");
                begin_tree();
                each(tree, [&](const Element& node) { read_node(node); });
            });
        });
    }

    void read_node(const Element& element) {
        Node node{};
        node.feature = static_cast<int>(model_.haar.size());
        add_haar(document_.member(element, "feature"), true);
        node.threshold = static_cast<float>(number(document_.member(element, "threshold").text, "threshold"));
        node.left = read_child(element, "left_val", "left_node");
        node.right = read_child(element, "right_val", "right_node");
        add_node(node);
    }

    int read_child(const Element& element, const char* value_name, const char* node_name) {
        const Element* const value = document_.find(element, value_name);
        if (value == nullptr) return whole_member(document_, element, node_name);
        add_leaf(number(value->text, value_name));
        return 1 - static_cast<int>(model_.trees.back().leaves);
    }
};

}  // namespace

Model read_model(std::string_view xml) {
    const Document document(xml);
    const Element* const first = document.first_child(document.root());
    const bool is_old =
        first != nullptr && document.find(*first, "size") != nullptr && document.find(*first, "stageType") == nullptr;
    return is_old ? OldFormat(document).take() : NewFormat(document).take();
}

}  // namespace vedette::cascade
