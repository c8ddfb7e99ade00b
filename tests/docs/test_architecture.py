"""Rules that a reviewer would otherwise say twice, held against the files themselves."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import arbiter
from arbiter.settings import Settings

ROOT = Path(__file__).parents[2]
CEILING = 300
MODULES = sorted(path for folder in ("arbiter", "evals", "tests") for path in (ROOT / folder).rglob("*.py"))
_CORE_NAMES = {"domain", "errors", "pipeline", "ports"}
CORE = [
    path
    for path in MODULES
    if path.is_relative_to(ROOT / "arbiter")
    and path.relative_to(ROOT / "arbiter").parts[0].removesuffix(".py") in _CORE_NAMES
]
NAMELESS = {"common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}
UNFINISHED = ("TO" + "DO", "FIX" + "ME")
# The core neither reaches out nor rolls dice: what it needs of that comes through a port.
OUTWARD = {"http", "os", "random", "secrets", "socket", "sqlite3", "subprocess", "urllib"}

PUBLIC = [
    "Arbiter",
    "ArbiterError",
    "Fact",
    "Mutability",
    "Outcome",
    "Receipt",
    "Record",
    "Relation",
    "RulingKind",
    "Settings",
    "Source",
    "SourceKind",
    "Stakes",
    "State",
    "Unjudged",
    "Verdict",
]


def named(path: Path) -> str:
    """Return the path as it is written in the project."""
    return str(path.relative_to(ROOT))


def tree(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def runtime_imports(node: ast.AST) -> Iterator[str]:
    """Yield the modules imported when the code runs, which leaves out those for the type checker."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        for alternative in node.orelse:
            yield from runtime_imports(alternative)
    elif isinstance(node, ast.Import):
        yield from (name.name for name in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield node.module or "."
    else:
        for child in ast.iter_child_nodes(node):
            yield from runtime_imports(child)


def undocumented(node: ast.Module | ast.ClassDef) -> Iterator[str]:
    """Yield the public classes and functions without a docstring, overloads aside."""
    for child in node.body:
        if not isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if child.name.startswith("_") or any(
            "overload" in ast.unparse(mark) for mark in child.decorator_list
        ):
            continue
        if not ast.get_docstring(child):
            yield child.name
        if isinstance(child, ast.ClassDef):
            yield from undocumented(child)


def test_the_files_are_found() -> None:
    """The rules below are held against the project, not against an empty list."""
    assert {"arbiter/settings.py", "evals/__main__.py", "tests/conftest.py"} <= set(map(named, MODULES))
    assert {"arbiter/errors.py", "arbiter/domain/settle.py"} <= set(map(named, CORE))


def test_no_file_is_too_long() -> None:
    """A file is read in one go."""
    lines = {named(path): path.read_text(encoding="utf-8").count("\n") for path in MODULES}
    assert {name: count for name, count in lines.items() if count > CEILING} == {}


def test_every_module_has_a_subject() -> None:
    """A module is named after what it is about."""
    assert [
        named(path) for path in MODULES if NAMELESS & set(path.relative_to(ROOT).with_suffix("").parts)
    ] == []


def test_nothing_is_left_for_later() -> None:
    """Open work stands in the issues, not in the code."""
    texts = {named(path): path.read_text(encoding="utf-8") for path in MODULES}
    assert [(name, mark) for name, text in texts.items() for mark in UNFINISHED if mark in text] == []


def test_everything_public_is_documented() -> None:
    """Every module, public class, public function and test says what it is for."""
    trees = {named(path): tree(path) for path in MODULES}
    assert [name for name, module in trees.items() if module.body and not ast.get_docstring(module)] == []
    assert [(name, bare) for name, module in trees.items() for bare in undocumented(module)] == []


def test_the_core_imports_the_standard_library_only() -> None:
    """The import contracts name what the core may not import; this names what it may."""
    allowed = sys.stdlib_module_names - OUTWARD
    inside = tuple(f"arbiter.{name}" for name in _CORE_NAMES)
    assert [
        (named(path), module)
        for path in CORE
        for module in runtime_imports(tree(path))
        if not module.startswith(inside) and module.partition(".")[0] not in allowed
    ] == []


def test_runtime_imports_are_told_from_typing_imports() -> None:
    """The reader of imports sees into functions and alternatives, and past TYPE_CHECKING."""
    source = """
import json
if TYPE_CHECKING:
    import numpy
else:
    import array
def load():
    import faiss.contrib
    try:
        from spacy import load
    except ImportError:
        pass
"""
    assert set(runtime_imports(ast.parse(source))) == {"json", "array", "faiss.contrib", "spacy"}


def test_every_setting_is_used() -> None:
    """A setting that nothing reads is a promise that nobody keeps."""
    read = {
        name
        for path in MODULES
        if path.is_relative_to(ROOT / "arbiter")
        for name in re.findall(r"\bsettings\.(\w+)", path.read_text(encoding="utf-8"))
    }
    assert set(Settings.model_fields) - {"config"} - read == set()


def test_the_public_names_are_exact() -> None:
    """``arbiter`` exports what it promises, and each name leads to something documented."""
    assert arbiter.__all__ == PUBLIC
    assert [name for name in PUBLIC if not getattr(arbiter, name).__doc__] == []


def test_other_names_are_refused() -> None:
    """A name that is not exported fails like in any module."""
    with pytest.raises(AttributeError, match="has no attribute 'Arbitre'"):
        _ = arbiter.Arbitre
