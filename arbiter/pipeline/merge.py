"""A text that a person wrote to stand for two facts: checked, written down, and judged like any other."""

from __future__ import annotations

from dataclasses import dataclass, replace

from arbiter.domain.evidence import Spend
from arbiter.domain.facts import Fact, Record, Sighting, sighting_of
from arbiter.domain.merged_record import merged_record
from arbiter.domain.outcomes import FactState, Ruling
from arbiter.domain.review_answer import Answer
from arbiter.domain.settle import settle
from arbiter.errors import RequestError, UnconfirmedTextError
from arbiter.pipeline.context import Context
from arbiter.pipeline.investigate import investigate
from arbiter.pipeline.prepare import Embedded, embed
from arbiter.ports import Writing


@dataclass(frozen=True, slots=True)
class Wording:
    """A merged text, ready to enter the log. ``subject`` is its name with aliases resolved."""

    sighting: Sighting
    subject: str | None
    entities: frozenset[str]
    embedded: Embedded

    @property
    def fact_id(self) -> str:
        """The fact that the text tells."""
        return self.sighting.fact_id

    def made_by(self, ruling: Ruling) -> bool:
        """Is it the text of this ruling, by the same person?"""
        return ruling.sighting is not None and (ruling.merged, f"reviewer:{ruling.reviewer}") == (
            self.fact_id,
            self.sighting.source.id,
        )


def prepare(review_id: str, a: Fact, b: Fact, answer: Answer, context: Context) -> Wording:
    """Return the text as the sighting of its reviewer, embedded and read for names; nothing is written.

    Raises:
        UnconfirmedTextError: it has numbers or names that neither side has, and the answer does not
            confirm them.
    """
    text = answer.text or ""
    try:
        invented = context.guard.invented(text, _named(a), _named(b))
    finally:
        context.guard.forget()
    if invented and not answer.confirmed:
        listed = ", ".join(invented)
        raise UnconfirmedTextError(f"neither side has {listed}; confirm that it is meant", invented=invented)
    record = context.claim_keys.complete(
        merged_record(a, b, text, reviewer=answer.reviewer, ref=review_id, policy=context.policy)
    )
    sighting = sighting_of(record, context.policy.event_keys(record.source.id))
    subject = context.claim_keys.canonical_name(record.subject) if record.subject else None
    names = context.entities.extract([text])[0]
    return Wording(
        sighting=sighting,
        subject=subject,
        entities=names | ({subject} if subject else frozenset()),
        embedded=embed({sighting.fact_id: text}, context),
    )


def write_down(namespace: str, wording: Wording, context: Context, tx: Writing) -> bool:
    """Let the text enter the log and return whether it tells a new fact.

    Raises:
        RequestError: it was erased; it is not kept again.
    """
    fact_id = wording.fact_id
    known = context.store.facts(namespace, [fact_id])
    if fact_id in known and known[fact_id].erased:
        raise RequestError("text: was erased; it is not kept again", field="text")
    subjects = {} if wording.subject is None else {fact_id: wording.subject}
    tx.arrive([wording.sighting], subjects, {fact_id: wording.entities})
    tx.put_vectors(context.embedder.model_id, wording.embedded.ids, wording.embedded.vectors)
    return fact_id not in known


def judge_against_others(namespace: str, wording: Wording, context: Context) -> tuple[list[FactState], Spend]:
    """Find and judge what a new text is near to, and return the states that changed by it, and the cost.

    A text that could not be embedded waits for a compile, like a record.
    """
    findings = investigate(namespace, wording.embedded, context)
    if not findings.facts:
        return [], findings.spend
    with context.store.writing(namespace) as tx:
        tx.judged(findings.pairs)
        tx.finish(findings.investigated)
        return tx.apply(settle(tx.cluster(findings.facts), context.policy)), findings.spend


def _named(fact: Fact) -> Record:
    """Return a fact with everything that it names in its words: a text may call its subject by name."""
    known = (fact.content, fact.subject, fact.value)
    return replace(fact.as_record(), content="\n".join(part for part in known if part))
