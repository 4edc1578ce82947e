"""Modules, and the symbols in them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from xdsl.dialects import builtin
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation as XdslOperation

from ttmlir.bindings.operations import BlockHandle, OperationHandle, OpView
from ttmlir.bindings.parsing import parse_module
from ttmlir.bindings.scope import Context, Location, context_or_current, location_or_current
from ttmlir.bindings.views import view_class

_NAME = "sym_name"
# A program that has a module has operations, and asks for their views.
OpView.class_named = staticmethod(view_class)


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
        """Insert an operation at the end, and return its name; it is renamed if its name is taken."""
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


class Module:
    """A module. ``Module.parse(text)`` reads one, ``Module.create()`` makes an empty one."""

    def __init__(self, operation: builtin.ModuleOp, context: Context) -> None:
        self._module = operation
        self.context = context

    @staticmethod
    def parse(asm: str | bytes, context: Context | None = None) -> Module:
        """Parse and verify a module. Raises ``MLIRError``."""
        known = context_or_current(context)
        return Module(parse_module(asm.decode() if isinstance(asm, bytes) else asm, known), known)

    @staticmethod
    def parseFile(path: str, context: Context | None = None) -> Module:
        """Parse and verify the module in a file. Raises ``MLIRError``."""
        known = context_or_current(context)
        with open(path, encoding="utf-8") as file:
            return Module(parse_module(file.read(), known, str(path)), known)

    @staticmethod
    def create(loc: Location | None = None) -> Module:
        """An empty module."""
        place = location_or_current(loc)
        module = builtin.ModuleOp([])
        module.location = place.xdsl
        return Module(module, place.context)

    @property
    def xdsl(self) -> builtin.ModuleOp:
        """The module as xDSL has it."""
        return self._module

    @property
    def operation(self) -> OperationHandle:
        return OperationHandle.wrapping(self._module, self.context)

    @property
    def body(self) -> BlockHandle:
        """The only block of the module."""
        return BlockHandle(self._module.body.block, self.context)

    @property
    def symbols(self) -> SymbolTable:
        """The functions of the module, by name."""
        return SymbolTable(self.operation)

    def dump(self) -> None:
        """Print it to standard error."""
        sys.stderr.write(str(self))

    def __str__(self) -> str:
        return str(self.operation)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Module) and other._module is self._module

    def __hash__(self) -> int:
        return id(self._module)
