"""The operations of a program, for ``ttl split`` and ``ttl join``.

``ttl split`` divides one body into kernels, ``ttl join`` joins kernels to one body.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from typing import TypeVar

from ttl.frontend.file import lower_file
from ttl.frontend.kernel.one_body import joining, separation
from ttl.frontend.lowered import OperationRead
from ttl.frontend.lowering import Lowering, ReadRequest
from ttl.frontend.values import TileProgram, UserFunction
from ttl.lang.one_body.joining import JoinedKernels
from ttl.lang.one_body.separating import SeparatedKernels
from ttl.source.trees import SourceFile, source_file

T = TypeVar("T")


class _Listening(Lowering):
    """Reads operations, and keeps their functions."""

    def __init__(self) -> None:
        super().__init__()
        self.functions: dict[int, UserFunction] = {}

    def read(self, wanted: ReadRequest) -> OperationRead:
        self.functions.setdefault(id(wanted.function.node), wanted.function)
        return super().read(wanted)


def divided(
    path: str, arguments: tuple[str, ...] = ()
) -> tuple[SourceFile, list[tuple[ast.FunctionDef, SeparatedKernels]]]:
    """The file, and its operations that are one body, in source order.

    Each operation comes with its kernels, or with the reason why it cannot be divided into kernels.
    """
    return _each(path, arguments, separation)


def with_one_body(
    path: str, arguments: tuple[str, ...] = ()
) -> tuple[SourceFile, list[tuple[ast.FunctionDef, JoinedKernels]]]:
    """The file, and its operations that define kernels, in source order.

    Each operation comes as one body, or with the reason why it cannot be one.
    """
    return _each(path, arguments, joining)


def _each(
    path: str, arguments: tuple[str, ...], change: Callable[[UserFunction], T | None]
) -> tuple[SourceFile, list[tuple[ast.FunctionDef, T]]]:
    lowering = _Listening()
    lower_file(path, arguments, lowering=lowering)
    file = source_file(path if path.startswith("<") else os.path.abspath(path))
    assert file is not None
    result: list[tuple[ast.FunctionDef, T]] = []
    for function in lowering.functions.values():
        own = function.file.path == file.path and not isinstance(
            function, TileProgram
        )  # ttl design writes those as operations
        changed = change(function) if own else None
        if changed is not None and isinstance(function.node, ast.FunctionDef):
            result.append((function.node, changed))
    return file, sorted(result, key=lambda item: item[0].lineno)
