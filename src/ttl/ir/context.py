"""The dialects that can be parsed: those of a tool, and MLIR's dialects that are used with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import Builtin, UnregisteredAttr
from xdsl.ir import Attribute, Dialect, TypeAttribute

AttributeT = TypeVar("AttributeT", bound=Attribute)

# Functions that make a dialect, by its name. Each is called when text first uses the dialect.
DialectTable = Mapping[str, Callable[[], Dialect]]


class ToolContext(Context):
    """A context that distinguishes the dialects of the tool from those that xDSL implements partly.

    ``complete`` are the names of dialects all of whose operations are defined: any other operation in them is an error,
    even if undefined operations are allowed.
    """

    def __init__(self, complete: Iterable[str], *, allow_unregistered: bool = False) -> None:
        super().__init__(allow_unregistered)
        self.complete = frozenset(complete)

    def get_optional_attr(self, name: str) -> type[Attribute] | None:
        return self._unless_unknown(name, super().get_optional_attr(name))

    def get_optional_type(self, name: str) -> type[TypeAttribute] | None:
        return self._unless_unknown(name, super().get_optional_type(name))

    def _unless_unknown(self, name: str, known: type[AttributeT] | None) -> type[AttributeT] | None:
        """Refuse undefined attributes in a dialect of the tool."""
        if known is None or name.partition(".")[0] not in self.complete:
            return known
        return None if issubclass(known, UnregisteredAttr) else known

    def operation_names(self) -> list[str]:
        """Return the names of all operations of the tool, and of those of other dialects that are loaded."""
        for name in sorted(self.complete - {dialect.name for dialect in self.loaded_dialects}):
            self.load_registered_dialect(name)
        return [operation.name for operation in self.loaded_ops]


def make_context(dialects: DialectTable, *, allow_unregistered: bool = False) -> ToolContext:
    """Make a context that can parse our dialects, and MLIR's dialects that are used with them."""
    context = ToolContext(dialects, allow_unregistered=allow_unregistered)
    # xDSL stores the resources of texts in the dialect, and the dialect in the process: names of different texts would
    # collide.
    context.load_dialect(
        Dialect("builtin", list(Builtin.operations), list(Builtin.attributes), [OpAsmDialectInterface()])
    )
    for name, load in dialects.items():
        context.register_dialect(name, load)
    for name in ("affine", "arith", "cf", "func", "linalg", "math", "memref", "scf", "tensor"):
        context.register_dialect(name, partial(_upstream, name))
    return context


def _upstream(name: str) -> Dialect:
    match name:
        case "affine":
            from xdsl.dialects.affine import Affine as dialect
        case "arith":
            from xdsl.dialects.arith import Arith as dialect
        case "cf":
            from xdsl.dialects.cf import Cf as dialect
        case "func":
            from xdsl.dialects.func import Func as dialect
        case "linalg":
            from xdsl.dialects.linalg import Linalg as dialect
        case "math":
            from xdsl.dialects.math import Math as dialect
        case "memref":
            from xdsl.dialects.memref import MemRef as dialect
        case "scf":
            from xdsl.dialects.scf import Scf as dialect
        case _:
            from ttl.ir.upstream_operations import tensor

            return tensor()
    return dialect
