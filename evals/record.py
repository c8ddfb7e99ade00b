"""``python -m evals record``: ask a model everything that a suite asks, once, and keep what it answers.

This is the one command that reaches out, besides a judge with a language model that is measured directly.
"""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from arbiter.adapters.litellm_client import LitellmClient
    from arbiter.domain.evidence import Unjudged
    from arbiter.judges.budget import CostLedger
    from arbiter.settings import Settings
    from evals.questions import Question
    from evals.recording import Recording

SUITES_OPTION = click.option(
    "--suite",
    "suites",
    multiple=True,
    required=True,
    help="Suite of pairs, streams or field cases, or a file of labelled pairs; repeatable.",
)
PROMPT_OPTION = click.option("--prompt", default="relation.v2", show_default=True, help="Prompt, by id.")
PAIRS_OPTION = click.option(
    "--pairs-per-call",
    default=1,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Pairs in a question. Only with one does the recording answer a cascade, too, which asks fewer.",
)
PRICE_OPTION = click.option(
    "--usd-per-million",
    type=(click.FloatRange(0), click.FloatRange(0)),
    metavar="IN OUT",
    help="Price of a million tokens in US dollars, where litellm has none.",
)


@click.command("record")
@SUITES_OPTION
@click.option("--model", required=True, help="Model, as litellm names it.")
@PROMPT_OPTION
@PAIRS_OPTION
@PRICE_OPTION
@click.option("--max-usd", type=click.FloatRange(0), help="Cost ceiling in US dollars.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The recording; by default in evals/recordings.",
)
@click.option("--dry-run", is_flag=True, help="Say what it would cost, and ask nothing.")
@click.option("--yes", is_flag=True, help="Start without asking whether to.")
def command(  # noqa: PLR0913  one for each option
    *,
    suites: tuple[str, ...],
    model: str,
    prompt: str,
    pairs_per_call: int,
    usd_per_million: tuple[float, float] | None,
    max_usd: float | None,
    out: Path | None,
    dry_run: bool,
    yes: bool,
) -> None:
    """Record a model's answers to the questions of suites.

    What is in the recording already is not asked again, so a run that was stopped goes on where it was.
    Address, key, deadline, attempts and concurrency are those of the settings.
    """
    from arbiter.adapters.prompts import load
    from arbiter.judges.budget import CostLedger
    from arbiter.settings import Settings
    from evals.questions import open_questions
    from evals.recording import Header, Recording, recording_path

    settings = Settings()
    header = Header.of(model, load(prompt), pairs_per_call)
    recording = Recording(out or recording_path(header), header)
    client = _client(model, settings, usd_per_million)
    left = open_questions(suites, recording, settings)
    _announce(recording, left, usd_per_million or _listed_price(client))
    if dry_run or not left:
        return
    if not yes:
        click.confirm("Ask now?", abort=True, err=True)
    ledger = CostLedger(max_usd=max_usd)
    failures: list[Unjudged] = []
    while left and not failures:
        failures = _ask(left, recording, client, ledger, settings)
        # What a model answered badly is asked again in smaller groups, and those are new questions.
        left = open_questions(suites, recording, settings) if not failures else left
    _report(recording, ledger, failures)
    if failures:
        sys.exit(1)


def _client(model: str, settings: Settings, usd_per_million: tuple[float, float] | None) -> LitellmClient:
    from arbiter.adapters.litellm_client import LitellmClient

    key = settings.llm_api_key
    return LitellmClient(
        model,
        api_base=settings.llm_api_base,
        api_key=key.get_secret_value() if key else None,
        max_attempts=settings.llm_max_attempts,
        request_timeout_s=settings.llm_deadline_s,
        usd_per_million=usd_per_million,
    )


def _listed_price(client: LitellmClient) -> tuple[float, float] | None:
    """Return litellm's price of a million tokens, in and out; None where it lists none."""
    if not client.has_price:
        return None
    # It was imported just now, by the client, and set up not to fetch its list.
    litellm = importlib.import_module("litellm")
    prices = (
        litellm.cost_per_token(model=client.model, prompt_tokens=1_000, completion_tokens=0)[0],
        litellm.cost_per_token(model=client.model, prompt_tokens=0, completion_tokens=1_000)[1],
    )
    return prices[0] * 1_000, prices[1] * 1_000


def _announce(recording: Recording, left: Sequence[Question], price: tuple[float, float] | None) -> None:
    tokens_in, tokens_out = (sum(amounts) for amounts in zip((0, 0), *(q.tokens for q in left), strict=True))
    cost = (
        "no price is known; give --usd-per-million"
        if price is None
        else f"${(tokens_in * price[0] + tokens_out * price[1]) / 1_000_000:,.2f}"
    )
    click.echo(
        f"{recording.header.model} on {recording.header.prompt}, {recording.path}\n"
        f"{len(recording):,} answers recorded, {len(left):,} calls to make\n"
        f"about {tokens_in:,} tokens in, {tokens_out:,} out; {cost}"
    )


def _ask(
    left: Sequence[Question],
    recording: Recording,
    client: LitellmClient,
    ledger: CostLedger,
    settings: Settings,
) -> list[Unjudged]:
    """Ask questions, some at a time, and return what became of those that got no answer."""
    from arbiter.domain.evidence import Unjudged
    from arbiter.errors import BudgetExceededError
    from arbiter.judges.reply import SCHEMA
    from evals.replay import RecordedClient

    recorded = RecordedClient(recording, live=client)

    def answer(question: Question) -> str | Unjudged:
        try:
            return recorded.complete(
                question.system,
                question.user,
                schema=SCHEMA,
                max_tokens=question.max_tokens,
                timeout_s=settings.llm_deadline_s,
                meter=ledger.reserve,
            )
        except BudgetExceededError as error:
            return Unjudged(error.code, error.message, error.retryable)

    with ThreadPoolExecutor(settings.llm_concurrency) as pool:
        answers = pool.map(answer, left)
        with click.progressbar(answers, length=len(left), label="asking", file=sys.stderr) as bar:
            return [reply for reply in bar if isinstance(reply, Unjudged)]


def _report(recording: Recording, ledger: CostLedger, failures: Sequence[Unjudged]) -> None:
    spent = ledger.spent
    click.echo(
        f"{len(recording):,} answers recorded; {spent.llm_calls:,} calls, {spent.prompt_tokens:,} tokens in, "
        f"{spent.completion_tokens:,} out, ${spent.usd:,.4f}"
    )
    for code, count in Counter(failure.code for failure in failures).most_common():
        first = next(failure.message for failure in failures if failure.code == code)
        click.echo(f"{count:,} not answered ({code}): {first}", err=True)
