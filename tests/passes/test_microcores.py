"""Kernels as threads of microcores and back (002, section 10.1): the same operation in another form.

``lit/microcores.mlir`` shows the threads of kernels, ``lit/microcores_threads.mlir`` the kernels of threads and where they run,
``lit/microcores_invalid.mlir`` what does not fit, and ``lit/microcores_checked.mlir`` that threads are checked as kernels are.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ttl import settings
from ttl.codegen.compile import compile_module
from ttl.dialects import ttl as dialect
from ttl.dialects.text import parse_module
from ttl.frontend.file import lower_file
from ttl.ir.printer import print_module
from ttl.ir.verifier import verify
from ttl.passes.microcores import KernelsToMicrocores, MicrocoresToKernels

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


def to_threads(module: ModuleOp) -> ModuleOp:
    module = module.clone()
    KernelsToMicrocores().apply(Context(), module)
    assert verify(module) == []
    return module


def to_kernels(module: ModuleOp) -> ModuleOp:
    module = module.clone()
    MicrocoresToKernels().apply(Context(), module)
    assert verify(module) == []
    return module


def text_of(module: ModuleOp) -> str:
    return print_module(module, locations=True)


@cache
def lowered(path: Path) -> ModuleOp:
    return lower_file(str(path)).module


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_002_10_1_an_example_comes_back_as_it_was(path: Path) -> None:
    """To the byte, with places; and the text of its threads is read as it is written."""
    kernels = lowered(path)
    threads = to_threads(kernels)
    assert text_of(to_kernels(threads)) == text_of(kernels)
    assert text_of(parse_module(text_of(threads))) == text_of(threads)
    operations = [op for op in kernels.walk() if isinstance(op, dialect.OperationOp)]
    expected = sum(len(op.kernels) for op in operations)
    assert sum(isinstance(op, dialect.ThreadOp) for op in threads.walk()) == expected
    assert not any(op.kernels for op in threads.walk() if isinstance(op, dialect.OperationOp))


@pytest.mark.parametrize("path", EXAMPLES[::6], ids=lambda path: path.stem)
def test_002_10_1_threads_compile_to_the_same_kernels(path: Path) -> None:
    kernels = lowered(path)
    one, other = (
        compile_module(module.clone(), settings.current()) for module in (kernels, to_threads(kernels))
    )
    assert one.descriptions == other.descriptions and len(one.diagnostics) == len(other.diagnostics)
