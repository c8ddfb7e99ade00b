"""Items of a batch on their way in: what cannot be read is answered like what is not valid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from arbiter.api import Arbiter, Checked, RecordLike
from arbiter.domain.outcomes import Reason
from arbiter.web.access import Caller

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An item that could not be read, and why."""

    reason: Reason


def check(records: Sequence[object], arbiter: Arbiter, caller: Caller, first_index: int) -> Checked:
    """Check the records of a caller, who reaches one namespace, or any."""
    given: Iterable[RecordLike] = records  # type: ignore[assignment]  # that is what is checked
    checked = arbiter.check(given, first_index=first_index, namespace=caller.namespace)
    for index, item in enumerate(records, first_index):
        if isinstance(item, Unreadable):
            checked.refused[index] = replace(checked.refused[index], reason=item.reason)
    return checked
