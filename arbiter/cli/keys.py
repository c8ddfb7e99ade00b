"""``arbiter keys``: who may call the service."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import click

from arbiter.cli.options import Moment, Options, common_options
from arbiter.cli.render import plain, print_json, print_table
from arbiter.domain.access import SCOPES

if TYPE_CHECKING:
    from arbiter.domain.access import ApiKey, Scope

_DEFAULT_SCOPES: tuple[Scope, ...] = ("classify", "submit", "read")
_MAX_NAME_CHARS = 200


@click.group("keys")
def command() -> None:
    """Make, list and revoke the API keys of the service.

    While there are no keys the service is open to this machine, and to no other.
    """


@command.command("create")
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(SCOPES),
    multiple=True,
    default=_DEFAULT_SCOPES,
    show_default=True,
    help="What the key is good for; once for each.",
)
@click.option("--any-namespace", is_flag=True, help="Let the key reach every namespace.")
@click.option("--expires", type=Moment(), help="When it ends, in ISO 8601 with a zone; never by default.")
@click.option("--days", type=click.IntRange(min=1, max=36_500), help="After how many days it ends.")
@common_options()
def create(
    options: Options,
    name: str,
    scopes: tuple[Scope, ...],
    expires: datetime | None,
    days: int | None,
    *,
    any_namespace: bool,
) -> None:
    """Make a key for NAME, whoever or whatever that is, and print it.

    It is shown this once: the store keeps only a digest of it.
    """
    from arbiter.adapters.secret_tokens import new_key
    from arbiter.wiring import now

    if expires is not None and days is not None:
        raise click.UsageError("--expires and --days say the same; give one of them.")
    if not name.strip() or len(name) > _MAX_NAME_CHARS or not name.isprintable():
        raise click.BadParameter(f"has to be 1 to {_MAX_NAME_CHARS} printable characters", param_hint="NAME")
    at = now()
    until = expires if days is None else at + timedelta(days=days)
    if until is not None and until <= at:
        raise click.BadParameter("is over already", param_hint="--expires")
    with options.open(create=True) as arbiter:
        namespace = None if any_namespace else options.only
        made = new_key(name.strip(), namespace, scopes, at=at, expires_at=until)
        arbiter.context.store.keys.add(made.key, made.digest)
    if options.as_json:
        print_json({**_as_json(made.key, at), "token": made.token})
        return
    click.echo(made.token)
    click.echo(f"{made.key.id} made; keep what is printed above, it is not shown again", err=True)


@command.command("list")
@common_options(namespace=False)
def list_keys(options: Options) -> None:
    """List every key that was ever made, oldest first; the day of its last use is in UTC."""
    with options.open() as arbiter:
        now, keys = arbiter.context.clock(), arbiter.context.store.keys.all()
    if options.as_json:
        for key in keys:
            print_json(_as_json(key, now))
        return
    print_table(
        ("key", "Name", "Namespace", "Scopes", "Made", "Ends", "Last used", "State"),
        (
            (
                key.id,
                key.name,
                "(any)" if key.namespace is None else key.namespace,
                " ".join(_scopes(key)),
                key.created_at,
                key.expires_at,
                key.last_used,
                _state(key, now),
            )
            for key in keys
        ),
    )


@command.command("revoke")
@click.argument("key_id", metavar="KEY")
@common_options(namespace=False)
def revoke(options: Options, key_id: str) -> None:
    """Let KEY, by its id, hold no more, and the browsers that signed in with it no more either.

    Running services take notice within five seconds.
    """
    with options.open() as arbiter:
        now = arbiter.context.clock()
        key = arbiter.context.store.keys.revoke(key_id, now)
    if options.as_json:
        print_json(_as_json(key, now))
    else:
        click.echo(f"{key.id} ({plain(key.name)}) holds no more")


def _scopes(key: ApiKey) -> list[str]:
    return [scope for scope in SCOPES if scope in key.scopes]


def _state(key: ApiKey, now: datetime) -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "holds" if key.holds(now) else "expired"


def _as_json(key: ApiKey, now: datetime) -> dict[str, object]:
    return {
        "id": key.id,
        "name": key.name,
        "namespace": key.namespace,
        "scopes": _scopes(key),
        "created_at": key.created_at.isoformat(),
        "expires_at": key.expires_at.isoformat() if key.expires_at else None,
        "revoked_at": key.revoked_at.isoformat() if key.revoked_at else None,
        "last_used": key.last_used.isoformat() if key.last_used else None,
        "state": _state(key, now),
    }
