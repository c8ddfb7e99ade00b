"""``python -m evals report``: results side by side, as pages."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("report")
@click.argument("runs", nargs=-1, metavar="[RUN]...", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--out",
    default="evals-report",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for report.html, report.md and the plots.",
)
@click.option(
    "--against",
    metavar="JUDGE",
    default="local",
    show_default=True,
    help="Judge that all others are compared with, of several runs of it the first named; where a suite "
    "lacks it, its first judge.",
)
@click.option("--readme", is_flag=True, help="Draw the plots of the README anew, and nothing else.")
def command(*, runs: tuple[Path, ...], out: Path, against: str, readme: bool) -> None:
    """Show results side by side, and say whether their differences could be chance.

    RUN is a result of `run`, or a folder of them (by default the committed results). Runs of one judge from
    two folders are two runs: so a change is held against what was before.
    """
    from evals.report.comparison import differences
    from evals.report.files import RESULTS, by_suite, read_results
    from evals.report.pages import write_report
    from evals.report.readme import draw
    from evals.report.sections import sections

    if readme:
        for path in draw(RESULTS):
            click.echo(path)
        return
    suites = by_suite(read_results(runs or (RESULTS,)))
    write_report(out, sections(suites, against))
    if runs:
        for results in suites:
            for found in differences(results, against):
                click.echo(f"{results[0].suite}: {found.sentence()}")
    click.echo(f"{out / 'report.html'}\n{out / 'report.md'}")
