"""Everything that bears on some facts: the connected facts, what was found and what was ruled."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from typing import TYPE_CHECKING

from sqlalchemy import and_, select, union_all

from arbiter.adapters.sql_dialect import NAMESPACE, as_list, listed
from arbiter.adapters.sql_outcome_rows import ruling_of_row
from arbiter.adapters.sql_reading import load_facts
from arbiter.adapters.sql_review_schema import rulings
from arbiter.adapters.sql_rows import JUDGEMENT, pair_of_row
from arbiter.adapters.sql_schema import facts, judgements, pairs
from arbiter.domain.settle import Cluster

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

_OF_IDS = listed("ids")

_NEIGHBOURS = union_all(
    select(pairs.c.high).where(pairs.c.namespace == NAMESPACE, pairs.c.low.in_(_OF_IDS), pairs.c.connects),
    select(pairs.c.low).where(pairs.c.namespace == NAMESPACE, pairs.c.high.in_(_OF_IDS), pairs.c.connects),
    *(
        select(other).where(rulings.c.namespace == NAMESPACE, side.in_(_OF_IDS), other.is_not(None))
        for side, other in permutations((rulings.c.low, rulings.c.high, rulings.c.merged), 2)
    ),
)
_PAIRS = (
    select(*JUDGEMENT)
    .join(pairs, and_(pairs.c.namespace == judgements.c.namespace, pairs.c.position == judgements.c.position))
    .where(
        pairs.c.namespace == NAMESPACE,
        pairs.c.low.in_(_OF_IDS),
        # As an expression it only filters; as a column SQLite would look up every combination of two ids.
        pairs.c.high.concat("").in_(_OF_IDS),
    )
    .order_by(pairs.c.low, pairs.c.high)
)
# The pairs that nobody could judge whose later side is one of these. The two sides are two selects, and
# each is found in its index before its row is read, since SQLite would walk through the namespace otherwise.
_APART_OF_IDS = [
    (
        select(pairs.c.low, pairs.c.high)
        .where(pairs.c.namespace == NAMESPACE, side.in_(_OF_IDS), pairs.c.connects.is_(False))
        .subquery(),
        is_later,
    )
    for side, is_later in ((pairs.c.high, ~judgements.c.flipped), (pairs.c.low, judgements.c.flipped))
]
_HELD = union_all(
    *(
        select(*JUDGEMENT)
        .select_from(apart)
        .join(pairs, and_(pairs.c.low == apart.c.low, pairs.c.high == apart.c.high))
        .join(judgements, judgements.c.position == pairs.c.position)
        .where(
            pairs.c.namespace == NAMESPACE,
            judgements.c.namespace == NAMESPACE,
            ~pairs.c.judged,
            is_later,
        )
        for apart, is_later in _APART_OF_IDS
    )
)
_RULINGS = (
    select(rulings)
    .where(rulings.c.namespace == NAMESPACE, rulings.c.low.in_(_OF_IDS), rulings.c.high.in_(_OF_IDS))
    .order_by(rulings.c.at, rulings.c.id)
)
_UNFINISHED = select(facts.c.id).where(
    facts.c.namespace == NAMESPACE, facts.c.id.in_(_OF_IDS), ~facts.c.finished
)


def load_cluster(connection: Connection, namespace: str, ids: Iterable[str]) -> Cluster:
    """Return these facts with every fact connected to them, as ``Writing.cluster`` promises.

    One statement for each step away from the given facts, and a few for what lies inside.
    """
    members = load_facts(connection, namespace, sorted(_connected(connection, namespace, ids)))
    inside = {"namespace": namespace, "ids": as_list(members)}
    pairs_inside = [pair_of_row(row) for row in connection.execute(_PAIRS, inside).all()]
    held = [pair_of_row(row) for row in connection.execute(_HELD, inside).all()]
    fringe = load_facts(connection, namespace, sorted({pair.a for pair in held} - members.keys()))
    found = {pair.key: pair for pair in pairs_inside}
    found |= {pair.key: pair for pair in held if pair.a in fringe}
    return Cluster(
        facts=members | fringe,
        pairs=tuple(found[key] for key in sorted(found)),
        rulings=tuple(ruling_of_row(row) for row in connection.execute(_RULINGS, inside)),
        unfinished=frozenset(connection.execute(_UNFINISHED, inside).scalars()),
        fringe=frozenset(fringe),
    )


def _connected(connection: Connection, namespace: str, ids: Iterable[str]) -> set[str]:
    members = set(ids)
    frontier = members
    while frontier:
        rows = connection.execute(_NEIGHBOURS, {"namespace": namespace, "ids": as_list(frontier)})
        frontier = set(rows.scalars()) - members
        members = members | frontier
    return members
