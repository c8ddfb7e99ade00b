"""Who gets in: keys, scopes, namespaces, and the service without keys."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Annotated, Any

import pytest
from fastapi import APIRouter, Depends

from arbiter.adapters.secret_tokens import new_key
from arbiter.domain.access import ApiKey
from arbiter.errors import ConfigurationError
from arbiter.testing_store import MemoryStore
from arbiter.testing_store.keys import MemoryKeys
from arbiter.web.access import Caller, Place, caller, place
from tests.factories import day
from tests.unit.web.keyed import Served, StillClock, serving

router = APIRouter()


@router.get("/whoami")
async def whoami(
    who: Annotated[Caller, Depends(caller("read"))], again: Annotated[Caller, Depends(caller("read"))]
) -> dict[str, Any]:
    """Tell who the caller is."""
    return {"name": who.name, "namespace": who.namespace, "scopes": sorted(who.scopes), "same": who is again}


@router.get("/where")
async def where(at: Annotated[Place, Depends(place("read"))]) -> str:
    """Tell in which namespace the request works."""
    return at.namespace


@pytest.fixture
def served() -> Iterator[Served]:
    """Return a service that asks for keys."""
    with serving(router, keys=True) as found:
        yield found


def told(served: Served, token: str | None, path: str = "/whoami", **headers: str) -> tuple[int, str, str]:
    """Return status, code and challenge of an answer."""
    answer = served.client(token, address="203.0.113.9", **headers).get(path)
    return answer.status_code, answer.json().get("code", ""), answer.headers.get("www-authenticate", "")


def test_a_key_lets_its_owner_in(served: Served) -> None:
    """The caller has the name, the namespace and the scopes of the key, and is looked up once a request."""
    made = served.make_key("read", "classify", namespace="crm")
    answer = served.client(made.token, address="203.0.113.9", base_url="http://arbiter.example").get(
        "/whoami"
    )
    assert answer.status_code == 200
    assert answer.json() == {"name": "Ada", "namespace": "crm", "scopes": ["classify", "read"], "same": True}


def test_what_does_not_hold_is_told_alike(served: Served) -> None:
    """Unknown, wrong, revoked, expired and garbled keys get the very same answer, headers included."""
    wrong = served.make_key().key
    revoked, expired = served.make_key(), served.make_key(expires_at=served.clock())
    served.store.keys.revoke(revoked.key.id, served.clock())
    unknown = new_key("Bo", None, ["read"], at=served.clock()).token
    tokens = [
        unknown,
        f"arb_{wrong.id.removeprefix('key_')}_{'A' * 43}",
        revoked.token,
        expired.token,
        "arb_",
        "garbled",
        "arb_\u00e9_\u00e9",
    ]
    answers = [served.client(address="203.0.113.9").get("/whoami", headers=bearer(token)) for token in tokens]
    for answer in answers:
        del answer.headers["x-request-id"]
    told = {(answer.status_code, answer.text, str(answer.headers)) for answer in answers}
    assert len(told) == 1
    assert answers[0].status_code == 401
    assert answers[0].headers["content-type"] == "application/problem+json"
    assert answers[0].headers["www-authenticate"] == 'Bearer realm="arbiter", error="invalid_token"'
    assert answers[0].json() == {
        "type": "about:blank",
        "title": "Unauthorized",
        "status": 401,
        "code": "unauthorized",
        "detail": "this key or session does not hold",
        "field": None,
        "retryable": False,
    }


def bearer(token: str) -> dict[str, Any]:
    """Return the header that sends a token, whatever characters it has."""
    return {"authorization": f"Bearer {token}".encode("latin-1")}


def test_unknown_and_revoked_keys_take_the_same_steps() -> None:
    """Both are looked up once and compared once, each time they come; neither is remembered."""
    looked_up: list[str] = []

    class Counting(MemoryKeys):
        def find(self, key_id: str) -> tuple[ApiKey, str] | None:
            looked_up.append(key_id)
            return super().find(key_id)

    clock = StillClock()
    store = MemoryStore(clock)
    store.keys = Counting()
    with serving(router, store=store, clock=clock, keys=True) as served:
        revoked, unknown = served.make_key(), new_key("Bo", None, ["read"], at=clock())
        served.store.keys.revoke(revoked.key.id, clock())
        for made in (revoked, unknown, revoked, unknown):
            assert told(served, made.token)[0] == 401
    assert looked_up == [revoked.key.id, unknown.key.id] * 2


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Basic YTpi", "arb_abc"])
def test_no_key_is_a_challenge_without_an_error(served: Served, header: str | None) -> None:
    """Whoever sends none is told that one is needed, and how."""
    headers = {} if header is None else {"authorization": header}
    assert told(served, None, **headers) == (401, "unauthorized", 'Bearer realm="arbiter"')


def test_a_key_without_the_scope_is_refused(served: Served) -> None:
    """The answer names the scope that lacks; another scope, admin too, does not stand in for it."""
    made = served.make_key("admin", "submit")
    challenge = 'Bearer realm="arbiter", error="insufficient_scope", scope="read"'
    assert told(served, made.token) == (403, "insufficient_scope", challenge)


def test_a_key_reaches_its_namespace_only(served: Served) -> None:
    """Its own is the default; another one is refused in the same words whether or not it exists."""
    client = served.client(served.make_key("read", namespace="crm").token)
    assert client.get("/where").json() == "crm"
    assert client.get("/where", params={"namespace": "crm"}).json() == "crm"
    answer = client.get("/where", params={"namespace": "default"})
    assert (answer.status_code, answer.json()["code"], answer.json()["field"]) == (
        403,
        "forbidden",
        "namespace",
    )
    assert answer.json() == client.get("/where", params={"namespace": "nowhere"}).json()


def test_a_key_for_any_namespace_reaches_each(served: Served) -> None:
    """Without a name it works in the default one."""
    client = served.client(served.make_key("read").token)
    assert client.get("/where").json() == "default"
    assert client.get("/where", params={"namespace": "crm"}).json() == "crm"


def test_a_revoked_key_is_refused_within_seconds(served: Served) -> None:
    """A process goes by what it saw for five seconds, and no longer."""
    made = served.make_key()
    assert told(served, made.token)[0] == 200
    served.store.keys.revoke(made.key.id, served.clock())
    served.clock.pass_by(seconds=4.9)
    assert told(served, made.token)[0] == 200
    served.clock.pass_by(seconds=0.1)
    assert told(served, made.token)[0] == 401


def test_a_key_expires_at_its_moment(served: Served) -> None:
    """Remembered or not, it is of no use from then on."""
    made = served.make_key(expires_at=served.clock() + timedelta(seconds=2))
    assert told(served, made.token)[0] == 200
    served.clock.pass_by(seconds=2)
    assert told(served, made.token)[0] == 401


def test_the_day_of_the_last_use_is_noted() -> None:
    """Once a day, not with every request."""
    days = []

    class Noting(MemoryKeys):
        def used(self, key_id: str, day: Any) -> None:
            days.append(day)
            super().used(key_id, day)

    clock = StillClock()
    store = MemoryStore(clock)
    store.keys = Noting()
    with serving(router, store=store, clock=clock, keys=True) as served:
        made = served.make_key()
        for hours in (0, 2, 22):
            clock.pass_by(hours=hours)
            assert told(served, made.token)[0] == 200
    assert days == [day(100).date(), day(101).date()]


def test_a_caller_over_its_rate_waits() -> None:
    """The answer says for how long; the key counts, not the address, and other keys are not held up."""
    with serving(router, keys=True, serve_rate_per_s=0.1, serve_rate_burst=2) as limited:
        first, second = limited.make_key(), limited.make_key("classify")
        codes = [told(limited, first.token)[:2] for _ in range(3)]
        assert codes == [(200, ""), (200, ""), (429, "rate_limited")]
        answer = limited.client(first.token).get("/whoami")
        assert 1 <= int(answer.headers["retry-after"]) <= 10
        assert answer.json()["retryable"] is True
        assert told(limited, second.token)[:2] == (403, "insufficient_scope")
        assert told(limited, None)[0] == 401
        assert told(limited, "arb_x")[0] == 401
        assert told(limited, "arb_x")[0] == 429
        assert told(limited, second.token)[0] == 403


def test_without_keys_this_machine_gets_in(caplog: pytest.LogCaptureFixture) -> None:
    """The service says loudly that it is open, and answers no other machine."""
    with caplog.at_level(logging.WARNING), serving(router) as served:
        assert "THE SERVICE IS OPEN" in caplog.text
        assert served.client().get("/readyz").json()["access"] == "open"
        assert served.client().get("/whoami").json()["name"] == "local"
        assert served.client("whatever").get("/whoami").status_code == 200
        assert served.client(address="::1", base_url="http://localhost").get("/whoami").status_code == 200
        assert told(served, None)[:2] == (403, "forbidden")


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": ""},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "http://["},
    ],
)
def test_without_keys_pages_of_other_sites_are_refused(headers: dict[str, str]) -> None:
    """Neither a name that was bent to this machine nor a page of another origin gets in."""
    with serving(router) as served:
        assert served.client().get("/whoami", headers=headers).status_code == 403
        own = served.client().get("/whoami", headers={"origin": "http://127.0.0.1:8000"})
        assert own.status_code == 200


def test_the_first_key_closes_the_door() -> None:
    """Within five seconds the open service asks for keys, and to revoke the last one does not open it."""
    with serving(router) as served:
        made = served.make_key()
        assert served.client().get("/whoami").json()["name"] == "local"
        served.clock.pass_by(seconds=5)
        assert served.client().get("/whoami").status_code == 401
        assert served.client(made.token).get("/whoami").json()["name"] == "Ada"
        assert served.client().get("/readyz").json()["access"] == "keys"
        served.store.keys.revoke(made.key.id, served.clock())
        served.clock.pass_by(seconds=5)
        assert served.client().get("/whoami").status_code == 401
    with serving(router, store=served.store, clock=served.clock) as again:
        assert again.client().get("/whoami").status_code == 401


def test_other_machines_need_keys() -> None:
    """Without keys a service that others reach does not start."""
    everywhere = "0.0.0.0"  # noqa: S104
    with pytest.raises(ConfigurationError, match="keys create") as caught, serving(serve_host=everywhere):
        pass
    assert caught.value.field == "serve_host"
    with serving(router, keys=True, serve_host=everywhere) as served:
        assert told(served, None)[0] == 401
