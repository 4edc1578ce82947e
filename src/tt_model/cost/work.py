"""The work of an operation on the chip: the number of cores, the pieces of the work, and the bytes of each memory.

A core reads a piece of its inputs, computes on it, and writes a piece of the result. The three overlap, except for the
first read and the last write, which overlap with nothing. Between those two, the slowest counts: arithmetic, the banks
of DRAM, or the ports of a core. As in the library's kernels, a core requests a piece when the one before has arrived,
so that it waits for memory with each piece.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from tt_model.cost.rates import Rates
from tt_model.cost.tensors import CostedTensor, is_sharded
from tt_model.layouts.elements import SCALAR_BYTES, TILE_SHAPE, tile_bytes

TILE, _ = TILE_SHAPE


def tiles_of(shape: Sequence[int]) -> int:
    """Return the number of tiles of a tensor of this shape, whether or not it is in tiles."""
    *outer, rows, columns = (1, 1, *shape)
    return prod(outer) * -(-rows // TILE) * -(-columns // TILE)


def bytes_of(tensor: CostedTensor) -> int:
    """Return the bytes that a tensor takes in memory, including the padding of its tiles."""
    if not tensor.tiled:
        return prod(tensor.shape) * SCALAR_BYTES.get(tensor.data_type, 1)
    return tiles_of(tensor.shape) * tile_bytes(tensor.data_type)


@dataclass(frozen=True, kw_only=True, slots=True)
class Traffic:
    """Bytes of all cores together, by the memory that they come from or go to."""

    dram: float = 0.0
    # Bytes in L1 of other cores; shards are with the core that computes on them and do not count.
    l1: float = 0.0
    tiles: float = 0.0
    # Of these, the bytes of the most crowded page: one of a tensor that is read repeatedly, all from the same bank or
    # core.
    crowded_dram: float = 0.0
    crowded_l1: float = 0.0

    def part(self, share: float) -> Traffic:
        """Return the fraction ``share`` of the traffic."""
        return Traffic(
            dram=self.dram * share,
            l1=self.l1 * share,
            tiles=self.tiles * share,
            crowded_dram=self.crowded_dram * share,
            crowded_l1=self.crowded_l1 * share,
        )

    def dram_cycles(self, rates: Rates) -> float:
        """Return the cycles of the memories: the largest of three numbers.

        They are those of all banks of DRAM, of the busiest bank, and of the busiest core that others read from.
        """
        everything = rates.chip.dram_bytes_per_cycle
        bank = everything / rates.chip.dram.channels
        return max(self.dram / everything, self.crowded_dram / bank, self.crowded_l1 / rates.core_out)

    def read_cycles(self, rates: Rates, cores: int) -> float:
        """Return the cycles in which the cores' ports receive the data and their processors issue the reads."""
        return self._port_cycles(rates.core_in, rates.costs.read_issue.value, cores, rates.links)

    def write_cycles(self, rates: Rates, cores: int) -> float:
        """Return the cycles in which the cores' ports send the data and their processors issue the writes."""
        return self._port_cycles(rates.core_out, rates.costs.write_issue.value, cores, rates.links)

    def _port_cycles(self, rate: float, issue: int, cores: int, links: float) -> float:
        return max((self.dram + self.l1) / cores / rate, self.tiles / cores * issue, self.l1 / links)


def traffic_of(tensors: Sequence[CostedTensor], share: float = 1.0, tiles: int = 0) -> Traffic:
    """Return the traffic of tensors that are read or written once, or of the fraction ``share`` of them.

    Tensors with fewer than ``tiles`` tiles, the number that the result has, are read repeatedly.
    """
    dram = l1 = count = crowded_dram = crowded_l1 = 0.0
    for tensor in tensors:
        if tensor.config is None:
            continue
        in_dram = tensor.config.buffer_type.name == "DRAM"
        if not in_dram and tensor.config.memory_layout.is_sharded:
            continue
        own = max(1, tiles_of(tensor.shape))
        times = max(1.0, tiles / own) * share
        read = bytes_of(tensor) * times
        count += own * times
        # Pages are distributed over the banks in order, from the first bank: a few pages that are read repeatedly lie
        # in few banks.
        crowded = read / own if times > share else 0.0
        if in_dram:
            dram, crowded_dram = dram + read, max(crowded_dram, crowded)
        else:
            l1, crowded_l1 = l1 + read, max(crowded_l1, crowded)
    return Traffic(dram=dram, l1=l1, tiles=count, crowded_dram=crowded_dram, crowded_l1=crowded_l1)


def moved_traffic(tensors: Sequence[CostedTensor]) -> Traffic:
    """Return the traffic of tensors that get a new layout: shards move to other cores."""
    shards = [tensor for tensor in tensors if is_sharded(tensor)]
    others = traffic_of([tensor for tensor in tensors if not is_sharded(tensor)])
    return Traffic(
        dram=others.dram,
        l1=others.l1 + sum(map(bytes_of, shards)),
        tiles=others.tiles + sum(tiles_of(tensor.shape) for tensor in shards),
    )


def queued_cycles(rates: Rates, tensors: Sequence[CostedTensor], tiles: int, cores: int) -> float:
    """Return the cycles for which cores queue at some banks of DRAM while other banks idle.

    Each core works on adjacent tiles, which are distributed over the banks in order: with 12 banks, shares of 12 tiles
    all begin in the same bank, and shares of 7 tiles begin in all of them. The longest queue at the beginning moves
    from bank to bank, once for each tensor.
    """
    sizes = [
        tile_bytes(tensor.data_type)
        for tensor in tensors
        if tensor.config is not None
        and tensor.config.buffer_type.name == "DRAM"
        and tiles_of(tensor.shape) >= tiles
    ]
    if not sizes or cores < 2:
        return 0.0
    banks = rates.chip.dram.channels
    least, more = divmod(tiles, cores)
    beginning = Counter((core * least + min(core, more)) % banks for core in range(cores))
    longest = max(beginning.values()) - max(1, cores / banks)
    return max(0.0, longest) * sum(sizes) * banks / rates.chip.dram_bytes_per_cycle


@dataclass(frozen=True, kw_only=True, slots=True)
class CoreWork:
    """Cycles of one operation: ``compute`` of the busiest core, ``dram`` of all banks, ``network`` of the busiest port.

    That port waits ``latency`` cycles for memory. ``first`` and ``last``, the first read and the last write, overlap
    with nothing; ``piece`` is the arithmetic of one piece. With ``in_turn``, a core reads, then sends, and then reads
    again, so that these times add up. ``buffers`` are the bytes of L1 that the operation's circular buffers take on
    each core.
    """

    cores: int
    arithmetic: int
    compute: float
    dram: float
    network: float
    latency: float
    first: float
    last: float
    piece: float
    in_turn: bool = False
    buffers: int = 0
    # The last write if the reading port is the busiest, or else the first read.
    edge: float = 0.0

    @property
    def traffic(self) -> float:
        """The time of DRAM or of the ports, whichever is slower; the sum of both if they work one after the other."""
        if self.in_turn:
            return self.dram + self.network + self.latency
        return max(self.dram, self.network + self.latency + self.edge)

    @property
    def cycles(self) -> float:
        """The cycles from the first read to the last write; in between, either traffic or arithmetic takes longer."""
        between = max(self.compute, self.traffic - self.first - self.last + self.piece)
        return self.first + between + self.last


def streamed(
    rates: Rates,
    *,
    read: Traffic,
    written: Traffic,
    cores: int,
    pieces: int,
    compute: float,
    arithmetic: int,
    buffers: int = 0,
    before: float = 0.0,
    queued: float = 0.0,
) -> CoreWork:
    """Work that is cut into ``pieces`` on the busiest core; while it computes on one piece, it reads the next.

    ``compute`` are the cycles of all pieces of a core, ``before`` those before a core reads its first piece, and
    ``queued`` those for which cores wait for one bank while others idle.
    """
    count = max(1, pieces)
    share = 1 / count
    dram = read.dram_cycles(rates) + written.dram_cycles(rates) + queued
    into, out = read.read_cycles(rates, cores), written.write_cycles(rates, cores)
    read_latency = rates.read_latency(from_dram=read.dram > 0) if into else 0
    write_latency = rates.write_latency(to_dram=written.dram > 0) if out else 0
    first = max(read.part(share).dram_cycles(rates), into * share)
    last = max(written.part(share).dram_cycles(rates), out * share)
    first, last = before + first + read_latency, last + write_latency
    # One processor of a core reads and another one writes; the first read or last write of the other one overlaps with
    # nothing.
    reading = (into, before + count * read_latency, last)
    writing = (out, float(count * write_latency), first)
    network, latency, edge = max(reading, writing, key=sum)
    return CoreWork(
        cores=cores,
        arithmetic=arithmetic,
        compute=compute,
        dram=dram,
        network=network,
        latency=latency,
        first=first,
        last=last,
        piece=compute * share,
        buffers=buffers,
        edge=edge,
    )
