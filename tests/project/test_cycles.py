"""No module imports, in a circle, another one, and no room of a package another room.

Every import counts: at the top, in a function, for the type checker only. A circle that exists for the type checker
only is one for the reader, too: neither module can be understood before the other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

import ttl.diag
from support.syntax_trees import nodes, python_files

SOURCE = Path(ttl.diag.__file__).parent.parent.parent
PACKAGES = ("ttl", "ttl_start", "tt_model", "ttmlir", "ttrt", "tt_adapter", "tt_explorer", "ttlang_models")
# The public names stand in `ttl`, `ttl.math` and `ttl.block`; `ttl.lang` is what they are names of.
SURFACE = frozenset({"ttl", "ttl.block", "ttl.math", "ttl.lang"})


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_import_each_other_one_way(package: str) -> None:
    assert [sorted(circle) for circle in circles(modules(package))] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_rooms_import_each_other_one_way(package: str) -> None:
    rooms: dict[str, set[str]] = {}
    for module, imported in modules(package).items():
        here = room(module)
        rooms.setdefault(here, set()).update(room(name) for name in imported if room(name) != here)
    assert [sorted(circle) for circle in circles(rooms) if not circle <= SURFACE] == []


def test_circles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": {"e"}, "e": {"f"}, "f": {"d"}}
    assert {frozenset(circle) for circle in circles(graph)} == {frozenset("bc"), frozenset("def")}


def room(module: str) -> str:
    """The folder, or the module beside the folders, that a module is in."""
    return ".".join(module.split(".")[:2])


@cache
def modules(package: str) -> Mapping[str, set[str]]:
    """Every module of a package, and the modules of the package that it imports anywhere."""
    files = {_dotted(path): path for path in python_files(SOURCE / package)}
    return {
        name: {target for target in _imports(path, files) if target != name} for name, path in files.items()
    }


def circles(graph: Mapping[str, set[str]]) -> list[frozenset[str]]:
    """The strongly connected components of more than one node, by Tarjan's algorithm (SIAM J. Comput. 1, 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    components: list[frozenset[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            cut = stack.index(node)
            if len(stack) - cut > 1:
                components.append(frozenset(stack[cut:]))
            del stack[cut:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return components


def _imports(path: Path, files: Mapping[str, Path]) -> Iterator[str]:
    for node in nodes(path):
        match node:
            case ast.Import(names=names):
                yield from (name.name for name in names if name.name in files)
            case ast.ImportFrom(module=str(module), names=names):
                for name in names:
                    full = f"{module}.{name.name}"
                    if full in files:
                        yield full
                    elif module in files:
                        yield module


def _dotted(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
