"""An estimate of what each operation of a program costs: bytes moved, arithmetic, and cycles by what bounds it.

It is no measurement. The rates are those of the chip's table (``ttl.arch``), with which the emulated chip counts, too; how
the estimates compare with emulated kernels is in ``docs/ttmlir/estimates.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

from ttmlir.layouts.enums import DataType
from ttmlir.layouts.system_desc import ChipDesc
from ttmlir.runtime.tensors import TensorDescription, description_of
from ttrt.common.products import product_of, product_work
from ttrt.common.rates import HOST_RATE, Rates, chip_of
from ttrt.common.work import TILE, Traffic, Work, bytes_of, streamed, tiles_of, traffic_of

# What an operation waits for.
Bound = Literal["arithmetic", "DRAM", "network", "latency", "launch", "PCIe", "host", "emulated"]
# Cycles of a TT-Lang operation on the emulated chip, or why there are none.
KernelEmulator = Callable[[str, Mapping[str, Any]], "int | str"]
# Operations that are no work: the device, and memory.
_NO_WORK = frozenset({"GetDeviceOp", "DeallocateOp", "EmptyOp"})
# Operations that are kernels of TT-Lang.
_KERNELS = frozenset({"TTLangOp", "GenericOp"})
_BETWEEN = frozenset({"ToDeviceOp", "FromDeviceOp"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """What one operation costs. Cycles are those of the chip.

    ``compute_cycles`` are of the busiest core, ``dram_cycles`` of all banks of DRAM, ``network_cycles`` of the busiest port and
    ``latency_cycles`` those that it waits for memory, ``traffic_cycles`` what these come to together; ``edge_cycles`` are the first read and the last write, which nothing
    hides; ``start`` is the launch.
    """

    index: int
    kind: str
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
    note: str = ""

    @property
    def on_host(self) -> bool:
        """Whether the host does it, or takes part in it."""
        return self.bound in ("PCIe", "host")

    def nanoseconds(self, cycles: int) -> int:
        """Cycles of the chip as time."""
        return round(cycles * 1e9 / self.clock_hz)

    def as_dict(self) -> dict[str, Any]:
        """What a page or another program is told of it."""
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
    """Shape and type."""
    return f"{'x'.join(map(str, tensor.shape))} {tensor.data_type.keyword}"


def estimates(
    program: Mapping[str, Any], chip: ChipDesc, emulate: KernelEmulator | None = None
) -> list[Estimate]:
    """Every operation of a program that does something. ``emulate`` runs operations of TT-Lang."""
    rates = Rates(chip_of(chip))
    return [
        _estimate(index, operation, chip, rates, emulate)
        for index, operation in enumerate(program.get("operations", []))
        if operation.get("type_type") not in _NO_WORK
    ]


def _estimate(
    index: int,
    operation: Mapping[str, Any],
    chip: ChipDesc,
    rates: Rates,
    emulate: KernelEmulator | None,
) -> Estimate:
    kind, fields = operation.get("type_type", "NONE"), operation.get("type", {})
    inputs = tuple(description_of(one) for name, one in _tensors(fields) if not _is_output(name))
    outputs = tuple(description_of(one) for name, one in _tensors(fields) if _is_output(name))
    word, text = fields.get("type", ""), operation.get("debug_info", "")
    written = sum(map(bytes_of, outputs))
    read = _bytes_read(kind, inputs, written)
    on_host = not any(one.config is not None for one in (*inputs, *outputs))
    note = ""
    work = Work(cores=0, arithmetic=0, compute=0, dram=0, network=0, latency=0, first=0, last=0, piece=0)
    bound: Bound = "host"
    start, cycles = 0, 0.0
    if kind in _BETWEEN:
        bound, note, cycles = "PCIe", HOST_RATE, read / rates.host_bytes
    elif not on_host:
        work = _work(
            _Call(kind=kind, fields=fields, inputs=inputs, outputs=outputs, grid=chip.grid, rates=rates)
        )
        start = rates.start
        cycles = start + work.cycles
        bound = _bound(work, start)
        if kind in _KERNELS:
            taken = "nobody asked the emulated chip" if emulate is None else emulate(kind, fields)
            if isinstance(taken, int):
                bound, cycles, note = "emulated", float(taken), "cycles of its kernels on the emulated chip"
            else:
                note = f"its bytes only: {taken}"
    return Estimate(
        index=index,
        kind=kind,
        operation=f"{kind}.{word}" if isinstance(word, str) and word else kind,
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
        note=note,
    )


def _bound(work: Work, start: int) -> Bound:
    """What takes longest by itself; what a port sends and what it waits for is one thing, unless they are in turn."""
    port: dict[Bound, float] = {"network": work.network, "latency": work.latency}
    if not work.in_turn:
        slower: Bound = "network" if work.network >= work.latency else "latency"
        port = {slower: work.network + work.latency}
    taken: dict[Bound, float] = {"launch": start, "arithmetic": work.compute, "DRAM": work.dram, **port}
    return max(taken, key=lambda bound: taken[bound])


def _is_output(name: str) -> bool:
    return name.startswith(("out", "further_out"))


def _tensors(fields: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    pairs: list[tuple[str, Mapping[str, Any]]] = []
    for name, value in fields.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Mapping) and "desc" in one:
                pairs.append((name, one))
    return pairs


def _bytes_read(kind: str, inputs: tuple[TensorDescription, ...], written: int) -> int:
    """Of a table that is looked up in, and of a tensor that is cut, only what is taken is read."""
    sizes = list(map(bytes_of, inputs))
    match kind:
        case "SliceOp":
            return min(sum(sizes), written)
        case "EmbeddingOp":
            return sizes[0] + min(sum(sizes[1:]), written) if sizes else 0
    return sum(sizes)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Call:
    """An operation with what its cost depends on."""

    kind: str
    fields: Mapping[str, Any]
    inputs: tuple[TensorDescription, ...]
    outputs: tuple[TensorDescription, ...]
    grid: tuple[int, ...]
    rates: Rates

    @property
    def data_type(self) -> DataType:
        return self.outputs[0].data_type if self.outputs else DataType.BFloat16

    @property
    def elements(self) -> int:
        return sum(prod(one.shape) for one in self.outputs)

    @property
    def tiles(self) -> int:
        return sum(tiles_of(one.shape) for one in self.outputs)

    def cores_for(self, parts: int) -> int:
        """On how many cores so many equal parts are worked on."""
        return max(1, min(prod(self.grid), parts))

    def in_parts(
        self,
        parts: int,
        compute: float,
        arithmetic: int,
        *,
        pieces_of_a_part: int = 1,
        read: Traffic | None = None,
    ) -> Work:
        """Parts that do not depend on each other, spread over the cores; ``compute`` are the cycles of one."""
        cores = self.cores_for(parts)
        rounds = -(-parts // cores)
        return streamed(
            self.rates,
            read=traffic_of(self.inputs) if read is None else read,
            written=traffic_of(self.outputs),
            cores=cores,
            pieces=rounds * pieces_of_a_part,
            compute=rounds * compute,
            arithmetic=arithmetic,
        )


def _work(call: _Call) -> Work:
    rates, fields = call.rates, call.fields
    match call.kind:
        case "MatmulOp" if len(call.inputs) >= 2 and call.outputs:
            inner = call.inputs[0].shape[-1] if call.inputs[0].shape else 1
            product = product_of(call.inputs[0], call.inputs[1], call.outputs[0], call.elements * inner)
            return product_work(rates, product, (call.grid[0], prod(call.grid[1:])))
        case "Conv2dOp":
            return _convolution(call)
        case "EltwiseOp":
            cycles = rates.eltwise(str(fields.get("type")), call.data_type, len(call.inputs))
            return call.in_parts(call.tiles, cycles, call.elements)
        case "ReductionOp":
            return _reduction(call)
        case "SoftmaxOp":
            return _softmax(call)
        case "MaxPool2dOp":
            window = int(fields["kernel_height"]) * int(fields["kernel_width"])
            cycles = window * rates.eltwise("Maximum", call.data_type, 2)
            return call.in_parts(call.tiles, cycles, call.elements * window)
        case "TypecastOp":
            return call.in_parts(call.tiles, rates.eltwise("Typecast", call.data_type, 1), call.elements)
        case "ToLayoutOp":
            return call.in_parts(call.tiles, rates.conversion(fields.get("layout") == "Tile"), 0)
        case "SliceOp" | "EmbeddingOp":
            return call.in_parts(call.tiles, 0, 0, read=_taken(call))
    return call.in_parts(call.tiles, 0, 0)


def _taken(call: _Call) -> Traffic:
    """What is read where only a part of an input is taken."""
    everything = sum(map(bytes_of, call.inputs))
    taken = _bytes_read(call.kind, call.inputs, sum(map(bytes_of, call.outputs)))
    return traffic_of(call.inputs, taken / everything if everything else 1.0)


def _convolution(call: _Call) -> Work:
    """Positions of the result are spread over the cores; each has the whole weight."""
    fields, rates = call.fields, call.rates
    window = int(fields["kernel_height"]) * int(fields["kernel_width"])
    inner = window * (int(fields["in_channels"]) // max(1, int(fields.get("groups", 1))))
    channels = max(1, int(fields.get("out_channels", 1)))
    of_a_tile = -(-inner // TILE) * rates.product(call.data_type) + rates.pack(call.data_type)
    parts = -(-max(1, call.elements // channels) // TILE)
    return call.in_parts(parts, -(-channels // TILE) * of_a_tile, call.elements * inner)


def _reduction(call: _Call) -> Work:
    """Every tile of the result is one core's, with all tiles that are summed into it."""
    rank = len(call.inputs[0].shape) if call.inputs else 0
    dims = {int(dim) % max(1, rank) for dim in call.fields.get("dim_arg", range(rank))}
    columns, rows = rank - 1 in dims, rank - 2 in dims
    word = str(call.fields.get("type"))
    summed = sum(tiles_of(one.shape) for one in call.inputs)
    parts = max(1, _kept_tiles(call.inputs[0].shape, dims) if call.inputs else 1)
    if columns or rows:
        cycles = call.rates.reduction(word, columns, rows, call.data_type)
    else:
        cycles = call.rates.eltwise("Maximum" if word == "Max" else "Add", call.data_type, 2)
    along = -(-summed // parts)
    arithmetic = sum(prod(one.shape) for one in call.inputs)
    return call.in_parts(parts, along * cycles, arithmetic, pieces_of_a_part=along)


def _kept_tiles(shape: tuple[int, ...], dims: set[int]) -> int:
    """How many tiles are left of a tensor when dimensions are reduced to one element."""
    return tiles_of([1 if dim in dims else extent for dim, extent in enumerate(shape)])


def _softmax(call: _Call) -> Work:
    """A line of tiles has to be there as a whole before its largest element is known."""
    shape = call.outputs[0].shape if call.outputs else ()
    dim = int(call.fields.get("dimension", -1)) % max(1, len(shape))
    lines = _kept_tiles(shape, {dim})
    along = -(-call.tiles // max(1, lines))
    return call.in_parts(lines, along * call.rates.softmax(call.data_type), 5 * call.elements)
