"""A store with a case to look at, and a way to run commands on it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arbiter.api import Arbiter
from arbiter.cli import main
from arbiter.domain.evidence import GuardFinding, JudgedPair
from arbiter.domain.facts import Fact
from arbiter.domain.vocabulary import Stakes
from arbiter.settings import Settings
from tests.factories import AGENT, VERIFIED, make_fact, pair
from tests.stored import keep

LISBON = make_fact("User lives in Lisbon.", at=0, subject="user:42", claim_key="user.residence")
PORTO = make_fact("User lives in Porto.", at=30, subject="user:42", claim_key="user.residence")
BORN_PORTO = make_fact("User was born in Porto.", at=1, subject="user:42", stakes=Stakes.HIGH)
BORN_FARO = make_fact("User was born in [red]Faro[/red].", at=2, source="crm", subject="user:42")
TEA = make_fact("User likes tea.", at=3, source="agent", kind=AGENT, subject="user:42")
TEA_TOO = make_fact("The user enjoys tea.", at=4, source="crm", kind=VERIFIED, subject="user:42")
MOVE = pair(LISBON, PORTO, "update", mutability="mutable")
BIRTH = pair(
    BORN_PORTO,
    BORN_FARO,
    "contradiction",
    mutability="immutable",
    stakes="high",
    guards=(GuardFinding("name", "Porto", "Faro"),),
)
SAME = pair(TEA, TEA_TOO, "duplicate")


@dataclass(frozen=True)
class Desk:
    """A store in a file, and the commands that work on it."""

    path: Path

    def keep(self, facts: Iterable[Fact], pairs: Iterable[JudgedPair] = (), *, embedded: bool = True) -> None:
        """Put facts and judgements into the store."""
        with Arbiter.open(self.path, Settings(judge="none")) as arbiter:
            keep(arbiter, facts, pairs, embedded=embedded)

    def run(self, *arguments: str, stdin: str | None = None) -> Result:
        """Run a command on the store; an error that is none of ours is raised."""
        return CliRunner(env={"ARBITER_JUDGE": "none", "ARBITER_DATABASE": str(self.path)}).invoke(
            main, arguments, input=stdin, catch_exceptions=False
        )

    def json(self, *arguments: str) -> list[Any]:
        """Run a command that ends well with --json and return what its lines hold."""
        result = self.run(*arguments, "--json")
        assert (result.exit_code, result.stderr) == (0, "")
        return [json.loads(line) for line in result.stdout.splitlines()]

    def states(self) -> dict[str, tuple[str, str | None, bool]]:
        """Return state, reason and whether it is contested, by content."""
        return {
            fact["content"]: (fact["state"], fact["state_reason"], fact["contested"])
            for fact in self.json("facts", "list", "--state", "all")
        }


@pytest.fixture
def empty(tmp_path: Path) -> Desk:
    """Return a desk whose store is not there yet."""
    return Desk(tmp_path / "facts.db")


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with an update, a contradiction of high stakes and a duplicate; nobody writes to it."""
    desk = Desk(tmp_path_factory.mktemp("prepared") / "facts.db")
    desk.keep([LISBON, PORTO, BORN_PORTO, BORN_FARO, TEA, TEA_TOO], [MOVE, BIRTH, SAME])
    return desk.path


@pytest.fixture
def desk(empty: Desk, prepared: Path) -> Desk:
    """Return a desk with a copy of that store."""
    copyfile(prepared, empty.path)
    return empty
