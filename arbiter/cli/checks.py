"""The checks of ``arbiter doctor``, one after the other; a check that fails harms no other."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from arbiter.cli.options import MEMORY, Options, store_path
from arbiter.errors import ArbiterError, ConfigurationError, StoreError

if TYPE_CHECKING:
    from arbiter.api import Arbiter
    from arbiter.pipeline.context import Context
    from arbiter.settings import Settings

_BATCH = 500
_LEAST_FREE_BYTES = 200_000_000
_SAMPLE = "Ana Duarte moved to Porto."


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found: ``wrong`` needs a hand, a ``note`` is worth knowing."""

    name: str
    status: Literal["ok", "note", "wrong"]
    detail: str


def examine(options: Options) -> Iterator[Check]:
    """Run every check; those that need what an earlier one found wrong are left out."""
    try:
        settings = options.settings()
    except ArbiterError as error:
        yield Check("settings", "wrong", error.message)
        return
    yield Check("settings", "ok", str(settings.config or "environment and defaults"))
    files = [
        _tried("policy", lambda: _policy(settings)),
        _tried("claim keys", lambda: _claim_keys(settings)),
        _tried("prompts", _prompts),
        _local_judge(settings),
    ]
    yield from files
    path = store_path(settings.database)
    yield from _disk(path)
    there = path is None or path.exists()
    if path is not None and there:
        yield from _file(path)
    if any(check.status == "wrong" for check in files):
        return
    try:
        arbiter = (options if there else replace(options, database=MEMORY)).open(create=True)
    except ArbiterError as error:
        yield Check("store", "wrong", error.message)
        return
    with arbiter:
        if there:
            count = len(arbiter.context.store.namespaces())
            yield Check("store", "ok", f"{path or 'server'}, {count} namespaces with facts")
        else:
            yield Check("store", "note", f"there is none at {path} yet")
        yield from _models(arbiter.context)
        if there:
            yield from _facts(arbiter, path)


def backed_up(options: Options, target: Path) -> Check:
    """Copy the store to a new file and say what is in it.

    Raises:
        ConfigurationError: there is no such store, it is none that lies in a file, or the file is there.
        StoreError: the store could not be read, the copy not be written, or it is not sound.
    """
    from arbiter.adapters.sqlite_backup import back_up

    path = store_path(options.settings().database)
    if path is None:
        raise ConfigurationError(
            "backup: this copies a store in a file; one on a PostgreSQL server is backed up by pg_dump",
            field="backup",
        )
    if not path.exists():
        raise ConfigurationError(f"there is no store at {path}", field="database")
    made = back_up(path, target)
    return Check(
        "backup",
        "ok",
        f"{target}, {made.size / 1e6:.1f} MB, {made.facts} facts; its pages, indexes and keys are sound",
    )


def repaired(options: Options) -> Iterator[str]:
    """Make good what can be made from the rest of the store, and yield what was done.

    Indexes come from their tables, vectors from the words, states from the log, and what was interrupted is
    finished. Where tables are damaged nothing is done.

    Raises:
        ConfigurationError: there is no such store.
        StoreError: it cannot be opened or written.
    """
    from arbiter.adapters.index_snapshots import drop_index_files
    from arbiter.adapters.sqlite_check import drop_spoilt_vectors, integrity_faults, rebuild_indexes

    path = store_path(options.settings().database)
    in_file = path is not None and path.exists()
    damaged = False
    if path is not None and in_file and integrity_faults(path):
        if rebuild_indexes(path):
            yield "nothing repaired: more than the indexes of the file is damaged"
            return
        damaged = True
        yield "the indexes of the file were built again"
    if path is not None and (kept := drop_index_files(path)):
        yield f"{kept} kept vector indexes are built again when they are needed"
    with options.open() as arbiter:
        embedder = arbiter.context.embedder
        if path is not None and in_file:
            dropped = drop_spoilt_vectors(path, embedder.model_id, embedder.dimension)
            if dropped:
                yield f"{dropped} damaged vectors are made again"
        # What was read by a damaged index may have gone into the views.
        done = arbiter.compile(from_scratch=damaged)
        yield f"{done.resumed} facts finished, {done.changed} states changed"


def lacking_vectors(context: Context) -> int:
    """Embed every fact that has no vector of the model in use, and return how many there were."""
    from arbiter.pipeline.arrive import embed_stored
    from arbiter.pipeline.batches import batches

    model_id, count = context.embedder.model_id, 0
    for namespace in context.store.namespaces():
        for ids in batches(context.store.unembedded(namespace, model_id), _BATCH):
            count += len(embed_stored(namespace, ids, context).ids)
    return count


def _tried(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, "ok", look())
    except ArbiterError as error:
        return Check(name, "wrong", error.message)


def _policy(settings: Settings) -> str:
    from arbiter.adapters.policy_file import load_policy

    policy = load_policy(settings.policy_file or "default")
    return f"{settings.policy_file or 'packaged'}, {len(policy.rules)} rules, digest {policy.digest}"


def _claim_keys(settings: Settings) -> str:
    from arbiter.adapters.claim_keys import ClaimKeyRegistry

    ClaimKeyRegistry.load(settings.claim_key_files, settings.alias_files)
    return f"packaged, and {len(settings.claim_key_files) + len(settings.alias_files)} more files"


def _prompts() -> str:
    from arbiter.adapters.prompts import check_lock, lock_entries

    check_lock()
    return f"{len(lock_entries())} as locked"


def _disk(path: Path | None) -> Iterator[Check]:
    if path is None:
        return
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    free = shutil.disk_usage(folder).free
    size = path.stat().st_size if path.exists() else 0
    # A migration or a long transaction may need as much again as the store has.
    status: Literal["ok", "wrong"] = "ok" if free >= max(_LEAST_FREE_BYTES, size) else "wrong"
    yield Check("disk", status, f"{free / 1e9:.1f} GB free, the store has {size / 1e6:.1f} MB")


def _file(path: Path) -> Iterator[Check]:
    from arbiter.adapters.sqlite_check import integrity_faults

    faults = integrity_faults(path)
    if faults:
        way_out = "run `arbiter doctor --repair`; if that does not help, put a backup in its place"
        yield Check("integrity", "wrong", f"{'; '.join(faults)}; {way_out}")
    else:
        yield Check("integrity", "ok", "pages, indexes and keys are sound")


def _models(context: Context) -> Iterator[Check]:
    def embedder() -> str:
        context.embedder.embed([_SAMPLE])
        return f"{context.embedder.model_id}, {context.embedder.dimension} numbers"

    def names() -> str:
        return f"the sample names {', '.join(sorted(context.entities.extract([_SAMPLE])[0])) or 'nothing'}"

    yield _tried("embedding model", embedder)
    yield _tried("named things", names)
    yield Check("judge", "ok", context.judge.judge_id)


def _local_judge(settings: Settings) -> Check:
    """Try the model that the settings name, also where they ask no judge for now."""
    from arbiter.domain.evidence import RecordPair
    from arbiter.domain.facts import Record, Source
    from arbiter.domain.vocabulary import SourceKind
    from arbiter.judges.local import PACKAGED, LocalJudge
    from arbiter.wiring import now

    if settings.local_judge == "none":
        return Check("local judge", "ok", "none, as set")
    folder = settings.local_judge if isinstance(settings.local_judge, Path) else PACKAGED
    if folder == PACKAGED and not (PACKAGED / "judge.json").exists():
        return Check("local judge", "note", "this build carries none")

    def judge() -> str:
        record = Record(_SAMPLE, Source("doctor", SourceKind.USER_STATED), now())
        local = LocalJudge(folder, threads=settings.embedding_threads)
        local.logits([RecordPair(record, record)])
        return f"{local.judge_id}, {'packaged' if folder == PACKAGED else folder}"

    return _tried("local judge", judge)


def _facts(arbiter: Arbiter, path: Path | None) -> Iterator[Check]:
    context = arbiter.context
    store, model_id = context.store, context.embedder.model_id
    spaces = store.namespaces()
    unfinished = sum(len(store.unfinished(name)) for name in spaces)
    yield _counted(
        "unfinished", unfinished, "facts whose judging was interrupted", "run `arbiter doctor --repair`"
    )
    missing = sum(len(store.unembedded(name, model_id)) for name in spaces)
    yield _counted(
        "vectors", missing, "facts without a vector of this model", "run `arbiter doctor --re-embed`"
    )
    yield from _other_models(path, model_id)
    yield from _spoilt(path, context)
    yield _tried("index", lambda: _index(context, spaces))
    yield from _kept_indexes(path)
    waiting = sum(len(store.retryable(name)) for name in spaces)
    if waiting:
        yield Check("unjudged", "note", f"{waiting} pairs found no judge; `arbiter compile` asks again")
    asked = sum(len(store.reviews(name)) for name in spaces)
    yield Check("reviews", "note" if asked else "ok", f"{asked} wait for a person")


def _counted(name: str, count: int, what: str, remedy: str) -> Check:
    return Check(name, "wrong" if count else "ok", f"{count} {what}" + (f"; {remedy}" if count else ""))


def _other_models(path: Path | None, model_id: str) -> Iterator[Check]:
    from arbiter.adapters.sqlite_check import vector_models

    if path is None:
        return
    others = {name: count for name, count in vector_models(path).items() if name != model_id}
    if others:
        told = ", ".join(f"{count} of {name}" for name, count in others.items())
        yield Check("other vectors", "note", f"{told}: not read by the model in use")


def _spoilt(path: Path | None, context: Context) -> Iterator[Check]:
    from arbiter.adapters.sqlite_check import spoilt_vectors

    embedder = context.embedder
    count = 0 if path is None else spoilt_vectors(path, embedder.model_id, embedder.dimension)
    if count:
        yield _counted("damaged vectors", count, "vectors are damaged", "run `arbiter doctor --repair`")


def _kept_indexes(path: Path | None) -> Iterator[Check]:
    from arbiter.adapters.index_snapshots import index_files, index_folder

    if path is not None and (files := index_files(path)):
        size = sum(file.stat().st_size for file in files) / 1e6
        yield Check("kept indexes", "ok", f"{len(files)} of {size:.1f} MB in {index_folder(path)}")


def _index(context: Context, spaces: Sequence[str]) -> str:
    """Compare what the index holds with the vectors that the store has for it.

    Raises:
        StoreError: it holds others, or cannot be built.
    """
    differing = []
    for name in spaces:
        held = len(context.indexes.current(name))
        kept = sum(len(ids) for _, ids, _ in context.store.vectors(name, context.embedder.model_id, after=0))
        if held != kept:
            differing.append(f"{name}: {held} of {kept}")
    if differing:
        raise StoreError("; ".join(differing))
    return "holds what the store holds"
