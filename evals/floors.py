"""Floors: the least that a judge must reach on a suite, and what a result says of it.

``gates.toml`` has a table for each suite and judge, and in it for each measure ``least`` or ``most``. Shares
lie in [0, 1], counts are of cases.
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from arbiter.errors import ConfigurationError
from evals.report.files import Kind
from evals.suite_files import suite

GATES = Path(__file__).with_name("gates.toml")
TOLERANCE = 0.02
"""How far a share may fall below what was measured when the floor was set."""

_BARE = re.compile(r"[A-Za-z0-9_-]+")

Bound: TypeAlias = Literal["least", "most"]


@dataclass(frozen=True, slots=True)
class Measure:
    """How a measure is read off a payload, which side of it is bad, and whether it is a count."""

    bound: Bound
    read: Callable[[Mapping[str, Any]], float | None]
    is_count: bool = False

    def floor(self, value: float) -> float:
        """Return the floor to set where this was measured.

        A share may get worse by ``TOLERANCE``, a count by a tenth, at least by one; but what never happens
        may not begin to. A processor that rounds otherwise passes so, a change for the worse does not.
        """
        if self.is_count:
            room = max(1, round(value) // 10) if value else 0
            return value + room if self.bound == "most" else max(0, value - room)
        if self.bound == "most":
            return math.ceil(100 * (value + TOLERANCE) - 1e-9) / 100
        return max(0.0, math.floor(100 * (value - TOLERANCE) + 1e-9) / 100)


def _of_pairs(name: str) -> Callable[[Mapping[str, Any]], float | None]:
    return lambda payload: payload["score"]["decisions"][name]


def _of_main_order(name: str) -> Callable[[Mapping[str, Any]], float | None]:
    return lambda payload: payload["orders"][0][name]


_PAIRS: Mapping[str, Measure] = {
    "judged": Measure("least", lambda payload: payload["score"]["judged"] / payload["score"]["pairs"]),
    "accuracy": Measure("least", lambda payload: payload["score"]["accuracy"]),
    "macro_f1": Measure("least", lambda payload: payload["score"]["macro_f1"]),
    "surest_60": Measure("least", lambda payload: payload["score"]["surest"]["0.6"]),
    "calibration_error": Measure("most", lambda payload: payload["score"]["calibration"]["error"]),
    "right_actions": Measure(
        "least",
        lambda payload: payload["score"]["decisions"]["acted_rightly"] / payload["score"]["pairs"],
    ),
    "coverage": Measure("least", _of_pairs("coverage")),
    "wrong_removals": Measure("most", _of_pairs("wrongly_removed"), is_count=True),
    "missed_conflicts": Measure("most", _of_pairs("missed"), is_count=True),
}
_STREAMS: Mapping[str, Measure] = {
    "state_right": Measure("least", lambda payload: payload["score"]["right"] / payload["score"]["records"]),
    "wrong_removals": Measure("most", _of_main_order("wrongly_removed"), is_count=True),
    "missed_conflicts": Measure("most", _of_main_order("missed"), is_count=True),
    "held": Measure("most", _of_main_order("held"), is_count=True),
    "questions_found": Measure(
        "least", lambda payload: payload["orders"][0]["questions"]["found"], is_count=True
    ),
    "other_questions": Measure(
        "most", lambda payload: payload["orders"][0]["questions"]["other"], is_count=True
    ),
}
_RETRIEVAL: Mapping[str, Measure] = {
    "judged": Measure("least", lambda payload: payload["score"]["completeness"]),
    "retrieved": Measure("least", lambda payload: payload["score"]["retrieved"]),
    "judged_a_fact": Measure("most", lambda payload: payload["score"]["judged_per_fact"]),
}
MEASURES: Mapping[Kind, Mapping[str, Measure]] = {
    "pairs": _PAIRS,
    "field_cases": _PAIRS,
    "streams": _STREAMS,
    "retrieval": _RETRIEVAL,
}


@dataclass(frozen=True, slots=True)
class Floor:
    """The least, or the most, that a measure of a judge on a suite may be."""

    suite: str
    judge: str
    measure: str
    bound: Bound
    value: float


@dataclass(frozen=True, slots=True)
class Check:
    """A floor beside what was measured; None: there was nothing to score, which is below every floor."""

    floor: Floor
    measured: float | None

    @property
    def gap(self) -> float:
        """How far the measure lies on the wrong side of its floor; 0 or less: it holds."""
        if self.measured is None:
            return math.inf
        gap = self.measured - self.floor.value
        return gap if self.floor.bound == "most" else -gap

    @property
    def holds(self) -> bool:
        """Is the measure on the right side of its floor?"""
        return self.gap <= 1e-9

    def sentence(self) -> str:
        """Say it in a line."""
        floor = self.floor
        measured = "nothing to score" if self.measured is None else f"{self.measured:.4g}"
        told = f"{floor.suite}, {floor.judge}: {floor.measure} {measured}, at {floor.bound} {floor.value:.4g}"
        if self.holds:
            return f"holds  {told}"
        return f"FELL   {told}" + (f": off by {self.gap:.4g}" if self.measured is not None else "")


def read_floors(path: Path = GATES) -> list[Floor]:
    """Return the floors of a file.

    Raises:
        ConfigurationError: the file cannot be read, or names a suite, measure or bound that there is not.
    """
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        return [
            _floor(name, judge, measure, bounds)
            for name, judges in told.items()
            for judge, measures in judges.items()
            for measure, bounds in measures.items()
        ]
    except (OSError, ValueError, AttributeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error


def check(floors: Iterable[Floor], payload: Mapping[str, Any]) -> list[Check]:
    """Hold floors of one suite and judge against what was measured."""
    return [Check(floor, MEASURES[suite(floor.suite).kind][floor.measure].read(payload)) for floor in floors]


def floors_of(payload: Mapping[str, Any], kind: Kind) -> list[Floor]:
    """Return the floors to set where this was measured.

    What is nothing to score gets none, nor does that which nothing could fall below.
    """
    read = {name: (measure, measure.read(payload)) for name, measure in MEASURES[kind].items()}
    floors = [
        Floor(payload["suite"], payload["judge"], name, measure.bound, measure.floor(value))
        for name, (measure, value) in read.items()
        if value is not None
    ]
    return [floor for floor in floors if floor.bound == "most" or floor.value > 0]


def written(floors: Iterable[Floor]) -> str:
    """Return floors as the tables of a TOML file."""
    tables: dict[str, list[str]] = {}
    for floor in floors:
        head = f"[{_key(floor.suite)}.{_key(floor.judge)}]"
        tables.setdefault(head, []).append(f"{floor.measure} = {{ {floor.bound} = {floor.value:g} }}")
    return "\n\n".join("\n".join([head, *lines]) for head, lines in tables.items()) + "\n"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name)


def _floor(name: str, judge: str, measure: str, bounds: Any) -> Floor:  # noqa: ANN401  as read from TOML
    known = MEASURES.get(suite(name).kind, {})
    if measure not in known:
        raise ConfigurationError(f"{name} has no measure {measure!r}; there are {', '.join(known) or 'none'}")
    bound = known[measure].bound
    if (
        not isinstance(bounds, Mapping)
        or list(bounds) != [bound]
        or not isinstance(bounds[bound], int | float)
    ):
        raise ConfigurationError(f"{name}, {judge}: {measure} takes a number, {bound!r}, and nothing else")
    return Floor(name, judge, measure, bound, float(bounds[bound]))
