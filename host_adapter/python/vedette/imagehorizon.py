"""Robot Framework's ImageHorizon with Vedette's finds: ``python -m vedette.run -m robot SUITE``, or VEDETTE_HOOK.

Its keywords find by PyAutoGUI, so vedette.pyscreeze does the work. What this module adds: ImageHorizon 1.0 expects of
PyAutoGUI that it gives None for an image that is not there, but PyAutoGUI (0.9.54) raises an exception of its own,
with which `Wait For` fails at its first look and `Does Exist` fails instead of giving False. They get None again, and
Robot's log says why nothing was found.
"""

from __future__ import annotations

from typing import Any, Optional

import ImageHorizonLibrary.recognition._recognize_images as _keywords
import pyautogui
from robot.api import logger

from . import pyscreeze as _finder

_original: Optional[Any] = None


class _AutoGui:
    """PyAutoGUI as ImageHorizon knows it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(pyautogui, name)

    @staticmethod
    def locateOnScreen(*arguments: Any, **options: Any) -> Any:
        try:
            return pyautogui.locateOnScreen(*arguments, **options)
        except pyautogui.ImageNotFoundException:
            found = _finder.last_found()
            logger.info(f"{arguments[0]}: {found.why if found is not None else 'not found'}")
            return None


def install() -> None:
    """Makes ImageHorizon's keywords find with Vedette."""
    global _original
    _finder.install()
    if _original is None:
        _original = _keywords.ag
        _keywords.ag = _AutoGui()


def uninstall() -> None:
    """Makes the keywords what they were; vedette.pyscreeze stays installed."""
    global _original
    if _original is not None:
        _keywords.ag = _original
        _original = None
