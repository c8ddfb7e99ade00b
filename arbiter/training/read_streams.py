"""Streams of records about one subject, with the relations that a person saw between them.

Most pairs in such a stream hold together, as most candidates in a store do; a judge that learned only from
pairs written to be close calls far ones updates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any


def stream_rows(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every pair of a stream as a row of labelled pairs.

    ``relations`` lists the pairs that are duplicates, updates or contradictions, and the complementary ones
    of two topics. Of the others those of one ``topic`` are complementary and those of two unrelated.

    Raises:
        KeyError: a field is missing, or a relation names a record that is not there.
    """
    records = {record["rid"]: record for record in row["records"]}
    listed = {frozenset((records[r["a"]]["rid"], records[r["b"]]["rid"])): r for r in row["relations"]}
    for a, b in combinations(records.values(), 2):
        known = listed.get(frozenset((a["rid"], b["rid"])))
        if known is None:
            label = "complementary" if a["topic"] == b["topic"] else "unrelated"
            known = {"a": a["rid"], "label": label}
        first, second = (a, b) if known["a"] == a["rid"] else (b, a)
        yield {**known, "a": first, "b": second, "anchor": f"{row['id']}/{b['rid']}"}
