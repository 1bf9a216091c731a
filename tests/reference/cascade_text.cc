#include "cascade_text.h"

#include <algorithm>
#include <vector>

namespace vedette::reference {

namespace {

class Maker {
public:
    Maker(std::mt19937& random, CascadeStyle style)
        : random_(random),
          style_(style),
          is_lbp_(style == CascadeStyle::lbp || style == CascadeStyle::lbp_trees),
          has_trees_(style == CascadeStyle::trees || style == CascadeStyle::lbp_trees),
          width_(between(is_lbp_ ? 6 : 5, 30)),
          height_(between(is_lbp_ ? 6 : 5, 30)) {}

    std::string text() {
        std::string stages, features;
        const int count = between(1, 5);
        for (int stage = 0; stage < count; ++stage) stages += one_stage();
        for (int i = 0; i < features_; ++i) features += is_lbp_ ? lbp_feature() : haar_feature();
        return "<?xml version=\"1.0\"?>\n<opencv_storage><cascade type_id=\"opencv-cascade-classifier\">"
               "<stageType>BOOST</stageType><featureType>" +
               std::string(is_lbp_ ? "LBP" : "HAAR") + "</featureType><height>" + std::to_string(height_) +
               "</height><width>" + std::to_string(width_) + "</width><featureParams><maxCatCount>" +
               (is_lbp_ ? "256" : "0") + "</maxCatCount></featureParams>\n<stages>" + stages + "</stages>\n<features>" +
               features + "</features></cascade></opencv_storage>\n";
    }

private:
    int between(int least, int most) {
        return least + static_cast<int>(random_() % static_cast<unsigned>(most - least + 1));
    }
    double real(double least, double most) { return std::uniform_real_distribution<double>(least, most)(random_); }

    std::string one_stage() {
        const int trees = between(1, 12);
        std::string text;
        double most = 0;
        for (int i = 0; i < trees; ++i) text += tree(most);
        // Leaves lie evenly on both sides of 0: about two thirds of all sums are above this.
        return "<_><maxWeakCount>" + std::to_string(trees) + "</maxWeakCount><stageThreshold>" +
               std::to_string(-most * 0.25) + "</stageThreshold><weakClassifiers>" + text + "</weakClassifiers></_>\n";
    }

    std::string tree(double& most) {
        const int nodes = has_trees_ ? between(1, 4) : 1;
        std::string internal, leaves;
        int leaf = 0;
        for (int i = 0; i < nodes; ++i) {
            // A chain: each node has one leaf, and the next node on a random side; the last has two leaves.
            const bool last = i + 1 == nodes;
            const int first = -leaf++;
            const int second = last ? -leaf++ : i + 1;
            const bool turned = between(0, 1) != 0;
            internal += " " + std::to_string(turned ? second : first) + " " + std::to_string(turned ? first : second) +
                        " " + std::to_string(features_++) + " ";
            if (is_lbp_)
                for (int word = 0; word < 8; ++word)
                    internal += std::to_string(static_cast<std::int32_t>(random_())) + " ";
            else
                internal += std::to_string(real(-0.04, 0.04));
        }
        double largest = 0;
        for (int i = 0; i <= nodes; ++i) {
            const double value = real(-1, 1);
            largest = std::max(largest, std::abs(value));
            leaves += " " + std::to_string(value);
        }
        most += largest;
        return "<_><internalNodes>" + internal + "</internalNodes><leafValues>" + leaves + "</leafValues></_>";
    }

    std::string lbp_feature() {
        const int w = between(1, width_ / 3), h = between(1, height_ / 3);
        return "<_><rect>" + sides(between(0, width_ - 3 * w), between(0, height_ - 3 * h), w, h) + "</rect></_>";
    }

    std::string haar_feature() {
        const bool tilted = style_ == CascadeStyle::tilted && between(0, 1) != 0;
        std::vector<std::string> rectangles;
        if (style_ == CascadeStyle::real_weights || tilted) {
            const int count = between(2, 3);
            for (int i = 0; i < count; ++i) rectangles.push_back(tilted ? tilted_rectangle() : any_rectangle());
        } else {
            rectangles = usual_rectangles();
        }
        std::string text = "<_><rects>";
        for (const std::string& rectangle : rectangles) text += "<_>" + rectangle + "</_>";
        return text + "</rects><tilted>" + (tilted ? "1" : "0") + "</tilted></_>";
    }

    static std::string sides(int x, int y, int w, int h) {
        return std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(w) + " " + std::to_string(h);
    }

    std::string any_rectangle() {
        const int w = between(1, width_), h = between(1, height_);
        return sides(between(0, width_ - w), between(0, height_ - h), w, h) + " " + std::to_string(real(-3, 3));
    }

    std::string tilted_rectangle() {
        int w = 0, h = 0;
        do {
            w = between(1, width_ - 1);
            h = between(1, width_ - 1);
        } while (w + h > width_ || w + h > height_);
        return sides(between(h, width_ - w), between(0, height_ - w - h), w, h) + " " + std::to_string(between(-3, 3)) +
               ".";
    }

    // Two halves, three strips, a middle in a frame, or four squares, as trained classifiers have them.
    std::vector<std::string> usual_rectangles() {
        const int w = between(1, width_ / 4), h = between(1, height_ / 4);
        const auto at = [&](int columns, int rows) {
            return std::pair(between(0, width_ - columns * w), between(0, height_ - rows * h));
        };
        switch (between(0, 4)) {
            case 0: {
                const auto [x, y] = at(2, 1);
                return {sides(x, y, 2 * w, h) + " -1.", sides(x + between(0, 1) * w, y, w, h) + " 2."};
            }
            case 1: {
                const auto [x, y] = at(1, 2);
                return {sides(x, y, w, 2 * h) + " -1.", sides(x, y + between(0, 1) * h, w, h) + " 2."};
            }
            case 2: {
                const auto [x, y] = at(3, 1);
                return {sides(x, y, 3 * w, h) + " -1.", sides(x + w, y, w, h) + " 3."};
            }
            case 3: {
                const auto [x, y] = at(3, 3);
                return {sides(x, y, 3 * w, 3 * h) + " -1.", sides(x + w, y + h, w, h) + " 9."};
            }
            default: {
                const auto [x, y] = at(2, 2);
                const bool falling = between(0, 1) != 0;
                return {sides(x, y, 2 * w, 2 * h) + " -1.", sides(falling ? x : x + w, y, w, h) + " 2.",
                        sides(falling ? x + w : x, y + h, w, h) + " 2."};
            }
        }
    }

    std::mt19937& random_;
    const CascadeStyle style_;
    const bool is_lbp_, has_trees_;
    const int width_, height_;
    int features_ = 0;
};

}  // namespace

std::string random_cascade(std::mt19937& random, CascadeStyle style) {
    return Maker(random, style).text();
}

}  // namespace vedette::reference
