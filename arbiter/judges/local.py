"""The local judge: a small cross-encoder in the package, on onnxruntime; no key, no network, no torch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arbiter.domain.evidence import Judgement, RecordPair, Side, Spend, Unjudged, Verdict
from arbiter.domain.token_batches import MOST_TOKENS
from arbiter.domain.vocabulary import Mutability, Relation, Stakes, UpdateKind
from arbiter.errors import ConfigurationError
from arbiter.judges.pair_tokens import PairTokens, context_words, encode, number_words
from arbiter.judges.side_by_side import SideBySide

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

Array: TypeAlias = NDArray[np.float32]

_ASSETS = Path(__file__).parents[1] / "assets"
PACKAGED = _ASSETS / "judge"
PACKAGED_TOKENIZER = _ASSETS / "embedding" / "tokenizer.json"
_LEAST_RISK = 0.5


@dataclass(frozen=True, slots=True)
class JudgeCard:
    """What ``judge.json`` says of a model.

    ``heads`` gives the meaning of the logits in order, head after head. ``temperature`` divides the logits of
    the relation, so that its probabilities are calibrated. ``thresholds`` is the least probability of a
    relation at which acting on it keeps to the error budget; above 1: never.
    """

    sha256: str
    tokenizer_sha256: str
    max_tokens: int
    heads: Mapping[str, tuple[str, ...]]
    temperature: float
    thresholds: Mapping[str, float]

    @classmethod
    def read(cls, path: Path) -> JudgeCard:
        """Read a card.

        Raises:
            ConfigurationError: the file is missing or makes no sense.
        """
        try:
            card = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                sha256=str(card["sha256"]),
                tokenizer_sha256=str(card["tokenizer_sha256"]),
                max_tokens=int(card["max_tokens"]),
                heads={str(name): tuple(labels) for name, labels in card["heads"].items()},
                temperature=float(card["temperature"]),
                thresholds={str(label): float(least) for label, least in card["thresholds"].items()},
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ConfigurationError(f"{path} does not describe a judge: {error}") from error

    @property
    def digest(self) -> str:
        """Twelve hex digits that change with anything that changes a probability."""
        parts = (self.sha256, self.tokenizer_sha256, repr(self.temperature))
        return sha256("\n".join(parts).encode()).hexdigest()[:12]


class LocalJudge:
    """Judges pairs with a model that ``arbiter judge train`` made.

    The model is read from disk at the first pair. Pairs of like length are computed together; which ones
    they are makes no difference to a verdict. A pair that does not fit into the window is not judged, since
    what was cut off could decide.

    Args:
        directory: where ``model.onnx`` and ``judge.json`` lie, and ``tokenizer.json`` where it is not the
            packaged one.
        threads: batches computed at once; 0: as many as there are cores.
        batch_tokens: word pieces computed at once, padding included.

    Raises:
        ConfigurationError: ``judge.json`` is missing or makes no sense; later, at the first pair, the model
            does not load or is not the file that ``judge.json`` speaks of.
    """

    def __init__(
        self, directory: Path = PACKAGED, *, threads: int = 0, batch_tokens: int = MOST_TOKENS
    ) -> None:
        self._directory = directory
        self._cores = SideBySide(threads)
        self._batch_tokens = batch_tokens
        self._card = JudgeCard.read(directory / "judge.json")

    @property
    def judge_id(self) -> str:
        """Name and digest of weights, word pieces and temperature."""
        return f"local/{self._card.digest}"

    @property
    def thresholds(self) -> Mapping[str, float]:
        """The least probability of each relation at which acting on it keeps to the error budget."""
        return self._card.thresholds

    def judge(self, pairs: Sequence[RecordPair]) -> tuple[list[Judgement], Spend]:
        """Judge pairs; the answers stand in the order of the pairs.

        Raises:
            ConfigurationError: the model cannot be loaded.
        """
        answers: list[Judgement] = [self._unjudged("not_text", "a text is not valid Unicode")] * len(pairs)
        tokens = self._tokens(pairs)
        window = self._card.max_tokens
        fitting = [place for place, pair in tokens.items() if len(pair.ids) <= window]
        for place in tokens.keys() - set(fitting):
            told = f"the two texts are {len(tokens[place].ids)} word pieces long; {window} fit"
            answers[place] = self._unjudged("too_long", told)
        failed = self._unjudged("model_failed", "the model could not be computed", retryable=True)
        computed = self._rows([tokens[place] for place in fitting], self._batch_tokens)
        for place, logits in zip(fitting, computed, strict=True):
            answers[place] = failed if logits is None else self._verdict(logits)
        return answers, Spend(local_pairs=len(fitting))

    def logits(self, pairs: Sequence[RecordPair]) -> Array:
        """Return the raw logits of the relation, shape (pairs, 5), for calibration.

        Raises:
            ConfigurationError: the model cannot be loaded, or it failed.
        """
        return self._head("relation", self._tokens(pairs))

    def infer(self, texts: Sequence[tuple[str, str]]) -> Array:
        """Return how likely a text entails, leaves open or contradicts another, shape (pairs, 3).

        This is what the first stage taught, kept for comparison; verdicts do not rest on it. Where the
        two texts do not fit into the window the row is NaN.

        Raises:
            ConfigurationError: the model cannot be loaded, has no such head, or it failed.
        """
        if "inference" not in self._card.heads:
            raise ConfigurationError("this judge has no head for inference")
        tokens = encode(self._tokenizer, texts, [number_words(a, b) for a, b in texts])
        fitting = [place for place, pair in enumerate(tokens) if len(pair.ids) <= self._card.max_tokens]
        logits = self._head("inference", {row: tokens[place] for row, place in enumerate(fitting)})
        found = np.full((len(texts), logits.shape[1]), np.nan, dtype=np.float32)
        for place, row in zip(fitting, logits, strict=True):
            found[place] = _softmax(row)
        return found

    def _head(self, name: str, tokens: Mapping[int, PairTokens]) -> Array:
        """Return the raw logits of one head, pair by pair, so that they do not hang on each other."""
        before = list(self._card.heads).index(name)
        at = sum(len(labels) for labels in list(self._card.heads.values())[:before])
        width = len(self._card.heads[name])
        rows = self._rows([tokens[place] for place in range(len(tokens))], most=1)
        known = [row[at : at + width] for row in rows if row is not None]
        if len(known) < len(tokens):
            raise ConfigurationError("the model could not be computed")
        return np.stack(known) if known else np.zeros((0, width), dtype=np.float32)

    def _tokens(self, pairs: Sequence[RecordPair]) -> dict[int, PairTokens]:
        """Return the tokens of the pairs by place; those whose text is not valid Unicode lack."""
        readable = [place for place, pair in enumerate(pairs) if _is_text(pair)]
        texts = [(pairs[place].a.content, pairs[place].b.content) for place in readable]
        contexts = [context_words(pairs[place]) for place in readable]
        return dict(zip(readable, encode(self._tokenizer, texts, contexts), strict=True))

    def _rows(self, pairs: Sequence[PairTokens], most: int) -> list[Array | None]:
        """Return the logits of each pair, None where the model failed; a batch has up to ``most`` pieces."""
        if not pairs:
            return []
        compute = partial(self._logits, self._session)
        return self._cores.rows(compute, pairs, [len(pair.ids) for pair in pairs], most)

    def _logits(self, session: InferenceSession, pairs: Sequence[PairTokens]) -> Iterable[Array | None]:
        longest = max(len(pair.ids) for pair in pairs)
        ids = np.zeros((len(pairs), longest), dtype=np.int64)
        mask, segments = np.zeros_like(ids), np.zeros_like(ids)
        for row, pair in enumerate(pairs):
            count = len(pair.ids)
            ids[row, :count], segments[row, :count], mask[row, :count] = pair.ids, pair.segments, 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": segments}
        try:
            (logits,) = session.run(["logits"], feed)
        # The runtime's errors share no base class of their own, and a judge never raises for a pair.
        except Exception:  # noqa: BLE001
            return [None] * len(pairs)
        return np.asarray(logits, dtype=np.float32)

    def _verdict(self, logits: Array) -> Judgement:
        heads, at = {}, 0
        for head, labels in self._card.heads.items():
            scale = self._card.temperature if head == "relation" else 1.0
            heads[head] = dict(zip(labels, _softmax(logits[at : at + len(labels)] / scale), strict=True))
            at += len(labels)
        relations = heads["relation"]
        relation = Relation(_likeliest(relations))
        if not np.isfinite(relations[relation]):
            return self._unjudged("not_finite", "the model gave no number", retryable=False)
        is_update = relation is Relation.UPDATE
        return Verdict(
            relation=relation,
            confidence=relations[relation],
            judge=self.judge_id,
            current=_side(heads["current"]) if is_update else None,
            update_kind=UpdateKind(_likeliest(heads["update_kind"])) if is_update else None,
            stale_risk=_side(heads["stale_risk"]) if relation is Relation.COMPLEMENTARY else None,
            mutability=Mutability(_likeliest(heads["mutability"])),
            stakes=Stakes(_likeliest(heads["stakes"])),
            reason=_reason(relations),
            probabilities=relations,
        )

    def _unjudged(self, code: str, message: str, *, retryable: bool = False) -> Unjudged:
        return Unjudged(code, message, retryable=retryable, judge=self.judge_id)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        own = self._directory / "tokenizer.json"
        path = own if own.exists() else PACKAGED_TOKENIZER
        content = _checked(path, self._card.tokenizer_sha256)
        try:
            tokenizer = Tokenizer.from_buffer(content)
        # tokenizers raises plain exceptions.
        except Exception as error:
            raise ConfigurationError(f"{path} is not a tokenizer: {error}") from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _session(self) -> InferenceSession:
        import onnxruntime

        path = self._directory / "model.onnx"
        content = _checked(path, self._card.sha256)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        # The graph is written as it should run; further fusing made it slower.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        try:
            return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise ConfigurationError(f"{path} cannot be loaded: {error}") from error


def _checked(path: Path, digest: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error
    if sha256(content).hexdigest() != digest:
        raise ConfigurationError(f"{path} is not the file that judge.json speaks of; install it again")
    return content


def _is_text(pair: RecordPair) -> bool:
    try:
        (pair.a.content + pair.b.content).encode()
    except UnicodeEncodeError:
        return False
    return True


def _softmax(logits: Array) -> list[float]:
    raised = np.exp((logits - logits.max()).astype(np.float64))
    probabilities: list[Any] = (raised / raised.sum()).tolist()
    return probabilities


def _likeliest(probabilities: Mapping[str, float]) -> str:
    return max(probabilities, key=probabilities.__getitem__)


def _side(probabilities: Mapping[str, float]) -> Side | None:
    """Return the side that is likelier than not; None: neither is."""
    if probabilities["a"] >= _LEAST_RISK:
        return "a"
    return "b" if probabilities["b"] > _LEAST_RISK else None


def _reason(relations: Mapping[str, float]) -> str:
    first, second = sorted(relations.items(), key=lambda item: -item[1])[:2]
    return f"the local model reads {first[0]} ({first[1]:.2f}) rather than {second[0]} ({second[1]:.2f})"
