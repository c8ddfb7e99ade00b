"""``kill -9`` at every commit of everything that is written, one by one: just before it, and just after."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Literal

import pytest

from arbiter.api import Arbiter
from arbiter.pipeline.context import Context
from tests.acceptance.databases import SERVER, copied, empty_database
from tests.acceptance.interrupted import AFTERWARDS, WORKS, Undertaker, undertaker
from tests.consistency import check_index, check_states, seen
from tests.light_service import light_context

THOROUGH = 200
"""From so many kills on, whoever comes after either death does so with a compile first and without one."""
ON_A_SERVER = ("submission", "merge", "undo", "erasure")
DEATHS: tuple[tuple[Literal["before", "after"], bool], ...] = (
    ("before", True),
    ("after", False),
    ("before", False),
    ("after", True),
)


@pytest.fixture(scope="module", name="employed")
def _employed() -> Iterator[Undertaker]:
    with undertaker() as employed:
        yield employed


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Kill all work in a file, and on a server some of it, or all if asked to be thorough."""
    thorough = metafunc.config.getoption("--kills") >= THOROUGH
    cases = [
        (kept_in, name)
        for kept_in in ("sqlite", "postgresql")
        for name in WORKS
        if thorough or kept_in == "sqlite" or name in ON_A_SERVER
    ]
    metafunc.parametrize(("base", "name"), cases, indirect=["base"])


@pytest.fixture
def base(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return an empty store, in a file or on a server."""
    with ExitStack() as stack:
        if request.param == "postgresql":
            token = SERVER.set(request.getfixturevalue("postgres"))
            stack.callback(SERVER.reset, token)
        yield stack.enter_context(empty_database(tmp_path))


@contextmanager
def opened(database: str) -> Iterator[Context]:
    """Open a store as whoever comes after the death."""
    context = light_context(database, lambda: AFTERWARDS)
    yield context
    context.store.close()


def story(context: Context) -> object:
    """Return what a reader sees, without what each process makes up for itself: ids and times of rulings."""
    there = seen(context)
    text = {fact_id: fact.content or fact_id for fact_id, fact in there.facts.items()}
    states = {
        text[i]: (s.state, s.reason, s.contested, s.successor and text[s.successor])
        for i, s in there.states.items()
    }
    told = {text[i]: [s.id for s in fact.sightings] for i, fact in there.facts.items()}
    decisions = sorted((d.a, d.b, d.action, d.rule, d.winner or "") for d in there.decisions.values())
    rulings = [(r.a, r.b, r.kind, r.reviewer) for r in context.store.rulings("default")]
    return states, told, decisions, sorted(there.reviews), rulings


def test_killed_at_each_commit(base: str, employed: Undertaker, kills: int, name: str) -> None:
    """There is what was committed and no more; who comes later finishes it, and nothing is there twice."""
    work = WORKS[name]
    employed.prepare(base, name)
    with copied(base) as database:
        assert employed.live(database, name) == len(work.commits)
        with opened(database) as context:
            whole = story(context)
            check(context)
    with opened(base) as context:
        committed = story(context)
    for number, commit in enumerate(work.commits, 1):
        found = committed
        for deaths, compiled in DEATHS if kills >= THOROUGH else DEATHS[:2]:
            with copied(base) as database:
                assert employed.live(database, name, (number, deaths)) == 0
                with opened(database) as context:
                    found = story(context)
                    assert deaths == "after" or found == committed, commit
                    if compiled:
                        Arbiter(context).compile()
                        check(context)
                    with suppress(*[work.refused] if work.refused else []):
                        work.do(context)
                    assert story(context) == whole, f"{deaths} {commit}"
                    check(context)
        committed = found
    assert committed == whole


def check(context: Context) -> None:
    """See that states follow from the log, and that the index finds everything."""
    check_states(context)
    check_index(context)
