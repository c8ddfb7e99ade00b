"""What the exchanges with annotation tools have in common: the words of the form, who answered, what counts.

A form has one control or question for each of ``CONTROLS``. What the judge found is filled in beforehand in
``relation``, and a proposed text in ``text``; left as it is, neither is an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from arbiter.domain.facts import Fact, iso
from arbiter.domain.vocabulary import RulingKind
from arbiter.errors import InvalidRecordError
from arbiter.interchange.receipts import Json
from arbiter.interchange.review_answers import (
    ANSWER,
    RELATIONS,
    ImportedRuling,
    RulingFault,
    parse_answer,
    printable,
    undisputed,
)
from arbiter.interchange.review_rows import JUDGED, view_row

if TYPE_CHECKING:
    from arbiter.pipeline.review_view import ReviewView

CONTROLS = ("ruling", "relation", "text", "confirmed", "reason", "comment")
RULING_HINTS: Mapping[RulingKind, str] = {
    RulingKind.KEEP_A: "A holds, B does not.",
    RulingKind.KEEP_B: "B holds, A does not.",
    RulingKind.KEEP_BOTH: "Both hold.",
    RulingKind.NEITHER: "Neither holds.",
    RulingKind.MERGE: "One text stands for both: write it below.",
    RulingKind.RELABEL: "They relate otherwise: say how below; the policy decides the rest.",
    RulingKind.NEEDS_CONTEXT: "It cannot be told from this. It comes back when there is other evidence.",
    RulingKind.SKIP: "Leave it, with a reason. It comes back when there is other evidence.",
}
"""The rulings that a person can make, and what they mean."""
RELATION_HINTS: Mapping[str, str] = dict(
    zip(
        RELATIONS,
        (
            "The same claim: keeping either one alone loses nothing.",
            "One takes the other's place: a later state, a correction, or the more complete one.",
            "Both cannot be true of the same time and scope.",
            "About the same thing, and both can hold together.",
            "Not about the same thing, or not in a way that anyone would file together.",
        ),
        strict=True,
    )
)
GUIDELINES = (
    "Two statements about one thing are shown. Say what holds. The relation is what the judge found: change "
    "it together with the ruling relabel, else leave it. A merge needs the one text that stands for both; if "
    "it is to name what neither side names, confirm that. A skip needs a reason."
)


def shown(view: ReviewView) -> Json:
    """Return what a person sees of an item, by name, with the ids and digests that bind an answer."""
    row = view_row(view)
    told = {name: "" if row[name] is None else row[name] for name in row if name not in (*ANSWER, *JUDGED)}
    a, b = view.a.fact, view.b.fact
    return {"namespace": a.namespace, **told, "a_about": about(a), "b_about": about(b)}


def about(fact: Fact) -> str:
    """Write what a fact is about and who said it when, a line each."""
    lines = (
        [f"about {fact.subject}" + (f", {fact.claim_key}" if fact.claim_key else "")] if fact.subject else []
    )
    for sighting in fact.sightings:
        said = f"{sighting.source.kind.value} {sighting.source.id}, {iso(sighting.first_seen)}"
        lines.append(said + (f", {sighting.seen_count} times" if sighting.seen_count > 1 else ""))
    return "\n".join(lines)


def person(tool: str, user: object, email: object, users: Mapping[str, str] | None) -> str:
    """Return the reviewer that a user of a tool is; empty where it is not said.

    ``users`` names reviewers by the tool's ids or addresses; where it is given, nobody else may answer.

    Raises:
        InvalidRecordError: the user is none of those.
    """
    known_by = [str(name) for name in (user, email) if name not in (None, "")]
    if users:
        named = next((users[name] for name in known_by if name in users), None)
        if named is None and known_by:
            told = printable(known_by[0]) or "?"
            raise InvalidRecordError(f"user {told} is none of those who were named", field="reviewer")
        return named or ""
    return str(email) if isinstance(email, str) and email else f"{tool}:{user}" if known_by else ""


def answered(
    place: int,
    bound: Mapping[str, object],
    answers: Iterable[tuple[str, Mapping[str, object]]],
    prefilled: Mapping[str, object],
    default_reviewer: str,
) -> Iterator[ImportedRuling | RulingFault]:
    """Yield what several people answered to one item, each as (reviewer, values by control).

    Args:
        place: where the item stands in its file.
        bound: ids and digests as they were shown.
        answers: what the people filled in.
        prefilled: what stood in ``relation`` and ``text`` beforehand.
        default_reviewer: who decided, where an answer does not say it.
    """
    taken: list[ImportedRuling] = []
    for reviewer, values in answers:
        given = {"relabel" if name == "relation" else name: values.get(name) for name in CONTROLS}
        for name, goes_with in (("relabel", RulingKind.RELABEL), ("text", RulingKind.MERGE)):
            before = prefilled.get("relation" if name == "relabel" else name)
            if given[name] == before and given["ruling"] != goes_with:
                given[name] = None
        found = parse_answer(place, {**bound, **given, "reviewer": reviewer}, default_reviewer)
        if isinstance(found, RulingFault):
            yield found
        elif found is not None:
            taken.append(found)
    yield from undisputed(taken)
