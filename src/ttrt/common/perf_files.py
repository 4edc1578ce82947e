"""The files that ``ttrt perf`` writes: tables with the columns of the device profiler, and a trace.

They have the names and formats of the files of a profiled run on a card, so that the same tools read them. Times are
estimates, as every row says.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tt_model.binaries.estimate import Estimate, text_of
from tt_model.cost.work import TILE
from tt_model.operations import shared, ttnn
from tt_model.operations.elementwise import TTNNElementwiseOp
from tt_model.operations.stages import PerClass
from tt_model.runtime.tensors import TensorDescription

OPERATIONS_FILE = "ops_perf_results.csv"
DEVICE_FILE = "profile_log_device.csv"
DATA_FILE = "tracy_ops_data.csv"
TIMES_FILE = "tracy_ops_times.csv"
TRACE_FILE = "tracy_profile_log_host.json"
# The file name of a capture by Tracy.
CAPTURE_FILE = "tracy_profile_log_host.tracy"

_INPUTS = 3
_EXTENTS = tuple(f"{axis}_PAD[LOGICAL]" for axis in "WZYX")
_TENSOR = (*_EXTENTS, "LAYOUT", "DATATYPE", "MEMORY")
# First the columns of the device profiler's report, which tt-perf-report reads; then our own columns.
COLUMNS = (
    "OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "DEVICE ARCH", "ATTRIBUTES", "MATH FIDELITY", "CORE COUNT",
    "AVAILABLE WORKER CORE COUNT",
    "PARALLELIZATION STRATEGY", "HOST START TS", "HOST END TS", "HOST DURATION [ns]", "DEVICE FW START CYCLE",
    "DEVICE FW END CYCLE", "OP TO OP LATENCY [ns]", "DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]",
    "PM IDEAL [ns]", "PM COMPUTE [ns]", "PM BANDWIDTH [ns]",
    *(f"INPUT_{number}_{name}" for number in range(_INPUTS) for name in _TENSOR),
    *(f"OUTPUT_0_{name}" for name in _TENSOR),
    "METAL TRACE ID", "METAL TRACE REPLAY SESSION ID",
    "OPERATION", "INPUTS", "OUTPUTS", "BYTES READ", "BYTES WRITTEN", "ARITHMETIC", "ESTIMATED CYCLES", "BOUND BY",
    "COMPUTE CYCLES", "DRAM CYCLES", "NETWORK CYCLES", "LATENCY CYCLES", "EDGE CYCLES", "LOCATION", "PROGRAM", "LOOP", "NOTE",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class ProfiledCall:
    """One call of an operation: its program, its loop, and the cycle at which it begins."""

    estimate: Estimate
    program: str
    loop: int
    number: int
    begin: int

    @property
    def end(self) -> int:
        return self.begin + self.estimate.cycles


def calls_of(programs: Iterable[tuple[str, Sequence[Estimate]]], loops: int) -> list[ProfiledCall]:
    """The calls of all programs, one after the other, each program ``loops`` times."""
    calls: list[ProfiledCall] = []
    begin = 0
    for name, estimated in programs:
        for loop in range(loops):
            for one in estimated:
                calls.append(
                    ProfiledCall(estimate=one, program=name, loop=loop, number=len(calls) + 1, begin=begin)
                )
                begin += one.cycles
    return calls


def _is_sharded(tensors: Sequence[TensorDescription]) -> bool:
    config = tensors[0].config if tensors else None
    return config is not None and config.memory_layout.is_sharded


def _elementwise(estimate: Estimate) -> str:
    names = ("UnaryDeviceOperation", "BinaryNgDeviceOperation", "TernaryDeviceOperation")
    return names[min(max(len(estimate.inputs), 1), len(names)) - 1]


def _pages(estimate: Estimate) -> str:
    tiled = bool(estimate.outputs) and estimate.outputs[0].tiled
    return "TilizeDeviceOperation" if tiled else "UntilizeDeviceOperation"


def _moved(estimate: Estimate) -> str:
    before, after = (_is_sharded(tensors) for tensors in (estimate.inputs, estimate.outputs))
    if before:
        return "ReshardDeviceOperation" if after else "ShardedToInterleavedDeviceOperation"
    return "InterleavedToShardedDeviceOperation" if after else "CopyDeviceOperation"


# The names of operations in a profile of a card, where they are not made from the name of the table. They are names of
# the library's device operations, by which reports sort.
DEVICE_OPERATIONS = PerClass[str | Callable[[Estimate], str]](
    ((TTNNElementwiseOp, ttnn.TTNNClampOp), _elementwise),
    (ttnn.TTNNEmbeddingOp, "EmbeddingsDeviceOperation"),
    ((shared.TTNNTTLangOp, ttnn.TTNNGenericOp), "GenericOpDeviceOperation"),
    (ttnn.TTNNMaxPool2dOp, "Pool2D"),
    (shared.TTNNReductionOp, "ReduceDeviceOperation"),
    (shared.TTNNReshapeOp, "ReshapeViewDeviceOperation"),
    (ttnn.TTNNToLayoutOp, _pages),
    (ttnn.TTNNToMemoryConfigOp, _moved),
)


def device_operation(estimate: Estimate) -> str:
    """Return the name of an operation in a card's profile; operations of the host begin with ``(torch)``."""
    if estimate.on_host:
        return f"(torch) {estimate.operation}"
    if estimate.kind is None:
        return estimate.operation
    name = DEVICE_OPERATIONS.of(estimate.kind)
    if name is None:
        return f"{estimate.operation.removesuffix('Op')}DeviceOperation"
    return name if isinstance(name, str) else name(estimate)


def operations_table(calls: Sequence[ProfiledCall]) -> str:
    """``ops_perf_results.csv``: a row for each call, which tt-perf-report reads."""
    return _table(COLUMNS, (_row(call) for call in calls))


def _row(call: ProfiledCall) -> list[Any]:
    one = call.estimate
    time = one.nanoseconds(one.cycles)
    named: dict[str, Any] = {
        "OP CODE": device_operation(one),
        "OP TYPE": "python_fallback" if one.on_host else "tt_dnn_device",
        "GLOBAL CALL COUNT": call.number,
        "DEVICE ID": 0,
        "DEVICE ARCH": one.arch,
        "ATTRIBUTES": "{'source': 'emulated'}"
        if one.emulated or one.bound == "emulated"
        else "{'source': 'estimated'}",
        "MATH FIDELITY": "" if one.on_host else "HiFi4",
        "CORE COUNT": one.cores,
        "AVAILABLE WORKER CORE COUNT": one.available_cores,
        "HOST START TS": one.nanoseconds(call.begin),
        "HOST END TS": one.nanoseconds(call.begin) + time,
        "HOST DURATION [ns]": time,
        "OPERATION": one.operation,
        "INPUTS": "; ".join(map(text_of, one.inputs)),
        "OUTPUTS": "; ".join(map(text_of, one.outputs)),
        "BYTES READ": one.read,
        "BYTES WRITTEN": one.written,
        "ARITHMETIC": one.arithmetic,
        "ESTIMATED CYCLES": one.cycles,
        "BOUND BY": one.bound,
        "COMPUTE CYCLES": one.compute_cycles,
        "DRAM CYCLES": one.dram_cycles,
        "NETWORK CYCLES": one.network_cycles,
        "LATENCY CYCLES": one.latency_cycles,
        "EDGE CYCLES": one.edge_cycles,
        "LOCATION": one.location,
        "PROGRAM": call.program,
        "LOOP": call.loop,
        "NOTE": one.note,
    }
    if one.on_host:
        # Tools that add up times of the chip treat an empty field as a defect.
        named["DEVICE KERNEL DURATION [ns]"] = 0
    else:
        named |= {
            "DEVICE FW START CYCLE": call.begin,
            "DEVICE FW END CYCLE": call.end,
            "OP TO OP LATENCY [ns]": 0,
            "DEVICE FW DURATION [ns]": time,
            "DEVICE KERNEL DURATION [ns]": one.nanoseconds(max(1, one.cycles - one.start)),
            "PM IDEAL [ns]": one.nanoseconds(max(one.compute_cycles, one.traffic_cycles)),
            "PM COMPUTE [ns]": one.nanoseconds(one.compute_cycles),
            "PM BANDWIDTH [ns]": one.nanoseconds(one.traffic_cycles),
        }
    tensors = [(f"INPUT_{number}", tensor) for number, tensor in enumerate(one.inputs[:_INPUTS])]
    tensors += [("OUTPUT_0", tensor) for tensor in one.outputs[:1]]
    for prefix, tensor in tensors:
        named |= {f"{prefix}_{name}": value for name, value in zip(_TENSOR, _tensor(tensor), strict=True)}
    return [named.get(column, "") for column in COLUMNS]


def _tensor(tensor: TensorDescription) -> tuple[str, ...]:
    extents = (1, 1, 1, 1, *tensor.shape)[-4:]
    padded = [
        -(-size // TILE) * TILE if tensor.tiled and dim > 1 else size for dim, size in enumerate(extents)
    ]
    memory = "HOST"
    if tensor.config is not None:
        layout = tensor.config.memory_layout.keyword.upper()
        memory = f"DEV_0_{tensor.config.buffer_type.name.upper()}_{layout}"
    return (
        *(f"{pad}[{size}]" for pad, size in zip(padded, extents, strict=True)),
        "TILE" if tensor.tiled else "ROW_MAJOR",
        tensor.data_type.name.upper(),
        memory,
    )


_ZONES = (
    "PCIe slot", " core_x", " core_y", " RISC processor type", " timer_id", " time[cycles since reset]", " data",
    " run host ID", " trace id", " trace id counter", "  zone name", " type", " source line", " source file", " meta data",
)  # fmt: skip


def device_log(calls: Sequence[ProfiledCall]) -> str:
    """``profile_log_device.csv``: the begin and end of each operation, and of its arithmetic, on the busiest core."""
    if not calls:
        return ""
    first = calls[0].estimate
    rows = []
    for call in calls:
        one = call.estimate
        if one.on_host:
            continue
        zones = [("BRISC", "BRISC-FW", call.begin, call.end)]
        if one.compute_cycles:
            # It is shown from the end of the launch on; the first read and the last write have no zones of their own.
            begin = call.begin + one.start
            zones.append(("TRISC_1", "TRISC-KERNEL", begin, min(call.end, begin + one.compute_cycles)))
        for processor, zone, begin, end in zones:
            for kind, time in (("ZONE_START", begin), ("ZONE_END", end)):
                rows.append(
                    [0, 0, 0, processor, 0, time, 0, call.number, "", "", zone, kind, 0, "", "estimated"]
                )
    head = f"ARCH: {first.arch}, CHIP_FREQ[MHz]: {first.clock_hz // 1_000_000}, Max Compute Cores: {first.available_cores}\n"
    return head + _table(_ZONES, rows)


def operations_data(calls: Sequence[ProfiledCall]) -> str:
    """Return ``tracy_ops_data.csv``: the facts of each call, as a message with a time."""
    rows = (
        [
            f"`TT_DNN_DEVICE_OP: {json.dumps(call.estimate.as_dict() | {'call': call.number, 'program': call.program})}`",
            call.estimate.nanoseconds(call.begin),
        ]
        for call in calls
    )
    return _table(("MessageName", "total_ns"), rows, delimiter=";")


def operations_times(calls: Sequence[ProfiledCall]) -> str:
    """``tracy_ops_times.csv``: the begin and the length of each call."""
    rows = (
        [
            f"TT_DNN_DEVICE_OP {call.number} {device_operation(call.estimate)}",
            "estimated",
            0,
            call.estimate.nanoseconds(call.begin),
            call.estimate.nanoseconds(call.estimate.cycles),
            0,
        ]
        for call in calls
    )
    return _table(("name", "src_file", "src_line", "ns_since_start", "exec_time_ns", "thread"), rows)


def trace(calls: Sequence[ProfiledCall]) -> str:
    """The calls in the trace event format, which ui.perfetto.dev shows and Tracy's importer reads."""
    events = [
        {"name": "process_name", "ph": "M", "pid": 0, "args": {"name": "ttrt perf (estimated)"}},
        *(
            {"name": "thread_name", "ph": "M", "pid": 0, "tid": number, "args": {"name": name}}
            for number, name in enumerate(("host", "chip"))
        ),
        *(
            {
                "name": call.estimate.operation,
                "cat": call.estimate.bound,
                "ph": "X",
                "pid": 0,
                "tid": 0 if call.estimate.on_host else 1,
                "ts": call.estimate.nanoseconds(call.begin) / 1000,
                "dur": call.estimate.nanoseconds(call.estimate.cycles) / 1000,
                "args": call.estimate.as_dict(),
            }
            for call in calls
        ),
    ]
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}) + "\n"


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]], delimiter: str = ",") -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()
