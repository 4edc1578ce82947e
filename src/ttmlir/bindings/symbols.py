"""Symbols: what is called by name within a module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation as XdslOperation

from ttmlir.bindings.operations import OperationHandle, OpView

_NAME = "sym_name"


class SymbolTable:
    """The operations of a module by their names."""

    def __init__(self, operation: OperationHandle | OpView) -> None:
        self._operation = operation.operation
        if len(self._operation.xdsl.regions) != 1:
            raise ValueError("Operation is not a Symbol Table.")

    def _symbols(self) -> Iterator[tuple[str, XdslOperation]]:
        for block in self._operation.xdsl.regions[0].blocks:
            for operation in block.ops:
                name = _name_of(operation)
                if name is not None:
                    yield name, operation

    def __getitem__(self, name: str) -> Any:
        for known, operation in self._symbols():
            if known == name:
                return OperationHandle.wrapping(operation, self._operation.context).opview
        raise KeyError(f"Symbol '{name}' not in the symbol table.")

    def __contains__(self, name: str) -> bool:
        return any(known == name for known, _ in self._symbols())

    def __delitem__(self, name: str) -> None:
        self.erase(self[name])

    def insert(self, operation: OperationHandle | OpView) -> str:
        """Put an operation at the end; it is renamed where its name is taken. Returns the name."""
        name = _name_of(operation.operation.xdsl)
        if name is None:
            raise ValueError("Expected operation to have a symbol name.")
        unique, number = name, 0
        while unique in self:
            unique, number = f"{name}_{number}", number + 1
        self.set_symbol_name(operation, unique)
        if operation.operation.xdsl.parent is None:
            self._operation.xdsl.regions[0].block.add_op(operation.operation.xdsl)
        return unique

    def erase(self, operation: OperationHandle | OpView) -> None:
        """Delete an operation."""
        operation.operation.erase()

    @staticmethod
    def get_symbol_name(symbol: OperationHandle | OpView) -> str:
        name = _name_of(symbol.operation.xdsl)
        if name is None:
            raise ValueError("Expected operation to have a symbol name.")
        return name

    @staticmethod
    def set_symbol_name(symbol: OperationHandle | OpView, name: str) -> None:
        operation = symbol.operation.xdsl
        target = operation.properties if _NAME in operation.properties else operation.attributes
        target[_NAME] = StringAttr(name)


def _name_of(operation: XdslOperation) -> str | None:
    name = operation.properties.get(_NAME) or operation.attributes.get(_NAME)
    return name.data if isinstance(name, StringAttr) else None
