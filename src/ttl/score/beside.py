"""Search for files beside a program that replace modules of the scorer or run by themselves; no file is executed."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from ttl.source.parsing import parse

_MODULES = (".py", ".pyc", ".so")
# Modules that Python (``_UNASKED``) or pytest (``_FIXTURES``) executes by itself when it finds them.
_UNASKED = ("sitecustomize", "usercustomize")
_FIXTURES = "conftest"
# Packages that the scorer uses.
_NEEDED = frozenset(("ttl", "ttnn", "ttmlir", "tt_model", "numpy", "torch", "xdsl", "greenlet"))
_CLOCK = frozenset(
    ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time", "now", "today", "utcnow")
)  # fmt: skip
_CLOCKS = frozenset(("time", "datetime", "date"))
_LARGEST = 1 << 20


def why_disqualified(program: str) -> str:
    """The reason why a file beside a program disqualifies it; empty without such a file. ``program`` is absolute."""
    for path in sorted(Path(program).parent.iterdir()):
        if str(path) == program or not (path.suffix in _MODULES or (path / "__init__.py").is_file()):
            continue
        name = path.name.split(".")[0]
        if name in _UNASKED:
            return f"{path.name} beside it would be executed whenever Python starts there"
        if name in _NEEDED and name in sys.modules:
            return f"{path.name} beside it would take the place of {name}"
        if path.suffix != ".py":
            continue
        if name in sys.stdlib_module_names and not _has_operations(path):
            return f"{path.name} beside it would take the place of Python's {name}"
        if name == _FIXTURES and (replaced := _replaced_in(path)):
            return f"{path.name} beside it replaces {replaced}"
    return ""


def clock_in(text: str) -> int | None:
    """The line of a condition in a program that reads the clock; None if it has no such condition."""
    for node in ast.walk(parse(text)):
        if isinstance(node, ast.If | ast.IfExp | ast.While) and any(
            map(_asks_the_clock, ast.walk(node.test))
        ):
            return node.test.lineno
    return None


def _asks_the_clock(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)):
            return name in _CLOCK and module in _CLOCKS
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=owner), attr=name)):
            return name in _CLOCK and owner in _CLOCKS
        case ast.Call(func=ast.Name(id=name)):
            return name in _CLOCK - {"time", "now", "today"}
        case _:
            return False


def _has_operations(path: Path) -> bool:
    """Whether a file is a program of TT-Lang, which may have any name."""
    return any(
        isinstance(node, ast.Import | ast.ImportFrom) and "ttl" in _imported(node) for node in _nodes(path)
    )


def _replaced_in(path: Path) -> str:
    """Return the attribute of an imported module that a file replaces; empty if there is no such attribute."""
    nodes = list(_nodes(path))
    modules = {name for node in nodes for name in _imported(node)}
    for node in nodes:
        match node:
            case ast.Assign(targets=targets):
                for target in targets:
                    if isinstance(target, ast.Attribute) and _root(target) in modules:
                        return ast.unparse(target)
            case ast.Call(func=ast.Name("setattr"), args=[owner, *_]) if _root(owner) in modules:
                return f"attributes of {ast.unparse(owner)}"
    return ""


def _imported(node: ast.AST) -> set[str]:
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return set()
    return {(alias.asname or alias.name).split(".")[0] for alias in node.names}


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _nodes(path: Path) -> Iterator[ast.AST]:
    try:
        if os.path.getsize(path) <= _LARGEST:
            yield from ast.walk(parse(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return
