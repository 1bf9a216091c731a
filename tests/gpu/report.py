#!/usr/bin/env python3
"""One table of what `vedette bench`, the peers and figures.json say. Standard library only.

usage: report.py --bench FILE... [--peers FILE...] [--checks FILE] [--figures figures.json] [--title TEXT] [--out FOLDER]

FILEs hold lines of JSON. --checks: lines of "name<TAB>passed|failed|...<TAB>text", shown above the table. Prints the
table; with --out also writes report.md and report.json there. Files that are missing count as empty: a part of
tests/gpu/run may have been left out. Exit status 0 whatever the figures are; 2 for files that cannot be read.
"""
import argparse
import json
import os
import sys

# Columns of times, by the residencies of the bench.
RESIDENCIES = ("queued", "device", "resident", "host")


def read_lines(path):
    """The objects in a file of JSON lines."""
    rows = []
    if not os.path.exists(path):
        return rows
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if not line:
                continue
            try:
                rows.append(json.loads(line))
            except json.JSONDecodeError as error:
                raise ValueError(f"{path}, line {number}, is no JSON: {error}") from None
    return rows


def read_checks(path):
    checks = []
    if path and os.path.exists(path):
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                parts = line.rstrip("\n").split("\t")
                if len(parts) >= 2:
                    checks.append({"name": parts[0], "outcome": parts[1], "text": "\t".join(parts[2:])})
    return checks


def merge_bench(rows):
    """{(op, case): {residency: row}}, in the order of the rows; a later measurement replaces an earlier one."""
    cases = {}
    for row in rows:
        cases.setdefault((row["op"], row["case"]), {})[row.get("residency")] = row
    return cases


def time_of(row, parts=1):
    """Median in microseconds, None when it was not measured."""
    if row is None or "skipped" in row or row.get("ms") is None or row["ms"] < 0:
        return None
    return row["ms"] * 1000 / parts


def judged_residency(figure, measured):
    """The residency that figures.json names, else the nearest to the device that was measured."""
    if "by" in figure:
        return figure["by"]
    for residency in RESIDENCIES:
        if time_of(measured.get(residency)) is not None:
            return residency
    return "host"


def verdict(figure, us, against_us):
    """What the judged time reaches: goal, bar, below the bar, or nothing that could be judged."""
    if "goal_us" in figure:
        if us is None:
            return "not measured"
        return "goal" if us <= figure["goal_us"] else "bar" if us <= figure["bar_us"] else "BELOW"
    if "goal_ratio" in figure:
        if us is None or against_us is None:
            return "not measured"
        ratio = against_us / us
        return "goal" if ratio >= figure["goal_ratio"] else "bar" if ratio >= figure["bar_ratio"] else "BELOW"
    return ""


def make_rows(cases, peers, figures):
    """One entry for each case of the bench, and one for each bar without a case."""
    figure_of = {(figure["op"], figure["case"]): figure for figure in figures}
    peer_of = {row["work"]: row for row in peers}
    # What has a bar and was not measured is shown; what only has a peer is not.
    keys = list(cases) + [key for key, figure in figure_of.items()
                          if key not in cases and ("goal_us" in figure or "goal_ratio" in figure)]
    rows = []
    for key in keys:
        measured, figure = cases.get(key, {}), figure_of.get(key, {})
        parts = figure.get("parts", 1)
        times = {residency: time_of(measured.get(residency), parts) for residency in RESIDENCIES}
        by = judged_residency(figure, measured)
        row = measured.get(by)
        us = times.get(by)
        asked = ([figure["against"]] if "against" in figure else []) + figure.get("peers", [])
        found = [{"peer": peer_of[work]["peer"], "work": work, "us": time_of(peer_of[work])}
                 for work in asked if work in peer_of and time_of(peer_of[work]) is not None]
        if row is not None and row.get("peer_ms") is not None:  # the peer that the bench itself has, on the processor
            found.append({"peer": row["peer"], "work": key[1], "us": row["peer_ms"] * 1000 / parts})
        fastest = min((peer["us"] for peer in found), default=None)
        against_us = time_of(peer_of.get(figure.get("against")))
        floor = device_floor(measured)
        rows.append({
            "op": key[0],
            "case": key[1],
            "parts": parts,
            "us": times,
            "by": by,
            "variant": row.get("variant") if row is not None else None,
            "peers": found,
            "ratio": fastest / us if fastest is not None and us else None,
            "bar": figure.get("bar_us"),
            "goal": figure.get("goal_us"),
            "bar_ratio": figure.get("bar_ratio"),
            "goal_ratio": figure.get("goal_ratio"),
            "host_goal": figure.get("host_goal_us"),
            "verdict": verdict(figure, us, against_us),
            "host_verdict": host_verdict(figure, times["host"]),
            "floor_us": None if floor is None else floor * 1000 / parts,
            "share_of_floor": floor * 1000 / parts / us if floor and us and by != "host" else None,
            "skipped": {residency: entry["skipped"] for residency, entry in measured.items() if "skipped" in entry},
            "note": figure.get("note"),
        })
    return rows


def device_floor(measured):
    """Milliseconds that the device's memory alone would take. Other rows of the bench have that of the processor's."""
    for residency in ("queued", "device"):
        row = measured.get(residency)
        if row is not None and "skipped" not in row and row.get("floor_ms") is not None:
            return row["floor_ms"]
    return None


def host_verdict(figure, us):
    if "host_goal_us" not in figure:
        return ""
    return "not measured" if us is None else "goal" if us <= figure["host_goal_us"] else "missed"


def number(value):
    if value is None:
        return "-"
    digits = 4 if value < 0.1 else 2 if value < 10 else 1 if value < 1000 else 0
    return f"{value:.{digits}f}"


def bar_and_goal(row):
    if row["goal"] is not None:
        return number(row["bar"]), number(row["goal"])
    if row["goal_ratio"] is not None:
        return f"{row['bar_ratio']:g} x", f"{row['goal_ratio']:g} x"
    return "-", "-"


HEAD = ("OPERATION", "CASE", "QUEUED", "DEVICE", "RESIDENT", "HOST", "JUDGED BY", "PEERS", "RATIO", "BAR", "GOAL",
        "REACHED", "HOST GOAL", "FLOOR")


def cells_of(row):
    peers = "; ".join(f"{peer['peer']} {number(peer['us'])}" for peer in row["peers"])
    bar, goal = bar_and_goal(row)
    host_goal = "" if row["host_goal"] is None else f"{number(row['host_goal'])} {row['host_verdict']}"
    share = row["share_of_floor"]
    case = row["case"] + ("" if row["parts"] == 1 else f", each of {row['parts']}")
    return (row["op"], case, *(number(row["us"][residency]) for residency in RESIDENCIES), row["by"], peers or "-",
            "-" if row["ratio"] is None else f"{row['ratio']:.2f}", bar, goal, row["verdict"] or "-", host_goal or "-",
            "-" if share is None else f"{share * 100:.0f} %")


def plain_table(rows):
    cells = [HEAD] + [cells_of(row) for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells)


def markdown_table(rows):
    lines = ["| " + " | ".join(HEAD) + " |", "|" + " --- |" * len(HEAD)]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells_of(row)) + " |" for row in rows]
    return "\n".join(lines)


EXPLANATION = (
    "Times are medians in microseconds. QUEUED: images on the device, runs one behind the other, time per run. DEVICE: "
    "the same, each run by itself. RESIDENT: a find on a screen that is kept. HOST: all from and to ordinary memory. "
    "RATIO: the fastest peer's time by ours. FLOOR: share of the time that device memory alone would take for the bytes "
    "that must be read and written. BELOW: the bar is not reached.")


def left_out(rows, peers):
    """What was tried and not measured, each with its reason."""
    lines = [f"{row['op']} {row['case']} ({residency}): {reason}"
             for row in rows for residency, reason in row["skipped"].items()]
    lines += [f"{peer['peer']} {peer['work']}: {peer['skipped']}" for peer in peers if "skipped" in peer]
    return lines


def summary(rows):
    judged = [row["verdict"] for row in rows if row["verdict"]]
    return ", ".join(f"{judged.count(name)} {text}" for name, text in (
        ("goal", "reach their goal"), ("bar", "reach their bar"), ("BELOW", "are below it"),
        ("not measured", "were not measured")))


def text_of(title, machine, checks, rows, peers, markdown):
    parts = [("# " if markdown else "") + title]
    if checks:
        bullet = "- " if markdown else "  "
        parts.append("\n".join(f"{bullet}{check['name']}: {check['outcome']}" +
                               (f" ({check['text']})" if check["text"] else "") for check in checks))
    if machine:
        parts.append(f"Bars and goals are for one {machine}: {summary(rows)}.")
    parts.append(markdown_table(rows) if markdown else plain_table(rows))
    parts.append(EXPLANATION)
    missing = left_out(rows, peers)
    if missing:
        parts.append("Not measured:\n" + "\n".join(("- " if markdown else "  ") + line for line in missing))
    return "\n\n".join(parts) + "\n"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bench", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--peers", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--checks", metavar="FILE")
    parser.add_argument("--figures", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "figures.json"))
    parser.add_argument("--without-figures", action="store_true", help="no bars and goals: a device they are not for")
    parser.add_argument("--title", default="Vedette on the GPU")
    parser.add_argument("--out", metavar="FOLDER")
    given = parser.parse_args(arguments)
    try:
        figures = {"machine": None, "rows": []}
        if not given.without_figures:
            with open(given.figures, encoding="utf-8") as file:
                figures = json.load(file)
        bench = [row for path in given.bench for row in read_lines(path)]
        peers = [row for path in given.peers for row in read_lines(path)]
        checks = read_checks(given.checks)
    except (OSError, ValueError) as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 2
    rows = make_rows(merge_bench(bench), peers, figures["rows"])
    if given.out:
        os.makedirs(given.out, exist_ok=True)
        with open(os.path.join(given.out, "report.md"), "w", encoding="utf-8") as file:
            file.write(text_of(given.title, figures["machine"], checks, rows, peers, markdown=True))
        with open(os.path.join(given.out, "report.json"), "w", encoding="utf-8") as file:
            json.dump({"title": given.title, "machine_of_figures": figures["machine"], "checks": checks, "rows": rows,
                       "peers": peers}, file, indent=1)
            file.write("\n")
    print(text_of(given.title, figures["machine"], checks, rows, peers, markdown=False), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
