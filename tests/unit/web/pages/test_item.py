"""An item as a page: what it shows, and what its forms do, without any script."""

from __future__ import annotations

import re

import pytest

from arbiter.domain.evidence import GuardFinding, Unjudged
from arbiter.domain.vocabulary import RulingKind
from tests.review_house import odds, said
from tests.unit.web.pages.conftest import Room, words

RED, BLUE = "The door is red.", "The door is blue."
ME = "local"


def onward(answer: object) -> str:
    """Return the path to which an answer leads, without what was chosen."""
    location: str = answer.headers["location"]  # type: ignore[attr-defined]
    return location.partition("?")[0]


def rulings(room: Room, review_id: str) -> list[tuple[str, RulingKind]]:
    """Return who ruled what on an item."""
    view = room.house.arbiter.review.view(review_id, namespace=room.namespace)
    return [(ruling.reviewer, ruling.kind) for ruling in view.rulings]


def test_everything_known_is_shown(room: Room) -> None:
    """Both sides with the difference marked, sources, the finding, the guards, the rule in plain words."""
    doors = room.ask(
        RED,
        BLUE,
        stakes="high",
        reason="The colours differ.",
        attribute="colour",
        probabilities=odds(contradiction=0.6, update=0.4),
        guards=(GuardFinding("word", "red", "blue"),),
    )
    answer = room.item(doors)
    page = words(answer)
    assert "The door is <mark>red</mark>." in answer.text
    assert "The door is <mark>blue</mark>." in answer.text
    for told in (
        "The judge is not sure enough to act. How do these relate?",
        "unsure high stakes priority 142 · waits less than a minute",
        "A Earlier · 2 Jan 2026 contested",
        "B Later · 3 Jan 2026 contested",
        "said by chat:4711 , user stated",
        "contradiction , 60 % sure by test duplicate 0 % update 40 % contradiction 60 %",
        "The colours differ.",
        "word A red B blue",
        "Both stay visible, marked as contested, until somebody decides. The judge is not sure enough",
        "142 points: 100 for high stakes, 40 for the kind of question, 2 for 2 sightings that hang on it",
    ):
        assert told in page.replace("\N{NO-BREAK SPACE}", " ")


def test_a_sure_conflict_is_told_as_one(room: Room) -> None:
    """Only where the judge is sure does the page say that both cannot be true."""
    doors = room.ask(RED, BLUE, stakes="high", confidence=0.95)
    page = words(room.item(doors)).replace("\N{NO-BREAK SPACE}", " ")
    assert "These cannot both be true. Which one holds? conflict high stakes priority 152 · " in page
    assert "152 points: 100 for high stakes, 50 for the kind of question, 2 for 2 sightings" in page


def test_a_change_between_two_subjects_is_asked_about_in_words_of_its_own(room: Room) -> None:
    """The judge is sure, a guard objects, and the page claims neither."""
    room.house.tell(RED, BLUE, "update", stakes="high", confidence=0.95)
    front, back = (
        said(text, at=at, subject=subject, namespace=room.namespace)
        for at, (text, subject) in enumerate(((RED, "front door"), (BLUE, "back door")))
    )
    (doors,) = {review for receipt in room.house.arbiter.submit([front, back]) for review in receipt.review}
    page = words(room.item(doors)).replace("\N{NO-BREAK SPACE}", " ")
    assert "A judge takes one for an update of the other, yet a check objects. How do these relate?" in page
    assert "How do these relate? guard high stakes priority 142 · " in page
    assert "subject A front door B back door" in page


def test_what_nobody_could_judge_says_why(room: Room) -> None:
    """There is no relation, only the reason."""
    room.house.judge.table = {
        **room.house.judge.table,
        ("The well is deep.", "The well is dry."): Unjudged(
            "judge_unavailable", "Not <in> time.", retryable=True
        ),
    }
    found = room.house.ask("The well is deep.", "The well is dry.", namespace=room.namespace, subject="well")
    page = words(room.item(found))
    assert "No judge could tell. Not <in> time. judge_unavailable" in page
    assert "The later one is held back until somebody decides." in page


@pytest.mark.parametrize(
    ("fields", "kind", "told"),
    [
        ({"ruling": "keep_a"}, RulingKind.KEEP_A, "You kept A."),
        ({"ruling": "keep_b"}, RulingKind.KEEP_B, "You kept B."),
        ({"ruling": "keep_both"}, RulingKind.KEEP_BOTH, "You kept both."),
        ({"ruling": "neither"}, RulingKind.NEITHER, "You ruled that neither holds."),
        ({"relabel": "complementary"}, RulingKind.RELABEL, "You said complementary."),
        ({"ruling": "merge", "text": "It is red, blue."}, RulingKind.MERGE, "You merged both into one text."),
        ({"ruling": "skip", "reason": "not my door"}, RulingKind.SKIP, "You skipped it."),
        ({"ruling": "needs_context"}, RulingKind.NEEDS_CONTEXT, "You asked for more context."),
    ],
)  # fmt: skip
def test_every_ruling_can_be_made_and_taken_back(
    room: Room, fields: dict[str, str], kind: RulingKind, told: str
) -> None:
    """It leads to the queue once nothing is left, says what was done, and offers the way back."""
    doors = room.ask(RED, BLUE)
    answer = room.rule(doors, **fields)
    assert (answer.status_code, onward(answer)) == (303, "/review")
    assert rulings(room, doors) == [(ME, kind)]
    page = room.house.server.client.get(answer.headers["location"], headers={"accept": "text/html"})
    assert told in words(page)
    assert f"<title>{told} 0 to review · arbiter</title>" in page.text
    assert "1 done today by you, 0 wait" in words(page)
    (undo,) = re.findall(r'action="(/review/rulings/\w+/undo)', page.text)
    back = room.post(undo)
    assert (back.status_code, onward(back)) == (303, f"/review/items/{doors}")
    again = room.house.server.client.get(back.headers["location"], headers={"accept": "text/html"})
    assert "Taken back:" in words(again)
    assert "<title>Taken back. 1 of 1: " in again.text
    assert "0 done today by you, 1 waits" in words(again)
    assert rulings(room, doors) == [(ME, kind), (ME, RulingKind.RETRACT)]


def test_ruling_goes_on_with_what_is_free(room: Room) -> None:
    """The next item is the one behind, of those in nobody else's hands; after the last one, the first."""
    first, second, third, fourth = (
        room.ask(f"Gate {n} is red.", f"Gate {n} is blue.", stakes=stakes)
        for n, stakes in enumerate(("high", "normal", "normal", "normal"))
    )
    ordered = re.findall(r"/review/items/(rev_\w+)", room.get().text)
    assert {*ordered} == {first, second, third, fourth}
    assert ordered[0] == first
    room.house.arbiter.review.claim(ordered[1], reviewer="kim", namespace=room.namespace)
    assert onward(room.rule(ordered[0], ruling="keep_b")) == f"/review/items/{ordered[2]}"
    assert onward(room.rule(ordered[3], ruling="keep_b")) == f"/review/items/{ordered[2]}"
    assert onward(room.rule(ordered[2], ruling="keep_b")) == "/review"


def test_a_merge_that_invents_is_asked_about(room: Room) -> None:
    """What neither side names is listed, the text is kept, and a tick confirms it."""
    doors = room.ask(RED, BLUE)
    text = "The door in Oslo is red, number 17."
    answer = room.rule(doors, ruling="merge", text=text)
    assert answer.status_code == 422
    page = words(answer)
    assert "The text says more than the two sides" in page
    assert re.findall(r"<li><bdi>([^<]+)</bdi></li>", answer.text) == ["Oslo", "17"]
    assert f">{text}</textarea>" in answer.text
    assert '<details class="tool" id="merge" open>' in answer.text
    assert rulings(room, doors) == []
    assert room.rule(doors, ruling="merge", text=text, confirmed="1").status_code == 303
    assert rulings(room, doors) == [(ME, RulingKind.MERGE)]


def test_a_proposed_text_is_where_a_merge_starts(room: Room) -> None:
    """Without a proposal it starts with the longer side."""
    told = "The door is red and wide."
    doors = room.ask(RED, BLUE, "duplicate", merged_text=told)
    assert f">{told}</textarea>" in room.item(doors).text
    plain = room.ask("The gate is red.", "The gate is green.")
    assert ">The gate is green.</textarea>" in room.item(plain).text


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"ruling": "skip", "reason": " "}, "a skip has a reason"),
        ({"ruling": "merge", "text": ""}, "text: is blank"),
        ({"ruling": "merge", "text": "a\x00b"}, "text: holds a NUL byte"),
        ({"ruling": "delete"}, "this is no ruling"),
        ({"relabel": "enemies"}, "this is no ruling"),
        ({"ruling": "undo"}, "undo answers no question"),
        ({}, "this is no ruling"),
    ],
)
def test_a_ruling_that_is_not_complete_is_told_so(room: Room, fields: dict[str, str], told: str) -> None:
    """The item comes back with a word about it; nothing was written."""
    doors = room.ask(RED, BLUE)
    answer = room.rule(doors, **fields)
    assert answer.status_code == 422
    assert told in words(answer)
    assert rulings(room, doors) == []


def test_a_pair_that_changed_is_looked_at_again(room: Room) -> None:
    """What was seen is no longer how it is: the new state is shown, with what was typed."""
    doors = room.ask(RED, BLUE)
    seen = room.digests(doors)
    about = {"subject": f"{RED} or {BLUE}", "namespace": room.namespace}
    more = said(RED, at=3, source="agent:x", kind="agent_inference", **about)
    room.house.arbiter.submit([more])
    answer = room.post(f"/review/items/{doors}/ruling", **seen, ruling="keep_a", reason="I was there.")
    assert answer.status_code == 409
    page = words(answer)
    assert "This changed while you looked at it Nothing was written." in page
    assert "<title>This changed while you looked at it. 1 of 1: " in answer.text
    assert "agent:x" in page
    assert ">I was there.</textarea>" in answer.text
    assert rulings(room, doors) == []
    assert room.rule(doors, ruling="keep_a").status_code == 303


def test_a_settled_item_says_who_settled_it(room: Room) -> None:
    """Whoever comes too late sees what was ruled, and can go on or take it back."""
    doors, gate = room.ask(RED, BLUE), room.ask("The gate is red.", "The gate is green.")
    seen = room.digests(doors)
    room.house.arbiter.review.rule(doors, RulingKind.KEEP_B, reviewer="kim", namespace=room.namespace)
    answer = room.post(f"/review/items/{doors}/ruling", **seen, ruling="keep_a")
    assert answer.status_code == 409
    page = words(answer)
    assert "Settled kim kept B" in page
    assert "What is in force" in page
    assert "Why it was urgent" in page
    assert "Keep A" not in page
    assert f'href="/review/items/{gate}?' in answer.text


def test_nothing_that_is_not_there_is_shown(room: Room) -> None:
    """An unknown item, ruling or action is a page that says so."""
    for path in ("/review/items/rev_0", "/review/items/nonsense"):
        answer = room.get(path)
        assert answer.status_code == (404 if path.endswith("rev_0") else 422)
        assert "Back to the queue" in words(answer)
    assert room.post("/review/rulings/rul_0/undo").status_code == 404
    assert room.get(done="rul_0").status_code == 200


def test_what_rests_on_a_ruling_is_shown_before_it_is_taken_back(room: Room) -> None:
    """Both decisions are listed, and go together or not at all."""
    green = "The door is green."
    subject, namespace = f"{RED} or {BLUE}", room.namespace
    doors = room.ask(RED, BLUE)
    room.rule(doors, ruling="keep_b")
    room.house.tell(BLUE, green, "update", mutability="mutable")
    room.house.arbiter.submit([said(green, at=5, subject=subject, namespace=namespace)])
    (ruling,) = room.house.arbiter.review.view(doors, namespace=namespace).rulings
    answer = room.post(f"/review/rulings/{ruling.id}/undo")
    assert answer.status_code == 409
    assert f"A {BLUE} B {green}" in words(answer)
    assert rulings(room, doors) == [(ME, RulingKind.KEEP_B)]
    together = room.post(f"/review/rulings/{ruling.id}/undo", cascade="1")
    assert (together.status_code, onward(together)) == (303, f"/review/items/{doors}")
    assert rulings(room, doors)[-1] == (ME, RulingKind.RETRACT)
