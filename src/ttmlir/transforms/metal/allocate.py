"""``ttir-allocate``: every tensor gets an address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, LocationAttr, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.tensor import EmptyOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from tt_model.attributes.memory import MemorySpaceAttr
from tt_model.attributes.tt import ArgAllocationAttr, DeviceAttr
from tt_model.attributes.tt_system import SystemDescAttr
from tt_model.layouts.device import DRAM_PAGE, DeviceRecord
from tt_model.layouts.elements import element_bytes
from tt_model.layouts.enums import MemorySpace
from tt_model.layouts.layout import LayoutRecord
from tt_model.layouts.records import ArgAllocation
from tt_model.layouts.system_desc import SCRATCH_BYTES, ChipDesc
from tt_model.layouts.values import LayoutError, ceil_div, volume
from tt_model.operations.dialects import build
from tt_model.operations.emission import about_module
from ttl.ir.failure import NotLegalized
from ttl.ir.reports import Report, about, note_at
from ttmlir.transforms.deallocate import last_use
from ttmlir.transforms.metal.layout import layout_of

ARG_ALLOC = "tt.arg_alloc"


@dataclass(frozen=True)
class TTIRAllocate(ModulePass):
    """Give every tensor an address.

    Expects: TTIR with ``tt.layout``, for a device. Guarantees: ``tt.arg_alloc`` of a function has the addresses of its
    arguments; every ``tensor.empty`` is a ``ttir.alloc``, with a ``ttir.dealloc`` behind the last use of its memory
    unless the function returns it. Addresses ascend and no memory is used twice if everything fits in this way;
    otherwise memory that was deallocated is used again.
    """

    name = "ttir-allocate"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        machine = machine_of(op, self.name)
        reports: list[Report] = []
        for function in op.walk():
            if isinstance(function, FuncOp) and len(function.body.blocks) == 1:
                reports += _Function(function, machine).allocate()
        if reports:
            raise NotLegalized(reports)


@dataclass(frozen=True, slots=True)
class TargetMachine:
    """The device and the chip for which a module is compiled."""

    device: DeviceRecord
    chip: ChipDesc


def machine_of(module: ModuleOp, name: str) -> TargetMachine:
    """The device and the first chip of a module. Raises ``NotLegalized`` if the module has no device."""
    device, system = module.attributes.get("tt.device"), module.attributes.get("tt.system_desc")
    if isinstance(device, DeviceAttr) and isinstance(system, SystemDescAttr):
        return TargetMachine(device.data, system.data.first_chip)
    missing = "tt.device" if isinstance(system, SystemDescAttr) else "tt.system_desc"
    way_out = f"run --ttir-load-system-desc and --ttir-implicit-device before --{name}"
    raise NotLegalized([about_module(module, f"'builtin.module' op has no {missing}", way_out)])


def bytes_of(device: DeviceRecord, layout: LayoutRecord) -> int:
    """The bytes that a tensor takes in each bank. Raises ``LayoutError`` for a tensor in host memory."""
    if layout.memory_space.is_host:
        raise LayoutError("the tensor is in host memory")
    if layout.memory_space is MemorySpace.DeviceL1:
        return layout.shard_bytes
    # In DRAM shards follow each other, numbered over the grid of the device, and pages are distributed over the
    # channels.
    last = 0
    for extent, of_device in zip(layout.grid.shape, device.worker_grid.shape):
        last = last * of_device + extent - 1
    elements = (last + 1) * volume(layout.memref.shape)
    pages = ceil_div(elements, DRAM_PAGE)
    inside = elements if pages == 1 else ceil_div(pages, device.dram_channels) * DRAM_PAGE
    return inside * element_bytes(layout.element)


@dataclass(slots=True)
class _Tensor:
    """A tensor that gets an address, live from the operation with number ``begin`` to that with number ``end``."""

    name: str
    place: LocationAttr
    layout: LayoutRecord
    size: int
    begin: int
    end: int
    address: int = 0


@dataclass(frozen=True, slots=True)
class _Bank:
    base: int
    limit: int
    alignment: int

    def bump(self, tensors: Sequence[_Tensor]) -> bool:
        """Assign ascending addresses; return whether they fit."""
        at = self.base
        for tensor in tensors:
            tensor.address = ceil_div(at, self.alignment) * self.alignment
            at = tensor.address + tensor.size
        return at <= self.limit

    def first_fit(self, tensors: Sequence[_Tensor]) -> _Tensor | None:
        """Assign the lowest free address to each tensor; return the first tensor without a free address, or None."""
        placed: list[_Tensor] = []
        for tensor in tensors:
            alive = sorted(
                (other for other in placed if other.end >= tensor.begin and other.begin <= tensor.end),
                key=lambda other: other.address,
            )
            at = ceil_div(self.base, self.alignment) * self.alignment
            for other in alive:
                if at + tensor.size <= other.address:
                    break
                at = max(at, ceil_div(other.address + other.size, self.alignment) * self.alignment)
            if at + tensor.size > self.limit:
                return tensor
            tensor.address = at
            placed.append(tensor)
        return None


@dataclass
class _Function:
    function: FuncOp
    machine: TargetMachine
    reports: list[Report] = field(default_factory=list)

    def allocate(self) -> list[Report]:
        """Give the tensors of a function addresses, or return the reason why they do not fit."""
        block = self.function.body.block
        operations = list(block.ops)
        position = {op: index for index, op in enumerate(operations)}
        arguments = [
            self._tensor(f"argument {index}", argument, self.function, -1, len(operations))
            for index, argument in enumerate(block.args)
        ]
        empties = [op for op in operations if isinstance(op, EmptyOp)]
        ends = {op: self._end(op, position) for op in empties}
        tensors = {}
        for op in empties:
            end = ends[op]
            last = len(operations) if end is None else position[end]
            tensors[op] = self._tensor("a tensor", op.tensor, op, position[op], last)
        if self.reports:
            return self.reports
        known = [tensor for tensor in (*arguments, *tensors.values()) if tensor is not None]
        chip = self.machine.chip
        banks = {
            MemorySpace.DeviceL1: _Bank(
                chip.l1_unreserved_base, chip.l1_size - SCRATCH_BYTES, chip.noc_l1_address_align_bytes
            ),
            MemorySpace.DeviceDRAM: _Bank(
                chip.dram_unreserved_base,
                chip.dram_unreserved_base + chip.dram_channel_size,
                chip.noc_dram_address_align_bytes,
            ),
        }
        for space, bank in banks.items():
            here = [tensor for tensor in known if tensor.layout.memory_space is space]
            if not bank.bump(here) and (large := bank.first_fit(here)) is not None:
                self.reports.append(self._out_of_memory(large, here, bank, space))
        if self.reports:
            return self.reports
        self._rewrite(block, arguments, tensors, ends)
        return []

    def _tensor(self, name: str, value: SSAValue, op: Operation, begin: int, end: int) -> _Tensor | None:
        try:
            if not isinstance(value.type, TensorType):
                raise LayoutError("it is not a tensor")
            layout = layout_of(value.type)
            size = bytes_of(self.machine.device, layout)
        except LayoutError as problem:
            self.reports.append(
                about(
                    op,
                    f"'{op.name}' op {name} of type '{value.type}' gets no address: {problem}",
                    note_at(
                        op.location,
                        "what works: tensors in l1 or dram, as --ttir-layout='init-memory-space=l1 "
                        "default-memory-space=l1 default-device-memory-layout=none' gives them",
                    ),
                )
            )
            return None
        place = op.location if isinstance(op, EmptyOp) else self.function.location
        return _Tensor(name, place, layout, size, begin, end)

    def _end(self, op: EmptyOp, position: dict[Operation, int]) -> Operation | None:
        """The last operation that uses a tensor's memory; None if the function returns it."""
        last = last_use(op, op.tensor, position)
        return None if isinstance(last, ReturnOp) else last

    def _out_of_memory(
        self, large: _Tensor, tensors: Sequence[_Tensor], bank: _Bank, space: MemorySpace
    ) -> Report:
        alive = sorted(
            (one for one in tensors if one is not large and one.begin <= large.begin <= one.end),
            key=lambda one: -one.size,
        )
        notes = [
            note_at(
                one.place, f"{one.size} bytes are taken by {one.name} of {one.layout.memref.shape} a core"
            )
            for one in alive[:4]
        ]
        notes.append(
            note_at(
                large.place,
                "what works: tensors on a grid of more cores (a #tt.layout with a grid such as <8x8>), or smaller ones",
            )
        )
        return Report(
            message=f"out of memory: {large.size} bytes of {space.keyword} for {large.name}, beside "
            f"{sum(one.size for one in alive)} bytes in use, of {bank.limit - bank.base}",
            span=about(self.function, "").span if large.begin < 0 else note_at(large.place, "").span,
            notes=tuple(notes),
        )

    def _rewrite(
        self,
        block: Block,
        arguments: Sequence[_Tensor | None],
        tensors: dict[EmptyOp, _Tensor | None],
        ends: dict[EmptyOp, Operation | None],
    ) -> None:
        if arguments:
            self.function.attributes[ARG_ALLOC] = ArrayAttr(
                [
                    ArgAllocationAttr(ArgAllocation(one.address, one.size, one.layout.memory_space))
                    for one in arguments
                    if one is not None
                ]
            )
        for op, tensor in tensors.items():
            assert tensor is not None
            alloc = build("ttir.alloc", [], [op.tensor.type], _where(tensor), location=op.location)
            end = ends[op]
            Rewriter.replace_op(op, alloc)
            if end is None:
                continue
            last = alloc if end is op else end
            dealloc = build("ttir.dealloc", [alloc.result], [], location=last.location)
            block.insert_op_after(dealloc, last)


def _where(tensor: _Tensor) -> dict[str, Attribute | int]:
    return {
        "address": tensor.address,
        "size": tensor.size,
        "memory_space": MemorySpaceAttr(tensor.layout.memory_space),
    }
