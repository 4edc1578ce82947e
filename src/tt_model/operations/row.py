"""One row describes one operation of the dialects, as data.

For TTIR, TTNN and TTMetal it is made from the class of the operation; for TTKernel the row is written, and the class is
made from it. The parser, the verifier, the bindings and the reference pages read rows. A stage registers its functions
for classes (``tt_model.operations.stages``).
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

# The number of values in a group of operands or results.
Arity = Literal["one", "optional", "variadic"]

# The guarantees of an operation, in MLIR's words. ``ConstantLike``: its result is the value of an attribute. ``Pure``:
# it has no effect and may be moved. ``NoMemoryEffect``: it is removed if it is unused. ``Terminator``: it ends a block.
Trait = Literal["ConstantLike", "Pure", "NoMemoryEffect", "Terminator", "ReturnLike", "NoTerminator"]


# A condition on an operation of valid structure, of the class with the condition: returns the text of the problem, or
# None.
Check = Callable[[Any], str | None]

# Returns the attribute that replaces an operation whose value is known, or None.
Fold = Callable[[Any], "Attribute | None"]

NO_DEFAULT: Any = object()


@dataclass(frozen=True, kw_only=True, slots=True)
class OperandDefinition:
    """A named group of operands.

    ``takes`` is the library's requirement on them; None if they are not tensors that it reads.
    """

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
    """An inherent attribute. ``default`` is its value, in Python's form, if the text omits it."""

    name: str
    kind: AttributeKind[Any]
    optional: bool = False
    default: Any = NO_DEFAULT


@dataclass(frozen=True, slots=True)
class SameOperation:
    """The lowering to TTNN's operation of the same name, with the same operands, destination and attributes."""


@dataclass(frozen=True, slots=True)
class WithoutInit:
    """The lowering to TTNN's operation of the same name, with the same attributes, without the destination."""


@dataclass(frozen=True, slots=True)
class NoLowering:
    """There is no such operation in TTNN. ``reason`` says why and what to do, for the error."""

    reason: str


# The operands that the layout pass gives a layout.
LaidOut = Literal["all", "inits", "none"]

Lowering = SameOperation | WithoutInit | NoLowering

# The pages that the library makes its result in, which the type of the result may not state.
Pages = Literal["tiles", "rows", "of its type", "of its operand"]

# The elements of its operands that an operation returns unchanged, in another place, type or shape.
PassedOn = Literal["nothing", "everything", "parts"]


@dataclass(frozen=True, slots=True)
class FlatbufferTable:
    """The table of the TTNN file for an operation, and the member of its ``type`` enumeration, if any."""

    table: str
    type: str = ""


class Facts(TypedDict, total=False):
    """The facts that the class of an operation states in addition to its fields: fields of ``Row``."""

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
    """The description of an operation.

    ``inits`` is the name of the operand group with the destinations of the results; None if it is not of destination
    style. ``segments``: the sizes of operand groups are in ``operandSegmentSizes``. ``inits_by_results``: there are two
    groups, the second of which, the destinations, has an operand for each result. ``regions`` is the number of regions.
    ``verify`` are conditions, in order, that are not specific to a class (``tt_model.operations.verifiers``). ``fold``
    returns the value of the results where it is known. ``lowering`` is the conversion to TTNN if the pass has no rule
    for the class; ``layout`` names the operands that get a layout before that: all, the destination only, or none.
    ``flatbuffer`` is its form in a TTNN file; ``kernel_function`` the function of the kernel API that it calls.

    Facts for passes. ``runs_kernels``: it runs kernels that were compiled for the layouts of its operands. ``moves``:
    it changes the place or the layout of a tensor, but no value except by conversion to another type. ``keeps_place``:
    the library makes the result where the first operand lies. ``makes_shards``: it can make its result in shards.
    ``updates``: elements of its destination that it does not write remain, so that the destination is read, too.
    ``writes``: the library writes into the destination, and makes no tensor of its own. ``result_type_is_free``: the
    result has the data type that is requested, not that of the operands. ``pages``: the pages of the library's result.
    ``signature`` has the parameters of the library's function, which has the name of the operation, in Python's form:
    those before ``/`` are passed by position. They are the operands without the destination, then the attributes, in
    the order of the class.

    Facts about its numbers. ``function``: the row of the language (``ttl.rows``) that it computes element by element;
    empty if TT-Lang has no such function. ``takes``: the number of tensors of an elementwise operation. ``passes_on``:
    the elements of its operands that it returns unchanged. ``exact``: its elements are those of its operands, or from a
    small set of numbers, so that nothing is rounded. ``adds_up``: its elements are sums, whose error is in proportion
    to the magnitudes of the terms. ``jumps``: its result may change much if its operands change a little.
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
        """The one group whose size follows from the number of operands; None if all sizes are explicit."""
        if self.segments:
            return None
        return next((i for i, operand in enumerate(self.operands) if operand.arity != "one"), None)


SEGMENTS = "operandSegmentSizes"
