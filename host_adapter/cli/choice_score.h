// How good predictions and choices were, from calls of which every candidate was measured.
#pragma once

#include "output.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace vedette::cli {

// Collects calls that were explained with every candidate measured.
class ChoiceScore {
public:
    // `document`: of vdt_explain_stop. Calls with no measured candidate count for nothing.
    void add(const std::string& name, const std::string& residency, const Json& document);

    Json json() const;
    std::string text() const;

private:
    struct Candidate {
        std::string backend;  // "cuda:1"
        std::string variant;
        double predicted_ms = 0;
        double measured_ms = 0;
        double efficiency = 1;
        Json terms;  // as in the document
    };
    struct Row {
        std::string op;
        std::string name;
        std::string residency;
        bool data_dependent = false;
        std::vector<Candidate> candidates;
    };
    // Absolute relative errors of one operation on one backend.
    struct Errors {
        std::size_t calls = 0;
        double median = 0;
        double most_of_all = 0;  // 95th percentile
    };
    // Of taking, in every row, what is predicted to be fastest among the candidates of `backend`; "" = among all.
    struct Outcome {
        std::size_t rows = 0;
        double milliseconds = 0;
        double best_milliseconds = 0;  // of the same rows, with the best of all candidates
        double worst = 0;              // regret of one row
        std::string worst_row;
        std::size_t clear = 0;  // rows where another backend's best is over 10 % slower than the best
        std::size_t right = 0;  // of these, those where the best backend was taken
        // Rows where the choice among all candidates takes over 5 % longer than this, and the most by which it does.
        std::size_t beaten = 0;
        double most_beaten = 0;
        double regret() const { return best_milliseconds > 0 ? milliseconds / best_milliseconds - 1 : 0; }
    };

    static const Candidate* taken_of(const Row& row, const std::string& backend);
    // By operation and backend; also of all "regular" and all "data-dependent" operations.
    std::map<std::pair<std::string, std::string>, Errors> errors() const;
    Outcome outcome(const std::string& backend) const;
    std::vector<std::string> backends() const;

    std::vector<Row> rows_;
};

}  // namespace vedette::cli
