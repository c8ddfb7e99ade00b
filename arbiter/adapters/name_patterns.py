"""Names that show by their spelling: what is quoted, coded, numbered or capitalised.

They make up for what a recogniser trained on news does not know: products, services, tickets, codes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

# A straight single quote is not among the marks: it would be read out of every apostrophe.
_QUOTED = re.compile(
    r"\"([^\"\n]{2,60})\"|“([^”\n]{2,60})”|«([^»\n]{2,60})»|„([^“”\n]{2,60})[“”]|`([^`\n]{2,60})`"
)
_QUOTED_WORDS = 5

_TOKEN = re.compile(r"[^\W_]+(?:[-._&'’][^\W_]+)*")
_CODE = re.compile(
    r"""(?P<snake>\w+_\w+)
      | (?P<inner_capital>[A-Za-z]*[a-z][A-Z]\w*)
      | (?P<domain>[A-Za-z][\w-]+(?:\.[a-z][\w-]+)+)
      | (?P<service>[a-z]+(?:-[a-z]+)*-(?:api|app|bot|cli|cluster|db|gateway|job|prod|queue|sdk|server|service
            |staging|svc|ui|worker))
      | (?=[\w-]*[A-Za-z])(?=[\w-]*\d)(?!\d+(?:-[a-z]+|[A-Za-z]{1,4}\d?)$)(?![a-z]+-\d{4}$)[\w-]+""",
    re.VERBOSE | re.ASCII,
)
_PERIOD = re.compile(r"q[1-4]|h[12]|fy\d+|v\d+|\d{4}-.*|\d+(?:st|nd|rd|th)-.*", re.IGNORECASE | re.ASCII)
_ACRONYM = re.compile(r"[A-Z][A-Z0-9&]+", re.ASCII)
_NUMBERED = re.compile(
    r"""\b(?:account|batch|bug|case|claim|contract|customer|employee|flight|gate|invoice|issue|item|lift|line|loan
          |lot|machine|member|order|patient|payment|platform|policy|pr|record|reference|request|room|section|site
          |ticket|track|transfer|unit|user|ward)
        \s+(?:no\.?\s*|number\s+|nr\.?\s*|\#\s*)?(?=[\w-]*\d)[\w-]+ | \#\d+""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_NUMBER_SIGN = re.compile(r"\s+(?:no\.?\s*|number\s+|nr\.?\s*|#\s*)", re.IGNORECASE)

_SENTENCE_ENDS = ".!?:;…"
_OPENINGS = " \t\n\"'“\u2018([-*•"
_LINKS = frozenset(
    {"da", "de", "del", "della", "der", "di", "do", "dos", "du", "la", "le", "of", "van", "von", "y"}
)
_RUN_WORDS = 5
# Written with a capital, or all in capitals, without being a name.
_COMMON_WORDS = """
    a about after all also although am an and any as at because before both but by case customer client
    caller contact during each every for from had has have he her hers his how however i if in is it its
    like many most mr mrs ms dr prof sir madam my never no none not note now of off on once one only or our
    out over patient per please since so some still such than thanks that the their them then there these
    they this those though through to today tomorrow tonight until up update user users using was we were
    what when where whether which while who whom whose why will with without yes yesterday you your
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
    saturdays sundays january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun
    ag corp gmbh inc llc ltd plc
    asap cest cet eta etc et fyi gmt id nb ok pm ps pst re tbc tbd utc chf eur gbp jpy usd
    db dba gb ghz gw gwh hpa hz kb kg khz km kpa kv kw kwh ma mb mbit mg mhz ml mm mmhg mpa mv mw mwh ph tb
"""
_NO_NAMES = frozenset(_COMMON_WORDS.split())


def spelled_names(text: str, ordinary: Callable[[str], bool] = lambda _: True) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each name, in no certain order; one may lie inside another.

    Args:
        text: what to read.
        ordinary: tells whether a word in small letters is a word of the language; a sentence that starts
            with one in capitals does not start with a name for all that is known.
    """
    for match in _QUOTED.finditer(text):
        start, end = match.span(match.lastindex or 0)
        if len(text[start:end].split()) <= _QUOTED_WORDS:
            yield start, end
    yield from (match.span() for match in _NUMBERED.finditer(text))
    shouted = text.upper() == text
    for token in _TOKEN.finditer(text):
        if _is_code(token[0]) or (not shouted and _is_acronym(token[0])):
            yield token.span()
    for run in () if shouted else _runs(text):
        kept = _trimmed(run)
        if not 0 < len(kept) <= _RUN_WORDS:
            continue
        start, end = kept[0].start(), kept[-1].end()
        if len(kept) > 1 or not (_starts_sentence(text, start) and ordinary(_bare(kept[0][0]))):
            yield start, end


def numbered(name: str) -> str | None:
    """Write a thing with a number one way, "order no. 70418" as "order 70418"; None: it is no such thing."""
    return _NUMBER_SIGN.sub(" ", name) if _NUMBERED.fullmatch(name) else None


def is_name(word: str) -> bool:
    """Tell whether a folded name can stand for one thing: it has a letter or a "#", and is no common word."""
    return (
        word not in _NO_NAMES and (word.startswith("#") or any(c.isalpha() for c in word)) and len(word) > 1
    )


def _is_code(token: str) -> bool:
    return bool(_CODE.fullmatch(token)) and _names(token)


def _is_acronym(token: str) -> bool:
    return bool(_ACRONYM.fullmatch(token)) and _names(token)


def _names(token: str) -> bool:
    """Tell whether a word can be part of a name: it is no common word and no period such as Q3."""
    return _bare(token) not in _NO_NAMES and not _PERIOD.fullmatch(token)


def _runs(text: str) -> Iterator[list[re.Match[str]]]:
    """Yield the words that stand together in capitals, with the small words that link them."""
    run: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text):
        if run and not _continues(text, run[-1], token):
            yield run
            run = []
        if run or token[0][0].isupper():
            run.append(token)
    if run:
        yield run


def _continues(text: str, last: re.Match[str], token: re.Match[str]) -> bool:
    linked = token[0] in _LINKS and not _is_acronym(last[0])
    gap = text[last.end() : token.start()].strip(" ")
    return (token[0][0].isupper() or linked) and gap in {"", "&"} and not last[0].endswith(("'s", "’s"))


def _trimmed(run: list[re.Match[str]]) -> list[re.Match[str]]:
    """Return a run without the common words at its ends."""
    named = [place for place, token in enumerate(run) if _bare(token[0]) not in _LINKS and _names(token[0])]
    return run[named[0] : named[-1] + 1] if named else []


def _bare(token: str) -> str:
    """Return a word in small letters, without what an apostrophe adds to it."""
    return re.split("['’]", token.lower())[0]


def _starts_sentence(text: str, start: int) -> bool:
    before = text[:start]
    last = before.rstrip(_OPENINGS)
    return not last or last[-1] in _SENTENCE_ENDS or "\n" in before[len(last) :]
