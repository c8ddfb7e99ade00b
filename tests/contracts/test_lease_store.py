"""Leases: one owner at a time, for a while, with rests in between."""

from __future__ import annotations

from threading import Barrier, Thread

from arbiter.domain.leases import Lease
from arbiter.ports import FactStore
from tests.factories import day

WORK = "work"


def test_one_owner_at_a_time(store: FactStore) -> None:
    """While one has it nobody else gets it; its own owner may take it again, and other work is free."""
    leases = store.leases
    assert leases.take(WORK, "ada", day(0), day(2)) == Lease(WORK, "ada", day(2))
    assert leases.take(WORK, "ben", day(1), day(3)) is None
    assert leases.take(WORK, "ada", day(1), day(3)) == Lease(WORK, "ada", day(3))
    assert leases.take("other work", "ben", day(1), day(3)) == Lease("other work", "ben", day(3))


def test_a_lease_runs_out(store: FactStore) -> None:
    """What was not renewed in time is free; its first owner can neither renew it nor give it back."""
    leases = store.leases
    first = leases.take(WORK, "ada", day(0), day(2))
    assert first is not None
    assert leases.renew(first, day(4)) is True
    assert leases.take(WORK, "ben", day(3), day(5)) is None
    assert leases.take(WORK, "ben", day(4), day(6)) == Lease(WORK, "ben", day(6))
    assert leases.renew(first, day(9)) is False
    leases.give_back(first, failures=7, rest_until=day(100))
    assert leases.take(WORK, "cem", day(5), day(9)) is None
    assert leases.take(WORK, "cem", day(6), day(9)) == Lease(WORK, "cem", day(9))


def test_the_work_rests(store: FactStore) -> None:
    """Until the moment that was named nobody gets it, unless they ask for it all the same."""
    leases = store.leases
    first = leases.take(WORK, "ada", day(0), day(2))
    assert first is not None
    leases.give_back(first, failures=3, rest_until=day(5))
    assert leases.renew(first, day(9)) is False
    assert leases.take(WORK, "ben", day(4), day(6)) is None
    assert leases.take(WORK, "ben", day(5), day(6)) == Lease(WORK, "ben", day(6), failures=3)


def test_a_rest_can_be_passed_over(store: FactStore) -> None:
    """Who asks for it gets the lease before the rest is over, but not while somebody else has it."""
    leases = store.leases
    first = leases.take(WORK, "ada", day(0), day(2))
    assert first is not None
    leases.give_back(first, failures=1, rest_until=day(5))
    assert leases.take(WORK, "ben", day(3), day(4), rested=False) == Lease(WORK, "ben", day(4), failures=1)
    assert leases.take(WORK, "cem", day(3), day(4), rested=False) is None


def test_of_many_at_once_one_gets_it(store: FactStore) -> None:
    """Threads that ask at the same time never both get it."""
    together = Barrier(8)
    taken: list[Lease | None] = []

    def ask(owner: str) -> None:
        together.wait()
        taken.append(store.leases.take(WORK, owner, day(0), day(1)))

    threads = [Thread(target=ask, args=(f"owner {n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(taken), sum(lease is not None for lease in taken)) == (8, 1)
