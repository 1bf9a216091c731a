// What the benchmark runs: each operation on each screen.
#pragma once

#include "bench_peer_library.h"
#include "bench_picture.h"
#include "library.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vedette::cli {

// Who did a run.
struct RunFacts {
    std::string device;
    std::string variant;
    double predicted_ms = -1;
};

struct Work;  // bench_work.h

struct BenchCase {
    std::string name;       // "1920x1080 gray 64x64 >= 0.9"
    std::string residency;  // "host": inputs come from ordinary memory each time; "resident": the screen is reused
    double bytes = 0;       // that have to be read and written at least
    // `backend`: NAME:DEVICE. Problem when it fails.
    std::function<RunFacts(const std::string& backend)> run;
    std::function<void()> peer;          // empty when there is none
    std::string peer_name;               // "cv::integral (OpenCV 4.6.0)", ""
    std::string peer_work;               // cases with the same text ask the same of the peer: it is measured once
    std::shared_ptr<const Work> work{};  // what is also measured with its images on the device; NULL = only as above
};

// A screen to run on.
struct BenchScreen {
    std::string name;  // "1920x1080"
    Picture bgr;
};

struct BenchSetting {
    vdt_context* context;
    const vedette_bench_peer* peer;  // NULL = none
    bool quick;                      // fewer cases
    std::string cascade;             // classifier of cascade_detect; empty = OpenCV's, where it is installed
};

// The operations there are cases for.
const std::vector<vdt_op>& benchmarked_operations();
// The cases of one operation on a screen; empty when it makes none of that size. One function an operation, in the file
// bench_<operation>.cc. With `setting.quick` as few as tell enough: all operations together must take under a minute.
std::vector<BenchCase> cascade_detect_cases(const BenchSetting& setting, const BenchScreen& screen);
std::vector<BenchCase> convert_cases(const BenchSetting& setting, const BenchScreen& screen);
std::vector<BenchCase> fft2_cases(const BenchSetting& setting, const BenchScreen& screen);
std::vector<BenchCase> filter_cases(const BenchSetting& setting, const BenchScreen& screen);
std::vector<BenchCase> group_cases(const BenchSetting& setting, const BenchScreen& screen);
std::vector<BenchCase> features_cases(const BenchSetting& setting, const BenchScreen& screen);
std::vector<BenchCase> feature_match_cases(const BenchSetting& setting, const BenchScreen& screen);
std::vector<BenchCase> integral_cases(const BenchSetting& setting, const BenchScreen& screen);
std::vector<BenchCase> pyramid_cases(const BenchSetting& setting, const BenchScreen& screen);
std::vector<BenchCase> resize_cases(const BenchSetting& setting, const BenchScreen& screen);
std::vector<BenchCase> restore_cases(const BenchSetting& setting, const BenchScreen& screen);
std::vector<BenchCase> template_find_cases(const BenchSetting& setting, const BenchScreen& screen);
std::vector<BenchCase> template_map_cases(const BenchSetting& setting, const BenchScreen& screen);
// Cases of `op` on `screen`; they keep copies of what they need and the setting's pointers.
std::vector<BenchCase> make_cases(const BenchSetting& setting, vdt_op op, const BenchScreen& screen);

}  // namespace vedette::cli
