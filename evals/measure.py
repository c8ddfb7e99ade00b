"""One suite measured with judges by name: what kind it is, what comes of it, and who judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evals.suite_files import SUITES, load_pairs

if TYPE_CHECKING:
    from arbiter.ports import Judge
    from arbiter.settings import Settings
    from evals.report.files import Kind
    from evals.stack import Stack


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of one judge on one suite, in JSON's own types."""

    kind: Kind
    payload: dict[str, Any]
    judge: Judge


def measure(
    suite: str | Path,
    judges: Sequence[str],
    settings: Settings,
    *,
    distractors: int = 0,
    orders: Sequence[str] | None = None,
) -> Iterator[Measured]:
    """Measure judges on a suite or a file of labelled pairs, one after the other.

    The retrieval suite asks no judge; it is measured once, with so many distractors. Streams arrive in each
    of the orders, by default in all of ``stream_states.ORDERS``.

    Raises:
        ConfigurationError: there is no such suite, file or judge, or one of them has faults.
    """
    from evals.field_suite import with_registries
    from evals.judges import build
    from evals.stack import Stack

    kind = SUITES[str(suite)].kind if str(suite) in SUITES else "pairs"
    chosen = with_registries(settings) if kind == "field_cases" else settings
    stack = Stack.open(chosen)
    if kind == "retrieval":
        yield _retrieval(stack, distractors)
        return
    # All are built before one is asked: a name that is wrong shall not cost the answers of those before it.
    for name, judge in [(name, build(name, chosen)) for name in judges]:
        yield Measured(kind, _payload(suite, kind, name, judge, stack, orders), judge)


def _payload(
    suite: str | Path,
    kind: Kind,
    name: str,
    judge: Judge,
    stack: Stack,
    orders: Sequence[str] | None,
) -> dict[str, Any]:
    from evals.report.payloads import pair_payload, stream_payload
    from evals.stack import NOT_READING

    around = partial(stack.around, reads=name not in NOT_READING)
    if kind == "streams":
        from evals.stream_states import ORDERS, live_through
        from evals.streams import load_streams

        lived = live_through(str(suite), load_streams(), name, judge, around, orders or ORDERS)
        return stream_payload(lived)
    if kind == "field_cases":
        from evals.field_suite import solve_field_cases

        return pair_payload(solve_field_cases(name, judge, around))
    from evals.solve import solve_pairs

    policy = stack.context.policy
    title = suite.stem if isinstance(suite, Path) else suite
    return pair_payload(solve_pairs(title, load_pairs(suite, policy), name, judge, policy, stack.context))


def _retrieval(stack: Stack, distractors: int) -> Measured:
    from arbiter.testing import TableJudge
    from evals.candidates import find_pairs, retrieval_suite
    from evals.report.payloads import candidate_payload

    records, wanted = retrieval_suite()
    score = find_pairs("retrieval", records, wanted, stack.around, distractors)
    return Measured("retrieval", candidate_payload(score), TableJudge())
