"""``python -m evals answers``: check replies that a model gave elsewhere, and file them as recordings."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arbiter.errors import ConfigurationError
from evals.record import PRICE_OPTION

if TYPE_CHECKING:
    from arbiter.domain.evidence import Spend


@click.command("answers")
@click.option(
    "--in",
    "file",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="JSON Lines with custom_id and reply, or what the batch interfaces of OpenAI or Anthropic return.",
)
@click.option("--model", required=True, help="Who answered; part of the recording's name.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The recording; by default in evals/recordings, one for each prompt.",
)
@PRICE_OPTION
@click.option(
    "--keep-unusable", is_flag=True, help="File replies that cannot be used, too: their pairs stay unjudged."
)
def command(
    *,
    file: Path,
    model: str,
    out: Path | None,
    usd_per_million: tuple[float, float] | None,
    keep_unusable: bool,
) -> None:
    """File replies as recordings, each checked as the language-model judge checks it.

    A reply that has no usable verdict on each of its pairs is named and left out, to be asked for again.
    """
    from arbiter.adapters.prompts import load
    from evals.questions import CustomId
    from evals.recording import Answer, Header, Recording, recording_path

    recordings: dict[Header, Recording] = {}
    filed = refused = 0
    for where, row in _rows(file):
        asked = CustomId.parse(str(row.get("custom_id")))
        reply, spend = _reply(row, usd_per_million)
        fault = _fault(reply, asked.pairs)
        if fault:
            refused += 1
            click.echo(f"{where}: {row['custom_id']}: {fault}", err=True)
        if reply and (keep_unusable or not fault):
            filed += 1
            header = Header.of(model, load(asked.prompt), asked.pairs_per_call)
            if header not in recordings:
                recordings[header] = Recording(out or recording_path(header), header)
            recordings[header].add(asked.key, Answer(reply, spend))
    for recording in recordings.values():
        click.echo(f"{recording.path}: {len(recording):,} answers")
    click.echo(f"{filed:,} filed, {refused:,} without a usable verdict on each pair")
    if refused:
        sys.exit(1)


def _rows(file: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        where = f"{file.name}:{number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise ConfigurationError(f"{where} is not JSON: {error}") from error
        if not isinstance(row, dict):
            raise ConfigurationError(f"{where} is not a JSON object")
        yield where, row


def _reply(row: Mapping[str, Any], usd_per_million: tuple[float, float] | None) -> tuple[str, Spend]:
    """Return what the model wrote, empty if there is nothing, and what it cost."""
    from arbiter.domain.evidence import Spend

    reply, usage = row.get("reply"), row.get("usage") or {}
    try:
        if "response" in row:
            body = row["response"]["body"]
            reply, usage = body["choices"][0]["message"]["content"], body.get("usage") or {}
        elif "result" in row:
            message = row["result"]["message"]
            reply = "".join(part["text"] for part in message["content"] if part["type"] == "text")
            usage = message.get("usage") or {}
    except (AttributeError, IndexError, KeyError, TypeError):
        return "", Spend()
    tokens_in = int(usage.get("prompt_tokens", usage.get("input_tokens", 0)))
    tokens_out = int(usage.get("completion_tokens", usage.get("output_tokens", 0)))
    usd_in, usd_out = usd_per_million or (0.0, 0.0)
    text = reply if isinstance(reply, str) else json.dumps(reply) if reply else ""
    return text, Spend(1, tokens_in, tokens_out, (tokens_in * usd_in + tokens_out * usd_out) / 1_000_000)


def _fault(reply: str, pairs: int) -> str:
    """Return why a reply cannot be used for all its pairs; empty if it can."""
    from arbiter.domain.evidence import Unjudged
    from arbiter.judges.reply import parse_reply

    if not reply:
        return "there is no reply"
    faults = [found.message for found in parse_reply(reply, pairs, "") if isinstance(found, Unjudged)]
    return faults[0] if faults else ""
