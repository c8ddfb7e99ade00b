"""Guard over scripts that are written without spaces, compared by character."""

from __future__ import annotations

from collections.abc import Iterator

from arbiter.domain.evidence import GuardFinding
from arbiter.judges.alignment import Alignment, Side

_HIRAGANA = range(0x3040, 0x30A0)


def script_findings(alignment: Alignment) -> Iterator[GuardFinding]:
    """Yield characters of each text that the other lacks; one alone may be another way to say the same."""
    left, right = _own(alignment.a, alignment.b), _own(alignment.b, alignment.a)
    if left and right and max(len(left), len(right)) >= 2:
        yield GuardFinding("script", left, right)


def _own(side: Side, other: Side) -> str:
    """Return the characters that carry content and that the other text has nowhere."""
    return "".join(
        p.text
        for p in side.pieces
        if p.kind == "run" and p.is_content and p.text not in other.texts and ord(p.text) not in _HIRAGANA
    )
