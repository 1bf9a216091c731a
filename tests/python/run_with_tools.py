#!/usr/bin/env python3
"""Runs run_module.py in the environment of the tools: run_with_tools.py FOLDER NAME [MODULE...]; 77 without it."""

import os
import subprocess
import sys

python = os.path.join(sys.argv[1], "bin", "python")
if not os.path.exists(os.path.join(sys.argv[1], "installed.txt")):
    print("skipped: the tools are not installed; see the test python.tools")
    sys.exit(77)
script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_module.py")
sys.exit(subprocess.run([python, script, *sys.argv[2:]], check=False).returncode)
