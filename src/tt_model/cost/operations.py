"""The work that each kind of TTNN operation does on the chip."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

from tt_model.cost.products import ProductBlocks, fastest_product, product_of
from tt_model.cost.rates import Rates
from tt_model.cost.tensors import CostedTensor, is_sharded, shard_grid
from tt_model.cost.work import (
    TILE,
    CoreWork,
    Traffic,
    bytes_of,
    moved_traffic,
    queued_cycles,
    streamed,
    tiles_of,
    traffic_of,
)
from tt_model.layouts.elements import tile_bytes
from tt_model.layouts.enums import DataType
from tt_model.operations import shared, ttnn
from tt_model.operations.elementwise import TTNNAddOp, TTNNElementwiseOp, TTNNMaximumOp
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.stages import PerClass

# The resource that an operation waits for.
Bound = Literal["arithmetic", "DRAM", "network", "latency", "launch", "ethernet", "PCIe", "host", "emulated"]


def bound_of(work: CoreWork, start: int) -> Bound:
    """Return the resource that takes longest.

    A port's sending and waiting count as one, unless one follows the other.
    """
    port: dict[Bound, float] = {"network": work.network, "latency": work.latency}
    if not work.in_turn:
        slower: Bound = "network" if work.network >= work.latency else "latency"
        port = {slower: work.network + work.latency}
    taken: dict[Bound, float] = {"launch": start, "arithmetic": work.compute, "DRAM": work.dram, **port}
    return max(taken, key=lambda bound: taken[bound])


# Operations that take no time: those on the device handle and on memory.
WITHOUT_WORK = (ttnn.TTNNEmptyOp, ttnn.TTNNGetDeviceOp, ttnn.TTNNDeallocateOp)


def bytes_read(kind: type[TTNNOperation], inputs: Sequence[CostedTensor], written: int) -> int:
    """Return the bytes that an operation reads.

    Of an embedding's table and of a sliced tensor, only the part that it needs counts.
    """
    sizes = list(map(bytes_of, inputs))
    if kind is shared.TTNNSliceOp:
        return min(sum(sizes), written)
    if kind is ttnn.TTNNEmbeddingOp:
        return sizes[0] + min(sum(sizes[1:]), written) if sizes else 0
    return sum(sizes)


@dataclass(frozen=True, kw_only=True, slots=True)
class OperationCall:
    """The properties of an operation that determine its cost.

    ``fields`` are those of its table, ``grid`` the rows and columns of cores.
    """

    kind: type[TTNNOperation]
    fields: Mapping[str, Any]
    inputs: tuple[CostedTensor, ...]
    outputs: tuple[CostedTensor, ...]
    grid: tuple[int, ...]
    rates: Rates

    @property
    def table(self) -> str:
        """The name of the operation's table in files."""
        written = self.kind.ROW.flatbuffer
        return self.kind.__name__ if written is None else written.table

    @property
    def word(self) -> str:
        """The ``type`` in the operation's table, which tells apart operations that share a table."""
        return str(self.fields.get("type"))

    @property
    def data_type(self) -> DataType:
        return self.outputs[0].data_type if self.outputs else DataType.BFloat16

    @property
    def elements(self) -> int:
        return sum(prod(one.shape) for one in self.outputs)

    @property
    def tiles(self) -> int:
        return sum(tiles_of(one.shape) for one in self.outputs)

    @property
    def shards(self) -> CostedTensor | None:
        """The tensor whose shards determine which cores work: a sharded result, or else operand."""
        return next((one for one in (*self.outputs, *self.inputs) if is_sharded(one)), None)

    def cores_for(self, parts: int) -> int:
        """Return how many cores work on ``parts`` equal parts: at most those with shards, if a tensor is in shards."""
        cores = prod(self.grid) if self.shards is None else prod(self.shards.cores)
        return max(1, min(cores, parts))

    def in_parts(
        self,
        parts: int,
        compute: float,
        arithmetic: int,
        *,
        pieces_of_a_part: int = 1,
        read: Traffic | None = None,
        held: int = 2,
        before: float = 0.0,
    ) -> CoreWork:
        """Return the work of independent parts that are spread over the cores; ``compute`` are the cycles of one part.

        ``held`` is the number of tiles of each tensor that a core has in its circular buffers at once: the current one
        and the next. Tensors in shards take no such buffers, since they are in the core's L1 already.
        """
        cores = self.cores_for(parts)
        rounds = -(-parts // cores)
        return streamed(
            self.rates,
            read=traffic_of(self.inputs) if read is None else read,
            written=traffic_of(self.outputs),
            cores=cores,
            pieces=rounds * pieces_of_a_part,
            compute=rounds * compute,
            arithmetic=arithmetic,
            before=before,
            queued=0.0
            if self.shards
            else queued_cycles(self.rates, (*self.inputs, *self.outputs), parts, cores),
            buffers=sum(
                held * tile_bytes(one.data_type)
                for one in (*self.inputs, *self.outputs)
                if one.config is not None and not is_sharded(one)
            ),
        )


def work_of(call: OperationCall) -> CoreWork:
    """Return the work of a call whose class is not in ``WITHOUT_WORK``."""
    work = WORK.of(call.kind)
    assert work is not None, "a test asks for the work of each class"
    return work(call)


def _product(call: OperationCall) -> CoreWork:
    return product_in_blocks(call)[1] if len(call.inputs) >= 2 and call.outputs else _copied(call)


def _elementwise(call: OperationCall) -> CoreWork:
    cycles = call.rates.eltwise(call.kind, call.data_type, len(call.inputs))
    # Of an operand that is repeated, a tile is read for every tile of the result.
    read = traffic_of(call.inputs, tiles=call.tiles)
    return call.in_parts(call.tiles, cycles, call.elements, read=read)


def _pooling(call: OperationCall) -> CoreWork:
    window = int(call.fields["kernel_height"]) * int(call.fields["kernel_width"])
    cycles = window * call.rates.eltwise(TTNNMaximumOp, call.data_type, 2)
    return call.in_parts(call.tiles, cycles, call.elements * window)


def _conversion(call: OperationCall) -> CoreWork:
    return call.in_parts(call.tiles, call.rates.eltwise(call.kind, call.data_type, 1), call.elements)


def _pages(call: OperationCall) -> CoreWork:
    return call.in_parts(call.tiles, call.rates.conversion(call.fields.get("layout") == "Tile"), 0)


def _laid_anew(call: OperationCall) -> CoreWork:
    return call.in_parts(call.tiles, 0, 0, read=moved_traffic(call.inputs))


def _selection(call: OperationCall) -> CoreWork:
    return call.in_parts(call.tiles, 0, 0, read=_taken(call))


def _copied(call: OperationCall) -> CoreWork:
    """Return the work of an operation that only moves data, or whose arithmetic is not known: its bytes."""
    return call.in_parts(call.tiles, 0, 0)


def product_in_blocks(call: OperationCall) -> tuple[ProductBlocks, CoreWork]:
    """Return the blocks that a product of matrices is cut into, and its work."""
    inner = call.inputs[0].shape[-1] if call.inputs[0].shape else 1
    product = product_of(call.inputs[0], call.inputs[1], call.outputs[0], call.elements * inner)
    out = call.outputs[0]
    grid = shard_grid(out) if is_sharded(out) else (call.grid[0], prod(call.grid[1:]))
    return fastest_product(call.rates, product, grid)


def _taken(call: OperationCall) -> Traffic:
    """Return the traffic of a call that reads only a part of its inputs."""
    everything = sum(map(bytes_of, call.inputs))
    taken = bytes_read(call.kind, call.inputs, sum(map(bytes_of, call.outputs)))
    return traffic_of(call.inputs, taken / everything if everything else 1.0)


def _convolution(call: OperationCall) -> CoreWork:
    """Return the work of a convolution.

    Positions of the result are spread over the cores; each core uses the whole weight.
    """
    fields, rates = call.fields, call.rates
    window = int(fields["kernel_height"]) * int(fields["kernel_width"])
    inner = window * (int(fields["in_channels"]) // max(1, int(fields.get("groups", 1))))
    channels = max(1, int(fields.get("out_channels", 1)))
    of_a_tile = -(-inner // TILE) * rates.product(call.data_type) + rates.pack(call.data_type)
    parts = -(-max(1, call.elements // channels) // TILE)
    # A core holds one column of the weight's tiles, and the next one.
    held = 2 * -(-inner // TILE)
    return call.in_parts(parts, -(-channels // TILE) * of_a_tile, call.elements * inner, held=held)


def _reduction(call: OperationCall) -> CoreWork:
    """Return the work of a reduction: one core computes a tile of the result from all tiles that are summed into it."""
    rank = len(call.inputs[0].shape) if call.inputs else 0
    dims = {int(dim) % max(1, rank) for dim in call.fields.get("dim_arg", range(rank))}
    columns, rows = rank - 1 in dims, rank - 2 in dims
    summed = sum(tiles_of(one.shape) for one in call.inputs)
    parts = max(1, _kept_tiles(call.inputs[0].shape, dims) if call.inputs else 1)
    if columns or rows:
        cycles = call.rates.reduction(call.kind, columns, rows, call.data_type)
    else:
        cycles = call.rates.eltwise(
            TTNNMaximumOp if call.kind is shared.TTNNMaxOp else TTNNAddOp, call.data_type, 2
        )
    along = -(-summed // parts)
    arithmetic = sum(prod(one.shape) for one in call.inputs)
    before = call.rates.read_latency(from_dram=False)  # the read of a tile with the factor of the sums
    return call.in_parts(parts, along * cycles, arithmetic, pieces_of_a_part=along, before=before)


def _kept_tiles(shape: tuple[int, ...], dims: set[int]) -> int:
    """Return the number of tiles that a tensor has after ``dims`` are reduced to one element."""
    return tiles_of([1 if dim in dims else extent for dim, extent in enumerate(shape)])


def _softmax(call: OperationCall) -> CoreWork:
    """Return the work of a softmax: a core needs a whole line of tiles before it knows the line's largest element."""
    shape = call.outputs[0].shape if call.outputs else ()
    dim = int(call.fields.get("dimension", -1)) % max(1, len(shape))
    lines = _kept_tiles(shape, {dim})
    along = -(-call.tiles // max(1, lines))
    before = call.rates.read_latency(from_dram=False)
    cycles = along * call.rates.softmax(call.data_type)
    return call.in_parts(lines, cycles, 5 * call.elements, held=along + 1, before=before)


WORK = PerClass[Callable[[OperationCall], CoreWork]](
    # The time of links, and of kernels that an operation brings along, is counted elsewhere.
    (TTNNOperation, _copied),
    (shared.TTNNMatmulOp, _product),
    (ttnn.TTNNConv2dOp, _convolution),
    ((TTNNElementwiseOp, ttnn.TTNNClampOp), _elementwise),
    (shared.TTNNReductionOp, _reduction),
    (shared.TTNNSoftmaxOp, _softmax),
    (ttnn.TTNNMaxPool2dOp, _pooling),
    (ttnn.TTNNTypecastOp, _conversion),
    (ttnn.TTNNToLayoutOp, _pages),
    (ttnn.TTNNToMemoryConfigOp, _laid_anew),
    ((shared.TTNNSliceOp, ttnn.TTNNEmbeddingOp), _selection),
    absent={
        **dict.fromkeys(WITHOUT_WORK, "it moves no data and computes nothing"),
        ttnn.TTNNAllocOp: "it computes nothing, and is not in files",
    },
)
