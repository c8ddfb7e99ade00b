"""``python -m evals``: measure speed on this machine."""

from __future__ import annotations

import click

from evals.benchmark import command as benchmark


@click.group()
def main() -> None:
    """Measure arbiter, offline."""


main.add_command(benchmark, "benchmark")

if __name__ == "__main__":
    main()
