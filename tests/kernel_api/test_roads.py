"""One table says what a call becomes in C++, two writers read it, and one interpreter runs kernels: decision record 51."""

from __future__ import annotations

import ast
from pathlib import Path

import ttl
from support.syntax_trees import nodes, python_files

SOURCES = Path(ttl.__file__).parent.parent
TESTS = Path(__file__).resolve().parent.parent
# What a row says of C++.
OF_A_ROW = {"spell", "spelling", "of_2024"}
# The writer of C++, the conversion of calls to ``emitc``, and what the two kernels that use it add: headers, and the arguments that
# the text of 2024-11-21 lists.
WRITERS = {"ttl/codegen/cpp/body.py", "ttl/codegen/api_calls.py"}
ON_THE_CONVERSION = {"ttl/codegen/emitc/body.py", "ttmlir/transforms/to_emitc/kernel_to_emitc.py"}


def _reads_rows(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=ast.Attribute(attr="call"), attr=name):
            return name in {*OF_A_ROW, "statements"}
    return False


def test_two_writers_read_what_calls_are_in_cpp() -> None:
    readers = {
        path.relative_to(SOURCES).as_posix()
        for path in python_files(SOURCES)
        for node in nodes(path)
        if _reads_rows(node)
    }
    assert readers == WRITERS | ON_THE_CONVERSION


def test_kernels_are_run_by_one_interpreter() -> None:
    """What a call does is the business of whoever runs it: TT-MLIR's reference, and the tests of passes."""
    runs = {
        path.stem
        for folder in (SOURCES, TESTS)
        for path in python_files(folder)
        for node in nodes(path)
        if isinstance(node, ast.ClassDef) and "KernelInterpreter" in map(ast.unparse, node.bases)
    }
    assert runs == {
        "threads", "ir_kernels", "kernel_programs", "code_quality", "test_datamovement", "test_interpreter",
    }  # fmt: skip
