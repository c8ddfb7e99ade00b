"""``arbiter policy``: the table of rules, and what another one would change."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.options import Options, common_options
from arbiter.cli.render import print_json, print_table

if TYPE_CHECKING:
    from arbiter.domain.outcomes import FactState
    from arbiter.domain.policy import Rule
    from arbiter.pipeline.compile import Flip

_FILE = click.argument("file", type=click.Path(path_type=Path))


@click.group("policy")
def command() -> None:
    """Show the policy, check another, see what it changes."""


@command.command("show")
@common_options(store=False, namespace=False)
def show(options: Options) -> None:
    """Print the policy in force: its rules in the order in which they are tried, and its thresholds."""
    from arbiter.interchange.policy_json import policy_json
    from arbiter.wiring import build_local_judge, policy_in_force

    settings = options.settings()
    policy = policy_in_force(settings, build_local_judge(settings))
    if options.as_json:
        print_json(policy_json(policy))
        return
    print_table(
        ("#", "Rule", "When", "Then", "Because"),
        (
            (number, rule.id, _condition(rule), _consequence(rule), rule.reason)
            for number, rule in enumerate(policy.rules, start=1)
        ),
    )
    click.echo(f"least confidence to act: {_shares(policy.thresholds)}")
    for kind, least in policy.judges.items():
        click.echo(f"least confidence of the judge {kind}: {_shares(least)}")
    click.echo(f"digest {policy.digest}")


@command.command("check")
@_FILE
@common_options(store=False, namespace=False)
def check(options: Options, file: Path) -> None:
    """Check a policy file: every case has a rule, every rule a case. All faults are listed."""
    from arbiter.adapters.policy_file import load_policy

    policy = load_policy(file)
    if options.as_json:
        print_json({"ok": True, "rules": len(policy.rules), "digest": policy.digest})
    else:
        click.echo(f"{file} is a valid policy of {len(policy.rules)} rules, digest {policy.digest}")


@command.command("diff")
@_FILE
@common_options(namespace="all")
def diff(options: Options, file: Path) -> None:
    """List the facts that would stand otherwise under the policy of FILE.

    The stored evidence is decided again; no judge is asked, and nothing is changed.
    """
    from arbiter.adapters.policy_file import load_policy
    from arbiter.interchange.policy_json import flip_json

    policy = load_policy(file)
    with options.open() as arbiter:
        flips = arbiter.policy_diff(policy, namespace=options.namespace)
    if options.as_json:
        for flip in flips:
            print_json(flip_json(flip))
        return
    if flips:
        print_table(
            ("fact", "Now", "Then", "Rule", "Statement"),
            (
                (flip.fact_id, _standing(flip.before), _standing(flip.after), _rules(flip), flip.content)
                for flip in flips
            ),
        )
    click.echo(f"{len(flips)} facts would stand otherwise")


def _condition(rule: Rule) -> str:
    return "; ".join(f"{name} {' or '.join(sorted(words))}" for name, words in rule.when.items())


def _shares(least: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {share:g}" for name, share in least.items()) or "none"


def _consequence(rule: Rule) -> str:
    strategy = f" by {rule.strategy.value}" if rule.strategy else ""
    return f"{rule.action.value}{strategy}{', and ask' if rule.asks else ''}"


def _rules(flip: Flip) -> str:
    return ", ".join(sorted({decision.rule for decision in flip.decisions}))


def _standing(state: FactState) -> str:
    reason = f" ({state.reason.value})" if state.reason else ""
    return f"{state.state.value}{reason}{', contested' if state.contested else ''}"
