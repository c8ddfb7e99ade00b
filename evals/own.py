"""``python -m evals own``: your pairs, your model, your error budget, and which judge is enough for it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arbiter.settings import Settings
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
    "cascade, too.",
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
@click.option("--live", is_flag=True, help="Let judges ask the language model that the settings name.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    *, file: Path, judges: tuple[str, ...], share: float, confidence: float, live: bool, as_json: bool
) -> None:
    """Say which judge is enough for your error budget, by the labelled pairs of FILE.

    FILE holds a JSON object a line: a and b (records), label, and current for an update; or it is a review
    export in JSON Lines with rulings filled in. Model, key, policy and cost ceiling are those of the
    settings; no language model is asked without --live.
    """
    from arbiter.cli.render import print_json
    from arbiter.settings import Settings
    from evals.error_budget import Budget
    from evals.judges import reaches_out

    settings = Settings()
    budget = Budget(share, confidence)
    names = judges or (_WITH_MODEL if live else _WITHOUT_MODEL)
    asking = [name for name in names if reaches_out(name, settings)]
    if asking and not live:
        raise ConfigurationError(f"{', '.join(asking)}: would ask a language model; allow it with --live")
    assessed = _assessed(file, names, budget, settings)
    if as_json:
        print_json([assessment.as_json() for assessment in assessed])
        return
    _print_table(assessed, budget)
    click.echo("".join(f"\n{_advice(assessment)}\n" for assessment in assessed))
    click.echo(_conclusion(assessed, budget))


def _assessed(file: Path, names: Sequence[str], budget: Budget, settings: Settings) -> list[Assessment]:
    from evals.error_budget import assess
    from evals.judges import build, policy_for
    from evals.solve import solve_pairs
    from evals.stack import Stack
    from evals.suite_files import load_pairs

    policy = policy_for(settings)
    cases = load_pairs(file, policy)
    context = Stack.open(settings).context
    # All are built before one is asked: a name that is wrong shall not cost the answers of those before it.
    built = [(name, build(name, settings)) for name in names]
    return [
        assess(solve_pairs(file.stem, cases, name, judge, policy, context), budget) for name, judge in built
    ]


def _print_table(assessed: Sequence[Assessment], budget: Budget) -> None:
    from arbiter.cli.render import print_table

    pairs = assessed[0].decisions.pairs
    click.echo(
        f"{pairs} pairs; the budget is {budget.share:.2%} wrong removals with {budget.confidence:.0%} "
        f"confidence, which takes {budget.pairs_needed:,} pairs or more to show\n"
    )
    header = ("Judge", "Enough?", "Right", "Unjudged", "To people", "Removed", "Wrongly", "At most", "Missed")
    rows = [
        (
            a.judge,
            a.verdict,
            f"{a.right / pairs:.3f} [{a.accuracy_interval[0]:.3f}, {a.accuracy_interval[1]:.3f}]",
            sum(a.decisions.unjudged.values()),
            f"{1 - a.decisions.coverage:.0%}",
            a.decisions.removed,
            a.decisions.wrongly_removed,
            f"{a.upper:.2%}",
            f"{a.decisions.missed} of {a.decisions.conflicts}",
            f"{a.cost.llm_calls:,}",
            f"{a.cost.usd:.4f}",
        )
        for a in assessed
    ]
    print_table((*header, "Calls", "US dollars"), rows)


def _advice(assessment: Assessment) -> str:
    chosen, budget = assessment.chosen, assessment.budget
    if not assessment.kinds:
        return f"{assessment.judge}: takes nothing away."
    if chosen.threshold > 1:
        least = budget.showable(chosen.pairs)
        return f"{assessment.judge}: no threshold keeps wrong removals to {least:.2%}."
    shown = (
        f"which keeps to {budget.share:.2%}"
        if chosen.upper <= budget.share
        else f"which shows {chosen.upper:.2%}, the least that {chosen.pairs} pairs can show"
    )
    told = (
        f"{assessment.judge}: from {chosen.threshold:.4f} on it acts on {chosen.acted} pairs, "
        f"{chosen.wrong or 'none'} wrong, {shown}."
    )
    table = assessment.thresholds
    return f"{told} In a policy file:\n\n{table}" if table else told


def _conclusion(assessed: Sequence[Assessment], budget: Budget) -> str:
    enough = [assessment for assessment in assessed if assessment.verdict == "yes"]
    if enough:
        told = (
            f"{a.judge} (decides {a.decisions.coverage:.0%} itself, misses {a.decisions.unnoticed} of "
            f"{a.decisions.conflicts} conflicts and asks nobody)"
            for a in enough
        )
        return f"Enough as it is: {', '.join(told)}."
    if assessed[0].decisions.pairs < budget.pairs_needed:
        return (
            f"With fewer than {budget.pairs_needed:,} pairs no judge can be shown to be enough: label more, "
            "or allow more."
        )
    return (
        "None is enough as it is. Put a table from above into a copy of the policy, name the copy in "
        "ARBITER_POLICY_FILE, and run this again."
    )
