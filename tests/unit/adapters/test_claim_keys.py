"""The registry of attributes: what its keys match, what it knows, and what it refuses to read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.adapters.claim_keys import ClaimKeyRegistry
from arbiter.domain.vocabulary import Mutability, Stakes
from arbiter.errors import ConfigurationError
from tests.factories import make_record

REGISTRY = ClaimKeyRegistry.load()


def canonical_key(claim_key: str) -> str | None:
    """Return the claim key that a record has once it is completed."""
    return REGISTRY.complete(make_record("x", claim_key=claim_key)).claim_key


@pytest.mark.parametrize(
    ("spelling", "key"),
    [
        ("user.residence", "user.residence"),
        ("User:Lives_In", "user.residence"),
        ("meterservice.Retry_Limit", "meterservice.retry_limit"),
        ("MeterService.retryLimit", "meterservice.retry_limit"),
        ("meterservice/retry-limit", "meterservice.retry_limit"),
        ("night_clinic.supervised_by", "night_clinic.supervisor"),
        ("svc:checkout-api:prod:version", "svc.checkout_api.prod.version"),
        ("birthplace", "birthplace"),
        (" Place of birth ", "birthplace"),
        ("Some Thing.Never Heard-Of", "some_thing.never_heard_of"),
        ("..", ".."),
    ],
)
def test_spellings_of_a_key_meet(spelling: str, key: str) -> None:
    """Case, separators, joints and synonyms make no other key."""
    assert canonical_key(spelling) == key


@given(st.text(max_size=30))
def test_completing_twice_is_completing_once(claim_key: str) -> None:
    """The canonical spelling of any key is its own canonical spelling."""
    once = canonical_key(claim_key)
    assert once is not None
    assert canonical_key(once) == once


def test_what_the_record_says_is_kept() -> None:
    """The registry fills gaps only, and leaves the subject as it is."""
    bare = REGISTRY.complete(make_record("A+", subject=" Ana ", claim_key="ana.blood_type"))
    assert (bare.mutability, bare.stakes, bare.subject) == (Mutability.IMMUTABLE, Stakes.HIGH, " Ana ")
    own = make_record("x", claim_key="ana.price", mutability=Mutability.EVENT, stakes=Stakes.HIGH)
    assert REGISTRY.complete(own) == own
    keyless = make_record("x")
    assert REGISTRY.complete(keyless) is keyless


@pytest.mark.parametrize(
    ("key", "single", "value_type"),
    [
        ("hanne.birthplace", True, "name"),
        ("bo.languages", False, "name"),
        ("water.price", True, "money"),
        ("gym.opens", True, "time"),
        ("x.never_heard_of", None, None),
    ],
)
def test_cardinality_and_type(key: str, single: bool | None, value_type: str | None) -> None:  # noqa: FBT001
    """A key that is not registered has no cardinality and no type."""
    assert REGISTRY.single_valued(key) is single
    assert REGISTRY.value_type(key) == value_type


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("user.residnce", "user.residence"),
        ("residnce", "residence"),
        ("User:Retry-Limt", "user.retry_limit"),
        ("user.profile.emial", "user.profile.email"),
        ("user.birthdy", "user.birthdate"),
        ("user.zodiac", None),
        ("", None),
        ("x" * 500, None),
    ],
)
def test_a_slip_leads_to_the_key_that_is_meant(key: str, meant: str | None) -> None:
    """In the canonical spelling, with what stands before it; what is like no key has none."""
    assert REGISTRY.suggestion(key) == meant


def test_names_and_their_aliases() -> None:
    """Spellings of one name meet, through the table where there is an entry."""
    assert REGISTRY.canonical_name(" u.s. ") == REGISTRY.canonical_name("United States") == "united states"
    assert REGISTRY.canonical_name("Okafor, Ngozi") == "ngozi okafor"


def test_words_of_an_attribute() -> None:
    """The words by which an attribute is called are those of its names."""
    assert {"residence", "lives", "in"} <= REGISTRY.spellings("user.residence")
    assert REGISTRY.spellings("x.never_heard_of") == {"never", "heard", "of"}


def test_the_packaged_files_have_no_two_owners_of_a_spelling() -> None:
    """No synonym of one packaged attribute names another one."""
    text = Path(__file__).parents[3].joinpath("arbiter/assets/claim_keys.toml").read_text(encoding="utf-8")
    spelt: dict[str, str] = {}
    for pattern, rest in re.findall(r'^"\*\.(\w+)" = (.*)$', text, flags=re.MULTILINE):
        synonyms = re.search(r"synonyms = \[(.*)\]", rest)
        for name in (pattern, *re.findall(r'"([^"]+)"', synonyms[1] if synonyms else "")):
            squeezed = name.replace("_", "")
            assert spelt.setdefault(squeezed, pattern) == pattern
    assert len(set(spelt.values())) == 199


def test_own_files_override_and_add(tmp_path: Path) -> None:
    """The last file to mention a key or a spelling wins; the rest stays."""
    keys, names = tmp_path / "keys.toml", tmp_path / "names.toml"
    keys.write_text(
        '[keys]\n"*.city" = { cardinality = "multi", mutability = "stable" }\n'
        '"crew.mood" = { cardinality = "multi", mutability = "event", type = "text", stakes = "high" }\n',
        encoding="utf-8",
    )
    names.write_text(
        '[names]\n"Harbour Pilots" = ["HP"]\n"United States" = ["The States"]\n"USA" = ["Uncle Sam"]\n',
        encoding="utf-8",
    )
    registry = ClaimKeyRegistry.load([keys], [names])
    assert registry.single_valued("ana.city") is False
    assert registry.single_valued("ana.residence") is True
    assert registry.single_valued("crew.mood") is False
    assert registry.single_valued("ana.mood") is True
    assert registry.canonical_name("hp") == "harbour pilots"
    assert {registry.canonical_name(name) for name in ("The States", "Uncle Sam", "US", "U.S.")} == {
        "united states",
        "us",
    }
    assert registry.digest != REGISTRY.digest


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    """The message names file and key of each fault."""
    keys, names, broken = (tmp_path / name for name in ("keys.toml", "names.toml", "broken.toml"))
    keys.write_text(
        '[keys]\n"*.x" = { cardinality = "two", mutability = "mutable" }\n'
        '"a..b" = { cardinality = "single", mutability = "stable" }\n'
        '"*.y" = { cardinality = "single", mutability = "stable", colour = 1 }\n[other]\nz = 1\n',
        encoding="utf-8",
    )
    names.write_text('[names]\n"X" = "Y"\n', encoding="utf-8")
    broken.write_text("keys = 1\n", encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        ClaimKeyRegistry.load([keys, broken, tmp_path / "none.toml"], [names])
    lines = caught.value.message.splitlines()
    assert [line.removeprefix(str(tmp_path))[:28] for line in lines] == [
        "/keys.toml: other: no such t",
        "/keys.toml: *.x.cardinality:",
        "/keys.toml: a..b: must be a ",
        "/keys.toml: *.y.colour: Extr",
        "/broken.toml: keys: must be ",
        "/none.toml: cannot be read: ",
        "/names.toml: names.X: Input ",
    ]
