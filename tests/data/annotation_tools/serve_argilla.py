"""Runs Argilla's own server on an SQLite file, without the search engine and the Redis that it wants.

See README.md, which has the environment that it needs. Argument: port. Its users are kim and lee, with the
keys kim.apikey and lee.apikey.
"""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from typing import Any


def main(port: str) -> None:
    """Serve until stopped."""
    queue = import_module("rq").Queue
    queue.enqueue = queue.enqueue_call = lambda *_, **__: type("Job", (), {"id": "none"})()
    engine = import_module("argilla_server.search_engine.base").SearchEngine
    engine.register("none")(type("Nothing", (engine,), dict.fromkeys(engine.__abstractmethods__, nothing)))
    engine.registered_classes["none"].new_instance = classmethod(new_instance)
    app: Any = import_module("argilla_server._app")
    app.configure_redis = lambda: None
    import_module("argilla_server.cli.database.migrate").migrate_db("head")
    asyncio.run(add_people())
    import_module("uvicorn").run(app.create_server_app(), host="127.0.0.1", port=int(port))


async def nothing(*_: object, **__: object) -> bool:
    """Find nothing, and index nothing."""
    return True


async def new_instance(cls: type[Any]) -> Any:
    """Return a search engine."""
    return cls()


async def add_people() -> None:
    """Add a workspace and its people."""
    models = import_module("argilla_server.models")
    accounts = import_module("argilla_server.contexts.accounts")
    async with import_module("argilla_server.database").AsyncSessionLocal() as session:
        for name in ("kim", "lee"):
            password = accounts.hash_password(f"{name}.password")
            user = {"first_name": name, "username": name, "role": "owner", "api_key": f"{name}.apikey"}
            session.add(models.User(**user, password_hash=password))
        session.add(models.Workspace(name="team"))
        await session.commit()


if __name__ == "__main__":
    main(*sys.argv[1:])
