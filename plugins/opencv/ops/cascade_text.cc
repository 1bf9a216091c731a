#include "cascade_text.h"

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "cascade_check.h"
#include "op.h"

namespace vedette::opencv {

namespace {

constexpr std::size_t longest_text = std::size_t{64} << 20;  // OpenCV's own classifiers have up to 4 MB
constexpr int deepest_nesting = 32;                          // theirs have 9

// OpenCV's XML reader calls itself for every level, so that a text of nothing but opening tags would overflow the
// stack.
void check_nesting(std::string_view text) {
    int depth = 0;
    for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
        const std::string_view rest = text.substr(at);
        if (rest.starts_with("<!--")) {
            const std::size_t end = rest.find("-->");
            if (end == std::string_view::npos) damaged("a comment does not end");
            at += end;
        } else if (rest.starts_with("</")) {
            --depth;
        } else if (!rest.starts_with("<?") && !rest.starts_with("<!")) {
            const std::size_t end = rest.find('>');
            if (end == std::string_view::npos) damaged("a tag does not end");
            if (rest[end - 1] != '/') ++depth;
        }
        if (depth > deepest_nesting) damaged("its elements are nested too deeply");
    }
}

// Classifiers of the old format hold the features in the trees; the new format keeps them in a list of their own.
// OpenCV converts when it loads from a file by name, not from memory, and does not count the rectangles.
class OldFormat {
public:
    explicit OldFormat(const cv::FileNode& root) : root_(root) {}

    static bool is(const cv::FileNode& root) {
        return root.isMap() && !root["size"].empty() && root["stageType"].empty();
    }

    std::string converted() {
        const cv::FileNode size = member(root_, "size");
        if (!size.isSeq() || size.size() != 2) damaged("size does not hold a width and a height");
        cv::FileStorage out(".yml", cv::FileStorage::WRITE | cv::FileStorage::MEMORY);
        out << "cascade"
            << "{"
            << "stageType"
            << "BOOST"
            << "featureType"
            << "HAAR";
        out << "height" << whole_number(size[1], "size") << "width" << whole_number(size[0], "size");
        out << "featureParams"
            << "{"
            << "maxCatCount" << 0 << "}";
        out << "stages"
            << "[";
        const cv::FileNode stages = member(root_, "stages");
        for (const cv::FileNode& stage : stages) write_stage(stage, out);
        if (stages.size() == 1) write_stage(*stages.begin(), out);  // as single_stage_twice does
        out << "]"
            << "features"
            << "[";
        for (const cv::FileNode& feature : features_) write_feature(feature, out);
        out << "]"
            << "}";
        return out.releaseAndGetString();
    }

private:
    void write_stage(const cv::FileNode& stage, cv::FileStorage& out) {
        out << "{"
            << "stageThreshold" << number(member(stage, "stage_threshold"), "stage_threshold");
        out << "weakClassifiers"
            << "[";
        for (const cv::FileNode& tree : member(stage, "trees")) write_tree(tree, out);
        out << "]"
            << "}";
    }

    void write_tree(const cv::FileNode& tree, cv::FileStorage& out) {
        std::vector<float> leaves;
        out << "{"
            << "internalNodes"
            << "[:";
        for (const cv::FileNode& node : tree) {
            const int left = child(node, "left_val", "left_node", leaves);
            const int right = child(node, "right_val", "right_node", leaves);
            out << left << right << static_cast<int>(features_.size());
            out << static_cast<float>(number(member(node, "threshold"), "threshold"));
            features_.push_back(member(node, "feature"));
        }
        out << "]"
            << "leafValues"
            << "[:";
        for (const float leaf : leaves) out << leaf;
        out << "]"
            << "}";
    }

    // What a node leads to: a later node, or a leaf by its negative index.
    static int child(const cv::FileNode& node, const char* value_name, const char* node_name,
                     std::vector<float>& leaves) {
        const cv::FileNode value = node.isMap() ? node[value_name] : cv::FileNode();
        if (value.empty()) return whole_number(member(node, node_name), node_name);
        leaves.push_back(static_cast<float>(number(value, value_name)));
        return 1 - static_cast<int>(leaves.size());
    }

    static void write_feature(const cv::FileNode& feature, cv::FileStorage& out) {
        out << "{"
            << "rects"
            << "[";
        int written = 0;
        for (const cv::FileNode& rectangle : member(feature, "rects")) {
            if (!rectangle.isSeq() || rectangle.size() != 5) damaged("a feature's rectangle has not five numbers");
            const auto weight = static_cast<float>(number(rectangle[4], "a rectangle's weight"));
            // A third rectangle without weight stands for none.
            if (written >= 2 && std::abs(weight) < std::numeric_limits<float>::epsilon()) break;
            out << "[:";
            for (int i = 0; i < 4; ++i) out << whole_number(rectangle[i], "a feature's rectangle");
            out << weight << "]";
            ++written;
        }
        out << "]";
        const cv::FileNode tilted = feature["tilted"];
        if (!tilted.empty() && whole_number(tilted, "tilted") != 0) out << "tilted" << 1;
        out << "}";
    }

    cv::FileNode root_;
    std::vector<cv::FileNode> features_;
};

// cv::CascadeClassifier takes flat windows for detections when it tells weights and there is but one stage. The same
// stage twice detects the same.
std::string single_stage_twice(std::string text) {
    const std::string begin = "<stages>", end = "</stages>";
    const std::size_t first = text.find(begin), last = text.find(end);
    if (first == std::string::npos || last == std::string::npos || last < first)
        damaged("stages does not stand in tags of its own");
    return text.insert(last, text.substr(first + begin.size(), last - first - begin.size()));
}

CascadeText parsed(const std::string& text) {
    CascadeText cascade;
    try {
        if (!cascade.storage.open(text, cv::FileStorage::READ | cv::FileStorage::MEMORY))
            damaged("it cannot be parsed");
        cascade.root = cascade.storage.getFirstTopLevelNode();
    } catch (const cv::Exception& exception) {
        damaged("it cannot be parsed: " + exception.err.substr(0, exception.err.find('\n')));
    }
    return cascade;
}

}  // namespace

CascadeText read_cascade(const std::string& text) {
    if (text.size() > longest_text)
        throw Failure(VDT_E_UNSUPPORTED_SIZE, "the cascade has " + std::to_string(text.size()) + " bytes of text; " +
                                                  std::to_string(longest_text) + " is the most");
    std::string_view content = text;
    if (content.starts_with("\xef\xbb\xbf")) content.remove_prefix(3);  // byte order mark
    if (!content.starts_with("<?xml")) damaged("it is not XML");
    check_nesting(content);
    CascadeText cascade = parsed(text);
    if (OldFormat::is(cascade.root)) cascade = parsed(OldFormat(cascade.root).converted());
    check_cascade(cascade.root);
    if (cascade.root["stages"].size() == 1) {
        cascade = parsed(single_stage_twice(text));
        check_cascade(cascade.root);
    }
    return cascade;
}

}  // namespace vedette::opencv
