"""The operations of TTNN as calls of the library, independent of a language: the function, and its arguments.

Parameters have the names of the library's Python functions. Every spelling, of Python and of C++ of any date, starts here, so that
all of them call the same with the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from types import MappingProxyType

from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import BlockArgument, SSAValue

from tt_model.attributes.tt import DeviceType
from tt_model.attributes.ttnn import TTNNLayoutAttr
from tt_model.layouts.device import DeviceRecord, Rectangle, core_rectangles
from tt_model.layouts.elements import TILE_SHAPE
from tt_model.layouts.enums import BufferType, DataType, PageLayout, TensorMemoryLayout
from tt_model.layouts.layout import TTNNLayout
from tt_model.layouts.values import LayoutError, ceil_div
from tt_model.operations import elementwise, shared, ttnn
from tt_model.operations.lying import layout_when_run
from tt_model.operations.operation import RowOperation, TTNNOperation
from tt_model.operations.stages import Stage, on
from tt_model.operations.tensors import shape_of
from ttl.host.table import BY_NAME
from ttl.ir.refusals import Refused

NOT_TTNN = "what works: a module of TTNN operations with layouts, as --ttir-to-ttnn-backend-pipeline makes it of TTIR"


@dataclass(frozen=True, slots=True)
class Tensors:
    """A list of tensors."""

    values: tuple[SSAValue, ...]


@dataclass(frozen=True, slots=True)
class FirstNumber:
    """The first element of a tensor of integers on the host."""

    tensor: SSAValue


@dataclass(frozen=True, slots=True)
class TensorShape:
    """The extents of a tensor."""

    extents: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shard:
    """The cores that hold shards of a tensor, and the extents of a shard, in elements."""

    cores: tuple[Rectangle, ...]
    shape: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Placement:
    """A memory configuration."""

    memory_layout: TensorMemoryLayout
    buffer_type: BufferType
    shard: Shard | None = None


# An argument. A device is an operation's value, too; a tuple is a list of numbers.
Argument = (
    SSAValue
    | Tensors
    | FirstNumber
    | TensorShape
    | Placement
    | DataType
    | PageLayout
    | tuple[int, ...]
    | bool
    | int
    | float
)


@dataclass(frozen=True, kw_only=True, slots=True)
class LibraryCall:
    """A call of the library.

    ``arguments`` are in the order of the parameters of ``function``; the first ``positional`` of them are passed by
    position. ``destination`` is the tensor that the operation names for its result, if any; ``shape`` is the shape to
    which the library's result is reshaped, or None.
    """

    function: str
    arguments: Mapping[str, Argument]
    positional: int = 1
    destination: SSAValue | None = None
    shape: tuple[int, ...] | None = None


def call_of(op: RowOperation) -> LibraryCall:
    """Return the library call for an operation. Raises ``Refused``."""
    builder = CALLS.of(type(op))
    if builder is None:
        raise Refused(*_WITHOUT_CALL[type(op)])
    return builder(op)


# Operations whose functions take no unsigned integers in release 0.81, as its mock device shows, beside those whose
# rows say so.
_FLOATS_ONLY = (shared.TTNNMatmulOp, ttnn.TTNNClampOp, elementwise.TTNNRemainderOp)


def require_taken(op: RowOperation, call: LibraryCall) -> None:
    """Raise ``Refused`` if the call passes unsigned integers to a function that takes none in release 0.81."""
    row = BY_NAME.get(call.function)
    takes = not isinstance(op, _FLOATS_ONLY) and (row is None or (row.kind != "float" and row.whole is None))
    given = [value.type for value in call.arguments.values() if isinstance(value, SSAValue)]
    if not takes and any(isinstance(getattr(type, "element_type", None), IntegerType) for type in given):
        raise Refused(
            f"the library's {call.function} does not take unsigned integers",
            "what works: ttrt run; or floats, which represent integers up to 2**24",
        )


def layout_of(value: SSAValue) -> TTNNLayout:
    """The layout of a tensor. Raises ``Refused`` if it has no layout."""
    encoding = value.type.encoding if isinstance(value.type, TensorType) else None
    if not isinstance(encoding, TTNNLayoutAttr):
        raise Refused(
            f"the tensor {value.type} has no ttnn.ttnn_layout",
            NOT_TTNN,
        )
    return encoding.data


def is_on_host(value: SSAValue) -> bool:
    """Whether a tensor is in host memory when the program runs."""
    layout = layout_when_run(value)
    return layout is not None and layout.buffer_type is BufferType.SystemMemory


def page_layout_of(value: SSAValue) -> PageLayout:
    """Whether the library holds a tensor in tiles or in rows."""
    layout = layout_when_run(value)
    return PageLayout.Tile if layout is not None and layout.is_tiled else PageLayout.RowMajor


def changes_nothing(op: ttnn.TTNNToLayoutOp) -> bool:
    """Whether a ``ttnn.to_layout`` keeps the page layout of its operand: the library returns the same memory then."""
    return page_layout_of(op.input) == op.layout


def placement_of(value: SSAValue) -> Placement | None:
    """The memory configuration of a tensor on the device; None on the host."""
    layout = layout_of(value)
    if layout.buffer_type is BufferType.SystemMemory:
        return None
    return _placement(value, layout.memory_layout, layout.buffer_type)


def _placement(value: SSAValue, memory_layout: TensorMemoryLayout, buffer_type: BufferType) -> Placement:
    """``memory_layout`` and ``buffer_type``, divided over cores as the type of a tensor says."""
    if not memory_layout.is_sharded:
        return Placement(memory_layout, buffer_type)
    layout = layout_of(value)
    try:
        cores = tuple(core_rectangles(layout.grid.shape, _device_near(value)))
    except LayoutError as problem:
        raise Refused(
            str(problem), "what works: grids of one chip, as --ttir-to-ttnn-backend-pipeline makes them"
        ) from None
    return Placement(memory_layout, buffer_type, Shard(cores, _shard_shape(value, memory_layout)))


def _shard_shape(value: SSAValue, memory_layout: TensorMemoryLayout) -> tuple[int, int]:
    """The extents of a shard in the library: images are stacked vertically, each padded to whole tiles.

    A layout of the dialect pads the stack as a whole, so its shards are smaller if an image is not whole tiles.
    """
    layout, shape = layout_of(value), (1, 1, *shape_of(value))
    tile = TILE_SHAPE if page_layout_of(value) is PageLayout.Tile else (1, 1)
    rows = prod(shape[:-2]) * _whole(shape[-2], tile[0])
    columns = _whole(shape[-1], tile[1])
    count = layout.grid.volume
    match memory_layout:
        case TensorMemoryLayout.HeightSharded:
            return _whole(ceil_div(rows, count), tile[0]), columns
        case TensorMemoryLayout.WidthSharded:
            return rows, _whole(ceil_div(columns, count), tile[1])
    down, across = layout.grid.shape[-2:]
    return _whole(ceil_div(rows, down), tile[0]), _whole(ceil_div(columns, across), tile[1])


def _whole(extent: int, multiple: int) -> int:
    return ceil_div(extent, multiple) * multiple


def _device_near(value: SSAValue) -> DeviceRecord:
    """The device of the function that a value belongs to."""
    block = value.owner if isinstance(value, BlockArgument) else value.owner.parent_block()
    for op in block.ops if block is not None else ():
        for result in op.results:
            if isinstance(result.type, DeviceType):
                return result.type.data
    raise Refused(
        "a tensor is divided over cores, and the function has no ttnn.get_device",
        "what works: a function that gets its device, as --ttir-to-ttnn-backend-pipeline writes it",
    )


def _placed(result: SSAValue) -> dict[str, Argument]:
    placement = placement_of(result)
    return {} if placement is None else {"memory_config": placement}


def _destination(op: RowOperation) -> SSAValue | None:
    return op.inits[0] if op.inits else None


def _call(function: str, positional: int = 1, /, **arguments: Argument) -> LibraryCall:
    return LibraryCall(function=function, arguments=arguments, positional=positional)


def _placed_call(
    op: TTNNOperation, function: str, positional: int = 1, /, **arguments: Argument
) -> LibraryCall:
    """Return a call with the placement of its result as its last arguments."""
    placed = arguments | _placed(op.result)
    return LibraryCall(
        function=function, arguments=placed, positional=positional, destination=_destination(op)
    )


def of_class(op: TTNNOperation) -> LibraryCall:
    """Return the call of the function of the operation's name; its parameters are the ``signature`` of the class.

    Raises ``Refused``.
    """
    positional, slash, named = (part.replace(",", " ").split() for part in op.ROW.signature.partition("/"))
    if not slash:
        raise Refused(
            "the parameters of the library's function are not known",
            "what works: ttrt run; or a signature in the class statement of the operation",
        )
    values: list[Argument] = []
    for group in op.ROW.operands:
        if group.name != op.ROW.inits:
            given = op.operands_of(group)
            values.append(Tensors(given) if group.arity == "variadic" else given[0])
    values += [op.value_of(attribute) for attribute in op.ROW.attributes]
    arguments: dict[str, Argument] = dict(zip([*positional, *named], values, strict=True))
    if op.results and not op.ROW.moves:  # An operation that moves a tensor sets the placement itself.
        arguments |= _placed(op.result)
    if op.ROW.result_type_is_free:
        arguments["dtype"] = layout_of(op.result).data_type
    return LibraryCall(
        function=op.ROW.mnemonic,
        arguments=arguments,
        positional=len(positional),
        destination=_destination(op),
    )


def _matmul(op: shared.TTNNMatmulOp) -> LibraryCall:
    """Return the call of a matrix product, reshaped for two vectors: the library's result has no dimensions then."""
    is_number = len(shape_of(op.a)) == len(shape_of(op.b)) == 1
    return replace(of_class(op), shape=shape_of(op.result) if is_number else None)


# The number of the sum among the reductions over chips.
_SUM = 0
# The parameters of elementwise functions, by the number of tensors.
_TENSORS: Mapping[int, tuple[str, ...]] = MappingProxyType(
    {
        1: ("input_tensor",),
        2: ("input_tensor_a", "input_tensor_b"),
        3: ("predicate", "true_value", "false_value"),
    }
)


def _elementwise(
    op: elementwise.TTNNElementwiseOp | ttnn.TTNNClampOp,
    /,
    *,
    function: str = "",
    positional: int | None = None,
    **parameters: Argument,
) -> LibraryCall:
    """Return the call of an elementwise function.

    ``function`` is its name if it differs; ``parameters`` follow the tensors.
    """
    inputs = op.inputs
    names = _TENSORS.get(len(inputs))
    if names is None or len(op.results) != 1:
        raise Refused(
            f"it has {len(inputs)} inputs and {len(op.results)} results",
            "what works: one result, and as many inputs as the operation of the library takes",
        )
    arguments: dict[str, Argument] = dict(zip(names, inputs, strict=True)) | parameters
    if op.ROW.result_type_is_free:
        arguments["dtype"] = layout_of(op.result).data_type
    count = len(inputs) if positional is None else positional
    return _placed_call(op, function or op.ROW.mnemonic, count, **arguments)


def _exact(op: elementwise.TTNNElementwiseOp) -> LibraryCall:
    """Return the call of a function that approximates by default in some release, with exact results."""
    return _elementwise(op, fast_and_approximate_mode=False)


def _clamp(op: ttnn.TTNNClampOp) -> LibraryCall:
    return _elementwise(op, min=op.min, max=op.max)


def _leaky_relu(op: elementwise.TTNNLeakyReluOp) -> LibraryCall:
    return _elementwise(op, positional=2, negative_slope=op.parameter)


def _reduction(op: shared.TTNNReductionOp) -> LibraryCall:
    source = op.input
    dims = op.dim_arg
    rank = len(shape_of(source))
    along = tuple(range(rank)) if dims is None else dims
    keep = op.keep_dim
    # A tensor without dimensions in the library has extent 1 in a module.
    scalar = not keep and len(set(along)) == rank
    return LibraryCall(
        function=op.ROW.mnemonic,
        arguments={
            "input_tensor": source,
            "dim": along,
            "keepdim": keep or scalar,
            **_placed(op.result),
        },
        shape=shape_of(op.result) if scalar else None,
    )


def _reshape(op: shared.TTNNReshapeOp) -> LibraryCall:
    return _call("reshape", 2, input_tensor=op.input, shape=TensorShape(shape_of(op.result)))


def _slice(op: shared.TTNNSliceOp) -> LibraryCall:
    source = op.input
    parts = zip(shape_of(source), op.begins, op.ends, op.step, strict=True)
    ranges = [range(extent)[begin:end:step] for extent, begin, end, step in parts]
    if any(one.step < 1 for one in ranges):
        raise Refused(
            f"its steps are {list(op.step)}, and the library's slice supports positive steps only",
            "what works: steps of 1 and more; ttrt run supports the others",
        )
    return _placed_call(
        op,
        "slice",
        4,
        input_tensor=source,
        slice_start=tuple(one.start for one in ranges),
        slice_end=tuple(one.stop for one in ranges),
        slice_step=tuple(one.step for one in ranges),
    )


def _embedding(op: ttnn.TTNNEmbeddingOp) -> LibraryCall:
    layout = layout_of(op.result)
    pages = PageLayout.Tile if layout.is_tiled else PageLayout.RowMajor
    return _placed_call(
        op, "embedding", 2, input_tensor=op.input, weight=op.weight, layout=pages, dtype=layout.data_type
    )


def _conv2d(op: ttnn.TTNNConv2dOp) -> LibraryCall:
    bias = op.bias
    arguments: dict[str, Argument] = {
        "input_tensor": op.input,
        "weight_tensor": op.weight,
        "device": op.device,
        "in_channels": op.in_channels,
        "out_channels": op.out_channels,
        "batch_size": op.batch_size,
        "input_height": op.input_height,
        "input_width": op.input_width,
        "kernel_size": (op.kernel_height, op.kernel_width),
        "stride": (op.stride_height, op.stride_width),
        "padding": (op.padding_height, op.padding_width),
        "dilation": (op.dilation_height, op.dilation_width),
        "groups": op.groups,
        "dtype": layout_of(op.result).data_type,
        **({} if bias is None else {"bias_tensor": bias}),
    }
    return _placed_call(op, "conv2d", 0, **arguments)


def _max_pool2d(op: ttnn.TTNNMaxPool2dOp) -> LibraryCall:
    arguments: dict[str, Argument] = {
        "input_tensor": op.input,
        "batch_size": op.batch_size,
        "input_h": op.input_height,
        "input_w": op.input_width,
        "channels": op.channels,
        "kernel_size": (op.kernel_height, op.kernel_width),
        "stride": (op.stride_height, op.stride_width),
        "padding": (op.padding_height, op.padding_width),
        "dilation": (op.dilation_height, op.dilation_width),
        "ceil_mode": op.ceil_mode,
        **_placed(op.result),
        "output_layout": PageLayout.RowMajor,
    }
    return LibraryCall(function="max_pool2d", arguments=arguments, destination=_destination(op))


def _of_one_chip(op: ttnn.TTNNAllGatherOp | ttnn.TTNNReduceScatterOp) -> LibraryCall | None:
    """Return the call for an operation between chips on a single chip, which keeps the tensor; None for several chips."""
    placement = placement_of(op.result)
    if placement is None or len(_device_near(op.result).chip_ids) > 1:
        return None
    return _call("to_memory_config", 2, tensor=op.input, memory_config=placement)


def _between_chips(op: ttnn.TTNNAllGatherOp | ttnn.TTNNReduceScatterOp, dim: int) -> LibraryCall:
    source = op.input
    arguments: dict[str, Argument] = {
        "input_tensor": source,
        "dim": dim % len(shape_of(source)),
        "num_links": op.num_links,
        **({} if op.cluster_axis is None else {"cluster_axis": int(op.cluster_axis)}),
    }
    return _call(op.ROW.mnemonic, 2, **arguments, **_placed(op.result))


def _all_gather(op: ttnn.TTNNAllGatherOp) -> LibraryCall:
    return _of_one_chip(op) or _between_chips(op, op.dim)


def _reduce_scatter(op: ttnn.TTNNReduceScatterOp) -> LibraryCall:
    alone, how = _of_one_chip(op), op.math_op
    if alone is None and how != _SUM:
        raise Refused(
            f"its math_op is {how}, but the library's reduce_scatter only adds, which is {_SUM}",
            "what works: a sum, divided or compared afterwards",
        )
    return alone or _between_chips(op, op.scatter_split_dim)


def _typecast(op: ttnn.TTNNTypecastOp) -> LibraryCall:
    function = "to_dtype" if is_on_host(op.input) else "typecast"
    return _call(function, 2, input_tensor=op.input, dtype=op.dtype)


def _to_device(op: ttnn.TTNNToDeviceOp) -> LibraryCall:
    arguments: dict[str, Argument] = {"tensor": op.input, "device": op.device}
    config = op.memory_config
    if config is not None:
        # Row-major shards differ from shards of tiles: a tensor that is tiled on the device is sharded when it is
        # tiled.
        becomes_tiles = layout_of(op.result).is_tiled and page_layout_of(op.result) is PageLayout.RowMajor
        whole = becomes_tiles and config.memory_layout.is_sharded
        layout = TensorMemoryLayout.Interleaved if whole else config.memory_layout
        arguments["memory_config"] = _placement(op.result, layout, config.buffer_type)
    return _call("to_device", 2, **arguments)


def _to_layout(op: ttnn.TTNNToLayoutOp) -> LibraryCall:
    if op.memory_config is not None or op.dtype is not None:
        raise Refused(
            "it stands for several steps: it has its own memory configuration or type",
            "what works: the pass ttnn-decompose-layouts first, which writes the steps",
        )
    source = op.input
    arguments: dict[str, Argument] = {"tensor": source, "layout": op.layout}
    placement = None if is_on_host(source) else placement_of(op.result)
    if placement is not None and placement.shard is not None and not changes_nothing(op):
        arguments["memory_config"] = placement
    return _call("to_layout", 2, **arguments)


def _to_memory_config(op: ttnn.TTNNToMemoryConfigOp) -> LibraryCall:
    config = op.memory_config
    placement = _placement(op.result, config.memory_layout, config.buffer_type)
    return _call("to_memory_config", 2, tensor=op.input, memory_config=placement)


def _page_layout(op: ttnn.TTNNEmptyOp) -> PageLayout:
    if op.layout is not None:
        return op.layout
    return PageLayout.Tile if layout_of(op.result).is_tiled else PageLayout.RowMajor


def _empty(op: ttnn.TTNNEmptyOp) -> LibraryCall:
    dtype, device = op.dtype, op.device
    arguments: dict[str, Argument] = {
        "shape": TensorShape(op.shape),
        "dtype": layout_of(op.result).data_type if dtype is None else dtype,
        "layout": _page_layout(op),
    }
    config = op.memory_config
    if device is not None:
        arguments["device"] = device
    if device is not None and config is not None:
        arguments["memory_config"] = _placement(op.result, config.memory_layout, config.buffer_type)
    # A tensor that is read before it is written is a constant of zeros.
    return _call("zeros", **arguments)


def _full(op: ttnn.TTNNFullOp) -> LibraryCall:
    layout, value = layout_of(op.result), op.fill_value
    is_whole = layout.data_type in (DataType.UInt32, DataType.UInt16, DataType.UInt8) and value.is_integer()
    arguments: dict[str, Argument] = {
        "shape": TensorShape(shape_of(op.result)),
        "fill_value": int(value) if is_whole else value,
        "dtype": layout.data_type,
        "layout": PageLayout.Tile,
    }
    placement = placement_of(op.result)
    if placement is not None:
        arguments |= {"device": op.device, "memory_config": placement}
    return _call("full", 2, **arguments)


def _copy(op: ttnn.TTNNCopyOp) -> LibraryCall:
    return LibraryCall(
        function="copy",
        arguments={"input_a": op.input, "input_b": op.output},
        positional=2,
        destination=op.output,
    )


def _update_cache(op: shared.TTNNUpdateCacheOp) -> LibraryCall:
    arguments: dict[str, Argument] = {
        "cache": op.cache,
        "input": op.input,
        "update_index": FirstNumber(op.update_index),
        "batch_offset": op.batch_offset,
    }
    return LibraryCall(function="update_cache", arguments=arguments, positional=4, destination=op.cache)


def _fill_cache(op: shared.TTNNFillCacheOp) -> LibraryCall:
    arguments: dict[str, Argument] = {"cache": op.cache, "input": op.input, "batch_idx": op.batch_offset}
    return LibraryCall(function="fill_cache", arguments=arguments, positional=3, destination=op.cache)


# Operations without a function in the library, and the alternatives.
_WITHOUT_CALL: Mapping[type[RowOperation], tuple[str, str]] = MappingProxyType(
    {
        ttnn.TTNNAllocOp: (
            "the library has no call that takes an address",
            "what works: ttnn.empty, whose address the library's allocator chooses",
        ),
        ttnn.TTNNGenericOp: (
            "its kernels are written out in the module",
            "what works: the pipeline without lower-tt-lang-to-generic, whose ttnn.tt_lang_op names an operation that a script imports",
        ),
        shared.TTNNTTLangOp: (
            "it calls an operation of TT-Lang, which is Python",
            "what works: ttmlir-translate --ttnn-to-python, whose script imports the operation",
        ),
        shared.TTNNMeshShardOp: (
            "the library distributes tensors by mappers of a mesh when they are made from the host's, not by a call on a tensor",
            "what works: ttrt run, on simulated chips; a module whose inputs are those of one chip (ttrt run --shard)",
        ),
        ttnn.TTNNGetDeviceOp: (
            "a device is opened, not computed",
            "what works: one ttnn.get_device in each function",
        ),
    }
)
CALLS = Stage(
    on(TTNNOperation, of_class),
    on(elementwise.TTNNElementwiseOp, _elementwise),
    on(elementwise.TTNNDivOp, partial(_elementwise, function="divide")),
    on(elementwise.TTNNRemainderOp, partial(_elementwise, function="fmod")),
    on(elementwise.TTNNExpOp, _exact),
    on(elementwise.TTNNGeluOp, _exact),
    on(elementwise.TTNNRsqrtOp, _exact),
    on(ttnn.TTNNClampOp, _clamp),
    on(elementwise.TTNNLeakyReluOp, _leaky_relu),
    on(ttnn.TTNNAllGatherOp, _all_gather),
    on(ttnn.TTNNConv2dOp, _conv2d),
    on(ttnn.TTNNCopyOp, _copy),
    on(ttnn.TTNNEmbeddingOp, _embedding),
    on(ttnn.TTNNEmptyOp, _empty),
    on(ttnn.TTNNFullOp, _full),
    on(shared.TTNNFillCacheOp, _fill_cache),
    on(shared.TTNNMatmulOp, _matmul),
    on(ttnn.TTNNMaxPool2dOp, _max_pool2d),
    on(shared.TTNNReductionOp, _reduction),
    on(ttnn.TTNNReduceScatterOp, _reduce_scatter),
    on(shared.TTNNReshapeOp, _reshape),
    on(shared.TTNNSliceOp, _slice),
    on(ttnn.TTNNToDeviceOp, _to_device),
    on(ttnn.TTNNToLayoutOp, _to_layout),
    on(ttnn.TTNNToMemoryConfigOp, _to_memory_config),
    on(ttnn.TTNNTypecastOp, _typecast),
    on(shared.TTNNUpdateCacheOp, _update_cache),
    absent={kind: f"{condition}; {way_out}" for kind, (condition, way_out) in _WITHOUT_CALL.items()},
)
