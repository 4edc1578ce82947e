"""An estimate of what an operation costs: bytes moved, arithmetic, and cycles by what bounds it.

It is no measurement. An operation takes as long as the slower of its arithmetic on all cores and its traffic with DRAM or
L1, with the rates of the chip's table; what operations cost to start, and how unevenly work is spread, is not in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from ttmlir.layouts.system_desc import ChipDesc
from ttmlir.runtime.devices import SCALAR_BYTES, tile_bytes
from ttmlir.runtime.tensors import TensorDescription, description_of

# Bytes that a chip's DRAM gives in a cycle, all channels together: 288 GB/s at 1 GHz (wormhole_b0).
DRAM_BYTES_PER_CYCLE = 288.0
# Bytes that one core reads or writes in a cycle over the network on the chip.
NOC_BYTES_PER_CYCLE = 32.0
# Bytes in a cycle between the host and a chip: PCIe, 16 GB/s at 1 GHz.
HOST_BYTES_PER_CYCLE = 16.0
# Multiplications with addition of one core in a cycle, in bf16.
MATRIX_PER_CYCLE = 2048.0
# Elements of one core in a cycle through the vector unit, of one function.
VECTOR_PER_CYCLE = 32.0
# How often an elementwise function goes through the vector unit, where it is more than once.
_PASSES = {
    "Exp": 4,
    "Gelu": 8,
    "Sigmoid": 6,
    "Log": 5,
    "Sqrt": 4,
    "Rsqrt": 4,
    "Reciprocal": 3,
    "Div": 4,
    "Sin": 6,
}
COLUMNS = (
    "GLOBAL CALL COUNT",
    "OP CODE",
    "OP TYPE",
    "DEVICE ID",
    "ATTRIBUTES",
    "CORE COUNT",
    "DEVICE KERNEL DURATION [ns]",
    "PM IDEAL [ns]",
    "PM COMPUTE [ns]",
    "PM BANDWIDTH [ns]",
    "INPUTS",
    "OUTPUTS",
    "BYTES READ",
    "BYTES WRITTEN",
    "ARITHMETIC",
    "ESTIMATED CYCLES",
    "BOUND BY",
    "LOCATION",
)


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

    @property
    def cycles(self) -> int:
        return max(self.compute_cycles, self.traffic_cycles)

    @property
    def bound(self) -> str:
        """What it waits for."""
        return "arithmetic" if self.compute_cycles > self.traffic_cycles else "bytes"

    def columns(self) -> tuple[Any, ...]:
        """A line of the table; a cycle is a nanosecond."""
        return (
            self.index,
            self.operation,
            "tt_dnn_device",
            0,
            "",
            self.cores,
            self.cycles,
            self.cycles,
            self.compute_cycles,
            self.traffic_cycles,
            self.inputs,
            self.outputs,
            self.read,
            self.written,
            self.arithmetic,
            self.cycles,
            self.bound,
            self.location,
        )


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
    elements = sum(prod(one.shape) for one in outputs)
    arithmetic, rate = _arithmetic(kind, fields, inputs, elements)
    cores = prod(chip.grid)
    between = kind in ("ToDeviceOp", "FromDeviceOp")
    in_dram = any(
        one.config is not None and one.config.buffer_type.name == "DRAM" for one in (*inputs, *outputs)
    )
    bandwidth = (
        HOST_BYTES_PER_CYCLE if between else DRAM_BYTES_PER_CYCLE if in_dram else NOC_BYTES_PER_CYCLE * cores
    )
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
        compute_cycles=round(arithmetic / (rate * cores)) if arithmetic else 0,
        traffic_cycles=round(moved / bandwidth),
        location=text[text.rfind("loc(") :] if "loc(" in text else "",
    )


def _tensors(fields: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    pairs: list[tuple[str, Mapping[str, Any]]] = []
    for name, value in fields.items():
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, Mapping) and "desc" in one:
                pairs.append((name, one))
    return pairs


def _arithmetic(
    kind: str, fields: Mapping[str, Any], inputs: list[TensorDescription], elements: int
) -> tuple[int, float]:
    """How many operations, and how many of them a core does in a cycle."""
    match kind:
        case "MatmulOp":
            return elements * (inputs[0].shape[-1] if inputs and inputs[0].shape else 1), MATRIX_PER_CYCLE
        case "Conv2dOp":
            window = int(fields["kernel_height"]) * int(fields["kernel_width"])
            channels = int(fields["in_channels"]) // max(1, int(fields.get("groups", 1)))
            return elements * window * channels, MATRIX_PER_CYCLE
        case "EltwiseOp":
            return elements * _PASSES.get(str(fields.get("type")), 1), VECTOR_PER_CYCLE
        case "ReductionOp":
            return sum(prod(one.shape) for one in inputs), VECTOR_PER_CYCLE
        case "SoftmaxOp":
            return 8 * elements, VECTOR_PER_CYCLE
        case "MaxPool2dOp":
            return elements * int(fields["kernel_height"]) * int(fields["kernel_width"]), VECTOR_PER_CYCLE
    return 0, VECTOR_PER_CYCLE


def _bytes(tensor: TensorDescription) -> int:
    if not tensor.tiled:
        return prod(tensor.shape) * SCALAR_BYTES.get(tensor.data_type, 1)
    *outer, rows, columns = (1, 1, *tensor.shape)
    return prod(outer) * -(-rows // 32) * -(-columns // 32) * tile_bytes(tensor.data_type)


def _text(tensor: TensorDescription) -> str:
    return f"{'x'.join(map(str, tensor.shape))} {tensor.data_type.keyword}"
