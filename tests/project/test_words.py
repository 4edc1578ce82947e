"""Names of the package: a variable says what it holds, a class name is that of one class."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import tt_model
import ttl.diag
import ttmlir
from support.syntax_trees import nodes, python_files

SOURCE = Path(ttl.diag.__file__).parent.parent
PACKAGES = (SOURCE, Path(tt_model.__file__).parent, Path(ttmlir.__file__).parent)
# Names that say how a value came about and not what it is. A field of a record may be one: "where it is made".
SAYING_NOTHING = {"each", "found", "made"}
# Two dialects may have an operation and a type of the same name, each in its namespace; programs import the others: from
# ``ttl.emu``, which runs kernels written by hand, and from ``ttl`` (``Program`` is an older spelling).
IN_SEVERAL = {"KernelOp", "SemaphoreType", "Kernel", "Program", "Semaphore"}


# Names that MLIR's Python bindings give: what they are of is said by the module they are imported from.
BINDINGS = "bindings"


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_a_variable_says_what_it_holds(package: Path) -> None:
    wrong = [
        f"{path.relative_to(package)}:{line} {name}"
        for path in python_files(package)
        for name, line in _variables(path)
        if name in SAYING_NOTHING
    ]
    assert wrong == []


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_a_class_name_occurs_once(package: Path) -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in python_files(package):
        if path.relative_to(package).parts[0] == BINDINGS:
            continue
        for node in nodes(path):
            if isinstance(node, ast.ClassDef) and node.name not in IN_SEVERAL:
                places[node.name].append(f"{path.relative_to(package)}:{node.lineno}")
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def _variables(path: Path) -> Iterator[tuple[str, int]]:
    fields = {
        id(statement.target)
        for node in nodes(path)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
    }
    for node in nodes(path):
        match node:
            case ast.Name(id=name, ctx=ast.Store(), lineno=line) if id(node) not in fields:
                yield name, line
            case ast.MatchAs(name=str(name), lineno=line) | ast.MatchStar(name=str(name), lineno=line):
                yield name, line
