"""``symbol-dce``, and the references of operations to functions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter


@dataclass(frozen=True)
class RemoveDeadSymbols(ModulePass):
    """Erase private functions without references.

    Expects: any module. Guarantees: every private symbol is reached from a public one, or from an operation of the module that
    is not a symbol.
    """

    name = "symbol-dce"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if isinstance(inner, ModuleOp):
                _sweep(inner)


def _sweep(module: ModuleOp) -> None:
    private = {symbol_name(op): op for op in module.body.ops if is_private(op)}
    if not private:
        return
    names = SymbolUses()
    waiting = [op for op in module.body.ops if not is_private(op)]
    while waiting:
        for name in names.of(waiting.pop()):
            if (reached := private.pop(name, None)) is not None:
                waiting.append(reached)
    for op in private.values():
        Rewriter.erase_op(op, safe_erase=False)


def symbol_name(op: Operation) -> str | None:
    """The name under which others refer to an operation, or None."""
    name = op.properties.get("sym_name", op.attributes.get("sym_name"))
    return name.data if isinstance(name, StringAttr) else None


def is_private(op: Operation) -> bool:
    """Whether only operations of the same module may refer to this one by its name."""
    visibility = op.properties.get("sym_visibility", op.attributes.get("sym_visibility"))
    return symbol_name(op) is not None and isinstance(visibility, StringAttr) and visibility.data == "private"


class SymbolUses:
    """Finds the names that operations refer to. Each attribute is searched once."""

    def __init__(self) -> None:
        self._names: dict[Attribute, frozenset[str]] = {}

    def of(self, root: Operation) -> Iterable[str]:
        """Return the names that an operation, or one inside it, refers to."""
        names: set[str] = set()
        for op in root.walk():
            names |= self.of_one(op)
        return sorted(names)

    def of_one(self, op: Operation) -> set[str]:
        """Return the names that an operation itself refers to."""
        names: set[str] = set()
        for attribute in (*op.properties.values(), *op.attributes.values()):
            names |= self._inside(attribute)
        return names

    def _inside(self, attribute: Attribute) -> frozenset[str]:
        match attribute:
            case SymbolRefAttr():
                return frozenset({attribute.root_reference.data})
            case ArrayAttr():
                inner: Iterable[Attribute] = attribute.data
            case DictionaryAttr():
                inner = attribute.data.values()
            case ParametrizedAttribute():
                inner = attribute.parameters
            case _:
                return frozenset()
        known = self._names.get(attribute)
        if known is None:
            known = self._names[attribute] = frozenset().union(*map(self._inside, inner))
        return known
