"""Where an item stands in the queue, and what is beside it."""

from __future__ import annotations

import re

from tests.unit.web.pages.conftest import Room, words


def links(room: Room, review_id: str, **query: str) -> tuple[str | None, str | None]:
    """Return the ids of the previous and the next item."""
    page = room.item(review_id, **query).text
    found = [
        re.findall(rf'href="/review/items/(rev_\w+)[^"]*" rel="{rel}"', page) for rel in ("prev", "next")
    ]
    return tuple(ids[0] if ids else None for ids in found)  # type: ignore[return-value]


def test_an_item_knows_its_neighbours(room: Room) -> None:
    """The first has none before it, the last none behind; each says where it stands."""
    ids = [
        room.ask(f"Gate {n} is red.", f"Gate {n} is blue.", stakes=s)
        for n, s in enumerate(("high", "normal", "normal"))
    ]
    first, second, third = re.findall(r"/review/items/(rev_\w+)", room.get().text)
    assert {first, second, third} == set(ids)
    assert [links(room, found) for found in (first, second, third)] == [
        (None, second),
        (first, third),
        (second, None),
    ]
    assert "2 of 3" in words(room.item(second))


def test_neighbours_are_those_of_what_is_chosen(room: Room) -> None:
    """An item that is not among them has a place all the same."""
    urgent = room.ask("Gate 1 is red.", "Gate 1 is blue.", stakes="high", confidence=0.95)
    unsure = room.ask("Gate 2 is red.", "Gate 2 is blue.", "duplicate")
    assert links(room, urgent, kind="unsure") == (None, unsure)
    assert links(room, unsure, kind="unsure") == (None, None)
    page = words(room.item(urgent, kind="unsure"))
    assert "not in this list" in page


def test_a_settled_item_still_leads_on(room: Room) -> None:
    """What was ruled keeps its place between the others."""
    for n in range(3):
        room.ask(f"Gate {n} is red.", f"Gate {n} is blue.")
    first, second, third = re.findall(r"/review/items/(rev_\w+)", room.get().text)
    room.rule(second, ruling="keep_b")
    assert links(room, second) == (first, third)
