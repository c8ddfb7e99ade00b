"""What is odd about the claim keys and values of records that are kept: a slip would pass unseen else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from arbiter.cli.render import plain

if TYPE_CHECKING:
    from arbiter.adapters.claim_keys import ClaimKeyRegistry

_MOST = 20
_CALLED = {
    "number": "a number",
    "quantity": "a quantity",
    "money": "an amount of money",
    "date": "a date",
    "time": "a time of day",
    "boolean": "yes or no",
    "email": "an e-mail address",
    "phone": "a phone number",
    "url": "a web address",
}


class ClaimNotes:
    """Notes on records, each said once, and not more than twenty."""

    def __init__(self, registry: ClaimKeyRegistry) -> None:
        self._registry = registry
        self._said: set[str] = set()

    def about(self, record: object) -> Iterator[str]:
        """Yield what has not been said yet; ``record`` is one as it is submitted, and valid."""
        for note in self._found(record):
            if note not in self._said and len(self._said) < _MOST:
                self._said.add(note)
                yield note

    def _found(self, record: object) -> Iterator[str]:
        if not isinstance(record, Mapping):
            return
        key, value = record.get("claim_key"), record.get("value")
        if not isinstance(key, str):
            if value is not None:
                yield "value: without a claim_key nothing compares it"
            return
        kind = self._registry.value_type(key)
        if kind is None:
            near = self._registry.suggestion(key)
            meant = f"; did you mean {near}?" if near else ""
            yield plain(f"claim_key: {key} is not registered, so its values are compared by no type{meant}")
        elif isinstance(value, str) and not _can_be(value, kind):
            called = _CALLED.get(kind, kind)
            yield plain(
                f"value: {value!r} is not {called}, as that of {key} is, so it is compared by no type"
            )


def _can_be(value: str, kind: str) -> bool:
    from arbiter.judges.values import is_of_type

    return is_of_type(value, kind)
