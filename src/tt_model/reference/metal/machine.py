"""Runs a function whose tensors have addresses on the memory of a simulated chip.

Before ``convert-ttir-to-ttmetal``, operations compute on whole tensors that are read from memory and written to it;
after it, kernels run on cores. Using memory outside of live tensors is an error, and so are tensors that overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from tt_model.kernels.kernel_ir import program_of_region
from tt_model.layouts.device import DRAM_PAGE, DeviceRecord
from tt_model.layouts.enums import MemorySpace
from tt_model.layouts.layout import LayoutRecord
from tt_model.layouts.records import ArgAllocation, CircularBufferRecord, CoreRangeRecord, TensixConfig
from tt_model.layouts.system_desc import ChipDesc
from tt_model.layouts.values import volume
from tt_model.operations.operation import RowOperation
from tt_model.operations.ttir import TTIRAllocOp, TTIRDeallocOp, TTIRFillOp
from tt_model.operations.ttmetal import (
    TTMetalAllocOp,
    TTMetalDeallocOp,
    TTMetalDispatchOp,
    TTMetalHostReadOp,
    TTMetalHostWriteOp,
)
from tt_model.reference.formats import Values
from tt_model.reference.meanings import elements, meaning_of
from tt_model.reference.metal.memory import Bank
from tt_model.reference.metal.placement import Numbers, bytes_of_scalar, offsets_of, places
from tt_model.reference.metal.precision import ChipPrecision
from tt_model.reference.metal.threads import CoreBuffer, CoreState, KernelThread, NocMemory, run_threads
from tt_model.reference.problems import NotInterpretable
from ttl.dialects.ttkernel import KernelOp
from ttl.ir.refusals import Refusal
from ttl.protocol.rings import MemoryProblem

Core = tuple[int, int]


def run_on_chip(module: ModuleOp, function: FuncOp, inputs: Sequence[Values]) -> tuple[Values, ...]:
    """The results of a function. Raises ``NotInterpretable``."""
    machine = ChipMachine(module, function)
    machine.begin(inputs)
    for op in function.body.block.ops:
        if isinstance(op, ReturnOp):
            return tuple(machine.load(op, operand) for operand in op.operands)
        machine.do(op)
    raise NotInterpretable(function, "ends without a return")


@dataclass(frozen=True, slots=True)
class _Allocation:
    """The memory of a tensor: the same range of addresses in every bank of its kind."""

    space: MemorySpace
    address: int
    size: int
    owner: str

    @property
    def end(self) -> int:
        return self.address + self.size


class ChipMachine:
    """The memory of a chip while the operations of a function run, one by one.

    ``as_chip``: kernels round as on the chip, with the precision that they are configured for; otherwise they compute
    in float64.
    """

    def __init__(self, module: ModuleOp, function: FuncOp, *, as_chip: bool = False) -> None:
        self._function = function
        self._as_chip = as_chip
        # The largest number that was in a register during the last dispatch.
        self.largest = 0.0
        self._device: DeviceRecord = _attribute(module, function, "tt.device")
        self._chip: ChipDesc = _attribute(module, function, "tt.system_desc").first_chip
        cores = self._chip.physical_cores
        rows, columns = self._chip.grid
        self._l1 = {(y, x): Bank(f"the L1 of core ({y}, {x})") for y in range(rows) for x in range(columns)}
        self._dram = [Bank(f"channel {number} of DRAM") for number in range(len(cores.dram))]
        self._on_network = {
            **{cores.worker[y * columns + x]: bank for (y, x), bank in self._l1.items()},
            **dict(zip(cores.dram, self._dram)),
        }
        self._alive: list[_Allocation] = []
        self._of: dict[SSAValue, _Allocation] = {}
        self._on_host: dict[SSAValue, Values] = {}

    def begin(self, inputs: Sequence[Values]) -> None:
        """Write the inputs to memory. Raises ``NotInterpretable``."""
        block = self._function.body.block
        given: Any = self._function.attributes.get("tt.arg_alloc")
        allocations = given.data if given is not None else ()
        if len(allocations) != len(block.args):
            raise NotInterpretable(
                self._function, f"has {len(block.args)} arguments, but addresses for {len(allocations)}"
            )
        for argument, allocation, values in zip(block.args, allocations, inputs):
            at: ArgAllocation = allocation.data
            self._allocate(self._function, argument, at.memory_space, at.address, at.size)
            self._store(self._function, argument, values, fill=True)

    def do(self, op: Operation) -> None:
        """Run an operation. Raises ``NotInterpretable``."""
        if not isinstance(op, RowOperation):
            raise NotInterpretable(op, "has no meaning where tensors have addresses")
        try:
            self._do(op)
        except (MemoryProblem, ValueError) as problem:
            raise NotInterpretable(op, str(problem)) from problem

    def load(self, op: Operation, value: SSAValue) -> Values:
        """Return the values in memory of a tensor that an operation uses. Raises ``NotInterpretable``."""
        try:
            return self._load(op, value)
        except MemoryProblem as problem:
            raise NotInterpretable(op, str(problem)) from problem

    def store(self, op: Operation, value: SSAValue, values: Values) -> None:
        """Write the values of a tensor to memory. Raises ``NotInterpretable``."""
        self._store(op, value, values, fill=True)

    def _do(self, op: RowOperation) -> None:
        for init, result in zip(op.inits, op.results):
            if init in self._of:
                self._of[result] = self._of[init]
        match op:
            case TTIRAllocOp() | TTMetalAllocOp():
                self._allocate(op, op.result, op.memory_space, op.address, op.size)
            case TTIRDeallocOp() | TTMetalDeallocOp():
                self._free(op, op.operands[0])
            case TTMetalDispatchOp():
                self._dispatch(op)
            case TTMetalHostWriteOp():
                self._store(op, op.result, elements(op.value), fill=True)
            case TTMetalHostReadOp():
                self._on_host[op.result] = self._load(op, op.input)
            case _:
                meaning = meaning_of(op.ROW)
                if meaning is None:
                    raise NotInterpretable(op, "has no meaning in the reference")
                (values,) = meaning(op, lambda operand: self._load(op, operand))
                self._store(op, op.result, np.asarray(values), fill=isinstance(op, TTIRFillOp))

    # Allocations.

    def _allocate(self, op: Operation, value: SSAValue, space: MemorySpace, address: int, size: int) -> None:
        memory = _Allocation(space, address, size, str(value.name_hint or op.name))
        if space.is_host:
            raise NotInterpretable(op, "allocates memory of the host")
        is_l1 = space is MemorySpace.DeviceL1
        base, limit = (
            (self._chip.l1_unreserved_base, self._chip.scratch_l1_base)
            if is_l1
            else (
                self._chip.dram_unreserved_base,
                self._chip.dram_unreserved_base + self._chip.dram_channel_size,
            )
        )
        if memory.address < base or memory.end > limit:
            raise NotInterpretable(
                op,
                f"lies at {memory.address} to {memory.end}, outside of {base} to {limit}, which tensors may use",
            )
        for other in self._alive:
            if other.space is space and memory.address < other.end and other.address < memory.end:
                raise NotInterpretable(
                    op,
                    f"lies at {memory.address} to {memory.end}, where a tensor lives that was allocated at {other.address} to "
                    f"{other.end}",
                )
        self._alive.append(memory)
        self._of[value] = memory
        self._forget(memory)
        self._pad(op, value, memory)

    def _pad(self, op: Operation, value: SSAValue, memory: _Allocation) -> None:
        """Fill the padding of tiles and shards with NaN.

        Padding may be read before it is written; elements of the tensor may not.
        """
        shape, layout = _described(op, value)
        size = bytes_of_scalar(layout.element)
        reserved = layout.shard_bytes if memory.space is MemorySpace.DeviceL1 else memory.size
        addresses = memory.address + size * np.arange(min(reserved, memory.size) // size, dtype=np.int64)
        banks = (
            [self._bank(op, place) for place in places(layout)]
            if memory.space is MemorySpace.DeviceL1
            else self._dram
        )
        for bank in banks:
            bank.put(addresses, np.full(len(addresses), np.nan), size)
        for bank, _, own, _ in self._addresses(op, layout, shape, memory):
            bank.forget_at(own, size)

    def _free(self, op: Operation, value: SSAValue) -> None:
        memory = self._of.get(value)
        if memory is None or memory not in self._alive:
            raise NotInterpretable(op, "frees a tensor that is not allocated")
        self._alive.remove(memory)
        self._forget(memory)

    def _forget(self, memory: _Allocation) -> None:
        for bank in self._banks(memory.space):
            bank.forget(memory.address, memory.size)

    def _banks(self, space: MemorySpace) -> Sequence[Bank]:
        return list(self._l1.values()) if space is MemorySpace.DeviceL1 else self._dram

    def _living(self, op: Operation, value: SSAValue) -> _Allocation:
        memory = self._of.get(value)
        if memory is None or memory not in self._alive:
            raise NotInterpretable(op, f"uses a tensor of type '{value.type}' that has no memory any more")
        return memory

    # Tensors in memory.

    def _load(self, op: Operation, value: SSAValue) -> Values:
        if value in self._on_host:
            return self._on_host[value]
        shape, layout = _described(op, value)
        memory = self._living(op, value)
        flat = np.zeros(volume(shape))
        for bank, chosen, addresses, size in self._addresses(op, layout, shape, memory):
            flat[chosen] = bank.get(addresses, size)
        return flat.reshape(shape)

    def _store(self, op: Operation, value: SSAValue, values: Values, *, fill: bool) -> None:
        """Write a tensor. ``fill``: the host writes whole shards, with zeros as padding."""
        shape, layout = _described(op, value)
        memory = self._living(op, value)
        if fill and memory.space is MemorySpace.DeviceL1:
            for place in places(layout):
                self._bank(op, place).clear(memory.address, layout.shard_bytes)
        flat = np.asarray(values, np.float64).reshape(-1)
        for bank, chosen, addresses, size in self._addresses(op, layout, shape, memory):
            bank.put(addresses, flat[chosen], size)

    def _bank(self, op: Operation, place: Core) -> Bank:
        chip, y, x = self._device.core_of(place)
        if chip != 0 or (y, x) not in self._l1:
            raise NotInterpretable(op, f"has a tensor on core {place}, which is not on the first chip")
        return self._l1[y, x]

    def _addresses(
        self, op: Operation, layout: LayoutRecord, shape: tuple[int, ...], memory: _Allocation
    ) -> list[tuple[Bank, Numbers, Numbers, int]]:
        """Return for each bank its elements, their addresses, and the bytes of each element."""
        at = offsets_of(layout, shape)
        size = at.unit_bytes if not layout.is_tiled else at.unit_bytes // 1024
        if layout.memory_space is MemorySpace.DeviceL1:
            keys = at.shard_rows * layout.grid.shape[1] + at.shard_columns
            local = at.unit * at.unit_bytes + at.inside
        else:
            # Shards follow each other, numbered over the grid of the device; their pages are distributed over the
            # channels in order.
            number = at.shard_rows * self._device.worker_grid.shape[1] + at.shard_columns
            address = number * volume(layout.memref.shape) + at.unit
            page, rest = address // DRAM_PAGE, address % DRAM_PAGE
            keys = page % len(self._dram)
            local = (page // len(self._dram) * DRAM_PAGE + rest) * at.unit_bytes + at.inside
        if len(local) and int(local.max()) + size > memory.size:
            raise NotInterpretable(
                op, f"has {int(local.max()) + size} bytes of a tensor in memory of {memory.size} bytes"
            )
        parts = []
        for key in np.unique(keys).tolist():
            chosen = np.flatnonzero(keys == key)
            bank = (
                self._bank(op, divmod(key, layout.grid.shape[1]))
                if layout.memory_space is MemorySpace.DeviceL1
                else self._dram[key]
            )
            parts.append((bank, chosen, memory.address + local[chosen], size))
        return parts

    # Kernels.

    def _dispatch(self, op: TTMetalDispatchOp) -> None:
        own = [self._living(op, operand) for operand in op.operands]
        cores: dict[Core, CoreState] = {}
        kernels: list[tuple[CoreState, KernelOp, Any]] = []
        for region, range_, config in zip(op.regions, op.core_ranges, op.kernel_configs):
            where: CoreRangeRecord = range_.data
            kernel = _kernel_of(op, region.block, config.data, where)
            for y in range(where.size[0]):
                for x in range(where.size[1]):
                    place = (where.offset[0] + y, where.offset[1] + x)
                    if place not in self._l1:
                        raise NotInterpretable(
                            op, f"runs a kernel on core {place}, which the chip does not have"
                        )
                    core = cores.setdefault(place, CoreState(place, self._l1[place]))
                    self._bind(op, core, region.block.args, own)
                    kernels.append((core, kernel, config.data))
        network = NocMemory(self._on_network, self._may_use)
        for core in cores.values():
            for buffer in core.buffers.values():
                if buffer.shared:
                    core.bank.forget(buffer.shape.address, buffer.shape.bytes)
        threads = [
            KernelThread(core, kernel, network, self._precision_of(config))
            for core, kernel, config in kernels
        ]
        run_threads(threads)
        self.largest = max((thread.largest for thread in threads), default=0.0)

    def _precision_of(self, config: Any) -> ChipPrecision | None:
        if not self._as_chip or not isinstance(config, TensixConfig):
            return None
        return ChipPrecision(wide=config.fp32_dest_acc_en)

    def _bind(
        self, op: RowOperation, core: CoreState, arguments: Sequence[Any], own: Sequence[_Allocation]
    ) -> None:
        for argument in arguments:
            shape: CircularBufferRecord = argument.type.data
            known = core.buffers.get(shape.port.keyword)
            if known is not None:
                if known.shape != shape:
                    raise NotInterpretable(
                        op, f"has two circular buffers {shape.port.keyword} on core {core.place}"
                    )
                known.shared = True
                continue
            state = CoreBuffer(shape)
            end = shape.address + shape.bytes
            in_tensor = any(one.address <= shape.address and end <= one.end for one in own)
            in_scratch = self._chip.scratch_l1_base <= shape.address and end <= self._chip.l1_size
            if not in_tensor and not in_scratch:
                raise NotInterpretable(
                    op, f"has a circular buffer at {shape.address} to {end}, which is outside of its tensors"
                )
            core.buffers[shape.port.keyword] = state

    def _may_use(self, bank: Bank, address: int, size: int) -> bool:
        space = MemorySpace.DeviceDRAM if bank in self._dram else MemorySpace.DeviceL1
        if space is MemorySpace.DeviceL1 and address >= self._chip.scratch_l1_base:
            return address + size <= self._chip.l1_size
        return any(
            one.space is space and one.address <= address and address + size <= one.end for one in self._alive
        )


def _kernel_of(op: Operation, block: Block, config: Any, where: CoreRangeRecord) -> KernelOp:
    """Convert the block of a region to a kernel of today."""
    refused: list[tuple[Operation, Refusal]] = []
    thread: Literal["tensix", "noc"] = "tensix" if isinstance(config, TensixConfig) else "noc"
    program = program_of_region(op, block, name="kernel", thread=thread, grid=where.size, refused=refused)
    for one, refusal in refused:
        raise NotInterpretable(one, f"has no meaning in a kernel of the reference: {refusal.condition}")
    return program.kernels[0]


def _attribute(module: ModuleOp, function: FuncOp, name: str) -> Any:
    attribute: Any = module.attributes.get(name)
    if attribute is None:
        raise NotInterpretable(function, f"has addresses, and its module has no {name}")
    return attribute.data


def _described(op: Operation, value: SSAValue) -> tuple[tuple[int, ...], LayoutRecord]:
    type = value.type
    encoding: Any = type.encoding if isinstance(type, TensorType) else None
    if not isinstance(type, TensorType) or getattr(encoding, "name", "") != "tt.layout":
        raise NotInterpretable(op, f"has a tensor of type '{type}', whose layout is not known")
    return type.get_shape(), encoding.data
