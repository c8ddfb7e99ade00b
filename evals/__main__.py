"""``python -m evals``: measure arbiter offline, on the suites or on data of one's own."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import cast

import click

from arbiter.cli import Main

_COMMANDS = {
    "run": "evals.run:command",
    "report": "evals.report.command:command",
    "gate": "evals.gates:command",
    "record": "evals.record:command",
    "prompts": "evals.prompts:command",
    "answers": "evals.answers:command",
    "own": "evals.own:command",
    "designs": "evals.designs.command:command",
    "benchmark": "evals.benchmark.command:command",
    "load": "evals.load:command",
}


class _Evals(Main):
    """Imports a command when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        found = _COMMANDS.get(cmd_name)
        return cast("click.Command", resolve_name(found)) if found else None


@click.group("evals", cls=_Evals)
def main() -> None:
    """Measure arbiter, offline."""


if __name__ == "__main__":
    main()
