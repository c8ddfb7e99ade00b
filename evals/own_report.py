"""What ``python -m evals own`` prints: a row for each judge, what went wrong, what to set, what is enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arbiter.cli.render import plain, print_table
from evals.judges import setting_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evals.error_budget import Assessment, Budget

_MESSAGE_CHARS = 300


def print_report(assessed: Sequence[Assessment], budget: Budget, listed: int) -> None:
    """Print what was found of at least one judge; ``listed`` wrongly judged pairs of each at most."""
    _print_table(assessed, budget)
    for assessment in assessed:
        _print_silences(assessment)
    for assessment in assessed:
        _print_wrong(assessment, listed)
    click.echo("".join(f"\n{_advice(assessment)}\n" for assessment in assessed))
    failed = [assessment.judge for assessment in assessed if assessment.failed]
    answered = [assessment for assessment in assessed if not assessment.failed]
    if answered:
        click.echo(_conclusion(answered, budget))
    if failed:
        click.echo(f"Nothing is shown of {', '.join(failed)}, which failed on every pair.")


def _print_table(assessed: Sequence[Assessment], budget: Budget) -> None:
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


def _print_silences(assessment: Assessment) -> None:
    """Say why a judge was silent, and show what was said of the first pair with each reason."""
    for silence in assessment.silences:
        message = plain(" ".join(silence.message.split()))[:_MESSAGE_CHARS]
        told = f"; the first: {message}" if message else ""
        click.echo(f"{assessment.judge}: {silence.pairs} not judged ({silence.code}){told}")


def _print_wrong(assessment: Assessment, listed: int) -> None:
    wrong = assessment.wrong[:listed]
    if not wrong:
        return
    click.echo(f"\n{assessment.judge}: {len(assessment.wrong)} judged wrongly, the surest first")
    print_table(
        ("pair", "Label", "Judged", "Confidence", "By", "Done"),
        (
            (
                item.truth.id,
                item.truth.relation,
                item.answer.relation,
                f"{item.answer.confidence:.3f}",
                item.answer.judge,
                f"{item.answer.action}, wrongly removed" if item.wrongly_removed else item.answer.action,
            )
            for item in wrong
        ),
    )
    if len(assessment.wrong) > listed:
        click.echo(f"and {len(assessment.wrong) - listed} more; --wrong {len(assessment.wrong)} lists all")


def _advice(assessment: Assessment) -> str:
    chosen, budget = assessment.chosen, assessment.budget
    if assessment.failed:
        return f"{assessment.judge}: failed on every pair."
    if not assessment.kinds:
        return f"{assessment.judge}: takes nothing away."
    if chosen.pairs < budget.pairs_needed:
        return (
            f"{assessment.judge}: no thresholds to set. {chosen.pairs} pairs cannot show {budget.share:.2%}; "
            f"without one mistake they show {budget.least_shown(chosen.pairs):.2%}. It takes "
            f"{budget.pairs_needed:,} pairs without a mistake; until then keep the thresholds in force."
        )
    if chosen.threshold > 1:
        return f"{assessment.judge}: no threshold keeps wrong removals to {budget.share:.2%}."
    told = (
        f"{assessment.judge}: from {chosen.threshold:.4f} on it acts on {chosen.acted} pairs, "
        f"{chosen.wrong or 'none'} wrong, which keeps to {budget.share:.2%}."
    )
    table = assessment.thresholds
    return f"{told} In a policy file:\n\n{table}" if table else told


def _conclusion(assessed: Sequence[Assessment], budget: Budget) -> str:
    """Say which judge is enough, or what it takes; those that failed show nothing."""
    enough = [assessment for assessment in assessed if assessment.verdict == "yes"]
    if enough:
        told = (
            f"{a.judge} ({_set(a.judge)}; decides {a.decisions.coverage:.0%} itself, misses "
            f"{a.decisions.unnoticed} of {a.decisions.conflicts} conflicts and asks nobody)"
            for a in enough
        )
        return f"Enough as it is: {', '.join(told)}."
    if assessed[0].decisions.pairs < budget.pairs_needed:
        return (
            f"With fewer than {budget.pairs_needed:,} pairs no judge can be shown to be enough: label more, "
            "or allow more."
        )
    if not any(assessment.thresholds for assessment in assessed):
        return "None is enough as it is, and no threshold makes one so: leave removals to people."
    settings = [(setting_of(a.judge), a.judge) for a in assessed if a.thresholds]
    values = " or ".join(f"{value} ({name})" for value, name in settings if value is not None)
    chosen = f"set ARBITER_JUDGE to {values}, " if values else ""
    return (
        "None is enough as it is. Put a table from above into a copy of the policy, name the copy in "
        f"ARBITER_POLICY_FILE, {chosen}and run this again."
    )


def _set(judge: str) -> str:
    """Say how to get a judge."""
    value = setting_of(judge)
    return "no value of ARBITER_JUDGE gives it alone" if value is None else f"ARBITER_JUDGE={value}"
