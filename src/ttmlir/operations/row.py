"""One row describes one operation of the dialects, completely. Everything else is derived from rows.

The classes of the operations, their verifiers, the lowering to TTNN, the interpreter, the serialiser, the reference
pages and the tests read rows and nothing but rows. A row is data: what it names of other rooms (a function of the
reference interpreter, a table of the file format) it names by a word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from ttmlir.operations.kinds import AttributeKind, TypeKind

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from ttmlir.operations.operation import RowOperation

# How many values a group of operands or results has.
Arity = Literal["one", "optional", "variadic"]

# What an operation promises, in MLIR's words. ``ConstantLike``: its result is the value of an attribute. ``Pure``: it has no
# effect and may be moved. ``NoMemoryEffect``: it is removed where nobody uses it. ``Terminator``: it ends a block.
Trait = Literal["ConstantLike", "Pure", "NoMemoryEffect", "Terminator", "ReturnLike", "NoTerminator"]

# The dialects with operations.
Dialect = Literal["ttir", "ttnn", "ttmetal", "ttkernel"]

# A condition on an operation whose structure is right: the text of what is wrong, or None.
Check = Callable[["RowOperation"], str | None]

# What an operation is replaced by where its value is known: an attribute, or None.
Fold = Callable[["RowOperation"], "Attribute | None"]

NO_DEFAULT: Any = object()


@dataclass(frozen=True, kw_only=True, slots=True)
class OperandDefinition:
    """A named group of operands."""

    name: str
    kind: TypeKind
    arity: Arity = "one"


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultDefinition:
    """A named group of results."""

    name: str
    kind: TypeKind
    arity: Arity = "one"


@dataclass(frozen=True, kw_only=True, slots=True)
class AttributeDefinition:
    """An inherent attribute. ``default`` is its value, in Python's form, where the text does not give it."""

    name: str
    kind: AttributeKind
    optional: bool = False
    default: Any = NO_DEFAULT


@dataclass(frozen=True, slots=True)
class Same:
    """The operation of the same name in TTNN, with the same operands, destination included, and the same attributes."""


@dataclass(frozen=True, slots=True)
class WithoutInit:
    """The operation of the same name in TTNN, with the same attributes and the operands but the destination."""


@dataclass(frozen=True, slots=True)
class Written:
    """A function that makes it, by its name in the module of the pass."""

    function: str


@dataclass(frozen=True, slots=True)
class NoLowering:
    """There is none. ``reason`` says why and what to do, for the error."""

    reason: str


# Which operands the layout pass has to do with.
LaidOut = Literal["all", "inits", "none"]

Lowering = Same | WithoutInit | Written | NoLowering


@dataclass(frozen=True, slots=True)
class Flatbuffer:
    """The table of the TTNN file that the operation is written as, and the member of its ``type`` enumeration, if any."""

    table: str
    type: str = ""


@dataclass(frozen=True, kw_only=True)
class Row:
    """An operation.

    ``inits`` is the name of the operand group that gives the destination of the results; None: not destination style.
    ``segments`` says that the sizes of operand groups are in ``operandSegmentSizes``; ``inits_by_results`` that there are two
    groups, of which the second, the destinations, has an operand for each result. ``regions`` is the number of
    regions. ``verify`` are the operation's own conditions, in order; a condition may rely on those before it.
    ``fold`` gives the value of the results where it is known. ``decomposition`` names the entry of
    ``ttmlir.transforms.decomposition`` that expands it inside TTIR; ``lowering`` says how it gets to TTNN, and ``layout`` which
    operands get a layout before that: all, or the destination only. ``flatbuffer`` is how a TTNN file has it, ``reference`` what
    it computes, by the name in ``ttmlir.reference.meanings``; ``kernel_function`` the function of the kernel API that it is a call of.
    """

    name: str
    class_name: str
    summary: str
    doc: str = ""
    operands: tuple[OperandDefinition, ...] = ()
    attributes: tuple[AttributeDefinition, ...] = ()
    results: tuple[ResultDefinition, ...] = ()
    regions: int | None = 0
    inits: str | None = None
    segments: bool = False
    inits_by_results: bool = False
    elementwise: bool = False
    traits: tuple[Trait, ...] = ()
    invariants: tuple[Check, ...] = ()
    verify: tuple[Check, ...] = ()
    fold: Fold | None = None
    decomposition: str | None = None
    lowering: Lowering | None = None
    layout: LaidOut | None = None
    flatbuffer: Flatbuffer | None = None
    reference: str | None = None
    kernel_function: str | None = None

    @property
    def dialect(self) -> str:
        return self.name.partition(".")[0]

    @property
    def mnemonic(self) -> str:
        return self.name.partition(".")[2]

    @cached_property
    def inherent(self) -> tuple[str, ...]:
        """The names of the inherent attributes in the order in which they are printed."""
        names = [attribute.name for attribute in self.attributes]
        return tuple(sorted([*names, SEGMENTS] if self.segments else names))

    @cached_property
    def attribute_named(self) -> Mapping[str, AttributeDefinition]:
        return MappingProxyType({attribute.name: attribute for attribute in self.attributes})

    @cached_property
    def group_index(self) -> Mapping[str, int]:
        return MappingProxyType({operand.name: index for index, operand in enumerate(self.operands)})

    @cached_property
    def fixed_operands(self) -> int:
        """How many operands are always there."""
        return sum(operand.arity == "one" for operand in self.operands)

    @cached_property
    def dynamic_group(self) -> int | None:
        """The one group whose size follows from the number of operands; None where all sizes are given."""
        if self.segments:
            return None
        return next((i for i, operand in enumerate(self.operands) if operand.arity != "one"), None)


SEGMENTS = "operandSegmentSizes"

_ARITIES: Mapping[str, Arity] = MappingProxyType({"?": "optional", "*": "variadic"})


def operand_groups(
    names: str, kind: TypeKind, others: Mapping[str, TypeKind] = MappingProxyType({})
) -> tuple[OperandDefinition, ...]:
    """Operand groups by their names. ``?`` marks one that may be absent, ``*`` one that stands for many; ``others`` are the
    kinds of those that are not of ``kind``."""
    return tuple(
        OperandDefinition(name=name, kind=others.get(name, kind), arity=_ARITIES.get(word[-1], "one"))
        for word in names.split()
        for name in [word.rstrip("?*")]
    )


@dataclass(frozen=True, slots=True)
class RowTable:
    """The rows of a dialect, by name."""

    dialect: str
    rows: tuple[Row, ...]
    by_name: Mapping[str, Row] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", MappingProxyType({row.name: row for row in self.rows}))
