"""What scripts and benchmarks import of our packages is there: nobody runs most of them in a test."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from support.syntax_trees import nodes, tree

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("ttl", "ttl_start", "tt_model", "ttmlir", "ttrt", "tt_adapter", "tt_explorer")
FILES = sorted([*(ROOT / "scripts").glob("*.py"), *(ROOT / "benchmarks").rglob("*.py")])


def defined(module: Path) -> set[str]:
    """The names that a module has: what its statements bind, wherever they stand."""
    names: set[str] = set()
    for node in ast.walk(tree(module)):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                names |= {(alias.asname or alias.name).partition(".")[0] for alias in aliases}
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.Constant(value=str(name)) if (
                name.isidentifier()
            ):  # of modules that list or make their names
                names.add(name)
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imported_names_are_there(path: Path) -> None:
    missing = []
    for node in nodes(path):
        if not isinstance(node, ast.ImportFrom) or node.level or node.module is None:
            continue
        if node.module.partition(".")[0] not in PACKAGES:
            continue
        place = ROOT / "src" / Path(*node.module.split("."))
        package = place / "__init__.py"
        module = package if package.is_file() else place.with_suffix(".py")
        if not module.is_file():
            missing.append(node.module)
            continue
        names = defined(module)
        missing += [
            f"{node.module}.{alias.name}"
            for alias in node.names
            if alias.name not in names
            and not (place / alias.name).is_dir()
            and not (place / f"{alias.name}.py").is_file()
            and not list(module.parent.glob(f"{alias.name}.*.so"))
        ]
    assert missing == []
