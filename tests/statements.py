"""The statements that a database is sent, for tests of how many it takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import event
from sqlalchemy.engine import Engine


@contextmanager
def statements() -> Iterator[list[str]]:
    """Gather the statements that any engine sends to its database; many rows of one are one."""
    sent: list[str] = []

    def note(*call: object) -> None:
        sent.append(str(call[2]))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(Engine, "before_cursor_execute", note)
