"""Facts that have nothing to do with the pairs to be found, but are written as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import TYPE_CHECKING

from evals.pair_rows import read_pairs
from evals.suite_files import FOLDER

if TYPE_CHECKING:
    from arbiter.domain.facts import Record

STATEMENTS = FOLDER / "contrast.jsonl"

_DIGITS = re.compile(r"\d+")
_GIVEN = (
    "Abebe Adaeze Aiko Alejandra Amrit Anneke Arman Bahar Bogdan Carmela Chen Dagny Darius Edda Elif Enzo "
    "Gintaras Hamza Ilse Imani Isandro Jelena Jorge Kamala Kerstin Laszlo Leilani Lwazi Maeve Malik Mirela "
    "Nadeem Niamh Oksana Oluwaseun Pilar Quentin Rashid Rosalind Sanna Sefa Tadeusz Thandiwe Umut Vesna "
    "Farida Wiremu Xiomara Yaw Zainab"
).split()
_FAMILY = (
    "Abdi Almeida Andersson Banerjee Bekele Castellanos Chukwu Dimitrov Dubois Eriksen Farouk Fontaine Gupta "
    "Haddad Hoang Ibarra Ivanova Jansen Kaplan Kimura Kowalczyk Lindqvist Lombardi Mahlangu Markovic Mbeki "
    "Moreau Nakagawa Nguyen Novak Obi Ortega Pereira Petrov Quiroga Rahman Rossi Salonen Sato Sharma Silva "
    "Tanaka Tesfaye Usman Vargas Weiss Yilmaz Zhang Zielinski"
).split()


def distractors(count: int, seed: int = 1) -> Iterator[Record]:
    """Yield different facts about other people, always the same for a seed.

    Each is a statement of the contrast sets with other digits, said of a subject of its own. So they are
    like the facts of a store in style and topics, and none is a duplicate, update or contradiction of a
    pair that is looked for.
    """
    statements = sorted(
        {
            side.content: side
            for pair in read_pairs(STATEMENTS)
            for side in (pair.example.pair.a, pair.example.pair.b)
        }.items()
    )
    draw = Random(seed)
    seen: set[str] = set()
    while len(seen) < count:
        text, record = draw.choice(statements)
        name = f"{draw.choice(_GIVEN)} {draw.choice(_FAMILY)}"
        content = f"{name}: {_DIGITS.sub(lambda found: _like(found[0], draw), text)}"
        if content in seen:
            continue
        seen.add(content)
        moved = record.observed_at - timedelta(minutes=draw.randrange(500_000))
        yield replace(record, content=content, subject=name, observed_at=moved)


def _like(digits: str, draw: Random) -> str:
    """Return another number with as many digits."""
    return "".join(str(draw.randint(1, 9)) for _ in digits)
