"""``ttir-generic-op-cbs`` and ``ttir-generic-region-operands-to-memref``: the parts of operands in a core's memory."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, TensorType
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tt_model.attributes.tt import BufferAttr, OperandConstraintAttr
from tt_model.layouts.elements import tile_of
from tt_model.layouts.enums import BufferAccess, MemorySpace, OperandConstraint
from tt_model.layouts.layout import LayoutRecord
from tt_model.layouts.records import BufferRecord
from tt_model.layouts.values import LayoutError, dimensions_text
from tt_model.operations.dialects import build
from tt_model.operations.elementwise import BODIES_OF_MLIR
from tt_model.operations.tensors import tensor_type_of
from tt_model.operations.ttir import TTIRGenericOp, TTIRYieldOp
from ttl.analysis.dominance import of_kinds
from ttl.ir.failure import NotLegalized
from ttl.ir.refusals import Refusal, Refused, reports_of
from ttl.ir.rewriting import replace_type
from ttmlir.transforms.metal.generic import kernel
from ttmlir.transforms.metal.iteration import iterations_of
from ttmlir.transforms.metal.layout import layout_of, with_layout


def generics(module: ModuleOp) -> list[TTIRGenericOp]:
    """The ``ttir.generic`` of a module."""
    return of_kinds(module, TTIRGenericOp)


@dataclass(frozen=True)
class GenericOpCBs(ModulePass):
    """Give each ``ttir.generic`` circular buffers.

    Expects: generics whose operands have ``tt.layout``. Guarantees: every operand is in ``operand_cb_mapping``: as -1
    if each core has the shard that it needs in its own L1, else as the number of a circular buffer, a ``tensor.empty``
    in L1 into which the shard is streamed. A generic with a mapping stays unchanged.
    """

    name = "ttir-generic-op-cbs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        wrong: list[tuple[TTIRGenericOp, Refusal]] = []
        for generic in generics(op):
            if generic.operand_cb_mapping:
                continue
            try:
                _add_buffers(generic)
            except Refused as refused:
                wrong.append((generic, refused.refusal))
        if wrong:
            raise NotLegalized(reports_of(wrong, explicitly=True))


def matrix_grid(generic: TTIRGenericOp) -> tuple[int, int]:
    """The grid of a generic: rows and columns of cores. Raises ``Refused``."""
    shape = generic.grid.shape
    if len(shape) != 2:
        raise Refused(
            f"its grid has {len(shape)} dimensions", "what works: grids of rows and columns on one chip"
        )
    return shape[0], shape[1]


def _layout(value: SSAValue) -> LayoutRecord:
    try:
        return layout_of(value.type)
    except LayoutError as problem:
        raise Refused(
            f"an operand of type '{value.type}': {problem}", "what works: --ttir-layout in front of this pass"
        ) from None


def _add_buffers(generic: TTIRGenericOp) -> None:
    cores = matrix_grid(generic)
    iterations = iterations_of(generic)
    inputs, outputs = generic.inputs, generic.outputs
    buffers: list[EmptyOp] = []
    mapping: list[int] = []
    for position, (operand, axes) in enumerate(zip((*inputs, *outputs), iterations.maps)):
        layout = _layout(operand)
        if layout.grid.rank != len(cores):
            raise Refused(
                f"an operand lies on a grid of {layout.grid.rank} dimensions, {dimensions_text(layout.grid.shape)}",
                "what works in the TTMetal pipeline: one chip, without mesh-shape or with one of at most two dimensions",
            )
        if position >= len(inputs):
            # Cores write their own shards; after a reduction, only the first cores have a part of the result.
            if layout.grid.shape != cores or layout.memory_space is not MemorySpace.DeviceL1:
                raise Refused(
                    f"the result lies on a grid of {dimensions_text(layout.grid.shape)} in "
                    f"{layout.memory_space.keyword}, but the operation runs on {dimensions_text(cores)}",
                    "what works: a result in l1 on the grid of the generic",
                )
            mapping.append(-1)
            continue
        needed = axes.grid(cores, iterations.reduced)
        if (
            layout.memory_space is MemorySpace.DeviceL1
            and layout.grid.shape == cores == needed
            and all(axes.place((y, x), iterations.reduced) == (y, x) for y, x in product(*map(range, cores)))
        ):
            mapping.append(-1)
            continue
        type = tensor_type_of(operand)
        shards = LayoutRecord.make(type.get_shape(), tile_of(layout.element), MemorySpace.DeviceL1, needed)
        empty = EmptyOp([], with_layout(type, shards))
        empty.location = generic.location
        mapping.append(len(buffers))
        buffers.append(empty)
    block = generic.parent
    assert block is not None
    first = block.first_op
    assert first is not None
    for empty in buffers:
        block.insert_op_before(empty, first)
    given = generic.operand_constraints
    constraints = [
        *given[: len(inputs)],
        *[OperandConstraintAttr(OperandConstraint.L1)] * len(buffers),
        *given[len(inputs) :],
    ]
    region = generic.detach_region(generic.regions[0])
    changed = build(
        generic.name,
        [inputs, [empty.tensor for empty in buffers], outputs],
        [result.type for result in generic.results],
        {
            **generic.properties,
            "operandSegmentSizes": None,
            "operand_constraints": ArrayAttr(constraints),
            "operand_cb_mapping": tuple(mapping),
        },
        location=generic.location,
        regions=[region],
    )
    Rewriter.replace_op(generic, changed)


def local_tensors(generic: TTIRGenericOp) -> list[tuple[SSAValue, BufferAccess]]:
    """Return the tensor that a core uses for each input and output: its circular buffer, or the operand itself."""
    buffers = generic.cbs
    operands = (*generic.inputs, *generic.outputs)
    mapping = generic.operand_cb_mapping or (-1,) * len(operands)
    return [
        (operand, BufferAccess.Alias) if index < 0 else (buffers[index], BufferAccess.Stream)
        for operand, index in zip(operands, mapping)
    ]


@dataclass(frozen=True)
class GenericRegionOperandsToMemref(ModulePass):
    """Convert tensors inside of ``ttir.generic`` to buffers in the memory of a core.

    Expects: generics with circular buffers. Guarantees: an argument of a region is the shard of a core, in scalars,
    with a ``tt.buffer`` that has its memory and its access: streamed, or an alias of the operand.
    """

    name = "ttir-generic-region-operands-to-memref"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for generic in generics(op):
            _to_buffers(generic)


def _to_buffers(generic: TTIRGenericOp) -> None:
    block = generic.regions[0].blocks[0]
    for argument, (tensor, access) in zip(list(block.args), local_tensors(generic)):
        try:
            memref = layout_of(tensor.type).memref
        except LayoutError:
            continue  # the operand has no layout yet, and the argument stays a tensor
        type = tensor_type_of(tensor)
        shard: TensorType[Attribute] = TensorType(
            type.element_type, memref.scalar_shape, BufferAttr(BufferRecord(memref, access))
        )
        replace_type(argument, shard)
    _retype_body(generic, block)


def _retype_body(generic: TTIRGenericOp, block: Block) -> None:
    """Give results of the body the type of the destination; arithmetic on other types becomes a named kernel."""
    target = block.args[-1].type
    for op in list(block.ops):
        if isinstance(op, TTIRYieldOp) or not op.results:
            continue
        name = BODIES_OF_MLIR.get(type(op))
        if name is not None and any(operand.type != target for operand in op.operands):
            named = kernel(name, "eltwise", [*op.operands, block.args[-1]], {}, op.location)
            Rewriter.replace_op(op, named)
        elif op.results[0].type != target:
            Rewriter.replace_value_with_new_type(op.results[0], target)
