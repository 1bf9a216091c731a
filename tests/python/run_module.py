#!/usr/bin/env python3
"""Runs the tests of one module of this folder: run_module.py NAME. Exits with 77 when everything was skipped.

PYTHONPATH and VEDETTE_LIBRARY say which package and which library.
"""

import importlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
# Modules that the package or the tests cannot do without; what only some tests need is looked at by these.
for needed in ["numpy"] + sys.argv[2:]:
    try:
        importlib.import_module(needed)
    except ImportError as error:
        print(f"skipped: {sys.executable} has no {needed} ({error})")
        sys.exit(77)

import support  # noqa: E402

sys.exit(support.run_module(sys.argv[1]))
