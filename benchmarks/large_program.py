"""A file of 2,000 lines with 40 operations, made of the examples: what somebody edits who keeps all kernels in one file.

Each example gives its operations and what calls them, without what it prints and compares, under names of its own. What
is left of the 40 are examples once more, with other extents.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"
# Calls of the examples that are about their results.
_ABOUT_RESULTS = ("compare", "print", "close_device", "close_mesh_device", "manual_seed")
_HEAD = '''"""Forty operations in one file."""

import math
import os
import time

import numpy as np
import torch
import ttl
import ttnn
from ttl import Program

'''


def program(operations: int = 40, lines: int = 2000) -> str:
    """The text: ``operations`` operations on about ``lines`` lines."""
    parts = list(_parts())
    parts.sort(
        key=lambda part: abs(part.count("\n") / max(part.count("@ttl.operation"), 1) - lines / operations)
    )
    chosen: list[str] = []
    number = 0
    while sum(part.count("@ttl.operation") for part in chosen) < operations:
        turn, index = divmod(number, len(parts))
        text = parts[index]
        if turn:
            text = text.replace("2048", "1024").replace("1024", "512")
        chosen.append(_renamed(text, f"_{number}"))
        number += 1
    return _HEAD + "\n\n".join(chosen)


def _parts() -> Iterator[str]:
    """Each example with one operation or more, without imports and results."""
    for path in sorted(EXAMPLES.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "@ttl.operation" not in text or "import" not in text or "sys.argv" in text or "argparse" in text:
            continue
        tree = ast.parse(text)
        kept = [
            ast.get_source_segment(text, statement, padded=True) or ""
            if not getattr(statement, "decorator_list", None)
            else _with_decorators(text, statement)
            for statement in tree.body
            if not _is_left_out(statement)
        ]
        yield "\n\n".join(map(_dense, kept)) + "\n"


def _dense(text: str) -> str:
    """A statement without empty lines and comments on lines of their own."""
    return "\n".join(line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#"))


def _with_decorators(text: str, statement: ast.stmt) -> str:
    first = min(decorator.lineno for decorator in statement.decorator_list)  # type: ignore[attr-defined]
    return "\n".join(text.split("\n")[first - 1 : statement.end_lineno])


def _is_left_out(statement: ast.stmt) -> bool:
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
            return name in _ABOUT_RESULTS
    return "compare" in ast.dump(statement) and not isinstance(statement, ast.FunctionDef)


def _renamed(text: str, suffix: str) -> str:
    """The text with another name for everything that it defines at its top level."""
    tree = ast.parse(text)
    names = _defined(tree)
    places: set[tuple[int, int, str]] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.arg(arg=name) if name in names:
                places.add((node.lineno, node.col_offset, name))
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) if name in names:
                places.add(
                    (
                        node.lineno,
                        node.col_offset + len("def " if isinstance(node, ast.FunctionDef) else "class "),
                        name,
                    )
                )
            case ast.Call(func=ast.Name(id=function), keywords=keywords) if function in names:
                places |= {(word.lineno, word.col_offset, word.arg) for word in keywords if word.arg in names}
    lines = text.split("\n")
    for line, column, name in sorted(places, reverse=True):
        row = lines[line - 1].encode()
        assert row[column : column + len(name)].decode() == name, (row, name)
        lines[line - 1] = (row[: column + len(name)] + suffix.encode() + row[column + len(name) :]).decode()
    return "\n".join(lines)


def _defined(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for statement in tree.body:
        match statement:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case _:
                names |= {
                    node.id
                    for node in ast.walk(statement)
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
                }
    return names


if __name__ == "__main__":
    print(program(), end="")
