"""Any other embedding model, through sentence-transformers; needs the ``models`` extra."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from arbiter.adapters.text_windows import text_vectors, windows
from arbiter.errors import ConfigurationError, EmbeddingError, MissingExtraError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

    from arbiter.ports import Vectors

# A window that is cut out of a text may come out a few word pieces longer when it is read by itself.
_SPARE_TOKENS = 8


class SentenceTransformerEmbedder:
    """Embeds texts with a model that sentence-transformers loads, at the first use, by name or folder.

    Texts longer than the model reads are embedded in windows, where its tokenizer can tell them.

    Args:
        model_name: a name on the model hub, or a folder.
        batch_size: windows computed at once.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        ConfigurationError: at the first use, the model does not load.
    """

    def __init__(self, model_name: str, *, batch_size: int = 32) -> None:
        if find_spec("sentence_transformers") is None:
            raise MissingExtraError(
                f"the embedding model {model_name} needs sentence-transformers: pip install 'arbiter[models]'"
            )
        self._name = model_name
        self._batch_size = batch_size

    @cached_property
    def model_id(self) -> str:
        """The name it was given and the first twelve hex digits of the SHA-256 of the weights."""
        import torch

        digest = sha256()
        for name, tensor in sorted(self._model.state_dict().items()):
            digest.update(name.encode())
            digest.update(tensor.cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
        return f"{self._name}@{digest.hexdigest()[:12]}"

    @cached_property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return int(self._encode(["dimension"]).shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a text: float32, shape (texts, dimension), rows of length 1.

        Raises:
            EmbeddingError: a text is not valid Unicode, or the model failed.
            ConfigurationError: the model cannot be loaded.
        """
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        pieces = [
            (text, piece, tokens)
            for text, content in enumerate(texts)
            for piece, tokens in self._pieces(content)
        ]
        vectors = self._encode([piece for _, piece, _ in pieces])
        return text_vectors(
            vectors,
            [text for text, _, _ in pieces],
            [tokens for _, _, tokens in pieces],
            count=len(texts),
        )

    def _pieces(self, text: str) -> list[tuple[str, int]]:
        """Cut a text into windows that the model reads whole; return each with its count of tokens."""
        tokenizer, longest = self._model.tokenizer, self._model.max_seq_length
        # A character is four tokens at most: its bytes.
        if not longest or 4 * len(text) <= longest or not getattr(tokenizer, "is_fast", False):
            return [(text, 1)]
        with self._failures():
            tokens = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        spans = tokens["offset_mapping"]
        cuts = windows(len(spans), longest - _SPARE_TOKENS)
        if len(cuts) == 1:
            return [(text, 1)]
        return [(text[spans[start][0] : spans[end - 1][1]], end - start) for start, end in cuts]

    def _encode(self, texts: Sequence[str]) -> Vectors:
        with self._failures():
            vectors = self._model.encode(
                list(texts), batch_size=self._batch_size, normalize_embeddings=True, show_progress_bar=False
            )
        return np.asarray(vectors, dtype=np.float32)

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Translate what tokenizers and torch raise."""
        try:
            yield
        except (IndexError, RuntimeError, TypeError, ValueError) as error:
            raise EmbeddingError(f"the embedding model {self._name} failed: {error}") from error

    @cached_property
    def _model(self) -> SentenceTransformer:
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(self._name)
        except (ImportError, OSError, RuntimeError, ValueError) as error:
            raise ConfigurationError(f"the embedding model {self._name} cannot be loaded: {error}") from error
