"""Python's parser is used in one place, where no garbage collection comes in between."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from ttl.source.parsing import parse, parse_expression

SOURCES = Path(__file__).parent.parent.parent / "src"
TEXT = "x = [1, 2, (3, 4)]\n" * 200


@pytest.fixture
def _parsed_by_the_collector() -> Iterator[None]:
    """While garbage is looked for, something else parses, at another depth of calls."""
    active = False

    def deep(calls: int) -> object:
        return deep(calls - 1) if calls else ast.parse("1")

    def callback(phase: str, info: object) -> None:
        nonlocal active
        if not active:
            active = True
            deep(6)
            active = False

    before = gc.get_threshold()
    gc.callbacks.append(callback)
    gc.set_threshold(50)
    yield
    gc.set_threshold(*before)
    gc.callbacks.remove(callback)


@pytest.mark.usefixtures("_parsed_by_the_collector")
def test_a_finalizer_that_parses_changes_nothing() -> None:
    assert ast.dump(parse(TEXT)) == ast.dump(parse(TEXT.encode()))
    assert gc.isenabled()
    with pytest.raises(SyntaxError):
        parse("x = (")
    assert gc.isenabled()


def test_expressions() -> None:
    assert ast.unparse(parse_expression("a + b  # a comment")) == "a + b"
    with pytest.raises(SyntaxError):
        parse_expression("a = b")


def test_nothing_else_parses() -> None:
    using = {
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "ast.parse"
    }
    assert using == {"ttl/source/parsing.py"}
