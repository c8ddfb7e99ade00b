"""A disk that is full, and one that is read-only: a small one, in a process that mounts it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import ROOT

_UNSHARE = ["unshare", "--user", "--map-root-user", "--mount"]
_SCRIPT = """
import subprocess, sys
from contextlib import suppress
from pathlib import Path

from arbiter.adapters.sqlite_backup import back_up
from arbiter.adapters.sqlite_check import integrity_faults
from arbiter.api import Arbiter
from arbiter.errors import StoreUnavailableError
from tests.acceptance.calling import lives
from tests.consistency import check_index, check_states, seen
from tests.light_service import light_context

def refusal(do):
    try:
        do()
    except StoreUnavailableError as error:
        return error.message
    return "done"

disk = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", disk], check=True)
ballast, database = disk / "ballast", disk / "facts.db"
ballast.write_bytes(b"x" * 1_000_000)
arbiter = Arbiter(light_context(str(database)))
kept, number, told = set(), 0, "done"
while told == "done":
    number += 1
    records = [lives(city, day, f"Ana {number}") for day, city in enumerate(("Faro", "Braga"), 1)]
    told = refusal(lambda: kept.update(receipt.fact_id for receipt in arbiter.submit(records)))
assert told.startswith(f"the store {database} cannot grow: the disk is full; make room; "), told
assert kept <= seen(arbiter.context).facts.keys()
arbiter.close()
# The log may have been carried over, which leaves room.
filler = disk / "filler"
with suppress(OSError), filler.open("wb", buffering=0) as file:
    while file.write(b"x" * 4096):
        pass
full = refusal(lambda: back_up(database, disk / "copy.db"))
assert full.startswith(f"the copy of {database} cannot grow: the disk is full; make room"), full
# What did not fit into the file waits beside it, in its log.
left = {path.name for path in disk.iterdir()}
assert left <= {"ballast", "filler", "facts.db", "facts.db-wal", "facts.db-shm"}, left

subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
def open_and_submit():
    with Arbiter(light_context(str(database))) as reading:
        reading.submit(records)
closed = refusal(open_and_submit)
ways_out = ("is read-only; let this user write", "cannot be opened; see that its folder is there and")
assert any(way_out in closed for way_out in ways_out), closed
subprocess.run(["mount", "-o", "remount,rw", disk], check=True)

ballast.unlink()
arbiter = Arbiter(light_context(str(database)))
assert integrity_faults(database) == []
again = arbiter.submit(records)
assert all(receipt.fact_id for receipt in again)
arbiter.compile()
assert kept <= seen(arbiter.context).facts.keys()
check_states(arbiter.context)
check_index(arbiter.context)
print(len(kept))
"""


def test_a_disk_that_fills_up_loses_nothing(tmp_path: Path) -> None:
    """What was acknowledged is there, the way out is told, and once there is room the work goes on."""
    mounting = [*_UNSHARE, "mount", "-t", "tmpfs", "none", str(tmp_path)]
    if subprocess.run(mounting, check=False, capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount a disk in a namespace of his own")
    done = subprocess.run(
        [*_UNSHARE, sys.executable, "-c", _SCRIPT, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 10
