"""``convert-ttir-to-ttnn``: every operation of TTIR becomes what TTNN has for it.

Expects: TTIR after ``ttnn-layout``: every tensor has a ``ttnn.ttnn_layout``, the module has its ``tt.device``. Guarantees: no
operation but those of TTNN and ``func``, or an error about every operation for which that is not possible; then nothing
has changed.

How an operation is converted is said by its class, as it is or without its destination, or by one of the functions below, which
``RULES`` registers.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import BoolAttr, DenseIntOrFPElementsAttr, IntegerType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Attribute, Block, Operation, SSAValue, Use
from xdsl.passes import ModulePass

from ttl.ir.dense import is_splat
from ttl.ir.failure import NotLegalized
from ttl.ir.refusals import Refusal, Refused, reports_of
from ttl.ir.reports import Report
from ttl.ir.verifier import Violation
from ttmlir.attributes.tt import DeviceAttr
from ttmlir.attributes.ttnn import TTNNLayoutAttr
from ttmlir.layouts.elements import TILE_SHAPE, data_type_of
from ttmlir.layouts.enums import ReduceOperation, ShardType
from ttmlir.layouts.layout import TTNNLayout
from ttmlir.layouts.mesh import groups_along, rows_and_columns
from ttmlir.layouts.values import LayoutError
from ttmlir.operations.constants import splat_of
from ttmlir.operations.elementwise import TTIRElementwiseOp, TTIRSubtractOp, TTIRTypecastOp
from ttmlir.operations.operation import RowOperation, TTIROperation
from ttmlir.operations.row import NoLowering, Row, Same, WithoutInit
from ttmlir.operations.shared import TTIRConcatOp, TTIRMeshShardOp, TTIRReductionOp, TTNNReshapeOp
from ttmlir.operations.stages import Stage, on
from ttmlir.operations.tensors import shape_of, tensor_type_of
from ttmlir.operations.ttir import (
    TTIRAllGatherOp,
    TTIRAllReduceOp,
    TTIRBroadcastOp,
    TTIRClampOp,
    TTIRConstantOp,
    TTIRConv2dOp,
    TTIREmbeddingOp,
    TTIRFillOp,
    TTIRMaxPool2dOp,
    TTIRReduceScatterOp,
    TTIRSqueezeOp,
    TTIRToLayoutOp,
    TTIRUnsqueezeOp,
)
from ttmlir.operations.ttnn import TTNN, TTNNEmptyOp, TTNNMaxPool2dOp
from ttmlir.operations.verify_mesh import problem_with_mesh
from ttmlir.transforms.conversion import (
    Conversion,
    data_type_attribute,
    layout_of,
    memory_config_attribute,
    page_layout_attribute,
    with_layout,
    with_shape,
)
from ttmlir.transforms.decomposition import DECOMPOSITIONS

# How many dimensions TTNN can give a tensor.
_MOST_DIMENSIONS = 5
_LEGAL = {"builtin", "func", "ttnn"}
_SYMMETRIC = (
    "what works: the same padding on both sides; or pad before, by ttir.concat with constants, and give the operation "
    "no padding"
)


@dataclass(frozen=True)
class ConvertTTIRToTTNN(ModulePass):
    """Convert TTIR to TTNN."""

    name = "convert-ttir-to-ttnn"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        refused = [
            (inner, refusal) for inner in _operations(op) if (refusal := _refusal(inner, op)) is not None
        ]
        conversions: list[_ToTTNN] = []
        if not refused:
            for function in op.walk():
                if not isinstance(function, FuncOp):
                    continue
                for block in function.body.blocks:
                    _separate_destinations(block)
                    conversion = _ToTTNN(block, op)
                    conversions.append(conversion)
                    conversion.convert_block(block)
                    refused += conversion.refused
        if refused:
            for conversion in conversions:
                conversion.abandon()
            raise NotLegalized(reports_of(refused))
        for conversion in conversions:
            conversion.commit()

    def foresees(self, module: ModuleOp) -> list[Report]:
        """What can be said before decomposition and layouts: what they expand is not asked."""
        return reports_of(
            (inner, refusal)
            for inner in _operations(module)
            if DECOMPOSITIONS.of(type(inner)) is None and (refusal := _refusal(inner, module)) is not None
        )


def _operations(module: ModuleOp) -> list[Operation]:
    return [op for function in module.walk() if isinstance(function, FuncOp) for op in function.body.walk()]


def _separate_destinations(block: Block) -> None:
    """Give every operation a destination of its own: in TTNN it is memory, which the next operation would write over."""
    taken: set[SSAValue] = set()
    for op in block.ops:
        if not isinstance(op, RowOperation) or op.ROW.inits is None:
            continue
        for position in range(*op.init_bounds):
            value = op.operands[position]
            empty = value.owner
            if value in taken and isinstance(empty, EmptyOp):
                own = EmptyOp(empty.dynamic_sizes, empty.tensor.type)
                own.location = empty.location
                block.insert_op_before(own, op)
                op.operands[position] = own.tensor
            taken.add(value)


class _ToTTNN(Conversion):
    """Converts the operations of a block in order, by their rules, which say themselves what becomes of results."""

    def convert(self, op: Operation) -> Sequence[SSAValue] | None:
        try:
            if isinstance(op, TTIROperation):
                self._by_rule(op)
                return None
            return [self.empty(tensor_type_of(op.tensor))] if isinstance(op, EmptyOp) else self.keep(op)
        except (LayoutError, Violation) as problem:
            raise Refused(str(problem), "what works: shapes and element types that TTNN has") from problem

    def _by_rule(self, op: TTIROperation) -> None:
        rule = RULES.of(type(op))
        if rule is not None:
            rule(op, self)
            return
        match op.ROW.lowering:
            case Same():
                _same(op, self)
            case WithoutInit():
                _without_init(op, self)
            case _:
                raise AssertionError(f"{op.name} has been refused before")


def _refusal(op: Operation, module: ModuleOp) -> Refusal | None:
    """Why an operation has no conversion, as far as that does not depend on layouts."""
    if isinstance(op, EmptyOp) or op.name.partition(".")[0] in _LEGAL:
        return None
    if not isinstance(op, TTIROperation):
        return Refusal(
            f"{op.name} is no operation of TTIR, and TTNN has none for it",
            "what works: operations of TTIR, such as ttir.constant for arith.constant; a function is called, not branched to",
        )
    if DECOMPOSITIONS.of(type(op)) is not None:
        return Refusal(
            f"{op.name} is decomposed into operations that TTNN has, and this one is still whole",
            "what works: the pass ttir-to-ttir-decomposition in front of this one",
        )
    match op.ROW.lowering:
        case NoLowering(reason=reason):
            return Refusal(
                reason, "what works: the way to TTMetal, which comes with the second half of TT-MLIR"
            )
    condition = CONDITIONS.of(type(op))
    return None if condition is None else condition(op)


# Conditions that do not depend on layouts.


def _constant_refusal(op: TTIRConstantOp | TTIRFillOp) -> Refusal | None:
    value = op.value
    number = splat_of(op)
    if number is not None:
        element = tensor_type_of(op.result).element_type
        exact = struct.unpack("<f", struct.pack("<f", number))[0] == number
        if exact or not isinstance(element, IntegerType):
            return None
        return Refusal(
            f"its value {number:.0f} is not a 32-bit float, and TTNN fills tensors with one of those",
            f"what works: integers from {-(1 << 24)} to {1 << 24}, or the tensor as an argument of the function",
        )
    if isinstance(value, DenseIntOrFPElementsAttr) and is_splat(value):
        type = value.type.element_type
        return Refusal(
            f"its value is of the type {type}, which TTNN does not fill tensors with",
            "what works: floats, and integers of 1, 8, 16, 32 or 64 bits",
        )
    shape = "x".join(map(str, shape_of(op.result)))
    return Refusal(
        f"its value is not one number repeated, and TTNN fills tensors ({shape} here) with one number only",
        "what works: dense<number> with one number, small tables by --ttir-to-ttir-decomposition in front of this pass; other "
        "tensors as arguments of the function",
    )


def _padding_refusal(op: TTIRConv2dOp | TTIRMaxPool2dOp) -> Refusal | None:
    top, bottom, left, right = op.padding_top, op.padding_bottom, op.padding_left, op.padding_right
    if top == bottom and left == right:
        return None
    return Refusal(
        f"TTNN pads both sides alike: padding_top = {top}, padding_bottom = {bottom}, padding_left = {left}, "
        f"padding_right = {right}",
        _SYMMETRIC,
    )


def _conv2d_refusal(op: TTIRConv2dOp) -> Refusal | None:
    rank = len(shape_of(op.input))
    if rank != 4:
        return Refusal(
            f"TTNN's convolution reads batch, height, width and channels, and the input has {rank} dimensions",
            "what works: an input of four dimensions, by ttir.reshape or ttir.unsqueeze",
        )
    bias = op.bias
    if bias is not None and shape_of(bias)[:-1] != (1, 1, 1):
        return Refusal(
            f"the bias {'x'.join(map(str, shape_of(bias)))} has data in another dimension than the last",
            "what works: a bias of the shape 1x1x1xchannels, by ttir.reshape",
        )
    return _padding_refusal(op)


def _max_pool2d_refusal(op: TTIRMaxPool2dOp) -> Refusal | None:
    element = tensor_type_of(op.input).element_type
    takes = TTNNMaxPool2dOp.input.takes
    if takes is None or not takes.type_of(data_type_of(element)):
        return Refusal(
            f"'ttnn.max_pool2d' op currently only supports an input type of bfloat16, and this one is {element}",
            "what works: ttir.typecast to bf16 before, and back after",
        )
    return _padding_refusal(op)


CONDITIONS = Stage(
    on(TTIRConstantOp, _constant_refusal),
    on(TTIRFillOp, _constant_refusal),
    on(TTIRConv2dOp, _conv2d_refusal),
    on(TTIRMaxPool2dOp, _max_pool2d_refusal),
)


# Conversions.


def _attributes(op: RowOperation) -> dict[str, Any]:
    return {
        name: value
        for name, value in op.properties.items()
        if name not in ("operand_constraints", "operandSegmentSizes")
    }


def _same(op: RowOperation, conversion: Conversion) -> None:
    """The same operands, destination included. A result has the type of its destination, whose layout may have been forced."""
    groups: list[Any] = []
    for definition in op.ROW.operands:
        if definition.name == op.ROW.inits:
            groups.append([conversion.use(value) for value in op.operands_of(definition)])
        elif isinstance(op, TTIRElementwiseOp):
            groups.append(conversion.broadcast(op))
        else:
            groups.append([conversion.whole(value) for value in op.operands_of(definition)])
    types = [conversion.use(value).type for value in op.inits]
    new = conversion.make(f"ttnn.{op.ROW.mnemonic}", groups, types, _attributes(op))
    conversion.become(op.results, new.results)


def reduction(op: TTIRReductionOp, conversion: Conversion) -> None:
    """The library's result has the dimensions that ``keep_dim`` says: it says those that the result has."""
    _without_init(op, conversion, keep_dim=BoolAttr.from_bool(op.keeps_rank))


def _without_init(op: RowOperation, conversion: Conversion, **other: Attribute) -> None:
    groups = [
        conversion.broadcast(op)
        if isinstance(op, TTIRElementwiseOp)
        else [conversion.whole(value) for value in op.operands_of(definition)]
        for definition in op.ROW.operands
        if definition.name != op.ROW.inits
    ]
    new = conversion.make(
        f"ttnn.{op.ROW.mnemonic}", groups, [value.type for value in op.results], _attributes(op) | other
    )
    conversion.become(op.results, new.results)


def to_layout(op: TTIRToLayoutOp, conversion: Conversion) -> None:
    """To the host as it is said; to the device in tiles, unless a user reads rows. The destination goes."""
    source = conversion.whole(op.input)
    type = tensor_type_of(op.result)
    layout = layout_of(type)
    reason = None
    if not layout.buffer_type.is_host:
        layout, reason = _forced(op, layout)
        type = with_layout(type, layout)
    on_device = not layout.buffer_type.is_host
    new = conversion.make(
        "ttnn.to_layout",
        [source, conversion.device() if on_device else None],
        [type],
        {
            "dtype": data_type_attribute(layout),
            "layout": page_layout_attribute(layout),
            "memory_config": memory_config_attribute(layout),
        },
    )
    conversion.become([op.result], [new.result])
    if reason is not None:
        conversion.because(new.result, reason)
    _drop_destination(op, conversion)


def _forced(op: TTIRToLayoutOp, layout: TTNNLayout) -> tuple[TTNNLayout, str]:
    """The layout on the device, and why."""
    for use in op.result.uses:
        if _reads_rows(use) and not _comes_to_tiles(use.operation):
            return layout.row_major(), f"rows, because {use.operation.name} reads it, which needs rows"
    reason = (
        "tiles, because no user needs rows (ttir.conv2d, ttir.max_pool2d, ttir.embedding do, and ttir.slice before none that "
        "takes tiles)"
    )
    return layout.tiled(), reason


def _comes_to_tiles(op: Operation) -> bool:
    """Whether an operation leaves rows as they are, and some operation behind it takes tiles only."""
    if not _keeps_pages(op):
        return False
    waiting, seen = [op], {op}
    while waiting:
        for use in [use for result in waiting.pop().results for use in result.uses]:
            user = use.operation
            if _keeps_pages(user):
                if user not in seen:
                    seen.add(user)
                    waiting.append(user)
            elif not _reads_rows(use) and not _is_left(user):
                return True
    return False


def _becomes(op: Operation) -> Row | None:
    """The row of the operation of TTNN that one of TTIR becomes; None where it becomes none, or several."""
    if isinstance(op, TTIRSqueezeOp | TTIRUnsqueezeOp):
        return TTNNReshapeOp.ROW
    return TTNN.by_name.get(f"ttnn.{op.ROW.mnemonic}") if isinstance(op, TTIROperation) else None


def _keeps_pages(op: Operation) -> bool:
    """Whether the result has the pages of the one operand: what takes tiles only does not follow rows then."""
    row = _becomes(op)
    return (
        row is not None and not row.moves and row.pages == "of its operand" and row.operands[0].arity == "one"
    )


def _reads_rows(use: Use) -> bool:
    """Whether the library rather has rows where a tensor is used."""
    op, row = use.operation, _becomes(use.operation)
    return (
        isinstance(op, RowOperation)
        and row is not None
        and any(
            group.takes is not None
            and group.takes.prefers_rows
            and op.operands[use.index] in op.operands_of(group)
            for group in row.operands
        )
    )


def _is_left(user: Operation) -> bool:
    """Whether a user takes a tensor from the device."""
    if not isinstance(user, TTIRToLayoutOp):
        return isinstance(user, ReturnOp)
    return layout_of(tensor_type_of(user.results[0])).buffer_type.is_host


def _drop_destination(op: TTIRToLayoutOp, conversion: Conversion) -> None:
    """Remove the ``ttnn.empty`` of a destination that only this operation has."""
    (old,) = op.inits
    new = conversion.use(old)
    empty = new.owner
    if isinstance(empty, TTNNEmptyOp) and old.has_one_use():
        conversion.block.erase_op(empty, safe_erase=False)


def subtract(op: TTIRElementwiseOp, conversion: Conversion) -> None:
    """By itself for operands of one shape, else as the sum with the opposite, which may be taken in any order."""
    left, right = conversion.broadcast(op)
    init = conversion.use(op.inits[0])
    if shape_of(left) == shape_of(right):
        new = conversion.make("ttnn.subtract", [[left, right], init], [init.type])
    else:
        type = tensor_type_of(right)
        empty = conversion.empty(type)
        opposite = conversion.make("ttnn.neg", [right, empty], [type]).result
        for value in (empty, opposite):
            conversion.because(
                value, "shapes differ, so the difference is the sum with the opposite of the second operand"
            )
        new = conversion.make("ttnn.add", [[left, opposite], init], [init.type])
    conversion.become([op.result], [new.result])


def typecast(op: TTIRTypecastOp, conversion: Conversion) -> None:
    """To the data type of the result's layout."""
    type = tensor_type_of(op.result)
    (source,) = conversion.broadcast(op)
    new = conversion.make("ttnn.typecast", [source], [type], {"dtype": data_type_attribute(layout_of(type))})
    conversion.become([op.result], [new.result])


def clamp(op: TTIRClampOp, conversion: Conversion) -> None:
    """Its result lies as its operand lies, which may have been forced to tiles."""
    source = conversion.whole(op.input)
    new = conversion.make("ttnn.clamp", [source], [source.type], _attributes(op))
    conversion.become([op.result], [new.result])


def reshape(op: TTIRSqueezeOp | TTIRUnsqueezeOp, conversion: Conversion) -> None:
    """``squeeze`` and ``unsqueeze``: the shape is that of the result."""
    new = conversion.make(
        "ttnn.reshape",
        [conversion.whole(op.input)],
        [op.result.type],
        {"shape": shape_of(op.result)},
    )
    conversion.become([op.result], [new.result])


def concat(op: TTIRConcatOp, conversion: Conversion) -> None:
    """The dimension is counted from the front."""
    rank = len(shape_of(op.result))
    init = conversion.use(op.inits[0])
    inputs = [conversion.whole(value) for value in op.inputs]
    new = conversion.make("ttnn.concat", [inputs, init], [init.type], {"dim": op.dim % rank})
    conversion.become([op.result], [new.result])


def embedding(op: TTIREmbeddingOp, conversion: Conversion) -> None:
    """TTNN has the destination in the middle."""
    init = conversion.use(op.inits[0])
    operands = [
        conversion.whole(op.input),
        init,
        conversion.whole(op.weight),
    ]
    new = conversion.make("ttnn.embedding", operands, [init.type])
    conversion.become([op.result], [new.result])


def broadcast(op: TTIRBroadcastOp, conversion: Conversion) -> None:
    """Users get the operand: elementwise operations repeat it by themselves, for others see ``Conversion.whole``."""
    conversion.become([op.result], [conversion.use(op.input)])


def constant(op: TTIRConstantOp | TTIRFillOp, conversion: Conversion) -> None:
    """Zeros are a ``ttnn.empty``, which whoever runs the program fills with zeros; other numbers a ``ttnn.full``."""
    device = conversion.device()
    value = splat_of(op)
    assert value is not None
    type = tensor_type_of(op.result)
    if value == 0:
        conversion.become([op.result], [conversion.empty(type)])
        conversion.because(
            conversion.use(op.result), "zeros are a ttnn.empty, which whoever runs the program fills"
        )
    else:
        new = conversion.make("ttnn.full", [device], [type], {"fillValue": value})
        conversion.become([op.result], [new.result])
        conversion.because(new.result, "one number repeated is a ttnn.full, where its users want it")


def conv2d(op: TTIRConv2dOp, conversion: Conversion) -> None:
    """Over the flattened input 1x1x(batch*height*width)xchannels; the bias and the weights stay where they are."""
    device = conversion.device()
    source = conversion.whole(op.input)
    batch, height, width, channels = shape_of(source)
    kernel = shape_of(op.weight)
    type = tensor_type_of(op.result)
    flat = _flattened(source, conversion)
    init = conversion.empty(
        with_shape(tensor_type_of(conversion.use(op.inits[0])), _flat_shape(type.get_shape()))
    )
    bias = op.bias
    new = conversion.make(
        "ttnn.conv2d",
        [
            flat,
            conversion.whole(op.weight),
            None if bias is None else conversion.whole(bias),
            init,
            device,
        ],
        [init.type],
        {
            "in_channels": channels,
            "out_channels": type.get_shape()[-1],
            "batch_size": batch,
            "input_height": height,
            "input_width": width,
            "kernel_height": kernel[-2],
            "kernel_width": kernel[-1],
            "stride_height": op.stride_height,
            "stride_width": op.stride_width,
            "padding_height": op.padding_top,
            "padding_width": op.padding_right,
            "dilation_height": op.dilation_height,
            "dilation_width": op.dilation_width,
            "groups": op.groups,
        },
    )
    _unflatten(op, new, conversion)


def max_pool2d(op: TTIRMaxPool2dOp, conversion: Conversion) -> None:
    """Over the flattened input, as ``conv2d``."""
    device = conversion.device()
    source = conversion.whole(op.input)
    batch, height, width, channels = shape_of(source)
    flat = _flattened(source, conversion)
    init = conversion.empty(
        with_shape(tensor_type_of(conversion.use(op.inits[0])), _flat_shape(shape_of(op.result)))
    )
    new = conversion.make(
        "ttnn.max_pool2d",
        [flat, init, device],
        [init.type],
        {
            "batch_size": batch,
            "input_height": height,
            "input_width": width,
            "channels": channels,
            "kernel_height": op.kernel_height,
            "kernel_width": op.kernel_width,
            "stride_height": op.stride_height,
            "stride_width": op.stride_width,
            "dilation_height": op.dilation_height,
            "dilation_width": op.dilation_width,
            "ceil_mode": op.ceil_mode,
            "padding_height": op.padding_top,
            "padding_width": op.padding_right,
        },
    )
    _unflatten(op, new, conversion)


def all_gather(op: TTIRAllGatherOp, conversion: Conversion) -> None:
    """Of its operand."""
    source = conversion.whole(op.input)
    attributes = {"dim": op.dim, "num_links": 1, **_cluster_axis(op)}
    new = conversion.make("ttnn.all_gather", [source], [op.result.type], attributes)
    conversion.become([op.result], [new.result])


def reduce_scatter(op: TTIRReduceScatterOp, conversion: Conversion) -> None:
    """Of its operand."""
    source = conversion.whole(op.input)
    attributes = {
        "scatter_split_dim": op.scatter_dim,
        "math_op": op.reduce_type,
        "num_links": 1,
        **_cluster_axis(op),
    }
    new = conversion.make("ttnn.reduce_scatter", [source], [op.result.type], attributes)
    conversion.become([op.result], [new.result])


def all_reduce(op: TTIRAllReduceOp, conversion: Conversion) -> None:
    """Each chip combines a part, and then all gather the parts."""
    source = conversion.whole(op.input)
    count = _chips_together(op, conversion.module)
    if count == 1:
        conversion.become([op.result], [source])
        return
    shape = shape_of(source)
    dim = _scattered_dimension(shape, count)
    if dim is None:
        _reduce_what_all_have(op, source, count, conversion)
        return
    part = with_shape(
        tensor_type_of(op.result),
        tuple(extent // count if at == dim else extent for at, extent in enumerate(shape)),
    )
    scattered = conversion.make(
        "ttnn.reduce_scatter",
        [source],
        [part],
        {
            "scatter_split_dim": dim,
            "math_op": op.reduce_type,
            "num_links": 1,
            **_cluster_axis(op),
        },
    ).result
    conversion.because(
        scattered, f"all_reduce over {count} chips: each combines a part along dimension {dim}"
    )
    new = conversion.make(
        "ttnn.all_gather", [scattered], [op.result.type], {"dim": dim, "num_links": 1, **_cluster_axis(op)}
    )
    conversion.become([op.result], [new.result])


def _reduce_what_all_have(op: TTIRAllReduceOp, source: Any, count: int, conversion: Conversion) -> None:
    """Where nothing divides into a part for each chip, such as one number: each gathers all, and combines them itself."""
    type, shape = tensor_type_of(source), shape_of(source)
    if len(shape) >= _MOST_DIMENSIONS:
        raise Refused(
            f"no dimension of {'x'.join(map(str, shape))} divides into parts for {count} chips, and there are {len(shape)} of them",
            f"what works: an extent that is a multiple of {count}, or at most {_MOST_DIMENSIONS - 1} dimensions",
        )
    kind = op.reduce_type
    if kind == ReduceOperation.Min:
        source = _negated(source, type, conversion)
    one = _laid_out(type, (1, *shape))
    stacked = conversion.make("ttnn.reshape", [source], [one], {"shape": one.get_shape()}).result
    gathered = conversion.make(
        "ttnn.all_gather",
        [stacked],
        [_laid_out(type, (count, *shape))],
        {"dim": 0, "num_links": 1, **_cluster_axis(op)},
    ).result
    word = "ttnn.sum" if kind == ReduceOperation.Sum else "ttnn.max"
    result = conversion.make(word, [gathered], [type], {"keep_dim": False, "dim_arg": (0,)}).result
    conversion.because(
        gathered,
        f"all_reduce over {count} chips: no dimension divides, so that each has all and combines them",
    )
    whole = _negated(result, type, conversion) if kind == ReduceOperation.Min else result
    conversion.become([op.result], [whole])


def _laid_out(type: TensorType[Any], shape: tuple[int, ...]) -> TensorType[Any]:
    """The type of another shape that lies in the same memory, in a layout of its own."""
    old = layout_of(type)
    layout = TTNNLayout.make(shape, old.element, old.buffer_type, old.grid.shape, old.memory_layout)
    return TensorType(type.element_type, shape, TTNNLayoutAttr(layout))


def _negated(source: Any, type: TensorType[Any], conversion: Conversion) -> Any:
    return conversion.make("ttnn.neg", [[source], conversion.empty(type)], [type]).result


def mesh_shard(op: TTIRMeshShardOp, conversion: Conversion) -> None:
    """By the host, for the mesh of the module's device."""
    source = conversion.whole(op.input)
    shape, dims = op.shard_shape, op.shard_dims
    device = conversion.module.attributes.get("tt.device")
    if op.shard_type is ShardType.Devices and isinstance(device, DeviceAttr):
        problem = problem_with_mesh(rows_and_columns(device.data.mesh_shape), shape, dims)
        if problem is not None:
            raise Refused(
                problem, "what works: the pipeline with the mesh-shape that the model was written for"
            )
    new = conversion.make("ttnn.mesh_shard", [source, conversion.device()], [op.result.type], _attributes(op))
    conversion.become([op.result], [new.result])


def _cluster_axis(op: TTIRAllGatherOp | TTIRAllReduceOp | TTIRReduceScatterOp) -> dict[str, int]:
    axis = op.cluster_axis
    return {} if axis is None else {"cluster_axis": axis}


def _chips_together(op: TTIRAllReduceOp, module: ModuleOp) -> int:
    """How many chips an operation between chips brings together."""
    device = module.attributes.get("tt.device")
    if not isinstance(device, DeviceAttr):
        return 1
    return len(groups_along(rows_and_columns(device.data.mesh_shape), op.cluster_axis)[0])


def _scattered_dimension(shape: tuple[int, ...], count: int) -> int | None:
    """The dimension of which chips take parts: one whose parts are whole tiles where there is one."""
    dividing = [dim for dim, extent in enumerate(shape) if extent and extent % count == 0]
    whole = [dim for dim in dividing if dim < len(shape) - 2 or shape[dim] % (count * TILE_SHAPE[0]) == 0]
    return next(iter(whole or dividing), None)


_FLAT = "batch, height and width are one dimension, as TTNN's windows read them; the layout is that of the whole shape"


def _flat_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (1, 1, math.prod(shape[:-1]), shape[-1])


def _flattened(source: Any, conversion: Conversion) -> Any:
    type: TensorType[Any] = with_shape(tensor_type_of(source), _flat_shape(shape_of(source)))
    flat = conversion.make("ttnn.reshape", [source], [type], {"shape": type.get_shape()}).result
    conversion.because(flat, _FLAT)
    return flat


def _unflatten(op: TTIRConv2dOp | TTIRMaxPool2dOp, flat: RowOperation, conversion: Conversion) -> None:
    new = conversion.make("ttnn.reshape", [flat.result], [op.result.type], {"shape": shape_of(op.result)})
    conversion.become([op.result], [new.result])
    conversion.because(flat.result, _FLAT)
    conversion.because(flat.inits[0], _FLAT)


RULES = Stage(
    on(TTIRAllGatherOp, all_gather),
    on(TTIRAllReduceOp, all_reduce),
    on(TTIRBroadcastOp, broadcast),
    on(TTIRClampOp, clamp),
    on(TTIRConcatOp, concat),
    on(TTIRConstantOp, constant),
    on(TTIRConv2dOp, conv2d),
    on(TTIREmbeddingOp, embedding),
    on(TTIRFillOp, constant),
    on(TTIRMaxPool2dOp, max_pool2d),
    on(TTIRMeshShardOp, mesh_shard),
    on(TTIRReduceScatterOp, reduce_scatter),
    on(TTIRReductionOp, reduction),
    on(TTIRSqueezeOp, reshape),
    on(TTIRUnsqueezeOp, reshape),
    on(TTIRSubtractOp, subtract),
    on(TTIRToLayoutOp, to_layout),
    on(TTIRTypecastOp, typecast),
)
