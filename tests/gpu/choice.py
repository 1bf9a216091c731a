#!/usr/bin/env python3
"""Prints what `vedette bench --choice --json` found, beside the bars and goals.

    choice.py CHOICE.json

The bars and goals are of the model: error of predictions (median of absolute relative), share of right picks where the
gap is over 10 %, regret over the whole grid.
"""
import json
import sys

BARS = {"all regular": (0.12, 0.08), "all data-dependent": (0.25, 0.12)}


def percent(share):
    return f"{share * 100:.1f} %"


def rows_of(score):
    """Text of each line of the report."""
    yield f"{'predictions':<22} {'backend':<10} {'calls':>6} {'median':>9} {'95 % below':>11} {'bar':>7} {'goal':>7}"
    for one in score["errors"]:
        bar, goal = BARS.get(one["operation"], (None, None))
        yield (f"{one['operation']:<22} {one['backend']:<10} {one['calls']:>6} {percent(one['median']):>9} "
               f"{percent(one['percentile_95']):>11} {percent(bar) if bar else '':>7} {percent(goal) if goal else '':>7}")
    yield ""
    yield f"{'taken':<16} {'rows':>5} {'ms':>10} {'best ms':>10} {'regret':>8} {'worst':>9} {'right':>12}  worst case"
    for name, one in [("as predicted", score["choice"])] + [(f"always {k}", v) for k, v in score["always"].items()]:
        right = f"{one['right']} of {one['clear']}"
        yield (f"{name:<16} {one['rows']:>5} {one['milliseconds']:>10.1f} {one['best_milliseconds']:>10.1f} "
               f"{percent(one['regret']):>8} {percent(one['worst_regret']):>9} {right:>12}  {one['worst_case']}")
    yield ""
    choice = score["choice"]
    share = choice["right"] / choice["clear"] if choice["clear"] else 1
    yield f"right picks {percent(share)} (bar 95 %, goal 98 %); regret {percent(choice['regret'])} (bar 4 %, goal 1.5 %)"
    for name, one in score["always"].items():
        yield (f"always {name} is over 5 % faster than the choice in {one['rows_that_beat_the_choice']} rows, "
               f"by {percent(one['most_that_the_choice_was_beaten'])} at most")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        score = json.load(file)
    print("\n".join(rows_of(score)))


if __name__ == "__main__":
    main()
