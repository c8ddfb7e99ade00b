"""The report: complete in itself, true to the numbers, and deaf to what memory texts say."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from arbiter.domain.evidence import GuardFinding, Spend
from arbiter.domain.outcomes import Reason
from arbiter.domain.vocabulary import Outcome
from arbiter.interchange.report import Report, Section, render_report
from arbiter.interchange.report_cards import Case
from arbiter.interchange.summary import Refusal, Summary
from tests.cases import cases
from tests.factories import day, make_fact, pair

HOSTILE = [
    "<script>alert(1)</script>",
    "</style><script>alert(2)</script>",
    '"><img src="https://evil.example/x" onerror="alert(3)">',
    "{{ 7 * 7 }} {% include 'policy.toml' %} ${7*7}",
    "<svg/onload=alert(4)> <a href='javascript:alert(5)'>tea</a>",
    "&lt;b&gt; ]]> <!-- \x07 \u202eabc",
]
SUMMARY = Summary(
    sources=("/home/someone/dump.jsonl", "-"),
    records=26633,
    outcomes={"stored": 1650, "unchanged": 12000, "merged": 83, "held": 0, "deferred": 12500, "refused": 400},
    stored=1733,
    not_stored={"seen_before": 12000, "ambiguous_subject": 12500, "invalid_record": 400},
    refused_fields={"content": 400},
    unique_facts=1650,
    new_facts=1640,
    redundant_copies=12083,
    duplicate_ratio=0.879852,
    duplicate_clusters=900,
    records_in_duplicate_clusters=12983,
    facts={"active": 1500, "superseded": 233, "tombstoned": 0, "pending": 0},
    merged=83,
    corrected=0,
    contested=4,
    relations={"duplicate": 83, "update": 150},
    judges={"keyed/v1": 200, "llm/some/model/relation.v1@aa": 33},
    unjudged={"judge_unavailable": 7},
    to_review=2,
    to_review_high_stakes=1,
    cost=Spend(41, 120331, 9020, 0.1312, 0),
    seconds=41.25,
)


class Page(HTMLParser):
    """The elements of a page with their attributes, its headings and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.style = ""
        self._open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep an element."""
        self.elements.append((tag, dict(attrs)))
        self._open.append(tag)
        self.text += " " * (tag in {"dd", "span"})

    def handle_data(self, data: str) -> None:
        """Keep text, that of the style apart."""
        if self._open and self._open[-1] == "style" and not self.style:
            self.style = data
        else:
            self.text += data

    def tags(self) -> set[str]:
        """Return the names of all elements."""
        return {tag for tag, _ in self.elements}


def contradiction(a: str, b: str) -> Case:
    """Return a contradiction of high stakes between two texts."""
    one, other = make_fact(a, subject=a), make_fact(b, at=0.5, subject=b)
    judged = pair(one, other, "contradiction", stakes="high", reason=b, guards=(GuardFinding(a, a, b),))
    return cases(judged, facts=[one, other])[0]


def test_the_page_is_complete_in_itself() -> None:
    """It loads nothing, runs nothing, and its policy forbids both; the style is let in by its digest."""
    page = Page(render_report(Report(SUMMARY, day(0), queue=Section(1, (contradiction("red", "blue"),)))))
    assert page.tags().isdisjoint(
        {"script", "link", "img", "iframe", "object", "form", "base", "image", "use"}
    )
    links = [attrs["href"] for _, attrs in page.elements if "href" in attrs]
    assert all(link and link.startswith("#") for link in links)
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in links if link} <= {i for i in ids if i}
    attributes = {name for _, attrs in page.elements for name in attrs}
    assert not any(name.startswith("on") or name in {"src", "style", "srcset"} for name in attributes)
    assert not re.search(r"url\(|@import|https?:", page.style)
    (policy,) = [attrs["content"] for tag, attrs in page.elements if tag == "meta" and "http-equiv" in attrs]
    digest = b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_stay_texts(text: str) -> None:
    """Whatever a text says, it adds no element; it stands on the page as it is, in every place."""
    calm, hostile = (
        Report(
            replace(SUMMARY, sources=(f"/home/{name}",)),
            day(0),
            queue=Section(1, (contradiction(word, f"not {word}"),)),
            superseded=Section(1, (contradiction(word, f"not {word}"),)),
            merged=Section(1, tuple(merge_cases(word))),
            repeated=(make_fact(word),),
            refusals=(Refusal(word, 1, Outcome.REFUSED, Reason(name, word, word)),),
        )
        for word, name in (("calm", "calm"), (text, text.replace("/", "_")))
    )
    page, expected = Page(render_report(hostile)), Page(render_report(calm))
    assert [tag for tag, _ in page.elements if tag != "mark"] == [
        tag for tag, _ in expected.elements if tag != "mark"
    ]
    assert page.style == expected.style
    assert page.text.count(text.replace("/", "_")) >= 2
    assert page.text.count(text) >= 3


def merge_cases(word: str) -> list[Case]:
    """Return the cases of two facts merged into one."""
    facts = [make_fact(f"{word} {n}", at=n) for n in range(3)]
    return cases(*(pair(facts[0], other, "duplicate") for other in facts[1:]), facts=facts)


def test_the_numbers_are_those_of_the_summary() -> None:
    """Headline, tiles, shares, reasons and cost are told as counted; folders of files are not."""
    text = " ".join(Page(render_report(Report(SUMMARY, day(0)))).text.split())
    for told in (
        "scan of dump.jsonl, standard input, 1 Jan 2026, 09:00 UTC",
        "26,633 records hold 1,650 different facts.",
        "12,083 of those that tell a fact (88 %) only repeat another one.",
        "2 questions wait for a person, 1 of high stakes.",
        "updates found 150",
        "contradictions found 0",
        "judge calls, $0.13 41",
        "900 facts said more than once",
        "deferred 12,500 46.9 %",
        "superseded 233 13.4 %",
        "claim keys 200 83.3 %",
        "not judged 7 2.9 %",
        "judge_unavailable 7",
        "US dollars 0.1312",
        "records a second 646",
    ):
        assert told in text
    assert "/home/someone" not in text


def test_what_is_left_out_is_told() -> None:
    """A capped list says how many there are and where the rest is; lists of nothing are no sections."""
    shown = Section(288, (contradiction("red", "blue"),))
    refusals = (Refusal("dump.jsonl", 7, Outcome.REFUSED, Reason("not_json", "not JSON")),)
    report = Report(
        SUMMARY, day(0), queue=shown, superseded=shown, merged=Section(3, tuple(merge_cases("tea")))
    )
    text = " ".join(Page(render_report(replace(report, refusals=refusals))).text.split())
    assert "1 of 288 questions are shown; all of them are in review.jsonl." in text
    assert (
        "1 of 288 superseded facts are shown, the most often seen first; all of them are in facts.jsonl."
        in text
    )
    assert "2 of 3 merged wordings are shown" in text
    assert "The first 1 of 12,900; all of them are in receipts.jsonl." in text
    assert "Marked false" not in text
    assert "Seen most often" not in text


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"dry_run": True}, "Nothing was written to the store."),
        ({"stopped": True}, "scan the same again to go on"),
        ({"resumed": 1200}, "1,200 facts or pairs that an earlier run had left open were finished first."),
        (
            {"records": 1, "unique_facts": 1, "redundant_copies": 0},
            "1 record holds 1 fact. None repeats another.",
        ),
        ({"to_review": 1, "to_review_high_stakes": 0}, "1 question waits for a person."),
        ({"to_review": 0}, "Nothing waits for a person."),
    ],
)
def test_the_lead_says_what_is_special(change: dict[str, object], told: str) -> None:
    """Notices and singulars appear when they are due, and only then."""
    plain = " ".join(Page(render_report(Report(SUMMARY, day(0)))).text.split())
    summary = replace(SUMMARY, **change)  # type: ignore[arg-type]
    text = " ".join(Page(render_report(Report(summary, day(0)))).text.split())
    assert told in text
    assert told not in plain or "waits for a person" in told
