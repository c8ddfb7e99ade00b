"""API keys and Idempotency-Keys as whoever runs the service, and whoever calls it, sees them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx

from tests.http_server import serve_process

SECRET = "Ana lives in Xyzzy."


def record(content: str = SECRET, **fields: object) -> dict[str, Any]:
    """Return a record of what a user said."""
    source = {"id": "chat:1", "kind": "user_stated"}
    return {"content": content, "source": source, "observed_at": "2026-01-05T09:00:00Z", **fields}


def keys(folder: Path, *arguments: str) -> dict[str, Any]:
    """Run ``arbiter keys`` and return what it tells."""
    command = [sys.executable, "-m", "arbiter", "keys", *arguments, "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=60)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def caller(url: str, token: str | None = None) -> httpx.Client:
    """Return a client that sends this key."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False)


def test_a_service_with_keys_keeps_namespaces_apart(tmp_path: Path) -> None:
    """Each key reaches its own namespace; nothing in an answer tells of another one; a revoked key is out."""
    crm = keys(tmp_path, "create", "crm", "--namespace", "crm")
    shop = keys(tmp_path, "create", "shop", "--namespace", "shop", "--scope", "submit", "--scope", "read")
    with serve_process(tmp_path, "--judge", "none") as served:
        nobody, in_crm, in_shop = (caller(served.url, key) for key in (None, crm["token"], shop["token"]))
        with nobody, in_crm, in_shop:
            assert nobody.post("/v1/records", json={"records": [record()]}).status_code == 401
            assert nobody.get("/healthz").status_code == 200
            (receipt,) = in_crm.post("/v1/records", json={"records": [record()]}).json()["receipts"]
            assert (receipt["outcome"], receipt["namespace"]) == ("stored", "crm")
            (own,) = in_shop.post("/v1/records", json={"records": [record()]}).json()["receipts"]
            assert (own["outcome"], own["namespace"], own["evidence"]["candidates"]) == ("stored", "shop", [])
            refused = in_shop.post("/v1/records", json={"records": [record(namespace="crm")]})
            assert refused.json()["receipts"][0]["reason"]["field"] == "namespace"
            assert in_shop.get(f"/v1/facts/{receipt['fact_id']}").status_code == 404
            assert in_shop.get("/v1/facts", params={"namespace": "crm"}).status_code == 403
            assert in_shop.post("/v1/classify", json={"pairs": []}).status_code == 403
            keys(tmp_path, "revoke", shop["id"])
            deadline = time.monotonic() + 60
            while in_shop.get("/v1/facts").status_code != 401 and time.monotonic() < deadline:
                time.sleep(0.1)
            assert in_shop.get("/v1/facts").status_code == 401
            assert in_crm.get("/v1/facts").json()["facts"][0]["content"] == SECRET
    told = "\n".join(served.lines)
    for secret in (crm["token"], shop["token"], "Xyzzy"):
        assert secret not in told
    assert "THE SERVICE IS OPEN" not in told


def test_a_retry_after_a_crash_gets_the_same_receipts(tmp_path: Path) -> None:
    """Killed and started again, the service still knows what it answered under a key."""
    token = keys(tmp_path, "create", "agent")["token"]
    body, header = {"records": [record(), record("Ana likes tea.")]}, {"Idempotency-Key": '"a-b-c"'}
    with serve_process(tmp_path, "--judge", "none") as served, caller(served.url, token) as client:
        first = client.post("/v1/records", json=body, headers=header)
        served.process.kill()
        served.wait()
    with serve_process(tmp_path, "--judge", "none") as served, caller(served.url, token) as client:
        again = client.post("/v1/records", json=body, headers={"Idempotency-Key": "a-b-c"})
        assert (first.status_code, again.status_code) == (200, 200)
        assert again.content == first.content
        assert again.headers["idempotent-replayed"] == "true"
        body["records"][1]["observed_at"] = "2026-01-06T09:00:00Z"
        other = client.post("/v1/records", json=body, headers=header)
        assert (other.status_code, other.json()["field"]) == (422, "records.1.observed_at")
        assert [fact["seen_count"] for fact in client.get("/v1/facts?state=all").json()["facts"]] == [1, 1]
