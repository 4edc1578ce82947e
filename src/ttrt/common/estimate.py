"""An estimate of what an operation costs: bytes moved, arithmetic, and cycles by what bounds it.

It is no measurement. An operation takes what a launch takes and the slower of its arithmetic, whose tiles are spread over
cores, and its traffic with DRAM or L1. The rates are those of the chip's table (``ttl.arch``), with which the emulated chip
counts, too; how they compare is in ``docs/ttmlir/estimates.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from ttmlir.layouts.enums import DataType
from ttmlir.layouts.system_desc import ChipDesc
from ttmlir.runtime.devices import SCALAR_BYTES, tile_bytes
from ttmlir.runtime.tensors import TensorDescription, description_of
from ttrt.common.rates import Rates, chip_of

_TILE = 32
_INPUTS = 3
_EXTENTS = tuple(f"{axis}_PAD[LOGICAL]" for axis in "WZYX")
_TENSOR = (*_EXTENTS, "LAYOUT", "DATATYPE", "MEMORY")
# First the columns of the device profiler's report, which tt-perf-report reads; then ours.
COLUMNS = (
    "OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "DEVICE ARCH", "ATTRIBUTES", "MATH FIDELITY", "CORE COUNT",
    "AVAILABLE WORKER CORE COUNT",
    "PARALLELIZATION STRATEGY", "HOST START TS", "HOST END TS", "HOST DURATION [ns]", "DEVICE FW START CYCLE",
    "DEVICE FW END CYCLE", "OP TO OP LATENCY [ns]", "DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]",
    "PM IDEAL [ns]", "PM COMPUTE [ns]", "PM BANDWIDTH [ns]",
    *(f"INPUT_{number}_{name}" for number in range(_INPUTS) for name in _TENSOR),
    *(f"OUTPUT_0_{name}" for name in _TENSOR),
    "METAL TRACE ID", "METAL TRACE REPLAY SESSION ID",
    "INPUTS", "OUTPUTS", "BYTES READ", "BYTES WRITTEN", "ARITHMETIC", "ESTIMATED CYCLES", "BOUND BY", "LOCATION",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """What one operation costs."""

    index: int
    operation: str
    cores: int
    inputs: str
    outputs: str
    read: int
    written: int
    arithmetic: int
    compute_cycles: int
    traffic_cycles: int
    location: str

    start: int
    clock_hz: int
    available_cores: int
    arch: str
    tensors: tuple[tuple[str, TensorDescription], ...]

    @property
    def cycles(self) -> int:
        return self.start + max(self.compute_cycles, self.traffic_cycles)

    @property
    def bound(self) -> str:
        """What it waits for."""
        slower = "arithmetic" if self.compute_cycles > self.traffic_cycles else "bytes"
        return slower if self.start < max(self.compute_cycles, self.traffic_cycles) else "launch"

    def nanoseconds(self, cycles: int) -> int:
        """Cycles of the chip as time."""
        return round(cycles * 1e9 / self.clock_hz)

    def columns(self, begin: int) -> tuple[Any, ...]:
        """A line of the table, of an operation that begins ``begin`` cycles after the first."""
        time = self.nanoseconds(self.cycles)
        named = {
            "OP CODE": self.operation,
            "OP TYPE": "tt_dnn_device",
            "GLOBAL CALL COUNT": self.index,
            "DEVICE ID": 0,
            "DEVICE ARCH": self.arch,
            "ATTRIBUTES": "{'source': 'estimated'}",
            "MATH FIDELITY": "HiFi4",
            "CORE COUNT": self.cores,
            "AVAILABLE WORKER CORE COUNT": self.available_cores,
            "HOST START TS": self.nanoseconds(begin),
            "HOST END TS": self.nanoseconds(begin) + time,
            "HOST DURATION [ns]": time,
            "DEVICE FW START CYCLE": begin,
            "DEVICE FW END CYCLE": begin + self.cycles,
            "OP TO OP LATENCY [ns]": 0,
            "DEVICE FW DURATION [ns]": time,
            "DEVICE KERNEL DURATION [ns]": self.nanoseconds(max(1, self.cycles - self.start)),
            "PM IDEAL [ns]": self.nanoseconds(max(self.compute_cycles, self.traffic_cycles)),
            "PM COMPUTE [ns]": self.nanoseconds(self.compute_cycles),
            "PM BANDWIDTH [ns]": self.nanoseconds(self.traffic_cycles),
            "INPUTS": self.inputs,
            "OUTPUTS": self.outputs,
            "BYTES READ": self.read,
            "BYTES WRITTEN": self.written,
            "ARITHMETIC": self.arithmetic,
            "ESTIMATED CYCLES": self.cycles,
            "BOUND BY": self.bound,
            "LOCATION": self.location,
        }
        for prefix, tensor in self.tensors:
            extents = [
                f"{_padded(tensor, dim)}[{size}]" for dim, size in enumerate((1, 1, 1, 1, *tensor.shape)[-4:])
            ]
            memory = "HOST"
            if tensor.config is not None:
                layout = tensor.config.memory_layout.name.rstrip("_").upper()
                memory = f"DEV_0_{tensor.config.buffer_type.name.upper()}_{layout}"
            values = (
                *extents,
                "TILE" if tensor.tiled else "ROW_MAJOR",
                tensor.data_type.name.upper(),
                memory,
            )
            named |= {f"{prefix}_{name}": value for name, value in zip(_TENSOR, values, strict=True)}
        return tuple(named.get(column, "") for column in COLUMNS)


def _padded(tensor: TensorDescription, dim: int) -> int:
    """An extent of the last four dimensions as it lies in memory: tiles are whole."""
    size = (1, 1, 1, 1, *tensor.shape)[-4:][dim]
    return -(-size // _TILE) * _TILE if tensor.tiled and dim > 1 else size


def estimates(program: Mapping[str, Any], chip: ChipDesc) -> list[Estimate]:
    """Every operation of a program that does something."""
    return [
        _estimate(index, operation, chip)
        for index, operation in enumerate(program.get("operations", []))
        if operation.get("type_type") not in ("GetDeviceOp", "DeallocateOp", "EmptyOp")
    ]


def _estimate(index: int, operation: Mapping[str, Any], chip: ChipDesc) -> Estimate:
    kind, fields = operation.get("type_type", "NONE"), operation.get("type", {})
    inputs = [description_of(one) for name, one in _tensors(fields) if not name.startswith("out")]
    outputs = [description_of(one) for name, one in _tensors(fields) if name.startswith("out")]
    read, written = sum(map(_bytes, inputs)), sum(map(_bytes, outputs))
    rates = Rates(chip_of(chip))
    elements = sum(prod(one.shape) for one in outputs)
    arithmetic, tiles, cycles = _work(kind, fields, inputs, outputs, elements, rates)
    cores = max(1, min(prod(chip.grid), tiles or _tiles(outputs)))
    between = kind in ("ToDeviceOp", "FromDeviceOp")
    in_dram = any(
        one.config is not None and one.config.buffer_type.name == "DRAM" for one in (*inputs, *outputs)
    )
    network = rates.core_bytes * cores
    bandwidth = rates.host_bytes if between else min(rates.dram_bytes, network) if in_dram else network
    on_host = not any(one.config is not None for one in (*inputs, *outputs))
    moved = read if between else read + written
    word = fields.get("type", "")
    text = operation.get("debug_info", "")
    return Estimate(
        index=index,
        operation=f"{kind}.{word}" if isinstance(word, str) and word else kind,
        cores=cores,
        inputs="; ".join(map(_text, inputs)),
        outputs="; ".join(map(_text, outputs)),
        read=read,
        written=written,
        arithmetic=arithmetic,
        compute_cycles=-(-tiles // cores) * cycles,
        # What the host does in its own memory takes no cycle of the chip.
        traffic_cycles=0 if on_host else round(moved / bandwidth),
        start=0 if on_host or between else rates.start,
        clock_hz=rates.chip.clock_hz,
        available_cores=prod(chip.grid),
        arch=rates.chip.arch,
        tensors=(
            *((f"INPUT_{number}", one) for number, one in enumerate(inputs[:_INPUTS])),
            *(("OUTPUT_0", one) for one in outputs[:1]),
        ),
        location=text[text.rfind("loc(") :] if "loc(" in text else "",
    )


def _tensors(fields: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    pairs: list[tuple[str, Mapping[str, Any]]] = []
    for name, value in fields.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Mapping) and "desc" in one:
                pairs.append((name, one))
    return pairs


def _work(
    kind: str,
    fields: Mapping[str, Any],
    inputs: list[TensorDescription],
    outputs: list[TensorDescription],
    elements: int,
    rates: Rates,
) -> tuple[int, int, int]:
    """How many operations on elements there are, on how many tiles of work, and the cycles that one takes a core."""
    data_type = outputs[0].data_type if outputs else DataType.BFloat16
    match kind:
        case "MatmulOp":
            inner = inputs[0].shape[-1] if inputs and inputs[0].shape else 1
            cycles = -(-inner // _TILE) * rates.product(data_type) + rates.pack(data_type)
            return elements * inner, _tiles(outputs), cycles
        case "Conv2dOp":
            window = int(fields["kernel_height"]) * int(fields["kernel_width"])
            inner = window * (int(fields["in_channels"]) // max(1, int(fields.get("groups", 1))))
            cycles = -(-inner // _TILE) * rates.product(data_type) + rates.pack(data_type)
            return elements * inner, _tiles(outputs), cycles
        case "EltwiseOp":
            cycles = rates.eltwise(str(fields.get("type")), data_type, len(inputs))
            return elements, _tiles(outputs), cycles
        case "ReductionOp":
            rank = len(inputs[0].shape) if inputs else 0
            dims = {int(dim) % max(1, rank) for dim in fields.get("dim_arg", range(rank))}
            columns, rows = rank - 1 in dims, rank - 2 in dims
            cycles = rates.reduction(str(fields.get("type")), columns, rows, data_type)
            return sum(prod(one.shape) for one in inputs), _tiles(inputs), cycles
        case "SoftmaxOp":
            return 5 * elements, _tiles(outputs), rates.softmax(data_type)
        case "MaxPool2dOp":
            window = int(fields["kernel_height"]) * int(fields["kernel_width"])
            return elements * window, _tiles(outputs) * window, rates.eltwise("Maximum", data_type, 2)
    return 0, 0, 0


def _tiles(tensors: list[TensorDescription]) -> int:
    """How many tiles they have, or would have."""
    count = 0
    for tensor in tensors:
        *outer, rows, columns = (1, 1, *tensor.shape)
        count += prod(outer) * -(-rows // _TILE) * -(-columns // _TILE)
    return count


def _bytes(tensor: TensorDescription) -> int:
    if not tensor.tiled:
        return prod(tensor.shape) * SCALAR_BYTES.get(tensor.data_type, 1)
    *outer, rows, columns = (1, 1, *tensor.shape)
    return prod(outer) * -(-rows // 32) * -(-columns // 32) * tile_bytes(tensor.data_type)


def _text(tensor: TensorDescription) -> str:
    return f"{'x'.join(map(str, tensor.shape))} {tensor.data_type.keyword}"
