"""The main job: a dump or a stream of records, arbitrated and reported on. READ run.py FIRST."""

from __future__ import annotations

from arbiter.interchange.summary import Summary, summary_json
from arbiter.scan.engine import Engine, ProcessEngine
from arbiter.scan.ray_engine import RayEngine
from arbiter.scan.run import Progress, scan
from arbiter.scan.trial import trial_database

__all__ = [
    "Engine",
    "ProcessEngine",
    "Progress",
    "RayEngine",
    "Summary",
    "scan",
    "summary_json",
    "trial_database",
]
