"""``arbiter keys``."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from arbiter.api import Arbiter
from arbiter.domain.access import digest_of, key_id_of
from arbiter.settings import Settings
from tests.unit.cli.conftest import Desk

TOKEN = re.compile(r"arb_[0-9a-f]{12}_[\w-]{43}")


def kept(desk: Desk, key_id: str) -> str:
    """Return the digest that the store has of a key."""
    with Arbiter.open(desk.path, Settings(judge="none")) as arbiter:
        found = arbiter.context.store.keys.find(key_id)
    assert found is not None
    return found[1]


def test_a_key_is_shown_once(empty: Desk) -> None:
    """It stands alone on stdout; the store has its digest and no copy of it, and no list shows it."""
    result = empty.run("keys", "create", "Ada's laptop")
    token = result.stdout.strip()
    assert result.exit_code == 0
    assert TOKEN.fullmatch(token)
    assert result.stderr == f"{key_id_of(token)} made; keep what is printed above, it is not shown again\n"
    assert kept(empty, key_id_of(token)) == digest_of(token)
    secret = token.split("_", 2)[2]
    for path in empty.path.parent.iterdir():
        assert secret.encode() not in path.read_bytes()
    for listing in (empty.run("keys", "list"), empty.run("keys", "list", "--json")):
        assert secret not in listing.stdout
        assert digest_of(token) not in listing.stdout


def test_a_key_has_what_was_asked_for(empty: Desk) -> None:
    """By default it classifies, submits and reads in one namespace, for ever."""
    (plain,) = empty.json("keys", "create", "plain")
    (special,) = empty.json(
        *("keys", "create", " special "),
        *("--scope", "review", "--scope", "admin", "--any-namespace", "--expires", "2999-01-01T00:00:00Z"),
    )
    (crm,) = empty.json("keys", "create", "crm", "--namespace", "crm", "--days", "30")
    told = [[key[name] for name in ("name", "namespace", "scopes", "state")] for key in (plain, special, crm)]
    assert told == [
        ["plain", "default", ["classify", "submit", "read"], "holds"],
        ["special", None, ["review", "admin"], "holds"],
        ["crm", "crm", ["classify", "submit", "read"], "holds"],
    ]
    assert (plain["expires_at"], special["expires_at"]) == (None, "2999-01-01T00:00:00+00:00")
    lifetime = datetime.fromisoformat(crm["expires_at"]) - datetime.fromisoformat(crm["created_at"])
    assert lifetime == timedelta(days=30)
    assert TOKEN.fullmatch(crm["token"])
    assert [key["id"] for key in empty.json("keys", "list")] == [plain["id"], special["id"], crm["id"]]


def test_a_revoked_key_stays_listed(empty: Desk) -> None:
    """To revoke it again changes nothing."""
    (made,) = empty.json("keys", "create", "Bo")
    result = empty.run("keys", "revoke", made["id"])
    assert (result.exit_code, result.stdout) == (0, f"{made['id']} (Bo) holds no more\n")
    (first,) = empty.json("keys", "revoke", made["id"])
    (listed,) = empty.json("keys", "list")
    assert listed == first
    assert listed["state"] == "revoked"
    assert datetime.fromisoformat(listed["revoked_at"]) <= datetime.now(UTC)  # noqa: TID251  against the real clock
    table = empty.run("keys", "list").stdout
    assert "Bo" in table
    assert "revoked" in table


def test_an_unknown_key_cannot_be_revoked(empty: Desk) -> None:
    """The command fails and says so."""
    empty.run("keys", "create", "Bo")
    result = empty.run("keys", "revoke", "key_x")
    assert (result.exit_code, result.stderr) == (1, "Error: not_found: there is no API key key_x\n")


def test_without_keys_the_list_is_empty(desk: Desk) -> None:
    """A store that was never served has none."""
    assert desk.json("keys", "list") == []
    assert desk.run("keys", "list").stdout == "none\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["Bo", "--scope", "all"], "'all' is not one of"),
        (["Bo", "--days", "3", "--expires", "2999-01-01T00:00:00Z"], "give one of them"),
        (["Bo", "--expires", "2020-01-01T00:00:00Z"], "is over already"),
        ([" "], "1 to 200 printable characters"),
        (["Bo\x1b[31m"], "1 to 200 printable characters"),
        (["x" * 201], "1 to 200 printable characters"),
        ([], "Missing argument 'NAME'"),
    ],
)
def test_what_makes_no_key(empty: Desk, arguments: list[str], complaint: str) -> None:
    """Each fault is told, with exit status 2, and nothing is made, no store either."""
    result = empty.run("keys", "create", *arguments)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert not empty.path.exists()
