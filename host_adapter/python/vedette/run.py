"""Runs a script with its tools made to use Vedette: python -m vedette.run [--hook TOOLS] SCRIPT [ARGUMENT...]

TOOLS is a comma-separated list as of VEDETTE_HOOK (vedette.site_hook); without it, pyscreeze, imagehorizon,
airtest and guibot.
`-m MODULE` instead of SCRIPT runs a module, as Python's own -m does.
"""

from __future__ import annotations

import os
import runpy
import sys
from typing import List

from .errors import ConfigurationError


def main(arguments: List[str]) -> int:
    tools = os.environ.get("VEDETTE_HOOK") or "1"
    if arguments[:1] == ["--hook"] and len(arguments) > 1:
        tools, arguments = arguments[1], arguments[2:]
    module = arguments[:1] == ["-m"]
    if module:
        arguments = arguments[1:]
    if not arguments or arguments[0] in ("-h", "--help", "--hook"):
        print(__doc__.strip(), file=sys.stdout if arguments[:1] in (["-h"], ["--help"]) else sys.stderr)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    try:
        from . import site_hook

        site_hook.hook(name.strip() for name in tools.split(","))
    except ConfigurationError as error:
        print(f"vedette.run: {error}", file=sys.stderr)
        return 2
    # As Python itself would have it.
    sys.argv = arguments
    if module:
        sys.path[0] = os.getcwd()
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
