"""``arbiter retry``: what no judge could tell is asked again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.factories import pair
from tests.unit.cli.conftest import LISBON, PORTO, Desk

ASKED = {
    "asked": 1,
    "answered": 1,
    "finished": 0,
    "changed": 2,
    "waiting": 0,
    "busy": False,
    "outage": False,
    "llm_calls": 0,
    "usd": 0.0,
}


def test_a_held_pair_is_asked_about_when_it_is_due(empty: Desk) -> None:
    """Not at once, unless --now says so; then it is settled by the judges that there are now."""
    empty.keep([LISBON, PORTO], [pair(LISBON, PORTO, "unjudged")])
    assert empty.states()[PORTO.content][0] == "pending"
    nothing = empty.run("retry")
    assert (nothing.exit_code, nothing.stderr) == (0, "")
    assert nothing.stdout == (
        "0 pairs asked again, 0 answered, 0 interrupted facts finished, 0 states changed, 1 pairs wait\n"
    )
    assert empty.json("retry", "--now") == [ASKED]
    assert empty.states() == {
        LISBON.content: ("superseded", "update", False),
        PORTO.content: ("active", None, False),
    }
    assert empty.json("retry", "--now") == [dict.fromkeys(ASKED, 0)]


def test_only_one_namespace_is_looked_at(empty: Desk) -> None:
    """What waits elsewhere goes on waiting."""
    empty.keep([LISBON, PORTO], [pair(LISBON, PORTO, "unjudged")])
    assert empty.json("retry", "--now", "--namespace", "other") == [dict.fromkeys(ASKED, 0)]


def test_another_process_at_work_is_told(empty: Desk) -> None:
    """Nothing is asked then, and standard error says why."""
    from arbiter.adapters.sql_store import SqlStore
    from arbiter.pipeline.retry import WORK

    empty.keep([LISBON, PORTO], [pair(LISBON, PORTO, "unjudged")])
    at = datetime.now(UTC)  # noqa: TID251  the command goes by the wall clock
    store = SqlStore(empty.path, lambda: at)
    store.leases.take(WORK, "somebody", at, at + timedelta(hours=1))
    store.close()
    result = empty.run("retry", "--now")
    assert (result.exit_code, result.stdout.split(",")[0]) == (0, "0 pairs asked again")
    assert result.stderr.startswith("nothing was asked: another process is at it")
