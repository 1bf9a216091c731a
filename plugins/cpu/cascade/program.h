// A model made ready for the kernels: corners as distances between sums, leaves in whole numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "cascade/feature_form.h"
#include "cascade/model.h"
#include "cascade/whole_leaves.h"
#include "kernels/cascade.h"

namespace vedette::cpu::cascade {

using namespace vedette::cascade;

// How rows of sums of a strip lie in memory.
struct Layout {
    std::int32_t pitch = 0;   // elements from a row of pixels to the next
    std::int32_t half = 0;    // where odd columns begin; 0 = windows stand at every pixel and columns lie together
    std::int32_t tilted = 0;  // from the sums to the tilted sums

    std::int32_t column(int x) const { return half == 0 ? x : (x % 2) * half + x / 2; }
    std::int32_t place(int x, int y) const { return y * pitch + column(x); }
};

class Program {
public:
    Program(const Model& model, const Layout& layout);
    // Valid as long as the program.
    const CascadeProgram& view() const { return view_; }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

private:
    void add_stage(const Model& model, const Stage& stage, const WholeStage& whole);
    CascadeHaarNode haar_node(const Node& node, const HaarFeature& feature) const;
    CascadeLbpNode lbp_node(const Rectangle& block, const std::int32_t* subset) const;
    CascadeStump stump(const CascadeHaarNode& node, const HaarFeature& feature) const;
    std::int32_t place(const Corner& corner, bool tilted) const {
        return layout_.place(corner.x, corner.y) + (tilted ? layout_.tilted : 0);
    }

    Layout layout_;
    std::vector<CascadeStage> stages_;
    std::vector<CascadeStump> stumps_;
    std::vector<CascadeTree> trees_;
    std::vector<CascadeBranch> branches_;
    std::vector<CascadeHaarNode> haar_;
    std::vector<CascadeLbpNode> lbp_;
    std::vector<float> leaves_;
    std::vector<std::int32_t> whole_leaves_;
    CascadeProgram view_{};
};

}  // namespace vedette::cpu::cascade
