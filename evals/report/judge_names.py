"""What judges are called on pages, and in which order they stand there."""

from __future__ import annotations

CALLED = {
    "majority": "majority",
    "exact-match": "exact match",
    "jaccard-recency": "Jaccard 0.6 + recency",
    "cosine": "cosine 0.92",
    "semhash": "semhash",
    "context-vault": "context-vault-ai's rules",
    "inference-rule": "rule on inference",
    "exact": "exact",
    "keyed": "exact > keyed",
    "local": "local",
    "cascade-without-llm": "cascade without LLM",
    "llm": "LLM",
    "cascade": "cascade",
}
"""What others do, then what arbiter does, dearer judges last."""

_RECORDED = {"replay": "LLM", "cascade": "cascade with LLM"}


def called(judge: str) -> str:
    """Return what a judge is called; of a recording that is the model and the prompt."""
    kind, _, recording = judge.partition(":")
    return f"{_RECORDED[kind]}, {recording}" if recording and kind in _RECORDED else CALLED.get(judge, judge)


def rank(judge: str) -> tuple[int, int, str]:
    """Return where a judge stands among others; those that are not known come last, by name."""
    kind, _, recording = judge.partition(":")
    if recording:
        return 1, list(_RECORDED).index(kind) if kind in _RECORDED else len(_RECORDED), recording
    return (0, list(CALLED).index(judge), "") if judge in CALLED else (2, 0, judge)
