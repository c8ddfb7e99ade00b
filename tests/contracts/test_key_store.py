"""What any place for API keys and sessions promises."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from arbiter.domain.access import ApiKey, Session
from arbiter.errors import NotFoundError
from arbiter.ports import FactStore
from tests.factories import day

ADA = ApiKey("key_a", "Ada's laptop", "crm", frozenset({"submit", "read"}), created_at=day(1))
BO = ApiKey("key_b", "Bo", None, frozenset({"admin"}), created_at=day(2), expires_at=day(9))
SESSION = Session("digest of a token", "key_a", expires_at=day(5))


def test_a_key_is_found_as_it_was_added(store: FactStore) -> None:
    """Every field comes back, with the digest; no other id finds it."""
    store.keys.add(ADA, "digest a")
    store.keys.add(BO, "digest b")
    assert store.keys.find("key_a") == (ADA, "digest a")
    assert store.keys.find("key_b") == (BO, "digest b")
    assert store.keys.find("key_") is None
    assert store.keys.find("digest a") is None


def test_all_keys_are_listed_oldest_first(store: FactStore) -> None:
    """The list has every key, whatever the order in which they came."""
    assert store.keys.all() == []
    store.keys.add(BO, "digest b")
    store.keys.add(ADA, "digest a")
    assert store.keys.all() == [ADA, BO]


def test_a_revoked_key_stays_listed(store: FactStore) -> None:
    """It has the time at which it was revoked first, and its digest, as any other key."""
    store.keys.add(ADA, "digest a")
    revoked = replace(ADA, revoked_at=day(3))
    assert store.keys.revoke("key_a", day(3)) == revoked
    assert store.keys.revoke("key_a", day(4)) == revoked
    assert store.keys.find("key_a") == (revoked, "digest a")
    assert store.keys.all() == [revoked]


def test_an_unknown_key_is_not_revoked(store: FactStore) -> None:
    """To mistype an id is an error, not a silent nothing."""
    with pytest.raises(NotFoundError, match="there is no API key key_x"):
        store.keys.revoke("key_x", day(3))


def test_the_last_use_moves_forward_only(store: FactStore) -> None:
    """A late note of an earlier day changes nothing; nor does one about a key that is not there."""
    store.keys.add(ADA, "digest a")
    for number in (5, 4):
        store.keys.used("key_a", day(number).date())
    store.keys.used("key_x", day(6).date())
    assert store.keys.find("key_a") == (replace(ADA, last_used=day(5).date()), "digest a")


def test_a_session_lasts_until_it_is_ended(store: FactStore) -> None:
    """It is found by the digest of its token and by nothing else, and gone when it was ended."""
    store.keys.begin_session(SESSION, day(1))
    assert store.keys.session(SESSION.digest) == SESSION
    assert store.keys.session("key_a") is None
    store.keys.end_session("another digest")
    store.keys.end_session(SESSION.digest)
    store.keys.end_session(SESSION.digest)
    assert store.keys.session(SESSION.digest) is None


def test_expired_sessions_are_forgotten(store: FactStore) -> None:
    """Where a new one begins those that have expired go; one that has a moment left stays."""
    over = replace(SESSION, digest="over", expires_at=day(3))
    nearly = replace(SESSION, digest="nearly", expires_at=day(3) + timedelta(microseconds=1))
    store.keys.begin_session(over, day(1))
    store.keys.begin_session(nearly, day(1))
    store.keys.begin_session(SESSION, day(3))
    kept = [store.keys.session(name) for name in ("over", "nearly", SESSION.digest)]
    assert kept == [None, nearly, SESSION]
