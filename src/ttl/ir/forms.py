"""The two forms in which a tool prints modules: with the program's names, or to the byte like MLIR's tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from ttl.ir.assembly import Style
from ttl.ir.mlir_text import print_alone, print_as_mlir
from ttl.ir.printer import print_module


class TextForm(Protocol):
    """The form in which a tool prints."""

    def module(self, module: ModuleOp, style: Style, context: Context | None) -> str:
        """Return a module as text that ends with a line end."""

    def joined(self, pieces: Sequence[str | None]) -> str:
        """Join the modules of the pieces of a file; a piece may be None."""

    def operation(self, op: Operation, style: Style) -> str | None:
        """Return the text of the operation that an error is about, or None if errors do not show it."""

    def dump_title(self, kind: type[object], name: str) -> str:
        """Return the title of a module that is printed before or after a pass."""


class NamedText:
    """The form with the program's names of values."""

    def module(self, module: ModuleOp, style: Style, context: Context | None) -> str:
        return print_module(module, generic=style.generic, locations=style.locations)

    def joined(self, pieces: Sequence[str | None]) -> str:
        return "\n// -----\n".join(piece for piece in pieces if piece is not None)

    def operation(self, op: Operation, style: Style) -> str | None:
        return None

    def dump_title(self, kind: type[object], name: str) -> str:
        return name


class MLIRText:
    """The form of ``mlir-opt``: a blank line after a module, and errors with their operation."""

    def module(self, module: ModuleOp, style: Style, context: Context | None) -> str:
        return print_as_mlir(module, style, context) + ("" if style.local_scope else "\n")

    def joined(self, pieces: Sequence[str | None]) -> str:
        return "// -----\n".join(piece or "" for piece in pieces)

    def operation(self, op: Operation, style: Style) -> str | None:
        return print_alone(op, style)

    def dump_title(self, kind: type[object], name: str) -> str:
        return f"{getattr(kind, 'CLASS_NAME', kind.__name__)} ({name})"
