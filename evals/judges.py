"""Every judge that can be measured, by name.

A recording stands in for the language model that it was made of: ``replay:NAME`` is the judge ``llm`` with
it, and ``cascade:NAME`` the judge ``cascade``. Both answer from the file and never reach out; only ``llm``
and ``cascade`` do, where the settings name a model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from arbiter.errors import ConfigurationError

if TYPE_CHECKING:
    from arbiter.domain.policy import Policy
    from arbiter.judges.local import LocalJudge
    from arbiter.ports import Judge
    from arbiter.settings import Settings

JUDGES = ("exact", "keyed", "local", "cascade-without-llm", "cascade", "llm")
"""Arbiter's own. ``keyed`` is all that needs no model: exact, then keyed."""

_WIRED = {"keyed": "none", "cascade-without-llm": "local", "cascade": "cascade", "llm": "llm"}
"""Those that are a setting, by its value."""

_PLAIN = {
    "exact": "arbiter.judges.exact:ExactJudge",
    "majority": "evals.baselines.majority:Majority",
    "exact-match": "evals.baselines.exact_match:ExactMatch",
    "jaccard-recency": "evals.baselines.jaccard:JaccardRecency",
    "context-vault": "evals.baselines.vault_rules:VaultRules",
}
_EMBEDDING_BASELINES = {
    "cosine": "evals.baselines.cosine:CosineDuplicates",
    "semhash": "evals.baselines.semantic_hash:SemanticHash",
}

_INFERENCE = "inference-rule"

BASELINES = (*(name for name in _PLAIN if name not in JUDGES), *_EMBEDDING_BASELINES, _INFERENCE)
"""What others do."""


def build(name: str, settings: Settings) -> Judge:
    """Return the judge of a name. Models are loaded at the first pair.

    Args:
        name: one of ``JUDGES`` or ``BASELINES``, or ``replay:`` or ``cascade:`` with the path of a recording
            or the name of one in ``evals/recordings``.
        settings: the language model, files of claim keys and aliases, policy file and threads.

    Raises:
        ConfigurationError: no judge is called that, or what it needs is not there.
    """
    kind, _, recording = name.partition(":")
    if recording and kind in _RECORDED:
        return _RECORDED[kind](_replay(recording), settings)
    if name in _WIRED:
        if name == "llm" and settings.llm_model is None:
            raise ConfigurationError("judge llm: name its model in ARBITER_LLM_MODEL", field="llm_model")
        return wired(_WIRED[name], settings)
    if name == "local":
        return _local(settings)
    if name == _INFERENCE:
        from evals.baselines.inference_rule import InferenceRule

        return InferenceRule(_local(settings))
    if name in _EMBEDDING_BASELINES:
        from arbiter.wiring import build_embedder

        return _made(_EMBEDDING_BASELINES[name], build_embedder(settings))
    if name in _PLAIN:
        return _made(_PLAIN[name])
    known = ", ".join((*JUDGES, *BASELINES, *(f"{kind}:RECORDING" for kind in _RECORDED)))
    raise ConfigurationError(f"no judge is called {name!r}; there are {known}", field="judge")


def reaches_out(name: str, settings: Settings) -> bool:
    """Would this judge ask a language model, wherever that is?"""
    return name == "llm" or (name == "cascade" and settings.llm_model is not None)


def setting_of(name: str) -> str | None:
    """Return the value of the setting ``judge`` that gives this judge; None: no value gives it alone."""
    return _WIRED.get(name)


def policy_for(settings: Settings) -> Policy:
    """Return the policy as it is wired, with the thresholds of the local judge.

    Raises:
        ConfigurationError: the policy file has faults.
    """
    from arbiter.wiring import policy_in_force

    return policy_in_force(settings, _local(settings))


def wired(judge: str, settings: Settings) -> Judge:
    """Return the judges that a user gets who sets ``judge`` so."""
    from arbiter.adapters.claim_keys import ClaimKeyRegistry
    from arbiter.judges.guards import TextGuards
    from arbiter.wiring import build_judge, build_local_judge

    chosen = settings.model_copy(update={"judge": judge})
    claim_keys = ClaimKeyRegistry.load(chosen.claim_key_files, chosen.alias_files)
    guard = TextGuards(claim_keys.canonical_name)
    return build_judge(chosen, policy_for(chosen), claim_keys, guard, build_local_judge(chosen))


def after_exact(model: Judge, settings: Settings) -> Judge:
    """Return the judge ``llm`` with this one for its model: the same words are not asked about."""
    from arbiter.judges.cascade import CascadeJudge
    from arbiter.judges.exact import ExactJudge

    return CascadeJudge((ExactJudge(), model), policy_for(settings).least_confidence)


def after_local(model: Judge, settings: Settings) -> Judge:
    """Return the judge ``cascade`` with this one for its model: it is asked where the others are not sure."""
    from arbiter.judges.cascade import CascadeJudge

    return CascadeJudge((wired("local", settings), model), policy_for(settings).least_confidence)


_RECORDED: Mapping[str, Callable[[Judge, Settings], Judge]] = {"replay": after_exact, "cascade": after_local}


def _local(settings: Settings) -> LocalJudge:
    from arbiter.wiring import build_local_judge

    judge = build_local_judge(settings.model_copy(update={"judge": "local"}))
    if judge is None:
        raise ConfigurationError("the settings do without a local judge", field="local_judge")
    return judge


def _replay(recording: str) -> Judge:
    from evals.recording import Recording, find_recording
    from evals.replay import ReplayJudge

    return ReplayJudge(Recording.open(find_recording(recording)))


def _made(target: str, *arguments: object) -> Judge:
    judge: Judge = resolve_name(target)(*arguments)
    return judge
