"""The registry of attributes and the aliases of names, read from TOML files.

The packaged files come first, a user's files after them; the last file that mentions a key, or another
spelling of it, wins.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from arbiter.domain.canonical import canonical, fold_name
from arbiter.domain.facts import Record
from arbiter.domain.vocabulary import Mutability, Stakes
from arbiter.errors import ConfigurationError

ValueType: TypeAlias = Literal[
    "text",
    "category",
    "name",
    "number",
    "quantity",
    "money",
    "date",
    "time",
    "boolean",
    "email",
    "phone",
    "url",
    "code",
]
_Name: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]

_SEPARATORS = re.compile(r"\s*[.:/]\s*")
_JOINTS = re.compile(r"[\s_-]+")
_DIGEST_CHARS = 12
_LOOKS_LIKE = 0.75
_CACHED_KEYS = 8192
_NAMES = TypeAdapter(dict[_Name, list[_Name]])


class Attribute(BaseModel):
    """One attribute, as a registry file describes it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cardinality: Literal["single", "multi"]
    mutability: Mutability
    stakes: Stakes = Stakes.NORMAL
    type: ValueType = "text"
    synonyms: tuple[_Name, ...] = Field(default=())


class ClaimKeyRegistry:
    """Attributes by the pattern of their key, and names by their aliases. Made by ``load``.

    ``attributes`` maps patterns, such as "*.residence", ``names`` each name to its other spellings; where
    two entries claim one spelling, the later one has it.
    """

    def __init__(self, attributes: Mapping[str, Attribute], names: Mapping[str, Iterable[str]]) -> None:
        self._attributes = dict(attributes)
        self._patterns: dict[str, str] = {}
        for pattern, attribute in attributes.items():
            *front, last = _SEPARATORS.split(pattern)
            for spelling in (last, *attribute.synonyms):
                self._patterns[".".join(map(_squeezed, (*front, spelling)))] = pattern
        self._names: dict[str, str] = {}
        for name, aliases in names.items():
            kept = self._names.setdefault(fold_name(name), fold_name(name))
            self._names.update((fold_name(alias), kept) for alias in aliases)
        self._look_up = lru_cache(maxsize=_CACHED_KEYS)(self._match)
        self._digest = _digest(self._attributes, self._names)

    @classmethod
    def load(cls, claim_key_files: Iterable[Path] = (), alias_files: Iterable[Path] = ()) -> ClaimKeyRegistry:
        """Read the packaged files and then these.

        Raises:
            ConfigurationError: a file cannot be read or holds faults; the message has a line for each.
        """
        faults: list[str] = []
        attributes: dict[str, Attribute] = {}
        names: dict[str, list[str]] = {}
        packaged = files("arbiter").joinpath("assets")
        for path in (packaged.joinpath("claim_keys.toml"), *claim_key_files):
            attributes |= _attributes(path, faults)
        for path in (packaged.joinpath("aliases.toml"), *alias_files):
            for name, aliases in _aliases(path, faults).items():
                names[name] = [*names.pop(name, []), *aliases]
        if faults:
            raise ConfigurationError("\n".join(faults))
        return cls(attributes, names)

    @property
    def digest(self) -> str:
        """What the registry says, as 12 hex digits: verdicts of two registries are never confused."""
        return self._digest

    def complete(self, record: Record) -> Record:
        """Return the record with its claim key canonical and the registry's mutability and stakes.

        What the record says itself is kept.
        """
        if not record.claim_key:
            return record
        key, attribute = self._look_up(record.claim_key)
        if attribute is None:
            return replace(record, claim_key=key) if key else record
        return replace(
            record,
            claim_key=key,
            mutability=record.mutability or attribute.mutability,
            stakes=record.stakes or attribute.stakes,
        )

    def single_valued(self, claim_key: str) -> bool | None:
        """Can the attribute have one value only? None: the registry does not know it."""
        attribute = self._look_up(claim_key)[1]
        return None if attribute is None else attribute.cardinality == "single"

    def value_type(self, claim_key: str) -> str | None:
        """Return the type of the attribute's values, one of ``ValueType``. None: not registered."""
        attribute = self._look_up(claim_key)[1]
        return None if attribute is None else attribute.type

    def suggestion(self, claim_key: str) -> str | None:
        """Return the registered key that one which is not registered looks like; None: it is like none."""
        front, _, last = self._look_up(claim_key)[0].rpartition(".")
        known = {pattern.rpartition(".")[2]: pattern for pattern in self._patterns}
        near = difflib.get_close_matches(_squeezed(last), known, n=1, cutoff=_LOOKS_LIKE)
        if not near:
            return None
        own = known[near[0]].removeprefix("*.")
        return self._match(f"{front}.{own}" if front and "." not in own else own)[0]

    def spellings(self, claim_key: str) -> frozenset[str]:
        """Return the words of which the attribute's name and its synonyms consist, in lower case."""
        key, attribute = self._look_up(claim_key)
        spelt = (key.rpartition(".")[2], *(attribute.synonyms if attribute else ()))
        return frozenset(word for spelling in spelt for word in _JOINTS.split(canonical(spelling)))

    def canonical_name(self, name: str) -> str:
        """Return the folded name, aliases resolved."""
        folded = fold_name(name)
        return self._names.get(folded, folded)

    def _match(self, claim_key: str) -> tuple[str, Attribute | None]:
        """Return the canonical spelling of a key and what is registered for it."""
        parts = [part for part in _SEPARATORS.split(claim_key.strip()) if part]
        squeezed = [_squeezed(part) for part in parts]
        wildcards = (["*", *squeezed[start:]] for start in range(len(squeezed)))
        pattern = next(
            (self._patterns[k] for k in map(".".join, (squeezed, *wildcards)) if k in self._patterns), None
        )
        if pattern is None:
            return ".".join(map(_spelt, parts)), None
        registered = [_spelt(part) for part in _SEPARATORS.split(pattern) if part != "*"]
        front = [_spelt(part) for part in parts[: len(parts) - len(registered)]]
        return ".".join((*front, *registered)), self._attributes[pattern]


def _spelt(part: str) -> str:
    """Return one part of a key in its standard spelling: "Retry-Limit" is "retry_limit"."""
    return _JOINTS.sub("_", canonical(part)).strip("_")


def _squeezed(part: str) -> str:
    """Return one part of a key without its joints, so that "retryLimit" meets "retry_limit"."""
    return _JOINTS.sub("", canonical(part))


def _read(path: Traversable | Path, table: str, faults: list[str]) -> dict[str, Any]:
    """Read one table of a TOML file; what is wrong with the file joins the faults."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        faults.append(f"{path}: cannot be read: {error}")
        return {}
    faults.extend(
        f"{path}: {name}: no such table; only [{table}] is known" for name in content if name != table
    )
    entries = content.get(table, {})
    if isinstance(entries, dict):
        return entries
    faults.append(f"{path}: {table}: must be a table")
    return {}


def _attributes(path: Traversable | Path, faults: list[str]) -> dict[str, Attribute]:
    valid: dict[str, Attribute] = {}
    for pattern, entry in _read(path, "keys", faults).items():
        if "" in _SEPARATORS.split(pattern) or "*" in _SEPARATORS.split(pattern)[1:]:
            faults.append(f"{path}: {pattern}: must be a key such as 'user.residence' or '*.residence'")
            continue
        try:
            valid[pattern] = Attribute.model_validate(entry)
        except ValidationError as error:
            faults.extend(_told(path, pattern, error))
    return valid


def _aliases(path: Traversable | Path, faults: list[str]) -> dict[str, list[str]]:
    try:
        return _NAMES.validate_python(_read(path, "names", faults))
    except ValidationError as error:
        faults.extend(_told(path, "names", error))
        return {}


def _told(path: Traversable | Path, key: str, error: ValidationError) -> Iterator[str]:
    for fault in error.errors():
        place = "".join(f".{part}" for part in fault["loc"])
        yield f"{path}: {key}{place}: {fault['msg']}"


def _digest(attributes: Mapping[str, Attribute], names: Mapping[str, str]) -> str:
    told = {pattern: attribute.model_dump(mode="json") for pattern, attribute in attributes.items()}
    text = json.dumps([told, names], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_CHARS]
