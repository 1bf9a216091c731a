#!/usr/bin/env python3
"""Runs a tool's own image tests, with its own search and with Vedette's: run_suites.py TOOL TESTS_FOLDER

TOOL is pyscreeze, guibot or airtest; TESTS_FOLDER the folder `tests` of its sources, of the version that is installed.
Runs in an environment with the tools (tests/python/tools.txt), under xvfb-run. Prints how the tests end each way, each
one that ends differently, and how often Vedette searched. Exits with 1 when one does.
"""

import collections
import os
import re
import subprocess
import sys

# Modules of tests, how Vedette comes in, and what is left out: with OpenCV 4.6 it ends the process, also without Vedette.
SUITES = {
    "pyscreeze": (["test_pyscreeze"], "pyscreeze", []),
    "guibot": (["test_finder", "test_calibrator"], "guibot", []),
    "airtest": (["tests.test_aircv"], "cv2-all", ["test_contrib_func_find_sift"]),
}
RUNNER = r'''
import atexit, sys, unittest
hook, left_out, modules = sys.argv[1], sys.argv[2].split(","), sys.argv[3:]
if hook:
    import vedette._context, vedette._operations
    from vedette import site_hook
    searches = [0]
    def count(owner, name):
        original = getattr(owner, name)
        def counted(*arguments, **keywords):
            searches[0] += 1
            return original(*arguments, **keywords)
        setattr(owner, name, counted)
    count(vedette._context.Context, "_find")
    count(vedette._operations, "run_operation")
    site_hook.hook([hook])
    atexit.register(lambda: print("searches by Vedette:", searches[0], file=sys.stderr, flush=True))
def wanted(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from wanted(test)
        elif test.id().rsplit(".", 1)[-1] not in left_out:
            yield test
class Result(unittest.TextTestResult):
    def say(self, test, end):
        print("\nRESULT", test.id(), end, file=sys.stderr, flush=True)
    def addSuccess(self, test): super().addSuccess(test); self.say(test, "passed")
    def addFailure(self, test, error): super().addFailure(test, error); self.say(test, "failed")
    def addError(self, test, error): super().addError(test, error); self.say(test, "error")
    def addSkip(self, test, reason): super().addSkip(test, reason); self.say(test, "skipped")
suite = unittest.TestSuite(wanted(unittest.defaultTestLoader.loadTestsFromNames(modules)))
unittest.TextTestRunner(resultclass=Result, verbosity=0).run(suite)
'''


def ends(folder, hook, left_out, modules):
    """How each test ends, and how often Vedette searched."""
    folder = os.path.abspath(folder)  # a package of tests is imported from the one above
    path = os.pathsep.join([folder, os.path.dirname(folder), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "-c", RUNNER, hook, ",".join(left_out), *modules], cwd=folder, check=False,
                          env={"XDG_SESSION_TYPE": "x11", **os.environ, "PYTHONPATH": path}, capture_output=True,
                          text=True)
    found = dict(re.findall(r"^RESULT (\S+) (\w+)$", done.stderr, re.M))
    if not found:
        sys.exit(f"no test ran:\n{done.stderr}")
    searches = re.search(r"^searches by Vedette: (\d+)$", done.stderr, re.M)
    return found, int(searches[1]) if searches else 0


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in SUITES:
        sys.exit(__doc__)
    modules, hook, left_out = SUITES[sys.argv[1]]
    alone, _ = ends(sys.argv[2], "", left_out, modules)
    hooked, searches = ends(sys.argv[2], hook, left_out, modules)
    for name, found in (("alone", alone), ("with Vedette", hooked)):
        print(f"{name}:", ", ".join(f"{count} {end}" for end, count in collections.Counter(found.values()).items()))
    print("searches by Vedette:", searches)
    different = [name for name in sorted(set(alone) | set(hooked)) if alone.get(name) != hooked.get(name)]
    for name in different:
        print(f"differs: {name}: {alone.get(name)}, with Vedette {hooked.get(name)}")
    sys.exit(1 if different or not searches else 0)


if __name__ == "__main__":
    main()
