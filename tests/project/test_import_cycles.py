"""No room of the package imports, in a circle, another one; circles of modules inside a room are justified here.

Every import counts: at the top, in a function, for the type checker only. A circle that exists for the type checker
only is one for the reader, too: neither module can be understood before the other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import ttl.diag
from support.syntax_trees import nodes, python_files

SOURCE = Path(ttl.diag.__file__).parent.parent

# By room: why some of its modules are one concept in several files.
JUSTIFIED: Mapping[str, str] = {
    "sim": "an engine makes the objects of its launch (buffers, blocks, pipes, memory), and they know it",
}
# The public names stand in `ttl`, `ttl.math` and `ttl.block`; `lang` is what they are names of.
SURFACE = frozenset({"", "block", "math", "lang"})


def test_rooms_import_each_other_one_way() -> None:
    rooms: dict[str, set[str]] = {}
    for module, imported in modules().items():
        here = room(module)
        rooms.setdefault(here, set()).update(room(name) for name in imported if room(name) != here)
    assert [sorted(circle) for circle in circles(rooms) if not circle <= SURFACE] == []


def test_circles_inside_a_room_are_justified() -> None:
    inside = circles(modules())
    assert [
        sorted(circle) for circle in inside if not {room(name) for name in circle} <= JUSTIFIED.keys()
    ] == []
    # One in each of these rooms, and none that is justified and gone.
    assert sorted(room(min(circle)) for circle in inside) == sorted(JUSTIFIED)


def test_circles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": {"e"}, "e": {"f"}, "f": {"d"}}
    assert {frozenset(circle) for circle in circles(graph)} == {frozenset("bc"), frozenset("def")}


def room(module: str) -> str:
    """The folder, or the module beside the folders, that a module is in."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


@cache
def modules() -> Mapping[str, set[str]]:
    """Every module of the package, and the modules it imports anywhere."""
    files = {_dotted(path): path for path in python_files(SOURCE)}
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
    parts = ("ttl", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")
