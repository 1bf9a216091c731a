"""What Context.explain writes down: the JSON of vdt_explain_stop, with its parts as attributes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple


@dataclass(frozen=True)
class Candidate:
    """A backend's device and variant that could have done a call."""

    backend: str
    device: str
    variant: str
    predicted_ms: Optional[float]
    """None: the backend gives no costs."""
    terms_ms: Dict[str, float]
    """Of which the prediction is made, before what earlier calls corrected: "compute", "memory", "to_device"..."""
    measured_ms: Optional[float]
    """With measure=True: the median of three runs; None where it failed."""
    failure: Optional[str]
    """With measure=True: why it failed."""
    raw: Dict[str, Any] = field(repr=False)
    """All that vdt_explain_stop says of it."""


@dataclass(frozen=True)
class ExplainedCall:
    """One operation: what was weighed for it."""

    operation: str
    backend: str
    device: str
    variant: str
    reason: str
    """One sentence: why that one."""
    predicted_ms: Optional[float]
    measured_ms: Optional[float]
    candidates: Tuple[Candidate, ...]
    excluded: Tuple[Tuple[str, str], ...]
    """Devices that could not do it, or are forbidden, and why."""
    raw: Dict[str, Any] = field(repr=False)


class Explanation:
    """The calls of a `with context.explain()`, filled when it ends."""

    def __init__(self) -> None:
        self.calls: List[ExplainedCall] = []
        self.left_out = 0
        """Calls beyond the first 10,000."""
        self.measured = False
        self.text = ""
        """The JSON object as the library gave it."""

    def _read(self, text: str) -> None:
        self.text = text
        whole = json.loads(text)
        self.measured, self.left_out = whole["measured"], whole["left_out"]
        self.calls = [_call_of(one) for one in whole["calls"]]


def _call_of(one: Dict[str, Any]) -> ExplainedCall:
    chosen = one["chosen"]
    return ExplainedCall(
        one["operation"], chosen["backend"], chosen["device"], chosen["variant"], one["reason"],
        chosen["predicted_ms"], chosen["measured_ms"], tuple(_candidate_of(each) for each in one["candidates"]),
        tuple((each["device"], each["reason"]) for each in one["excluded"]), one)


def _candidate_of(one: Dict[str, Any]) -> Candidate:
    return Candidate(one["backend"], one["device"], one["variant"], one["predicted_ms"], one["terms_ms"],
                     one.get("measured_ms"), one.get("failure"), one)
