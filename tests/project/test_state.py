"""What is kept beside sessions, all of it, and why: results of functions, context variables, uses of ``linecache``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import ttl.diag
from support.syntax_trees import nodes, python_files, tree

SOURCE = Path(ttl.diag.__file__).parent.parent

# Functions whose results are kept for the life of the process.
KEPT = {
    "analysis/effects.py: _effect_of": "of classes of operations",
    "analysis/effects.py: _own_effect": "of a class of operations",
    "analysis/effects.py: _writing": "of a class of operations",
    "analysis/dominance.py: kinds": "of classes of operations",
    "arch/__init__.py: chip_named": "a table",
    "arch/__init__.py: names": "a table",
    "arch/costs_file.py: read": "equal for equal texts of the same file",
    "arch/system_file.py: read": "equal for equal texts of the same file",
    "arch/systems.py: _ideal": "a mesh of a chip, by its shape",
    "arch/systems.py: _links": "arithmetic on a shape, rings and ports",
    "arch/systems.py: _neighbours": "arithmetic on a shape and rings",
    "arch/systems.py: _rows": "a table",
    "arch/systems.py: system_named": "a table",
    "check/kinds.py: _place_of": "of a class of operations",
    "check/cache.py: _fingerprint": "files of this package",
    "codegen/cpp/facts.py: _is_expression": "of classes of operations",
    "codegen/cpp/names.py: reserved": "a table",
    "emitc/dialect.py: class_of": "classes made from the rows of a table",
    "diag/catalog.py: codes": "files of this package",
    "diag/catalog.py: page": "files of this package",
    "diag/catalog.py: sources": "files of this package",
    "diag/programs.py: programs": "a file of this package",
    "dialects/elements.py: block_type_of": "equal for equal types",
    "dialects/elements.py: dtype_and_layout": "equal for equal types",
    "dialects/elements.py: element_type": "a table",
    "dialects/elements.py: value_type": "equal for equal types",
    "dialects/kernel/call_classes.py: class_of": "classes made from the rows of a table",
    "dialects/ttkernel.py: dialect": "a table",
    "emu/chip.py: _emulated": "a table, by chip",
    "emu/chip.py: last": "the chips of the last system",
    "emu/compiler.py: _identity": "the compiler that is installed",
    "emu/kernel_cache.py: _temporary": "a folder of the process, in which files are named by what is in them",
    "emu/functions.py: function_names": "a table",
    "emu/functions.py: inits": "a table",
    "emu/headers.py: fingerprint": "files of this package",
    "source/scopes.py: _holding_parts": "of a class of syntax nodes",
    "frontend/host/meta.py: _handlers": "a table",
    "frontend/host/meta.py: _named": "a table",
    "host/calling.py: _signature": "of functions of this package",
    "host/engine.py: _functions_of": "a table",
    "host/storage.py: _import_torch": "whether torch is installed",
    "host/storage.py: _users_of_one": "how Python counts references",
    "ir/affine.py: map_text": "equal for equal maps; as often as a layout is printed",
    "ir/literals.py: _float_text": "equal for equal numbers of a type; as often as constants are printed",
    "ir/locations.py: _spans": "equal for equal places; as often as there are operations",
    "ir/locations.py: location": "equal for equal places; as often as there are operations",
    "ir/parser.py: _definitions": "equal for equal texts that use no others; as often as a text describes a system",
    "ir/syntax.py: program": "of a class of operations",
    "kernel_api/tiles.py: _built": "a table",
    "lang/mistakes.py: _functions_of_blocks": "a table",
    "native.py: _why_not": "whether the native core is installed",
    "passes/marks.py: _chip": "a table, by chip, grid and costs",
    "rows/row.py: _inferred": "types of results, equal for equal types of operands",
    "rows/table.py: _by_name": "a table",
    "rows/types.py: _interned": "equal types are one object",
    "rules/distribution.py: distribution": "arithmetic on extents, a grid and where shards lie",
    "service/language.py: member": "of names of this package",
    "service/language.py: members": "of names of this package",
    "service/language.py: members_of": "of classes of this package",
    "session/session.py: _of_the_process": "the session of who has entered none",
    "sim/native/instruction_sets.py: fastest": "what this machine can run",
    "source/spans.py: is_library_file": "a question about the path alone",
}
# They say what runs here, and nothing else; what runs has its state with it.
CONTEXT_VARIABLES = {
    "analysis/dominance.py: _KEPT": "what is inside operations, while none of them changes",
    "host/tensor.py: ACTIVE": "the launch under way, as tensors see it",
    "lang/context.py: CURRENT": "the launch under way, or what is read in its place",
    "lang/tiles.py: TILES": "who runs the function of a tile program: the designer that reads it, or NumPy",
    "session/session.py: _CURRENT": "the session",
}
LINECACHE = {
    "cli/unsaved.py": "Python's own tracebacks show texts that are no files",
    "session/sources.py": "cells of notebooks and code that was made, which nobody else knows",
}

_CONTAINERS = frozenset(
    {
        "dict",
        "list",
        "set",
        "defaultdict",
        "OrderedDict",
        "Counter",
        "deque",
        "WeakKeyDictionary",
        "WeakValueDictionary",
        "WeakSet",
        "count",
    }
)
_CHANGES = frozenset(
    {
        "add",
        "append",
        "clear",
        "discard",
        "extend",
        "insert",
        "pop",
        "popitem",
        "remove",
        "setdefault",
        "update",
    }
)


def all_nodes() -> Iterator[tuple[str, ast.AST]]:
    """Every node of the package, with the name of its file."""
    for path in python_files(SOURCE):
        name = str(path.relative_to(SOURCE))
        for node in nodes(path):
            yield name, node


def test_results_that_are_kept_for_the_process() -> None:
    found = {
        f"{name}: {node.name}"
        for name, node in all_nodes()
        if isinstance(node, ast.FunctionDef)
        and any(
            ast.unparse(each).split("(")[0].split(".")[-1] in ("cache", "lru_cache")
            for each in node.decorator_list
        )
    }
    assert found == set(KEPT)


def test_context_variables() -> None:
    found = {
        f"{name}: {ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)}"
        for name, node in all_nodes()
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func).split("[")[0].endswith("ContextVar")
    }
    assert found == set(CONTEXT_VARIABLES)


def test_uses_of_linecache() -> None:
    found = {
        name
        for name, node in all_nodes()
        if isinstance(node, ast.Import) and any(each.name == "linecache" for each in node.names)
    }
    assert found == set(LINECACHE)


def test_no_function_changes_a_container_of_a_module() -> None:
    """What is kept is a result of a function or a part of the session: never a dictionary, list or set at the top of a module."""
    found = [
        f"{path.relative_to(SOURCE.parent)}:{node.lineno}"
        for package in (
            "ttl",
            "tt_model",
            "ttmlir",
            "ttrt",
            "tt_adapter",
            "tt_explorer",
            "ttl_start",
            "ttlang_models",
        )
        for path in python_files(SOURCE.parent / package)
        for function in nodes(path)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Global) or _changed(node) in _containers(path)
    ]
    assert found == []


@cache
def _containers(path: Path) -> frozenset[str]:
    """Names at the top of a module that a container is made for."""
    assigned = [
        (ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target), node.value)
        for node in tree(path).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
    ]
    return frozenset(
        name
        for name, value in assigned
        if isinstance(value, ast.Dict | ast.List | ast.Set | ast.DictComp | ast.ListComp | ast.SetComp)
        or (isinstance(value, ast.Call) and ast.unparse(value.func).split(".")[-1] in _CONTAINERS)
    )


def _changed(node: ast.AST) -> str | None:
    """The name of what a call, an assignment to an item or a deletion changes."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in _CHANGES:
            return name
        case ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=name), *_]):
            return name
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return name
    return None


# Places of ``src/ttl`` that read the current session, for who calls has none to give: what a user's program calls, what begins (a verb
# of the command line, a process), passes, and functions that keep results in a part of their own.
MOST_AMBIENT_READS = 92
_READERS = {("ttl.settings", "current"), ("ttl.settings", "current_chip")}


def test_the_session_is_passed_on_where_somebody_has_it() -> None:
    """Counted: ``PART.get()`` of a part of the session, and settings and chip that nobody gives."""
    parts = {
        ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
        for _, node in all_nodes()
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value.func).split("[")[0] == "Part"
    }
    reads = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in python_files(SOURCE)
        for node in nodes(path)
        if isinstance(node, ast.Call) and not node.args and not node.keywords
        if _reads_a_part(node.func, parts) or _origin(node.func, path) in _READERS
    ]
    assert len(reads) <= MOST_AMBIENT_READS, reads


def _reads_a_part(function: ast.expr, parts: set[str]) -> bool:
    match function:
        case ast.Attribute(value=ast.Name(id=name) | ast.Attribute(attr=name), attr="get"):
            return name in parts
    return False


def _origin(function: ast.expr, path: Path) -> tuple[str, str] | None:
    """The module and the name that a function of a module is imported by."""
    imported = {
        alias.asname or alias.name: (node.module or "", alias.name)
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    match function:
        case ast.Name(id=name):
            return imported.get(name)
        case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in imported:
            return ".".join(imported[name]), attribute
    return None
