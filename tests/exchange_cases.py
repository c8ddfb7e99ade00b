"""Review items with hostile texts, and a store that asks about them, to try the exchange formats on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from arbiter.api import Arbiter
from arbiter.domain.evidence import GuardFinding
from arbiter.domain.outcomes import review_id
from arbiter.domain.review_queue import QueueQuery
from arbiter.domain.vocabulary import Stakes
from arbiter.pipeline.review_exchange import queued_views
from arbiter.pipeline.review_view import ReviewView
from arbiter.settings import Settings
from tests.factories import VERIFIED, make_fact, pair
from tests.stored import keep

HOSTILE = (
    '<script>alert("x")</script><img src=x onerror=alert(1)>',
    '=HYPERLINK("http://x.example","click") & \'+cmd|calc\'!A0',
    "]]> <Choice value='keep_a'/> &lt;b&gt; &amp;amp; <!-- -- > \"$b_content\" {{ 7*7 }} ${x}",
    "Ana\u2028was born\r\n\tin «Faro» 東京 \U0001f600 \u202eotroP\u202c a\u0301 \x07 \ufeff\ufffe",
    "s3://bucket/key.txt and http://127.0.0.1:9/x",
)
"""Texts that mean something to one program or another, and nothing to us."""
NAMES = ("html", "formula", "markup", "unicode", "url")
SIDES = tuple(
    (
        make_fact(f"The note says: {text}", at=place, source=f"chat:{place}", subject="note"),
        make_fact(
            f"The note does not say: {text}", at=place + 1, source="crm", kind=VERIFIED, subject="note"
        ),
    )
    for place, text in enumerate(HOSTILE)
)
REVIEWS = tuple(review_id(a.id, b.id) for a, b in SIDES)
_PAIRS = tuple(
    pair(
        a,
        b,
        "contradiction",
        mutability="immutable",
        confidence=0.5 + place / 50,
        reason=f"because {HOSTILE[place]}",
        guards=(GuardFinding("negation", "says", HOSTILE[place]),),
    )
    for place, (a, b) in enumerate(SIDES)
)
SAME_A = make_fact("The fee is 10 € a month.", at=20, stakes=Stakes.HIGH)
SAME_B = make_fact("The monthly fee is <10 €>.", at=21, source="crm", stakes=Stakes.HIGH)
"""Two that are perhaps the same, with a proposed text."""
PROPOSED = "The fee is 10 € a month & <more>."
SAME = review_id(SAME_A.id, SAME_B.id)
_SAME_PAIR = pair(SAME_A, SAME_B, "duplicate", confidence=0.4, merged_text=PROPOSED)
TOLD_A = make_fact("The shop is open.", at=30)
TOLD_B = make_fact("The shop sells tea.", at=31)
UNJUDGED = review_id(TOLD_A.id, TOLD_B.id)
"""Two that nobody could judge."""


@contextmanager
def asking() -> Iterator[Arbiter]:
    """Yield an arbiter in memory that asks about every case."""
    with Arbiter.open(":memory:", Settings(judge="none")) as arbiter:
        facts = [fact for sides in SIDES for fact in sides]
        keep(arbiter, facts, _PAIRS)
        keep(arbiter, [SAME_A, SAME_B], [_SAME_PAIR])
        keep(arbiter, [TOLD_A, TOLD_B], [pair(TOLD_A, TOLD_B, "unjudged")])
        yield arbiter


def views(arbiter: Arbiter) -> list[ReviewView]:
    """Return what is asked, most urgent first."""
    return list(queued_views("default", QueueQuery(), arbiter.context))
