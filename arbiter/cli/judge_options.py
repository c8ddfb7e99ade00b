"""What the commands of ``arbiter judge`` share: options, the extra that they need, and their table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.render import print_json, print_table
from arbiter.errors import MissingExtraError

if TYPE_CHECKING:
    from arbiter.training.calibrate import Calibrated
    from arbiter.training.examples import Example
    from arbiter.training.measure import Measures

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
DIRECTORY = click.Path(file_okay=False, path_type=Path)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
MODEL = click.option(
    "--model", type=DIRECTORY, help="Where the judge lies; by default the one of the package."
)
BUDGET = click.option(
    "--budget",
    default=0.01,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True),
    help="Largest share of judged pairs in which a fact may wrongly be taken out of reading.",
)
CONFIDENCE = click.option(
    "--confidence",
    default=0.95,
    show_default=True,
    type=click.FloatRange(0.5, 1, max_open=True),
    help="Probability with which the budget shall hold.",
)


def need_extra() -> None:
    """Make sure that what training needs is installed.

    Raises:
        MissingExtraError: it is not.
    """
    try:
        import onnx  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            f"{error.name} is missing; training needs the extra `build`: pip install 'arbiter[build]'"
        ) from error


def read_labelled(paths: Iterable[Path]) -> list[Example]:
    """Return the labelled pairs of files, and tell on standard error which rows were left out.

    Raises:
        ConfigurationError: a file is at fault, or none holds a labelled pair.
    """
    from arbiter.training.pair_file import read_pair_files

    files = read_pair_files(paths, lambda told: click.echo(told, err=True))
    return [example for file in files for example in file.examples]


def print_calibrated(found: Calibrated, *, as_json: bool) -> None:
    """Print what a calibrated judge achieves, where its threshold puts it, and what was not shown."""
    operating = found.operating
    if as_json:
        told = {"threshold": operating.threshold, "temperature": found.temperature, "notes": found.notes}
        print_json(found.measures.as_json() | told)
        return
    print_measures(found.measures, as_json=False)
    if operating.acted:
        click.echo(
            f"acting from {operating.threshold:.3f} on: {operating.acted} pairs, {operating.wrong} wrong, "
            f"with confidence at most {operating.upper:.2%} of all"
        )
    for note in found.notes:
        click.echo(note)


def print_measures(measures: Measures, *, as_json: bool) -> None:
    """Print what a judge achieves."""
    found = measures.as_json()
    if as_json:
        print_json(found)
        return
    low, high = measures.accuracy_interval
    click.echo(
        f"{measures.pairs} pairs: accuracy {measures.accuracy:.3f} (95 % interval {low:.3f} to {high:.3f})"
    )
    surest = ", ".join(f"{share:.0%}: {accuracy:.3f}" for share, accuracy in measures.surest.items())
    click.echo(f"on the surest {surest}\ncalibration error {measures.calibration_error:.3f}")
    print_table(
        ("Truth", "Recall", "Precision", *found["confusion"]),
        (
            (truth, f"{measures.recall[truth]:.3f}", f"{measures.precision[truth]:.3f}", *row.values())
            for truth, row in found["confusion"].items()
        ),
    )
