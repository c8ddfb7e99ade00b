"""What a person answers to a question, checked before anything is read or written."""

from __future__ import annotations

from dataclasses import dataclass

from arbiter.domain.evidence import Spend
from arbiter.domain.outcomes import FactState, Ruling
from arbiter.domain.vocabulary import Relation, RulingKind
from arbiter.errors import RequestError

MAX_TEXT_CHARS = 8_000
"""The longest text of a merge, which becomes the content of a record."""
MAX_NOTE_CHARS = 4_000
"""The longest reason or comment."""
MAX_NAME_CHARS = 200
"""The longest name of a person."""
_PARTS = {"relabel": "relation", "text": "text"}
_TAKEN_BACK = (RulingKind.UNDO, RulingKind.RETRACT)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person says about a review item; sides are named as they were shown.

    ``relabel`` goes with a relabel, ``text`` with a merge: the one wording that is to stand for both. It
    may name what neither side names only if the person has ``confirmed`` that. ``seen`` are the digests
    of both facts as the person saw them; by default those of the stored item.
    """

    kind: RulingKind
    reviewer: str
    relabel: Relation | None = None
    text: str | None = None
    confirmed: bool = False
    reason: str = ""
    seen: tuple[str, str] | None = None

    def check(self) -> None:
        """Check that the answer is complete and consistent.

        Raises:
            RequestError: it is not; names the field.
        """
        if self.kind in _TAKEN_BACK:
            raise RequestError(f"{self.kind.value} answers no question", field="ruling")
        _check_part(self.kind, RulingKind.RELABEL, self.relabel, "relabel")
        _check_part(self.kind, RulingKind.MERGE, self.text, "text")
        check_name(self.reviewer, "reviewer")
        if self.text is not None:
            _check_words(self.text, "text", MAX_TEXT_CHARS)
            if not any(char.isalnum() for char in self.text):
                raise RequestError("text: has neither a letter nor a digit", field="text")
        if self.kind is RulingKind.SKIP and not self.reason.strip():
            raise RequestError("a skip has a reason", field="reason")
        if self.reason.strip():
            _check_words(self.reason, "reason", MAX_NOTE_CHARS)


@dataclass(frozen=True, slots=True)
class Ruled:
    """A ruling in force: the states that are others since, and what judging a merged text has cost."""

    ruling: Ruling
    changed: tuple[FactState, ...] = ()
    spend: Spend = Spend()


def check_name(name: str, field: str) -> None:
    """Check the name of a person.

    Raises:
        RequestError: it is blank, too long or no text.
    """
    _check_words(name, field, MAX_NAME_CHARS)


def check_note(note: str, field: str) -> None:
    """Check what somebody noted.

    Raises:
        RequestError: it is blank, too long or no text.
    """
    _check_words(note, field, MAX_NOTE_CHARS)


def _check_words(value: str, field: str, limit: int) -> None:
    if not value.strip():
        raise RequestError(f"{field}: is blank", field=field)
    if len(value) > limit:
        raise RequestError(f"{field}: is {len(value):,} characters; {limit:,} are allowed", field=field)
    if "\x00" in value:
        raise RequestError(f"{field}: holds a NUL byte", field=field)
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise RequestError(f"{field}: holds a lone surrogate, which is no text", field=field)


def _check_part(kind: RulingKind, owner: RulingKind, part: object, field: str) -> None:
    """Check that an answer has what its kind needs, and nothing that only another kind has."""
    if kind is owner and part is None:
        raise RequestError(f"a {owner.value} needs a {_PARTS[field]}", field=field)
    if kind is not owner and part is not None:
        raise RequestError(f"only a {owner.value} has a {_PARTS[field]}", field=field)
