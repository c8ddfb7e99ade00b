"""The graphs of large namespaces beside the SQLite file, so that opening it does not build them again."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select

from arbiter.adapters.faiss_index import FaissIndex
from arbiter.adapters.index_file import UnfitError, read_index, read_label, remove_parts, write_index
from arbiter.adapters.sql_dialect import NAMESPACE
from arbiter.adapters.sql_schema import positions, state_changes, vectors
from arbiter.domain.canonical import digest
from arbiter.errors import StoreError

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from arbiter.adapters.sql_store import SqlStore
    from arbiter.ports import Embedder, VectorIndex

_LOG = logging.getLogger(__name__)

_FORMAT = 1
# Of a graph, how much may be missing from its file before that is written again.
_SHARE = 0.01
_SUFFIX = ".graph"
_PAGE = 10_000

_HELD = vectors.c.namespace == NAMESPACE, vectors.c.model_id == bindparam("model_id")
_EMBEDDED = select(vectors.c.fact_id).where(*_HELD)
_LATER = _EMBEDDED.where(vectors.c.position > bindparam("position"))
_LAST_POSITION = select(positions.c.last).where(positions.c.namespace == NAMESPACE)
_LAST_CHANGE = (
    select(state_changes.c.position, state_changes.c.recorded_at)
    .where(state_changes.c.namespace == NAMESPACE, state_changes.c.position <= bindparam("position"))
    .order_by(state_changes.c.position.desc())
    .limit(1)
)


def index_folder(database: Path) -> Path:
    """Return where the graphs of a store in a file are kept."""
    whole = database.resolve()
    return whole.with_name(f"{whole.name}.index")


def index_files(database: Path) -> list[Path]:
    """Return the graphs that are kept beside a store, and what was half written of them."""
    return sorted(index_folder(database).glob(f"*{_SUFFIX}*"))


def drop_index_files(database: Path) -> int:
    """Delete them, and return how many there were."""
    files = index_files(database)
    for file in files:
        file.unlink(missing_ok=True)
    return len(files)


def copy_index_files(database: Path, copy: Path) -> None:
    """Give them to a copy of the store that is made after this; what cannot be copied is built again."""
    folder = index_folder(copy)
    with suppress(OSError):
        for file in index_folder(database).glob(f"*{_SUFFIX}"):
            folder.mkdir(exist_ok=True)
            shutil.copyfile(file, folder / file.name)


class SqliteIndexSnapshots:
    """Implements ``IndexSnapshots``: one file a namespace, in a folder that may be deleted at any time.

    A file is of one namespace, one model and one log: it names the last change of a state that the log had
    when it was written, and the moment of that. A store that was put back from a backup and went on has
    another one there. What a file holds is then held against the store: ids that the store has no vector
    for are removed from it (somebody erased them), and where an id is missing that is not in the rest of
    the log, the file is of another store. A file that does not fit is deleted, and the graph is built
    again.

    It is written when a hundredth of the graph is not in it yet, beside the work, which goes on meanwhile.

    Args:
        store: a store in an SQLite file.
        database: that file.
        embedder: the model whose vectors are kept.
        new_index: makes an index that is empty.
        executor: writes; by default a thread of its own, one file after the other.
    """

    def __init__(
        self,
        store: SqlStore,
        database: Path,
        embedder: Embedder,
        new_index: Callable[[], FaissIndex],
        executor: Executor | None = None,
    ) -> None:
        self._store = store
        self._database = database
        self._embedder = embedder
        self._new_index = new_index
        # By namespace, how many ids its file holds.
        self._kept: dict[str, int] = {}
        self._executor = executor or ThreadPoolExecutor(1, thread_name_prefix="arbiter-graph")
        self._writing: dict[str, Future[None]] = {}

    def load(self, namespace: str) -> tuple[VectorIndex, int] | None:
        """See ``IndexSnapshots.load``."""
        path = self._path(namespace)
        if not path.exists():
            return None
        index = self._new_index()
        try:
            label = read_index(path, index)
            position, gone = self._compare(namespace, label, index)
        except (OSError, UnfitError) as error:
            _LOG.warning("the index of %s is built again, since its file is of no use: %s", namespace, error)
            self.drop(namespace)
            return None
        if gone:
            index.remove(gone)
            self.drop(namespace)
        else:
            self._kept[namespace] = len(index)
        return index, position

    def keep(self, namespace: str, index: VectorIndex, position: int) -> None:
        """See ``IndexSnapshots.keep``."""
        if not isinstance(index, FaissIndex) or not index.approximate or not self._is_due(namespace, index):
            return
        under_way = self._writing.get(namespace)
        if under_way is not None and not under_way.done():
            return
        # Whatever comes of it, there is no other attempt right away.
        self._kept[namespace] = len(index)
        # An interpreter that ends takes nothing on any more.
        with suppress(RuntimeError):
            self._writing[namespace] = self._executor.submit(self._write, namespace, index, position)

    def close(self) -> None:
        """See ``IndexSnapshots.close``."""
        wait(list(self._writing.values()))

    def _write(self, namespace: str, index: FaissIndex, position: int) -> None:
        """Write an index that reaches at least the position; what it has beyond that does no harm."""
        try:
            label = self._label(namespace, position) | {"facts": len(index)}
            write_index(self._path(namespace), label, index, self._database.stat().st_mode & 0o777)
        except FileNotFoundError:
            # Another process began to write it later, or erased a fact: then this file must not come to be.
            return
        except (OSError, RuntimeError, StoreError) as error:
            _LOG.warning("the index of %s is not kept: %s", namespace, error)
            return
        try:
            # Only now: somebody who erases a fact later than this finds the file and drops it.
            with self._store.reading() as connection:
                gone = set(index.ids()).difference(self._embedded(connection, namespace))
        except StoreError as error:
            _LOG.warning("the index of %s is not kept, since it cannot be checked: %s", namespace, error)
            self.drop(namespace)
            return
        if gone:
            index.remove(gone)
            self.drop(namespace)

    def holds(self, namespace: str) -> bool:
        """See ``IndexSnapshots.holds``."""
        return self._path(namespace).exists()

    def drop(self, namespace: str) -> None:
        """See ``IndexSnapshots.drop``."""
        path = self._path(namespace)
        self._kept.pop(namespace, None)
        try:
            # In this order: a part that its writer puts in its place before it is removed is there then.
            remove_parts(path)
            path.unlink(missing_ok=True)
        except NotADirectoryError:
            # What lies in the place of the folder holds no file.
            return
        except OSError as error:
            _LOG.error("the file of an index cannot be deleted: %s", error)

    def _path(self, namespace: str) -> Path:
        return index_folder(self._database) / f"{digest(namespace)}{_SUFFIX}"

    def _is_due(self, namespace: str, index: FaissIndex) -> bool:
        """Is too much of an index in no file? Another process may have written what this one would."""
        least = (1 - _SHARE) * len(index)
        if self._kept.get(namespace, 0) < least:
            label = read_label(self._path(namespace)) or {}
            if self._named(namespace).items() <= label.items() and isinstance(label.get("facts"), int):
                self._kept[namespace] = int(str(label["facts"]))
        return self._kept.get(namespace, 0) < least

    def _named(self, namespace: str) -> dict[str, object]:
        return {
            "format": _FORMAT,
            "namespace": namespace,
            "model": self._embedder.model_id,
            "dimension": self._embedder.dimension,
        }

    def _label(self, namespace: str, position: int) -> dict[str, object]:
        with self._store.reading() as connection:
            change = _last_change(connection, namespace, position)
        return self._named(namespace) | {"position": position, "last_change": change}

    def _compare(
        self, namespace: str, label: dict[str, object], index: FaissIndex
    ) -> tuple[int, Collection[str]]:
        """Return which position a graph reaches, and the ids in it that the store has no vector for.

        Raises:
            UnfitError: it is none of this log and this model.
        """
        position = label.get("position")
        if not isinstance(position, int) or not self._named(namespace).items() <= label.items():
            raise UnfitError("it is of another model or version")
        with self._store.reading() as connection:
            last = connection.execute(_LAST_POSITION, {"namespace": namespace}).scalar() or 0
            if last < position or _last_change(connection, namespace, position) != label.get("last_change"):
                raise UnfitError("it is of another store")
            gone, lacking = set(index.ids()), set()
            for fact_id in self._embedded(connection, namespace):
                if fact_id in gone:
                    gone.remove(fact_id)
                else:
                    lacking.add(fact_id)
            if lacking and lacking.difference(self._embedded(connection, namespace, after=position)):
                raise UnfitError("it lacks facts")
        return position, gone

    def _embedded(self, connection: Connection, namespace: str, *, after: int | None = None) -> Iterator[str]:
        """Yield the ids of the facts that have a vector, in the whole log or in the rest of it."""
        parameters = {"namespace": namespace, "model_id": self._embedder.model_id, "position": after}
        statement = _EMBEDDED if after is None else _LATER
        yield from connection.execute(statement, parameters).yield_per(_PAGE).scalars()


def _last_change(connection: Connection, namespace: str, position: int) -> list[int] | None:
    row = connection.execute(_LAST_CHANGE, {"namespace": namespace, "position": position}).first()
    return None if row is None else [row.position, row.recorded_at]
