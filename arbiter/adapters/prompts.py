"""The prompt files: loading them, and the lock that keeps them as they are.

A prompt is ``<name>.v<number>.toml`` with ``purpose``, ``reply`` (the schema of the answer), ``system``,
``user`` and ``changes``. Once ``prompts.lock`` has its digest, it never changes again: verdicts, cached
answers and recordings name it. To change a prompt is to write the next version.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from string import Template

from arbiter.errors import ConfigurationError

LOCK_NAME = "prompts.lock"

_PACKAGE = Path(__file__).parents[1]
_PACKAGED = _PACKAGE / "_prompts"
_CHECKOUT = _PACKAGE.parent / "prompts"
_ID = re.compile(r"[a-z]+(?:_[a-z]+)*\.v[1-9][0-9]*")
_FIELDS = ("purpose", "reply", "system", "user", "changes")
_REPLIES = ("verdicts",)
_HOLE = "pairs"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One version of a prompt.

    ``digest`` is the SHA-256 of the file in hex, ``reply`` the name of the schema of its answers.
    """

    id: str
    digest: str
    reply: str
    system: str
    user: str

    def render(self, pairs: str) -> str:
        """Return the question about pairs, which are given as JSON."""
        return Template(self.user).substitute({_HOLE: pairs})


def prompts_folder() -> Path:
    """Return the folder of the prompts: the package's, or the checkout's where there is none."""
    return _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT


def load(prompt_id: str, folder: Path | None = None) -> Prompt:
    """Load a prompt, such as ``relation.v2``.

    Raises:
        ConfigurationError: there is no such prompt, it has faults, or it is not what was locked.
    """
    folder = folder or prompts_folder()
    if not _ID.fullmatch(prompt_id) or not (folder / f"{prompt_id}.toml").is_file():
        known = ", ".join(sorted(_digests(folder)))
        raise ConfigurationError(f"there is no prompt {prompt_id!r}; there are: {known}", field="prompt")
    prompt = _read(folder, prompt_id)
    locked = lock_entries(folder).get(prompt_id)
    if locked is None:
        raise ConfigurationError(f"the prompt {prompt_id} is not in {LOCK_NAME} yet", field="prompt")
    if locked != prompt.digest:
        raise ConfigurationError(
            f"the prompt {prompt_id} was changed after it was locked; make a new version", field="prompt"
        )
    return prompt


def lock_entries(folder: Path | None = None) -> dict[str, str]:
    """Return the digest of each locked prompt, by id.

    Raises:
        ConfigurationError: the lock cannot be read.
    """
    path = (folder or prompts_folder()) / LOCK_NAME
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error
    entries: dict[str, str] = {}
    for line in lines:
        if not re.fullmatch(rf"{_ID.pattern} [0-9a-f]{{64}}", line):
            raise ConfigurationError(f"{path} has a line that is not 'id digest': {line!r}")
        prompt_id, digest = line.split(" ")
        if prompt_id in entries:
            raise ConfigurationError(f"{path} has two lines for {prompt_id}")
        entries[prompt_id] = digest
    return entries


def check_lock(folder: Path | None = None) -> None:
    """See that the lock and the files agree, and that each file is a prompt.

    Raises:
        ConfigurationError: they do not; the message names every prompt that was changed, is missing or
            is not locked.
    """
    folder = folder or prompts_folder()
    locked, there = lock_entries(folder), _digests(folder)
    faults = [f"{prompt_id} was changed" for prompt_id in _changed(locked, there)]
    faults += [f"{prompt_id} is missing" for prompt_id in sorted(locked.keys() - there.keys())]
    faults += [f"{prompt_id} is not locked" for prompt_id in sorted(there.keys() - locked.keys())]
    if faults:
        raise ConfigurationError(f"{LOCK_NAME}: {'; '.join(faults)}")
    for prompt_id in there:
        _read(folder, prompt_id)


def add_new_to_lock(folder: Path | None = None) -> tuple[str, ...]:
    """Lock the prompts that are not locked yet, and return their ids.

    Raises:
        ConfigurationError: a locked prompt was changed, or a new one has faults; nothing is written.
    """
    folder = folder or prompts_folder()
    locked, there = lock_entries(folder), _digests(folder)
    if changed := _changed(locked, there):
        raise ConfigurationError(f"{LOCK_NAME}: {', '.join(changed)} was changed; make a new version")
    new = tuple(sorted(there.keys() - locked.keys()))
    entries = locked | {prompt_id: _read(folder, prompt_id).digest for prompt_id in new}
    text = "".join(f"{prompt_id} {entries[prompt_id]}\n" for prompt_id in sorted(entries))
    (folder / LOCK_NAME).write_text(text, encoding="utf-8", newline="\n")
    return new


def _changed(locked: dict[str, str], there: dict[str, str]) -> list[str]:
    return sorted(i for i in locked.keys() & there.keys() if locked[i] != there[i])


def _digests(folder: Path) -> dict[str, str]:
    """Return the digest of each prompt file, by id."""
    paths = [path for path in folder.glob("*.toml") if _ID.fullmatch(path.stem)]
    return {path.stem: _digest(_text(path)) for path in paths}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}", field="prompt") from error


def _digest(text: str) -> str:
    """Digest the text, not the bytes: a checkout with other line ends holds the same prompt."""
    return hashlib.sha256(text.encode()).hexdigest()


def _read(folder: Path, prompt_id: str) -> Prompt:
    """Read a prompt file and check its form."""
    path = folder / f"{prompt_id}.toml"
    text = _text(path)
    try:
        fields = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path} is not TOML: {error}", field="prompt") from error
    if set(fields) != set(_FIELDS) or not all(isinstance(fields[name], str) for name in _FIELDS):
        raise ConfigurationError(f"{path} must have exactly the texts {', '.join(_FIELDS)}", field="prompt")
    if fields["reply"] not in _REPLIES:
        raise ConfigurationError(f"{path}: reply must be one of {', '.join(_REPLIES)}", field="prompt")
    template = Template(fields["user"])
    if not template.is_valid() or template.get_identifiers() != [_HOLE]:
        raise ConfigurationError(f"{path}: user must have one hole, ${_HOLE}", field="prompt")
    return Prompt(prompt_id, _digest(text), fields["reply"], fields["system"], fields["user"])
