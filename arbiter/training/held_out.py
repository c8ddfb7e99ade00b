"""Pairs that training must never see. They are kept as digests, so that the list holds no text.

A digest stands for one pair of statements, whatever their order, or for one statement. The package's list
covers what its judge is measured on; ``arbiter judge train --held-out`` adds files of a team's own.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from importlib import resources
from pathlib import Path

from arbiter.errors import ConfigurationError
from arbiter.training.examples import Example

_LIST = "held_out.txt"
_DIGEST_CHARS = 16


class HeldOut:
    """A set of digests of held-out pairs and statements."""

    def __init__(self, digests: Iterable[str]) -> None:
        self._digests = frozenset(digests)

    @classmethod
    def packaged(cls) -> HeldOut:
        """Return the list of what the packaged judge is measured on."""
        text = resources.files("arbiter.training").joinpath(_LIST).read_text(encoding="utf-8")
        return cls(text.split())

    @property
    def text(self) -> str:
        """The list as it is kept: a digest a line, sorted."""
        return "".join(f"{mark}\n" for mark in sorted(self._digests))

    def __len__(self) -> int:
        return len(self._digests)

    def __or__(self, other: HeldOut) -> HeldOut:
        return HeldOut(self._digests | other._digests)

    def __contains__(self, example: Example) -> bool:
        return not self._digests.isdisjoint(_marks(example.pair.a.content, example.pair.b.content))

    def refuse(self, examples: Sequence[Example], where: str) -> None:
        """Make sure that none of these examples is held out.

        Raises:
            ConfigurationError: some are; says how many and shows the first.
        """
        found = [example for example in examples if example in self]
        if found:
            raise ConfigurationError(
                f"{where}: {len(found)} of {len(examples)} pairs are held out for evaluation and must not be "
                f"trained on, the first one with {found[0].pair.b.content!r}"
            )


def read_held_out(path: Path, *, statements: bool) -> HeldOut:
    """Read an evaluation file: JSON Lines that hold pairs, or records anywhere within.

    Args:
        path: the file.
        statements: hold out each statement too, not only the pairs. Files made of a grammar repeat their
            statements between their own training and test parts, so there only pairs can be held out.

    Raises:
        ConfigurationError: the file is not JSON Lines.
    """
    marks: set[str] = set()
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{path.name} is not JSON Lines: {error}") from error
    for row in rows:
        if "a" in row and "b" in row:
            pair, *singles = _marks(_content(row["a"]), _content(row["b"]))
            marks.update([pair, *singles] if statements else [pair])
        if statements:
            marks.update(_mark(content) for content in _contents(row))
    return HeldOut(marks)


def _contents(value: object) -> Iterator[str]:
    """Yield the text of every record within a JSON value."""
    if isinstance(value, dict):
        if isinstance(value.get("content"), str):
            yield value["content"]
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _contents(inner)


def _content(side: object) -> str:
    return str(side["content"]) if isinstance(side, dict) else str(side)


def _marks(a: str, b: str) -> tuple[str, str, str]:
    left, right = sorted((_mark(a), _mark(b)))
    return _digest(left + right), left, right


def _mark(text: str) -> str:
    """Return the digest of a text, folded by a rule of its own: the list outlives the canonical form."""
    return _digest(" ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip("."))


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:_DIGEST_CHARS]
