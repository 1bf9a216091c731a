"""What finds, detections and matchings give back."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Iterator, Optional, Tuple

Box = Tuple[int, int, int, int]
Point = Tuple[float, float]


class _Number(enum.IntEnum):
    @classmethod
    def _missing_(cls, value: object) -> "Optional[_Number]":
        # A newer library may know more.
        if not isinstance(value, int):
            return None
        unknown = int.__new__(cls, value)
        unknown._name_, unknown._value_ = f"NUMBER_{value}", value
        return unknown


class Stage(_Number):
    """How a match was judged."""

    SAME = 1
    """Correlation at the pattern's own size."""
    FLAT = 2
    """No structure in the pattern: by colour distance."""
    SCALE = 3
    """Correlation at another size."""
    FEATURES = 4
    """Local features, then correlation of the screen seen through their homography."""


class Reason(_Number):
    """Why the best candidate is no match."""

    NONE = 0
    """It is a match."""
    BELOW_SCORE = 1
    DIFFERS_LOCALLY = 2
    """``worst`` says where: a cursor, a digit, a mark."""
    DIFFERS_EVERYWHERE = 3
    """Another tint or state."""
    TOO_LITTLE_STRUCTURE = 4
    """Could be chance."""
    TOO_LARGE = 5
    """The pattern is larger than the screen or region."""
    NOTHING_ABOVE_FLOOR = 6
    COLOR_ABSENT = 7
    """A pattern without structure whose colour is nowhere."""


def _whole(x: float, y: float, w: float, h: float) -> Box:
    left, top = round(x), round(y)
    return left, top, max(1, round(x + w) - left), max(1, round(y + h) - top)


@dataclass(frozen=True)
class Match:
    """A place on the screen, in its pixels."""

    x: float
    y: float
    w: float
    h: float
    score: float
    """-1 to 1; of patterns without structure 1 - colour distance / 100."""
    scale: float
    """Size on the screen over the pattern's."""
    residual: float
    """The largest mean colour difference of a 5 x 5 block (CIELAB); -1 when not verified, and by features."""
    residual_limit: float
    evidence: float
    """How much the score means; -1 when not verified, and by features."""
    stage: Stage
    reason: Reason
    worst: Optional[Box]
    """The block with the largest residual (x, y, w, h); None when not verified."""
    quad: Tuple[Point, Point, Point, Point]
    """Top left, top right, bottom right, bottom left of the pattern."""
    pattern: int = 0
    """Which pattern of the call."""
    pixel_ratio: float = 1.0
    """Pixels for one logical point, as the find was told."""

    @property
    def box(self) -> Box:
        """x, y, width, height in whole pixels."""
        return _whole(self.x, self.y, self.w, self.h)

    @property
    def center(self) -> Tuple[int, int]:
        """The pixel in the middle: where to click, when clicks are counted in pixels."""
        return int(self.x + self.w / 2), int(self.y + self.h / 2)

    @property
    def logical_box(self) -> Box:
        """x, y, width, height in whole logical points."""
        ratio = self.pixel_ratio
        return _whole(self.x / ratio, self.y / ratio, self.w / ratio, self.h / ratio)

    @property
    def logical_center(self) -> Tuple[int, int]:
        """The logical point in the middle: where to click, when clicks are counted in these."""
        return int((self.x + self.w / 2) / self.pixel_ratio), int((self.y + self.h / 2) / self.pixel_ratio)


@dataclass(frozen=True)
class Run:
    """Who did it and how long it took."""

    backend: str
    """"" when no search was needed."""
    device: str
    variant: str
    choice: str
    """One sentence: why this backend, and what failed before it."""
    predicted_ms: float
    """-1 = not known."""
    measured_ms: float


@dataclass(frozen=True)
class Found:
    """What was found for one pattern. True when there is a match; iterates over the matches, best first."""

    matches: Tuple[Match, ...]
    best: Optional[Match]
    """The best match or, when there is none, the best candidate with the reason why it is refused; None when nothing
    reaches the floor."""
    reason: Reason
    reason_text: str
    margin: float
    """Best score minus that of the next candidate elsewhere."""
    margin_is_bound: bool
    """No other candidate was seen, so the margin is at least this."""
    copies: int
    """Other places that are identical on the screen."""
    run: Run

    @property
    def match(self) -> Optional[Match]:
        """The best match, or None."""
        return self.matches[0] if self.matches else None

    @property
    def center(self) -> Optional[Tuple[int, int]]:
        """The middle of the best match, or None."""
        return self.matches[0].center if self.matches else None

    @property
    def logical_center(self) -> Optional[Tuple[int, int]]:
        """The middle of the best match in logical points, or None."""
        return self.matches[0].logical_center if self.matches else None

    @property
    def why(self) -> str:
        """A sentence: what was found, or why not."""
        best = self.best
        if best is None:
            return f"not found: {self.reason_text}"
        place = "%g,%g" % (best.x, best.y)
        if self.matches:
            return f"found at {place} with score {best.score:.4f}"
        residual = f", residual {best.residual:.2f} of {best.residual_limit:.2f}" if best.residual >= 0 else ""
        where = ""
        if best.worst is not None and self.reason in (Reason.DIFFERS_LOCALLY, Reason.DIFFERS_EVERYWHERE):
            where = ", most at %d,%d" % best.worst[:2]
        return f"not found: best at {place} with score {best.score:.4f}{residual}; {self.reason_text}{where}"

    def __bool__(self) -> bool:
        return bool(self.matches)

    def __iter__(self) -> Iterator[Match]:
        return iter(self.matches)

    def __len__(self) -> int:
        return len(self.matches)

    def __getitem__(self, index: int) -> Match:
        return self.matches[index]


@dataclass(frozen=True)
class Detection:
    """What a cascade detects, in pixels of the screen."""

    x: int
    y: int
    w: int
    h: int
    neighbors: int
    """Windows that were joined."""
    score: float
    """Weight of the last stage."""


@dataclass(frozen=True)
class Keypoint:
    """A local feature. Place and size in pixels, the angle in degrees, clockwise."""

    x: float
    y: float
    size: float
    angle: float
    response: float
    octave: int
    """OpenCV's packing: octave in bits 0 to 7, layer in bits 8 to 15."""


@dataclass(frozen=True)
class Matched:
    """A pattern found by its keypoints, or why not. True when found."""

    found: bool
    reason: str
    """"" when found."""
    quad: Optional[Tuple[Point, Point, Point, Point]]
    """The corners on the screen, when there is a homography that maps all of them."""
    inliers: int
    """Pairs that agree on the place and have places of their own in both pictures."""
    pairs: int
    pattern_keypoints: int
    screen_keypoints: int
    run: Run = field(repr=False)

    def __bool__(self) -> bool:
        return self.found


@dataclass(frozen=True)
class Backend:
    """A device of a loaded backend."""

    name: str
    device_index: int
    device: str
    version: str
    description: str
    library: str
    operations: Tuple[str, ...]
    quarantined: bool


@dataclass(frozen=True)
class Skipped:
    """A backend that was not loaded, and why."""

    name: str
    library: str
    stage: str
    reason: str
