"""Claims, assignments and comments, sent by forms and by an open page."""

from __future__ import annotations

from datetime import timedelta

from arbiter.domain.vocabulary import RulingKind
from tests.unit.web.pages.conftest import Room, words

RED, BLUE = "The door is red.", "The door is blue."
QUARTER, FIVE = timedelta(minutes=15), timedelta(minutes=5)


def test_an_item_is_taken_in_hand_and_let_go(room: Room) -> None:
    """The page says until when; letting go leads back to the queue."""
    doors = room.ask(RED, BLUE)
    assert "In nobody’s hands." in words(room.item(doors))
    taken = room.post(f"/review/items/{doors}/claim")
    assert (taken.status_code, taken.headers["location"].partition("?")[0]) == (303, f"/review/items/{doors}")
    until = f"{room.house.clock() + QUARTER:%H:%M} UTC"
    assert f"In your hands until {until}." in words(room.item(doors))
    let_go = room.post(f"/review/items/{doors}/release")
    assert let_go.headers["location"].partition("?")[0] == "/review"
    assert "In nobody’s hands." in words(room.item(doors))


def test_what_somebody_else_has_in_hand_is_not_ruled_on(room: Room) -> None:
    """It can be read; its buttons are off; a ruling sent all the same is refused, and says by whom."""
    doors = room.ask(RED, BLUE)
    seen = room.digests(doors)
    room.house.arbiter.review.claim(doors, reviewer="kim", namespace=room.namespace)
    page = room.item(doors)
    assert "kim is working on this" in words(page)
    assert '<fieldset class="bare keep" disabled>' in page.text
    assert "data-looking" not in page.text
    for path, fields in (("ruling", {**seen, "ruling": "keep_a"}), ("claim", {}), ("release", {})):
        answer = room.post(f"/review/items/{doors}/{path}", **fields)
        assert answer.status_code == 409
        assert "Somebody else is working on this kim has it in hand until" in words(answer)
    room.house.clock.forward(minutes=16)
    assert "In nobody’s hands." in words(room.item(doors))
    assert room.rule(doors, ruling="keep_a").status_code == 303


def test_an_open_page_keeps_others_from_its_item(room: Room) -> None:
    """For five minutes, to be said again; what was claimed for longer stays so; who leaves lets go."""
    doors = room.ask(RED, BLUE)
    json = {"accept": "application/json", "origin": room.house.server.url}
    review, clock = room.house.arbiter.review, room.house.clock

    def until() -> object:
        work = review.view(doors, namespace=room.namespace).queued.work
        return work.claimed_by and work.claimed_until

    looking = room.post(f"/review/items/{doors}/looking", json)
    assert looking.json() == {"until": f"{clock() + FIVE:%H:%M} UTC"}
    assert until() == clock() + FIVE
    assert room.post(f"/review/items/{doors}/left", json).status_code == 204
    assert until() is None
    review.claim(doors, reviewer="local", namespace=room.namespace)
    room.post(f"/review/items/{doors}/looking", json)
    room.post(f"/review/items/{doors}/left", json)
    assert until() == clock() + QUARTER
    review.release(doors, reviewer="local", namespace=room.namespace)
    review.claim(doors, reviewer="kim", namespace=room.namespace)
    refused = room.post(f"/review/items/{doors}/looking", json)
    assert (refused.status_code, refused.json()["code"]) == (409, "claimed")
    assert room.post(f"/review/items/{doors}/left", json).status_code == 204
    assert until() == clock() + QUARTER


def test_a_settled_item_is_not_held(room: Room) -> None:
    """The open page learns that it is out of date."""
    doors = room.ask(RED, BLUE)
    room.house.arbiter.review.rule(doors, RulingKind.KEEP_B, reviewer="kim", namespace=room.namespace)
    answer = room.post(f"/review/items/{doors}/looking", {"origin": room.house.server.url})
    assert (answer.status_code, answer.json()["code"]) == (409, "stale_ruling")


def test_an_item_is_given_to_a_person(room: Room) -> None:
    """To somebody, to whoever looks, or to nobody; a name that is none is refused."""
    doors = room.ask(RED, BLUE)

    def give(name: str) -> str | None:
        assert room.post(f"/review/items/{doors}/assign", assignee=name).status_code == 303
        return room.house.arbiter.review.view(doors, namespace=room.namespace).queued.work.assignee

    assert [give(" kim "), give("local"), give("")] == ["kim", "local", None]
    long = room.post(f"/review/items/{doors}/assign", assignee="k" * 201)
    assert long.status_code == 422
    assert "assignee: is 201 characters; 200 are allowed" in words(long)


def test_comments_are_kept(room: Room) -> None:
    """They stand on the page with who wrote them; a blank one is refused and the words are not lost."""
    doors = room.ask(RED, BLUE)
    noted = room.post(f"/review/items/{doors}/comments", text="Asked the\r\nhouse owner.")
    assert noted.headers["location"].endswith("#comments")
    page = room.item(doors)
    assert ">Asked the\nhouse owner.</p>" in page.text
    assert "local" in words(page)
    for text, told in ((" ", "text: is blank"), ("a\x00b", "text: holds a NUL byte")):
        answer = room.post(f"/review/items/{doors}/comments", text=text)
        assert answer.status_code == 422
        assert told in words(answer)
