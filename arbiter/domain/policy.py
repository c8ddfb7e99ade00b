"""The policy: a table of rules as data, first match wins.

A cell is everything that a rule may look at for one pair; each value is a word from a closed list, so
the whole table can be checked cell by cell.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import timedelta
from fnmatch import fnmatchcase

from arbiter.domain.evidence import Verdict
from arbiter.domain.facts import EventKeyPolicy
from arbiter.domain.vocabulary import Action, SourceKind, Strategy
from arbiter.errors import ConfigurationError

NONE = "none"


@dataclass(frozen=True, slots=True)
class Cell:
    """One pair as the rules see it, in words.

    ``standing`` is the authority of the challenger (the later claim, or for a correction or a refinement
    the side that corrects or says more) against the other side; ``corroboration`` likewise compares
    weighted independent sources. ``lifetime`` is shorter when the challenger is a passing state and the
    other side is not.
    """

    ruling: str
    relation: str
    update_kind: str
    mutability: str
    standing: str
    stakes: str
    confidence: str
    corroboration: str
    guards: str
    lifetime: str
    stale_risk: str


CELL_VALUES: Mapping[str, tuple[str, ...]] = {
    "ruling": (NONE, "keep_one", "keep_both", "neither", "merge", "undo"),
    "relation": ("duplicate", "update", "contradiction", "complementary", "unrelated", "unjudged"),
    "update_kind": (NONE, "state_change", "correction", "refinement"),
    "mutability": ("immutable", "stable", "mutable", "ephemeral", "event"),
    "standing": ("lower", "equal", "higher"),
    "stakes": ("normal", "high"),
    "confidence": ("sure", "unsure"),
    "corroboration": ("fewer", "equal", "more"),
    "guards": ("clear", "veto"),
    "lifetime": ("alike", "shorter"),
    "stale_risk": ("no", "yes"),
}


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: the cells it matches (a field that is not named matches all), and what follows.

    ``asks`` puts the pair before a person although the action stands.
    """

    id: str
    action: Action
    reason: str
    when: Mapping[str, frozenset[str]] = field(default_factory=dict)
    strategy: Strategy | None = None
    asks: bool = False

    def matches(self, cell: Cell) -> bool:
        """Is the cell one of this row's?"""
        return all(getattr(cell, name) in allowed for name, allowed in self.when.items())


@dataclass(frozen=True, slots=True)
class SourceRule:
    """What holds for sources whose id matches a shell pattern; ``weight`` multiplies authority and votes."""

    match: str
    event_key: EventKeyPolicy = EventKeyPolicy.AUTO
    weight: float = 1.0


_ANY_SOURCE = SourceRule(match="*")


@dataclass(frozen=True, slots=True)
class ConfidenceWeights:
    """Shares of a fact's confidence; they add up to 1. ``half_life`` is that of recency."""

    explicitness: float = 0.3
    sources: float = 0.2
    authority: float = 0.35
    recency: float = 0.15
    half_life: timedelta = timedelta(days=180)


@dataclass(frozen=True, slots=True)
class Policy:
    """Rules, thresholds, source rules and weights, with a digest of the file they came from.

    ``thresholds`` maps a relation, or a kind of update such as ``update.correction``, to the least
    confidence at which a verdict of it may act. ``judges`` does the same for the verdicts of one kind of
    judge (``local``, ``llm``); it can raise what holds for all, never lower it.
    """

    rules: tuple[Rule, ...]
    thresholds: Mapping[str, float]
    judges: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    sources: tuple[SourceRule, ...] = ()
    weights: ConfidenceWeights = ConfidenceWeights()
    confidence_margin: float = 0.1
    unseen_after: timedelta = timedelta(days=180)
    digest: str = ""

    def rule_for(self, cell: Cell) -> Rule:
        """Return the first rule that matches the cell.

        Raises:
            ConfigurationError: no rule does; ``check`` finds that beforehand.
        """
        for rule in self.rules:
            if rule.matches(cell):
                return rule
        raise ConfigurationError(f"no policy rule decides {_in_words(cell)}")

    def least_confidence(self, verdict: Verdict) -> float:
        """Return the least confidence at which a verdict like this one may act."""
        kind, _, _ = verdict.judge.partition("/")
        names = [verdict.relation.value]
        if verdict.update_kind is not None:
            names.append(f"{verdict.relation.value}.{verdict.update_kind.value}")
        tables = (self.thresholds, self.judges.get(kind, {}))
        return max(table.get(name, 0.0) for table in tables for name in names)

    def source(self, source_id: str) -> SourceRule:
        """Return what holds for a source: the first pattern that matches, else the default."""
        for rule in self.sources:
            if fnmatchcase(source_id, rule.match):
                return rule
        return _ANY_SOURCE

    def event_keys(self, source_id: str) -> EventKeyPolicy:
        """Return how the deliveries of a source are told apart."""
        return self.source(source_id).event_key


AUTHORITY_RANK: Mapping[SourceKind, int] = {
    SourceKind.USER_STATED: 4,
    SourceKind.VERIFIED_OBSERVATION: 3,
    SourceKind.AGENT_INFERENCE: 2,
    SourceKind.THIRD_PARTY: 1,
}


def cells(fixed: Mapping[str, Iterable[str]] | None = None) -> Iterable[Cell]:
    """Yield every cell that can occur, or those with some fields held to given values.

    An update always has a kind and nothing else has one; only complementary pairs carry a stale risk.
    """
    values = {name: tuple((fixed or {}).get(name, allowed)) for name, allowed in CELL_VALUES.items()}
    names = [item.name for item in fields(Cell)]

    def grow(chosen: dict[str, str], rest: list[str]) -> Iterable[Cell]:
        if not rest:
            yield Cell(**chosen)
            return
        name, *others = rest
        for value in values[name]:
            if name == "update_kind" and (value == NONE) == (chosen["relation"] == "update"):
                continue
            if name == "stale_risk" and value == "yes" and chosen["relation"] != "complementary":
                continue
            yield from grow({**chosen, name: value}, others)

    return grow({}, names)


def check(policy: Policy) -> list[str]:
    """Return every fault of a policy: cells without a rule, rules that decide no cell, repeated ids.

    Cells are taken over the fields that some rule names; the others cannot change the answer.
    """
    named = {name for rule in policy.rules for name in rule.when}
    held = {name: values[:1] for name, values in CELL_VALUES.items() if name not in named}
    held.pop("relation", None)
    held.pop("update_kind", None)
    used: set[str] = set()
    undecided: list[Cell] = []
    for cell in cells(held):
        rule = next((rule for rule in policy.rules if rule.matches(cell)), None)
        if rule is None:
            undecided.append(cell)
        else:
            used.add(rule.id)
    ids = [rule.id for rule in policy.rules]
    faults = [_hole(undecided, named)] if undecided else []
    faults += [f"rule id {name!r} is used twice" for name in sorted({i for i in ids if ids.count(i) > 1})]
    faults += [f"rule {rule.id!r} decides no cell" for rule in policy.rules if rule.id not in used]
    return faults


def _hole(undecided: Sequence[Cell], named: Iterable[str]) -> str:
    """Say which cells no rule decides: what they have in common, and one of them for an example."""
    asked = {"relation", "update_kind", *named}
    shared = {name for name in asked if len({getattr(cell, name) for cell in undecided}) == 1}
    told = f"no rule decides {len(undecided):,} cells"
    if shared:
        told += f" with {_in_words(undecided[0], shared)}"
    return told + (f", such as {_in_words(undecided[0], asked - shared)}" if asked - shared else "")


def _in_words(cell: Cell, asked: Container[str] = CELL_VALUES) -> str:
    return "; ".join(f"{name} {getattr(cell, name)}" for name in CELL_VALUES if name in asked)
