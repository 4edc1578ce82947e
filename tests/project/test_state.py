"""What is kept beside sessions, all of it, and why: results of functions, context variables, uses of ``linecache``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import ttl.diag
from support.syntax_trees import nodes, python_files

SOURCE = Path(ttl.diag.__file__).parent.parent

# Functions whose results are kept for the life of the process.
KEPT = {
    "analysis/effects.py: _effect_of": "of classes of operations",
    "analysis/pipe_ends.py: _ends": "arithmetic on the numbers of a pipe and a grid",
    "arch/__init__.py: chip_named": "a table",
    "arch/__init__.py: names": "a table",
    "check/cache.py: _fingerprint": "files of this package",
    "codegen/cpp/facts.py: _is_expression": "of classes of operations",
    "codegen/cpp/names.py: reserved": "a table",
    "emitc/dialect.py: class_of": "classes made from the rows of a table",
    "diag/catalog.py: codes": "files of this package",
    "diag/catalog.py: page": "files of this package",
    "dialects/elements.py: block_type_of": "equal for equal types",
    "dialects/elements.py: dtype_and_layout": "equal for equal types",
    "dialects/elements.py: element_type": "a table",
    "dialects/elements.py: value_type": "equal for equal types",
    "dialects/kernel/calls.py: class_of": "classes made from the rows of a table",
    "dialects/ttkernel.py: dialect": "a table",
    "emu/chip.py: _emulated": "a table, by chip",
    "emu/compiler.py: _identity": "the compiler that is installed",
    "emu/kernel_cache.py: _temporary": "a folder of the process, in which files are named by what is in them",
    "emu/functions.py: function_names": "a table",
    "emu/functions.py: inits": "a table",
    "emu/headers.py: fingerprint": "files of this package",
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
    "ops/row.py: _inferred": "types of results, equal for equal types of operands",
    "ops/table.py: _by_name": "a table",
    "ops/types.py: _interned": "equal types are one object",
    "service/language.py: member": "of names of this package",
    "service/language.py: members": "of names of this package",
    "service/language.py: members_of": "of classes of this package",
    "session/session.py: _of_the_process": "the session of who has entered none",
    "source/spans.py: is_library_file": "a question about the path alone",
}
# They say what runs here, and nothing else; what runs has its state with it.
CONTEXT_VARIABLES = {
    "host/tensor.py: ACTIVE": "the launch under way, as tensors see it",
    "lang/context.py: CURRENT": "the launch under way, or what is read in its place",
    "session/session.py: _CURRENT": "the session",
}
LINECACHE = {
    "cli/unsaved.py": "Python's own tracebacks show texts that are no files",
    "session/sources.py": "cells of notebooks and code that was made, which nobody else knows",
}


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
