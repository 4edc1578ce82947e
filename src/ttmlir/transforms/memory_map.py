"""What lies in L1 and in DRAM at the worst moment, bank by bank: ``--memory-map``, and the check that it fits.

Read from TTNN after deallocation, without running anything: a tensor lies in the memory of the device from the operation that
makes it to its ``ttnn.deallocate``. Where and how it lies follows from operations, since every step of a change of layout has
the type of the whole change.

- Interleaved: pages (a tile, or a row of elements) go round all banks of the memory, from the first. The banks of DRAM are
  its channels, those of L1 the worker cores.
- Sharded: every core of the tensor's grid, through the device's map of workers, holds one shard.

The runtime's allocator gives a tensor the same address in all banks, so what a tensor needs in one bank it takes in all of them:
``reserved`` is that, and ``in_banks`` what is written. While an operation with a destination runs, its result is beside it, as
in the runtime. The buffers that the library's kernels have in L1 while they run are
not in the IR, and not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, Literal

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from ttl.ir.locations import span_of
from ttl.ir.reports import Report, Severity
from ttmlir.attributes.tt import DeviceAttr
from ttmlir.attributes.tt_system import SystemDescAttr
from ttmlir.attributes.ttnn import TTNNLayoutAttr
from ttmlir.layouts.device import DeviceRecord
from ttmlir.layouts.elements import tile_of
from ttmlir.layouts.enums import BufferType, TensorMemoryLayout
from ttmlir.layouts.layout import TTNNLayout
from ttmlir.layouts.system_desc import L1_SMALL_BYTES, SystemRecord
from ttmlir.layouts.values import LayoutError, ceil_div, volume
from ttmlir.operations.operation import RowOperation, is_destination_style
from ttmlir.operations.ttnn import (
    TTNNDeallocateOp,
    TTNNEmptyOp,
    TTNNFromDeviceOp,
    TTNNToDeviceOp,
    TTNNToMemoryConfigOp,
    TTNNTypecastOp,
)

Memory = Literal["DRAM", "L1", "L1_SMALL"]
_MEMORY_OF: dict[BufferType, Memory] = {
    BufferType.DRAM: "DRAM",
    BufferType.Trace: "DRAM",
    BufferType.L1: "L1",
    BufferType.L1Small: "L1_SMALL",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class MappedTensor:
    """A tensor in memory. Sizes are in bytes; ``in_banks`` has those of the banks where it has any."""

    operation: str
    place: str
    shape: tuple[int, ...]
    memory: Memory
    memory_layout: str
    data_type: str
    is_tiled: bool
    bytes: int
    reserved: int
    in_banks: Mapping[str, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class WorstMoment:
    """The operation at which most of a memory is reserved, and what lies there then. Sizes are bytes of one bank."""

    function: str
    memory: Memory
    operation: str
    place: str
    banks: tuple[str, ...]
    capacity: int
    reserved: int
    tensors: tuple[MappedTensor, ...]

    @property
    def fits(self) -> bool:
        """Whether every bank holds what is reserved in it."""
        return self.reserved <= self.capacity

    def in_banks(self) -> dict[str, int]:
        """Bytes in every bank."""
        total = dict.fromkeys(self.banks, 0)
        for tensor in self.tensors:
            for bank, size in tensor.in_banks.items():
                total[bank] += size
        return total


@dataclass(frozen=True, slots=True)
class _Chip:
    """What is asked of the system: the banks, and how much they hold."""

    device: DeviceRecord
    system: SystemRecord

    def banks(self, memory: Memory) -> tuple[str, ...]:
        """The names of the banks of one chip: channels, and worker cores by (y, x)."""
        if memory == "DRAM":
            return tuple(str(channel) for channel in range(self.system.first_chip.num_dram_channels))
        rows, columns = self.system.first_chip.grid[-2:]
        return tuple(f"{y},{x}" for y in range(rows) for x in range(columns))

    def capacity(self, memory: Memory) -> int:
        """Bytes of one bank that tensors may use."""
        chip = self.system.first_chip
        match memory:
            case "DRAM":
                return chip.usable_dram_channel_size
            case "L1":
                return chip.program_l1_size
            case "L1_SMALL":
                return L1_SMALL_BYTES

    def in_banks(self, layout: TTNNLayout, shape: tuple[int, ...]) -> dict[str, int]:
        """Bytes of a tensor in each bank of the first chip that has some."""
        memory = _MEMORY_OF[layout.buffer_type]
        alignment = self.system.address_alignment(layout.buffer_type)
        banks = self.banks(memory)
        if layout.memory_layout.is_sharded and memory != "DRAM":
            size = _aligned(layout.shard_bytes, alignment)
            places = product(*(range(extent) for extent in layout.grid.shape))
            cores = (self.device.core_of_shard(layout.grid.shape, place) for place in places)
            return {f"{y},{x}": size for chip, y, x in cores if chip == 0}
        pages, page = _pages(layout, shape)
        page = _aligned(page, alignment)
        if layout.memory_layout is TensorMemoryLayout.SingleBank:
            return {banks[0]: pages * page}
        whole, rest = divmod(pages, len(banks))
        return {
            bank: (whole + (index < rest)) * page for index, bank in enumerate(banks) if whole or index < rest
        }


def memory_map(module: ModuleOp) -> list[WorstMoment]:
    """The worst moments of DRAM and L1 in every function of a compiled module.

    Raises ``LayoutError`` where the module does not say what system it is for.
    """
    device, system = module.attributes.get("tt.device"), module.attributes.get("tt.system_desc")
    if not (isinstance(device, DeviceAttr) and isinstance(system, SystemDescAttr)):
        raise LayoutError(
            "a memory map needs the module attributes tt.device and tt.system_desc, which ttir-load-system-desc and "
            "ttir-implicit-device give it"
        )
    chip = _Chip(device.data, system.data)
    return [
        moment
        for function in module.walk()
        if isinstance(function, FuncOp) and function.body.blocks
        for moment in _moments(function, chip)
    ]


def _moments(function: FuncOp, chip: _Chip) -> Iterator[WorstMoment]:
    operations = list(function.body.block.ops)
    tensors = _tensors(operations)
    sizes = {key: chip.in_banks(*key) for key in set(tensors.values())}
    reserved = {key: max(in_banks.values(), default=0) for key, in_banks in sizes.items()}
    now: dict[Memory, int] = {"DRAM": 0, "L1": 0, "L1_SMALL": 0}
    worst: dict[Memory, tuple[int, int]] = {}
    for index, op in enumerate(operations):
        beside = _beside_destination(op, tensors)
        for value in op.results if beside is None else (beside,):
            if (key := tensors.get(value)) is not None:
                memory = _MEMORY_OF[key[0].buffer_type]
                now[memory] += reserved[key]
                if now[memory] > worst.get(memory, (0, 0))[0]:
                    worst[memory] = (now[memory], index)
                if beside is not None:
                    now[memory] -= reserved[key]
        if isinstance(op, TTNNDeallocateOp) and (key := tensors.get(op.operands[0])) is not None:
            now[_MEMORY_OF[key[0].buffer_type]] -= reserved[key]
    for memory, (most, index) in sorted(worst.items()):
        alive: dict[SSAValue, Operation] = {}
        for op in operations[: index + 1]:
            alive.update((value, op) for value in op.results if value in tensors)
            if isinstance(op, TTNNDeallocateOp):
                alive.pop(op.operands[0], None)
        op = operations[index]
        lying = [(maker, value) for value, maker in alive.items()]
        if (beside := _beside_destination(op, tensors)) is not None:
            lying.append((op, beside))
        yield WorstMoment(
            function=function.sym_name.data,
            memory=memory,
            operation=op.name,
            place=_place(op),
            banks=chip.banks(memory),
            capacity=chip.capacity(memory),
            reserved=most,
            tensors=tuple(
                _mapped(maker, tensors[value], sizes[tensors[value]])
                for maker, value in lying
                if _MEMORY_OF[tensors[value][0].buffer_type] == memory
            ),
        )


def _beside_destination(op: Operation, tensors: Mapping[SSAValue, _Lying]) -> SSAValue | None:
    """The destination of an operation, beside which the runtime makes the result and then copies it there."""
    if not (isinstance(op, RowOperation) and is_destination_style(op)):
        return None
    return next((value for value in op.inits if value in tensors), None)


# How a tensor lies, and its shape: all that its size depends on.
_Lying = tuple[TTNNLayout, tuple[int, ...]]


def _tensors(operations: list[Operation]) -> dict[SSAValue, _Lying]:
    """The tensors that operations make in the memory of the device. What is written to a destination is none of its own."""
    tensors: dict[SSAValue, _Lying] = {}
    lies: dict[SSAValue, TTNNLayout] = {}
    for op in operations:
        if is_destination_style(op):
            continue
        for value in op.results:
            type = value.type
            if not (isinstance(type, TensorType) and isinstance(type.encoding, TTNNLayoutAttr)):
                continue
            layout = lies[value] = _layout_after(op, type.encoding.data, lies)
            if not layout.buffer_type.is_host:
                tensors[value] = (layout, type.get_shape())
    return tensors


def _layout_after(op: Operation, layout: TTNNLayout, lies: Mapping[SSAValue, TTNNLayout]) -> TTNNLayout:
    """How the result of an operation lies when it is there. ``layout`` is that of its type.

    A step of a change of layout has the type of the whole change, and does its own part only.
    """
    if not (isinstance(op, RowOperation) and op.ROW.moves):
        on_host = isinstance(op, TTNNEmptyOp) and op.device is None
        return layout.with_buffer_type(BufferType.SystemMemory) if on_host else layout
    source = lies.get(op.operands[0])
    if source is None:
        type = op.operands[0].type
        if not (isinstance(type, TensorType) and isinstance(type.encoding, TTNNLayoutAttr)):
            return layout
        source = type.encoding.data
    match op:
        case TTNNToDeviceOp() | TTNNToMemoryConfigOp():
            return layout.with_element(source.element)
        case TTNNFromDeviceOp():
            return layout.with_element(source.element).with_buffer_type(BufferType.SystemMemory)
        case TTNNTypecastOp():
            element = tile_of(layout.scalar_type) if source.is_tiled else layout.scalar_type
        case _:
            element = tile_of(source.scalar_type) if layout.is_tiled else source.scalar_type
    return source.with_element(element)


def _mapped(op: Operation, lying: _Lying, in_banks: dict[str, int]) -> MappedTensor:
    layout, shape = lying
    return MappedTensor(
        operation=op.name,
        place=_place(op),
        shape=shape,
        memory=_MEMORY_OF[layout.buffer_type],
        memory_layout=layout.memory_layout.keyword,
        data_type=layout.data_type.keyword,
        is_tiled=layout.is_tiled,
        bytes=sum(in_banks.values()),
        reserved=max(in_banks.values(), default=0),
        in_banks=in_banks,
    )


def _pages(layout: TTNNLayout, shape: tuple[int, ...]) -> tuple[int, int]:
    """How many pages a tensor has, and how many bytes each of them."""
    element = layout.shard_bytes // max(1, volume(layout.memref.shape))  # a tensor of no elements takes none
    extents = tuple(layout.tiled_shape(shape))
    if layout.is_tiled:
        return volume(extents), element
    return volume(extents[:-1]), extents[-1] * element


def _aligned(size: int, alignment: int) -> int:
    return ceil_div(size, alignment) * alignment


def _place(op: Operation) -> str:
    span = span_of(op)
    return "<unknown>" if span is None else f"{span.file}:{span.line}:{span.column}"


# What is said about it.


def too_large(moments: list[WorstMoment], module: ModuleOp, severity: Severity = "error") -> list[Report]:
    """A report about every memory that does not hold what lies in it at its worst moment, naming the tensors."""
    return [_too_large(moment, module, severity) for moment in moments if not moment.fits]


def too_large_anywhere(module: ModuleOp, severity: Severity) -> list[Report]:
    """The same of a module that may not say what system it is for; then there is nothing to say."""
    if not set(module.attributes) >= _SYSTEM:
        return []
    return too_large(memory_map(module), module, severity)


def _too_large(moment: WorstMoment, module: ModuleOp, severity: Severity) -> Report:
    op = next(
        inner for inner in module.walk() if inner.name == moment.operation and _place(inner) == moment.place
    )
    largest = sorted(moment.tensors, key=lambda tensor: -tensor.reserved)
    notes = [
        Report(message=f"{_described(tensor)}, made by {tensor.operation} at {tensor.place}", severity="note")
        for tensor in largest[:_SHOWN]
    ]
    if len(largest) > _SHOWN:
        rest = sum(tensor.reserved for tensor in largest[_SHOWN:])
        notes.append(
            Report(message=f"and {len(largest) - _SHOWN} smaller tensors: {rest} bytes", severity="note")
        )
    return Report(
        message=(
            f"'{op.name}' op in function '{moment.function}': {len(moment.tensors)} tensors take {moment.reserved} bytes "
            f"of every {moment.memory} bank at the same time, and a bank has {moment.capacity} for them"
        ),
        severity=severity,
        span=span_of(op),
        notes=tuple(notes),
    )


_SHOWN = 10
_SYSTEM = {"tt.device", "tt.system_desc"}


def _described(tensor: MappedTensor) -> str:
    shape = "x".join(map(str, tensor.shape))
    pages = "tiles" if tensor.is_tiled else "rows"
    return (
        f"{shape} {tensor.data_type} in {pages}, {tensor.memory_layout}: {tensor.bytes} bytes, "
        f"{tensor.reserved} of every bank"
    )


def text(moments: list[WorstMoment]) -> str:
    """For people."""
    lines: list[str] = []
    for moment in moments:
        share = 100 * moment.reserved / moment.capacity
        lines.append(
            f"function {moment.function}, {moment.memory}: {moment.reserved} of {moment.capacity} bytes of every bank "
            f"({share:.2f}%) at {moment.operation}, {moment.place}"
        )
        lines += [
            f"  {_described(tensor)}: {tensor.operation}, {tensor.place}"
            for tensor in sorted(moment.tensors, key=lambda tensor: -tensor.reserved)
        ]
        lines.append("  bytes in bank: " + _ranges(moment.in_banks()))
    return "\n".join(lines) + "\n" if lines else "no tensor lies in the memory of the device\n"


def _ranges(in_banks: dict[str, int]) -> str:
    """Banks with the same number of bytes are said together."""
    parts: list[tuple[str, str, int]] = []
    for bank, size in in_banks.items():
        if parts and parts[-1][2] == size:
            parts[-1] = (parts[-1][0], bank, size)
        else:
            parts.append((bank, bank, size))
    return "; ".join(
        f"{first if first == last else f'{first} to {last}'}: {size}" for first, last, size in parts
    )


def as_json(moments: list[WorstMoment]) -> str:
    """For programs."""
    import json

    listed: list[dict[str, Any]] = [
        {**asdict(moment), "fits": moment.fits, "in_banks": moment.in_banks()} for moment in moments
    ]
    return json.dumps(listed, indent=2) + "\n"
