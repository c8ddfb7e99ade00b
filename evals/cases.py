"""What is measured: labelled pairs, the answers to them, and runs of one judge over one suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from arbiter.domain.evidence import RecordPair, Side, Spend
from arbiter.domain.vocabulary import Action, Mutability, Relation, Stakes, UpdateKind


@dataclass(frozen=True, slots=True)
class PairCase:
    """One labelled pair, oriented as judges get it; ``current`` and ``stale_risk`` name its sides.

    ``group`` is what cases have in common that belong together (an anchor statement, a stream): intervals
    are drawn over groups. ``action`` and ``loser`` are what the policy makes of the right label.
    """

    id: str
    pair: RecordPair
    relation: Relation
    group: str
    action: Action
    loser: Side | None = None
    current: Side | None = None
    update_kind: UpdateKind | None = None
    stale_risk: Side | None = None
    mutability: Mutability | None = None
    stakes: Stakes | None = None
    phenomenon: str = ""


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """What one judge, and the policy after it, made of one case.

    ``relation`` is None where no judge could tell; ``unjudged`` then has the code of the reason, and
    ``message`` its words, which are not kept in result files.
    ``probabilities`` is empty for judges that give none; ``confidence`` is that of ``relation``, in [0, 1].
    ``judge`` is the id of the judge that settled the case, which in a cascade is one of several.
    """

    case_id: str
    relation: Relation | None
    confidence: float
    judge: str
    action: Action
    loser: Side | None = None
    current: Side | None = None
    update_kind: UpdateKind | None = None
    probabilities: Mapping[Relation, float] = field(default_factory=dict)
    unjudged: str | None = None
    message: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class PairRun:
    """The answers of one judge, in the order of the suite's cases, and what they cost together."""

    suite: str
    judge: str
    cases: tuple[PairCase, ...]
    answers: tuple[PairAnswer, ...]
    cost: Spend = Spend()
    seconds: float = 0.0
