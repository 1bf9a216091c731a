// Line charts with logarithmic axes, as SVG. Written here since all that is needed is lines, ticks and a legend: a
// plotting library would be the largest dependency of the command.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace vedette::cli {

struct PlotLine {
    std::string name;                               // in the legend; lines of one name share a colour
    bool dashed = false;                            // without markers
    std::vector<std::pair<double, double>> points;  // x and y above 0; others are left out
};

// A vertical line with a text.
struct PlotMark {
    double x;
    std::string text;
};

struct Plot {
    std::string title, subtitle, x_name, y_name;
    std::vector<std::pair<double, std::string>> x_ticks;
    std::vector<PlotLine> lines;
    std::vector<PlotMark> marks;
};

// A document of 960 x 600. Texts may hold any characters. Says so where there are no points.
std::string svg_of(const Plot& plot);

}  // namespace vedette::cli
