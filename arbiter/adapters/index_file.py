"""One file that keeps a graph: what it is of, its ids, the graph as FAISS writes it, and a checksum."""

from __future__ import annotations

import json
import os
import tempfile
import zlib
from collections.abc import Mapping
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from arbiter.errors import StoreError

if TYPE_CHECKING:
    from arbiter.adapters.faiss_index import FaissIndex

_BLOCK = 1 << 20
_CHECKSUM_BYTES = 4
_LONGEST_LABEL = 65_536
_PART = ".part"


class UnfitError(StoreError):
    """The file is damaged, or none that this version wrote."""


class _Summed:
    """Passes on what is written and sums it up."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.checksum = 0

    def write(self, block: bytes | memoryview) -> int:
        self.checksum = zlib.crc32(block, self.checksum)
        return self._file.write(block)


def write_index(path: Path, label: Mapping[str, object], index: FaissIndex, mode: int) -> None:
    """Write a file beside its place and then put it there, so that nobody ever sees half of it.

    What somebody who was killed left half written goes. After a loss of power the file may be torn, which
    its checksum shows; so nobody waits until the disk has all of it.

    Args:
        path: its place.
        label: what it is of.
        index: a graph.
        mode: who may read it.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(exist_ok=True)
    remove_parts(path)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.", suffix=_PART)
    part = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            summed = _Summed(file)
            summed.write(json.dumps(label).encode() + b"\n")
            index.save(summed.write)
            file.write(summed.checksum.to_bytes(_CHECKSUM_BYTES))
        part.chmod(mode)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def read_label(path: Path) -> dict[str, object] | None:
    """Return what a file says it is of; None if there is none that says so. The rest may be damaged."""
    try:
        with path.open("rb") as file:
            return _label(file)
    except (OSError, UnfitError):
        return None


def read_index(path: Path, index: FaissIndex) -> dict[str, object]:
    """Let an index take what a file holds, and return what it is of.

    Raises:
        UnfitError: the file is damaged.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        # Only what is whole may reach FAISS, which trusts the sizes that it reads.
        _check(file)
        file.seek(0)
        label = _label(file)
        try:
            index.load(file)
        except (RuntimeError, ValueError) as error:
            raise UnfitError(f"it holds no graph: {error}") from error
    return label


def remove_parts(path: Path) -> None:
    """Remove what was half written when its writer died; one that is still at it tries again later."""
    for part in path.parent.glob(f"{path.name}.*{_PART}"):
        part.unlink(missing_ok=True)


def _label(file: BufferedReader) -> dict[str, object]:
    try:
        label = json.loads(file.readline(_LONGEST_LABEL))
    except ValueError as error:
        raise UnfitError("it does not say what it is of") from error
    if not isinstance(label, dict):
        raise UnfitError("it does not say what it is of")
    return label


def _check(file: BufferedReader) -> None:
    left = os.fstat(file.fileno()).st_size - _CHECKSUM_BYTES
    checksum = 0
    while left > 0 and (block := file.read(min(_BLOCK, left))):
        checksum = zlib.crc32(block, checksum)
        left -= len(block)
    if left or int.from_bytes(file.read(_CHECKSUM_BYTES)) != checksum:
        raise UnfitError("its checksum is another one")
