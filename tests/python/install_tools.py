#!/usr/bin/env python3
"""Makes a virtual environment with the tools of a list: install_tools.py FOLDER LIST WANTED(0|1).

Does nothing when the environment is that of the list already. Exits with 77 (skipped) when the index cannot be reached.
"""

import os
import shutil
import subprocess
import sys

SKIPPED = 77
SECONDS = 840


def main():
    folder, wanted_list, wanted = sys.argv[1:4]
    with open(wanted_list, encoding="utf-8") as file:
        text = file.read()
    mark = os.path.join(folder, "installed.txt")
    if os.path.exists(mark):
        with open(mark, encoding="utf-8") as file:
            if file.read() == text:
                print("the tools are installed")
                return 0
    if wanted != "1":
        print("skipped: VEDETTE_PYTHON_TOOLS is off")
        return SKIPPED
    shutil.rmtree(folder, ignore_errors=True)
    python = os.path.join(folder, "bin", "python")
    try:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1",
                        "-r", wanted_list], check=True, timeout=SECONDS)
    except (subprocess.SubprocessError, OSError) as problem:
        shutil.rmtree(folder, ignore_errors=True)
        print(f"skipped: the tools could not be installed ({problem})")
        return SKIPPED
    with open(mark, "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
