"""The sources of our packages, each file parsed once for all tests of a process."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def python_files(folder: Path) -> tuple[Path, ...]:
    """Every Python file below a folder, sorted."""
    return tuple(sorted(folder.rglob("*.py")))


@cache
def tree(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file, the outer ones first."""
    return tuple(ast.walk(tree(path)))
