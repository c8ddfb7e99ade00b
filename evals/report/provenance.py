"""Where a result comes from: code, versions, weights, prompts, policy, suite, seed and machine."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arbiter.judges.local import PACKAGED as PACKAGED_JUDGE
from arbiter.judges.local import JudgeCard
from evals.score.intervals import SEED
from evals.suite_files import suite_digest

if TYPE_CHECKING:
    from arbiter.domain.policy import Policy
    from arbiter.ports import Judge

_ROOT = Path(__file__).parents[2]
_PACKAGES = ("arbiter", "faiss-cpu", "litellm", "numpy", "onnxruntime", "rapidfuzz", "spacy", "tokenizers")
_PROMPT = re.compile(r"llm/.+?/([\w.]+)@([0-9a-f]+)")


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a result comes from.

    ``commit`` is None outside a checkout; ``dirty`` says that the code was not as in the commit, results
    aside. ``versions`` are those of Python and of the packages that decide something. ``judge`` is the id of
    the judge in full; the digests are those of ``suite`` files, ``policy``, ``local_judge`` and ``embedder``
    weights, and of the ``prompts`` by id. ``thresholds`` are those that the policy has for kinds of judges.
    ``seed`` is that of the intervals.
    """

    commit: str | None
    dirty: bool | None
    versions: Mapping[str, str]
    judge: str
    suite: str
    policy: str
    thresholds: Mapping[str, Mapping[str, float]]
    local_judge: str
    embedder: str
    prompts: Mapping[str, str]
    seed: int
    machine: str

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON's own types."""
        return asdict(self)


def provenance(suite: str | Path, judge: Judge, policy: Policy, seed: int = SEED) -> Provenance:
    """Return where a result comes from that is measured here and now.

    Args:
        suite: name of the suite, or a file of one's own.
        judge: who judged.
        policy: what decided.
        seed: seed of the intervals.

    Raises:
        ConfigurationError: there is no such suite or file.
    """
    commit, dirty = checkout()
    return Provenance(
        commit=commit,
        dirty=dirty,
        versions=_versions(),
        judge=judge.judge_id,
        suite=suite_digest(suite),
        policy=policy.digest,
        thresholds={kind: dict(least) for kind, least in policy.judges.items()},
        local_judge=JudgeCard.read(PACKAGED_JUDGE / "judge.json").digest,
        embedder=_embedder(),
        prompts=dict(_PROMPT.findall(judge.judge_id)),
        seed=seed,
        machine=f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    )


def checkout() -> tuple[str | None, bool | None]:
    """Return the commit of the checkout and whether something was changed since."""
    git = shutil.which("git")
    if git is None:
        return None, None
    asked = [["rev-parse", "HEAD"], ["status", "--porcelain", "--", ".", ":!evals/results"]]
    told = [
        subprocess.run(  # noqa: S603  the words are ours
            [git, *words], cwd=_ROOT, capture_output=True, text=True, check=False
        )
        for words in asked
    ]
    if any(run.returncode for run in told):
        return None, None
    return told[0].stdout.strip(), bool(told[1].stdout.strip())


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return versions


def _embedder() -> str:
    from arbiter.adapters.onnx_embedder import OnnxEmbedder

    return OnnxEmbedder().model_id
