"""What the commands of ``arbiter judge`` share: options, the extra that they need, and their table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arbiter.cli.render import print_json, print_table
from arbiter.errors import MissingExtraError

if TYPE_CHECKING:
    from arbiter.training.calibration import Operating
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
        raise MissingExtraError(f"{error.name} is missing; install arbiter[build]") from error


def print_measures(measures: Measures, operating: Operating | None, *, as_json: bool) -> None:
    """Print what a judge achieves, and where its threshold puts it."""
    found = measures.as_json()
    if as_json:
        print_json(found | ({} if operating is None else {"threshold": operating.threshold}))
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
    if operating is not None:
        click.echo(
            f"acting from {operating.threshold:.3f} on: {operating.acted} pairs, {operating.wrong} wrong, "
            f"with confidence at most {operating.upper:.2%} of all"
        )
