"""The cost ledger."""

from __future__ import annotations

import threading

import pytest

from arbiter.domain.evidence import Spend
from arbiter.errors import BudgetExceededError
from arbiter.judges.budget import CostLedger

CALL = Spend(llm_calls=1, prompt_tokens=80, completion_tokens=20, usd=0.25)


def test_what_a_request_did_cost_is_counted() -> None:
    """The reserve falls away once the cost is known."""
    ledger = CostLedger(max_usd=0.5)
    for _ in range(3):
        with ledger.reserve(CALL) as settle:
            settle(Spend(1, 40, 10, 0.125))
    assert ledger.spent == Spend(3, 120, 30, 0.375)


def test_an_unknown_cost_counts_in_full() -> None:
    """A request that broke off may still be billed."""
    ledger = CostLedger()
    with pytest.raises(ConnectionError), ledger.reserve(CALL):
        raise ConnectionError
    assert ledger.spent == CALL


@pytest.mark.parametrize(
    ("ledger", "message"),
    [
        (CostLedger(max_usd=0.49), "cost to 0.5 US dollars; the ceiling is 0.49"),
        (CostLedger(max_tokens=199), "cost to 200 tokens; the ceiling is 199"),
        (CostLedger(max_calls=1), "cost to 2 calls; the ceiling is 1"),
    ],
)
def test_a_request_that_could_pass_a_ceiling_is_refused(ledger: CostLedger, message: str) -> None:
    """One request fits, a second one beside it does not, and leaves no trace."""
    with ledger.reserve(CALL) as settle:
        with pytest.raises(BudgetExceededError, match=message), ledger.reserve(CALL):
            pass
        settle(CALL)
    assert ledger.spent == CALL


def test_a_ceiling_may_be_reached() -> None:
    """It is passed, not reached, that is forbidden."""
    ledger = CostLedger(max_usd=0.25, max_tokens=100, max_calls=1)
    with ledger.reserve(CALL) as settle:
        settle(CALL)
    assert ledger.spent == CALL


def test_a_parent_is_charged_and_can_refuse() -> None:
    """Two tallies share the ceiling above them and each tells its own part."""
    parent = CostLedger(max_calls=2)
    first, second = CostLedger(parent=parent), CostLedger(parent=parent)
    with first.reserve(CALL) as settle:
        settle(Spend(1, 10, 5))
    with second.reserve(CALL):
        pass
    with pytest.raises(BudgetExceededError), first.reserve(CALL):
        pass
    assert (first.spent, second.spent) == (Spend(1, 10, 5), CALL)
    assert parent.spent == Spend(2, 90, 25, 0.25)


def test_a_refusal_of_the_lower_ledger_charges_the_parent_nothing() -> None:
    """What was never sent has no cost anywhere."""
    parent = CostLedger()
    with pytest.raises(BudgetExceededError), CostLedger(max_calls=0, parent=parent).reserve(CALL):
        pass
    assert parent.spent == Spend()


def test_requests_under_way_together_keep_the_ceiling() -> None:
    """Of forty threads that ask at the same moment, exactly ten get through."""
    ledger = CostLedger(max_usd=2.5)
    together, passed = threading.Barrier(40), []

    def ask() -> None:
        together.wait()
        try:
            with ledger.reserve(CALL) as settle:
                settle(CALL)
                passed.append(1)
        except BudgetExceededError:
            pass

    threads = [threading.Thread(target=ask) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(passed) == 10
    assert ledger.spent == Spend(10, 800, 200, 2.5)
