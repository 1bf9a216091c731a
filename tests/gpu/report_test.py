#!/usr/bin/env python3
"""Tests of report.py on canned input."""
import contextlib
import io
import json
import os
import subprocess
import tempfile
import unittest

import report

FIGURES = {
    "machine": "Test GPU",
    "rows": [
        {"op": "integral", "case": "sum", "by": "queued", "bar_us": 22, "goal_us": 15, "peers": ["Integral"]},
        {"op": "find", "case": "small", "by": "resident", "bar_us": 75, "goal_us": 45, "host_goal_us": 680},
        {"op": "restore", "case": "200 transforms", "by": "device", "parts": 200, "against": "one in a graph",
         "bar_ratio": 5, "goal_ratio": 8},
        {"op": "group", "case": "never run", "by": "host", "bar_us": 1000, "goal_us": 200},
        {"op": "fft2", "case": "never run", "by": "queued", "peers": ["one in a graph"]},
    ],
}


def measured(op, case, residency, ms, **more):
    return {"op": op, "case": case, "residency": residency, "ms": ms, "variant": "v", "floor_ms": None,
            "peer": None, "peer_ms": None, **more}


BENCH = [
    measured("integral", "sum", "host", 0.7),
    measured("integral", "sum", "device", 0.026, floor_ms=0.010),
    measured("integral", "sum", "queued", 0.020, floor_ms=0.010),
    measured("find", "small", "resident", 0.040, floor_ms=0.039),
    measured("find", "small", "device", 0.030, floor_ms=0.004),
    measured("find", "small", "host", 0.900),
    measured("restore", "200 transforms", "device", 0.2),
    measured("convert", "gray", "device", 0.05, peer="cv::cvtColor", peer_ms=0.5),
    {"op": "convert", "case": "gray", "residency": "queued", "skipped": "failed: wrong result"},
]
PEERS = [
    {"peer": "NPP 13", "work": "Integral", "ms": 0.235, "runs": 21},
    {"peer": "cuFFT 12", "work": "one in a graph", "ms": 0.0042, "runs": 21},
    {"peer": "CuPy", "work": "all", "skipped": "no module"},
]


def rows():
    made = report.make_rows(report.merge_bench(BENCH), PEERS, FIGURES["rows"])
    return {(row["op"], row["case"]): row for row in made}


class Rows(unittest.TestCase):
    def test_times_are_in_microseconds_by_residency(self):
        row = rows()["integral", "sum"]
        self.assertAlmostEqual(row["us"]["queued"], 20)
        self.assertAlmostEqual(row["us"]["device"], 26)
        self.assertAlmostEqual(row["us"]["host"], 700)
        self.assertIsNone(row["us"]["resident"])

    def test_bar_goal_ratio_and_floor(self):
        row = rows()["integral", "sum"]
        self.assertEqual(row["verdict"], "bar")
        self.assertAlmostEqual(row["ratio"], 235 / 20)
        self.assertAlmostEqual(row["share_of_floor"], 0.5)

    def test_goal_resident_and_host_missed(self):
        row = rows()["find", "small"]
        self.assertEqual((row["verdict"], row["host_verdict"]), ("goal", "missed"))
        self.assertAlmostEqual(row["share_of_floor"], 0.1)  # of the device's memory, not of the processor's
        self.assertIsNone(row["ratio"])

    def test_below_the_bar(self):
        figure = {"by": "queued", "bar_us": 22, "goal_us": 15}
        self.assertEqual(report.verdict(figure, 22.1, None), "BELOW")
        self.assertEqual(report.verdict(figure, 22, None), "bar")
        self.assertEqual(report.verdict(figure, 15, None), "goal")

    def test_parts_against_a_peer(self):
        row = rows()["restore", "200 transforms"]
        self.assertAlmostEqual(row["us"]["device"], 1)
        self.assertAlmostEqual(row["ratio"], 4.2)
        self.assertEqual(row["verdict"], "BELOW")

    def test_without_the_peer_nothing_is_judged(self):
        made = report.make_rows(report.merge_bench(BENCH), [], FIGURES["rows"])
        row = next(row for row in made if row["op"] == "restore")
        self.assertEqual((row["verdict"], row["ratio"]), ("not measured", None))

    def test_a_case_without_figures_is_judged_by_nothing(self):
        row = rows()["convert", "gray"]
        self.assertEqual((row["by"], row["verdict"]), ("device", ""))
        self.assertAlmostEqual(row["ratio"], 10)
        self.assertEqual(row["skipped"], {"queued": "failed: wrong result"})

    def test_a_bar_without_a_case_is_shown(self):
        self.assertEqual(rows()["group", "never run"]["verdict"], "not measured")
        self.assertNotIn(("fft2", "never run"), rows())  # without a bar

    def test_a_later_measurement_replaces_an_earlier_one(self):
        again = BENCH + [measured("integral", "sum", "queued", 0.014)]
        made = report.make_rows(report.merge_bench(again), PEERS, FIGURES["rows"])
        self.assertEqual(made[0]["verdict"], "goal")


class Program(unittest.TestCase):
    def run_report(self, folder, bench, *more):
        def write(name, text):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return path

        lines = "\n".join(json.dumps(row) for row in PEERS)
        arguments = ["--bench", write("bench.jsonl", bench), "--peers", write("peers.jsonl", lines),
                     os.path.join(folder, "missing.jsonl"), "--figures", write("figures.json", json.dumps(FIGURES)),
                     "--checks", write("checks.tsv", "memcheck integral\tpassed\t3 s\nracecheck find\tfailed\t\n"),
                     "--out", os.path.join(folder, "out"), *more]
        out, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            status = report.main(arguments)
        return status, out.getvalue(), error.getvalue()

    def test_table_and_files(self):
        with tempfile.TemporaryDirectory() as folder:
            status, out, _ = self.run_report(folder, "\n".join(json.dumps(row) for row in BENCH))
            self.assertEqual(status, 0)
            for text in ("memcheck integral: passed (3 s)", "racecheck find: failed", "NPP 13 235.0", "11.75", "50 %",
                         "680.0 missed", "5 x", "convert gray (queued): failed: wrong result",
                         "CuPy all: no module",
                         "1 reach their goal, 1 reach their bar, 1 are below it, 1 were not measured"):
                self.assertIn(text, out)
            with open(os.path.join(folder, "out", "report.md"), encoding="utf-8") as file:
                self.assertIn("| integral | sum | 20.0 | 26.0 | - | 700.0 | queued | NPP 13 235.0 | 11.75 | 22.0 | 15.0 "
                              "| bar | - | 50 % |", file.read())
            with open(os.path.join(folder, "out", "report.json"), encoding="utf-8") as file:
                self.assertEqual(len(json.load(file)["rows"]), 5)

    def test_nothing_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            status, out, _ = self.run_report(folder, "")
            self.assertEqual(status, 0)
            self.assertIn("4 were not measured", out)

    def test_without_figures(self):
        with tempfile.TemporaryDirectory() as folder:
            status, out, _ = self.run_report(folder, "\n".join(json.dumps(row) for row in BENCH), "--without-figures")
            self.assertEqual(status, 0)
            self.assertNotIn("Bars and goals", out)
            self.assertNotIn("never run", out)
            self.assertIn("26.0", out)

    def test_broken_input_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            status, _, error = self.run_report(folder, "{}\n{oops\n".replace("{}", json.dumps(BENCH[0])))
            self.assertEqual(status, 2)
            self.assertIn("bench.jsonl, line 2, is no JSON", error)

    def test_own_figures_are_complete(self):
        with open(os.path.join(os.path.dirname(os.path.abspath(report.__file__)), "figures.json"),
                  encoding="utf-8") as file:
            figures = json.load(file)
        keys = [(row["op"], row["case"]) for row in figures["rows"]]
        self.assertEqual(len(keys), len(set(keys)))
        for row in figures["rows"]:
            self.assertIn(row["by"], report.RESIDENCIES)
            self.assertEqual("bar_us" in row, "goal_us" in row)
            self.assertEqual("bar_ratio" in row, "against" in row)
            if "goal_us" in row:
                self.assertGreater(row["bar_us"], 0)
                self.assertLessEqual(row["goal_us"], row["bar_us"])


class Run(unittest.TestCase):
    """tests/gpu/run where it cannot run: exit status 2 and one sentence."""

    def refused(self, *arguments, **variables):
        done = subprocess.run([os.path.join(os.path.dirname(os.path.abspath(report.__file__)), "run"), *arguments],
                              env={**os.environ, **variables}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertTrue(done.stderr.startswith("error: "), done.stderr)
        return done.stderr

    def test_wrong_arguments(self):
        self.assertIn("no part is called dance", self.refused("--only", "build,dance"))
        self.assertIn("--out needs a value", self.refused("--out"))
        self.assertIn('"many" is no whole number', self.refused("--device", "many"))

    def test_no_driver(self):
        with tempfile.TemporaryDirectory() as folder:
            tools = os.path.join(folder, "tools")
            os.mkdir(tools)
            for name in ("bash", "dirname", "mkdir", "nproc"):
                for place in ("/usr/bin", "/bin"):
                    if os.path.exists(os.path.join(place, name)):
                        os.symlink(os.path.join(place, name), os.path.join(tools, name))
                        break
            told = self.refused("--out", os.path.join(folder, "out"), PATH=tools)
            self.assertIn("There is no nvidia-smi here", told)


if __name__ == "__main__":
    unittest.main()
