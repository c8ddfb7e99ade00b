"""``python -m evals prompts``: write a suite's questions down, for models that are reached another way."""

from __future__ import annotations

import json
from pathlib import Path

import click

from evals.record import PAIRS_OPTION, PROMPT_OPTION, SUITES_OPTION

NOBODY = "nobody"


@click.command("prompts")
@SUITES_OPTION
@PROMPT_OPTION
@PAIRS_OPTION
@click.option("--model", default=NOBODY, help="Leave out what this model has answered already.")
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="Where they go.")
def command(*, suites: tuple[str, ...], prompt: str, pairs_per_call: int, model: str, out: Path) -> None:
    """Write the questions of suites as JSON Lines: custom_id, system, user and the schema of the reply."""
    from arbiter.adapters.prompts import load
    from arbiter.judges.reply import SCHEMA
    from arbiter.settings import Settings
    from evals.questions import open_questions
    from evals.recording import Header, Recording, recording_path

    header = Header.of(model, load(prompt), pairs_per_call)
    asked = open_questions(suites, Recording(recording_path(header), header), Settings())
    rows = (
        {"custom_id": q.custom_id(header), "system": q.system, "user": q.user, "schema": SCHEMA}
        for q in asked
    )
    out.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    click.echo(f"{len(asked):,} questions written to {out}")
