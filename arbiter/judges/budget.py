"""The cost ledger: what asking has cost, and the ceilings that it may never pass."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from arbiter.domain.evidence import Spend
from arbiter.errors import BudgetExceededError


class CostLedger:
    """Counts what requests cost and refuses those that could pass a ceiling. Threads may share it.

    The most that a request may cost is reserved before it is sent, so requests under way together
    cannot pass a ceiling that each of them alone would keep. A ``parent`` is charged as well: one ledger
    for a process, one below it for each thing whose cost is to be told apart. A ceiling of None is none.
    """

    def __init__(
        self,
        *,
        max_usd: float | None = None,
        max_tokens: int | None = None,
        max_calls: int | None = None,
        parent: CostLedger | None = None,
    ) -> None:
        self._max_usd = max_usd
        self._max_tokens = max_tokens
        self._max_calls = max_calls
        self._parent = parent
        self._lock = threading.Lock()
        self._spent = Spend()
        self._under_way: dict[int, Spend] = {}
        self._opened = 0

    @property
    def spent(self) -> Spend:
        """What the finished requests have cost."""
        with self._lock:
            return self._spent

    @contextmanager
    def reserve(self, worst: Spend) -> Iterator[Callable[[Spend], None]]:
        """Reserve the most that one request may cost, while it runs.

        The body calls the function it is given with what the request did cost. If it does not (the
        connection broke, and the provider may still send the bill), the reserve itself is charged.

        Raises:
            BudgetExceededError: the request could pass a ceiling; nothing is reserved.
        """
        number = self._take(worst)
        cost = Spend()  # until the ledger above agrees
        try:
            with self._parent.reserve(worst) if self._parent else nullcontext(_nobody) as settle_above:
                cost = worst

                def settle(actual: Spend) -> None:
                    nonlocal cost
                    cost = actual
                    settle_above(actual)

                yield settle
        finally:
            self._book(number, cost)

    def _take(self, worst: Spend) -> int:
        with self._lock:
            total = sum(self._under_way.values(), start=self._spent + worst)
            tokens = total.prompt_tokens + total.completion_tokens
            for name, ceiling, reached in (
                ("US dollars", self._max_usd, total.usd),
                ("tokens", self._max_tokens, tokens),
                ("calls", self._max_calls, total.llm_calls),
            ):
                if ceiling is not None and reached > ceiling:
                    raise BudgetExceededError(
                        f"the request could bring the cost to {reached:g} {name}; the ceiling is {ceiling:g}"
                    )
            self._opened += 1
            self._under_way[self._opened] = worst
            return self._opened

    def _book(self, number: int, cost: Spend) -> None:
        with self._lock:
            del self._under_way[number]
            self._spent += cost


def _nobody(_: Spend) -> None:
    """Settle with no parent."""
