"""``ttl report --to visualizer``: a database as TT-NN writes it, judged by the module of its wheel that does, and its contents."""

from __future__ import annotations

import copy
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from emu.test_measured import PROGRAM
from run_reports.test_mesh import mesh_report
from support.programs import run_ttl
from support.real_ttnn import run as real_ttnn
from ttl.emu import runtime
from ttl.report import visualizer, visualizer_schema

# Two launches, the second one of what the first one wrote, into L1.
TWICE = f"{PROGRAM}\nz = ttnn.ones((32, 64), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device, memory_config=ttnn.L1_MEMORY_CONFIG)\ndouble(y, z)\n"
STUCK = PROGRAM.replace("with y_dfb.wait()", "with x_dfb.wait()")
_SHAPE = """
def shape_of(database):
    names = [name for (name,) in database.execute("select name from sqlite_master where type = 'table' order by 1")]
    return {
        name: [
            [list(map(list, database.execute(f"pragma {what}({name})"))) for what in ("table_info", "foreign_key_list")],
            sorted(
                [unique, origin, [row[2] for row in database.execute(f"pragma index_info({index!r})")]]
                for _, index, unique, origin, _ in database.execute(f"pragma index_list({name})")
            ),
        ]
        for name in names
    }
"""
# What the module of the wheel makes of the graphs in our database, and its tables.
_JUDGE = f"""
import pathlib, sqlite3, sys
from ttnn import graph_report
{_SHAPE}
ours = sqlite3.connect(sys.argv[1])
theirs = sqlite3.connect(":memory:")
graph_report.create_database_schema(theirs.cursor())
graph_report.save_database_schema_version(theirs.cursor())
schema = [shape_of(database) for database in (ours, theirs)]
for operation, graph in ours.execute("select operation_id, captured_graph from captured_graph").fetchall():
    graph_report.import_graph(
        theirs.cursor(), json.loads(graph), base_operation_id=operation - 1, devices=[{{"device_id": 0}}]
    )
tables = {{
    name: [[list(map(list, database.execute(f"select * from {{name}} order by 1, 2, 3"))) for database in (ours, theirs)]]
    for name in ("operations", "tensors", "device_tensors", "input_tensors", "output_tensors", "tensor_consumers",
                 "tensor_producers")
}}
ttnn.save_config_to_json_file(pathlib.Path(sys.argv[2]))
layouts = {{layout.name.lower(): layout.value for layout in ttnn.TensorMemoryLayout.__members__.values()}}
answer([schema, tables, list(map(list, theirs.execute("select * from report_metadata"))), layouts,
        [ttnn.BufferType.DRAM.value, ttnn.BufferType.L1.value], str(ttnn.L1_MEMORY_CONFIG), str(ttnn.Shape([32, 64]))])
"""


def exported(folder: Path, program: str = PROGRAM, *flags: str, target: str = "emu") -> sqlite3.Connection:
    (folder / "double.py").write_text(program, encoding="utf-8")
    run_ttl(["run", "--target", target, "--report", "run.json", *flags, "double.py"], folder=folder)
    return opened(folder)


def opened(folder: Path) -> sqlite3.Connection:
    outcome = run_ttl(["report", "run.json", "--to", "visualizer", "-o", "out"], folder=folder)
    assert outcome.status == 0, outcome.stderr
    return sqlite3.connect(folder / "out" / "db.sqlite")


def rows(database: sqlite3.Connection, table: str) -> list[dict[str, Any]]:
    cursor = database.execute(f"select * from {table} order by 1, 2, 3")
    return [dict(zip((column[0] for column in cursor.description), row, strict=True)) for row in cursor]


def test_the_wheel_of_ttnn_agrees(tmp_path: Path) -> None:
    exported(tmp_path, TWICE).close()
    files = str(tmp_path / "out" / "db.sqlite"), str(tmp_path / "theirs.json")
    (ours, theirs), tables, metadata, layouts, memories, memory, shape = real_ttnn("0.81", _JUDGE, *files)
    assert ours == theirs
    for name, ((mine, imported),) in tables.items():
        if name == "operations":  # a graph has no duration
            mine, imported = ([row[:2] for row in table] for table in (mine, imported))
        assert mine and mine == imported, name
    assert metadata == [["schema_version", visualizer_schema.VERSION]]
    assert {name: layouts[name] for name in visualizer._LAYOUTS} == visualizer._LAYOUTS
    assert list(visualizer._MEMORIES.values()) == memories
    with sqlite3.connect(files[0]) as database:
        last = rows(database, "tensors")[-1]
    assert (last["memory_config"], last["shape"]) == (memory, shape)
    config = json.loads((tmp_path / "out" / "config.json").read_text(encoding="utf-8"))
    real = json.loads((tmp_path / "theirs.json").read_text(encoding="utf-8"))
    assert {name: type(value) for name, value in config.items()} | {"report_name": type(None)} == {
        name: type(value) for name, value in real.items()
    }
    assert config["report_name"] == "double.py"


def test_operations_tensors_and_memory_are_those_of_the_report(tmp_path: Path) -> None:
    database = exported(tmp_path, TWICE)
    launches = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))["launches"]
    assert [(row["name"], row["duration"]) for row in rows(database, "operations")] == [
        ("double", launch["length"] / 1e9) for launch in launches
    ]
    tensors = rows(database, "tensors")
    assert [(row["dtype"], row["buffer_type"]) for row in tensors] == [
        ("DataType.BFLOAT16", 0), ("DataType.BFLOAT16", 0), ("DataType.BFLOAT16", 0), ("DataType.FLOAT32", 1),
    ]  # fmt: skip
    # One tile of each is in a bank: 2 KiB, of float32 4 KiB.
    buffers = rows(database, "buffers")
    assert [row["max_size_per_bank"] for row in buffers if row["buffer_type"] == 0] == [2048] * 3
    (in_l1,) = (row for row in buffers if row["buffer_type"] == 1)
    assert in_l1["max_size_per_bank"] == 4096
    (device,) = rows(database, "devices")
    assert 0 < in_l1["address"] <= device["worker_l1_size"] - 4096
    assert {(row["operation_id"], row["address"]) for row in buffers} == {
        (number, tensor["address"])
        for number, launch in enumerate(launches, 1)
        for tensor in launch["tensors"]
    }
    graph = json.loads(rows(database, "captured_graph")[0]["captured_graph"])
    held = [node["params"] for node in graph if node["node_type"] == "circular_buffer_allocate"]
    # Two blocks of one tile each, one after the other from the first free address on, on both nodes.
    assert [params["size"] for params in held] == [4096, 4096]
    assert held[1]["address"] == held[0]["address"] + 4096
    assert held[0]["address"] >= device["address_at_first_l1_cb_buffer"]
    assert {params["core_range_set"] for params in held} == {"{[0-0 - 1-0]}"}
    for at, node in enumerate(graph):
        assert node["counter"] == node["id"] == at and all(
            next_ < len(graph) for next_ in node["connections"]
        )
    trace, source = rows(database, "stack_traces")[0], rows(database, "source_files")[0]
    assert trace["stack_trace"].splitlines()[0] == '  File "double.py", line 5, in double'
    assert source == {"id": trace["source_file_id"], "path": "double.py", "contents": TWICE}
    content = (tmp_path / "out" / "db.sqlite").read_bytes()
    opened(tmp_path).close()
    assert (tmp_path / "out" / "db.sqlite").read_bytes() == content


def test_the_simulator_has_no_addresses_and_no_seconds(tmp_path: Path) -> None:
    database = exported(tmp_path, target="sim")
    assert [row["address"] for row in rows(database, "tensors")] == [None, None]
    assert [row["duration"] for row in rows(database, "operations")] == [0]
    assert not rows(database, "buffers") and not rows(database, "device_tensors")
    assert [row["tensor_id"] for row in rows(database, "input_tensors")] == [1]
    assert [row["tensor_id"] for row in rows(database, "output_tensors")] == [2]


def test_a_launch_that_failed_has_its_error(tmp_path: Path) -> None:
    database = exported(tmp_path, STUCK, "--no-check")
    (error,) = rows(database, "errors")
    assert error["operation_id"] == 1 and error["operation_name"] == "double"
    assert error["error_type"].startswith("TTL") and error["error_message"]
    assert len(rows(database, "buffers")) == 2


def test_profiles_are_operations(tmp_path: Path) -> None:
    (tmp_path / "double.py").write_text(PROGRAM, encoding="utf-8")
    assert run_ttl(["profile", "-o", "run.json", "double.py"], folder=tmp_path).status == 0
    database = opened(tmp_path)
    assert [row["name"] for row in rows(database, "operations")] == ["double"]
    assert not rows(database, "tensors")


@pytest.mark.parametrize("target", ["sim", "emu"])
def test_a_launch_over_several_chips_has_devices(target: str, tmp_path: Path) -> None:
    if target == "emu" and runtime.missing() is not None:
        pytest.skip("the emulated chip was not built")
    mesh_report(1, 2, tmp_path, "--system", "n300", target=target)
    (tmp_path / "report.json").rename(tmp_path / "run.json")
    database = opened(tmp_path)
    assert [row["device_id"] for row in rows(database, "devices")] == [0, 1]
    graph = json.loads(rows(database, "captured_graph")[0]["captured_graph"])
    held = [node["params"] for node in graph if node["node_type"] == "circular_buffer_allocate"]
    devices = [0, 1] if target == "emu" else []
    assert sorted({params["device_id"] for params in held}) == devices
    assert [row["device_id"] for row in rows(database, "device_tensors")] == devices


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (["run.json", "run.json", "-o", "out"], "TTL0113", "takes one run, and no baseline"),
        (["run.json", "--baseline", "run.json", "-o", "out"], "TTL0113", "takes one run, and no baseline"),
        (["run.json", "--keep-baseline", "kept.json", "-o", "out"], "TTL0113", "takes one run"),
        (["run.json"], "TTL0113", "the following arguments are required: -o/--output"),
        (["run.json", "-o", "run.json"], "TTL0117", "cannot write 'run.json': file exists"),
        (["missing.json", "-o", "out"], "TTL0142", "no such file or directory"),
        (["damaged.json", "-o", "out"], "TTL0142", "it is not one of this version"),
    ],
)
def test_what_cannot_be_exported_is_refused(
    arguments: list[str], code: str, why: str, report: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "run.json").write_text(json.dumps(report), encoding="utf-8")
    damaged = copy.deepcopy(report)
    damaged["launches"][0]["tensors"] = [{"name": "x"}]
    (tmp_path / "damaged.json").write_text(json.dumps(damaged), encoding="utf-8")
    outcome = run_ttl(["report", "--to", "visualizer", *arguments], folder=tmp_path)
    assert outcome.status == 2
    assert f"error[{code}]" in outcome.stderr and why in outcome.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("value", [None, 7, "x", [], {}, [None], [[1]], -1, 1 << 70])
def test_damaged_reports_are_refused_or_exported(value: Any, report: dict[str, Any], tmp_path: Path) -> None:
    for key in ("tensors", "stats", "mesh", "buffer_names", "findings", "ends", "sources", "length", "name"):
        damaged = copy.deepcopy(report)
        damaged["launches"][0][key] = value
        (tmp_path / "run.json").write_text(json.dumps(damaged), encoding="utf-8")
        outcome = run_ttl(["report", "--to", "visualizer", "run.json", "-o", "out"], folder=tmp_path)
        assert outcome.status == 0 or (outcome.status, "TTL0142" in outcome.stderr) == (2, True), (
            key,
            outcome.stderr,
        )


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("report")
    exported(folder).close()
    result: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return result
