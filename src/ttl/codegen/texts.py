"""Modules and programs as the text of IR."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ttl.codegen.emitc.export import export
from ttl.diag import Diagnostic
from ttl.dialects.ttkernel import ProgramOp
from ttl.ir.failure import NotLowered
from ttl.ir.printer import print_module
from ttl.rows.row import Generation

Module: TypeAlias = ModuleOp


def module_text(module: Module, *, locations: bool = False) -> str:
    """The text of a module, with one newline at its end; with ``locations``, also the location of each operation."""
    return print_module(module, locations=locations).rstrip("\n") + "\n"


def together(programs: Iterable[ProgramOp]) -> Module:
    """Move programs into one new module."""
    moved: list[Operation] = []
    for program in programs:
        detach: Any = program.detach
        detach()
        moved.append(program)
    return ModuleOp(moved)


def emitc_text(programs: Iterable[ProgramOp], generation: Generation) -> tuple[str, list[Diagnostic]]:
    """The kernels as ``emitc``, and the diagnostics of programs that ``emitc`` cannot express."""
    texts, diagnostics = [], []
    for program in programs:
        try:
            texts.append(module_text(export(program, generation)))
        except NotLowered as failure:
            diagnostics += failure.diagnostics
    return "".join(texts), diagnostics
