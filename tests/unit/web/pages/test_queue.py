"""The queue as a page: order, filters, paging, empty states."""

from __future__ import annotations

import re

from arbiter.domain.vocabulary import RulingKind
from tests.unit.web.pages.conftest import Room, words

RED, BLUE = "The door is red.", "The door is blue."
LOW, HIGH = "The fence is low.", "The fence is high."


def shown(room: Room, **query: str) -> list[str]:
    """Return the ids of the items on a page of the queue."""
    return re.findall(r"/review/items/(rev_\w+)", room.get(**query).text)


def test_an_empty_queue_says_so(room: Room) -> None:
    """Nothing waits, and nothing can be started."""
    page = room.get()
    assert page.status_code == 200
    assert "Nothing waits for a person." in words(page)
    assert "All settled." in words(page)
    assert "New questions appear here by themselves." in words(page)
    assert "data-again" in page.text
    assert "Start with the most urgent" not in words(page)


def test_the_most_urgent_comes_first(room: Room) -> None:
    """High stakes before others; each row has both sides, its kind, its priority and its age."""
    normal = room.ask(RED, BLUE)
    urgent = room.ask(LOW, HIGH, stakes="high", confidence=0.95)
    assert shown(room) == [urgent, normal]
    page = words(room.get())
    assert "2 questions wait for a person." in page
    assert "1 has high stakes." in page
    assert f"conflict high stakes A {LOW} B {HIGH} priority 152 waits less than a minute" in page
    start = room.get("/review/next")
    assert (start.status_code, start.headers["location"]) == (
        303,
        f"/review/items/{urgent}?namespace={room.namespace.replace(' ', '+')}",
    )


def test_the_queue_can_be_narrowed(room: Room) -> None:
    """By kind, stakes, person, text and status; what is left open in the form does not count."""
    doors = room.ask(RED, BLUE, "duplicate", stakes="normal")
    fence = room.ask(LOW, HIGH, stakes="high", confidence=0.95)
    review = room.house.arbiter.review
    review.assign(doors, "local", namespace=room.namespace)
    assert shown(room, kind="conflict", stakes="", who="", text="") == [fence]
    assert shown(room, stakes="normal") == [doors]
    assert shown(room, who="me") == [doors]
    assert shown(room, assignee="nobody") == []
    assert shown(room, text="FENCE is") == [fence]
    review.claim(fence, reviewer="kim", namespace=room.namespace)
    assert shown(room, who="free") == [doors]
    assert "in hand kim" in words(room.get())
    assert (shown(room, claimed_by="kim"), shown(room, who="mine")) == ([fence], [])
    review.claim(doors, reviewer="local", namespace=room.namespace)
    assert (shown(room, who="mine"), shown(room, who="mine", claimed_by="kim")) == ([doors], [doors])
    review.release(doors, reviewer="local", namespace=room.namespace)
    assert 'name="claimed_by" value="kim"' in room.get(claimed_by="kim").text
    review.rule(fence, RulingKind.SKIP, reviewer="kim", reason="why", namespace=room.namespace)
    review.rule(doors, RulingKind.KEEP_B, reviewer="kim", namespace=room.namespace)
    assert [shown(room, status=status) for status in ("set_aside", "closed")] == [[fence], [doors]]
    assert set(shown(room, status="all")) == {doors, fence}
    assert shown(room) == []
    none = room.get(text="garage")
    assert "Nothing like this waits." in words(none)
    assert "data-again" not in none.text


def test_every_link_keeps_what_was_chosen(room: Room) -> None:
    """An item is opened within the filter, and the way back leads to it."""
    doors = room.ask(RED, BLUE)
    page = room.get(text="door").text
    assert f'href="/review/items/{doors}?namespace={room.namespace.replace(" ", "+")}&amp;text=door"' in page
    item = room.item(doors, text="door").text
    assert f'href="/review?namespace={room.namespace.replace(" ", "+")}&amp;text=door"' in item


def test_pages_follow_one_another(room: Room) -> None:
    """Twenty-five a page, nothing twice and nothing left out."""
    ids = {room.ask(f"Gate {n} is red.", f"Gate {n} is blue.") for n in range(27)}
    first = room.get()
    assert "1–25 of 27, most urgent first" in words(first)
    (onward,) = re.findall(r'href="(/review\?[^"]+)" rel="next"', first.text)
    second = room.house.server.client.get(onward.replace("&amp;", "&"), headers={"accept": "text/html"})
    assert "26–27 of 27" in words(second)
    seen = [re.findall(r"/review/items/(rev_\w+)", page.text) for page in (first, second)]
    assert [len(found) for found in seen] == [25, 2]
    assert {*seen[0], *seen[1]} == ids
    assert 'rel="next"' not in second.text


def test_a_made_up_address_is_answered_by_a_page(room: Room) -> None:
    """What is no place and no status is refused in words, to people; programs get the problem."""
    for query in ({"after": "nowhere"}, {"status": "lost"}, {"first": "0"}):
        answer = room.get(**query)
        assert (answer.status_code, answer.headers["content-type"]) == (422, "text/html; charset=utf-8")
        assert "Back to the queue" in words(answer)
    problem = room.house.server.client.get("/review", params={"status": "lost"})
    assert (problem.status_code, problem.headers["content-type"]) == (422, "application/problem+json")


def test_namespaces_are_kept_apart(room: Room) -> None:
    """What waits elsewhere is neither shown nor counted; the page offers to go there."""
    doors = room.ask(RED, BLUE)
    other = Room(room.house, f"{room.namespace}, next door")
    other.ask(LOW, HIGH)
    assert shown(other, text="door") == []
    assert other.item(doors).status_code == 404
    assert "1 question waits" in words(other.get())
    assert f'<option value="{other.namespace}" selected>' in other.get().text
