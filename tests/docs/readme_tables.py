"""Generates the tables of the README from the things they describe; cog puts them there.

To bring the README up to date: ``python -m cogapp -r README.md``.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from arbiter import errors
from arbiter.cli import main
from arbiter.settings import ENV_PREFIX, Settings
from evals.benchmark.growth import Growth
from evals.benchmark.models import Model
from evals.benchmark.tables import growth_rows, model_rows, part_rows
from evals.designs.command import design_rows
from evals.designs.compare import Design
from evals.score.compare import Difference

ROOT = Path(__file__).parents[2]
HELP_WIDTH = 100
_MAKERS = ("Reason", "Unjudged", "_unjudged")
_CODE_NAMES = ("_CODES", "NOT_DECIDED")
_RECEIPT, _SERVICE, _VERDICT = "`reason` of a receipt", "answer of the service", "`unjudged` of a verdict"
OTHER_CODES: dict[str, tuple[str, str, str]] = {
    "not_json": (_RECEIPT, "The line, the item or the array is not JSON.", "no"),
    "not_utf8": (_RECEIPT, "The line is not UTF-8.", "no"),
    "not_csv": (_RECEIPT, "The row is not CSV, or has too few or too many cells.", "no"),
    "repeated_key": (_RECEIPT, "A key stands twice in one object.", "no"),
    "too_deep": (_RECEIPT, "The record is nested too deeply to be read.", "no"),
    "too_long": (
        f"{_RECEIPT}; {_VERDICT}",
        "The line is too long to be read; the two texts are too long for the judge.",
        "no",
    ),
    "ambiguous_subject": (_RECEIPT, "The subject could be any of several, which are listed.", "no"),
    "seen_before": (_RECEIPT, "The source said this before: counted, nothing new.", "no"),
    "erased": (_RECEIPT, "The text of this fact was erased; it is not kept again.", "no"),
    "not_judged": (_RECEIPT, "A pair could not be judged; the record is kept and waits.", "no"),
    "method_not_allowed": (_SERVICE, "There is something at this path, but not for this method.", "no"),
    "not_ready": (_SERVICE, "`/readyz`: a part of the service does not work now.", "yes"),
    "internal_error": (_SERVICE, "Something went wrong that should not; the log says where.", "no"),
    "not_decided": (_VERDICT, "This judge leaves the pair to the others.", "no"),
    "no_judge": (_VERDICT, "No judge could tell.", "no"),
    "not_text": (_VERDICT, "A text is not valid Unicode.", "no"),
    "not_finite": (_VERDICT, "The model gave no number.", "no"),
    "model_failed": (_VERDICT, "The local model could not be computed.", "yes"),
    "deadline": (_VERDICT, "The language model did not answer in time.", "yes"),
    "judge_unavailable": (_VERDICT, "The language model could not be asked.", "where that may pass"),
    "judge_reply": (_VERDICT, "The answer of the language model is of no use.", "yes"),
    "judge_failed": (_VERDICT, "The client of the language model failed.", "no"),
}
"""The codes that no error has: where each is found, what it means, and whether trying again can help."""


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table."""
    head = list(header)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in line) + " |"
        for line in lines
    )


def speed_tables() -> str:
    """Return the committed figures of the benchmark: stores, where the time goes, models."""
    told = json.loads((ROOT / "evals" / "results" / "speed.json").read_text("utf-8"))
    growth = [Growth(**grown) for grown in told["growth"]]
    models = [Model(**model) for model in told["models"]]
    shown = [growth_rows(growth), part_rows(growth), model_rows(models)]
    tables = "\n\n".join(table(head, rows) for head, *rows in shown)
    return f"{tables}\n\n{told['machine']}, commit {told['commit'][:7]}."


def designs_table(name: str) -> str:
    """Return the committed counts, under that name, of what designs ask of a language model."""
    told = json.loads((ROOT / "evals" / "results" / f"{name}.json").read_text("utf-8"))
    designs = [
        Design(**made | {"gap": made["gap"] and Difference(**made["gap"])}) for made in told["designs"]
    ]
    head, *rows = design_rows(designs)
    return table(head, rows)


def load_table() -> str:
    """Return the committed figures of the load benchmark."""
    measured = json.loads((ROOT / "evals" / "results" / "load.json").read_text("utf-8"))
    rows = (
        (
            f["what"],
            f"{f['facts']:,}",
            f"{f['connections']} × {f['items']}",
            f"{f['items_per_s']:,.0f}",
            f"{f['p50_ms']:,.0f}",
            f"{f['p99_ms']:,.0f}",
            f"{f['service_cores']:.1f}",
            f["bound"],
        )
        for f in measured["figures"]
    )
    head = ("asked", "facts stored", "requests × items", "items a second", "p50 ms", "p99 ms")
    return f"{table((*head, 'cores', 'bound by'), rows)}\n\n{measured['setup']['machine']}, one worker."


def settings_table() -> str:
    """Return every setting with its variable, its default and what it means."""
    rows = (
        (f"`{name}`", f"`{ENV_PREFIX}{name.upper()}`", _default(field.default), field.description or "")
        for name, field in Settings.model_fields.items()
    )
    return table(("setting", "variable", "default", "what it does"), rows)


def _default(value: object) -> str:
    return "" if value is None or value == () else f"`{value}`"


def error_classes() -> list[type[errors.ArbiterError]]:
    """Return the error classes in the order in which they are written."""
    return [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.ArbiterError)
    ]


def error_table() -> str:
    """Return every error code with its class, its meaning, and whether trying again can help."""
    rows = (
        (f"`{kind.code}`", f"`{kind.__name__}`", _summary(kind), "yes" if kind.retryable else "no")
        for kind in error_classes()
    )
    others = ((f"`{code}`", *told) for code, told in OTHER_CODES.items())
    return (
        table(("code", "class", "meaning", "try again?"), rows)
        + "\n\nReceipts, answers of the service and verdicts know more codes, which no class has:\n\n"
        + table(("code", "where", "meaning", "try again?"), others)
    )


def codes_in_the_code() -> set[str]:
    """Return the codes that are written down where reasons, answers and failures of judges are made."""
    found = set()
    for path in (ROOT / "arbiter").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
                given = [value.value for value in node.keywords if value.arg == "code"]
                found |= set(_texts(given + (node.args[:1] if name in _MAKERS else [])))
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in _CODE_NAMES:
                found |= set(_texts([node.value, *getattr(node.value, "values", [])]))
    return found


def _texts(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
            yield node.value


def _summary(kind: type) -> str:
    return (kind.__doc__ or "").strip().splitlines()[0]


def policy_table() -> str:
    """Return the packaged policy, a row for each rule, in the order in which they are tried."""
    text = (ROOT / "arbiter" / "assets" / "policy.toml").read_text(encoding="utf-8")
    rows = (
        (str(number), f"`{rule['id']}`", _condition(rule.get("when", {})), _consequence(rule), rule["reason"])
        for number, rule in enumerate(tomllib.loads(text)["rules"], start=1)
    )
    return table(("", "rule", "when", "then", "because"), rows)


def _condition(when: dict[str, list[str]]) -> str:
    return "; ".join(f"{name} {' or '.join(words)}" for name, words in when.items()).replace("_", " ")


def _consequence(rule: dict[str, str]) -> str:
    strategy = f" by {rule['strategy']}" if "strategy" in rule else ""
    return f"**{rule['action']}**{strategy}".replace("_", " ") + (", and ask" if rule.get("asks") else "")


def requirements() -> Iterator[tuple[str, str, str]]:
    """Yield every requirement of pyproject.toml: its extra (empty: always), its name, its reason.

    The reason is the comment beside it.
    """
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    for extra, listed in {"": project["dependencies"], **project["optional-dependencies"]}.items():
        for requirement in listed:
            name = re.split(r"[<>=~!;]", requirement)[0]
            reason = re.search(rf'"{re.escape(requirement)}", +# (.+)', text)
            yield extra, name, reason[1] if reason else ""


def requirements_table() -> str:
    """Return the dependencies with a reason each, those of the extras after those of every install."""
    rows = ((extra or "always", f"`{name}`", reason) for extra, name, reason in requirements())
    return table(("installed", "package", "for"), rows)


def commands(context: click.Context | None = None) -> Iterator[click.Context]:
    """Yield a context for each command, the root's first, those below it in the order of its help."""
    if context is None:
        context = click.Context(
            main,
            info_name="arbiter",
            terminal_width=HELP_WIDTH,
            max_content_width=HELP_WIDTH,
            **main.context_settings,
        )
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            below = context.command.get_command(context, name)
            if below is not None:
                yield from commands(click.Context(below, parent=context, info_name=name))


def help_pages() -> str:
    """Return what ``--help`` prints for every command."""
    pages = (
        f"$ {context.command_path} --help\n{context.command.get_help(context)}\n" for context in commands()
    )
    return "```console\n" + "\n".join(pages) + "```"


def transcript(*arguments: str) -> str:
    """Return a command and what it prints, run in an empty folder."""
    with TemporaryDirectory() as folder:
        run = subprocess.run(
            [sys.executable, "-m", "arbiter", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
    told = re.sub(r"(?m)^(time +)\d.*$", r"\1a few seconds", run.stdout.strip())
    return f"```console\n$ arbiter {' '.join(arguments)}\n{told}\n```"
