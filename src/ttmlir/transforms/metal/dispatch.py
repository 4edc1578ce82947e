"""The kernels of a ``ttir.generic``: one that computes on all cores of its grid, and those that move data to cores."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.arith import AddiOp, MuliOp
from xdsl.dialects.builtin import i32
from xdsl.ir import OpResult, SSAValue

from tt_model.layouts.elements import TileRecord, element_bytes
from tt_model.layouts.enums import BufferAccess, IteratorType
from tt_model.layouts.layout import MemRef
from tt_model.layouts.records import CircularBufferRecord
from tt_model.layouts.values import volume
from tt_model.operations.elementwise import BODIES_OF_MLIR
from tt_model.operations.operation import RowOperation
from tt_model.operations.tensors import shape_of, tensor_type_of
from tt_model.operations.ttir import TTIRDeallocOp, TTIRGenericOp, TTIRKernelOp, TTIRYieldOp
from ttl.dialects.kernel.types import L1AddrPtrType, NocAddrType
from ttl.ir.refusals import Refused
from ttmlir.transforms.metal.allocate import TargetMachine
from ttmlir.transforms.metal.buffers import local_tensors, matrix_grid
from ttmlir.transforms.metal.compute import ComputeWork, emit, scaler_value
from ttmlir.transforms.metal.iteration import iterations_of
from ttmlir.transforms.metal.kernel_functions import (
    NO_WRAP,
    DispatchBuilder,
    KernelBuilder,
    circular_buffer,
    read,
)
from ttmlir.transforms.metal.layout import layout_of
from ttmlir.transforms.metal.movement import Coordinate, Transaction, check_alignment, transactions

# Bytes of memory that hold zeros, which a core reads to clear the scaler.
ZEROS = 512
# A tile is four faces of 16x16 elements; a reduction reads the first row of each.
_FACES, _FACE = 4, 256


@dataclass(frozen=True, slots=True)
class _Stream:
    """The data that an operand's circular buffer receives: the transactions of each core, and the number of pages."""

    number: int
    moved: dict[Coordinate, list[Transaction]]
    source: int
    buffer: CircularBufferRecord

    @property
    def pages(self) -> int:
        return volume(self.buffer.memref.shape)


class Dispatching:
    """The conversion of one generic. ``address`` returns the address of a tensor. Raises ``Refused``."""

    def __init__(self, op: TTIRGenericOp, machine: TargetMachine, address: Callable[[SSAValue], int]) -> None:
        self._op = op
        self._machine = machine
        self._address = address
        self._cores = matrix_grid(op)
        self._iterations = iterations_of(op)
        self._inputs, self._outputs = op.inputs, op.outputs
        self._local = local_tensors(op)
        self._body = _body_of(op)
        self._dispatch = DispatchBuilder(op.location, machine.chip)

    def build(self) -> RowOperation:
        """Build the dispatch."""
        buffers = self._buffers()
        streams = [
            self._stream(number, buffers[number])
            for number, (_, access) in enumerate(self._local)
            if access is BufferAccess.Stream
        ]
        name, kind = self._body
        scaler = self._scaler(buffers[0].memref) if name == "reduce" else None
        self._compute(name, kind, buffers, streams, scaler)
        self._movers(streams, scaler, kind)
        inputs = [
            local if access is BufferAccess.Stream else operand
            for operand, (local, access) in zip(self._inputs, self._local)
        ]
        return self._dispatch.build(inputs, self._outputs, [result.type for result in self._op.results])

    def _buffers(self) -> list[CircularBufferRecord]:
        """The circular buffer of each input and output."""
        buffers = []
        for number, (tensor, _) in enumerate(self._local):
            kind, index = (
                ("in", number) if number < len(self._inputs) else ("out", number - len(self._inputs))
            )
            buffers.append(circular_buffer(kind, index, self._address(tensor), layout_of(tensor.type).memref))
        return buffers

    def _scaler(self, memref: MemRef) -> CircularBufferRecord:
        tile = replace(memref, shape=(1, 1))
        return circular_buffer("in", len(self._inputs), self._machine.chip.scratch_l1_base, tile)

    # Computing.

    def _compute(
        self,
        name: str,
        kind: str,
        buffers: Sequence[CircularBufferRecord],
        streams: Sequence[_Stream],
        scaler: CircularBufferRecord | None,
    ) -> None:
        kernel = self._dispatch.compute(self._cores, [*buffers, *([scaler] if scaler else [])])
        arguments = tuple(kernel.block.args)
        for stream in reversed(streams):
            kernel.call("cb_wait_front", arguments[stream.number], stream.pages)
        work = ComputeWork(
            name=name,
            kind=kind,
            iterations=self._iterations,
            buffers=(*buffers, *([scaler] if scaler else [])),
            values=arguments,
            numbers=self._op.regions[0].blocks[0].first_op.attributes,  # type: ignore[union-attr]
            reciprocal_in_place=name == "div" and self._may_overwrite_divisor(buffers, streams),
            count=self._count(),
        )
        emit(kernel, work)
        for stream in streams:
            kernel.call("cb_pop_front", arguments[stream.number], stream.pages)
        kernel.end()

    def _count(self) -> int:
        """Return how many numbers a reduction combines to one."""
        shape = shape_of(self._inputs[0])
        iterators = self._op.iterator_types
        return volume(
            [extent for extent, kind in zip(shape, iterators) if kind.data is IteratorType.Reduction]
        )

    def _may_overwrite_divisor(
        self, buffers: Sequence[CircularBufferRecord], streams: Sequence[_Stream]
    ) -> bool:
        """Return whether the reciprocal may overwrite the divisor: it has no later use, and is in the core's memory."""
        divisor = self._inputs[1]
        alike = len(set(self._iterations.maps)) == 1 and len({one.memref.element for one in buffers}) == 1
        in_place = all(stream.number != 1 for stream in streams)
        return alike and in_place and self._inputs[0] is not divisor and not _used_later(divisor, self._op)

    # Moving.

    def _stream(self, number: int, buffer: CircularBufferRecord) -> _Stream:
        """Return the transfers of an operand to each core: its shard of the circular buffer's layout."""
        operand, (local, _) = self._inputs[number], self._local[number]
        before, after = layout_of(operand.type), layout_of(local.type)
        iterators = [kind.data for kind in self._op.iterator_types]
        moved = transactions(
            self._machine,
            before,
            after,
            tensor_type_of(operand).get_shape(),
            reads=True,
            by_columns=iterators[-2:] == [IteratorType.Reduction, IteratorType.Parallel],
        )
        source, axes = self._address(operand), self._iterations.maps[number]
        for own in moved.values():
            for transaction in own:
                check_alignment(self._machine, transaction, source, buffer.address)
        rows, columns = self._cores
        needed = {
            (y, x): axes.place((y, x), self._iterations.reduced) for y in range(rows) for x in range(columns)
        }
        # Cores in the order in which their shards are walked.
        ordered = {
            core: own for place, own in moved.items() for core, wanted in needed.items() if wanted == place
        }
        return _Stream(number, ordered, source, buffer)

    def _movers(self, streams: Sequence[_Stream], scaler: CircularBufferRecord | None, kind: str) -> None:
        """Build a data movement kernel for each core, or, without streams, one for all cores."""
        served = list(dict.fromkeys(core for stream in streams for core in stream.moved))
        if not streams:
            self._mover((0, 0), self._cores, [], scaler, kind)
            return
        rows, columns = self._cores
        # Every core waits for full buffers, even if the tensor ends before the core's shard does.
        everywhere = [(y, x) for y in range(rows) for x in range(columns)]
        for core in [*served, *(core for core in everywhere if core not in served)]:
            self._mover(core, (1, 1), streams, scaler, kind)

    def _mover(
        self,
        offset: Coordinate,
        size: Coordinate,
        streams: Sequence[_Stream],
        scaler: CircularBufferRecord | None,
        kind: str,
    ) -> None:
        buffers = [stream.buffer for stream in streams] + ([scaler] if scaler else [])
        kernel = self._dispatch.noc(offset, size, buffers)
        arguments = list(kernel.block.args)
        if scaler is not None:
            value = scaler_value(kind, self._count(), len(self._iterations.reduced))
            _write_scaler(kernel, arguments[-1], scaler.memref, value)
        for stream, buffer in zip(streams, arguments):
            _stream_to(kernel, stream, buffer, stream.moved.get(offset, ()))
        kernel.end()


def _stream_to(
    kernel: KernelBuilder, stream: _Stream, buffer: SSAValue, moved: Sequence[Transaction]
) -> None:
    """Fill a circular buffer: page after page if the transactions are in its order, else all pages at once."""
    page, whole = stream.buffer.page_size, stream.pages
    ends = [0, *(one.destination + one.size for one in moved)]
    if any(one.destination != end for one, end in zip(moved, ends)):
        kernel.call("cb_reserve_back", buffer, whole)
        for one in moved:
            read(kernel, one, stream.source, stream.buffer.address)
        kernel.call("noc_async_read_barrier")
        kernel.call("cb_push_back", buffer, whole)
        return
    for one in moved:
        kernel.call("cb_reserve_back", buffer, one.size // page)
        read(kernel, one, stream.source, stream.buffer.address)
        kernel.call("noc_async_read_barrier")
        kernel.call("cb_push_back", buffer, one.size // page)
    handed = ends[-1] // page
    if handed < whole:
        kernel.call("cb_reserve_back", buffer, whole - handed)
        kernel.call("cb_push_back", buffer, whole - handed)


def _body_of(op: TTIRGenericOp) -> tuple[str, str]:
    """Return the single operation of a body: its name in TTIR, and its kind. Raises ``Refused``."""
    block = op.regions[0].blocks[0]
    inside = [one for one in block.ops if not isinstance(one, TTIRYieldOp)]
    if len(inside) != 1:
        raise Refused(
            f"its region has {len(inside)} operations", "what works: one operation and ttir.yield in it"
        )
    (body,) = inside
    arguments = list(block.args)
    taken = list(body.operands)
    if type(body) in BODIES_OF_MLIR:
        if taken != arguments[:-1]:
            raise _reordered()
        return BODIES_OF_MLIR[type(body)], "eltwise"
    if isinstance(body, TTIRKernelOp):
        if taken != arguments:
            raise _reordered()
        return body.op, body.kind
    raise Refused(
        f"no kernel computes '{body.name}'",
        f"what works in a region: {', '.join(kind.name for kind in BODIES_OF_MLIR)} and ttir.kernel, of its arguments in their order",
    )


def _reordered() -> Refused:
    return Refused(
        "its operation does not use the arguments of its region in order",
        "what works: an operation on all arguments, in their order",
    )


def _used_later(value: SSAValue, op: RowOperation) -> bool:
    """Whether the memory of a value is used after an operation; that of arguments is: it belongs to the caller."""
    root = value
    while isinstance(root, OpResult) and isinstance(root.op, RowOperation) and root.op.inits:
        root = root.op.inits[root.index]
    if not isinstance(root, OpResult):
        return True
    block = op.parent
    assert block is not None
    position = {one: index for index, one in enumerate(block.ops)}
    waiting = [root]
    while waiting:
        for use in waiting.pop().uses:
            user = use.operation
            # The replacements of earlier operations are users, too, but are not in a block yet.
            if user not in position or isinstance(user, TTIRDeallocOp):
                continue
            if position[user] > position[op]:
                return True
            if isinstance(user, RowOperation) and user.ROW.inits is not None:
                start, end = user.init_bounds
                if start <= use.index < end:
                    waiting.append(user.results[use.index - start])
    return False


def _write_scaler(kernel: KernelBuilder, buffer: SSAValue, memref: MemRef, value: float) -> None:
    """Write a tile of zeros, in which the first row of each face is the number ``value``."""
    assert isinstance(memref.element, TileRecord)
    bytes_of_tile = memref.element.bytes
    halves = bytes_of_tile == 2 * _FACES * _FACE
    (bits,) = struct.unpack(">I", struct.pack(">f", value))
    # Two numbers of 16 bits in a word, or one of 32.
    word = (bits >> 16) * 0x10001 if halves else bits
    if word >= 1 << 31:
        word -= 1 << 32
    number = kernel.constant(word)
    kernel.call("cb_reserve_back", buffer, 1)
    zeros = kernel.value("mem_zeros_base", result=i32)
    remote = kernel.value("get_noc_addr", zeros, result=NocAddrType())
    size = kernel.value("mem_zeros_size", result=i32)
    kernel.call("noc_async_read_one_packet_set_state", remote, size)
    begin = kernel.value("get_write_ptr", buffer, result=i32)
    pointer = kernel.value("reinterpret_cast<volatile tt_l1_ptr uint32_t*>", begin, result=L1AddrPtrType())

    def clear(inner: KernelBuilder, _: SSAValue, carried: list[SSAValue]) -> list[SSAValue]:
        inner.call("noc_async_read_one_packet_with_state", remote, carried[0])
        return [_sum(inner, carried[0], size)]

    kernel.loop(bytes_of_tile // ZEROS, [begin], clear)
    kernel.call("noc_async_read_barrier")
    words_of_face = _FACE * element_bytes(memref.element) // (_FACES * _FACE) // 4
    words_of_row = words_of_face // 16

    def face(outer: KernelBuilder, number_of_face: SSAValue, _: list[SSAValue]) -> list[SSAValue]:
        def row(inner: KernelBuilder, column: SSAValue, _: list[SSAValue]) -> list[SSAValue]:
            offset = _sum(inner, _product(inner, number_of_face, words_of_face), column)
            inner.call("store_to_l1", number, pointer, offset)
            return []

        outer.loop(words_of_row, [], row)
        return []

    kernel.loop(_FACES, [], face)
    kernel.call("cb_push_back", buffer, 1)


def _sum(kernel: KernelBuilder, a: SSAValue, b: SSAValue) -> SSAValue:
    return kernel.add(AddiOp(a, b, overflow=NO_WRAP)).results[0]


def _product(kernel: KernelBuilder, a: SSAValue, by: int) -> SSAValue:
    return kernel.add(MuliOp(a, kernel.constant(by), overflow=NO_WRAP)).results[0]
