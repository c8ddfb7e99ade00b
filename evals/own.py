"""``python -m evals own``: your pairs, your model, your error budget, and which judge is enough for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.domain.policy import Policy
    from arbiter.settings import Settings
    from evals.cases import PairCase
    from evals.error_budget import Assessment, Budget

_WITHOUT_MODEL = ("local", "cascade-without-llm")
_WITH_MODEL = (*_WITHOUT_MODEL, "llm", "cascade")


@click.command("own")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--judge",
    "judges",
    multiple=True,
    help="Judge to measure; repeatable. By default local and cascade-without-llm; with --live llm and "
    "cascade, too. cascade-without-llm is what ARBITER_JUDGE=local gives, local the packaged model alone, "
    "which no setting gives.",
)
@click.option(
    "--budget",
    "share",
    default=0.01,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Largest share of pairs in which a fact may wrongly be taken out of reading.",
)
@click.option(
    "--confidence",
    default=0.95,
    show_default=True,
    type=click.FloatRange(0.5, 1, max_open=True),
    help="Probability with which the budget shall hold.",
)
@click.option(
    "--wrong",
    "listed",
    default=5,
    show_default=True,
    type=click.IntRange(0),
    help="List so many wrongly judged pairs of each judge, the surest first; JSON has all.",
)
@click.option("--live", is_flag=True, help="Let judges ask the language model that the settings name.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    *,
    file: Path,
    judges: tuple[str, ...],
    share: float,
    confidence: float,
    listed: int,
    live: bool,
    as_json: bool,
) -> None:
    """Say which judge is enough for your error budget, by the labelled pairs of FILE.

    FILE holds a JSON object a line: a and b (records), label, and current for an update; or it is a review
    export, in JSON Lines or CSV, with rulings filled in. Rows without a label or ruling are left out and
    counted. Only `arbiter review export --format training` has claim keys and values, which the keyed judge
    reads. Model, key, policy and cost ceiling are those of the settings; no language model is asked without
    --live. A judge that failed on every pair is exit status 1.
    """
    from arbiter.cli.render import print_json
    from arbiter.settings import Settings
    from arbiter.training.pair_file import nothing_labelled, told_rows
    from evals.error_budget import Budget
    from evals.judges import policy_for, reaches_out
    from evals.own_report import print_report
    from evals.pair_rows import read_pair_rows
    from evals.suite_files import as_cases

    settings = Settings()
    budget = Budget(share, confidence)
    names = judges or (_WITH_MODEL if live else _WITHOUT_MODEL)
    asking = [name for name in names if reaches_out(name, settings)]
    if asking and not live:
        raise ConfigurationError(f"{', '.join(asking)}: would ask a language model; allow it with --live")
    rows = read_pair_rows(file)
    if not rows.pairs:
        raise ConfigurationError(nothing_labelled(told_rows(file.name, rows.rows, 0, rows.left_out)))
    policy = policy_for(settings)
    cases = as_cases(rows.pairs, policy)
    assessed = _assessed(file.stem, cases, names, budget, settings, policy)
    if as_json:
        read = {"rows": rows.rows, "left_out": dict(rows.left_out)}
        print_json([assessment.as_json() | read for assessment in assessed])
    else:
        click.echo(told_rows(file.name, rows.rows, len(rows.pairs), rows.left_out))
        print_report(assessed, budget, listed)
    if any(assessment.failed for assessment in assessed):
        raise click.exceptions.Exit(1)


def _assessed(
    suite: str,
    cases: Sequence[PairCase],
    names: Sequence[str],
    budget: Budget,
    settings: Settings,
    policy: Policy,
) -> list[Assessment]:
    from evals.error_budget import assess
    from evals.judges import build
    from evals.solve import solve_pairs
    from evals.stack import Stack

    context = Stack.open(settings).context
    # All are built before one is asked: a name that is wrong shall not cost the answers of those before it.
    built = [(name, build(name, settings)) for name in names]
    return [assess(solve_pairs(suite, cases, name, judge, policy, context), budget) for name, judge in built]
