// When devices are opened that are not needed yet.
#pragma once

namespace vedette::host {

// Opening a GPU takes longer than most calls: a program that finds one element must not wait for it, and one that finds
// thousands should.
enum class Opening {
    // Once the calls that were done without it have taken as long as opening it will: then all time spent is at most
    // twice that of knowing beforehand what would be asked [the ski-rental rule].
    WhenItPays,
    AtOnce  // with the first call that it could do
};

}  // namespace vedette::host
