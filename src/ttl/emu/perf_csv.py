"""``--perf-csv``: launches as rows with the columns of the device profiler's report, which tt-perf-report reads.

Times are those of the emulated chip; the attributes of every row say so.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from ttl.arch import Chip
from ttl.codegen.description import OperandDescription, ProgramDescription
from ttl.emu.launch import ChipRun
from ttl.emu.signposts import signposts
from ttl.rows.types import TILE

_INPUTS = 4
# In reports that have ``DEVICE ARCH``, as this one does, extents are those in memory and, in brackets, those of the
# tensor.
_TENSOR = (*(f"{axis}_PAD[LOGICAL]" for axis in "WZYX"), "LAYOUT", "DATATYPE", "MEMORY")
# tt-perf-report takes an operation with this in its name for a matrix product, and looks at its second operand.
_PRODUCT = "Matmul"
_BEFORE = (
    "OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "DEVICE ARCH", "ATTRIBUTES", "MATH FIDELITY",
    "CORE COUNT", "AVAILABLE WORKER CORE COUNT", "PARALLELIZATION STRATEGY", "HOST START TS", "HOST END TS", "HOST DURATION [ns]",
    "DEVICE FW START CYCLE", "DEVICE FW END CYCLE", "OP TO OP LATENCY [ns]", "DEVICE FW DURATION [ns]",
    "DEVICE KERNEL DURATION [ns]", "DEVICE BRISC KERNEL DURATION [ns]", "DEVICE NCRISC KERNEL DURATION [ns]",
    "DEVICE TRISC0 KERNEL DURATION [ns]", "DEVICE TRISC1 KERNEL DURATION [ns]", "DEVICE TRISC2 KERNEL DURATION [ns]",
    "DEVICE ERISC KERNEL DURATION [ns]",
)  # fmt: skip
COLUMNS = (
    *_BEFORE,
    *(f"INPUT_{number}_{name}" for number in range(_INPUTS) for name in _TENSOR),
    *(f"OUTPUT_0_{name}" for name in _TENSOR),
    "METAL TRACE ID",
    "METAL TRACE REPLAY SESSION ID",
)
_PROCESSORS = {"BRISC": "brisc", "NCRISC": "ncrisc", "TRISC0": "unpack", "TRISC1": "math", "TRISC2": "pack"}


@dataclass(frozen=True, kw_only=True, slots=True)
class TimedLaunch:
    """One launch of an operation."""

    description: ProgramDescription
    run: ChipRun
    chip: Chip


def render(launches: Sequence[TimedLaunch]) -> str:
    """The report of launches that follow each other without a pause."""
    out = io.StringIO()
    result = [_signposts(launch) for launch in launches]
    columns = dict.fromkeys([*COLUMNS, *(column for item in result for column in item)])
    writer = csv.DictWriter(out, list(columns), restval="", lineterminator="\n")
    writer.writeheader()
    start = 0
    for number, (launch, stretches) in enumerate(zip(launches, result, strict=True), 1):
        writer.writerow(_row(launch, number, start) | stretches)
        start += launch.run.cycles
    return out.getvalue()


def _row(launch: TimedLaunch, number: int, start: int) -> dict[str, object]:
    description, run = launch.description, launch.run

    def nanoseconds(cycles: int) -> int:
        return round(cycles * 1e9 / launch.chip.clock_hz)

    whole = nanoseconds(run.cycles)
    fidelities = [kernel.config.math_fidelity for kernel in description.kernels if kernel.config]
    row: dict[str, object] = {
        "OP CODE": description.name,
        "OP TYPE": "tt_dnn_device",
        "GLOBAL CALL COUNT": number,
        "DEVICE ID": 0,
        "DEVICE ARCH": launch.chip.arch,
        "ATTRIBUTES": "{'source': 'emulated'}",
        "MATH FIDELITY": fidelities[0] if fidelities else "",
        "CORE COUNT": len({fiber.core for fiber in run.fibers}),
        "AVAILABLE WORKER CORE COUNT": prod(launch.chip.grid),
        "HOST START TS": nanoseconds(start),
        "HOST END TS": nanoseconds(start) + whole,
        "HOST DURATION [ns]": whole,
        "DEVICE FW START CYCLE": start,
        "DEVICE FW END CYCLE": start + run.cycles,
        "OP TO OP LATENCY [ns]": 0,
        "DEVICE FW DURATION [ns]": whole,
        "DEVICE KERNEL DURATION [ns]": nanoseconds(run.cycles - launch.chip.costs.launch.value),
    }
    for column, role in _PROCESSORS.items():
        ends = [fiber.cycles for fiber in run.fibers if fiber.role == role]
        if ends:
            cycles = max(ends) - launch.chip.costs.launch.value
            row[f"DEVICE {column} KERNEL DURATION [ns]"] = nanoseconds(cycles)
    inputs = [item for item, written in zip(description.tensors, run.written, strict=True) if not written]
    outputs = [item for item, written in zip(description.tensors, run.written, strict=True) if written]
    if _PRODUCT in description.name and len(inputs) < 2:
        # A product of a tensor with itself, as far as a report can tell.
        inputs = (inputs or outputs)[:1] * 2
    for position, tensor in enumerate(inputs[:_INPUTS]):
        row |= _tensor(f"INPUT_{position}", tensor)
    for tensor in outputs[:1]:
        row |= _tensor("OUTPUT_0", tensor)
    return row


def _signposts(launch: TimedLaunch) -> dict[str, object]:
    """Columns for the named stretches of the kernels: how often each runs, and how long where it takes longest.

    As rows, they would be marks between operations to tt-perf-report, which leaves out the rows before the last mark.
    """
    processors = {role: name for name, role in _PROCESSORS.items()}
    columns: dict[str, object] = {}
    for key, cost in signposts(launch.run, launch.description).items():
        name = f"SIGNPOST {key.name} [{key.place.kernel}:{key.place.line} {processors[key.role]}]"
        columns[f"{name} COUNT"] = cost.times
        columns[f"{name} DURATION [ns]"] = round(cost.longest * 1e9 / launch.chip.clock_hz)
    return columns


def _tensor(prefix: str, tensor: OperandDescription) -> dict[str, object]:
    extents = (1, 1, 1, 1, *tensor.shape)[-4:]
    tiled = tensor.layout.upper() == "TILE"
    padded = [-(-size // TILE) * TILE if tiled and dim > 1 else size for dim, size in enumerate(extents)]
    spread = "INTERLEAVED" if tensor.memory_layout == "interleaved" else tensor.memory_layout.upper()
    values = (
        *(f"{pad}[{size}]" for pad, size in zip(padded, extents, strict=True)),
        tensor.layout.upper(),
        tensor.dtype.upper(),
        f"DEV_0_{tensor.memory.upper()}_{spread}",
    )
    return {f"{prefix}_{name}": value for name, value in zip(_TENSOR, values, strict=True)}
