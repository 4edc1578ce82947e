"""What an operation is, its class says: nobody decides by its name, but where there is no class.

A decision is a comparison of ``.name`` or ``.mnemonic`` with the name of an operation (``"arith.addi"``), with a constant that has such
names, or of the name of a call of the kernel API (``op.call.name``) with anything; and a ``match`` over such names.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import ttl
from support.syntax_trees import nodes, python_files

SOURCES = Path(ttl.__file__).parent.parent
ROOMS = ("ttl", "tt_model", "ttmlir", "ttrt")
_NAME = re.compile(r"[a-z_]+\.[a-zA-Z_0-9]+")

# The decisions that are left, by file: how many, and why.
LEFT = {
    "ttl/dialects/kernel/declarations.py": (
        1,
        "the class of programs is made of the operations that ask for it",
    ),
    "ttl/emitc/syntax.py": (1, "the parser of emitc, which the classes of emitc are made with"),
    "ttmlir/jax/partitioning.py": (
        1,
        "a module of jaxlib, which has a class for it only where Shardy is loaded",
    ),
}


def _texts(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value


def _constants() -> set[str]:
    """The names of constants of modules that have names of operations."""
    return {
        target.id
        for room in ROOMS
        for path in python_files(SOURCES / room)
        for node in nodes(path)
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
        and target.id.isupper()
        and any(map(_NAME.fullmatch, _texts(node.value)))
    }


def _asked(node: ast.AST) -> ast.Attribute | None:
    """Where a name is asked for."""
    return next(
        (
            one
            for one in ast.walk(node)
            if isinstance(one, ast.Attribute) and one.attr in ("name", "mnemonic")
        ),
        None,
    )


def _decides(node: ast.AST, constants: set[str]) -> bool:
    match node:
        case ast.Compare():
            sides = [node.left, *node.comparators]
            asked = next((one for side in sides if (one := _asked(side)) is not None), None)
            others = [side for side in sides if _asked(side) is None]
        case ast.Match():
            asked, others = _asked(node.subject), [case.pattern for case in node.cases]
        case _:
            return False
    if asked is None:
        return False
    if isinstance(asked.value, ast.Attribute) and asked.value.attr == "call":
        return True
    if asked.attr == "mnemonic" and any(text for side in others for text in _texts(side)):
        return True
    return any(
        any(map(_NAME.fullmatch, _texts(side)))
        or any(isinstance(one, ast.Name) and one.id in constants for one in ast.walk(side))
        for side in others
    )


@pytest.fixture(scope="module")
def decisions() -> Counter[str]:
    """How many there are in each file."""
    constants = _constants()
    return Counter(
        path.relative_to(SOURCES).as_posix()
        for room in ROOMS
        for path in python_files(SOURCES / room)
        for node in nodes(path)
        if _decides(node, constants)
    )


def test_operations_are_asked_by_their_classes(decisions: Counter[str]) -> None:
    assert decisions == {path: count for path, (count, _) in LEFT.items()}


def test_five_decisions_are_left_at_the_most(decisions: Counter[str]) -> None:
    assert sum(decisions.values()) <= 5


@pytest.mark.parametrize(
    "code",
    [
        'op.name == "arith.addi"',
        'op.mnemonic in ("add", "sub")',
        "op.call.name == ARRIVED",
        "op.name in KINDS",
    ],
)
def test_what_a_decision_is(code: str) -> None:
    (statement,) = ast.parse(code).body
    assert isinstance(statement, ast.Expr)
    assert _decides(statement.value, {"KINDS"})
    assert not _decides(ast.parse('kind.name == "add"', mode="eval").body, set())
