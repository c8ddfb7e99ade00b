"""API keys: when they hold, and what of them is kept."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from arbiter.adapters.secret_tokens import new_key, new_owner, new_session
from arbiter.domain.access import ApiKey, digest_of, key_id_of, starts_open, token_of
from arbiter.errors import ConfigurationError
from tests.factories import day

KEY = ApiKey("key_0a", "Ada", None, frozenset({"read"}), created_at=day(1))
MOMENT = timedelta(microseconds=1)


def test_a_key_holds_until_it_ends_or_is_revoked() -> None:
    """At the moment of its end it holds no more; revoked it never does, whenever that was."""
    ending = replace(KEY, expires_at=day(5))
    assert KEY.holds(day(99_999))
    assert ending.holds(day(5) - MOMENT)
    assert not ending.holds(day(5))
    assert not replace(KEY, revoked_at=day(9)).holds(day(2))


def test_a_token_names_its_key() -> None:
    """The id is read from it, whatever the secret holds; what is no token names no key."""
    assert token_of("key_0a", "s_e-c") == "arb_0a_s_e-c"
    assert key_id_of("arb_0a_s_e-c") == "key_0a"
    assert [key_id_of(text) for text in ("", "arb_", "arb", "0a_x")] == ["key_", "key_", "key_arb", "key_0a"]


def test_the_digest_of_a_token_is_a_known_one() -> None:
    """SHA-256 in hexadecimal, of any text that a header can hold."""
    assert digest_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert digest_of("\ud800") != digest_of("\ud801")


def test_every_secret_is_another_one() -> None:
    """256 random bits for keys and sessions; nothing of one is in another, nor in what is kept of it."""
    made = [new_key("Ada", "crm", ["read"], at=day(1), expires_at=day(2)) for _ in range(50)]
    sessions = [new_session(KEY, expires_at=day(3)) for _ in range(50)]
    assert len({one.key.id for one in made} | {one.token for one in made}) == 100
    assert len({token for _, token in sessions} | {session.digest for session, _ in sessions}) == 100
    assert len({new_owner() for _ in range(50)}) == 50
    first = made[0]
    assert (first.key.name, first.key.namespace, first.key.scopes) == ("Ada", "crm", frozenset({"read"}))
    assert (first.key.created_at, first.key.expires_at) == (day(1), day(2))
    assert key_id_of(first.token) == first.key.id
    assert len(first.token.rpartition("arb_")[2].partition("_")[2]) == 43
    assert first.digest == digest_of(first.token)
    session, token = sessions[0]
    assert (session.digest, session.key_id, session.expires_at) == (digest_of(token), "key_0a", day(3))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_without_keys_a_service_of_this_machine_starts_open(host: str) -> None:
    """With keys it does not."""
    assert starts_open(host, has_keys=False)
    assert not starts_open(host, has_keys=True)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "arbiter.example", "", "localhost.example"])  # noqa: S104
def test_without_keys_nothing_that_others_reach_starts(host: str) -> None:
    """The error says what to do; with keys it starts, and asks for them."""
    with pytest.raises(ConfigurationError, match="make one with `arbiter keys create`"):
        starts_open(host, has_keys=False)
    assert not starts_open(host, has_keys=True)
