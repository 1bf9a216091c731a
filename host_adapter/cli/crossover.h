// From which size of a screen on another device is the fastest.
#pragma once

#include "output.h"

#include <string>
#include <vector>

namespace vedette::cli {

// One size: the best candidate of each device, by name ("cuda:1"), with milliseconds; measured 0 = not measured.
struct PlotSize {
    struct Device {
        std::string name;
        double predicted_ms = 0;
        double measured_ms = 0;
    };
    std::string name;  // "1920x1080"
    double pixels = 0;
    std::vector<Device> devices;
};

// Where the device that is fastest changes from one size to the next: at how many pixels, on straight lines between the
// sizes in logarithms, which of them to which other.
struct Crossover {
    double pixels;
    std::string from, to;
};
// `sizes` in ascending order. Devices that a size lacks are not looked at there.
std::vector<Crossover> crossovers(const std::vector<PlotSize>& sizes, bool measured);

// The best candidates of the first call in a document of vdt_explain_stop.
std::vector<PlotSize::Device> devices_of(const Json& document);

}  // namespace vedette::cli
