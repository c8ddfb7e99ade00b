"""Files of labelled pairs: our own format, a review export that people filled in, and vault_bench's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arbiter.domain.evidence import RecordPair, Side
from arbiter.domain.facts import Record, Source
from arbiter.domain.vocabulary import Mutability, Relation, RulingKind, SourceKind, Stakes, UpdateKind
from arbiter.errors import ConfigurationError
from arbiter.training.examples import Example, oriented
from arbiter.training.read_streams import stream_rows


def read_examples(path: Path) -> list[Example]:
    """Read labelled pairs, a JSON object a line.

    A row has ``a``, ``b`` and ``label``, and may have ``current``, ``update_kind``, ``stale_risk``,
    ``mutability``, ``stakes`` and ``phenomenon``; or it is a row of ``arbiter review export`` with a ruling;
    or a stream of ``records`` with their ``relations``, which gives every pair of its records. Rows of an
    export without a ruling, or whose ruling gives no relation, are left out.

    Raises:
        ConfigurationError: a line is no such pair; names the file and the line.
    """
    examples: list[Example] = []
    for number, line in _rows(path):
        where = f"{path.name}:{number}"
        found = (_parsed(row, where) for row in _pairs(line, where))
        examples.extend(example for example in found if example is not None)
    return examples


def read_relations(path: Path) -> list[Example]:
    """Read pairs of subject, predicate and object that are labelled as vault_bench labels them.

    Raises:
        ConfigurationError: a line is not such a pair; names the file and the line.
    """
    return [_parsed_relation(row, f"{path.name}:{number}") for number, row in _rows(path)]


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip():
            try:
                row = json.loads(line)
            except ValueError as error:
                raise ConfigurationError(f"{path.name}:{number} is not JSON: {error}") from error
            yield number, row


def _pairs(row: Mapping[str, Any], where: str) -> Iterable[Mapping[str, Any]]:
    if "records" not in row:
        return [row]
    try:
        return list(stream_rows(row))
    except (KeyError, TypeError) as error:
        raise ConfigurationError(f"{where} is not a stream of records: {error!r}") from error


def _parsed(row: Mapping[str, Any], where: str) -> Example | None:
    try:
        if "a_content" in row:
            return _ruled(row)
        return oriented(
            Example(
                pair=RecordPair(_record(row["a"]), _record(row["b"])),
                relation=Relation(row["label"]),
                anchor=row.get("anchor") or row["a"]["content"],
                current=row.get("current"),
                update_kind=UpdateKind(row["update_kind"]) if row.get("update_kind") else None,
                stale_risk=row.get("stale_risk"),
                mutability=Mutability(row["mutability"]) if row.get("mutability") else None,
                stakes=Stakes(row["stakes"]) if row.get("stakes") else None,
                phenomenon=row.get("phenomenon") or "",
            )
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(f"{where} is not a labelled pair: {error!r}") from error


def _ruled(row: Mapping[str, Any]) -> Example | None:
    """Read a row of a review export.

    A relabel says the relation. Keeping one side confirms the proposed relation, except of pairs that were
    proposed to stay both. What else a ruling means is no relation.
    """
    ruling, proposed = row.get("ruling"), row.get("relation")
    kept: Mapping[str, Side] = {RulingKind.KEEP_A: "a", RulingKind.KEEP_B: "b"}
    if ruling == RulingKind.RELABEL:
        relation = Relation(row["relabel"])
    elif ruling in kept and proposed in {Relation.DUPLICATE, Relation.UPDATE, Relation.CONTRADICTION}:
        relation = Relation(proposed)
    else:
        return None
    a, b = (_exported(row, side) for side in ("a", "b"))
    current = kept.get(ruling or "") if relation is Relation.UPDATE else None
    stakes = Stakes(row["stakes"]) if row.get("stakes") else None
    return oriented(Example(RecordPair(a, b), relation, a.content, current, stakes=stakes))


def _exported(row: Mapping[str, Any], side: str) -> Record:
    kind, _, name = row[f"{side}_source"].partition(";")[0].partition(" ")
    return _record(
        {
            "content": row[f"{side}_content"],
            "source": {"kind": kind, "id": name},
            "observed_at": row[f"{side}_observed_at"],
        }
    )


def _record(row: Mapping[str, Any]) -> Record:
    source = row["source"]
    kind, name = (source["kind"], source["id"]) if isinstance(source, Mapping) else (source, source)
    return Record(
        content=row["content"],
        source=Source(name, SourceKind(kind)),
        observed_at=_time(row["observed_at"]),
        subject=row.get("subject"),
        claim_key=row.get("claim_key"),
        value=row.get("value"),
        valid_from=_time(row["valid_from"]) if row.get("valid_from") else None,
        valid_to=_time(row["valid_to"]) if row.get("valid_to") else None,
    )


_BY_VAULT_LABEL = {
    "DUPLICATE": (Relation.DUPLICATE, None),
    "TEMPORAL_SUPERSESSION": (Relation.UPDATE, UpdateKind.STATE_CHANGE),
    "REFINEMENT": (Relation.UPDATE, UpdateKind.REFINEMENT),
    "CONTRADICTION": (Relation.CONTRADICTION, None),
    "INDEPENDENT": (Relation.COMPLEMENTARY, None),
}
"""Independent statements there are always about one subject: complementary by our guide."""


def _parsed_relation(row: Mapping[str, Any], where: str) -> Example:
    try:
        relation, kind = _BY_VAULT_LABEL[row["label"]]
        a, b = (_statement(row[side], row[f"{side}_raw"]) for side in ("a", "b"))
        current: Side | None = "b" if relation is Relation.UPDATE else None
        return oriented(Example(RecordPair(a, b), relation, row["a"], current, kind))
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(f"{where} is not a labelled pair of relations: {error!r}") from error


def _statement(content: str, raw: Mapping[str, Any]) -> Record:
    return Record(
        content=content,
        source=Source("ledger", SourceKind.VERIFIED_OBSERVATION),
        observed_at=_time(raw["asserted_at"]),
        subject=raw["subject"],
        claim_key=raw["predicate"],
        value=raw["object"],
        valid_from=_time(raw["valid_from"]) if raw.get("valid_from") else None,
        valid_to=_time(raw["valid_to"]) if raw.get("valid_to") else None,
    )


def _time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    return time if time.tzinfo else time.replace(tzinfo=UTC)
