"""The cost of a matrix product on the chip.

The result is cut into one block for each core. In a grid of cores, all cores of a row need the same rows of the first
operand, and all cores of a column the same columns of the second: one core of each row or column reads them from DRAM
and sends them to the others at once (a multicast). The inner dimension is cut, too: while cores compute with one block
of it, the next is on its way. In a batch of products of small matrices, every core reads for itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tt_model.cost.rates import Rates
from tt_model.cost.tensors import CostedTensor, is_sharded
from tt_model.cost.work import TILE, CoreWork
from tt_model.layouts.elements import tile_bytes
from tt_model.layouts.enums import DataType

Sharing = Literal["multicast", "alone"]
# Tiles along the inner dimension that are read at once.
_INNER = (8, 4, 2, 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Product:
    """Extents in tiles: ``batch`` products of ``rows`` x ``inner`` and ``inner`` x ``columns``."""

    batch: int
    rows: int
    inner: int
    columns: int
    data_type: DataType
    # Whether the operands are read from DRAM, or else from L1 of other cores.
    first_in_dram: bool = True
    second_in_dram: bool = True
    result_in_dram: bool = True
    # Whether the result stays in L1 of the cores that compute it.
    result_in_shards: bool = False
    arithmetic: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class ProductBlocks:
    """The blocks that a product is cut into: ``high`` x ``wide`` blocks of the result, each of ``m`` x ``n`` tiles.

    A block is computed with ``k`` tiles of the inner dimension at a time. With ``shared``, one core reads the tiles
    that a row or a column of cores needs. ``cores`` is the number of cores that are there for the blocks; if there are
    more blocks, a core computes several of them, one after the other.
    """

    m: int
    n: int
    k: int
    high: int
    wide: int
    shared: bool
    cores: int


def product_of(first: CostedTensor, second: CostedTensor, out: CostedTensor, arithmetic: int) -> Product:
    """The product of two tensors. If the second is one matrix, the batches of the first count as rows of one matrix."""
    *outer, rows, inner = (1, 1, *first.shape)
    *others, _, columns = (1, 1, *second.shape)
    batch, of_second = _count(outer), _count(others)
    tiles = batch * _tiles(rows)
    return Product(
        batch=of_second,
        rows=max(1, tiles // of_second) if of_second <= batch else _tiles(rows),
        inner=_tiles(inner),
        columns=_tiles(columns),
        data_type=out.data_type,
        first_in_dram=_in_dram(first),
        second_in_dram=_in_dram(second),
        result_in_dram=_in_dram(out),
        result_in_shards=is_sharded(out),
        arithmetic=arithmetic,
    )


def fastest_product(
    rates: Rates, product: Product, grid: tuple[int, int], sharing: Sharing | None = None
) -> tuple[ProductBlocks, CoreWork]:
    """Return the fastest way to cut a product, and its work; ``grid`` are rows and columns of cores.

    A result in shards is cut like its shards: ``grid`` are then their rows and columns, and each core computes its own
    shard.
    """
    if product.result_in_shards and sharing is None:
        ways = _on_shards(product, grid)
    elif sharing == "alone" or (sharing is None and product.batch > 1):
        ways = _alone(product, grid)
    else:
        ways = _multicast(product, grid)
    return _best_that_fits(rates, [(way, _in_blocks(rates, product, way)) for way in ways])


def _best_that_fits(
    rates: Rates, ways: list[tuple[ProductBlocks, CoreWork]]
) -> tuple[ProductBlocks, CoreWork]:
    """The fastest way whose circular buffers fit into L1; if none fits, the way with the smallest circular buffers."""
    room = rates.chip.l1_available_bytes
    fitting = [way for way in ways if way[1].buffers <= room]
    if fitting:
        return min(fitting, key=lambda way: (way[1].cycles, way[1].cores))
    return min(ways, key=lambda way: (way[1].buffers, way[1].cycles))


def _on_shards(product: Product, grid: tuple[int, int]) -> Iterator[ProductBlocks]:
    high, wide = grid
    m, n = -(-product.rows // high), -(-product.columns // wide)
    for k in _blocks_of(product.inner):
        yield ProductBlocks(
            m=m, n=n, k=k, high=high, wide=wide, shared=True, cores=product.batch * high * wide
        )


def _multicast(product: Product, grid: tuple[int, int]) -> Iterator[ProductBlocks]:
    rows, columns = grid
    for high, wide in ((rows, columns), (1, rows * columns), (rows * columns, 1)):
        m, n = -(-product.rows // high), -(-product.columns // wide)
        high, wide = -(-product.rows // m), -(-product.columns // n)
        for k in _blocks_of(product.inner):
            yield ProductBlocks(
                m=m, n=n, k=k, high=high, wide=wide, shared=True, cores=product.batch * high * wide
            )


def _alone(product: Product, grid: tuple[int, int]) -> Iterator[ProductBlocks]:
    """Yield ways in which every core reads for itself: products of a batch, or one product cut as for a multicast."""
    rows, columns = grid
    for high, wide in ((rows, columns), (1, rows * columns), (rows * columns, 1)):
        if product.batch > 1:
            high = wide = 1
        m, n = -(-product.rows // high), -(-product.columns // wide)
        high, wide = -(-product.rows // m), -(-product.columns // n)
        for k in _blocks_of(product.inner):
            yield ProductBlocks(m=m, n=n, k=k, high=high, wide=wide, shared=False, cores=rows * columns)


def _blocks_of(inner: int) -> Iterator[int]:
    return (k for k in _INNER if inner % k == 0)


def _in_blocks(rates: Rates, product: Product, way: ProductBlocks) -> CoreWork:
    m, n, k, high, wide, shared = way.m, way.n, way.k, way.high, way.wide, way.shared
    size = tile_bytes(product.data_type)
    blocks = product.batch * high * wide
    used = min(blocks, way.cores)
    rounds = -(-blocks // used)
    steps = rounds * (product.inner // k)

    # One step: one processor for each operand reads tiles and sends them on; the slower of the two counts.
    first = _OperandStep(
        tiles=m * k,
        readers=high if shared else used,
        in_dram=product.first_in_dram,
        is_sent=shared and wide > 1,
    )
    second = _OperandStep(
        tiles=k * n,
        readers=wide if shared else used,
        in_dram=product.second_in_dram,
        is_sent=shared and high > 1,
    )
    into = 0 if shared else (first.tiles + second.tiles) * size
    both = first.dram_cycles(rates, size), second.dram_cycles(rates, size)
    dram, port, sent, latency = max(
        (
            operand.cycles(rates, size, own=own, other=other, into=into)
            for operand, own, other in ((first, *both), (second, *both[::-1]))
        ),
        key=lambda step: max(step[:2]) + step[2] + step[3],
    )
    read = max(dram, port) + sent + latency

    # Partial sums that do not fit into the registers are read back from L1 at each step.
    reloaded = (
        m * n * rates.reload(product.data_type)
        if product.inner > k and m * n > rates.chip.dst.half_16bit
        else 0
    )
    piece = m * n * k * rates.product(product.data_type) + reloaded
    compute = steps * piece + rounds * m * n * rates.pack(product.data_type)

    result = used * m * n * size
    written, write_latency = 0.0, 0
    if not product.result_in_shards:
        written = max(
            result * product.result_in_dram / rates.chip.dram_bytes_per_cycle, m * n * size / rates.core_out
        )
        write_latency = rates.write_latency(to_dram=product.result_in_dram)
    return CoreWork(
        cores=used,
        arithmetic=product.arithmetic,
        compute=compute,
        dram=(steps * dram if dram >= port else 0) + rounds * written,
        network=steps * (sent + (port if port > dram else 0)),
        latency=steps * latency,
        first=read,
        last=written + write_latency,
        piece=piece,
        in_turn=True,
        # Two blocks of each operand (the current one and the next), and the partial sums.
        buffers=2 * (first.tiles + second.tiles) * size + (0 if product.result_in_shards else m * n * size),
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _OperandStep:
    """The tiles of an operand that a core reads in one step, and the number of cores that read."""

    tiles: int
    readers: int
    in_dram: bool
    is_sent: bool

    def dram_cycles(self, rates: Rates, size: int) -> float:
        """Return the cycles that DRAM takes while only this operand is read."""
        return self.in_dram * self.readers * self.tiles * size / rates.chip.dram_bytes_per_cycle

    def cycles(
        self, rates: Rates, size: int, *, own: float, other: float, into: int
    ) -> tuple[float, float, float, int]:
        """Return the cycles of DRAM, of the port, of sending, and of waiting.

        While both operands are read, they share DRAM. A core that shares its tiles sends them before its next read, as
        soon as the other cores have reported free space.
        """
        from_cores = 0 if self.in_dram else self.readers * self.tiles * size
        port = max(
            max(into, self.tiles * size) / rates.core_in,
            self.tiles * rates.costs.read_issue.value,
            from_cores / rates.links,
        )
        sent = self.tiles * size / rates.multicast if self.is_sent else 0.0
        latency = rates.read_latency(from_dram=self.in_dram) + (rates.handshake if self.is_sent else 0)
        return own + min(own, other), port, sent, latency


def _tiles(extent: int) -> int:
    return max(1, -(-extent // TILE))


def _count(extents: list[int]) -> int:
    result = 1
    for extent in extents:
        result *= extent
    return result


def _in_dram(tensor: CostedTensor) -> bool:
    return tensor.config is not None and tensor.config.buffer_type.name == "DRAM"
