"""Who gets to see and do what, and what no text can do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from arbiter.domain.vocabulary import RulingKind
from arbiter.web.pages import assets
from tests.review_house import House, served
from tests.unit.web.pages.conftest import Room, words

RED, BLUE = "The door is red.", "The door is blue."
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'><svg/onload=alert(1)>{{7*7}}\u202e"


@pytest.fixture
def keyed(tmp_path: Path) -> Iterator[House]:
    """Return a house that asks for keys."""
    with served(tmp_path) as house:
        house.key("nobody")
        house.clock.forward(minutes=1)
        house.tell(RED, BLUE, "contradiction")
        yield house


@contextmanager
def signed_in(house: House, token: str) -> Iterator[httpx.Client]:
    """Return a browser in which somebody has signed in."""
    accept = {"accept": "text/html"}
    with httpx.Client(base_url=house.server.url, trust_env=False, headers=accept) as client:
        answer = client.post("/review/login", data={"key": token}, headers={"origin": house.server.url})
        assert answer.status_code == 303
        yield client


def test_every_page_has_the_same_strict_policy(room: Room) -> None:
    """No inline script or style, nothing from elsewhere, no frame around it, and no cache keeps it."""
    doors = room.ask(RED, BLUE)
    answers = [
        room.get(),
        room.get("/review/dashboard"),
        room.item(doors),
        room.item("rev_0"),
        room.get("/review/next"),
    ]
    answers.append(room.rule(doors, ruling="nonsense"))
    for answer in answers:
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert re.search(r"<[^>]+ (style|on\w+)=", answer.text) is None
        assert re.findall(r"<(?:style|script)(?![^>]* src=)", answer.text) == []


@pytest.mark.parametrize(
    "headers", [{"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {}]
)
def test_other_sites_change_nothing(room: Room, headers: dict[str, str]) -> None:
    """A form sent from elsewhere is refused, whatever it asks for."""
    doors = room.ask(RED, BLUE)
    form = {"accept": "text/html", "content-type": "application/x-www-form-urlencoded", **headers}
    fields = {**room.digests(doors), "ruling": "keep_a", "text": "x", "assignee": "kim"}
    for action in ("ruling", "claim", "release", "assign", "comments", "looking", "left"):
        assert room.post(f"/review/items/{doors}/{action}", form, **fields).status_code == 403
    assert room.post("/review/rulings/rul_0/undo", form).status_code == 403
    view = room.house.arbiter.review.view(doors, namespace=room.namespace)
    assert (view.rulings, view.comments) == ((), ())
    assert (view.queued.work.assignee, view.queued.work.claimed_by) == (None, None)


def test_a_form_of_another_kind_is_refused(room: Room) -> None:
    """JSON, text that is no form, and more fields than any form of ours has."""
    doors = room.ask(RED, BLUE)
    path = f"/review/items/{doors}/comments"
    own = {"accept": "text/html", "origin": room.house.server.url}
    client = room.house.server.client
    assert client.post(path, json={"text": "x"}, headers=own).status_code == 415
    form = own | {"content-type": "application/x-www-form-urlencoded"}
    for body in (b"text=%ff", "text=ü".encode(), b"&".join([b"a=b"] * 17)):
        assert client.post(path, content=body, headers=form).status_code == 400


def test_texts_are_texts_everywhere(room: Room) -> None:
    """Facts, subjects, sources, reasons, guards, comments, names and what is typed: all of it is escaped."""
    doors = room.ask(
        f"{RED} {HOSTILE}",
        f"{BLUE} {HOSTILE}",
        reason=HOSTILE,
        attribute=HOSTILE,
        merged_text=f"Both. {HOSTILE}",
    )
    review = room.house.arbiter.review
    review.comment(doors, HOSTILE, author=HOSTILE, namespace=room.namespace)
    review.assign(doors, HOSTILE, namespace=room.namespace)
    ruled = review.rule(doors, RulingKind.SKIP, reviewer=HOSTILE, reason=HOSTILE, namespace=room.namespace)
    assert ruled == []
    pages = [
        room.item(doors),
        room.get(text=HOSTILE, assignee=HOSTILE, status="all"),
        room.get("/review/dashboard"),
        room.rule(doors, ruling="skip", reason=f"{HOSTILE}\x00"),
        room.rule(doors, ruling="merge", text=f"{HOSTILE} 99"),
    ]
    for page in pages:
        assert page.status_code in (200, 422)
        assert HOSTILE[:-1] in words(page) or page is pages[2]
        for markup in ("<script>alert", "<img src=x", "<svg/onload", "49\u202e"):
            assert markup not in page.text
        # In fields the text is as it was written; everywhere else what cannot be seen has a name.
        assert "\u202e" not in re.sub(r"(?s)<textarea.*?</textarea>|<(input|button)[^>]*>", "", page.text)


def test_people_stay_in_their_namespace(keyed: House) -> None:
    """A key's namespace is all that its pages show, count or change."""
    here = keyed.ask(RED, BLUE, namespace="here", subject="door", stakes="high")
    there = keyed.ask(RED, BLUE, namespace="there", subject="door", stakes="high")
    own = {"origin": keyed.server.url}
    with signed_in(keyed, keyed.key("Noor", namespace="here")) as browser:
        page = browser.get("/review")
        assert (here in page.text, there in page.text, "there" in words(page)) == (True, False, False)
        assert browser.get(f"/review/items/{there}").status_code == 404
        assert browser.get("/review", params={"namespace": "there"}).status_code == 403
        assert "2 records tell 2 different facts." in words(browser.get("/review/dashboard"))
        sent = browser.post(f"/review/items/{there}/ruling", data={"ruling": "keep_a"}, headers=own)
        assert sent.status_code == 404
    assert keyed.arbiter.review.view(there, namespace="there").rulings == ()


def test_people_rule_under_the_name_of_their_key(keyed: House) -> None:
    """Whoever signed in is who ruled; nothing in a form says otherwise."""
    doors = keyed.ask(RED, BLUE, subject="door", stakes="high")
    with signed_in(keyed, keyed.key("Noor")) as browser:
        page = browser.get(f"/review/items/{doors}").text
        a, b = (re.findall(f'name="digest_{side}" value="([^"]+)"', page)[0] for side in "ab")
        fields = {"digest_a": a, "digest_b": b, "ruling": "keep_b", "reviewer": "Kim"}
        browser.post(f"/review/items/{doors}/ruling", data=fields, headers={"origin": keyed.server.url})
    (ruling,) = keyed.arbiter.review.view(doors).rulings
    assert ruling.reviewer == "Noor"


def test_who_may_not_review_is_told_so(keyed: House) -> None:
    """Without a session the way leads to the form; without the scope, to a page that says what lacks."""
    unknown = httpx.get(f"{keyed.server.url}/review", headers={"accept": "text/html"}, trust_env=False)
    assert unknown.headers["location"] == "/review/login?next=/review"
    with signed_in(keyed, keyed.key("Reader", "read")) as reader:
        answer = reader.get("/review")
    assert answer.status_code == 403
    assert "the key does not hold the scope review" in words(answer)
    assert "sign in with another key" in words(answer)


def test_assets_keep_for_ever_and_change_their_address(room: Room) -> None:
    """Each is served with its type; the address holds the digest; others are not there."""
    page = room.get().text
    found = re.findall(r'(?:href|src)="(/review/assets/[^"]+)"', page)
    assert set(found) == {
        assets.address(name) for name in ("icon.svg", "report.css", "pages.css", "pages.js")
    }
    for address in found:
        answer = room.house.server.client.get(address)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert room.get("/review/assets/secrets.txt").status_code == 404
    assert room.get("/review/assets/..%2Frender.py").status_code == 404
