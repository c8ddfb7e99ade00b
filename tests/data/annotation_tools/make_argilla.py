"""Puts the export before a running Argilla by its own client, responds to it, and keeps what comes out.

See README.md. Arguments: ``export`` to write what is put before it, in the environment of arbiter; then the
address of the server, in that of Argilla.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
STATES = ("submitted", "discarded", "draft")


def export() -> None:
    """Write the settings, the records, and what people are to answer."""
    from arbiter.interchange.review_files import export_open
    from tests.data.annotation_tools.answers import DISCARDED, DRAFTS, SUBMITTED
    from tests.exchange_cases import asking, views

    with asking() as arbiter:
        write("argilla_records.json", "".join(export_open(views(arbiter), "argilla")))
    write("argilla_settings.json", "".join(export_open((), "argilla-settings")))
    told = dict(zip(STATES, (SUBMITTED, DISCARDED, DRAFTS), strict=True))
    write("argilla_answers.json", json.dumps(told, indent=1) + "\n")


def respond(server: str) -> None:
    """Let Argilla take the records in, respond to them, and write both forms in which it exports them."""
    argilla = import_module("argilla")
    clients = {name: argilla.Argilla(api_url=server, api_key=f"{name}.apikey") for name in ("lee", "kim")}
    settings = argilla.Settings.from_json(HERE / "argilla_settings.json")
    dataset = argilla.Dataset("reviews", workspace="team", settings=settings, client=clients["kim"])
    dataset.create()
    dataset.records.from_json(HERE / "argilla_records.json")
    unharmed(list(dataset.records))
    ids = {record.id: record._server_id for record in dataset.records}  # noqa: SLF001  there is no other way
    for status, answers in json.loads((HERE / "argilla_answers.json").read_text("utf-8")).items():
        for review, person, values in answers:
            given = {"values": {name: {"value": value} for name, value in values.items()}, "status": status}
            path = f"/api/v1/records/{ids[review]}/responses"
            clients[person].http_client.post(path, json=given).raise_for_status()
    for name, flatten in (("nested", False), ("flat", True)):
        listed = dataset.records(with_responses=True).to_list(flatten=flatten)
        write(f"argilla_{name}.json", json.dumps(listed, indent=1, ensure_ascii=False) + "\n")
    users = {name: str(client.me.id) for name, client in clients.items()}
    write("argilla_users.json", json.dumps(users, indent=1) + "\n")


def unharmed(records: list[Any]) -> None:
    """See that the server kept every text as it was."""
    given = {
        record["id"]: record for record in json.loads((HERE / "argilla_records.json").read_text("utf-8"))
    }
    for record in records:
        kept = record.to_dict()
        if any(kept[part] != given[record.id][part] for part in ("fields", "metadata")):
            raise SystemExit(f"Argilla changed {record.id}: {kept}")


def write(name: str, text: str) -> None:
    """Write a file beside this one."""
    (HERE / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    respond(sys.argv[1]) if sys.argv[1] != "export" else export()
