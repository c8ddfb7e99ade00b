"""``python -m evals gate``: what may land? It says what fell below its floor, and by how much."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arbiter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from arbiter.settings import Settings
    from evals.floors import Check, Floor
    from evals.report.files import Kind

_HEAD = """\
# The least that may land. `python -m evals gate` holds every line, and so does a test.
#
# How they were chosen: `python -m evals gate --set` measures every suite and judge named here and writes the
# measured value, less a tolerance: 0.02 for a share, and for a count a tenth, at least one, but none where
# the count is 0. So a processor that rounds otherwise passes, and a change for the worse does not. Floors are
# no aims: they only say that what was reached is kept. Set them anew when a change makes things better. To
# add a judge (`replay:NAME` for a recording), write a table with one measure of it, and set them anew.
"""
_FRESH = ("commit", "judge", "suite", "policy", "thresholds", "embedder", "prompts")
"""What of its provenance must be as it is now for a result to stand for a run."""


@click.command("gate")
@click.option("--suite", "suites", multiple=True, help="Only these suites; repeatable.")
@click.option(
    "--results",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Read results of `run --out` from this folder in place of measuring; old ones are refused.",
)
@click.option(
    "--gates",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of floors; by default evals/gates.toml.",
)
@click.option("--set", "anew", is_flag=True, help="Set the floors of the file anew, from what is measured.")
def command(*, suites: tuple[str, ...], results: Path | None, file: Path | None, anew: bool) -> None:
    """Hold judges to their floors. Exit status 1: something fell.

    It runs offline; of streams it takes the order in which their authors tell them.
    """
    from arbiter.settings import Settings
    from evals.floors import GATES, check, floors_of, read_floors, written

    path = file or GATES
    floors = read_floors(path)
    wanted = [floor for floor in floors if not suites or floor.suite in suites]
    if not wanted:
        raise ConfigurationError(f"{path} has no floors for {', '.join(suites) or 'anything'}")
    names = list(dict.fromkeys((floor.suite, floor.judge) for floor in wanted))
    settings = Settings()
    new: dict[tuple[str, str], list[Floor]] = {}
    checks: list[Check] = []
    for kind, payload in _read(names, results, settings) if results else _measured(names, settings):
        found = check(
            (f for f in wanted if (f.suite, f.judge) == (payload["suite"], payload["judge"])), payload
        )
        click.echo("\n".join(one.sentence() for one in found))
        checks += found
        new[payload["suite"], payload["judge"]] = floors_of(payload, kind)
    fell = sum(not one.holds for one in checks)
    click.echo(f"{len(checks) - fell} hold, {fell} fell")
    if anew:
        kept = [floor for floor in floors if floor not in wanted]
        order = list(dict.fromkeys((floor.suite, floor.judge) for floor in floors))
        told = [*kept, *(floor for group in new.values() for floor in group)]
        told.sort(key=lambda floor: order.index((floor.suite, floor.judge)))
        path.write_text(f"{_HEAD}\n{written(told)}", encoding="utf-8")
    elif fell:
        sys.exit(1)


def _measured(
    names: Sequence[tuple[str, str]], settings: Settings
) -> Iterator[tuple[Kind, Mapping[str, Any]]]:
    """Measure judges on suites here and now."""
    from evals.candidates import distractors_of
    from evals.judges import reaches_out
    from evals.measure import measure
    from evals.suite_files import SUITES

    asking = [judge for _, judge in names if reaches_out(judge, settings)]
    if asking:
        raise ConfigurationError(f"{', '.join(asking)}: a gate asks no language model; name a recording")
    for suite in dict.fromkeys(suite for suite, _ in names):
        judges = [judge for on, judge in names if on == suite]
        counts = [distractors_of(judge) for judge in judges] if SUITES[suite].kind == "retrieval" else [0]
        for count in counts:
            for found in measure(suite, judges, settings, distractors=count, orders=("as told",)):
                yield found.kind, found.payload


def _read(
    names: Sequence[tuple[str, str]], folder: Path, settings: Settings
) -> Iterator[tuple[Kind, Mapping[str, Any]]]:
    """Read results that were measured before.

    Raises:
        ConfigurationError: one is not there, or was measured with other code, weights, prompts, policy,
            thresholds or cases.
    """
    from arbiter.testing import TableJudge
    from evals.field_suite import with_registries
    from evals.judges import build, policy_for
    from evals.report.files import read_result, result_path
    from evals.report.provenance import provenance

    policy = policy_for(settings)
    for suite, judge in names:
        result = read_result(result_path(folder, suite, judge))
        chosen = with_registries(settings) if result.kind == "field_cases" else settings
        asked = TableJudge() if result.kind == "retrieval" else build(judge, chosen)
        now = provenance(suite, asked, policy).as_json()
        other = [name for name in _FRESH if result.provenance.get(name) != now[name]]
        if other:
            raise ConfigurationError(f"{result.path} is not of now: {', '.join(other)} changed; run it again")
        yield result.kind, result.payload
