"""A network of random weights that trains in a blink, and pairs to train it on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch  # noqa: TID253
from tokenizers import Tokenizer
from transformers import BertConfig, MPNetConfig, MPNetModel  # noqa: TID253

from arbiter.judges.local import PACKAGED_TOKENIZER
from arbiter.judges.pair_tokens import SEGMENTS
from arbiter.training.model import JudgeNetwork, bert_network

# Threads of a computation this small only wait for one another.
torch.set_num_threads(1)

LABELS = ("duplicate", "update", "contradiction", "complementary", "unrelated")


def network(seed: int = 0) -> JudgeNetwork:
    """Return a network of two layers and 48 hidden values with the packaged vocabulary."""
    torch.manual_seed(seed)
    return bert_network(
        BertConfig(
            vocab_size=tokenizer().get_vocab_size(),
            hidden_size=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=96,
            type_vocab_size=SEGMENTS,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
    )


def mpnet(folder: Path) -> Path:
    """Write an MPNet of random weights with the packaged vocabulary, and return its folder."""
    torch.manual_seed(0)
    config = MPNetConfig(
        vocab_size=tokenizer().get_vocab_size(),
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=96,
    )
    MPNetModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


def tokenizer() -> Tokenizer:
    """Return the packaged tokenizer, which neither cuts nor pads."""
    found = Tokenizer.from_file(str(PACKAGED_TOKENIZER))
    found.no_truncation()
    found.no_padding()
    return found


def row(a: str, b: str, label: str, **fields: Any) -> dict[str, Any]:
    """Return one labelled pair as a file has it, said by a user nine days apart."""
    return {
        "a": {"content": a, "observed_at": "2026-03-01T09:00:00Z", "source": "user_stated"},
        "b": {"content": b, "observed_at": "2026-03-10T09:00:00Z", "source": "third_party"},
        "label": label,
        "current": "b" if label == "update" else None,
        "update_kind": "state_change" if label == "update" else None,
        "mutability": "mutable",
        "stakes": "normal",
        **fields,
    }


def contrast_rows(anchors: int) -> list[dict[str, Any]]:
    """Return complete contrast sets: for each anchor a pair of every label."""
    return [
        row(f"Person {anchor} lives in town {anchor}.", f"Case {anchor} of a {label}.", label)
        for anchor in range(anchors)
        for label in LABELS
    ]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write rows as JSON Lines and return the path."""
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path
