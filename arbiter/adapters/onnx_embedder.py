"""The packaged embedder: all-MiniLM-L6-v2 in int8 on onnxruntime; no torch, no hub."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from arbiter.adapters.text_windows import text_vectors, windows
from arbiter.domain.token_batches import MOST_TOKENS
from arbiter.errors import ConfigurationError, EmbeddingError
from arbiter.judges.side_by_side import SideBySide

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    from arbiter.ports import Vectors

PACKAGED = Path(__file__).parents[1] / "assets" / "embedding"
_MARKS = 2


class OnnxEmbedder:
    """Embeds texts with a model that ``build_embedding`` made.

    The model is read from disk at the first text. A text over ``max_tokens`` is read in windows. Texts
    of like length are computed together, since padding costs as much as words; which ones they are
    makes no difference to a vector.

    Args:
        directory: where ``model.onnx``, ``tokenizer.json`` and ``model.json`` lie.
        threads: batches computed at once; 0: as many as there are cores.
        max_tokens: longest window in tokens, between 3 and 512.
        batch_tokens: tokens computed at once, padding included.

    Raises:
        ConfigurationError: ``model.json`` is missing or makes no sense; later, at the first text, the
            model does not load or is not the file that ``model.json`` speaks of.
    """

    def __init__(
        self,
        directory: Path = PACKAGED,
        *,
        threads: int = 0,
        max_tokens: int = 256,
        batch_tokens: int = MOST_TOKENS,
    ) -> None:
        self._directory = directory
        self._cores = SideBySide(threads)
        self._window = max_tokens - _MARKS
        self._batch_tokens = batch_tokens
        about = directory / "model.json"
        try:
            card = json.loads(about.read_text(encoding="utf-8"))
            self._digest = str(card["sha256"])
            self._model_id = f"{card['id']}@{self._digest[:12]}"
            self._dimension = int(card["dimension"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigurationError(f"{about} does not describe an embedding model: {error}") from error

    @property
    def model_id(self) -> str:
        """Name of the model and the first twelve hex digits of the SHA-256 of its file."""
        return self._model_id

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text: float32, shape (texts, dimension), rows of length 1.

        Characters that the model has no word piece for count as unknown, all alike.

        Raises:
            EmbeddingError: a text is not valid Unicode, or the model failed.
            ConfigurationError: the model cannot be loaded.
        """
        if not texts:
            return np.zeros((0, self._dimension), dtype=np.float32)
        tokens = self._tokens(texts)
        cuts = [
            (text, ids[start:end])
            for text, ids in enumerate(tokens)
            for start, end in windows(len(ids), self._window)
        ]
        pieces = [piece for _, piece in cuts]
        lengths = [len(piece) for piece in pieces]
        compute = partial(self._vectors, self._session)
        marked = [count + _MARKS for count in lengths]
        vectors = np.stack(self._cores.rows(compute, pieces, marked, self._batch_tokens))
        return text_vectors(vectors, [text for text, _ in cuts], lengths, count=len(texts))

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        try:
            encodings = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        except (TypeError, UnicodeError) as error:
            raise EmbeddingError("a text is not valid Unicode") from error
        return [encoding.ids for encoding in encodings]

    def _vectors(self, session: InferenceSession, pieces: Sequence[Sequence[int]]) -> Vectors:
        opening, closing = self._marks
        longest = max(map(len, pieces)) + len(self._marks)
        ids = np.zeros((len(pieces), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, piece in enumerate(pieces):
            marked = [opening, *piece, closing]
            ids[row, : len(marked)] = marked
            mask[row, : len(marked)] = 1
        try:
            (vectors,) = session.run(["vectors"], {"input_ids": ids, "attention_mask": mask})
        # The runtime's errors share no base class of their own.
        except Exception as error:
            raise EmbeddingError(f"the embedding model failed: {error}") from error
        return np.asarray(vectors, dtype=np.float32)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        path = self._directory / "tokenizer.json"
        try:
            tokenizer = Tokenizer.from_file(str(path))
        # tokenizers raises plain exceptions.
        except Exception as error:
            raise ConfigurationError(f"{path} is not a tokenizer: {error}") from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _marks(self) -> tuple[int, int]:
        """The ids of [CLS] and [SEP], which stand around every window."""
        opening, closing = self._tokenizer.encode("").ids
        return opening, closing

    @cached_property
    def _session(self) -> InferenceSession:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        # The graph is written as it should run; further fusing made it slower.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        content = self._content()
        try:
            return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        # The runtime's errors share no base class of their own.
        except Exception as error:
            raise ConfigurationError(f"{self._directory} holds no model that loads: {error}") from error

    def _content(self) -> bytes:
        path = self._directory / "model.onnx"
        try:
            content = path.read_bytes()
        except OSError as error:
            raise ConfigurationError(f"{path} cannot be read: {error}") from error
        if sha256(content).hexdigest() != self._digest:
            raise ConfigurationError(f"{path} is not the file that model.json speaks of; install it again")
        return content
