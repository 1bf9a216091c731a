"""Makes tools use Vedette in programs that know nothing of it: by VEDETTE_HOOK, or `python -m vedette.run`.

VEDETTE_HOOK is a comma-separated list of tools; a wheel of this package brings a line for Python's start (vedette.pth)
that reads it. Nothing is imported before the program imports the tool itself.

- ``pyscreeze``: PyScreeze, PyAutoGUI and whatever finds by them
- ``imagehorizon``: Robot Framework's ImageHorizon
- ``airtest``: Airtest
- ``guibot``: guibot
- ``cv2``: cv2.matchTemplate of any program; ``cv2-finite``, ``cv2-all``: see vedette.cv2_hook
- ``1``: pyscreeze, imagehorizon, airtest and guibot
"""

from __future__ import annotations

import importlib
import os
from typing import Callable, Dict, Iterable, Tuple

from ._import_hook import after_import
from .errors import ConfigurationError


def _importing(name: str) -> Callable[[], None]:
    return lambda: importlib.import_module(name, __package__).install()


def _cv2(**options: bool) -> Callable[[], None]:
    return lambda: importlib.import_module(".cv2_hook", __package__).install(**options)


TOOLS: Dict[str, Tuple[str, Callable[[], None]]] = {
    "pyscreeze": ("pyscreeze", _importing(".pyscreeze")),
    "imagehorizon": ("ImageHorizonLibrary", _importing(".imagehorizon")),
    "airtest": ("airtest.core.cv", _importing(".airtest")),
    "guibot": ("guibot.region", _importing(".guibot")),
    "cv2": ("cv2", _cv2()),
    "cv2-finite": ("cv2", _cv2(finite=True)),
    "cv2-all": ("cv2", _cv2(finite=True, cascades=True, sift=True)),
}
USUAL = ("pyscreeze", "imagehorizon", "airtest", "guibot")


def hook(names: Iterable[str]) -> None:
    """Hooks the named tools."""
    for name in names:
        if name in ("1", "all"):
            hook(USUAL)
        elif name in TOOLS:
            after_import(*TOOLS[name])
        elif name:
            raise ConfigurationError(f"VEDETTE_HOOK names {name!r}; known are {', '.join(TOOLS)} and 1.")


hook(name.strip() for name in os.environ.get("VEDETTE_HOOK", "").split(","))
