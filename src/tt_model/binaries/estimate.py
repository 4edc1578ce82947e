"""An estimate of the cost of each operation of a program: bytes moved, arithmetic, cycles, and their bound.

It is not a measurement. The rates are those of the chip's table (``ttl.arch``), which the emulated chip uses, too;
``docs/ttmlir/estimates.md`` compares the estimates with emulated kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from tt_model.cost.links import link_rate, link_work
from tt_model.cost.operations import WITHOUT_WORK, Bound, OperationCall, bound_of, bytes_read, work_of
from tt_model.cost.rates import HOST_RATE, Rates, chip_of
from tt_model.cost.work import CoreWork, bytes_of
from tt_model.layouts.system_desc import ChipDesc
from tt_model.operations.operation import TTNNOperation
from tt_model.operations.ttnn import TTNNConv2dOp, TTNNFromDeviceOp, TTNNToDeviceOp
from tt_model.runtime.operands import tensors_read, tensors_written
from tt_model.runtime.steps import first_device, operation_of
from tt_model.runtime.tensors import TensorDescription, description_of

# Returns the cycles of a TT-Lang operation on the emulated chip, or the reason why they are not known.
KernelEmulator = Callable[[type[TTNNOperation], Mapping[str, Any]], "int | str"]
_BETWEEN = (TTNNToDeviceOp, TTNNFromDeviceOp)
# Operations that move tensors of the host to the device; a convolution moves its input itself.
_ENTERS = (TTNNToDeviceOp, TTNNConv2dOp)


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """The estimated cost of one operation; ``kind`` is None for a command of TTMetal. Cycles are those of the chip.

    ``compute_cycles`` are of the busiest core, ``dram_cycles`` of all banks of DRAM, ``network_cycles`` of the busiest port,
    ``latency_cycles`` the cycles for which that port waits for memory, and ``traffic_cycles`` the sum of DRAM, network and
    latency as they overlap; ``edge_cycles`` are the first read and the last write, which overlap with nothing; ``start`` is the
    launch.
    """

    index: int
    kind: type[TTNNOperation] | None
    operation: str
    location: str
    inputs: tuple[TensorDescription, ...]
    outputs: tuple[TensorDescription, ...]
    cores: int
    read: int
    written: int
    arithmetic: int
    start: int
    compute_cycles: int
    dram_cycles: int
    network_cycles: int
    latency_cycles: int
    traffic_cycles: int
    edge_cycles: int
    cycles: int
    bound: Bound
    clock_hz: int
    available_cores: int
    arch: str
    # Bytes of circular buffers in the L1 of each core.
    buffers: int = 0
    note: str = ""
    # Whether the cycles are those of a run on the emulated chip.
    emulated: bool = False

    @property
    def on_host(self) -> bool:
        """Whether the host runs the operation, or takes part in it."""
        return self.bound in ("PCIe", "host")

    def nanoseconds(self, cycles: int) -> int:
        """The time, in nanoseconds, that so many cycles of the chip take."""
        return round(cycles * 1e9 / self.clock_hz)

    def as_dict(self) -> dict[str, Any]:
        """The estimate as data for a page or another program."""
        return {
            "index": self.index,
            "operation": self.operation,
            "location": self.location,
            "inputs": [text_of(one) for one in self.inputs],
            "outputs": [text_of(one) for one in self.outputs],
            "cores": self.cores,
            "available_cores": self.available_cores,
            "bytes_read": self.read,
            "bytes_written": self.written,
            "arithmetic": self.arithmetic,
            "circular_buffer_bytes": self.buffers,
            "cycles": self.cycles,
            "launch_cycles": self.start,
            "compute_cycles": self.compute_cycles,
            "dram_cycles": self.dram_cycles,
            "network_cycles": self.network_cycles,
            "latency_cycles": self.latency_cycles,
            "edge_cycles": self.edge_cycles,
            "nanoseconds": self.nanoseconds(self.cycles),
            "bound_by": self.bound,
            "note": self.note,
        }


def text_of(tensor: TensorDescription) -> str:
    """The shape and type of a tensor as text."""
    return f"{'x'.join(map(str, tensor.shape))} {tensor.data_type.keyword}"


def estimates(
    program: Mapping[str, Any], chip: ChipDesc, emulate: KernelEmulator | None = None
) -> list[Estimate]:
    """Return the estimates of all operations of a program that do work. ``emulate`` runs operations of TT-Lang.

    Raises ``RuntimeProblem`` for a table that belongs to no operation.
    """
    rates = Rates(chip_of(chip))
    operations = program.get("operations", [])
    kinds = [operation_of(one.get("type_type", "NONE"), one.get("type", {})) for one in operations]
    mesh, done_by_host = _mesh_of(program), _done_by_host(program, kinds)
    return [
        _estimate(index, kind, operation, chip, rates, mesh, emulate, on_host=index in done_by_host)
        for index, (kind, operation) in enumerate(zip(kinds, operations, strict=True))
        if not issubclass(kind, WITHOUT_WORK)
    ]


def _done_by_host(program: Mapping[str, Any], kinds: Sequence[type[TTNNOperation]]) -> set[int]:
    """The indices of the operations that compute on tensors of the host only.

    The file does not show it: a result has the place there that it is moved to later, so that a ``ttnn.to_layout``
    before a ``ttnn.to_device`` has a result in DRAM.
    """
    on_host = {int(one["global_id"]) for one in program.get("inputs", [])}
    hosted: set[int] = set()
    for index, (kind, operation) in enumerate(zip(kinds, program.get("operations", []), strict=True)):
        fields = operation.get("type", {})
        read = [int(one["global_id"]) for _, one in tensors_read(fields)]
        comes_back = issubclass(kind, TTNNFromDeviceOp)
        if comes_back or (not issubclass(kind, _ENTERS) and read and on_host.issuperset(read)):
            on_host |= {int(one["global_id"]) for one in tensors_written(fields)}
            if not comes_back:
                hosted.add(index)
    return hosted


def _mesh_of(program: Mapping[str, Any]) -> tuple[int, int]:
    """Rows and columns of the chips of a program's first device."""
    mesh = first_device(program).get("mesh", {})
    return max(1, int(mesh.get("y", 1))), max(1, int(mesh.get("x", 1)))


def _estimate(
    index: int,
    kind: type[TTNNOperation],
    operation: Mapping[str, Any],
    chip: ChipDesc,
    rates: Rates,
    mesh: tuple[int, int],
    emulate: KernelEmulator | None,
    *,
    on_host: bool,
) -> Estimate:
    table, fields = operation.get("type_type", "NONE"), operation.get("type", {})
    inputs = tuple(description_of(one) for _, one in tensors_read(fields))
    outputs = tuple(map(description_of, tensors_written(fields)))
    word, text = fields.get("type", ""), operation.get("debug_info", "")
    written = sum(map(bytes_of, outputs))
    read = bytes_read(kind, inputs, written)
    on_host = on_host or not any(one.config is not None for one in (*inputs, *outputs))
    note = ""
    work = CoreWork(cores=0, arithmetic=0, compute=0, dram=0, network=0, latency=0, first=0, last=0, piece=0)
    bound: Bound = "host"
    start, cycles = 0, 0.0
    if issubclass(kind, _BETWEEN):
        bound, note, cycles = "PCIe", HOST_RATE, read / rates.host_bytes
    elif not on_host:
        work = work_of(
            OperationCall(
                kind=kind, fields=fields, inputs=inputs, outputs=outputs, grid=chip.grid, rates=rates
            )
        )
        start = rates.start
        cycles = start + work.cycles
        bound = bound_of(work, start)
        sent = link_work(kind, fields, inputs, outputs, mesh)
        if sent is not None:
            note, over_links = link_rate(rates.chip), sent.cycles(rates.chip)
            if over_links > work.cycles:
                bound, cycles = "ethernet", start + over_links
        if kind.ROW.runs_kernels:
            taken = "the emulated chip was not asked" if emulate is None else emulate(kind, fields)
            if isinstance(taken, int):
                bound, cycles, note = "emulated", float(taken), "cycles of its kernels on the emulated chip"
            else:
                note = f"its bytes only: {taken}"
    return Estimate(
        index=index,
        kind=kind,
        operation=f"{table}.{word}" if isinstance(word, str) and word else table,
        location=text[text.rfind("loc(") :] if "loc(" in text else "",
        inputs=inputs,
        outputs=outputs,
        cores=work.cores,
        read=read,
        written=written,
        arithmetic=work.arithmetic,
        start=start,
        compute_cycles=round(work.compute),
        dram_cycles=round(work.dram),
        network_cycles=round(work.network),
        latency_cycles=round(work.latency),
        traffic_cycles=round(work.traffic),
        edge_cycles=round(work.first + work.last),
        cycles=round(cycles),
        bound=bound,
        clock_hz=rates.chip.clock_hz,
        available_cores=prod(chip.grid),
        arch=rates.chip.arch,
        buffers=work.buffers,
        note=note,
    )
