"""One row describes one operation of the dialects, as data.

Of TTIR, TTNN and TTMetal it follows from the class of the operation; of TTKernel it is written, and the class is made from it.
The parser, the verifier, the bindings and the reference pages read rows. What a stage does with an operation is registered for its
class (``tt_model.operations.stages``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from tt_model.operations.kinds import TENSOR, AttributeKind, TypeKind

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from tt_model.operations.takes import OperandRequirement

# How many values a group of operands or results has.
Arity = Literal["one", "optional", "variadic"]

# The promises of an operation, in MLIR's words. ``ConstantLike``: its result is the value of an attribute. ``Pure``: it has no
# effect and may be moved. ``NoMemoryEffect``: it is removed where it is unused. ``Terminator``: it ends a block.
Trait = Literal["ConstantLike", "Pure", "NoMemoryEffect", "Terminator", "ReturnLike", "NoTerminator"]


# A condition on an operation whose structure is right, of the class that has it: the text of what is wrong, or None.
Check = Callable[[Any], str | None]

# The attribute that replaces an operation whose value is known, or None.
Fold = Callable[[Any], "Attribute | None"]

NO_DEFAULT: Any = object()


@dataclass(frozen=True, kw_only=True, slots=True)
class OperandDefinition:
    """A named group of operands. ``takes`` says which tensors the library takes there; None where it is not a tensor that is read."""

    name: str
    kind: TypeKind
    arity: Arity = "one"
    takes: OperandRequirement | None = None


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
    kind: AttributeKind[Any]
    optional: bool = False
    default: Any = NO_DEFAULT


@dataclass(frozen=True, slots=True)
class SameOperation:
    """The operation of the same name in TTNN, with the same operands, destination included, and the same attributes."""


@dataclass(frozen=True, slots=True)
class WithoutInit:
    """The operation of the same name in TTNN, with the same attributes and the operands but the destination."""


@dataclass(frozen=True, slots=True)
class NoLowering:
    """TT-Lang has no such function. ``reason`` says why and what to do, for the error."""

    reason: str


# Which operands the layout pass has to do with.
LaidOut = Literal["all", "inits", "none"]

Lowering = SameOperation | WithoutInit | NoLowering

# Which pages the library's result is in, whatever the type of the result says.
Pages = Literal["tiles", "rows", "of its type", "of its operand"]

# Which numbers of its operands an operation gives as they are, in another place, type or shape.
PassedOn = Literal["nothing", "everything", "parts"]


@dataclass(frozen=True, slots=True)
class FlatbufferTable:
    """The table of the TTNN file that the operation is written as, and the member of its ``type`` enumeration, if any."""

    table: str
    type: str = ""


class Facts(TypedDict, total=False):
    """The facts that the class of an operation states beside its fields: fields of ``Row``."""

    results: tuple[ResultDefinition, ...]
    regions: int | None
    inits: str | None
    inits_by_results: bool
    elementwise: bool
    traits: tuple[Trait, ...]
    verify: tuple[Check, ...]
    fold: Fold | None
    lowering: Lowering | None
    layout: LaidOut | None
    flatbuffer: FlatbufferTable | None
    kernel_function: str | None
    runs_kernels: bool
    moves: bool
    keeps_place: bool
    makes_shards: bool
    result_type_is_free: bool
    pages: Pages
    signature: str
    function: str
    takes: int
    passes_on: PassedOn
    exact: bool
    adds_up: bool
    jumps: bool
    updates: bool
    writes: bool


@dataclass(frozen=True, kw_only=True)
class Row:
    """An operation.

    ``inits`` is the name of the operand group that gives the destination of the results; None: not destination style.
    ``segments`` says that the sizes of operand groups are in ``operandSegmentSizes``; ``inits_by_results`` that there are two
    groups, of which the second, the destinations, has an operand for each result. ``regions`` is the number of
    regions. ``verify`` are conditions, in order, that are written for no class (``tt_model.operations.verifiers``).
    ``fold`` gives the value of the results where it is known. ``lowering`` says how it gets to TTNN where the pass has no rule
    for its class, and ``layout`` which operands get a layout before that: all, or the destination only. ``flatbuffer`` is how
    a TTNN file has it; ``kernel_function`` the function of the kernel API that it is a call of.

    What passes ask: ``runs_kernels``, whether it runs kernels that were compiled for the layouts of its operands; ``moves``,
    whether it changes where and how a tensor lies, and no value but by a conversion of its type; ``keeps_place``, whether the library makes its result where the first operand lies;
    ``makes_shards``, whether it can make its result in shards; ``updates``, whether its destination keeps what it does not write, so that it is read, too; ``writes``, whether the library writes into the destination that is given, and makes no tensor of its own; ``result_type_is_free``, whether the result has the data
    type that is asked for, and not that of the operands; ``pages``, what the library's result is in. ``signature`` names the
    parameters of the library's function, which has the name of the operation, as Python does: those before ``/`` are given by
    position. They get the operands but the destination, then the attributes, in the order of the class.

    What is known of its numbers: ``function``, the row of the language (``ttl.rows``) that it computes element by element, empty
    for which TT-Lang has no function; ``takes``, of how many tensors an elementwise operation computes; ``passes_on``, which numbers of its operands it gives as they are; ``exact``, whether its
    elements are those of its operands, or one of few numbers, so that nothing is rounded; ``adds_up``, whether they are sums,
    whose error is in proportion to the magnitudes of the terms; ``jumps``, whether its result may change much where its
    operands change a little.
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
    verify: tuple[Check, ...] = ()
    fold: Fold | None = None
    lowering: Lowering | None = None
    layout: LaidOut | None = None
    flatbuffer: FlatbufferTable | None = None
    kernel_function: str | None = None
    runs_kernels: bool = False
    moves: bool = False
    keeps_place: bool = False
    makes_shards: bool = False
    result_type_is_free: bool = False
    pages: Pages = "of its operand"
    signature: str = ""
    function: str = ""
    takes: int = 1
    passes_on: PassedOn = "nothing"
    exact: bool = False
    adds_up: bool = False
    jumps: bool = False
    updates: bool = False
    writes: bool = False

    @property
    def dialect(self) -> str:
        return self.name.partition(".")[0]

    @property
    def mnemonic(self) -> str:
        return self.name.partition(".")[2]

    @property
    def makes_tensors(self) -> bool:
        """Whether its results are tensors."""
        return any(result.kind is TENSOR for result in self.results)

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
        """The number of operands that are always present."""
        return sum(operand.arity == "one" for operand in self.operands)

    @cached_property
    def dynamic_group(self) -> int | None:
        """The one group whose size follows from the number of operands; None where all sizes are given."""
        if self.segments:
            return None
        return next((i for i, operand in enumerate(self.operands) if operand.arity != "one"), None)


SEGMENTS = "operandSegmentSizes"
