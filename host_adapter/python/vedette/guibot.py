"""Makes guibot find with Vedette: ``GuiBot(dc, cv=vedette.guibot.VedetteFinder())``, or all template finders at once.

``import vedette.guibot`` adds the class and changes nothing; ``vedette.guibot.install()``, ``python -m vedette.run`` and
``VEDETTE_HOOK=guibot`` make every TemplateFinder, guibot's default, find with Vedette. Parameters keep their meaning:
``find.similarity`` is the least score, ``template.nocolor`` ignores colour. Transparent pixels of a pattern take no part:
guibot's own finder refuses such pictures, and drops the transparency of files.

A pattern is looked for at its own size, as guibot's finder does; ``settings.fallbacks`` adds others after a miss.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any, List, Optional, Tuple

import numpy as np
from guibot import finder as _finder

from ._context import default_context
from ._pixels import decoded_file, file_name
from .errors import Error
from .results import Found

log = logging.getLogger("guibot.finder")
LOG_LEVEL = 30  # of guibot's pictures of a find


@dataclass
class Settings:
    """What guibot's parameters cannot say."""

    fallbacks: Tuple[str, ...] = ()
    """What to try after a miss: "scales", other display scales, with which a miss takes two to three times as long;
    "features" is better left to guibot's own feature finders."""
    told_below: float = 0.0
    """How far below the similarity the best candidate is still told in ``last_found``. With guibot's image log on it is
    told down to 0.6. A search for lower ones takes three to four times as long."""


settings = Settings()

last_found: Optional[Found] = None
"""Of the last find: the scores and, when nothing was found, why."""


def _note(finder: Any, found: Found, haystack: Any) -> None:
    """Fills guibot's image log: pictures of the screen with the place framed."""
    for match in found.matches or ([found.best] if found.best else []):
        x, y, w, h = match.box
        picture = np.array(haystack.pil_image.convert("RGB"))
        for outside, value in ((1, 0), (0, 255)):
            top, left = max(y - outside, 0), max(x - outside, 0)
            bottom, right = y + h + outside, x + w + outside
            picture[top:bottom, [left, min(right, picture.shape[1]) - 1]] = value
            picture[[top, min(bottom, picture.shape[0]) - 1], left:right] = value
        finder.imglog.similarities.append(match.score)
        finder.imglog.locations.append((x, y))
        finder.imglog.hotmaps.append(picture)
    if not finder.imglog.hotmaps:
        finder.imglog.hotmaps.append(np.array(haystack.pil_image.convert("RGB")))
        finder.imglog.similarities.append(0.0)
        finder.imglog.locations.append((0, 0))
    # Pictures for each match, then the whole.
    finder.imglog.hotmaps.append(finder.imglog.hotmaps[-1])


def _pattern_picture(needle: Any) -> Any:
    """The needle's picture; with the transparency of its file when that shows the same picture."""
    picture = needle.pil_image
    if picture.mode != "RGB" or not needle.filename:
        return picture
    try:
        decoded = decoded_file(file_name(needle.filename) or b"")
    except Error:
        return picture
    if decoded.ndim != 3 or decoded.shape[2] != 4 or decoded.shape[1::-1] != picture.size:
        return picture
    return decoded if np.array_equal(decoded[:, :, 2::-1], np.asarray(picture)) else picture


def find(self: Any, needle: Any, haystack: Any) -> List[Any]:
    """TemplateFinder.find: the matches, best first."""
    from guibot.match import Match

    global last_found
    needle.match_settings = self
    needle.use_own_settings = True
    self.imglog.needle = needle
    self.imglog.haystack = haystack
    self.imglog.dump_matched_images()
    similarity = self.params["find"]["similarity"].value
    gray = self.params["template"]["nocolor"].value
    context = default_context()
    screen = context.screen(haystack.pil_image)
    pattern = context.pattern(_pattern_picture(needle))
    if similarity == 0.0:
        # guibot's way to ask for the best place, however bad.
        found = context.find(screen, pattern, threshold=-1.0, floor=-1.0, verify=False, fallbacks=False,
                             color="gray" if gray else "auto")
    else:
        told = similarity - settings.told_below
        if self.imglog.logging_level <= LOG_LEVEL:
            told = min(told, 0.6)
        found = context.find_all(screen, pattern, threshold=similarity, floor=max(told, -1.0),
                                 color="gray" if gray else "auto", fallbacks=settings.fallbacks)
    last_found = found
    log.debug("Vedette: %s", found.why)
    if self.imglog.logging_level <= LOG_LEVEL:
        _note(self, found, haystack)
    self.imglog.log(LOG_LEVEL)
    matches = []
    for match in found:
        x, y, w, h = match.box
        dx, dy = needle.center_offset.x, needle.center_offset.y
        matches.append(Match(x, y, w, h, round(dx * match.scale), round(dy * match.scale), match.score))
    return matches


class VedetteFinder(_finder.TemplateFinder):  # type: ignore[misc]
    """A finder for GuiBot(dc, cv=VedetteFinder()), or for a region's cv_backend."""

    find = find


_original: Any = None


def install() -> None:
    """Makes every TemplateFinder find with Vedette."""
    global _original
    if _original is None:
        _original = _finder.TemplateFinder.find
        _finder.TemplateFinder.find = find


def uninstall() -> None:
    """Makes guibot what it was."""
    global _original
    if _original is not None:
        _finder.TemplateFinder.find = _original
        _original = None
