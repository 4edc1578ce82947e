"""A report in the format of TT-NN, for ttnn-visualizer: a folder with ``db.sqlite`` and ``config.json``.

A launch is an operation, its tensors are tensors; their addresses in memory are known on the emulated chip. Every
launch has memory of its own, so a tensor that two launches use is two tensors. Tables of data that this runtime does
not have are empty: pages of buffers, queues of commands, comparisons.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ttl.arch import Chip, chip_named
from ttl.diag.fixes import replace_whole
from ttl.diag.internal import version
from ttl.report.loaded import LoadedLaunch, LoadedReport
from ttl.report.pack import unpacked
from ttl.report.visualizer_schema import CONFIG, RELEASE, VERSION, make_tables

DATABASE, CONFIG_FILE = "db.sqlite", "config.json"
# TT-NN's numbers of kinds of memory, and of layouts in it.
_MEMORIES = {"dram": 0, "l1": 1}
_LAYOUTS = {"interleaved": 0, "height_sharded": 2, "width_sharded": 3, "block_sharded": 4, "nd_sharded": 5}
_MODE = 0o644


def files_of(report: LoadedReport) -> dict[str, bytes]:
    """The files of the folder by their names. Damaged data raise ``KeyError``, ``TypeError``, ``ValueError``, etc."""
    database = sqlite3.connect(":memory:")
    try:
        make_tables(database)
        _fill(database, report)
        database.commit()
        content = database.serialize()
    except sqlite3.Error as problem:  # a value that is not a number and no text
        raise ValueError(str(problem)) from None
    finally:
        database.close()
    config = json.dumps({**CONFIG, "report_name": report.title}, indent=4, ensure_ascii=False)
    return {CONFIG_FILE: f"{config}\n".encode(), DATABASE: content}


def write(folder: str, files: Mapping[str, bytes]) -> None:
    """Write the files, each whole, into a folder, which is created if it does not exist. Raises ``OSError``."""
    os.makedirs(folder, exist_ok=True)
    for name, content in files.items():
        replace_whole(os.path.join(os.path.realpath(folder), name), content, _MODE)


def _fill(database: sqlite3.Connection, report: LoadedReport) -> None:
    def add(table: str, *rows: Sequence[Any], rank: tuple[int, ...] = (0,)) -> None:
        for row in rows:
            values = (*row, *rank)
            database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)

    metadata = {
        "schema_version": VERSION,
        "schema_of": f"ttnn {RELEASE}",
        "written_by": f"ttlang {version()}",
        "program": report.title,
    }
    add("report_metadata", *metadata.items(), rank=())
    devices: dict[int, str] = {}
    files: dict[str, int] = {}
    tensors = 0
    for number, launch in enumerate(report.launches, 1):
        used = _devices(launch)
        for device in used:
            devices.setdefault(device, launch.chip)
        own = _tensors(launch, tensors + 1)
        tensors += len(own)
        seconds = launch.length / launch.data["chip"]["clock_hz"] if launch.unit == "cycles" else 0.0
        add("operations", (number, launch.name, seconds))
        add("operation_arguments", *((number, *argument) for argument in _arguments(launch, own)))
        for tensor in own:
            add("tensors", tensor.row(used[0]), rank=())
            if tensor.address is not None:
                add("device_tensors", *((tensor.id, device, tensor.address) for device in used))
        for table, other, which in (
            ("input_tensors", "tensor_consumers", [tensor for tensor in own if tensor.is_input]),
            ("output_tensors", "tensor_producers", [tensor for tensor in own if tensor.is_output]),
        ):
            add(table, *((number, at, tensor.id) for at, tensor in enumerate(which)))
            add(other, *((tensor.id, number, at) for at, tensor in enumerate(which)))
        layouts = {tensor.name: _LAYOUTS.get(tensor.memory_layout) for tensor in own}
        for place in launch.data.get("tensors", ()):
            kind, layout = _MEMORIES[place["memory"]], layouts.get(place["name"])
            for device in used:
                add("buffers", (number, device, place["address"], place["bank_bytes"], kind, layout))
        add("captured_graph", (number, json.dumps(_graph(launch, own, used))))
        for finding in launch.data.get("findings", ()):
            code, message = finding.get("code"), finding.get("message")
            add("errors", (number, launch.name, code, message, "", ""))
        definition = _definition(launch)
        if definition is not None:
            file, trace, text = definition
            if file not in files:
                files[file] = len(files) + 1
                add("source_files", (files[file], file, text), rank=())
            add("stack_traces", (number, trace, files[file]))
    add("devices", *(_device(device, chip_named(chip)) for device, chip in sorted(devices.items())))


@dataclass(frozen=True, kw_only=True, slots=True)
class _DatabaseTensor:
    """A tensor of one launch. ``address`` is None in the simulator."""

    id: int
    name: str
    shape: str
    dtype: str
    layout: str
    memory: str
    memory_layout: str
    is_input: bool
    is_output: bool
    address: int | None

    @property
    def memory_config(self) -> str:
        """The memory configuration as TT-NN prints it; for shards only the layout, as a report does not name their nodes."""
        known = f"memory_layout=TensorMemoryLayout::{self.memory_layout.upper()},buffer_type=BufferType::{self.memory.upper()}"
        if self.memory_layout != "interleaved":
            return f"MemoryConfig({known})"
        rest = "created_with_nd_shard_spec=0,per_core_allocation=0,range_lockstep_allocation=0"
        return f"MemoryConfig({known},shard_spec=std::nullopt,nd_shard_spec=std::nullopt,{rest})"

    def row(self, device: int) -> tuple[Any, ...]:
        """Return the tensor's row of the database, the rank before the last column."""
        kinds = (self.dtype.replace("::", "."), self.layout.replace("::", "."))
        where = (device, self.address, _MEMORIES.get(self.memory))
        return (self.id, self.shape, *kinds, self.memory_config, *where, 0, "DEVICE")

    def params(self, devices: Sequence[int]) -> dict[str, Any]:
        """Return the parameters of the graph node for a tensor."""
        result: dict[str, Any] = {
            "tensor_id": self.id,
            "shape": self.shape,
            "dtype": self.dtype,
            "layout": self.layout,
            "memory_config": self.memory_config,
            "device_id": devices[0],
            "buffer_type": _MEMORIES.get(self.memory),
            "storage_type": "DEVICE",
        }
        if self.address is not None:
            places = [{"address": self.address, "device_id": device} for device in devices]
            result |= {"address": self.address, "device_tensors": json.dumps(places)}
        return result


def _devices(launch: LoadedLaunch) -> list[int]:
    """The chips of a launch."""
    mesh = launch.data.get("mesh")
    if mesh is not None:
        return sorted(set(mesh["chips"])) or [0]
    stats = launch.data["stats"]
    return [0 if stats is None or stats["device"] is None else int(stats["device"])]


def _tensors(launch: LoadedLaunch, first: int) -> list[_DatabaseTensor]:
    """Return the tensors of a launch, numbered from ``first`` on; empty where a report does not describe them."""
    sources, destinations = _moved(launch.data)
    places = {place["name"]: place["address"] for place in launch.data.get("tensors", ())}
    stats: Mapping[str, Any] = launch.data["stats"] or {"arguments": ()}
    return [
        _DatabaseTensor(
            id=number,
            name=one["name"],
            shape=f"Shape([{', '.join(map(str, one['shape']))}])",
            dtype=f"DataType::{one['dtype'].upper()}",
            layout=f"Layout::{one['layout'].upper()}",
            memory=one["memory"],
            memory_layout=one["memory_layout"],
            # A tensor that no transfer moved is used in place, as an input.
            is_input=one["name"] in sources or one["name"] not in destinations,
            is_output=one["name"] in destinations,
            address=places.get(one["name"]),
        )
        for number, one in enumerate(stats["arguments"], first)
    ]


def _moved(data: Mapping[str, Any]) -> tuple[set[str], set[str]]:
    """The names of the tensors that transfers read, and the names of those that they wrote."""
    ends = [end["text"] for end in data["ends"]]
    columns = (unpacked(data["transfers"][name]).tolist() for name in ("source", "destination"))
    read, written = (
        {ends[at].rpartition(", in ")[0] for at in set(column) if 0 <= at < len(ends)} for column in columns
    )
    return read - {""}, written - {""}


def _arguments(launch: LoadedLaunch, tensors: Sequence[_DatabaseTensor]) -> Iterator[tuple[str, str]]:
    for tensor in tensors:
        kind = f"{tensor.shape}, {tensor.dtype}, {tensor.layout}"
        yield tensor.name, f"Tensor({kind}, {tensor.memory_config})"
    for name, value in ((launch.data["stats"] or {}).get("constants") or {}).items():
        yield name, str(value)


def _graph(
    launch: LoadedLaunch, tensors: Sequence[_DatabaseTensor], devices: Sequence[int]
) -> list[dict[str, Any]]:
    """Return the graph that TT-NN would capture of the operation: its tensors and circular buffers, without the host's work."""
    nodes: list[dict[str, Any]] = []

    def add(kind: str, params: Mapping[str, Any], level: int = 1, **more: Any) -> int:
        at = len(nodes)
        node = {"arguments": [], "connections": [], "counter": at, "id": at, "input_tensors": []}
        nodes.append({**node, "node_type": kind, "params": params, "stacking_level": level, **more})
        return at

    inputs = [tensor for tensor in tensors if tensor.is_input]
    outputs = [tensor for tensor in tensors if tensor.is_output]
    texts = [value for _, value in _arguments(launch, tensors)]
    add("capture_start", {}, 0, connections=[1])
    begin = {"name": launch.name, "inputs": str(len(texts))}
    start = add("function_start", begin, arguments=texts)
    read = [add("tensor", tensor.params(devices), connections=[start]) for tensor in inputs]
    nodes[start]["input_tensors"] = read
    held = [add("circular_buffer_deallocate_all", {"device_id": device}) for device in devices]
    in_l1 = [place for place in launch.data.get("tensors", ()) if place["memory"] == "l1"]
    cores = _cores(launch)
    for device in devices:
        for buffer in launch.data["buffer_names"]:
            address = buffer.get("address")
            if address is None or cores is None:
                continue
            shared = any(
                place["address"] <= address < place["address"] + place["bank_bytes"] for place in in_l1
            )
            params = {
                "address": address,
                "core_range_set": cores,
                "device_id": device,
                "globally_allocated": str(int(shared)),
                "size": buffer["blocks"] * buffer["block_bytes"],
            }
            held.append(add("circular_buffer_allocate", params))
    end = add("function_end", {"name": launch.name})
    written = [add("tensor", tensor.params(devices)) for tensor in outputs]
    last = add("capture_end", {}, 0)
    nodes[start]["connections"] = [*held, end]
    nodes[end]["connections"] = [*written, last]
    return nodes


def _cores(launch: LoadedLaunch) -> str | None:
    """The nodes of a chip, a rectangle, as TT-NN prints ranges of cores; None if there are no nodes."""
    places = [node.node[-2:] for node in launch.nodes]
    if not places or min(map(len, places)) < 2:
        return None
    (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*places, strict=True))
    return f"{{[{left}-{low} - {right}-{high}]}}"


def _definition(launch: LoadedLaunch) -> tuple[str, str, str] | None:
    """The file that defines the operation, a stack trace into it, and its text; None if no source defines it."""
    defined = re.compile(rf"^[ \t]*(?:async )?def {re.escape(launch.name)}\(.*$", re.MULTILINE)
    for source in launch.data["sources"]:
        definition = defined.search(source["text"])
        if definition is not None:
            line = source["text"].count("\n", 0, definition.start()) + 1
            trace = (
                f'  File "{source["file"]}", line {line}, in {launch.name}\n    {definition.group().strip()}'
            )
            return source["file"], trace, source["text"]
    return None


def _device(number: int, chip: Chip) -> tuple[int, ...]:
    """The row of a chip with all of its nodes, like the emulated chip. Addresses of banks are offsets in the banks."""
    columns, rows = chip.max_grid
    nodes, for_buffers = columns * rows, chip.l1_available_bytes
    l1 = (chip.l1_bytes, nodes, for_buffers, 0, chip.l1_reserved_bytes)
    totals = (nodes * chip.l1_bytes, 0, nodes * for_buffers, nodes * for_buffers, for_buffers)
    return (number, rows, columns, rows, columns, *l1, 1, nodes, 0, *totals)
