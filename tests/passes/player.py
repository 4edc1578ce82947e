"""Plays data movement kernels of a ``ttkernel`` program on imagined nodes: an independent reading of the kernel API.

Transfers leave and arrive late, in any order the chip allows: writes of one kernel leave and arrive in order, reads
and increments arrive whenever they like. Which kernel goes on, and what arrives, is drawn from a seed. What is not
waited for is therefore seen missing. Compute kernels are Python generators that the test gives.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.ir import Operation

from ttl.analysis.interpreter import KernelInterpreter, in_steps, wait
from ttl.dialects import ttkernel
from ttl.dialects.ttl import AccessorType
from ttl.passes.movement.pages_of_slice import pages_of
from ttl.protocol.rings import Ring
from ttl.rules.tensor_pages import in_pages

SEMAPHORE_BYTES, FIRST_BUFFER = 16, 1024
Steps = Iterator[Any]
Compute = Callable[["Player", "Node"], Steps]


class Stuck(Exception):
    """No kernel can go on, and nothing is under way."""


class Buffer(Ring):
    """A circular buffer of one node."""

    def __init__(self, base: int, pages: int, page_bytes: int) -> None:
        super().__init__(pages)
        self.base = base
        self.page_bytes = page_bytes

    @property
    def pages(self) -> int:
        return self.block_count

    def place(self, page: int) -> int:
        return self.base + self.slot(page) * self.page_bytes


@dataclass
class Node:
    """One node: its memory and buffers."""

    column: int
    row: int
    memory: np.ndarray
    buffers: dict[str, Buffer]

    def word(self, address: int) -> int:
        return int(self.memory[address : address + 4].view(np.uint32)[0])

    def set_word(self, address: int, value: int) -> None:
        self.memory[address : address + 4].view(np.uint32)[0] = value


@dataclass
class Remote:
    """An address on the network: pieces of memory, one for each destination."""

    pieces: list[Callable[[int], np.ndarray]]
    nodes: list[Node] = field(default_factory=list)
    address: int = 0


@dataclass
class Transfer:
    """Something under way."""

    leave: Callable[[], np.ndarray]
    arrive: Callable[[np.ndarray], None]
    data: np.ndarray | None = None
    arrived: bool = False


@dataclass
class Running:
    """A kernel of a node, and what it has under way."""

    name: str
    node: Node
    steps: Steps
    writes: list[Transfer] = field(default_factory=list)
    reads: list[Transfer] = field(default_factory=list)
    atomics: list[Transfer] = field(default_factory=list)
    blocked: Callable[[], bool] | None = None
    done: bool = False

    def under_way(self) -> Iterable[Transfer]:
        first_to_leave = next((each for each in self.writes if each.data is None), None)
        first_to_arrive = next((each for each in self.writes if not each.arrived), None)
        found = [each for each in (*self.reads, *self.atomics) if not each.arrived]
        if first_to_leave is not None:
            found.append(first_to_leave)
        if first_to_arrive is not None and first_to_arrive.data is not None:
            found.append(first_to_arrive)
        return found


class Player:
    """Plays a program. ``memory`` has the words of each tensor, in pages: ``pages x bytes``."""

    def __init__(
        self,
        program: ttkernel.ProgramOp,
        tensors: Mapping[str, np.ndarray],
        *,
        compute: Mapping[str, Compute] | None = None,
        seed: int = 0,
    ) -> None:
        self.program = program
        self.tensors = tensors
        self.random = random.Random(seed)
        self.compute = compute or {}
        columns, rows = program.grid
        self.nodes = {(x, y): self._node(x, y) for x in range(columns) for y in range(rows)}
        self.kernels: list[Running] = []
        self.printed: dict[tuple[int, int], list[tuple[Any, ...]]] = {}
        for node in self.nodes.values():
            for kernel in program.kernels:
                running = Running(kernel.declared_name, node, iter(()))  # type: ignore[arg-type]
                if kernel.thread == "tensix":
                    if kernel.declared_name not in self.compute:
                        continue
                    running.steps = self.compute[kernel.declared_name](self, node)
                else:
                    running.steps = in_steps(DataMovement(self, running, kernel).play)
                self.kernels.append(running)

    def _node(self, column: int, row: int) -> Node:
        at, buffers = FIRST_BUFFER, {}
        for op in self.program.buffers:
            buffers[op.declared_name] = Buffer(at, op.pages, op.page_bytes)
            at += op.pages * op.page_bytes
        memory = np.full(at, 0xEE, np.uint8)
        node = Node(column, row, memory, buffers)
        for op in self.program.semaphores:
            node.set_word(op.id * SEMAPHORE_BYTES, op.initial)
        return node

    def play(self) -> None:
        """Until every kernel has ended. Raises ``Stuck``; what a kernel leaves under way is an error."""
        while True:
            ready = [
                each for each in self.kernels if not each.done and (each.blocked is None or each.blocked())
            ]
            moving = [(each, transfer) for each in self.kernels for transfer in each.under_way()]
            if not ready and not moving:
                if all(each.done for each in self.kernels):
                    return
                raise Stuck(
                    [
                        f"{each.name} on {each.node.column, each.node.row}"
                        for each in self.kernels
                        if not each.done
                    ]
                )
            if ready and (not moving or self.random.random() < 0.6):
                self._step(self.random.choice(ready))
            else:
                self._move(*self.random.choice(moving))

    def _step(self, kernel: Running) -> None:
        kernel.blocked = None
        try:
            next(kernel.steps)
        except StopIteration:
            kernel.done = True
            assert not list(kernel.under_way()), f"{kernel.name} ends with transfers under way"

    def _move(self, kernel: Running, transfer: Transfer) -> None:
        if transfer.data is None:
            transfer.data = transfer.leave()
            return
        transfer.arrive(transfer.data)
        transfer.arrived = True
        for queue in (kernel.writes, kernel.reads, kernel.atomics):
            queue[:] = [each for each in queue if not each.arrived]

    def wait(self, node: Node, condition: Callable[[], bool]) -> Steps:
        """Let a compute kernel wait."""
        while not condition():
            self._running(node).blocked = condition
            yield

    def _running(self, node: Node) -> Running:
        return next(each for each in self.kernels if each.node is node and each.name in self.compute)


class DataMovement(KernelInterpreter):
    """Runs one kernel on one node, up to the next point where others may go on. A call is the method of its name."""

    def __init__(self, player: Player, running: Running, kernel: ttkernel.KernelOp) -> None:
        super().__init__()
        self.player = player
        self.running = running
        self.node = running.node
        self.kernel = kernel

    def play(self) -> None:
        wait()
        self.block(self.kernel.body.block)

    def buffer(self, name: str) -> Buffer:
        return self.node.buffers[name]

    def printed(self, op: ttkernel.DPrintOp, given: Sequence[Any]) -> None:
        self.player.printed.setdefault((self.node.column, self.node.row), []).append(tuple(given))

    def other(self, op: Operation) -> None:
        match op:
            case ttkernel.AccessorOp():
                assert op.declared_name in self.kernel.accessors
                self.define(op.results, [op.declared_name])
            case ttkernel.GetSemaphoreOp():
                numbers = {each.declared_name: each.id for each in self.player.program.semaphores}
                self.define(op.results, [numbers[op.declared_name] * SEMAPHORE_BYTES])
            case ttkernel.CommonArgOp():
                self.define(op.results, [self.argument(self.kernel.common_args.index(op.entry))])
            case _:
                super().other(op)

    def argument(self, index: int) -> int:
        """Coordinates on the network are not those of the grid: they are 100 + column, 200 + row."""
        entry = self.kernel.common_args[index]
        number = entry.partition("(")[2][:-1]
        return int(number) + (100 if entry.startswith("noc_x") else 200)

    def place(self, x: int, y: int) -> Node:
        return self.player.nodes[x - 100, y - 200]

    # --- calls ---------------------------------------------------------------------------------------------------

    def call(self, op: ttkernel.KernelCallOp, given: Sequence[Any]) -> Any:
        function = getattr(self, op.call.name, None)
        assert function is not None, f"{op.call.name} is not played"
        result = function(*given)
        if op.call.effect == "write":
            wait()
        return result

    def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self.running.blocked = condition
            wait()

    def get_absolute_logical_x(self) -> int:
        return self.node.column

    def get_absolute_logical_y(self) -> int:
        return self.node.row

    def get_common_arg_val(self, index: int) -> int:
        return self.argument(index)

    def cb_reserve_back(self, buffer: Buffer, pages: int) -> None:
        self.until(lambda: buffer.has_room(pages))
        buffer.reserve_pages(pages)

    def cb_wait_front(self, buffer: Buffer, pages: int) -> None:
        self.until(lambda: buffer.has_pages(pages))
        buffer.wait_pages(pages)

    def cb_push_back(self, buffer: Buffer, pages: int) -> None:
        buffer.push_pages(pages)

    def cb_pop_front(self, buffer: Buffer, pages: int) -> None:
        buffer.pop_pages(pages)

    def get_write_ptr(self, buffer: Buffer) -> int:
        return buffer.place(buffer.pushed)

    def get_read_ptr(self, buffer: Buffer) -> int:
        return buffer.place(buffer.popped)

    def page(self, number: int, tensor: str) -> np.ndarray:
        pages = self.player.tensors[tensor]
        assert 0 <= number < len(pages), f"page {number} of {tensor}, which has {len(pages)}"
        return pages[number]

    def read(self, source: Callable[[], np.ndarray], address: int, size: int) -> None:
        def arrive(data: np.ndarray) -> None:
            self.node.memory[address : address + size] = data

        self.running.reads.append(Transfer(lambda: source().copy(), arrive))

    def write(self, address: int, size: int, targets: list[Callable[[], np.ndarray]]) -> None:
        def arrive(data: np.ndarray) -> None:
            for target in targets:
                target()[:] = data

        self.running.writes.append(
            Transfer(lambda: self.node.memory[address : address + size].copy(), arrive)
        )

    def noc_async_read_page(self, number: int, tensor: str, address: int) -> None:
        page = self.page(number, tensor)
        self.read(lambda: page, address, len(page))

    def noc_async_write_page(self, number: int, tensor: str, address: int) -> None:
        page = self.page(number, tensor)
        self.write(address, len(page), [lambda: page])

    def shard(self, number: int, tensor: str) -> list[np.ndarray]:
        """The pages of a shard, in order."""
        (given,) = (op.type for op in self.player.program.tensors if op.declared_name == tensor)
        accessor = AccessorType(given)
        shape = accessor.encoding.layout.shard_shape
        assert shape is not None
        extents, parts = in_pages(accessor.shape, accessor.layout, shape)
        grid = [extent // part for extent, part in zip(extents, parts, strict=True)]
        first = [at * part for at, part in zip(np.unravel_index(number, grid), parts, strict=True)]
        numbers = np.arange(np.prod(extents)).reshape(extents)
        inside = tuple(slice(start, start + part) for start, part in zip(first, parts, strict=True))
        return [self.page(int(each), tensor) for each in numbers[inside].ravel()]

    def noc_async_read_shard(self, number: int, tensor: str, address: int) -> None:
        for place, page in enumerate(self.shard(number, tensor)):
            self.read(lambda page=page: page, address + place * len(page), len(page))  # type: ignore[misc]

    def noc_async_write_shard(self, number: int, tensor: str, address: int) -> None:
        for place, page in enumerate(self.shard(number, tensor)):
            self.write(address + place * len(page), len(page), [lambda page=page: page])  # type: ignore[misc]

    def get_noc_addr(self, number: int, tensor: str, offset: int) -> Remote:
        page = self.page(number, tensor)
        return Remote([lambda size: page[offset : offset + size]])

    def get_noc_addr_xy(self, x: int, y: int, address: int) -> Remote:
        return self.remote([self.place(x, y)], address)

    def get_noc_addr_local(self, address: int) -> Remote:
        return self.remote([self.node], address)

    def get_noc_multicast_addr(self, x0: int, y0: int, x1: int, y1: int, address: int) -> Remote:
        if self.kernel.noc == 1:
            x0, y0, x1, y1 = x1, y1, x0, y0
        assert x0 <= x1 and y0 <= y1
        nodes = [self.place(x, y) for x in range(x0, x1 + 1) for y in range(y0, y1 + 1)]
        return self.remote(nodes, address)

    def remote(self, nodes: list[Node], address: int) -> Remote:
        def piece(node: Node) -> Callable[[int], np.ndarray]:
            return lambda size: node.memory[address : address + size]

        return Remote([piece(node) for node in nodes], nodes, address)

    def noc_async_read(self, remote: Remote, address: int, size: int) -> None:
        (piece,) = remote.pieces
        self.read(lambda: piece(size), address, size)

    def noc_async_write(self, address: int, remote: Remote, size: int) -> None:
        (piece,) = remote.pieces
        self.write(address, size, [lambda: piece(size)])

    def multicast(self, address: int, remote: Remote, size: int, count: int, loop: bool) -> None:
        nodes = [node for node in remote.nodes if loop or node is not self.node]
        assert len(nodes) == count > 0, f"{len(nodes)} nodes are written to, not {count}"
        assert loop == (self.node in remote.nodes) or not loop
        there = self.remote(nodes, remote.address)
        targets = [(lambda piece=piece: piece(size)) for piece in there.pieces]
        self.write(address, size, targets)

    def noc_async_write_multicast(self, address: int, remote: Remote, size: int, count: int) -> None:
        self.multicast(address, remote, size, count, False)

    def noc_async_write_multicast_loopback_src(
        self, address: int, remote: Remote, size: int, count: int
    ) -> None:
        self.multicast(address, remote, size, count, True)

    def noc_async_read_barrier(self) -> None:
        self.until(lambda: not self.running.reads)

    def noc_async_write_barrier(self) -> None:
        self.until(lambda: not self.running.writes)

    def noc_async_writes_flushed(self) -> None:
        self.until(lambda: all(each.data is not None for each in self.running.writes))

    def noc_async_atomic_barrier(self) -> None:
        self.until(lambda: not self.running.atomics)

    # --- semaphores ----------------------------------------------------------------------------------------------

    def semaphore_of_number(self, number: int) -> int:
        assert any(each.id == number for each in self.player.program.semaphores)
        return number * SEMAPHORE_BYTES

    def semaphore_address_of_number(self, number: int) -> int:
        return self.semaphore_of_number(number)

    def semaphore_at(self, address: int) -> int:
        return address

    def reinterpret_l1(self, address: int) -> int:
        return address

    def store_to_l1(self, value: int, pointer: int, index: int) -> None:
        self.node.set_word(pointer + 4 * index, value)

    def get_semaphore_address(self, semaphore: int) -> int:
        return semaphore

    def load_semaphore(self, semaphore: int) -> int:
        return self.node.word(semaphore)

    def noc_semaphore_set(self, semaphore: int, value: int) -> None:
        self.node.set_word(semaphore, value)

    def noc_semaphore_wait(self, semaphore: int, value: int) -> None:
        self.until(lambda: self.node.word(semaphore) == value)

    def noc_semaphore_wait_min(self, semaphore: int, value: int) -> None:
        self.until(lambda: self.node.word(semaphore) >= value)

    def noc_semaphore_inc(self, remote: Remote, value: int) -> None:
        (node,) = remote.nodes

        def arrive(data: np.ndarray) -> None:
            node.set_word(remote.address, node.word(remote.address) + value)

        self.running.atomics.append(Transfer(lambda: np.zeros(0), arrive))

    def noc_semaphore_set_remote(self, address: int, remote: Remote) -> None:
        self.noc_async_write(address, remote, 4)

    def noc_semaphore_set_multicast(self, address: int, remote: Remote, count: int) -> None:
        self.multicast(address, remote, 4, count, False)

    def noc_semaphore_set_multicast_loopback_src(self, address: int, remote: Remote, count: int) -> None:
        self.multicast(address, remote, 4, count, True)

    def noc_inline_dw_write(self, remote: Remote, value: int) -> None:
        (node,) = remote.nodes

        def arrive(data: np.ndarray) -> None:
            node.set_word(remote.address, value)

        self.running.writes.append(Transfer(lambda: np.zeros(0), arrive))


def paged(words: np.ndarray, accessor: AccessorType) -> np.ndarray:
    """The pages of a tensor, from its elements."""
    pages = pages_of(accessor)
    assert pages is not None
    if accessor.layout.unit == "tile":
        *outer, height, width = words.shape
        padded = np.zeros((*outer, -(-height // 32) * 32, -(-width // 32) * 32), words.dtype)
        padded[..., :height, :width] = words
        tiles = padded.reshape(*outer, padded.shape[-2] // 32, 32, padded.shape[-1] // 32, 32)
        tiles = np.ascontiguousarray(np.swapaxes(tiles, -3, -2))
        return tiles.reshape(-1, 1024).view(np.uint8)
    *outer, width = words.shape
    padded = np.zeros((*outer, pages.extents[-1] * pages.width), words.dtype)
    padded[..., :width] = words
    return padded.reshape(-1, pages.width).view(np.uint8)


def unpaged(data: np.ndarray, shape: tuple[int, ...], dtype: Any, accessor: AccessorType) -> np.ndarray:
    """The inverse."""
    words = data.view(dtype)
    if accessor.layout.unit == "tile":
        *outer, height, width = shape
        rows, columns = -(-height // 32), -(-width // 32)
        tiles = words.reshape(*outer, rows, columns, 32, 32)
        whole = np.swapaxes(tiles, -3, -2).reshape(*outer, rows * 32, columns * 32)
        return whole[..., :height, :width]
    *outer, width = shape
    return words.reshape(*outer, -1)[..., :width]
