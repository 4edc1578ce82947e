"""Kernels of a ``ttmetal.dispatch`` on simulated cores, operation by operation.

Every kernel of every core is a thread that stops where it has to wait. The rules of circular buffers are asked of each
operation, so that a missing wait, push, reserve or barrier is an error whatever the order in which threads run: reading pages
that were not waited for, handing over pages that are still being read or were not reserved, and threads that all wait.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from xdsl.dialects import scf
from xdsl.dialects.arith import AddiOp, ConstantOp, MuliOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from ttmlir.layouts.elements import Tile, data_type_of, element_bytes
from ttmlir.layouts.records import CircularBufferRecord
from ttmlir.operations.operation import RowOperation
from ttmlir.reference.formats import FORMATS, Values, converted
from ttmlir.reference.metal.functions import on_registers
from ttmlir.reference.metal.memory import Bank, MemoryProblem
from ttmlir.reference.metal.placement import bytes_of_scalar, from_faces, in_faces
from ttmlir.reference.metal.precision import ChipPrecision
from ttmlir.reference.problems import NotInterpretable

# Where a core keeps zero bytes, below what tensors may use, and how many.
ZEROS_BASE, ZEROS_SIZE = 512, 512
REGISTERS = 16
_SIDE, _TILE = 32, 1024
_WORD = 1 << 32

Core = tuple[int, int]
# What a thread is waiting for.
Waiting = str
Thread = Generator[Waiting, None, None]


@dataclass(slots=True)
class BufferState:
    """A circular buffer of a core. Counts are pages since the dispatch began."""

    shape: CircularBufferRecord
    # Whether one kernel fills it for another: then it is waited for.
    shared: bool = False
    pushed: int = 0
    popped: int = 0
    waited: int = 0
    reserved: int = 0
    packed: int = 0

    @property
    def bytes(self) -> int:
        return self.shape.memref.bytes * self.shape.num_buffers

    @property
    def capacity(self) -> int:
        return self.bytes // self.shape.page_size

    def page(self, number: int) -> int:
        """The address of a page, counted since the dispatch began."""
        return self.shape.address + number % self.capacity * self.shape.page_size


@dataclass(frozen=True, slots=True)
class NocAddress:
    """Memory on the network."""

    bank: Bank
    address: int


@dataclass(slots=True)
class CoreState:
    """A core during a dispatch."""

    place: Core
    bank: Bank
    buffers: dict[str, BufferState] = field(default_factory=dict)


class Network:
    """Which memory is at a coordinate, and what of it may be used."""

    def __init__(self, banks: dict[Core, Bank], allowed: Any) -> None:
        self._banks = banks
        self._allowed = allowed

    def at(self, op: Operation, x: int, y: int, address: int) -> NocAddress:
        bank = self._banks.get((y, x))
        if bank is None:
            raise NotInterpretable(op, f"names ({x}, {y}) on the network, where no memory is")
        return NocAddress(bank, address)

    def check(self, op: Operation, bank: Bank, address: int, size: int) -> None:
        """Raise ``NotInterpretable`` for bytes that belong to no tensor."""
        if not self._allowed(bank, address, size):
            raise NotInterpretable(
                op, f"moves bytes {address} to {address + size} of {bank.name}, which belong to no tensor"
            )


@dataclass(slots=True)
class _Move:
    source: NocAddress
    destination: NocAddress
    size: int


State = Literal["free", "math", "committed", "pack"]


class KernelThread:
    """One kernel on one core."""

    def __init__(
        self, core: CoreState, block: Block, network: Network, precision: ChipPrecision | None = None
    ) -> None:
        """``precision``: that of the chip; in float64 without one."""
        self.core = core
        self._precision = precision
        # The largest number that was in a register, of those that are finite.
        self.largest = 0.0
        self._network = network
        self._block = block
        self._values: dict[SSAValue, Any] = {}
        for argument in block.args:
            self._values[argument] = core.buffers[_port(argument)]
        self._reads: list[_Move] = []
        self._writes: list[_Move] = []
        self._prepared: tuple[NocAddress, int] | None = None
        self._registers: list[Values | None] = [None] * REGISTERS
        self._state: State = "free"
        self.at: Operation | None = None

    def run(self) -> Thread:
        """The kernel to its end."""
        yield from self._run(self._block)
        for moves, what in ((self._reads, "reads"), (self._writes, "writes")):
            if moves:
                assert self.at is not None
                raise NotInterpretable(self.at, f"ends a kernel whose {what} nobody has waited for")

    def _run(self, block: Block) -> Generator[Waiting, None, list[Any]]:
        for op in block.ops:
            self.at = op
            match op:
                case ConstantOp():
                    value = op.value
                    assert isinstance(value, IntegerAttr)
                    self._values[op.results[0]] = value.value.data
                case AddiOp():
                    self._values[op.results[0]] = _wrapped(self._values[op.lhs] + self._values[op.rhs])
                case MuliOp():
                    self._values[op.results[0]] = _wrapped(self._values[op.lhs] * self._values[op.rhs])
                case scf.ForOp():
                    yield from self._loop(op)
                case scf.YieldOp():
                    return [self._values[operand] for operand in op.operands]
                case RowOperation():
                    try:
                        yield from self._do(op)
                    except (MemoryProblem, ValueError) as problem:
                        raise NotInterpretable(op, f"on core {self.core.place}: {problem}") from problem
                case _:
                    raise NotInterpretable(op, "has no meaning in a kernel of the reference")
        return []

    def _loop(self, op: scf.ForOp) -> Generator[Waiting, None, None]:
        low, high, step = (self._values[value] for value in (op.lb, op.ub, op.step))
        carried = [self._values[value] for value in op.iter_args]
        block = op.body.block
        for number in range(low, high, step):
            for argument, value in zip(block.args, [number, *carried]):
                self._values[argument] = value
            carried = yield from self._run(block)
        for result, value in zip(op.results, carried):
            self._values[result] = value

    # Operations of TTKernel.

    def _do(self, op: RowOperation) -> Generator[Waiting, None, None]:
        name = op.ROW.mnemonic
        given = [self._values[operand] for operand in op.operands]
        if name.startswith("cb_"):
            yield from self._circular(op, name, *given)
        elif name.startswith(("noc_", "get_", "mem_", "reinterpret_cast", "store_to_l1")):
            value = self._movement(op, name, given)
            if op.results:
                self._values[op.results[0]] = value
        elif name.startswith("tile_regs_"):
            self._synchronise(op, name)
        elif (
            "init" not in name
            and not name.startswith("reconfig")
            and name != "return"
            and name != "matmul_hw_startup"
        ):
            self._compute(op, name, given)

    def _circular(
        self, op: RowOperation, name: str, buffer: BufferState, pages: int
    ) -> Generator[Waiting, None, None]:
        if pages > buffer.capacity or pages < 0:
            raise NotInterpretable(
                op, f"is for {pages} pages of a circular buffer that has {buffer.capacity}"
            )
        match name:
            case "cb_reserve_back":
                while buffer.capacity - (buffer.pushed - buffer.popped) < pages:
                    yield f"{pages} free pages of {buffer.shape.port.keyword}"
                buffer.reserved = max(buffer.reserved, pages)
            case "cb_push_back":
                if self._reads:
                    raise NotInterpretable(op, "hands over pages that are still being read")
                if buffer.shared and pages > buffer.reserved:
                    raise NotInterpretable(
                        op, f"hands over {pages} pages, of which {buffer.reserved} were reserved"
                    )
                buffer.reserved = max(0, buffer.reserved - pages)
                buffer.pushed += pages
                buffer.packed = 0
            case "cb_wait_front":
                while buffer.pushed - buffer.popped < pages:
                    yield f"{pages} pages in {buffer.shape.port.keyword}"
                buffer.waited = max(buffer.waited, pages)
            case "cb_pop_front":
                if buffer.shared and pages > buffer.waited:
                    raise NotInterpretable(
                        op, f"frees {pages} pages, of which {buffer.waited} were waited for"
                    )
                buffer.waited = max(0, buffer.waited - pages)
                buffer.popped += pages

    def _movement(self, op: RowOperation, name: str, given: Sequence[Any]) -> Any:
        bank = self.core.bank
        match name:
            case "get_write_ptr":
                return given[0].page(given[0].pushed)
            case "get_noc_addr":
                return NocAddress(bank, given[0])
            case "get_noc_addr_xy":
                return self._network.at(op, *given)
            case "mem_zeros_base":
                bank.clear(ZEROS_BASE, ZEROS_SIZE)
                return ZEROS_BASE
            case "mem_zeros_size":
                return ZEROS_SIZE
            case "noc_async_read":
                self._read(op, given[0], given[1], given[2])
            case "noc_async_read_one_packet_set_state":
                self._prepared = (given[0], given[1])
            case "noc_async_read_one_packet_with_state":
                if self._prepared is None or self._prepared[0] != given[0]:
                    raise NotInterpretable(op, "reads a packet that was not prepared")
                self._read(op, given[0], given[1], self._prepared[1])
            case "noc_async_write":
                local = NocAddress(bank, given[0])
                for end in (local, given[1]):
                    self._network.check(op, end.bank, end.address, given[2])
                self._writes.append(_Move(local, given[1], given[2]))
            case "noc_async_read_barrier":
                _finish(self._reads)
            case "noc_async_write_barrier":
                _finish(self._writes)
            case "store_to_l1":
                if self._reads:
                    raise NotInterpretable(op, "writes a word while bytes are still being read")
                value, pointer, offset = given
                bank.put_word(pointer + 4 * offset, value)
            case _:
                return given[0]  # a pointer is its address
        return None

    def _read(self, op: RowOperation, source: NocAddress, address: int, size: int) -> None:
        bank = self.core.bank
        if source.address != ZEROS_BASE:
            self._network.check(op, source.bank, source.address, size)
        self._network.check(op, bank, address, size)
        for buffer in self.core.buffers.values():
            begin = buffer.shape.address
            within = buffer.shared and address < begin + buffer.bytes and begin < address + size
            if within and size > buffer.reserved * buffer.shape.page_size:
                raise NotInterpretable(
                    op, f"writes to pages of {buffer.shape.port.keyword} that were not reserved"
                )
        bank.forget(address, size)  # until the barrier anything may be there
        self._reads.append(_Move(source, NocAddress(bank, address), size))

    def _synchronise(self, op: RowOperation, name: str) -> None:
        step = name.removeprefix("tile_regs_")
        before, after = {
            "acquire": ("free", "math"),
            "commit": ("math", "committed"),
            "wait": ("committed", "pack"),
            "release": ("pack", "free"),
        }[step]
        if self._state != before:
            raise NotInterpretable(op, f"comes while the registers are {self._state}, not {before}")
        self._state = after  # type: ignore[assignment]
        if step == "acquire":
            self._registers = [None] * REGISTERS

    # Computing.

    def _compute(self, op: RowOperation, name: str, given: Sequence[Any]) -> None:
        match name:
            case "pack_tile":
                self._pack(op, *given)
                return
            case "tilize_block" | "untilize_block":
                self._reformat(name, *given)
                return
        if self._state != "math":
            raise NotInterpretable(op, f"computes while the registers are {self._state}")
        match name:
            case "add_tiles" | "sub_tiles" | "mul_tiles":
                a, b, i, j, register = given
                operands = [self._tile(op, a, i), self._tile(op, b, j)]
                word = {"add_tiles": "add_binary_tile", "sub_tiles": "sub_binary_tile"}.get(
                    name, "mul_binary_tile"
                )
                value = on_registers(word, operands, ())
                known = self._registers[register] if name == "mul_tiles" else None
                self._set(register, value if known is None else known + value)
            case "matmul_tiles":
                a, b, i, j, register = given
                left, right, known = self._tile(op, a, i), self._tile(op, b, j), self._registers[register]
                if self._precision is not None:
                    self._set(register, self._precision.product(left, right, known))
                    return
                with np.errstate(all="ignore"):
                    value = left @ right
                self._set(register, value if known is None else known + value)
            case "copy_tile":
                self._set(given[2], self._tile(op, given[0], given[1]))
            case "transpose_tile":
                self._set(given[2], self._tile(op, given[0], given[1]).T.copy())
            case "unary_bcast":
                tile = self._tile(op, given[0], given[1])
                how = op.value("how").removeprefix("BroadcastType::")
                part = {"ROW": tile[:1], "COL": tile[:, :1], "SCALAR": tile[:1, :1]}[how]
                self._set(given[2], np.array(np.broadcast_to(part, (_SIDE, _SIDE))))
            case "reduce_tile":
                self._reduce(op, *given)
            case "typecast_tile":
                wanted = FORMATS[op.value("out_format").keyword]
                self._set(given[0], converted(self._register(op, given[0]), wanted))
            case _:
                sources = given[:-1] or given
                tiles = [self._register(op, register) for register in sources]
                numbers = [
                    float(op.value(one.name))
                    for one in op.ROW.attributes
                    if isinstance(op.value(one.name), float)
                ]
                chosen = None if self._precision is None else self._precision.function(name, tiles)
                self._set(given[-1], on_registers(name, tiles, numbers) if chosen is None else chosen)

    def _set(self, register: int, values: Values) -> None:
        if self._precision is not None:
            values = self._precision.register(values)
        self._registers[register] = values
        finite = np.abs(values[np.isfinite(values)])
        self.largest = max(self.largest, float(finite.max(initial=0.0)))

    def _reduce(
        self, op: RowOperation, source: BufferState, scaler: BufferState, i: int, j: int, register: int
    ) -> None:
        tile, scale = self._tile(op, source, i), self._tile(op, scaler, j)
        if not ((scale[0] == scale[0, 0]).all() and (scale[_SIDE // 2] == scale[0, 0]).all()):
            raise NotInterpretable(op, "has a scaler whose faces do not begin with one number")
        largest = op.value("reduce_type").keyword == "reduce_max"
        along = op.value("reduce_dim").keyword.removeprefix("reduce_dim_")
        axes = {"row": (1,), "col": (0,), "scalar": (0, 1)}[along]
        with np.errstate(all="ignore"):
            part = tile
            # Rows and columns at once are two steps, each of which multiplies.
            for step, axis in enumerate(axes):
                if step and self._precision is not None:
                    part = self._precision.register(part)
                part = part.max(axis=axis, keepdims=True) if largest else part.sum(axis=axis, keepdims=True)
                part = part * scale[0, 0]
        known = self._registers[register]
        whole = np.zeros((_SIDE, _SIDE))
        at = tuple(slice(0, extent) for extent in part.shape)
        if known is not None:
            part = np.maximum(known[at], part) if largest else known[at] + part
        whole[at] = part
        self._set(register, whole)

    def _register(self, op: Operation, register: int) -> Values:
        value = self._registers[register]
        if value is None:
            raise NotInterpretable(op, f"reads register {register}, which nothing has written")
        return value

    def _tile(self, op: Operation, buffer: BufferState, index: int) -> Values:
        if buffer.shared and index >= buffer.waited:
            raise NotInterpretable(
                op,
                f"reads tile {index} of {buffer.shape.port.keyword}, of which {buffer.waited} were waited for",
            )
        element = buffer.shape.memref.element
        if not isinstance(element, Tile):
            raise NotInterpretable(op, f"reads a tile of {element}")
        size = bytes_of_scalar(element)
        page = buffer.page(buffer.popped + index)
        if index >= buffer.capacity:
            raise NotInterpretable(op, f"reads tile {index} of a circular buffer of {buffer.capacity}")
        addresses = page + size * np.arange(_TILE, dtype=np.int64)
        # A core may wait for pages that the tensor does not reach: nobody writes them, and no result is made of them.
        read = self.core.bank.missing_as_nan if buffer.shared else self.core.bank.get
        tile = from_faces(read(addresses, size))
        return tile if self._precision is None else self._precision.source(tile)

    def _pack(self, op: RowOperation, register: int, buffer: BufferState, index: int) -> None:
        if self._state != "pack":
            raise NotInterpretable(op, f"packs while the registers are {self._state}")
        if index != buffer.packed:
            raise NotInterpretable(
                op, f"packs to tile {index}, and the packer, which goes on by itself, is at {buffer.packed}"
            )
        element = buffer.shape.memref.element
        size = bytes_of_scalar(element)
        page = buffer.page(buffer.pushed + buffer.packed)
        self._network.check(op, self.core.bank, page, size * _TILE)
        values = in_faces(self._register(op, register))
        if self._precision is not None:
            values = converted(values, FORMATS[data_type_of(element).keyword])
        self.core.bank.put(page + size * np.arange(_TILE, dtype=np.int64), values, size)
        buffer.packed += 1

    def _reformat(self, name: str, source: BufferState, count: int, target: BufferState) -> None:
        """Rows of so many tiles to tiles, or tiles to rows."""
        bank = self.core.bank
        sizes = [_bytes_of_number(buffer) for buffer in (source, target)]
        begin = source.shape.address + source.popped * source.shape.page_size
        end = target.shape.address + target.pushed * target.shape.page_size
        numbers = np.arange(count * _TILE, dtype=np.int64)
        held = bank.get(begin + sizes[0] * numbers, sizes[0])
        if name == "tilize_block":
            rows = held.reshape(_SIDE, count, _SIDE).swapaxes(0, 1)
            values = np.concatenate([in_faces(tile) for tile in rows])
        else:
            tiles = np.stack([from_faces(tile) for tile in held.reshape(count, _TILE)])
            values = tiles.swapaxes(0, 1).reshape(-1)
        if self._precision is not None:
            values = self._precision.register(self._precision.source(values))
        types = [data_type_of(buffer.shape.memref.element) for buffer in (source, target)]
        if types[0] is not types[1]:
            values = converted(values, FORMATS[types[1].keyword])
        bank.put(end + sizes[1] * numbers, values, sizes[1])


def _port(argument: SSAValue) -> str:
    type: Any = argument.type
    port: str = type.data.port.keyword
    return port


def _bytes_of_number(buffer: BufferState) -> int:
    element = buffer.shape.memref.element
    return bytes_of_scalar(element) if isinstance(element, Tile) else element_bytes(element)


def _finish(moves: list[_Move]) -> None:
    for move in moves:
        taken = move.source.bank.take(move.source.address, move.size)
        move.destination.bank.give(move.destination.address, taken)
    moves.clear()


def _wrapped(value: int) -> int:
    return (value + _WORD // 2) % _WORD - _WORD // 2


def run_threads(threads: Sequence[KernelThread]) -> None:
    """All kernels of a dispatch, each as far as it gets before the next. Raises ``NotInterpretable`` where all wait."""
    running = [(thread, thread.run()) for thread in threads]
    while running:
        waiting: list[tuple[KernelThread, Thread, str]] = []
        before = [_progress(thread) for thread, _ in running]
        for thread, steps in running:
            try:
                waiting.append((thread, steps, next(steps)))
            except StopIteration:
                continue
        if len(waiting) == len(running) and before == [_progress(thread) for thread, _ in running]:
            thread, _, reason = waiting[0]
            assert thread.at is not None
            others = "; ".join(f"core {one.core.place} for {text}" for one, _, text in waiting[1:4])
            raise NotInterpretable(
                thread.at,
                f"never ends: core {thread.core.place} waits for {reason}"
                + (f"; {others}" if others else ""),
            )
        running = [(thread, steps) for thread, steps, _ in waiting]


def _progress(thread: KernelThread) -> tuple[object, ...]:
    counts = [(buffer.pushed, buffer.popped) for buffer in thread.core.buffers.values()]
    return (id(thread.at), tuple(counts))
