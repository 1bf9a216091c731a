#!/usr/bin/env python3
"""Runs real_cases on every named backend, compares their answers and checks the score against the figure reached.

usage: run_real_cases.py PROGRAM SHARED_DIR WORK_DIR RIGHT COMPLETE [BACKEND...]

Exits with 77 (skipped) when SHARED_DIR holds no cases, with 1 when a figure is missed or backends disagree.
"""
import json
import os
import subprocess
import sys

SKIPPED = 77


def agree(one, other):
    """The same answers; places found by local features, which lie between pixels, within half a pixel.

    Keypoints are floating-point numbers that no two implementations round alike; everything else is exact.
    """
    if one == other:
        return True
    if not isinstance(one, dict) or not isinstance(other, dict) or set(one) != set(other):
        return False
    for name in one:
        if len(one[name]) != len(other[name]):
            return False
        for a, b in zip(one[name], other[name]):
            between = any(float(a[side]) != int(a[side]) for side in "xywh")
            if a != b and not (between and abs(a["score"] - b["score"]) < 0.01 and
                               all(abs(a[side] - b[side]) < 0.5 for side in "xywh")):
                return False
    return True


def main():
    program, shared, work, least_right, least_complete = sys.argv[1:6]
    backends = sys.argv[6:] or ["auto"]
    cases = os.path.join(shared, "data", "real", "cases.json")
    score = os.path.join(shared, "tools", "score_cases.py")
    if not (os.path.exists(cases) and os.path.exists(score)):
        print("skipped: no real cases in", shared)
        return SKIPPED
    os.makedirs(work, exist_ok=True)
    failed = False
    answers = {}
    for backend in backends:
        predictions = os.path.join(work, "predictions-%s.json" % backend)
        subprocess.run([program, cases, predictions, "--backend", backend], check=True)
        report = subprocess.run([sys.executable, score, cases, predictions, "--json"], check=True, capture_output=True,
                                text=True)
        figure = json.loads(report.stdout)
        right, complete = figure["best"].get("right", 0), figure["complete"]
        print("%s: %d right, %d complete of %d; needed %s and %s" % (
            backend, right, complete, figure["expectations"], least_right, least_complete))
        failed |= right < int(least_right) or complete < int(least_complete)
        with open(predictions, encoding="utf-8") as file:
            answers[backend] = json.load(file)
    first = backends[0]
    for backend in backends[1:]:
        for case in sorted(set(answers[first]) | set(answers[backend])):
            if not agree(answers[first].get(case), answers[backend].get(case)):
                print("%s and %s answer %s differently:\n  %s\n  %s" % (
                    first, backend, case, answers[first].get(case), answers[backend].get(case)))
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
