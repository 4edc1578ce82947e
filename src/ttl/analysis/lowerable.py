"""Operations that text of the dialect may contain and that have no lowering (TTL1453): for ``ttl-check`` and the passes.

The front end makes no such operations: single tiles in registers that the program assigns itself, and handles whose
origin is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, BlockArgument, Operation

from ttl.analysis.dominance import walked
from ttl.diag import Diagnostic, error
from ttl.dialects import ttl as dialect
from ttl.dialects.structured import StructuredCallOp

_SINGLE_TILES: frozenset[type[Operation]] = frozenset(
    (
        dialect.RequireDstOp,
        dialect.AcquireDstOp,
        dialect.ReleaseDstOp,
        dialect.SpillTileOp,
        dialect.RestoreTileOp,
        dialect.GetTileOp,
        dialect.PackTileOp,
    )
)
# The operations whose results represent a resource of a node.
_SOURCES: Mapping[type[Attribute], tuple[type[Operation], ...]] = MappingProxyType(
    {
        dialect.DataflowBufferType: (dialect.CreateDfbOp,),
        dialect.PipeNetType: (dialect.CreatePipeNetOp,),
        dialect.SemaphoreType: (dialect.CreateSemaphoreOp,),
        dialect.RemoteSemaphoreType: (dialect.GetRemoteSemaphoreOp, dialect.GetRemoteMulticastSemaphoreOp),
        dialect.AccessorType: (dialect.TensorAccessorOp, dialect.GridSliceOp),
        dialect.SliceType: (dialect.TensorSliceOp, dialect.ExtractShardOp),
        dialect.DistTensorType: (dialect.DistributeOp, dialect.RedistributeOp),
        dialect.PipeType: (dialect.IfPipeSrcOp, dialect.IfPipeDstOp),
    }
)


def not_lowered(operation: dialect.OperationOp) -> Iterator[tuple[Operation, Diagnostic]]:
    """Yield the operations that have no lowering, in order, each with the reason (TTL1453)."""
    for op in walked(operation):
        kind = type(op)  # operations have no subclasses, and abstract classes are slow to ask
        if kind in _SINGLE_TILES:
            yield (
                op,
                _refused(
                    op,
                    "the compiler places tiles in the registers itself",
                    "write ttl.block_read and ttl.block_store",
                ),
            )
        elif kind is StructuredCallOp:
            between = "it stands between ttl-form-regions and the pass that makes a region of it again"
            yield op, _refused(op, between, "write the expression that is computed")
        elif (
            kind is dialect.ComputeRegionOp
            and (why := _region(cast(dialect.ComputeRegionOp, op))) is not None
        ):
            yield (
                op,
                _refused(
                    op, why, "write it as ttl-form-regions does, or write the expression that is computed"
                ),
            )
        for value in op.operands:
            sources = _SOURCES.get(type(value.type))
            if sources is None:
                continue
            maker = value.block.parent_op() if isinstance(value, BlockArgument) else value.owner
            if type(maker) not in sources:
                names = " or ".join(source.name for source in sources)
                unknown = f"its {value.type} does not come straight from {names}, so that it is not known which one it is"
                yield (
                    op,
                    _refused(
                        op, unknown, "use the result of that operation, in each branch or loop that needs it"
                    ),
                )
                break


def _region(region: dialect.ComputeRegionOp) -> str | None:
    """Return the reason why the passes after ``ttl-form-regions`` cannot process a region; None if they can."""
    from ttl.dialects.tiles import (  # not needed if programs are only checked
        TileOp,
        dtype_of,
        space_of,
    )

    space = space_of(region)
    if not space or min(space) < 1:
        return "it has no space, the extents in tiles over which its body is computed"
    if region.values or any(
        isinstance(value.type, TensorType) for value in (*region.inputs, *region.outputs)
    ):
        return "its result stays in the registers, and only loops that passes understand keep values there"
    last = region.body.block.last_op
    tiles = last.values if isinstance(last, dialect.YieldTilesOp) else ()
    for tile, block in zip(tiles, region.outputs, strict=True):
        if not isinstance(tile.owner, TileOp):
            return "it yields a tile that no operation of its body computes"
        wanted = dialect.dtype_and_layout(block.type.element_type)[0]  # type: ignore[attr-defined]
        if dtype_of(tile) is not wanted and not (dtype_of(tile).is_float and wanted.is_float):
            return f"it yields a tile of {dtype_of(tile).name} for a block of {wanted.name}, which the packer does not convert"
    return None


def _refused(op: Operation, why: str, way_out: str) -> Diagnostic:
    return error("TTL1453", f"{op.name} is not lowered: {why}", help=way_out)
