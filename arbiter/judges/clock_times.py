"""Times of day out of text: "14:00", "2 pm", "half past nine", "noon", with a zone where one is named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from arbiter.judges.numerals import lower_case

_HOURS = {
    word: hour
    for hour, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve".split(), start=1
    )
}
_NAMED = {"noon": 12 * 60, "midday": 12 * 60, "midnight": 0}
_PARTS = {"quarter": 15, "a quarter": 15, "half": 30, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
# Minutes east of Greenwich. Names that several countries use differently are left out.
_ZONES = {
    "utc": 0, "gmt": 0, "z": 0, "wet": 0, "bst": 60, "cet": 60, "west": 60, "cest": 120, "eet": 120,
    "eest": 180, "msk": 180, "jst": 540, "est": -300, "edt": -240, "cdt": -300, "mst": -420, "mdt": -360,
    "pst": -480, "pdt": -420,
}  # fmt: skip
_DAY = 24 * 60

_ZONE = (
    r"(?P<zone>(?:utc|gmt)? ?[+-]\d\d:?\d\d|(?:utc|gmt)[+-]\d{1,2}\b|(?:\b|(?<=\d))(?:"
    + "|".join(_ZONES)
    + r")\b)"
)
_HALF = (
    r"(?P<half>a\.m\.|p\.m\.|am\b|pm\b|in the (?:early |late )?(?:morning|afternoon|evening)|at night"
    r"|o['’]?clock\b)"
)
_TOLD_HOUR = r" ?(?:am\b|pm\b|a\.m|p\.m|uhr\b|in the (?:morning|afternoon|evening)|o['’]?clock)"
_HOUR_WORD = "|".join(_HOURS)
_TIME = re.compile(
    r"(?:(?<![\w:.,/])|(?<=\dt))(?:"
    r"(?P<h>[01]?\d|2[0-4]):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d)(?:\.\d+)?)?(?![\d:])(?: ?h\b| uhr\b)?"
    r"|(?P<h4>[01]\d|2[0-4])(?P<m4>[0-5]\d) ?h(?:rs)?\b"
    r"|(?P<hd>[01]?\d|2[0-4])[.h](?P<md>[0-5]\d)(?= ?(?:uhr|am\b|pm\b|a\.m|p\.m)|(?<=h\d\d)\b)(?: uhr\b)?"
    rf"|(?P<part>a quarter|quarter|half|twenty-five|twenty|ten|five)"
    rf"(?P<to>(?: minutes)? (?:past|after) |(?:(?<=quarter)| minutes) (?:to|before) | )"
    rf"(?P<ph>{_HOUR_WORD}|1[0-2]|[1-9]|noon|midnight)\b(?!:)"
    rf"|(?P<hw>{_HOUR_WORD}|1[0-9]|2[0-4]|[1-9])(?={_TOLD_HOUR})(?: uhr\b)?"
    r"|(?P<named>noon|midday|midnight)\b"
    rf")(?: ?{_HALF})?(?: ?{_ZONE})?",
)
_HINT = re.compile(
    r"\d|noon|midday|midnight|half|quarter|clock|past|\b(?:am|pm|a\.m|p\.m|uhr)\b|in the (?:m|a|e)"
)


@dataclass(frozen=True, slots=True)
class ClockTime:
    """Minutes after midnight, with seconds where they are given.

    ``twelve_hour`` where morning or evening is not told; ``zone`` in minutes east of Greenwich.
    """

    minutes: int
    seconds: int | None = None
    twelve_hour: bool = False
    zone: int | None = None


@dataclass(frozen=True, slots=True)
class FoundTime:
    """A time of day and where it stands in the text."""

    start: int
    end: int
    time: ClockTime


def clock_times(text: str) -> Iterator[FoundTime]:
    """Yield the times of day of a text from left to right."""
    lower = lower_case(text)
    if not _HINT.search(lower):
        return
    for match in _TIME.finditer(lower):
        minutes, told = _read(match)
        if minutes is not None:
            seconds = int(match["s"]) if match["s"] else None
            time = ClockTime(minutes % _DAY, seconds, not told, _zone(match["zone"]))
            yield FoundTime(match.start(), match.end(), time)


def same_time(a: ClockTime, b: ClockTime) -> bool:
    """Are two times the same? Zones count only where both are named."""
    if a.seconds is not None and b.seconds is not None and a.seconds != b.seconds:
        return False
    difference = a.minutes - b.minutes
    if a.zone is not None and b.zone is not None:
        difference -= a.zone - b.zone
    return difference % (_DAY // 2 if a.twelve_hour or b.twelve_hour else _DAY) == 0


def _read(match: re.Match[str]) -> tuple[int | None, bool]:
    """Return minutes after midnight, and whether the half of the day is told."""
    if match["named"]:
        return _NAMED[match["named"]], True
    if match["part"]:
        base = _read_past(match)
        return (None, False) if base is None else _in_half(base, match["half"])
    hour = match["h"] or match["h4"] or match["hd"] or match["hw"]
    minute = int(match["m"] or match["m4"] or match["md"] or 0)
    value = _HOURS.get(hour) or int(hour)
    if value > 12 or match["h4"] or (match["half"] is None and len(hour) == 2 and hour[0] == "0"):
        return value * 60 + minute, True
    return _in_half(value * 60 + minute, match["half"])


def _read_past(match: re.Match[str]) -> int | None:
    """Read "quarter to nine", and "half nine" as half past, the British way."""
    part, link = _PARTS[match["part"]], match["to"]
    hour = match["ph"]
    base = _NAMED[hour] if hour in _NAMED else 60 * (_HOURS.get(hour) or int(hour))
    if not link.strip():
        return base + part if part == 30 else None
    return base - part if "to" in link or "before" in link else base + part


def _in_half(minutes: int, half: str | None) -> tuple[int, bool]:
    if half is None or half[0] == "o":
        return minutes, False
    folded = half.replace(".", "")
    late = folded == "pm" or "noon" in folded or "evening" in folded or "night" in folded
    return minutes % (_DAY // 2) + (_DAY // 2 if late else 0), True


def _zone(name: str | None) -> int | None:
    if name is None:
        return None
    folded = name.strip()
    if folded in _ZONES:
        return _ZONES[folded]
    sign = -1 if "-" in folded else 1
    digits = re.sub(r"\D", "", folded)
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
    return sign * (60 * int(hours) + int(minutes))
