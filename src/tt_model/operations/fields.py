"""The fields of an operation's class: its groups of operands, and its inherent attributes in Python's form.

On an operation, a field gives the value; on the class it is the definition, from which
``tt_model.operations.operation`` makes the row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from tt_model.operations import kinds
from tt_model.operations.row import (
    NO_DEFAULT,
    Arity,
    AttributeDefinition,
    OperandDefinition,
    ResultDefinition,
)

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from tt_model.operations.structure import StructuredOperation
    from tt_model.operations.takes import OperandRequirement

ValueT = TypeVar("ValueT")

# The results of most operations.
ONE_TENSOR = (ResultDefinition(name="result", kind=kinds.TENSOR),)
TENSORS = (ResultDefinition(name="results", kind=kinds.TENSOR, arity="variadic"),)


class OperandField(Generic[ValueT]):
    """A group of operands: one value, a value or None, or a tuple."""

    def __init__(
        self, kind: kinds.TypeKind, arity: Arity, name: str = "", takes: OperandRequirement | None = None
    ) -> None:
        self._kind, self._arity = kind, arity
        self.name, self.takes = name, takes

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self.name = self.name or name

    @property
    def definition(self) -> OperandDefinition:
        """The definition of the group in the row."""
        return OperandDefinition(name=self.name, kind=self._kind, arity=self._arity, takes=self.takes)

    def bounds(self, op: StructuredOperation) -> tuple[int, int]:
        """The position of the group's first operand, and the position after its last one."""
        return op.STRUCTURE.bounds(op, op.ROW.group_index[self.name])

    @overload
    def __get__(self, op: None, owner: type[Any]) -> Self: ...
    @overload
    def __get__(self, op: StructuredOperation, owner: type[Any]) -> ValueT: ...
    def __get__(self, op: StructuredOperation | None, owner: type[Any]) -> Any:
        if op is None:
            return self
        start, end = op.STRUCTURE.bounds(op, op.ROW.group_index[self.name])
        if self._arity == "variadic":
            return tuple(op._operands[start:end])
        return op._operands[start] if end > start else None


class AttributeField(Generic[ValueT]):
    """An inherent attribute: its value, converted by its kind; None if it is absent."""

    def __init__(
        self,
        kind: kinds.AttributeKind[Any],
        *,
        optional: bool = False,
        default: Any = NO_DEFAULT,
        name: str = "",
    ) -> None:
        self._kind, self._optional, self._default = kind, optional, default
        self.name = name

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self.name = self.name or name

    @property
    def definition(self) -> AttributeDefinition:
        """The definition of the attribute in the row."""
        return AttributeDefinition(
            name=self.name, kind=self._kind, optional=self._optional, default=self._default
        )

    @overload
    def __get__(self, op: None, owner: type[Any]) -> Self: ...
    @overload
    def __get__(self, op: StructuredOperation, owner: type[Any]) -> ValueT: ...
    def __get__(self, op: StructuredOperation | None, owner: type[Any]) -> Any:
        if op is None:
            return self
        attribute = op.properties.get(self.name)
        return None if attribute is None else self._kind.value(attribute)


def operand(
    kind: kinds.TypeKind = kinds.TENSOR, *, name: str = "", takes: OperandRequirement | None = None
) -> OperandField[SSAValue]:
    """An operand that is always present.

    ``name`` is its name in text, if it differs; ``takes`` is the requirement on its tensors.
    """
    return OperandField(kind, "one", name, takes)


def optional_operand(
    kind: kinds.TypeKind = kinds.TENSOR, *, takes: OperandRequirement | None = None
) -> OperandField[SSAValue | None]:
    """An operand that may be absent."""
    return OperandField(kind, "optional", takes=takes)


def operands(
    kind: kinds.TypeKind = kinds.TENSOR, *, name: str = "", takes: OperandRequirement | None = None
) -> OperandField[tuple[SSAValue, ...]]:
    """A group of any number of operands."""
    return OperandField(kind, "variadic", name, takes)


def attribute(
    kind: kinds.AttributeKind[ValueT], *, default: Any = NO_DEFAULT, name: str = ""
) -> AttributeField[ValueT]:
    """An attribute that is always present.

    ``default`` is its value if the text omits it; ``name`` its name in text, if it differs.
    """
    return AttributeField(kind, default=default, name=name)


def optional(kind: kinds.AttributeKind[ValueT]) -> AttributeField[ValueT | None]:
    """An attribute that may be absent."""
    return AttributeField(kind, optional=True)
