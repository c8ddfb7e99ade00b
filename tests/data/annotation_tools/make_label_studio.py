"""Puts the export before a running Label Studio and its SDK, annotates it, and keeps what comes out.

See README.md. Arguments: address of the server, e-mail and password of its owner.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import httpx

from arbiter.interchange.review_files import export_open
from tests.data.annotation_tools.answers import DISCARDED, DRAFTS, SUBMITTED, Values
from tests.exchange_cases import asking, views

HERE = Path(__file__).parent
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


def main(server: str, owner: str, password: str) -> None:
    """Make the files of Label Studio anew."""
    with asking() as arbiter:
        tasks = "".join(export_open(views(arbiter), "label-studio"))
    config = "".join(export_open((), "label-studio-config"))
    checked(config, json.loads(tasks))
    kim = signed_in(server, "/user/login/", owner, password)
    lee = signed_in(server, kim.get("/api/invite").json()["invite_url"], "lee@example.com", password)
    project = sent(kim.post("/api/projects/", json={"title": "reviews", "label_config": config}))["id"]
    sent(kim.post(f"/api/projects/{project}/import", json=json.loads(tasks)))
    listed = sent(kim.get("/api/tasks", params={"project": project, "fields": "all"}))["tasks"]
    ids = {task["data"]["review_id"]: task["id"] for task in listed}
    people = {"kim": kim, "lee": lee}
    for review, person, values in SUBMITTED:
        sent(people[person].post(f"/api/tasks/{ids[review]}/annotations/", json={"result": regions(values)}))
    for review, person, values in DISCARDED:
        given = {"result": regions(values), "was_cancelled": True}
        sent(people[person].post(f"/api/tasks/{ids[review]}/annotations/", json=given))
    for review, person, values in DRAFTS:
        sent(people[person].post(f"/api/tasks/{ids[review]}/drafts", json={"result": regions(values)}))
    form = {"exportType": "JSON", "download_all_tasks": "true"}
    exported = sent(kim.get(f"/api/projects/{project}/export", params=form))
    checked(config, exported)
    write("label_studio_config.xml", config)
    write("label_studio_tasks.json", tasks)
    write("label_studio_export.json", json.dumps(exported, indent=1, ensure_ascii=False) + "\n")


def signed_in(server: str, path: str, email: str, password: str) -> httpx.Client:
    """Return a client that is signed in, or signed up where the path is an invitation."""
    client = httpx.Client(base_url=server, timeout=120, headers={"Referer": server})
    found = _TOKEN.search(client.get(path).text)
    if found is None:
        raise SystemExit(f"{path} has no form")
    client.post(path, data={"csrfmiddlewaretoken": found[1], "email": email, "password": password})
    client.headers["X-CSRFToken"] = client.cookies["csrftoken"]
    return client


def sent(answer: httpx.Response) -> Any:
    """Return what an answer holds."""
    if answer.is_error:
        raise SystemExit(f"{answer.request.url}: {answer.status_code} {answer.text[:500]}")
    return answer.json()


def regions(values: Values) -> list[dict[str, object]]:
    """Return values as the labelling interface sends them."""
    kinds = {"ruling": "choices", "relation": "choices"}
    return [
        {
            "id": f"by_hand_{name}",
            "from_name": name,
            "to_name": "a",
            "type": kinds.get(name, "textarea"),
            "value": {"choices" if name in kinds else "text": [value]},
            "origin": "manual",
        }
        for name, value in values.items()
    ]


def checked(config: str, tasks: Iterable[Any]) -> None:
    """Let the SDK check the configuration, the tasks, and what was predicted and annotated in them."""
    interface = import_module("label_studio_sdk.label_interface").LabelInterface(config)
    interface.validate()
    for task in tasks:
        if not interface.validate_task({"data": task["data"]}):
            raise SystemExit(f"the SDK refuses the task {task}")
        # Where they come back, predictions are told by their ids.
        predictions = [found for found in task["predictions"] if isinstance(found, dict)]
        for result in (*predictions, *task.get("annotations", ())):
            if faults := interface.validate_prediction(result, return_errors=True):
                raise SystemExit(f"the SDK refuses a result: {faults}")


def write(name: str, text: str) -> None:
    """Write a file beside this one."""
    (HERE / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
