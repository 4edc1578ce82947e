"""Classes of operations that an analysis asks for ahead of a ``match`` are those of the ``match``: it would pass over others."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ttl.diag
from support.syntax_trees import nodes, python_files
from ttl.analysis.events import program
from ttl.check import states
from ttl.dialects import ttl as dialect

SOURCE = Path(ttl.diag.__file__).parent.parent
TABLES: dict[str, tuple[Any, Any]] = {
    "events": (program._Steps._of, program._NOTICED),
    "states": (states.BlockStates.action, states._LOOKED_AT),
}


def matched(match: ast.Match) -> set[str]:
    return {
        ast.unparse(pattern.cls)
        for case in match.cases
        for pattern in ast.walk(case.pattern)
        if isinstance(pattern, ast.MatchClass)
    }


def loops() -> Iterator[tuple[str, set[str], set[str]]]:
    """Each ``for op in of_kinds(region, A, B): match op``: where it is, what it asks for, what it matches."""
    for folder in ("check", "analysis", "passes"):
        for path in python_files(SOURCE / folder):
            named = {
                node.targets[0].id: node.value
                for node in nodes(path)
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
            }
            for node in nodes(path):
                match node:
                    case ast.For(
                        iter=ast.Call(func=ast.Name("of_kinds"), args=[_, *kinds]),
                        body=[ast.Match() as body, *_],
                    ):
                        asked: set[str] = set()
                        for kind in kinds:
                            table = (
                                named[kind.value.id] if isinstance(kind, ast.Starred) else ast.Tuple([kind])
                            )  # type: ignore[attr-defined]
                            asked |= {ast.unparse(item) for item in table.elts}  # type: ignore[attr-defined]
                        yield f"{path.name}:{node.lineno}", asked, matched(body)


def test_loops_over_classes_match_all_of_them() -> None:
    everywhere = list(loops())
    assert len(everywhere) >= 4
    assert [(place, asked ^ known) for place, asked, known in everywhere if asked != known] == []


@pytest.mark.parametrize("name", TABLES)
def test_a_table_ahead_has_the_classes_that_are_matched(name: str) -> None:
    function, table = TABLES[name]
    (statement,) = (
        node
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function))))
        if isinstance(node, ast.Match) and ast.unparse(node.subject) == "op"
    )
    classes = {getattr(dialect, known.removeprefix("dialect.")) for known in matched(statement)}
    assert classes == set(table._classes)
