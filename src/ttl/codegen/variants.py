"""Variants of an operation: the choices that could be made differently, and the program compiled with other choices.

``ttl.emu.advice`` measures variants before it advises another choice.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import BoolAttr, StringAttr

from ttl.arch.microcores import MOVEMENT
from ttl.codegen.compile import compile_module, has_shapes
from ttl.codegen.description import ProgramDescription
from ttl.dialects import ttl as dialect
from ttl.dialects.compute import attribute_of
from ttl.frontend.lowered import Lowered
from ttl.ir.locations import span_of
from ttl.passes.buffers.l1 import block_pages
from ttl.passes.compute.modes import FP32
from ttl.passes.movement.nodes import hinted_noc, movement_kernels
from ttl.passes.movement.read_over import ReadOver
from ttl.passes.names import name_resources
from ttl.rows.row import Approximation, Op
from ttl.settings import Settings
from ttl.source.spans import Span

_FIDELITY = "ttl.math_fidelity"


@dataclass(frozen=True, kw_only=True, slots=True)
class Variant:
    """Other choices for compiling an operation; a field that is None keeps the operation's own choice."""

    fp32_dest: bool | None = None
    """Whether values in the registers are 32 bits wide."""
    fidelity: str | None = None
    """The fidelity of products on the matrix unit."""
    approximate: bool = False
    """Whether functions use their faster, coarser variant, if they have one."""
    nocs: tuple[int, ...] = ()
    """The NoCs of the data movement kernels, in the order of the program."""
    reads_over: tuple[str, int] | None = None
    """A tensor, and the NoC over which kernels read it if their own NoC is another one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BufferChoice:
    """A dataflow buffer of the program, as declared."""

    name: str
    """The name of its circular buffer."""
    shown: str
    """Its name in the program."""
    span: Span | None
    shape: tuple[int, ...]
    """The shape of a block: in tiles, or in elements for row-major buffers."""
    block_count: int
    pages: int
    """The number of pages of a block in the circular buffer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ApproximableCall:
    """An exact function of the vector unit that has a faster variant with an error of up to ``worst``."""

    label: str
    parameter: str
    """The parameter that requests the faster variant."""
    worst: float
    span: Span | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Choices:
    """The choices that a program made and could have made differently."""

    buffers: tuple[BufferChoice, ...]
    approximable: tuple[ApproximableCall, ...]
    products: tuple[Span, ...]
    """The places of products of matrices."""
    movement: tuple[Span, ...]
    """The places where data movement kernels are defined, in order."""
    pinned: bool
    """Whether a data movement kernel requests a NoC itself."""
    fidelity: str | None
    """The math fidelity that the operation requests."""
    reduces: bool
    """Whether the operation has reductions, so that parts of a result depend on each other."""


def choices_of(lowered: Lowered) -> Choices:
    """The choices of the only operation in ``lowered``."""
    (operation,) = (op for op in lowered.module.clone().walk() if isinstance(op, dialect.OperationOp))
    dfbs = [op for op in operation.walk() if isinstance(op, dialect.CreateDfbOp)]
    shown = [op.buffer_name.data for op in dfbs]
    name_resources(operation)
    fidelity = operation.attributes.get(_FIDELITY)
    computed = [op for op in operation.walk() if isinstance(op, dialect.BlockComputeOp)]
    return Choices(
        buffers=tuple(
            BufferChoice(
                name=op.buffer_name.data,
                shown=name,
                span=span_of(op),
                shape=op.result.type.shape,
                block_count=op.result.type.block_count,
                pages=block_pages(op.result.type.block_type),
            )
            for op, name in zip(dfbs, shown, strict=True)
        ),
        approximable=tuple(
            ApproximableCall(label=op.row.label, parameter=asked[1], worst=asked[0].worst, span=span_of(op))
            for op in computed
            if (asked := _approximation(op.row)) is not None and not op.row.asks_approximation(op.params)
        ),
        products=tuple(
            span for op in computed if op.row.family == "product" and (span := span_of(op)) is not None
        ),
        movement=tuple(
            span for kernel in movement_kernels(operation) if (span := span_of(kernel)) is not None
        ),
        pinned=any(hinted_noc(kernel) is not None for kernel in movement_kernels(operation)),
        fidelity=fidelity.data if isinstance(fidelity, StringAttr) else None,
        reduces=any(op.row.family == "reduction" for op in computed),
    )


def alone(lowered: Lowered, number: int) -> Lowered:
    """Return ``lowered`` with a single operation: ``number`` counts operations with shapes, as the descriptions do."""
    module = lowered.module.clone()
    operations = [op for op in module.body.block.ops if isinstance(op, dialect.OperationOp)]
    own = [op for op in operations if has_shapes(op)][number]
    for op in operations:
        if op is not own:
            module.body.block.detach_op(op)
    return Lowered(module=module)


def compile_variant(lowered: Lowered, variant: Variant, chosen: Settings) -> ProgramDescription | None:
    """Compile the operation in ``lowered`` with other choices; return None if the compiler refuses them."""
    module = lowered.module.clone()
    for op in module.walk():
        if isinstance(op, dialect.OperationOp):
            _choose(op, variant)
        elif variant.approximate and isinstance(op, dialect.BlockComputeOp):
            asked = _approximation(op.row)
            if asked is not None:
                op.attributes[asked[1]] = attribute_of(True)
    then = [] if variant.reads_over is None else [ReadOver(*variant.reads_over)]
    compiled = compile_module(module, chosen, then=then)
    return compiled.descriptions[0] if compiled.descriptions else None


def _choose(operation: dialect.OperationOp, variant: Variant) -> None:
    if variant.fp32_dest is not None:
        operation.attributes[FP32] = BoolAttr.from_bool(variant.fp32_dest)
    if variant.fidelity is not None:
        operation.attributes[_FIDELITY] = StringAttr(variant.fidelity)
    for kernel, noc in zip(movement_kernels(operation), variant.nocs):
        kernel.hint_word = StringAttr(MOVEMENT[noc])


def _approximation(row: Op) -> tuple[Approximation, str] | None:
    """Return the approximation of a function and the parameter that requests it; None if it is always exact."""
    approximation = row.approximation
    if approximation is None or approximation.asked != "function":
        return None
    for call in row.hardware["0.81"][:1]:
        for slot in call.function.template:
            if slot.kind == "bool":
                return approximation, slot.name
    return None
