"""``ttir-generic`` and ``ttir-generic-kernel``: operations become work on the cores of a grid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, LocationAttr, ModuleOp, TensorType, bf16, f32
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tt_model.attributes.tt import GridAttr, OperandConstraintAttr, TTLayoutAttr
from tt_model.layouts.elements import TILE_SHAPE
from tt_model.layouts.enums import IteratorType, OperandConstraint
from tt_model.layouts.layout import Grid
from tt_model.layouts.values import ceil_div, dimensions_text, volume
from tt_model.operations import elementwise, shared, ttir, ttmetal
from tt_model.operations.dialects import build
from tt_model.operations.operation import RowOperation, TTIROperation
from tt_model.operations.result_shapes import exchanged
from tt_model.operations.stages import Stage, on
from tt_model.operations.tensors import shape_of
from ttl.analysis.dominance import of_kinds
from ttl.ir.affine import constant, dims, make_map
from ttl.ir.refusals import Refused
from ttmlir.transforms.metal.iteration import (
    axes_of,
    broadcast_map,
    identity,
    iterators_attribute,
    maps_attribute,
    matmul_maps,
)
from ttmlir.transforms.metal.recipes import PARAMETERS, RECIPES


@dataclass(frozen=True)
class TTIRGeneric(ModulePass):
    """Wrap operations in ``ttir.generic``.

    Expects: TTIR. Guarantees: every operation on tensors that a kernel can compute on tiles is in the region of a
    ``ttir.generic`` of its own, whose grid is that of the result. Other operations stay unchanged:
    ``convert-ttir-to-ttmetal`` reports why.
    """

    name = "ttir-generic"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in _outside_generics(op):
            try:
                work = work_of(inner)
            except Refused:
                continue
            _wrap(inner, work, OperandConstraint.AnyDeviceTile)


@dataclass(frozen=True)
class TTIRGenericKernel(ModulePass):
    """Convert operations to ``ttir.kernel`` in ``ttir.generic``.

    Expects: TTIR. Guarantees: ``add``, ``subtract``, ``multiply``, ``div``, ``ge``, ``relu`` and ``matmul`` are kernels by name in
    the region of a ``ttir.generic``, whose operands may lie anywhere on the device.
    """

    name = "ttir-generic-kernel"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in _outside_generics(op):
            if not isinstance(inner, _KERNELS_BY_NAME):
                continue
            try:
                work = work_of(inner)
            except Refused:
                continue
            named = Work(work.maps, work.iterators, inner.ROW.mnemonic, work.kind)
            _wrap(inner, named, OperandConstraint.AnyDevice)


_KERNELS_BY_NAME = (
    elementwise.TTIRAddOp,
    elementwise.TTIRSubtractOp,
    elementwise.TTIRMultiplyOp,
    elementwise.TTIRDivOp,
    elementwise.TTIRGreaterEqualOp,
    elementwise.TTIRReluOp,
    shared.TTIRMatmulOp,
)


# Operations of TTIR that the conversion to TTMetal takes directly, outside of generics or inside them.
_STRUCTURE = (
    ttir.TTIRGenericOp,
    ttir.TTIRToLayoutOp,
    ttir.TTIRFillOp,
    ttir.TTIRConstantOp,
    ttir.TTIRAllocOp,
    ttir.TTIRDeallocOp,
    ttir.TTIRYieldOp,
    ttir.TTIRKernelOp,
)


@dataclass(frozen=True, slots=True)
class Work:
    """The work of a generic: ``body`` is an operation of MLIR, or the name of a ``ttir.kernel`` of that ``kind``."""

    maps: tuple[AffineMap, ...]
    iterators: tuple[IteratorType, ...]
    body: type[Operation] | str
    kind: str = "eltwise"


def _outside_generics(module: ModuleOp) -> list[TTIROperation]:
    return [op for op in of_kinds(module, TTIROperation) if not _is_inside(op)]


def _is_inside(op: Operation) -> bool:
    parent = op.parent_op()
    return isinstance(parent, ttir.TTIRGenericOp | ttmetal.TTMetalDispatchOp)


# Operations that become a generic


def work_of(op: RowOperation) -> Work:
    """Return the work of an operation. Raises ``Refused`` if no kernel computes it."""
    rule = RULES.of(type(op))
    if rule is None or not _has_kernel(type(op)):
        raise Refused(
            f"no kernel computes '{op.name}'",
            f"what works in the TTMetal pipeline: {', '.join(_computed())}; and all of TTIR in the TTNN pipeline, "
            "--ttir-to-ttnn-backend-pipeline",
        )
    if len(op.results) != 1:
        raise Refused(f"it has {len(op.results)} results", "what works: one result")
    for value in op.operands:
        _check_elements(value)
    work = rule(op)
    operands = (*_inputs(op), op.inits[0])
    axes = axes_of(work.maps, work.iterators, [shape_of(value) for value in operands])
    if axes.reduced and isinstance(op, shared.TTIRReductionOp):
        _check_reduction(op)
    return work


def _inputs(op: RowOperation) -> tuple[SSAValue, ...]:
    start, _ = op.init_bounds
    return tuple(op.operands[:start])


def _check_elements(value: SSAValue) -> None:
    type = value.type
    if not isinstance(type, TensorType) or type.element_type not in (f32, bf16):
        element = type.element_type if isinstance(type, TensorType) else type
        raise Refused(
            f"its elements are {element}", "what works in the TTMetal pipeline: tensors of f32 and bf16"
        )
    if not type.get_shape() or any(extent < 1 for extent in type.get_shape()):
        raise Refused(
            f"an operand has the shape {dimensions_text(type.get_shape()) or 'of a single number'}",
            "what works: tensors of at least one dimension, of known extents that are not 0",
        )


def _elementwise(op: elementwise.TTIRElementwiseOp | ttir.TTIRClampOp) -> Work:
    result = shape_of(op.inits[0])
    inputs = _inputs(op)
    maps = tuple(broadcast_map(shape_of(value), result) for value in (*inputs, op.inits[0]))
    iterators = (IteratorType.Parallel,) * len(result)
    known = next((body for body, name in elementwise.BODIES_OF_MLIR.items() if name == op.ROW.mnemonic), None)
    if known is not None and len({value.type for value in op.operands}) == 1:
        return Work(maps, iterators, known)
    return Work(maps, iterators, op.ROW.mnemonic)


def reduced_dims(op: shared.TTIRReductionOp) -> tuple[int, ...]:
    """The dimensions that a reduction removes, in ascending order; all dimensions if it does not name any."""
    rank = len(shape_of(op.operands[0]))
    given = op.dim_arg
    wanted = range(rank) if given is None else given
    if any(not -rank <= dim < rank for dim in wanted):
        raise Refused(
            f"it reduces dimension {next(dim for dim in wanted if not -rank <= dim < rank)} of {rank}",
            f"what works: dimensions from {-rank} to {rank - 1}",
        )
    return tuple(sorted({dim % rank for dim in wanted}))


def _reduction(op: shared.TTIRReductionOp) -> Work:
    source, result = shape_of(op.operands[0]), shape_of(op.inits[0])
    reduced = reduced_dims(op)
    rank = len(source)
    iterators = tuple(
        IteratorType.Reduction if dim in reduced else IteratorType.Parallel for dim in range(rank)
    )
    if len(result) == rank:
        maps = (identity(rank), identity(rank))
    elif len(result) == rank - len(reduced):
        axes = dims(rank)
        maps = (identity(rank), make_map(rank, [axes[dim] for dim in range(rank) if dim not in reduced]))
    else:
        raise Refused(
            f"its result {dimensions_text(result)} has {len(result)} dimensions",
            "what works: the dimensions of the operand, or those that are not reduced",
        )
    if volume([source[dim] for dim in reduced]) == 1:
        kept = [dim for dim in range(rank) if dim not in reduced]
        taken = [constant(0)] * rank
        for position, dim in enumerate(range(rank) if len(result) == rank else kept):
            taken[dim] = dims(len(result))[position]
        parallel = (IteratorType.Parallel,) * len(result)
        return Work((make_map(len(result), taken), identity(len(result))), parallel, "copy")
    return Work(maps, iterators, "reduce", op.ROW.mnemonic)


def _check_reduction(op: shared.TTIRReductionOp) -> None:
    """Raise ``Refused`` if padding would be reduced, or if the result is not where the reduction of tiles leaves it."""
    source, result = shape_of(op.operands[0]), shape_of(op.inits[0])
    reduced = reduced_dims(op)
    kept = tuple(1 if dim in reduced else extent for dim, extent in enumerate(source))
    rows, columns = _matrix(source)
    along_columns = source[-1] > 1 and len(source) - 1 in reduced
    along_rows = any(source[dim] > 1 for dim in reduced if dim < len(source) - 1)
    for is_reduced, extent in ((along_rows, rows), (along_columns, columns)):
        if is_reduced and extent % TILE_SHAPE[0]:
            raise Refused(
                f"it reduces {extent} numbers of each row or column, but the padding of the last tile is not known",
                "what works: reductions of a multiple of 32 numbers",
            )
    (rows_left, columns_left), (rows_given, columns_given) = _matrix(kept), _matrix(result)
    fits = (along_rows or rows_left == rows_given) and (along_columns or columns_left == columns_given)
    turned = along_columns and len(result) != len(source) and rows_left != 1
    if turned or not fits or _tiles(kept) != _tiles(result):
        raise Refused(
            f"its result {dimensions_text(result)} does not lie as a reduction of tiles leaves it: the last dimension in "
            "the first column, others in the first row",
            "what works: keep_dim = true; without it, reductions of all dimensions but the last",
        )


def _matrix(shape: tuple[int, ...]) -> tuple[int, int]:
    return volume(shape[:-1]), shape[-1] if shape else 1


def _tiles(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(ceil_div(extent, of_tile) for extent, of_tile in zip(_matrix(shape), TILE_SHAPE))


def _matmul(op: shared.TTIRMatmulOp) -> Work:
    left, right, result = (shape_of(value) for value in op.operands)
    if not len(left) == len(right) == len(result) >= 2:
        raise Refused(
            f"it multiplies {dimensions_text(left)} by {dimensions_text(right)}",
            "what works: operands and result of one rank, two or more",
        )
    if left[-1] % TILE_SHAPE[1]:
        raise Refused(
            f"it sums over {left[-1]} products, but the padding of the last tile is not known",
            "what works: a multiple of 32 columns on the left",
        )
    maps = [
        make_map(
            map.num_dims,
            [
                constant(0) if extent == 1 and wide > 1 and place < len(result) - 2 else expr
                for place, (expr, extent, wide) in enumerate(zip(map.results, shape, result))
            ],
        )
        for map, shape in zip(matmul_maps(len(result)), (left, right, result))
    ]
    iterators = (*(IteratorType.Parallel,) * len(result), IteratorType.Systolic)
    return Work(tuple(maps), iterators, "matmul", "matmul")


def _transpose(op: shared.TTIRTransposeOp) -> Work:
    rank = len(shape_of(op.inits[0]))
    axes = exchanged(dims(rank), (op.dim0 % rank, op.dim1 % rank))
    return Work(
        (make_map(rank, axes), identity(rank)), (IteratorType.Parallel,) * rank, "transpose", "transpose"
    )


def _reshape(op: shared.TTIRReshapeOp | ttir.TTIRSqueezeOp | ttir.TTIRUnsqueezeOp) -> Work:
    """Return the work of a reshape that inserts or removes dimensions of extent 1. Raises ``Refused`` for others."""
    source, result = shape_of(op.operands[0]), shape_of(op.inits[0])
    if [extent for extent in source if extent > 1] != [extent for extent in result if extent > 1]:
        raise Refused(
            f"it makes {dimensions_text(result)} of {dimensions_text(source)}",
            "what works in the TTMetal pipeline: dimensions of extent 1 that come and go",
        )
    live = iter([axis for axis, extent in zip(dims(len(result)), result) if extent > 1])
    taken = make_map(len(result), [next(live) if extent > 1 else constant(0) for extent in source])
    return Work((taken, identity(len(result))), (IteratorType.Parallel,) * len(result), "copy")


def _broadcast(op: ttir.TTIRBroadcastOp) -> Work:
    source, result = shape_of(op.operands[0]), shape_of(op.inits[0])
    wide = result[len(result) - len(source) :]
    if len(source) > len(result) or any(one not in (1, other) for one, other in zip(source, wide)):
        raise Refused(
            f"it repeats {dimensions_text(source)} to {dimensions_text(result)}",
            "what works: dimensions of extent 1 that are repeated",
        )
    maps = (broadcast_map(source, result), identity(len(result)))
    return Work(maps, (IteratorType.Parallel,) * len(result), "copy")


RULES = Stage(
    on(elementwise.TTIRElementwiseOp, _elementwise),
    on(ttir.TTIRClampOp, _elementwise),
    on(shared.TTIRReductionOp, _reduction),
    on(shared.TTIRMatmulOp, _matmul),
    on(shared.TTIRTransposeOp, _transpose),
    on(ttir.TTIRBroadcastOp, _broadcast),
    on(shared.TTIRReshapeOp, _reshape),
    on(ttir.TTIRSqueezeOp, _reshape),
    on(ttir.TTIRUnsqueezeOp, _reshape),
)


def _has_kernel(kind: type[RowOperation]) -> bool:
    """Whether a kernel computes the operations of a class with a rule: elementwise ones need a recipe, too."""
    return RULES.of(kind) is not _elementwise or kind.ROW.mnemonic in RECIPES


def _computed() -> list[str]:
    kinds = [kind for kind in ttir.TTIR.classes.values() if RULES.of(kind) is not None and _has_kernel(kind)]
    return [kind.ROW.mnemonic for kind in kinds]


# The generic


def _wrap(op: RowOperation, work: Work, constraint: OperandConstraint) -> None:
    inputs, init = _inputs(op), op.inits[0]
    count = len(inputs) + 1
    block = Block(arg_types=[value.type for value in (*inputs, init)])
    for argument in block.args:
        argument.location = op.location
    body = _body(op, work, block.args, op.location)
    block.add_ops([body, build("ttir.yield", [body.results], [], location=op.location)])
    generic = build(
        "ttir.generic",
        [inputs, [], [init]],
        [init.type],
        {
            "grid": GridAttr(Grid(_grid_of(init.type))),
            "indexing_maps": maps_attribute(work.maps),
            "iterator_types": iterators_attribute(work.iterators),
            "operand_constraints": ArrayAttr([OperandConstraintAttr(constraint)] * count),
            "operand_cb_mapping": (),
        },
        location=op.location,
        regions=[Region(block)],
    )
    Rewriter.replace_op(op, generic)


def _grid_of(type: Attribute) -> tuple[int, ...]:
    encoding = type.encoding if isinstance(type, TensorType) else None
    return encoding.data.grid.shape if isinstance(encoding, TTLayoutAttr) else (1, 1)


def _body(op: RowOperation, work: Work, arguments: Sequence[SSAValue], place: LocationAttr) -> Operation:
    if isinstance(work.body, str):
        return kernel(work.body, work.kind, arguments, _parameters(op), place)
    make: Callable[..., Operation] = work.body
    body = make(*arguments[:-1])
    body.location = place
    return body


def kernel(
    name: str,
    kind: str,
    arguments: Sequence[SSAValue],
    parameters: Mapping[str, Attribute],
    place: LocationAttr,
) -> RowOperation:
    """Build a ``ttir.kernel`` on the arguments of a region, the last of which is its destination.

    ``parameters`` are attributes of the kernel.
    """
    *inputs, output = arguments
    constraints = ArrayAttr([OperandConstraintAttr(OperandConstraint.AnyDevice)] * len(arguments))
    op = build(
        "ttir.kernel",
        [inputs, [output]],
        [output.type],
        {"op": name, "kind": kind, "operand_constraints": constraints},
        location=place,
    )
    op.attributes.update(parameters)
    return op


def _parameters(op: RowOperation) -> dict[str, Attribute]:
    return {name: op.properties[name] for name in PARAMETERS if name in op.properties}


def what_stays(module: ModuleOp) -> Iterator[tuple[RowOperation, Refused]]:
    """Yield the operations of TTIR that ``ttir-generic`` leaves unchanged, with the reason."""
    for op in _outside_generics(module):
        if isinstance(op, _STRUCTURE):
            continue
        try:
            work_of(op)
        except Refused as refused:
            yield op, refused
