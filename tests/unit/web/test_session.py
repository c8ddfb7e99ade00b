"""People sign in with a key once; a cookie that no script and no other site can use stands for it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING, Annotated

import pytest
from fastapi import APIRouter, Depends

from arbiter.domain.access import digest_of
from arbiter.web.access import Caller, Place, caller
from arbiter.web.session import COOKIE, SIGN_IN, SIGN_OUT, visit, visitor
from tests.unit.web.keyed import HERE, Served, serving

if TYPE_CHECKING:
    from fastapi.testclient import TestClient
    from httpx2 import Response

pages = APIRouter()
OWN = {"origin": HERE}


@pages.get("/review/try")
async def page(at: Annotated[Place, Depends(visit("review"))]) -> str:
    """Show a page."""
    return f"{at.caller.name} in {at.namespace}"


@pages.post("/review/try")
async def rule(who: Annotated[Caller, Depends(visitor("review"))]) -> str:
    """Change something."""
    return who.name


@pages.get("/api")
async def api(who: Annotated[Caller, Depends(caller("review"))]) -> str:
    """Answer a program."""
    return who.name


@pytest.fixture
def served() -> Iterator[Served]:
    """Return a service with pages that asks for keys."""
    with serving(pages, keys=True) as found:
        yield found


def signed_in(served: Served, token: str) -> TestClient:
    """Return a browser in which somebody has signed in."""
    browser = served.client()
    assert sign_in(browser, token).status_code == 303
    return browser


def sign_in(browser: TestClient, token: str, **fields: str) -> Response:
    """Send the form, from its own page."""
    return browser.post(SIGN_IN, data={"key": token, **fields}, headers=OWN)


def test_a_key_signs_a_person_in(served: Served) -> None:
    """The form leads back to where they wanted to go, and the page knows them from then on."""
    made = served.make_key("review", namespace="crm")
    browser = served.client()
    asked = browser.get("/review/try?page=2", headers={"accept": "text/html,*/*"})
    assert (asked.status_code, asked.headers["location"]) == (
        303,
        "/review/login?next=/review/try%3Fpage%3D2",
    )
    form = browser.get(asked.headers["location"])
    assert form.status_code == 200
    assert '<input type="hidden" name="next" value="/review/try?page=2">' in form.text
    answer = sign_in(browser, f" {made.token}\n", next="/review/try?page=2")
    assert (answer.status_code, answer.headers["location"]) == (303, "/review/try?page=2")
    assert browser.get("/review/try").json() == "Ada in crm"
    assert browser.post("/review/try", headers=OWN).json() == "Ada"


def test_the_cookie_is_for_the_browser_alone(served: Served) -> None:
    """Scripts cannot read it, nor have other sites send it; https keeps it to https; the key is not in it."""
    made = served.make_key()
    for base_url, secure in ((HERE, ""), ("https://127.0.0.1:8000", True)):
        browser = served.client(base_url=base_url)
        answer = browser.post(SIGN_IN, data={"key": made.token}, headers={"origin": base_url})
        cookie = SimpleCookie(answer.headers["set-cookie"])[COOKIE]
        assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "strict", "/")
        assert (cookie["secure"], cookie["max-age"]) == (secure, str(12 * 3600))
        assert made.token not in answer.headers["set-cookie"]
        kept = served.store.keys.session(digest_of(cookie.value))
        assert kept is not None
        assert (kept.key_id, kept.expires_at) == (made.key.id, served.clock() + timedelta(hours=12))


def test_the_form_can_neither_be_framed_nor_stored(served: Served) -> None:
    """Nothing is loaded from anywhere, nobody can put a layer over it, and no cache keeps it."""
    headers = served.client().get(SIGN_IN).headers
    assert headers["content-security-policy"] == (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
        "frame-ancestors 'none'; base-uri 'none'"
    )
    assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")
    assert headers["referrer-policy"] == "same-origin"


def test_a_key_that_does_not_hold_is_asked_for_again(served: Served) -> None:
    """The form comes back with a word about it, without the key, and no cookie is set."""
    revoked = served.make_key()
    served.store.keys.revoke(revoked.key.id, served.clock())
    for token in (revoked.token, "arb_x_y", ""):
        answer = sign_in(served.client(), token, next="/review/stats")
        assert answer.status_code == 401
        assert '<p role="alert">This key does not hold.</p>' in answer.text
        assert 'value="/review/stats"' in answer.text
        assert "set-cookie" not in answer.headers
        assert not token or token not in answer.text


@pytest.mark.parametrize(
    "onward",
    [
        "https://evil.example/review",
        "//evil.example",
        "/reviewer",
        "/review\\@evil.example",
        "/review/\nx",
        "javascript:x",
        "/review/ü",
        "",
    ],
)
def test_signing_in_leads_to_our_pages_only(served: Served, onward: str) -> None:
    """Whatever a link says, nobody is led to another site."""
    answer = sign_in(served.client(), served.make_key().token, next=onward)
    assert answer.headers["location"] == "/review"
    assert 'value="/review"' in served.client().get(SIGN_IN, params={"next": onward}).text


def test_what_the_form_shows_is_escaped(served: Served) -> None:
    """The way onward is text, never markup."""
    form = served.client().get(SIGN_IN, params={"next": '/review/"><script>'})
    assert "<script>" not in form.text
    assert 'value="/review/&quot;&gt;&lt;script&gt;"' in form.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": HERE}, 200),
        ({"sec-fetch-site": "same-origin", "origin": "http://behind.a.proxy"}, 200),
        ({}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"sec-fetch-site": "cross-site", "origin": HERE}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "none"}, 403),
    ],
)
def test_changes_come_from_our_pages_only(served: Served, headers: dict[str, str], status: int) -> None:
    """A form on another site changes nothing, even where the cookie is sent with it, nor signs anyone in."""
    browser = signed_in(served, served.make_key().token)
    assert browser.post("/review/try", headers=headers).status_code == status
    assert browser.get("/review/try", headers=headers).status_code == 200
    key = {"key": served.make_key().token}
    assert served.client().post(SIGN_IN, data=key, headers=headers).status_code == {200: 303}.get(status, 403)
    assert browser.post(SIGN_OUT, headers=headers).status_code == {200: 303}.get(status, 403)


def test_signing_out_ends_the_session(served: Served) -> None:
    """The cookie is taken back, and of no use to whoever kept a copy."""
    browser = signed_in(served, served.make_key().token)
    copied = browser.cookies[COOKIE]
    answer = browser.post(SIGN_OUT, headers=OWN)
    assert (answer.status_code, answer.headers["location"]) == (303, SIGN_IN)
    assert COOKIE not in browser.cookies
    assert served.store.keys.session(digest_of(copied)) is None
    thief = served.client(cookie=f"{COOKIE}={copied}")
    assert thief.get("/review/try").status_code == 401
    assert served.client().post(SIGN_OUT, headers=OWN).status_code == 303


def test_a_session_ends_with_its_time_and_with_its_key(served: Served) -> None:
    """After twelve hours, or five seconds after the key was revoked, a person signs in again."""
    first, second = served.make_key(), served.make_key()
    kept, dropped = signed_in(served, first.token), signed_in(served, second.token)
    served.store.keys.revoke(second.key.id, served.clock())
    served.clock.pass_by(seconds=5)
    assert (kept.get("/review/try").status_code, dropped.get("/review/try").status_code) == (200, 401)
    served.clock.pass_by(hours=12, seconds=-5)
    assert kept.get("/review/try").status_code == 401


def test_a_session_is_no_key_and_a_key_no_session(served: Served) -> None:
    """Programs do not get in with a cookie, nor a browser with a key in place of one; seen before or not."""
    made = served.make_key()
    browser = signed_in(served, made.token)
    assert browser.get("/review/try").status_code == 200
    token = browser.cookies[COOKIE]
    assert browser.get("/api").status_code == 401
    assert served.client(token).get("/api").status_code == 401
    assert served.client(made.token).get("/api").status_code == 200
    assert served.client(cookie=f"{COOKIE}={made.token}").get("/review/try").status_code == 401


def test_a_part_of_a_page_leads_to_the_form(served: Served) -> None:
    """What htmx loads has the whole page go there; a program is answered with a problem."""
    part = served.client().get("/review/try", headers={"hx-request": "true"})
    assert (part.status_code, part.headers["hx-redirect"]) == (401, SIGN_IN)
    answer = served.client().get("/review/try")
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    form = served.client().post("/review/try", headers=OWN | {"accept": "text/html"})
    assert form.status_code == 401


def test_a_person_needs_the_scope_too(served: Served) -> None:
    """A key without it signs in, and the page is refused."""
    browser = signed_in(served, served.make_key("read").token)
    answer = browser.get("/review/try", headers={"accept": "text/html"})
    assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_scope")


def test_without_keys_nobody_signs_in() -> None:
    """The open service shows its pages to this machine, and its form leads on to them."""
    with serving(pages) as served:
        browser = served.client()
        assert browser.get("/review/try").json() == "local in default"
        assert browser.get(SIGN_IN).headers["location"] == "/review"
        assert sign_in(browser, "anything").headers["location"] == "/review"
        assert "set-cookie" not in sign_in(browser, "anything").headers
        assert served.client(address="203.0.113.9").post(SIGN_IN, headers=OWN).status_code == 403


def test_a_form_of_another_kind_is_refused(served: Served) -> None:
    """Neither JSON, nor what is no text, nor a thousand fields."""
    browser = served.client()
    assert browser.post(SIGN_IN, json={"key": "x"}, headers=OWN).status_code == 415
    form = OWN | {"content-type": "application/x-www-form-urlencoded"}
    for body in (b"key=\xff", b"&".join([b"a=b"] * 9)):
        assert browser.post(SIGN_IN, content=body, headers=form).status_code == 400
