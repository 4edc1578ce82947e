"""The parts of operations and their views that need no other handle: attributes, text, verification, and their place in a block."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, TextIO

from xdsl.dialects import builtin
from xdsl.ir import Operation

from ttmlir.bindings.attributes import as_attribute
from ttmlir.bindings.printing import operation_text, verify_operation
from ttmlir.bindings.scope import (
    Attribute,
    Context,
    Location,
    NamedAttribute,
    Scoped,
    current_context,
    innermost_first,
    raise_for,
    wrap_attribute,
)


class WalkOrder(Enum):
    """Whether an operation is visited before or after the operations in its regions."""

    PRE_ORDER = 0
    POST_ORDER = 1


class WalkResult(Enum):
    """The next step of a walk."""

    ADVANCE = 0
    INTERRUPT = 1
    SKIP = 2


def walk(operation: Operation, callback: Callable[[Operation], WalkResult], order: WalkOrder) -> WalkResult:
    """Call ``callback`` with an operation and all operations nested in it, until it interrupts the walk."""
    if order is WalkOrder.PRE_ORDER:
        result = callback(operation)
        if result is WalkResult.INTERRUPT:
            return result
        if result is WalkResult.SKIP:
            return WalkResult.ADVANCE
    for region in operation.regions:
        for block in region.blocks:
            for inner in list(block.ops):
                if walk(inner, callback, order) is WalkResult.INTERRUPT:
                    return WalkResult.INTERRUPT
    if order is WalkOrder.POST_ORDER:
        return callback(operation)
    return WalkResult.ADVANCE


def _inherent_names(operation: Operation) -> frozenset[str]:
    """The names of the attributes that belong to the definition of an operation."""
    row = getattr(operation, "ROW", None)
    if row is not None:
        return frozenset(row.inherent)
    definition = getattr(operation, "get_irdl_definition", None)
    return frozenset(definition().properties) if definition is not None else frozenset()


class OpAttributeMap:
    """The attributes of an operation, inherent and discardable ones together."""

    def __init__(self, operation: Operation, context: Context) -> None:
        self._operation, self._context = operation, context

    def _all(self) -> dict[str, Any]:
        return {**self._operation.properties, **self._operation.attributes}

    def __contains__(self, name: object) -> bool:
        return name in self._operation.properties or name in self._operation.attributes

    def __len__(self) -> int:
        return len(self._all())

    def __getitem__(self, key: str | int) -> Any:
        """Return the attribute of a name, or the named attribute at a position."""
        attributes = self._all()
        if isinstance(key, int):
            names = sorted(attributes)
            if not -len(names) <= key < len(names):
                raise IndexError("attempt to access out-of-bounds attribute")
            return NamedAttribute(names[key], wrap_attribute(attributes[names[key]], self._context))
        if key not in attributes:
            raise KeyError("attempt to access a non-existent attribute")
        return wrap_attribute(attributes[key], self._context)

    def __iter__(self) -> Iterator[NamedAttribute]:
        return (self[index] for index in range(len(self)))

    def __setitem__(self, name: str, value: Attribute) -> None:
        operation = self._operation
        target = operation.properties if name in _inherent_names(operation) else operation.attributes
        target[name] = as_attribute(value, self._context)

    def __delitem__(self, name: str) -> None:
        operation = self._operation
        if name in operation.attributes:
            del operation.attributes[name]
        elif name in operation.properties:
            del operation.properties[name]
        else:
            raise KeyError("attempt to delete a non-existent attribute")


class OperationBase:
    """The properties and methods of an operation and of its view."""

    @property
    def context(self) -> Context:
        raise NotImplementedError

    @property
    def xdsl(self) -> Operation:
        raise NotImplementedError

    @property
    def name(self) -> Any:
        """The full name of the operation: ``ttir.add``; the view of a function or a module has its symbol's name instead."""
        operation = self.xdsl
        if isinstance(operation, builtin.UnregisteredOp):
            return operation.op_name.data
        return operation.name

    @property
    def location(self) -> Location:
        return Location(self.xdsl.location, self.context)

    @property
    def attributes(self) -> OpAttributeMap:
        return OpAttributeMap(self.xdsl, self.context)

    def verify(self) -> bool:
        """Verify the operation and those nested in it. Raises ``MLIRError``."""
        raise_for("Verification failed", verify_operation(self.xdsl), self.context)
        return True

    def get_asm(
        self,
        binary: bool = False,
        large_elements_limit: int | None = None,
        enable_debug_info: bool = False,
        pretty_debug_info: bool = False,
        print_generic_op_form: bool = False,
        use_local_scope: bool = False,
        assume_verified: bool = False,
        skip_regions: bool = False,
    ) -> Any:
        """Return the text of the operation; bytes if ``binary``. ``enable_debug_info`` prints locations."""
        text = operation_text(
            self.xdsl,
            self.context.xdsl,
            generic=print_generic_op_form,
            locations=enable_debug_info,
            local_scope=use_local_scope,
            elide_above=large_elements_limit,
            skip_regions=skip_regions,
        )
        return text.encode() if binary else text

    def print(
        self,
        file: TextIO | None = None,
        binary: bool = False,
        large_elements_limit: int | None = None,
        enable_debug_info: bool = False,
        pretty_debug_info: bool = False,
        print_generic_op_form: bool = False,
        use_local_scope: bool = False,
        assume_verified: bool = False,
        skip_regions: bool = False,
    ) -> None:
        """Print its text to a file, or to standard output."""
        text = self.get_asm(
            binary,
            large_elements_limit,
            enable_debug_info,
            pretty_debug_info,
            print_generic_op_form,
            use_local_scope,
            assume_verified,
            skip_regions,
        )
        (file or sys.stdout).write(text if binary else f"{text}\n" if not text.endswith("\n") else text)

    def __str__(self) -> str:
        return str(self.get_asm(assume_verified=True))

    def move_after(self, other: OperationBase) -> None:
        """Move it behind another operation."""
        detach(self.xdsl)
        block = other.xdsl.parent
        if block is None:
            raise ValueError("cannot move after an operation that is not in a block")
        block.insert_op_after(self.xdsl, other.xdsl)

    def move_before(self, other: OperationBase) -> None:
        """Move it in front of another operation."""
        detach(self.xdsl)
        block = other.xdsl.parent
        if block is None:
            raise ValueError("cannot move before an operation that is not in a block")
        block.insert_op_before(self.xdsl, other.xdsl)

    def erase(self) -> None:
        """Delete it; its results must not be used."""
        if self.xdsl.parent is not None:
            detach(self.xdsl)
        self.xdsl.erase()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OperationBase) and other.xdsl is self.xdsl

    def __hash__(self) -> int:
        return id(self.xdsl)


class InsertionPlace(Scoped):
    """A place for new operations. ``with`` makes it the current one."""

    def insert(self, operation: OperationBase) -> None:
        """Insert an operation that is in no block at this place."""
        raise NotImplementedError


def current_insertion_place() -> InsertionPlace | None:
    """Return the insertion point that was entered last, or None; also None if another context was entered since."""
    context = current_context()
    for entered in innermost_first():
        if entered.context is not context:
            break
        if isinstance(entered, InsertionPlace):
            return entered
    return None


def detach(operation: Any) -> None:
    """Take an operation of xDSL out of its block."""
    operation.detach()


def insert(operation: OperationBase, place: InsertionPlace | bool | None) -> None:
    """Insert an operation at a place: None means the current insertion point, False nowhere."""
    target = current_insertion_place() if place is None else place
    if isinstance(target, InsertionPlace):
        target.insert(operation)
