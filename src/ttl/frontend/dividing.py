"""The operations of a program that are written as one body, each divided into kernels: for ``ttl split`` and editors."""

from __future__ import annotations

import ast
import os

from ttl.frontend.file import lower_file
from ttl.frontend.kernel.one_body import separation
from ttl.frontend.lowered import OperationRead
from ttl.frontend.lowering import Lowering, ToRead
from ttl.frontend.values import UserFunction
from ttl.lang.one_body.separating import Separated
from ttl.source.trees import SourceFile, source_file


class _Listening(Lowering):
    """Reads operations, and keeps their functions."""

    def __init__(self) -> None:
        super().__init__()
        self.functions: dict[int, UserFunction] = {}

    def read(self, wanted: ToRead) -> OperationRead:
        self.functions.setdefault(id(wanted.function.node), wanted.function)
        return super().read(wanted)


def divided(
    path: str, arguments: tuple[str, ...] = ()
) -> tuple[SourceFile, list[tuple[ast.FunctionDef, Separated]]]:
    """The file, and its operations that are one body, in the order of the text; each with its kernels, or why there are none."""
    lowering = _Listening()
    lower_file(path, arguments, lowering=lowering)
    file = source_file(path if path.startswith("<") else os.path.abspath(path))
    assert file is not None
    result: list[tuple[ast.FunctionDef, Separated]] = []
    for function in lowering.functions.values():
        separated = separation(function) if function.file.path == file.path else None
        if separated is not None and isinstance(function.node, ast.FunctionDef):
            result.append((function.node, separated))
    return file, sorted(result, key=lambda item: item[0].lineno)
