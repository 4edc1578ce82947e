"""Operations in memory: the base of their classes, and the row that is made from a class.

They are read and written in MLIR's generic form. ``create`` normalizes its arguments as MLIR does: inherent attributes
from the attribute dictionary become properties, unknown properties are dropped, and defaults are filled in.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, ClassVar, Self, Unpack

from xdsl.dialects.builtin import DenseArrayBase, LocationAttr, i32
from xdsl.ir import Attribute, Block, Operation, OpTraits, Region, SSAValue
from xdsl.traits import IsTerminator, NoMemoryEffect, NoTerminator, OpTrait, Pure, ReturnLike

from tt_model.operations import kinds
from tt_model.operations.fields import ONE_TENSOR, AttributeField, OperandField, attribute, operand
from tt_model.operations.row import (
    NO_DEFAULT,
    SEGMENTS,
    AttributeDefinition,
    Check,
    Facts,
    FlatbufferTable,
    OperandDefinition,
    Row,
)
from tt_model.operations.structure import Structure, StructuredOperation

_TRAITS: Mapping[str, type[OpTrait]] = {
    "Pure": Pure,
    "NoMemoryEffect": NoMemoryEffect,
    "Terminator": IsTerminator,
    "ReturnLike": ReturnLike,
    "NoTerminator": NoTerminator,
}


class RowOperation(StructuredOperation):
    """An operation of our dialects.

    Its row is made from the typed fields of its class (``tt_model.operations.fields``), or the class is made from a
    row. The modules of its ``CONDITIONS`` depend on this one, and the dialects attach them: build operations with
    ``tt_model.operations.dialects.build``.
    """

    CONDITIONS: ClassVar[tuple[Check, ...]]
    DEFAULTS: ClassVar[Mapping[str, Attribute]]
    _FACTS: ClassVar[Facts] = {}

    def __init_subclass__(cls, *, name: str = "", row: Row | None = None, **facts: Unpack[Facts]) -> None:
        """Make a class with a ``name`` that of an operation; without one, only derived classes use its facts."""
        super().__init_subclass__()
        cls._FACTS = {**cls._inherited(), **facts}
        if name:
            row = _row_of_class(cls, name, cls._FACTS)
        if row is None:
            return
        cls.name, cls.ROW, cls.STRUCTURE = row.name, row, Structure(row)
        cls.DEFAULTS = {
            attribute.name: attribute.kind.make(attribute.default)
            for attribute in row.attributes
            if attribute.default is not NO_DEFAULT
        }
        if row.segments:
            cls.DEFAULTS = {**cls.DEFAULTS, SEGMENTS: segment_sizes((0,) * len(row.operands))}
        traits = tuple(_TRAITS[trait]() for trait in row.traits if trait in _TRAITS)
        cls.traits = OpTraits(lambda: traits)

    @classmethod
    def _inherited(cls) -> Facts:
        """The facts of the bases. Facts of a class override those of its own bases."""
        facts: Facts = {}
        for base in reversed(cls.__mro__[1:]):
            facts |= vars(base).get("_FACTS", {})
        return facts

    @classmethod
    def create(
        cls,
        *,
        operands: Sequence[SSAValue] = (),
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] = {},
        attributes: Mapping[str, Attribute] = {},
        location: LocationAttr | None = None,
        successors: Sequence[Block] = (),
        regions: Sequence[Region] = (),
    ) -> Self:
        inherent = (
            {**cls.DEFAULTS, **attributes, **properties} if attributes else {**cls.DEFAULTS, **properties}
        )
        op = cls.__new__(cls)
        Operation.__init__(
            op,
            operands=operands,
            result_types=result_types,
            properties={name: inherent[name] for name in cls.ROW.inherent if name in inherent},
            attributes={name: value for name, value in attributes.items() if name not in cls.ROW.inherent},
            location=location,
            successors=successors,
            regions=regions,
        )
        return op

    def operands_of(self, group: OperandDefinition) -> tuple[SSAValue, ...]:
        """The operands of a group of the row."""
        start, end = self.STRUCTURE.bounds(self, self.ROW.group_index[group.name])
        return tuple(self._operands[start:end])

    def value_of(self, attribute: AttributeDefinition) -> Any:
        """An inherent attribute of the row, as the Python value of its kind; None if it is absent."""
        given = self.properties.get(attribute.name)
        return None if given is None else attribute.kind.value(given)

    @property
    def init_bounds(self) -> tuple[int, int]:
        """The position of the first destination, and the position after the last one.

        The operation must be of destination style.
        """
        assert self.ROW.inits is not None
        return self.STRUCTURE.bounds(self, self.ROW.group_index[self.ROW.inits])

    @property
    def inits(self) -> tuple[SSAValue, ...]:
        """The destinations, one for each result; empty if the operation is not of destination style."""
        if self.ROW.inits is None:
            return ()
        start, end = self.init_bounds
        return tuple(self._operands[start:end])

    @property
    def result(self) -> SSAValue:
        """The only result, or the first one."""
        return self.results[0]

    def verify(self, verify_nested_ops: bool = True) -> None:
        self.STRUCTURE.verify(self, self.CONDITIONS)
        if verify_nested_ops:
            for region in self.regions:
                region.verify()


class TTIROperation(RowOperation):
    """An operation of TTIR."""


class TTIRTensorOp(TTIROperation, layout="all"):
    """An operation of TTIR on tensors, with constraints on the place and the form of each operand."""

    operand_constraints = attribute(kinds.OPERAND_CONSTRAINTS)


class TTIRDestinationOp(TTIRTensorOp, results=ONE_TENSOR, inits="output"):
    """An operation of TTIR that writes its result to ``output``."""

    output = operand()


class TTNNOperation(RowOperation, results=ONE_TENSOR):
    """An operation of TTNN.

    Its table in files has the name of its class; if a base states a shared table, its name is a member of the table's
    ``type``.
    """

    def __init_subclass__(cls, *, name: str = "", row: Row | None = None, **facts: Unpack[Facts]) -> None:
        if name and "flatbuffer" not in facts:
            own, shared = cls.__name__.removeprefix("TTNN"), cls._inherited().get("flatbuffer")
            facts["flatbuffer"] = (
                FlatbufferTable(own)
                if shared is None
                else FlatbufferTable(shared.table, own.removesuffix("Op"))
            )
        super().__init_subclass__(name=name, row=row, **facts)

    @classmethod
    def result_is_tiled(cls, *, stated: bool, operand: bool) -> bool:
        """Whether the library's result is in tiles.

        ``stated``: its type is in tiles; ``operand``: the first operand is.
        """
        match cls._FACTS.get("pages", Row.pages):
            case "tiles":
                return True
            case "rows":
                return False
            case "of its type":
                return stated
            case "of its operand":
                return operand


class TTNNDestinationOp(TTNNOperation, inits="output"):
    """An operation of TTNN that takes the tensor for its result as an operand, ``output``."""

    output = operand()


class TTMetalOperation(RowOperation):
    """An operation of TTMetal."""


class TTKernelOperation(RowOperation):
    """An operation of TTKernel."""


_OF_A_DIALECT = (TTIROperation, TTNNOperation, TTMetalOperation, TTKernelOperation)


def _row_of_class(cls: type[RowOperation], name: str, facts: Facts) -> Row:
    """Return the row that the fields, the docstring and the facts of a class define.

    Fields that several dialects share come first, then its own fields, then those of the bases in its dialect.
    """
    bases = sorted(cls.__mro__, key=lambda base: issubclass(base, _OF_A_DIALECT))
    members = [value for base in bases for value in vars(base).values()]
    operands = tuple(value.definition for value in members if isinstance(value, OperandField))
    attributes = tuple(value.definition for value in members if isinstance(value, AttributeField))
    said = next(base.__doc__ for base in cls.__mro__ if base.__doc__)
    summary, _, doc = inspect.cleandoc(said).partition("\n\n")
    dialect = name.partition(".")[0]
    return Row(
        name=name,
        class_name=cls.__name__[len(dialect) :].removesuffix("Op"),
        summary=" ".join(summary.split()),
        doc=" ".join(doc.split()),
        operands=operands,
        attributes=attributes,
        segments=not facts.get("inits_by_results") and sum(one.arity != "one" for one in operands) > 1,
        **facts,
    )


class OperationTable:
    """The operations of a dialect, sorted by name.

    They are the classes in the namespaces of modules, and rows whose classes are made on first use.
    """

    def __init__(
        self,
        dialect: str,
        *modules: Mapping[str, Any],
        rows: Sequence[Row] = (),
        make: Callable[[Row], type[RowOperation]] | None = None,
    ) -> None:
        """``make`` returns the class of a row."""
        members = [value for module in modules for value in module.values()]
        classes = {
            value.name: value
            for value in members
            if isinstance(value, type) and issubclass(value, RowOperation) and "ROW" in vars(value)
        }
        own = sorted(name for name in classes if name.startswith(f"{dialect}."))
        self.classes: Mapping[str, type[RowOperation]] = MappingProxyType(
            {name: classes[name] for name in own}
        )
        self.rows = tuple(
            sorted([*(kind.ROW for kind in self.classes.values()), *rows], key=lambda row: row.name)
        )
        self._make = make
        self.by_name: Mapping[str, Row] = MappingProxyType({row.name: row for row in self.rows})

    def operation_class(self, name: str) -> type[RowOperation]:
        """The class of the operations called ``name``. Raises ``KeyError`` if there is no such row."""
        known, row = self.classes.get(name), self.by_name[name]
        if known is not None:
            return known
        assert self._make is not None
        return self._make(row)


@cache
def segment_sizes(sizes: tuple[int, ...]) -> Attribute:
    """The attribute with the number of operands in each group."""
    return DenseArrayBase.from_list(i32, sizes)


def row_of(op: Operation) -> Row | None:
    """The row of an operation; None if it is not an operation of our tables."""
    return op.ROW if isinstance(op, RowOperation) else None


def writes_in_place(op: Operation) -> bool:
    """Whether an operation writes into the memory of its destination itself, and makes no other tensor."""
    return isinstance(op, RowOperation) and op.ROW.writes


def is_destination_style(op: Operation) -> bool:
    """Whether an operation has destinations: operands that it writes its results to."""
    return isinstance(op, RowOperation) and op.ROW.inits is not None
