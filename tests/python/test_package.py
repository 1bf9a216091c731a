"""How the library is found, and the wheel."""

import ast
import glob
import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv

import vedette
from support import KEY7, ROOT, SCREEN

PACKAGE = os.path.join(ROOT, "host_adapter", "python")
BUILD = os.environ.get("VEDETTE_BUILD", "")
FIND = f"import vedette; print(vedette.find({SCREEN!r}, {KEY7!r}).center, vedette._library.library()._name)"


def run(code, **variables):
    environment = {**os.environ, **variables}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)


class Library(unittest.TestCase):
    def test_versions_agree(self):
        self.assertEqual(vedette.library_version(), vedette.__version__)

    def test_named_by_file_or_folder(self):
        library = os.environ["VEDETTE_LIBRARY"]
        for named in (library, os.path.dirname(library)):
            self.assertIn("(100, 299)", run(FIND, VEDETTE_LIBRARY=named).stdout)

    def test_a_wrong_name_is_told(self):
        done = run(FIND, VEDETTE_LIBRARY="/nowhere/libvedette.so")
        self.assertIn("LibraryNotFound", done.stderr)
        self.assertIn("/nowhere/libvedette.so", done.stderr)
        self.assertIn("VEDETTE_LIBRARY", done.stderr)

    def test_another_library_is_refused(self):
        done = run("import vedette; vedette.library_version()", VEDETTE_LIBRARY="libc.so.6")
        self.assertIn("LibraryNotFound", done.stderr)

    def test_importing_loads_nothing(self):
        self.assertEqual(run("import vedette", VEDETTE_LIBRARY="/nowhere/libvedette.so").returncode, 0)

    def test_records_are_those_of_the_headers(self):
        """Sizes and fields as the frozen record of the C API has them."""
        import ctypes

        from vedette import _records as r

        records = {"vdt_context_options": r.ContextOptions, "vdt_backend_info": r.BackendInfo,
                   "vdt_skipped_info": r.SkippedInfo, "vdt_pixels": r.Pixels, "vdt_find_options": r.FindOptions,
                   "vdt_match": r.MatchRecord, "vdt_outcome": r.OutcomeRecord, "vdt_run_info": r.RunInfo,
                   "vdt_feature_options": r.FeatureOptions, "vdt_feature_place": r.FeaturePlace,
                   "vdt_restore_options": r.RestoreOptions}
        with open(os.path.join(ROOT, "tests", "api", "layout_1_0.c"), encoding="utf-8") as file:
            text = file.read()
        sizes = dict(re.findall(r"^SIZE\((\w+), (\d+)\)", text, re.M))
        for name, record in records.items():
            self.assertEqual(ctypes.sizeof(record), int(sizes[name]), name)
        fields = [found for found in re.findall(r"^AT\((\w+), (\w+), (\d+)\)", text, re.M) if found[0] in records]
        self.assertGreater(len(fields), 30)
        for name, field, offset in fields:
            self.assertEqual(getattr(records[name], field).offset, int(offset), f"{name}.{field}")
        for record, size in ((r.ErrorRecord, 256), (r.Item, 40), (r.List, 40), (r.KeypointRecord, 24),
                             (r.DescriptorMatch, 16)):
            self.assertEqual(ctypes.sizeof(record), size, record.__name__)

    def test_every_function_is_in_the_header(self):
        from vedette._library import _FUNCTIONS

        with open(os.path.join(ROOT, "host_adapter", "include", "vedette", "vedette.h"), encoding="utf-8") as file:
            declared = {name: 0 if arguments.strip() == "void" else arguments.count(",") + 1
                        for name, arguments in re.findall(r"(vdt_\w+)\(([^()]*)\)\s*VDT_NOEXCEPT;", file.read())}
        for name, _, arguments in _FUNCTIONS:
            self.assertEqual(len(arguments), declared[name], name)


class Sources(unittest.TestCase):
    def test_they_are_python_3_9(self):
        names = glob.glob(os.path.join(PACKAGE, "**", "*.py"), recursive=True)
        self.assertGreater(len(names), 20)
        for name in names:
            with open(name, encoding="utf-8") as file:
                ast.parse(file.read(), name, feature_version=(3, 9))

    def test_everything_public_is_described_and_typed(self):
        for name in vedette.__all__:
            thing = getattr(vedette, name)
            self.assertTrue(inspect.getdoc(thing), name)
            functions = [thing] if inspect.isfunction(thing) else [
                member for key, member in vars(thing).items() if inspect.isfunction(member) and not key.startswith("_")]
            for function in functions:
                signature = inspect.signature(function)
                self.assertIsNot(signature.return_annotation, inspect.Signature.empty, function.__qualname__)
                for parameter in signature.parameters.values():
                    self.assertTrue(parameter.name == "self" or parameter.annotation is not inspect.Parameter.empty,
                                    f"{function.__qualname__}: {parameter.name}")


class Wheel(unittest.TestCase):
    def test_from_the_source_tree(self):
        for module in ("pip", "setuptools", "wheel"):
            if run(f"import {module}").returncode != 0:
                self.skipTest(f"{sys.executable} has no {module}")
        with tempfile.TemporaryDirectory() as folder:
            source, place = os.path.join(folder, "source"), os.path.join(folder, "place")
            # setuptools leaves folders where it builds.
            shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
                            "--no-index", "--target", place, source], check=True, capture_output=True)
            for name in ("vedette.pth", "vedette/py.typed", "vedette/cv2_hook.py"):
                self.assertTrue(os.path.exists(os.path.join(place, name)), name)
            self.assertFalse(os.path.exists(os.path.join(place, "vedette", "lib")))
            done = run(FIND + "; print(vedette.__file__)", PYTHONPATH=place)
            self.assertIn("(100, 299)", done.stdout, done.stderr)
            self.assertIn(place, done.stdout)

    def test_a_wheel_with_the_libraries_works_alone(self):
        if not BUILD:
            self.skipTest("VEDETTE_BUILD names no build tree")
        for module in ("pip", "setuptools", "wheel"):
            if run(f"import {module}").returncode != 0:
                self.skipTest(f"{sys.executable} has no {module}")
        with tempfile.TemporaryDirectory() as folder:
            built = subprocess.run([os.path.join(PACKAGE, "build_wheel"), BUILD, folder, sys.executable], check=True,
                                   capture_output=True, text=True)
            wheel = built.stdout.strip()
            self.assertRegex(os.path.basename(wheel), r"^vedette-.*-py3-none-linux_\w+\.whl$")
            place = os.path.join(folder, "environment")
            venv.create(place, with_pip=False, system_site_packages=True)
            python = os.path.join(place, "bin", "python")
            clean = {name: value for name, value in os.environ.items()
                     if name not in ("VEDETTE_LIBRARY", "PYTHONPATH")}
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel], check=True,
                           env=clean, capture_output=True)
            # Made from an interpreter that is in an environment itself, one sees the system's packages, not that one's.
            if subprocess.run([python, "-c", "import numpy"], env=clean, capture_output=True, check=False).returncode:
                self.skipTest("an environment made here has no numpy")
            done = subprocess.run([python, "-c", FIND], env=clean, capture_output=True, text=True, check=False,
                                  cwd=folder)
            self.assertIn("(100, 299)", done.stdout, done.stderr)
            self.assertIn(place, done.stdout, "the library is the one in the wheel")


if __name__ == "__main__":
    unittest.main()
