"""Kernels of a ``ttmetal.dispatch`` on simulated cores, operation by operation, in the kernel IR of TT-Lang.

Every kernel of every core is a thread that stops where it has to wait. The rules of circular buffers are checked for
each operation, so that a missing wait, push, reserve or barrier is an error in every order of the threads. Errors are:
reading pages without a wait, handing over pages that are still being read or were not reserved, and threads that all
wait.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from xdsl.ir import Operation

from tt_model.layouts.element_types import DTYPES
from tt_model.layouts.elements import TileRecord, data_type_of, element_bytes
from tt_model.layouts.records import CircularBufferRecord
from tt_model.reference.formats import FORMATS, Values, converted
from tt_model.reference.metal.functions import on_registers
from tt_model.reference.metal.memory import Bank
from tt_model.reference.metal.placement import Numbers, bytes_of_scalar, from_faces, in_faces
from tt_model.reference.metal.precision import ChipPrecision
from tt_model.reference.problems import NotInterpretable
from ttl.analysis.interpreter import KernelInterpreter, in_steps, wait
from ttl.dialects.ttkernel import KernelCallOp, KernelOp
from ttl.protocol.rings import MemoryProblem, Ring

# The address and the number of zero bytes in a core, below the memory that tensors may use.
ZEROS_BASE, ZEROS_SIZE = 512, 512
REGISTERS = 16
_SIDE, _TILE = 32, 1024
_FORMATS = MappingProxyType({dtype: FORMATS[kind.keyword] for kind, dtype in DTYPES.items()})

Core = tuple[int, int]
# Yields the condition that a thread waits for, each time it waits.
Thread = Iterator[str]


class CoreBuffer(Ring):
    """A circular buffer of a core."""

    __slots__ = ("packed", "shape", "shared")

    def __init__(self, shape: CircularBufferRecord) -> None:
        super().__init__(shape.pages)
        self.shape = shape
        # Whether one kernel fills it for another, which then waits for pages.
        self.shared = False
        self.packed = 0

    def page(self, number: int) -> int:
        """The address of a page; pages are counted since the dispatch began."""
        return self.shape.address + self.slot(number) * self.shape.page_size


@dataclass(frozen=True, slots=True)
class NocAddress:
    """An address in a memory on the network."""

    bank: Bank
    address: int


@dataclass(slots=True)
class CoreState:
    """The state of a core during a dispatch."""

    place: Core
    bank: Bank
    buffers: dict[str, CoreBuffer] = field(default_factory=dict)


class NocMemory:
    """The memories at the coordinates of the network, and the check of ranges that may be used."""

    def __init__(self, banks: dict[Core, Bank], allowed: Any) -> None:
        self._banks = banks
        self._allowed = allowed

    def at(self, op: Operation, x: int, y: int, address: int) -> NocAddress:
        bank = self._banks.get((y, x))
        if bank is None:
            raise NotInterpretable(op, f"names ({x}, {y}) on the network, where there is no memory")
        return NocAddress(bank, address)

    def check(self, op: Operation, bank: Bank, address: int, size: int) -> None:
        """Raise ``NotInterpretable`` for bytes that belong to no tensor."""
        if not self._allowed(bank, address, size):
            raise NotInterpretable(
                op,
                f"moves bytes {address} to {address + size} of {bank.name}, which do not belong to a tensor",
            )


@dataclass(slots=True)
class _Move:
    source: NocAddress
    destination: NocAddress
    size: int


State = Literal["free", "math", "committed", "pack"]


class KernelThread(KernelInterpreter):
    """One kernel on one core."""

    def __init__(
        self, core: CoreState, kernel: KernelOp, network: NocMemory, precision: ChipPrecision | None = None
    ) -> None:
        """``precision`` is that of the chip; without it, the thread computes in float64."""
        super().__init__()
        self.core = core
        self._precision = precision
        # The largest finite number that was in a register.
        self.largest = 0.0
        self._network = network
        self._kernel = kernel
        self._reads: list[_Move] = []
        self._writes: list[_Move] = []
        self._prepared: tuple[NocAddress, int] | None = None
        self._registers: list[Values | None] = [None] * REGISTERS
        self._state: State = "free"
        self.at: Operation = kernel

    def run_kernel(self) -> None:
        """Run the kernel to its end."""
        self.block(self._kernel.body.block)
        for moves, what in ((self._reads, "reads"), (self._writes, "writes")):
            if moves:
                raise NotInterpretable(self.at, f"ends a kernel without waiting for its {what}")

    def buffer(self, name: str) -> CoreBuffer:
        return self.core.buffers[name]

    def call(self, op: KernelCallOp, given: Sequence[Any]) -> Any:
        self.at = op
        try:
            return self._called(op, op.call.name, given)
        except (MemoryProblem, ValueError) as problem:
            raise NotInterpretable(op, f"on core {self.core.place}: {problem}") from problem

    def _called(self, op: KernelCallOp, name: str, given: Sequence[Any]) -> Any:
        if name.startswith("cb_"):
            self._circular(op, name, *given)
        elif name.startswith(("noc_", "get_", "zeros_", "reinterpret_l1", "store_to_l1")):
            return self._movement(op, name, given)
        elif name.startswith("tile_regs_"):
            self._synchronise(op, name)
        elif op.call.configures is None:
            self._compute(op, name, given)
        return None

    def _circular(self, op: KernelCallOp, name: str, buffer: CoreBuffer, pages: int) -> None:
        match name:
            case "cb_reserve_back":
                while not buffer.has_room(pages):
                    wait(f"{pages} free pages of {buffer.shape.port.keyword}")
                buffer.reserve_pages(pages)
            case "cb_push_back":
                if self._reads:
                    raise NotInterpretable(op, "hands over pages that are still being read")
                if not buffer.shared:
                    buffer.reserve_pages(pages)
                buffer.push_pages(pages)
                buffer.packed = 0
            case "cb_wait_front":
                while not buffer.has_pages(pages):
                    wait(f"{pages} pages in {buffer.shape.port.keyword}")
                buffer.wait_pages(pages)
            case "cb_pop_front":
                if not buffer.shared:
                    buffer.wait_pages(pages)
                buffer.pop_pages(pages)

    def _movement(self, op: KernelCallOp, name: str, given: Sequence[Any]) -> Any:
        bank = self.core.bank
        match name:
            case "get_write_ptr":
                return given[0].page(given[0].pushed)
            case "get_noc_addr_local":
                return NocAddress(bank, given[0])
            case "get_noc_addr_xy":
                return self._network.at(op, *given)
            case "zeros_address":
                bank.clear(ZEROS_BASE, ZEROS_SIZE)
                return ZEROS_BASE
            case "zeros_size":
                return ZEROS_SIZE
            case "noc_async_read":
                self._read(op, given[0], given[1], given[2])
            case "noc_async_read_one_packet_set_state":
                self._prepared = (given[0], given[1])
            case "noc_async_read_one_packet_with_state":
                if self._prepared is None or self._prepared[0].address != given[0]:
                    raise NotInterpretable(op, "reads a packet that was not prepared")
                self._read(op, self._prepared[0], given[1], self._prepared[1])
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
            case "reinterpret_l1":
                return given[0]  # a pointer is the address itself
            case _:
                raise ValueError(f"'ttkernel.{name}' has no meaning in the reference")
        return None

    def _read(self, op: KernelCallOp, source: NocAddress, address: int, size: int) -> None:
        bank = self.core.bank
        if source.address != ZEROS_BASE:
            self._network.check(op, source.bank, source.address, size)
        self._network.check(op, bank, address, size)
        for buffer in self.core.buffers.values():
            begin = buffer.shape.address
            within = buffer.shared and address < begin + buffer.shape.bytes and begin < address + size
            if within and size > buffer.writable() * buffer.shape.page_size:
                raise NotInterpretable(
                    op, f"writes to pages of {buffer.shape.port.keyword} that were not reserved"
                )
        bank.forget(address, size)  # the bytes are undefined until the barrier
        self._reads.append(_Move(source, NocAddress(bank, address), size))

    def _synchronise(self, op: KernelCallOp, name: str) -> None:
        step = name.removeprefix("tile_regs_")
        before, after = {
            "acquire": ("free", "math"),
            "commit": ("math", "committed"),
            "wait": ("committed", "pack"),
            "release": ("pack", "free"),
        }[step]
        if self._state != before:
            raise NotInterpretable(op, f"runs while the registers are {self._state}, not {before}")
        self._state = after  # type: ignore[assignment]
        if step == "acquire":
            self._registers = [None] * REGISTERS

    # Computing.

    def _compute(self, op: KernelCallOp, name: str, given: Sequence[Any]) -> None:
        match name:
            case "pack_tile":
                self._pack(op, *given)
                return
            case "tilize_block":
                source, count, target = given
                self._tilize(source, count, target)
                return
            case "pack_untilize_block":
                self._untilize(op, *given)
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
                how = op.constants["how"].removeprefix("BroadcastType::")
                part = {"ROW": tile[:1], "COL": tile[:, :1], "SCALAR": tile[:1, :1]}[how]
                self._set(given[2], np.array(np.broadcast_to(part, (_SIDE, _SIDE))))
            case "reduce_tile":
                self._reduce(op, op.constants["pool"], op.constants["dim"], *given)
            case "row_sum_tile":
                self._reduce(op, "PoolType::SUM", "ReduceDim::REDUCE_ROW", *given)
            case "typecast_tile":
                wanted = _FORMATS[op.constants["out_format"]]
                self._set(given[0], converted(self._register(op, given[0]), wanted))
            case _:
                sources = given[:-1] or given
                tiles = [self._register(op, register) for register in sources]
                numbers = [value for value in op.constants.values() if isinstance(value, float)]
                chosen = None if self._precision is None else self._precision.function(name, tiles)
                self._set(given[-1], on_registers(name, tiles, numbers) if chosen is None else chosen)

    def _set(self, register: int, values: Values) -> None:
        if self._precision is not None:
            values = self._precision.register(values)
        self._registers[register] = values
        finite = np.abs(values[np.isfinite(values)])
        self.largest = max(self.largest, float(finite.max(initial=0.0)))

    def _reduce(
        self,
        op: KernelCallOp,
        pool: str,
        dim: str,
        source: CoreBuffer,
        scaler: CoreBuffer,
        i: int,
        j: int,
        register: int,
    ) -> None:
        tile, scale = self._tile(op, source, i), self._tile(op, scaler, j)
        if not ((scale[0] == scale[0, 0]).all() and (scale[_SIDE // 2] == scale[0, 0]).all()):
            raise NotInterpretable(op, "has a scaler whose faces do not begin with one number")
        largest = pool == "PoolType::MAX"
        axes = {"ROW": (1,), "COL": (0,), "SCALAR": (0, 1)}[dim.removeprefix("ReduceDim::REDUCE_")]
        with np.errstate(all="ignore"):
            part = tile
            # A reduction of both rows and columns is two steps, each of which multiplies.
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
            raise NotInterpretable(op, f"reads register {register}, which was not written")
        return value

    def _tile(self, op: Operation, buffer: CoreBuffer, index: int) -> Values:
        if buffer.shared and index >= buffer.readable():
            raise NotInterpretable(
                op,
                f"reads tile {index} of {buffer.shape.port.keyword}, but the kernel waited for {buffer.readable()} tiles only",
            )
        element = buffer.shape.memref.element
        if not isinstance(element, TileRecord):
            raise NotInterpretable(op, f"reads a tile of {element}")
        size = bytes_of_scalar(element)
        page = buffer.page(buffer.popped + index)
        if index >= buffer.block_count:
            raise NotInterpretable(op, f"reads tile {index} of a circular buffer of {buffer.block_count}")
        addresses = page + size * np.arange(_TILE, dtype=np.int64)
        # A core may wait for pages beyond the end of the tensor: they are not written, and no result depends on them.
        read = self.core.bank.missing_as_nan if buffer.shared else self.core.bank.get
        tile = from_faces(read(addresses, size))
        return tile if self._precision is None else self._precision.source(tile)

    def _pack(self, op: KernelCallOp, register: int, buffer: CoreBuffer, index: int) -> None:
        if self._state != "pack":
            raise NotInterpretable(op, f"packs while the registers are {self._state}")
        if index != buffer.packed:
            raise NotInterpretable(
                op, f"packs to tile {index}, and the packer, which continues by itself, is at {buffer.packed}"
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

    def _tilize(self, source: CoreBuffer, count: int, target: CoreBuffer) -> None:
        """Convert rows of ``count`` tiles to tiles."""
        numbers = np.arange(count * _TILE, dtype=np.int64)
        rows = self._front(source, numbers).reshape(_SIDE, count, _SIDE).swapaxes(0, 1)
        self._put(source, np.concatenate([in_faces(tile) for tile in rows]), target, numbers)

    def _untilize(self, op: KernelCallOp, source: CoreBuffer, target: CoreBuffer, part: int) -> None:
        """Convert one part of the tiles that are side by side to rows."""
        width, full = op.constants["width"], op.constants["full"]
        tiles = self._front(source, np.arange(width * _TILE, dtype=np.int64)).reshape(width, _TILE)
        rows = np.stack([from_faces(tile) for tile in tiles]).swapaxes(0, 1)
        columns = part * width * _SIDE + np.arange(width * _SIDE, dtype=np.int64)
        numbers = np.arange(_SIDE, dtype=np.int64)[:, None] * (full * _SIDE) + columns
        self._put(source, rows.reshape(-1), target, numbers.reshape(-1))

    def _front(self, buffer: CoreBuffer, numbers: Numbers) -> Values:
        """Read numbers of a buffer, counted from its first page, rounded as in a source register."""
        size = _bytes_of_number(buffer)
        values = self.core.bank.get(buffer.page(buffer.popped) + size * numbers, size)
        return values if self._precision is None else self._precision.register(self._precision.source(values))

    def _put(self, source: CoreBuffer, values: Values, target: CoreBuffer, numbers: Numbers) -> None:
        """Write numbers of ``source`` to places of ``target``, counted from the page that is written next."""
        types = [data_type_of(buffer.shape.memref.element) for buffer in (source, target)]
        if types[0] is not types[1]:
            values = converted(values, FORMATS[types[1].keyword])
        size = _bytes_of_number(target)
        self.core.bank.put(target.page(target.pushed) + size * numbers, values, size)


def _bytes_of_number(buffer: CoreBuffer) -> int:
    element = buffer.shape.memref.element
    return bytes_of_scalar(element) if isinstance(element, TileRecord) else element_bytes(element)


def _finish(moves: list[_Move]) -> None:
    for move in moves:
        taken = move.source.bank.take(move.source.address, move.size)
        move.destination.bank.give(move.destination.address, taken)
    moves.clear()


def run_threads(threads: Sequence[KernelThread]) -> None:
    """Run all kernels of a dispatch, each until it waits. Raises ``NotInterpretable`` if all of them wait."""
    running = [(thread, in_steps(thread.run_kernel)) for thread in threads]
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
