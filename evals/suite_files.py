"""The suites by name: what each holds, where it lies, and its pairs ready to be asked about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from arbiter.domain.vocabulary import Action
from arbiter.errors import ConfigurationError
from evals.cases import PairCase

if TYPE_CHECKING:
    from arbiter.domain.policy import Policy
    from evals.pair_rows import LabelledPair

FOLDER = Path(__file__).parent / "suites"

Kind: TypeAlias = Literal["pairs", "streams", "retrieval", "field_cases"]


@dataclass(frozen=True, slots=True)
class Suite:
    """One suite: its name, what kind of cases it holds, and the files that they are made of."""

    name: str
    kind: Kind
    files: tuple[str, ...]

    @property
    def paths(self) -> tuple[Path, ...]:
        """Where its files lie."""
        return tuple(FOLDER / name for name in self.files)


SUITES = {
    suite.name: suite
    for suite in (
        Suite("gold_dev", "pairs", ("gold_dev.jsonl",)),
        Suite("vault_bench", "pairs", ("vault_bench.jsonl",)),
        Suite("vault_bench_core", "pairs", ("vault_bench_core.jsonl",)),
        Suite("contrast", "pairs", ("contrast.jsonl",)),
        Suite("negation", "pairs", ("negation.jsonl",)),
        Suite("numbers", "pairs", ("numbers.jsonl",)),
        Suite("quantifiers", "pairs", ("quantifiers.jsonl",)),
        Suite("stream_pairs", "pairs", ("streams_dev.jsonl",)),
        Suite("streams_dev", "streams", ("streams_dev.jsonl",)),
        Suite(
            "field_cases",
            "field_cases",
            ("field_cases.jsonl", "field_cases_keys.toml", "field_cases_aliases.toml"),
        ),
        Suite("retrieval", "retrieval", ("streams_dev.jsonl", "gold_dev.jsonl", "contrast.jsonl")),
    )
}


def suite(name: str) -> Suite:
    """Return a suite.

    Raises:
        ConfigurationError: there is no suite of that name.
    """
    if name not in SUITES:
        raise ConfigurationError(f"no suite is called {name!r}; there are {', '.join(SUITES)}")
    return SUITES[name]


def suite_digest(name_or_path: str | Path) -> str:
    """Return the SHA-256 of a suite's files, or of a file of one's own, in hex.

    Raises:
        ConfigurationError: there is no such suite or file.
    """
    paths = suite(str(name_or_path)).paths if str(name_or_path) in SUITES else (Path(name_or_path),)
    whole = sha256()
    for path in paths:
        try:
            # Line ends are a matter of the checkout.
            content = path.read_bytes().replace(b"\r\n", b"\n")
        except OSError as error:
            raise ConfigurationError(f"{path} cannot be read: {error}") from error
        whole.update(sha256(content).digest())
    return whole.hexdigest()


def load_pairs(name_or_path: str | Path, policy: Policy | None = None) -> tuple[PairCase, ...]:
    """Return the cases of a suite of pairs, or of a file of labelled pairs.

    Args:
        name_or_path: the name of a suite, or a file in one of the formats of ``evals.pair_rows``.
        policy: what makes an action of each right label; by default the packaged policy.

    Raises:
        ConfigurationError: there is no such suite or file, it holds no pairs, or a line is at fault.
    """
    name = str(name_or_path)
    if name in SUITES:
        found = suite(name)
        if found.kind != "pairs":
            raise ConfigurationError(f"{name} holds {found.kind}, no pairs")
        (path,) = found.paths
    else:
        path = Path(name_or_path)
        if not path.is_file():
            raise ConfigurationError(f"{name} is no file and no suite; suites are {', '.join(SUITES)}")
    if name == "stream_pairs":
        from evals.streams import labelled_pairs

        return as_cases(labelled_pairs(path), policy)
    from evals.pair_rows import read_pairs

    return as_cases(read_pairs(path), policy)


def as_cases(rows: Iterable[LabelledPair], policy: Policy | None = None) -> tuple[PairCase, ...]:
    """Return labelled pairs as cases, with what the policy makes of their labels.

    Raises:
        ConfigurationError: two rows have one id.
    """
    from arbiter.adapters.claim_keys import ClaimKeyRegistry
    from arbiter.adapters.policy_file import load_policy
    from evals.solve import decided

    chosen = policy or load_policy()
    keys = ClaimKeyRegistry.load()
    cases: dict[str, PairCase] = {}
    for row in rows:
        if row.id in cases:
            raise ConfigurationError(f"two pairs have the id {row.id!r}")
        example = row.example
        case = PairCase(
            id=row.id,
            pair=example.pair,
            relation=example.relation,
            group=row.group,
            action=Action.KEEP_BOTH,
            current=example.current,
            update_kind=example.update_kind,
            stale_risk=example.stale_risk,
            mutability=example.mutability,
            stakes=example.stakes,
            phenomenon=example.phenomenon,
        )
        cases[row.id] = decided(case, chosen, keys)
    return tuple(cases.values())
