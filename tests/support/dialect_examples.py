"""One example of the assembly of every operation, complete: the documentation shows it, the tests read it.

Each stands in a kernel of ``PRELUDE``, whose values it uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from textwrap import indent
from types import MappingProxyType
from typing import Any

from xdsl.ir import Operation

from ttl.dialects import ttl
from ttl.rows import dtypes
from ttl.rows.row import Op, Params
from ttl.rows.types import BlockType, Layout

TENSOR = "tensor<64x96xbf16, #ttl.encoding<dram, #ttl.layout<tiled, interleaved>>>"
_ACCESSOR = f"!ttl.accessor<{TENSOR}>"
TILE = "!ttl.tile<32x32, bf16>"
_VALUE = f"tensor<2x1x{TILE}>"
_WHOLE = TENSOR.replace("64x96", "128x128")
_SHARDED = f"!ttl.dist_tensor<grid=[2, 4], shard=[2, 1], {TILE}, sharded, dram>"
_REPLICATED = f"!ttl.dist_tensor<grid=[1, 1], shard=[4, 4], {TILE}, replicated, dram>"

# What examples stand in: ``{}`` is the place.
PRELUDE = f"""\
ttl.operation @example(%a: {TENSOR}, %d: {_WHOLE}) grid <4x2> {{
  %a_dfb = ttl.create_dfb "a_dfb" : !ttl.dfb<[2, 1], {TILE}, 2>
  %net = ttl.create_pipe_net "net" [#ttl.pipe<[0, 0] -> [0, 1]>]
  %ready = ttl.create_semaphore "ready" = 0
  %a_accessor = ttl.tensor_accessor %a : {TENSOR}
  %dist = ttl.distribute %d : {_WHOLE} -> {_SHARDED}
  ttl.datamovement_kernel @kernel {{
    %i = arith.constant 0 : index
    %j = arith.constant 1 : index
    %n = ttl.node_linear
    %half = arith.constant 5.000000e-01 : f64
    %true = arith.constant true
    %empty = ttl.dfb_reserve %a_dfb : <[2, 1], {TILE}, 2>
    %filled = ttl.dfb_wait %a_dfb : <[2, 1], {TILE}, 2>
    %value = ttl.block_read %filled : <[2, 1], {TILE}>
    %slice = ttl.tensor_slice %a_accessor[%i size 2, %j] : {_ACCESSOR} -> !ttl.slice<[2, 1], {TILE}>
    %transfer = ttl.copy %slice to %empty : !ttl.slice<[2, 1], {TILE}>, !ttl.block<[2, 1], {TILE}>
    %group = ttl.create_group
    %there = ttl.get_remote_semaphore %ready at[%i, %j]
    %tile = ttl.get_tile %filled[%i, %j] : <[2, 1], {TILE}>
    %register = ttl.acquire_dst
{{}}
  }}
}}
"""

# Whole operations, and what stands in one beside its kernels.
_OUTSIDE: Mapping[type[Operation], str] = MappingProxyType(
    {
        ttl.OperationOp: f"ttl.operation @scale(%a: {TENSOR}, %count: index) grid <8x8> {{\n}}",
        ttl.ComputeKernelOp: "ttl.compute_kernel @compute {\n  %y, %x = ttl.node : index, index\n}",
        ttl.DataMovementKernelOp: "ttl.datamovement_kernel @read {\n  ttl.dma_barrier\n}",
        ttl.TileProcOp: "ttl.tile_proc microcores <NOC0, NOC0, UNPACK, MATH, PACK> {\n}",
        ttl.ThreadOp: "ttl.thread(@NOC1) @read {\n  ttl.dma_barrier\n}",
        ttl.CreateDfbOp: f'%b_dfb = ttl.create_dfb "b_dfb" index 3 : !ttl.dfb<[2, 4], {TILE}, 2>',
        ttl.CreatePipeNetOp: '%row = ttl.create_pipe_net "row" [#ttl.pipe<[0, 0] -> [0, 1:4]>]',
        ttl.CreateSemaphoreOp: '%done = ttl.create_semaphore "done" = 0',
    }
)

_INSIDE: Mapping[type[Operation], str] = MappingProxyType(
    {
        ttl.TensorAccessorOp: f"%b = ttl.tensor_accessor %a : {TENSOR}",
        ttl.DfbReserveOp: f"%slot = ttl.dfb_reserve %a_dfb : <[2, 1], {TILE}, 2>",
        ttl.DfbWaitOp: f"%blk = ttl.dfb_wait %a_dfb : <[2, 1], {TILE}, 2>",
        ttl.DfbPushOp: f"ttl.dfb_push %empty explicit : <[2, 1], {TILE}>",
        ttl.DfbPopOp: f"ttl.dfb_pop %filled with : <[2, 1], {TILE}>",
        ttl.BlockReadOp: f"%operand = ttl.block_read %filled[%i, %j] size [1, 1] : <[2, 1], {TILE}>",
        ttl.BlockViewOp: (
            f"%view = ttl.block_view %filled[%i, %j] : !ttl.block<[2, 1], {TILE}> -> !ttl.block<[1, 1], {TILE}>"
        ),
        ttl.BlockPartOp: f"%piece = ttl.block_part %value[%i, %j] : {_VALUE} -> tensor<1x1x{TILE}>",
        ttl.BlockInsertOp: f"%changed = ttl.block_insert %value into %value[%i, %j] : {_VALUE}, {_VALUE} -> {_VALUE}",
        ttl.BlockStoreOp: f"ttl.block_store %value, %empty : {_VALUE} -> <[2, 1], {TILE}>",
        ttl.BlockAccumulateOp: f"ttl.block_accumulate %value, %empty : {_VALUE} -> <[2, 1], {TILE}>",
        ttl.ElementReadOp: f"%element = ttl.element_read %filled[%i, %j] : <[2, 1], {TILE}>",
        ttl.ReadIndexOp: f"%page = ttl.read_index %filled[%i, %j] : <[2, 1], {TILE}>",
        ttl.ElementWriteOp: f"ttl.element_write %half, %empty[%i, %j] : <[2, 1], {TILE}>",
        ttl.DfbResidentOp: f"ttl.dfb_resident %empty : <[2, 1], {TILE}>",
        ttl.RetypeOp: f"%wider = ttl.retype %value : {_VALUE} -> tensor<2x1x!ttl.tile<32x32, f32>>",
        ttl.TensorSliceOp: (
            f"%part = ttl.tensor_slice %a_accessor[%i size %n, %j] : {_ACCESSOR} -> !ttl.slice<[?, 1], {TILE}>"
        ),
        ttl.DistributeOp: f"%whole = ttl.distribute %d : {_WHOLE} -> {_REPLICATED}",
        ttl.ExtractShardOp: f"%shard = ttl.extract_shard %dist : {_SHARDED} -> !ttl.slice<[2, 1], {TILE}>",
        ttl.RedistributeOp: f"%everywhere = ttl.redistribute %dist strategy = replicated : {_SHARDED} -> {_REPLICATED}",
        ttl.GatherShardsOp: f"ttl.gather_shards %dist to %a_dfb : {_SHARDED}, !ttl.dfb<[2, 1], {TILE}, 2>",
        ttl.CopyOp: f"%xf = ttl.copy %slice to %empty : !ttl.slice<[2, 1], {TILE}>, !ttl.block<[2, 1], {TILE}>",
        ttl.WaitOp: "ttl.wait %transfer explicit",
        ttl.WaitAnyOp: "%first = ttl.wait_any %transfer, %transfer from %i",
        ttl.DmaBarrierOp: "ttl.dma_barrier",
        ttl.CreateGroupOp: "%xfs = ttl.create_group",
        ttl.GroupAddOp: "ttl.group_add %transfer to %group",
        ttl.GroupWaitOp: "ttl.group_wait %group",
        ttl.IfPipeSrcOp: (
            "ttl.if_pipe_src %net {\n^bb0(%pipe: !ttl.pipe<src>):\n"
            f"  %xf = ttl.copy %filled to %pipe : !ttl.block<[2, 1], {TILE}>, !ttl.pipe<src>\n}}"
        ),
        ttl.IfPipeDstOp: (
            "ttl.if_pipe_dst %net {\n^bb0(%pipe: !ttl.pipe<dst>):\n"
            f"  %xf = ttl.copy %pipe to %empty : !ttl.pipe<dst>, !ttl.block<[2, 1], {TILE}>\n}}"
        ),
        ttl.IsPipeSrcOp: "%sends = ttl.is_pipe_src %net",
        ttl.IsPipeDstOp: "%receives = ttl.is_pipe_dst %net",
        ttl.PipeCoordinateOp: (
            "ttl.if_pipe_dst %net {\n^bb0(%pipe: !ttl.pipe<dst>):\n"
            "  %x = ttl.pipe_coordinate src of %pipe axis 0 : !ttl.pipe<dst>\n}"
        ),
        ttl.GetRemoteSemaphoreOp: "%remote = ttl.get_remote_semaphore %ready at[%i, %j]",
        ttl.GetRemoteMulticastSemaphoreOp: (
            "%everyone = ttl.get_remote_multicast_semaphore %ready from[%i, %i] to[%j, %j]"
        ),
        ttl.SemaphoreWaitOp: "ttl.semaphore_wait %ready ge %n",
        ttl.SemaphoreSetOp: "ttl.semaphore_set %ready, %i : !ttl.semaphore",
        ttl.SemaphoreIncOp: "ttl.semaphore_inc %there, %j : !ttl.remote_semaphore<unicast>",
        ttl.NodeOp: "%y, %x = ttl.node : index, index",
        ttl.GridSizeOp: "%rows, %columns = ttl.grid_size : index, index",
        ttl.NodeLinearOp: "%number = ttl.node_linear",
        ttl.ConstantLookupOp: "%column = ttl.lookup [0, 3, 1, 2] at %i",
        ttl.DimOp: f"%height = ttl.dim %a_accessor axis 0 : {_ACCESSOR}",
        ttl.GridSliceOp: f"%mine = ttl.grid_slice %a_accessor [1, 1] : {_ACCESSOR}",
        ttl.SignpostOp: 'ttl.signpost begin "load"',
        ttl.PrintOp: 'ttl.print ["row ", " of ", ""](%i, %n : index, index)',
        ttl.ExternAccessOp: f"ttl.extern_access write %slice : !ttl.slice<[2, 1], {TILE}>",
        ttl.ExternCallOp: (
            'ttl.extern_call "scale" of "/home/me/scale.h" ["scale<", ">(", ")"](%a_dfb, %n, %a_dfb : '
            f'!ttl.dfb<[2, 1], {TILE}, 2>, index, !ttl.dfb<[2, 1], {TILE}, 2>) effects "0:2"'
        ),
        ttl.AssertOp: 'ttl.assert %true, "the number of rows is even"',
        ttl.ComputeRegionOp: (
            f"ttl.compute_region ins(%value : {_VALUE}) outs(%empty : !ttl.block<[2, 1], {TILE}>) {{\n"
            f"^bb0(%in: {TILE}, %out: {TILE}):\n  ttl.yield %in : {TILE}\n}}"
        ),
        ttl.YieldTilesOp: (
            f"%copied = ttl.compute_region ins(%value : {_VALUE}) outs() {{\n"
            f"^bb0(%in: {TILE}):\n  ttl.yield %in : {TILE}\n}} -> {_VALUE}"
        ),
        ttl.RequireDstOp: "ttl.require_dst 4",
        ttl.AcquireDstOp: "%place = ttl.acquire_dst at 2",
        ttl.ReleaseDstOp: "ttl.release_dst %register",
        ttl.SpillTileOp: f"%spilled = ttl.spill_tile %tile from %register : {TILE}",
        ttl.RestoreTileOp: f"%again = ttl.restore_tile %n : {TILE}",
        ttl.GetTileOp: f"%first = ttl.get_tile %filled[%i, %i] : <[2, 1], {TILE}>",
        ttl.PackTileOp: f"ttl.pack_tile %tile to %empty[%i, %i] : {TILE}, <[2, 1], {TILE}>",
    }
)


def example_of(kind: type[Operation]) -> str:
    """The assembly of an operation. Raises KeyError for one that has no example."""
    if issubclass(kind, ttl.BlockComputeOp):
        return _compute_example(kind.ROW)
    return _OUTSIDE[kind] if kind in _OUTSIDE else _INSIDE[kind]


def module_with(kind: type[Operation]) -> str:
    """A module, as text, in which the example of an operation stands."""
    example = example_of(kind)
    if kind is ttl.OperationOp:
        return braced("module", example)
    if kind is ttl.ThreadOp:
        example = braced("ttl.tile_proc microcores <NOC0, NOC1>", example)
    if kind in _OUTSIDE:
        return braced("module", braced("ttl.operation @example() grid <1x1>", example))
    if issubclass(kind, ttl.BlockComputeOp):
        example = f"{_operands(kind.ROW)}{example}"
    return braced("module", PRELUDE.replace("{}\n", indent(f"{example}\n", "    ")))


def braced(head: str, body: str) -> str:
    """An operation with a body."""
    return f"{head} {{\n{indent(body.rstrip(), '  ')}\n}}\n"


# Parameters and types to find an application of a row among, most telling first.
_PARAMETERS: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {
        "dims": ((-1,), (0,)), "shape": ((2, 2), (1, 2, 1), None), "dtype": (dtypes.FLOAT32,), "layout": (None,), "value": (1.0,),
        "decimals": (2,), "approx": (False,), "approximate": (False,),
    }
)  # fmt: skip
_OPERANDS = tuple(
    BlockType.of(shape, dtype, Layout.TILE)
    for shape, dtype in (
        ((2, 1), dtypes.BFLOAT16), ((2, 2), dtypes.BFLOAT16), ((2, 1), dtypes.INT32), ((1, 2), dtypes.BFLOAT16),
        ((1, 2, 1), dtypes.BFLOAT16),
    )
)  # fmt: skip


def application(row: Op) -> tuple[tuple[BlockType, ...], Params, BlockType]:
    """Types of operands, parameters and type of the result of one application of a row."""
    for operands, params in _applications(row):
        result = row.infer(operands, params)
        if isinstance(result, BlockType):
            return operands, params, result
    raise KeyError(row.name)


def attributes(row: Op, params: Params) -> str:
    """Parameters as an operation has them in text: nothing, or a space and the dictionary."""
    texts = [
        f"{param.name} = {ttl.attribute_of(value)}"
        for param, value in zip(row.params, params, strict=True)
        if value is not None
    ]
    return f" {{{', '.join(texts)}}}" if texts else ""


def _applications(row: Op) -> Iterator[tuple[tuple[BlockType, ...], Params]]:
    choices = [_PARAMETERS.get(param.name, (1.0, 2)) for param in row.params]
    for operands in product(_OPERANDS, repeat=len(row.operands)):
        for given in product(*choices):
            params = tuple(param.check(value) for param, value in zip(row.params, given, strict=True))
            yield operands, params


def _names(row: Op) -> list[str]:
    return [f"%{operand.name}_value" for operand in row.operands]


def _operands(row: Op) -> str:
    operands, _, _ = application(row)
    return "".join(
        f'{name} = "test.value"() : () -> {ttl.value_type(type_)}\n'
        for name, type_ in zip(_names(row), operands, strict=True)
    )


def _compute_example(row: Op) -> str:
    operands, params, result = application(row)
    names = f" {', '.join(_names(row))}" if operands else ""
    types = ", ".join(str(ttl.value_type(type_)) for type_ in operands)
    arrow = f"{types} -> " if types else "-> "
    return f"%result = ttl.block_{row.name}{names}{attributes(row, params)} : {arrow}{ttl.value_type(result)}"
