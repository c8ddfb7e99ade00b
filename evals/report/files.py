"""Result files: what was measured, case by case, with where it comes from.

One JSON object a file. Rows are written one a line, so that a changed answer is a changed line.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from arbiter.errors import ConfigurationError
from evals.report.judge_names import called, rank

if TYPE_CHECKING:
    from evals.report.provenance import Provenance

Kind: TypeAlias = Literal["pairs", "streams", "retrieval", "field_cases"]

RESULTS = Path(__file__).parents[1] / "results"
"""Where the committed results lie."""

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Result:
    """One result file, read: a judge on a suite."""

    path: Path
    kind: Kind
    suite: str
    judge: str
    provenance: Mapping[str, Any]
    payload: Mapping[str, Any]


def result_path(folder: Path, suite: str, judge: str) -> Path:
    """Return where the result of a judge on a suite lies; of a file of one's own, its name is the suite."""
    return folder / _UNSAFE.sub("-", Path(suite).stem) / f"{_UNSAFE.sub('-', judge)}.json"


def write_result(path: Path, kind: Kind, payload: Mapping[str, Any], provenance: Provenance) -> None:
    """Write a result, in the place of an earlier one.

    Args:
        path: where; folders are made.
        kind: what kind of suite it is of.
        payload: what was measured; ``suite`` and ``judge`` name what on.
        provenance: where it comes from.
    """
    told = {
        "kind": kind,
        "suite": payload["suite"],
        "judge": payload["judge"],
        "provenance": provenance.as_json(),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_written({**told, **payload}) + "\n", encoding="utf-8")


def read_result(path: Path) -> Result:
    """Read a result.

    Raises:
        ConfigurationError: the file cannot be read, or is no result.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return Result(path, raw["kind"], raw["suite"], raw["judge"], raw["provenance"], raw)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(f"{path} is no result of `python -m evals run`: {error!r}") from error


def read_results(places: Iterable[Path]) -> list[Result]:
    """Read result files, and those in folders (of one suite, or of many), in the order of their paths.

    Raises:
        ConfigurationError: a file cannot be read, or is no result; a folder holds none.
    """
    found: list[Path] = []
    for place in places:
        files = sorted(place.glob("*/*.json")) or sorted(place.glob("*.json")) if place.is_dir() else [place]
        if not files:
            raise ConfigurationError(f"{place} holds no results")
        found += files
    return [read_result(path) for path in found]


def by_suite(results: Iterable[Result]) -> list[list[Result]]:
    """Return results in groups of one suite each, suites as they come, judges in the order of pages."""
    suites: dict[tuple[str, Kind], list[Result]] = {}
    for result in results:
        suites.setdefault((result.suite, result.kind), []).append(result)
    return [sorted(group, key=lambda result: rank(result.judge)) for group in suites.values()]


def names(results: Sequence[Result]) -> dict[Path, str]:
    """Return what to call each result of one suite: its judge, with its folder where two have the same."""
    times = Counter(result.judge for result in results)
    return {
        r.path: called(r.judge) + (f" ({r.path.parent.parent.name})" if times[r.judge] > 1 else "")
        for r in results
    }


def _written(value: object, depth: int = 1) -> str:
    """Return JSON, objects spread over lines, lists of rows with a row a line, everything else in one."""
    pad, end = " " * depth, " " * (depth - 1)
    if isinstance(value, Mapping) and any(isinstance(v, Mapping | list) for v in value.values()):
        lines = [f"{pad}{json.dumps(str(name))}: {_written(v, depth + 1)}" for name, v in value.items()]
        return "{\n" + ",\n".join(lines) + "\n" + end + "}"
    if isinstance(value, list) and any(isinstance(row, Mapping | list) for row in value):
        return "[\n" + ",\n".join(f"{pad}{_written_flat(row)}" for row in value) + "\n" + end + "]"
    return _written_flat(value)


def _written_flat(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)
