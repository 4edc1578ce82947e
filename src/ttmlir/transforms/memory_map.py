"""The tensors in L1 and in DRAM at the worst moment, bank by bank: ``--memory-map``, and the check that they fit.

They are computed from TTNN after deallocation, without running the model: a tensor is in the memory of the device from
the operation that produces it to its ``ttnn.deallocate``. Its memory and distribution follow from operations, not from
types, since every step of a change of layout has the type of the whole change.

- Interleaved: pages (a tile, or a row of elements) are distributed round robin over all banks of the memory, from the
  first. The banks of DRAM are its channels, those of L1 the worker cores.
- Sharded: every core of the tensor's grid, through the device's map of workers, holds one shard.

The runtime's allocator gives a tensor the same address in all banks, so a tensor takes in every bank the most bytes
that it needs in one: these are ``reserved``, and ``in_banks`` are the bytes written. While an operation with a
destination runs, its result lies beside the destination, as in the runtime. The L1 buffers of the library's kernels are
not in the IR, and not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, Literal

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from tt_model.attributes.tt import DeviceAttr
from tt_model.attributes.tt_system import SystemDescAttr
from tt_model.layouts.device import DeviceRecord
from tt_model.layouts.enums import BufferType, TensorMemoryLayout
from tt_model.layouts.layout import TTNNLayout
from tt_model.layouts.system_desc import L1_SMALL_BYTES, SystemRecord
from tt_model.layouts.values import LayoutError, ceil_div, volume
from tt_model.operations.lying import layout_when_run
from tt_model.operations.operation import RowOperation, is_destination_style, writes_in_place
from tt_model.operations.tensors import shape_of
from tt_model.operations.ttnn import TTNNDeallocateOp, TTNNEmptyOp
from ttl.analysis.dominance import of_kinds
from ttl.ir.locations import span_of
from ttl.ir.reports import Report, Severity

Memory = Literal["DRAM", "L1", "L1_SMALL"]
_MEMORY_OF: dict[BufferType, Memory] = {
    BufferType.DRAM: "DRAM",
    BufferType.Trace: "DRAM",
    BufferType.L1: "L1",
    BufferType.L1Small: "L1_SMALL",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class MappedTensor:
    """A tensor in memory. Sizes are in bytes; ``in_banks`` has the banks in which the tensor has bytes."""

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
    """The operation at which most of a memory is reserved, and the tensors in it at that time. Sizes are bytes of one bank."""

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
        """Whether the reserved bytes fit into a bank."""
        return self.reserved <= self.capacity

    def in_banks(self) -> dict[str, int]:
        """Bytes in every bank."""
        total = dict.fromkeys(self.banks, 0)
        for tensor in self.tensors:
            for bank, size in tensor.in_banks.items():
                total[bank] += size
        return total


@dataclass(frozen=True, slots=True)
class MappedChip:
    """The chip of a memory map: its banks and their capacity."""

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
        """The bytes of a tensor in the banks of the first chip, without banks in which it has no bytes."""
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

    Raises ``LayoutError`` if the module does not name its system.
    """
    chip = chip_of(module)
    return [
        moment
        for function in of_kinds(module, FuncOp)
        if function.body.blocks
        for moment in Lifetimes(function, chip).moments()
    ]


def chip_of(module: ModuleOp) -> MappedChip:
    """The first chip of the system of a module. Raises ``LayoutError`` if the module does not name its system."""
    device, system = module.attributes.get("tt.device"), module.attributes.get("tt.system_desc")
    if not (isinstance(device, DeviceAttr) and isinstance(system, SystemDescAttr)):
        raise LayoutError(
            "a memory map needs the module attributes tt.device and tt.system_desc, which ttir-load-system-desc and "
            "ttir-implicit-device give it"
        )
    return MappedChip(device.data, system.data)


class Lifetimes:
    """The tensors of a function on the device, their lifetimes, and their bytes."""

    def __init__(self, function: FuncOp, chip: MappedChip) -> None:
        self.function, self.chip = function, chip
        self.operations = list(function.body.block.ops)
        arguments = function.body.block.args
        self._tensors = _tensors(self.operations, arguments)
        self._given = [value for value in arguments if value in self._tensors]
        self._sizes = {key: chip.in_banks(*key) for key in set(self._tensors.values())}
        self._reserved = {key: max(in_banks.values(), default=0) for key, in_banks in self._sizes.items()}

    def memory_of(self, value: SSAValue) -> Memory | None:
        """The memory of the device in which a tensor lies; None if it is not on the device."""
        key = self._tensors.get(value)
        return None if key is None else _MEMORY_OF[key[0].buffer_type]

    def reserved(self, value: SSAValue) -> int:
        """Bytes that a tensor on the device takes in every bank."""
        return self._reserved[self._tensors[value]]

    def worst(self, reserved: Callable[[SSAValue], int]) -> dict[Memory, tuple[int, int]]:
        """The most bytes that are taken in a bank of each memory, and the index of the operation at which they are.

        ``reserved`` returns the bytes that a tensor takes in a bank.
        """
        now: dict[Memory, int] = {"DRAM": 0, "L1": 0, "L1_SMALL": 0}
        worst: dict[Memory, tuple[int, int]] = {}
        for index, op in enumerate(self.operations):
            beside = _beside_destination(op, self._tensors)
            comes = op.results if beside is None else (beside,)
            for value in comes if index else (*self._given, *comes):
                if (memory := self.memory_of(value)) is not None:
                    size = reserved(value)
                    now[memory] += size
                    if now[memory] > worst.get(memory, (0, 0))[0]:
                        worst[memory] = (now[memory], index)
                    if value is beside:
                        now[memory] -= size
            if isinstance(op, TTNNDeallocateOp) and (memory := self.memory_of(op.input)) is not None:
                now[memory] -= reserved(op.input)
        return worst

    def moments(self) -> Iterator[WorstMoment]:
        """The worst moment of each memory that is used."""
        for memory, (most, index) in sorted(self.worst(self.reserved).items()):
            op = self.operations[index]
            yield WorstMoment(
                function=self.function.sym_name.data,
                memory=memory,
                operation=op.name,
                place=_place(op),
                banks=self.chip.banks(memory),
                capacity=self.chip.capacity(memory),
                reserved=most,
                tensors=tuple(
                    _mapped(maker, self._tensors[value], self._sizes[self._tensors[value]])
                    for maker, value in self._lying_at(index)
                    if self.memory_of(value) == memory
                ),
            )

    def _lying_at(self, index: int) -> list[tuple[Operation, SSAValue]]:
        """The tensors that are live while an operation runs, each with the operation that produced it."""
        alive: dict[SSAValue, Operation] = dict.fromkeys(self._given, self.function)
        for op in self.operations[: index + 1]:
            alive.update((value, op) for value in op.results if value in self._tensors)
            if isinstance(op, TTNNDeallocateOp):
                alive.pop(op.input, None)
        lying = [(maker, value) for value, maker in alive.items()]
        op = self.operations[index]
        if (beside := _beside_destination(op, self._tensors)) is not None:
            lying.append((op, beside))
        return lying


def _beside_destination(op: Operation, tensors: Mapping[SSAValue, _Lying]) -> SSAValue | None:
    """The destination of an operation if the runtime computes the result beside it and copies it there; else None."""
    if not (isinstance(op, RowOperation) and is_destination_style(op)) or writes_in_place(op):
        return None
    return next((value for value in op.inits if value in tensors), None)


# How a tensor lies, and its shape: all that its size depends on.
_Lying = tuple[TTNNLayout, tuple[int, ...]]


def _tensors(operations: list[Operation], arguments: Sequence[SSAValue]) -> dict[SSAValue, _Lying]:
    """The tensors that operations produce in the memory of the device, and arguments that lie there.

    A result that is written to a destination is not counted again.
    """
    tensors: dict[SSAValue, _Lying] = {}
    lying: dict[SSAValue, TTNNLayout | None] = {}
    own = [value for op in operations if not is_destination_style(op) for value in op.results]
    for value in (*arguments, *own):
        layout = layout_when_run(value, lying)
        if layout is not None and not layout.buffer_type.is_host:
            tensors[value] = (layout, shape_of(value))
    return tensors


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
    """Return the number of pages of a tensor, and the bytes of a page."""
    element = layout.shard_bytes // max(1, volume(layout.memref.shape))  # a tensor may have no elements
    extents = tuple(layout.tiled_shape(shape))
    if layout.is_tiled:
        return volume(extents), element
    return volume(extents[:-1]), extents[-1] * element


def _aligned(size: int, alignment: int) -> int:
    return ceil_div(size, alignment) * alignment


def _place(op: Operation) -> str:
    """The line of an operation in the user's program; for a destination without one, that of its first user."""
    span = span_of(op)
    if span is None and isinstance(op, TTNNEmptyOp) and op.result.first_use is not None:
        span = span_of(op.result.first_use.operation)
    return "<unknown>" if span is None else f"{span.file}:{span.line}:{span.column}"


# Reports and text.


def too_large(moments: list[WorstMoment], module: ModuleOp, severity: Severity = "error") -> list[Report]:
    """Return a report for every memory that is too small at its worst moment, with the largest tensors as notes."""
    return [_too_large(moment, module, severity) for moment in moments if not moment.fits]


def too_large_anywhere(module: ModuleOp, severity: Severity) -> list[Report]:
    """Return the reports of memories that are too small; empty for a module that does not name its system."""
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
            f"'{op.name}' op in function '{moment.function}': {len(moment.tensors)} tensors need {moment.reserved} bytes "
            f"of every {moment.memory} bank at the same time, but a bank has {moment.capacity}"
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
    """Return the moments as text for people."""
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
    """Return the bytes of banks as text; adjacent banks with the same number are joined."""
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
    """Return the moments as JSON."""
    import json

    listed: list[dict[str, Any]] = [
        {**asdict(moment), "fits": moment.fits, "in_banks": moment.in_banks()} for moment in moments
    ]
    return json.dumps(listed, indent=2) + "\n"
