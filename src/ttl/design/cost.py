"""Estimates of a plan's cycles: its three kernels run against each other over their buffers.

Each step takes as long as the chip's costs say (``ttl.arch``); a kernel waits where a buffer is full or empty. Of a
loop, only as many iterations are run as show how long the others take. The estimate compares plans; the emulated chip
measures programs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from ttl.analysis.polynomials import Indeterminate
from ttl.arch import Chip
from ttl.design.graph import Compute, GraphValue, Item, Load, Loop, Store, Sum, items, tiles_of
from ttl.design.plan import DesignPlan, PlannedBuffer, moved
from ttl.rows.on_hardware import cost
from ttl.rows.table import ADD

# Routers that a transfer passes there and back, on average; the share of a bank's peak that programs reach.
_HOPS = 12
_BANK_SHARE = 0.9
# The largest additional time, as a share, if all nodes read the same.
_CROWD = 0.3
_PHASES = 4
# The most tiles of an accumulated sum of products that the registers hold.
_REGISTERS = 4
# The most iterations of a loop that are run: further ones take as long as the last of these.
_FEW, _MORE = 3, 6

Step = tuple[str, PlannedBuffer | None, float]
"""The action: ``acquire`` or ``release`` with the buffer and no cycles, or ``work`` with None and its cycles."""


@dataclass(slots=True)
class _PlayedRing:
    """The times at which blocks of a buffer were filled and emptied."""

    free: deque[float] = field(default_factory=deque)
    filled: deque[float] = field(default_factory=deque)


def estimated(plan: DesignPlan, chip: Chip) -> tuple[int, str]:
    """Return the cycles of a node, and the dominant part of them: data movement, mathematics or DRAM."""
    player = _Player(plan, chip)
    cycles, busy = player.play()
    costs = chip.costs
    dram_cycles = sum(
        buffer.iterations * buffer.transfers * player.at_once(buffer) for buffer in plan.streams
    )
    limited = max(busy, key=lambda name: busy[name])
    if dram_cycles > busy[limited]:
        limited = "DRAM"
    return int(costs.before_reads + max(cycles, dram_cycles) + 0.05 * cycles), limited


class _Player:
    def __init__(self, plan: DesignPlan, chip: Chip) -> None:
        self._plan, self._chip = plan, chip
        self._nodes = prod(plan.grid)
        self._computed = {
            item.value for item in items(plan.body) if isinstance(item, Compute) and not item.op.is_view
        }
        products = {
            item.value
            for item in items(plan.body)
            if isinstance(item, Compute) and item.op.family == "product"
        }
        carried = {
            carried.inside for item in items(plan.body) if isinstance(item, Loop) for carried in item.carried
        }
        self._sums = {
            item.value
            for item in items(plan.body)
            if isinstance(item, Compute)
            and item.op is ADD
            and {*item.operands} & products
            and {*item.operands} & carried
        }
        self._copies = {buffer.name: self._copy(buffer) for buffer in plan.streams}

    def readers(self, buffer: PlannedBuffer) -> int:
        """Return the number of nodes that read a block from memory, or write one."""
        return self._nodes // prod(buffer.group) // prod(buffer.split)

    def at_once(self, buffer: PlannedBuffer) -> float:
        """Return the cycles that the busiest bank of DRAM takes for one block of each node."""
        key, banks = (buffer.item, buffer.group), self._plan.banks
        if key not in banks:
            banks[key] = self._of_banks(buffer)
        return banks[key]

    def _of_banks(self, buffer: PlannedBuffer) -> float:
        channels, shape = (
            self._chip.dram.channels,
            tiles_of(tuple(self._plan.graph.tensors[buffer.tensor].shape)),
        )
        strides = [prod(shape[at + 1 :]) for at in range(len(shape))]
        sizes = [entry.size for entry in buffer.item.index]
        offsets = sum(
            np.arange(size).reshape([-1 if one == at else 1 for one in range(len(sizes))]) * stride
            for at, (size, stride) in enumerate(zip(sizes, strides, strict=True))
        )
        first = sum(
            entry.start.at(where) * stride
            for where in (self._first_iterations(buffer),)
            for entry, stride in zip(buffer.item.index, strides, strict=True)
        ) + np.zeros(self.readers(buffer), int)
        banks = (first[:, None] + np.asarray(offsets).reshape(1, -1)) % channels
        most = int(np.bincount(banks.ravel(), minlength=channels).max())
        page = buffer.type.nbytes / max(prod(buffer.shape), 1)
        # Nodes that read the same at the same time wait in line for it.
        crowd = 1 + _CROWD * (1 - len(np.unique(first)) / len(first))
        return most * page * crowd / self._chip.costs.dram_rate.per_cycle / _BANK_SHARE

    def _first_iterations(self, buffer: PlannedBuffer) -> dict[Indeterminate, Any]:
        """Return the positions of loops in the first iteration of each node that reads or writes, as arrays."""
        columns, rows = self._plan.grid
        wide, high = buffer.group
        places = range(0, columns // buffer.split[0], wide), range(0, rows // buffer.split[1], high)
        x, y = (axis.ravel() for axis in np.meshgrid(*places, indexing="ij"))
        starts: dict[int, Any] = {}
        for nest in self._plan.nests.values():
            for share in nest.shares:
                node = nest.places(share, x, y, rows)
                item = np.minimum(node, share.nodes - 1) * (1 if share.in_turn else share.iterations)
                for loop in reversed(share.loops):
                    starts[loop.number] = item % loop.count * loop.step
                    item = item // loop.count
        terms = {term for entry in buffer.item.index for term in entry.start.indeterminates}
        return {term: starts.get(term.key, 0) for term in terms}  # type: ignore[call-overload]

    def play(self) -> tuple[float, dict[str, float]]:
        """Return the time at which the last kernel ends, and how long each was busy, from some iterations of long loops."""
        body = self._plan.body
        whole, more = self._items(body, None), self._items(body, _MORE)
        cycles, busy = self._played(_MORE)
        if more == whole:
            return cycles, busy
        few = self._items(body, _FEW)
        first, busy_first = self._played(_FEW)
        ahead = (whole - more) / (more - few)
        return cycles + (cycles - first) * ahead, {
            name: busy[name] + (busy[name] - busy_first[name]) * ahead for name in busy
        }

    def _items(self, body: list[Item], most: int | None) -> float:
        """Return the number of items that a node executes."""
        return sum(
            self._iterations(item, most) * self._items(item.body, most)
            if isinstance(item, Loop)
            else item.parts + self._items(item.body, most)
            if isinstance(item, Sum)
            else 1
            for item in body
        )

    def _iterations(self, loop: Loop, most: int | None) -> int:
        iterations = self._plan.iterations_of(loop)
        return iterations if most is None else min(iterations, most)

    def _played(self, most: int) -> tuple[float, dict[str, float]]:
        rings: dict[str, _PlayedRing] = {}
        for one in self._plan.every_buffer:
            rings[one.name] = _PlayedRing(free=deque([0.0] * one.block_count))
        kernels = [self._steps(self._plan.body, mover, most, set()) for mover in (0, 1, None)]
        clocks = [0.0, 0.0, float(self._chip.costs.startup.value)]
        busy = [0.0, 0.0, 0.0]
        waiting: list[tuple[Step, deque[float]] | None] = [None, None, None]
        alive = [True, True, True]
        while any(alive):
            moved = False
            for number in range(3):
                while alive[number]:
                    pending = waiting[number]
                    if pending is not None:
                        if not pending[1]:
                            break
                        clocks[number] = max(clocks[number], pending[1].popleft())
                        waiting[number] = None
                    step = next(kernels[number], None)
                    moved = True
                    if step is None:
                        alive[number] = False
                        break
                    what, buffer, cycles = step
                    if what == "work":
                        clocks[number] += cycles
                        busy[number] += cycles
                        continue
                    assert buffer is not None
                    ring = rings[buffer.name]
                    fills = isinstance(buffer.item, Load) is (number != 2)
                    if what == "acquire":
                        waiting[number] = step, ring.free if fills else ring.filled
                    else:
                        (ring.filled if fills else ring.free).append(clocks[number])
            assert moved, "a plan that stands still"
        return max(clocks), {"data movement": max(busy[:2]), "mathematics": busy[2]}

    def _steps(self, body: list[Item], mover: int | None, most: int, begun: set[str]) -> Iterator[Step]:
        if mover is None:
            yield from self._computing(body, most)
            return
        for item in moved(self._plan, body, mover):
            if isinstance(item, Loop):
                for _ in range(self._iterations(item, most)):
                    yield from self._steps(item.body, mover, most, begun)
                continue
            if isinstance(item, Sum):
                if mover == 1:
                    yield from self._sent(item)
                yield from self._steps(item.body, mover, most, begun)
                continue
            buffers = [self._plan.buffers[one] for one in item]
            for buffer in buffers:
                yield "acquire", buffer, 0
            copies = [self._copies[buffer.name][buffer.name in begun] for buffer in buffers]
            # The latency is paid once for transfers that are under way together.
            yield "work", None, sum(copies) - (len(copies) - 1) * self._latency(buffers[0])
            begun |= {buffer.name for buffer in buffers}
            for buffer in buffers:
                yield "release", buffer, 0

    def _sent(self, item: Sum) -> Iterator[Step]:
        """Yield the steps that send a part's own sum and receive the sums of the others."""
        costs = self._chip.costs
        for own, others in (self._plan.sums[carried] for carried, _ in item.sums):
            way = (
                costs.write_fixed.value
                + costs.hop.value * _HOPS / 2
                + costs.semaphore.value * 2
                + costs.poll.value
            )
            for buffer, count in ((own, 1), (others, item.parts - 1)):
                for _ in range(count):
                    yield "acquire", buffer, 0
                    yield "work", None, way + buffer.type.nbytes / costs.niu_in_rate.per_cycle
                    yield "release", buffer, 0

    def _added(self, item: Sum) -> Iterator[Step]:
        costs = self._chip.costs
        for carried, _ in item.sums:
            own, others = self._plan.sums[carried]
            yield "acquire", own, 0
            yield "work", None, self._packing(carried.result.type.shape, own)
            yield "release", own, 0
            for _ in range(item.parts - 1):
                yield "acquire", others, 0
                tiles = prod(carried.result.type.shape)
                yield (
                    "work",
                    None,
                    costs.compute_wait.value + costs.init.value + tiles * float(costs.unpack_two.value),
                )
                yield "release", others, 0

    def _computing(self, body: list[Item], most: int) -> Iterator[Step]:
        held: list[PlannedBuffer] = []
        costs = self._chip.costs
        for item in body:
            match item:
                case Loop():
                    for _ in range(self._iterations(item, most)):
                        yield from self._computing(item.body, most)
                case Load() | Store():
                    buffer = self._plan.buffers[item]
                    yield "acquire", buffer, 0
                    yield "work", None, costs.compute_wait.value + costs.compute_push.value
                    if isinstance(item, Store):
                        yield "work", None, self._packed(item)
                        yield "release", buffer, 0
                    else:
                        held.append(buffer)
                case Compute():
                    yield "work", None, self._operation(item)
                case Sum():
                    yield from self._added(item)
                    yield from self._computing(item.body, most)
        for buffer in held:
            yield "release", buffer, 0

    def _latency(self, buffer: PlannedBuffer) -> float:
        """Return the cycles from the request of a block to its arrival, without those of its bytes."""
        costs, reads = self._chip.costs, isinstance(buffer.item, Load)
        latency = (costs.read_fixed if reads else costs.write_fixed).value + costs.hop.value * _HOPS
        latency += (costs.dram_read if reads else costs.dram_write).value + costs.barrier.value
        one = buffer.type.nbytes / max(prod(buffer.shape), 1)
        return float(
            latency + int(one / costs.dram_stream_rate.per_cycle) + costs.dm_wait.value + costs.dm_push.value
        )

    def _copy(self, buffer: PlannedBuffer) -> tuple[float, float]:
        """Return the cycles of the first block and of a later one, including the multicast by the node that reads."""
        costs = self._chip.costs
        reads = isinstance(buffer.item, Load)
        pages, nbytes = prod(buffer.shape), buffer.type.nbytes
        issue = costs.address.value + (costs.read_issue if reads else costs.write_issue).value
        port = (costs.niu_in_rate if reads else costs.niu_out_rate).per_cycle
        at_once = self.at_once(buffer)
        if buffer.iterations == 1:
            # Only the reads and writes at that time share the banks.
            both = sum(
                other.type.nbytes * self.readers(other)
                for other in self._plan.streams
                if other.iterations == 1
                and other.mover != buffer.mover
                and isinstance(other.item, Load) is reads
            )
            at_once *= 1 + min(1.0, both / (nbytes * self.readers(buffer)))
        overhead = self._latency(buffer)
        one = max(pages * issue, nbytes / port, at_once)
        if not buffer.way:
            return one + overhead, one + overhead
        receivers = prod(buffer.group) - 1
        # The receivers signal free space, get the block, and are notified.
        pipes = 2 if buffer.way == "all" or self._plan.is_diagonal(buffer) else 1
        half = costs.write_fixed.value + costs.hop.value * _HOPS / 2
        sent = pipes * nbytes / costs.multicast_rate.per_cycle + (1 + pipes) * half
        sent += receivers * costs.poll.value / 4 + 2 * costs.semaphore.value
        if self._plan.is_diagonal(buffer):
            # Each reading node reads over links of its own.
            return one + overhead + sent, one + overhead + sent
        # The reading nodes are side by side, and their reads share links.
        crowded = min(self.readers(buffer), max(self._plan.grid)) * nbytes / costs.link_rate.per_cycle
        return max(one, crowded) + overhead + sent, max(one + overhead + sent, crowded)

    def _packed(self, item: Store) -> float:
        return self._packing(item.value.type.shape, self._plan.buffers[item])

    def _packing(self, shape: tuple[int, ...], buffer: PlannedBuffer) -> float:
        costs = self._chip.costs
        wide = buffer.type.dtype.tile_bytes > 2048
        section = costs.init.value + costs.acquire.value + costs.commit.value + costs.release.value
        return prod(shape) * float((costs.pack_wide if wide else costs.pack_narrow).value) + section

    def _operation(self, item: Compute) -> float:
        costs = self._chip.costs
        operands = [operand for operand in item.operands if isinstance(operand, GraphValue)]
        if item.op.is_view or not operands:
            return 0.0
        tiles = prod(item.value.type.shape)
        begin = float(costs.init.value)
        if item.op.family in ("product", "reduction"):
            # Computed operands pass through a buffer.
            computed = [operand for operand in operands if operand in self._computed]
            begin += sum(prod(operand.type.shape) for operand in computed) * float(
                costs.pack_narrow.value + costs.unpack_one.value
            )
        if item.op.family == "product":
            step = max(
                costs.matmul_phase.value * _PHASES + costs.matmul_overhead.value,
                2 * costs.unpack_matmul.value,
            )
            return begin + tiles * operands[0].type.shape[-1] * step
        tiles = max(tiles, *(prod(operand.type.shape) for operand in operands))
        if item.op.family == "reduction":
            largest = item.op.pool == "max"
            one = (
                costs.reduce_row_max.value
                if largest
                else costs.reduce_row.value + 3 * costs.reduce_row_phase.value
            )
            return begin + tiles * float(one)
        if item.value in self._sums:
            # Sums of products accumulate in the registers; if they do not fit, they are packed and unpacked in each
            # iteration.
            if tiles <= _REGISTERS:
                return 0.0
            return begin + tiles * float(
                costs.pack_wide.value + costs.math_copy.value + 2 * costs.unpack_one.value
            )
        number = cost(item.op, self._chip)
        return begin + tiles * float(
            number.value if number is not None else max(costs.math_multiply.value, costs.unpack_two.value)
        )
