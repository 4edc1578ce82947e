"""The adapter: graphs of modules and binaries, and commands, by the rules of tt-explorer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tt_adapter import commands
from tt_adapter.graphs import graph_of
from tt_adapter.models import POLICIES, read
from ttl.diag.errors import WrongRequest

MLP = str(Path(__file__).parents[2] / "examples" / "models" / "mlp.mlir")
DF = {"optimizationPolicy": "DF Sharding"}
TWO = """
#any = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @forward(%a: tensor<32x64xf32>, %b: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %0 = tensor.empty() : tensor<32x64xf32> loc("sum")
  %1 = "ttir.add"(%a, %b, %0) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any, #any, #any]}> : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32> loc("sum")
  %2 = tensor.empty() : tensor<32x64xf32> loc("square")
  %3 = "ttir.multiply"(%1, %1, %2) <{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = [#any, #any, #any]}> : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32> loc("square"("model.py":3:1))
  return %3 : tensor<32x64xf32>
}
"""


def written(folder: Path, text: str, name: str = "model.mlir") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


def test_a_graph_by_the_rules(tmp_path: Path) -> None:
    """Names are those of locations and count from 0, empties stand last, each use is an output of its own."""
    (graph,) = commands.convert(written(tmp_path, TWO), {})["graphs"]
    assert graph["id"] == "ttir-graph"
    nodes = {node["id"]: node for node in graph["nodes"]}
    labels = [(node["id"], node["label"], node["namespace"]) for node in graph["nodes"]]
    assert labels == [
        ("sum__0", "ttir.add", "forward/sum"),
        ("sum__1", "%arg0", "forward/sum"),
        ("sum__2", "%arg1", "forward/sum"),
        ("square__0", "ttir.multiply", "forward/square"),
        ("model.mlir__0", "func.return", "forward/model.mlir"),
        ("sum__3", "tensor.empty", "forward/sum"),
        ("square__1", "tensor.empty", "forward/square"),
    ]
    edges = [
        (edge["sourceNodeId"], edge["sourceNodeOutputId"], edge["targetNodeInputId"])
        for edge in nodes["square__0"]["incomingEdges"]
    ]
    assert edges == [("sum__0", "0", "0"), ("sum__0", "1", "1"), ("square__1", "0", "2")]
    (first, second) = nodes["sum__0"]["outputsMetadata"]
    assert (first["id"], second["id"]) == ("0", "1")
    assert {item["key"]: item["value"] for item in first["attrs"]} == {
        "__tensor_tag": "ttir.multiply",
        "shape": "[32, 64]",
        "element_type": "f32",
        "rank": "2",
    }


def test_an_empty_tensor_without_a_name_stands_beside_its_operation(tmp_path: Path) -> None:
    path = written(
        tmp_path, TWO.replace(' : tensor<32x64xf32> loc("sum")\n  %1', " : tensor<32x64xf32>\n  %1")
    )
    nodes = {node["id"]: node["namespace"] for node in commands.convert(path, {})["graphs"][0]["nodes"]}
    assert nodes["model.mlir__1"] == "forward/sum" and nodes["model.mlir__0"] == "forward/model.mlir"


def test_a_compiled_graph_says_layouts_times_and_pcc(tmp_path: Path) -> None:
    path = written(tmp_path, TWO)
    (graph,) = commands.convert(path, {"compiled": True, **DF})["graphs"]
    add = next(node for node in graph["nodes"] if node["label"] == "ttnn.add")
    said = {item["key"]: item["value"] for item in add["attrs"]}
    (chosen,) = [one["chosen"] for one in commands.choices(path, DF)["choices"] if one["name"] == "sum"]
    assert chosen.split(":")[:3] == [said["grid shape"], said["memory space"], said["memory layout"]]
    assert float(said["PCC"]) > 0.99 and float(said["estimated time [µs]"].replace(",", "")) > 0


def test_binaries_and_kernels_of_tt_lang_open_too(tmp_path: Path) -> None:
    source = read(MLP)
    from tt_adapter.models import compiled

    binary = tmp_path / "mlp.ttnn"
    binary.write_bytes(compiled(source).binary.content)
    nodes = commands.convert(str(binary), {})["graphs"][0]["nodes"]
    assert {"ttnn.matmul", "ttnn.softmax", "ttnn.get_device"} <= {node["label"] for node in nodes}
    (matmul,) = [
        node for node in nodes if node["label"] == "ttnn.matmul" and node["id"].startswith("product0__")
    ]
    assert "estimated time [µs]" in {item["key"] for item in matmul["attrs"]}
    read_only = commands.choices(str(binary), {})
    (row,) = [
        one for one in read_only["choices"] if one["name"] == "product0" and one["operation"] == "ttnn.matmul"
    ]
    assert read_only["dialect"] == "ttnn" and row["legal"] == [] and row["chosen"].count(":") == 4
    kernel = """
func.func @double() attributes {ttl.kernel = "compute"} {
  %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
  "scf.if"(%1) ({
    "test.inside"() : () -> ()
  }, {}) : (i1) -> ()
  return
}
""".replace("%1", "%c")
    kernel = kernel.replace("  %0 =", '  %c = "arith.constant"() <{value = true}> : () -> i1\n  %0 =')
    labels = {node["label"] for node in commands.convert(written(tmp_path, kernel), {})["graphs"][0]["nodes"]}
    assert {"arith.constant", "scf.if", "test.inside"} <= labels


@pytest.mark.parametrize("policy", POLICIES)
def test_execute(policy: str, tmp_path: Path) -> None:
    path = written(tmp_path, TWO)
    reply = commands.execute(path, {"optimizationPolicy": policy, "artifact_dir": str(tmp_path / "kept")})
    assert {"stdout", "log_file", "perf_trace", "graph"} <= reply.keys()
    header, *rows = reply["perf_trace"].splitlines()
    assert {"OP CODE", "GLOBAL CALL COUNT", "DEVICE FW DURATION [ns]"} <= set(header.split(",")) and rows
    assert (tmp_path / "kept" / "model.ttnn").exists()


def test_the_body_of_the_documentation_has_no_policy(tmp_path: Path) -> None:
    path = written(tmp_path, TWO)
    for settings in ({}, {"ttir_to_ttnn_options": [], "artifact_dir": str(tmp_path / "kept")}):
        reply = commands.execute(path, settings)
        disabled = commands.execute(path, {"optimizationPolicy": "Optimizer Disabled"})
        assert reply["perf_trace"] == disabled["perf_trace"]


def test_choices_are_legal_and_each_of_them_compiles(tmp_path: Path) -> None:
    path = written(tmp_path, TWO)
    (one,) = [one for one in commands.choices(path, DF)["choices"] if one["name"] == "sum"]
    assert one["chosen"] in one["legal"] and len(one["legal"]) > 3 and one["reasons"]
    for layout in one["legal"][:4]:
        settings = {**DF, "overrides": {"sum": layout}, "golden": True}
        reply = commands.compare(path, settings)
        (row,) = [row for row in reply["operations"] if row["place"].startswith("sum EltwiseOp")]
        assert row["after"]["layout"] == layout and row["after"]["agrees"]
        (again,) = [one for one in commands.choices(path, settings)["choices"] if one["name"] == "sum"]
        assert again["overridden"] and len(again["legal"]) == len(one["legal"])


def test_what_an_override_changes() -> None:
    reply = commands.compare(MLP, {**DF, "overrides": {"product0": "2x4:l1:block_sharded:tile:bf16"}})
    assert reply["after_ns"] > reply["before_ns"]
    changed = [
        row["place"]
        for row in reply["operations"]
        if not row["before"] or not row["after"] or row["before"]["layout"] != row["after"]["layout"]
    ]
    assert any(place.startswith("product0 MatmulOp") for place in changed)
    assert set(reply["overlays"]) == {"estimated time [µs]", "PCC", "memory", "layout"}
    (times,) = reply["overlays"]["estimated time [µs]"].values()
    assert times["results"].keys() <= {node["id"] for node in reply["graph"]["nodes"]}


@pytest.mark.parametrize(
    ("command", "settings", "said"),
    [
        ("execute", {"optimizationPolicy": "Fast"}, "there is no policy 'Fast': it is one of DF Sharding"),
        ("execute", {"optimizationPolicy": 3}, "the setting optimizationPolicy is a text, not 3"),
        ("choices", {"overrides": ["a"]}, r"the setting overrides is an object, not \[\"a\"\]"),
        ("choices", {"overrides": {"sum": 3}}, "the override of sum is a text such as 2x2:l1"),
        ("choices", {"overrides": {"sum": "2x2"}}, "Invalid number of layout parameters: 1"),
        ("choices", {"overrides": {"nobody": "1x1:l1:interleaved:tile:f32"}}, "Trying to override non-existing op nobody"),
        ("compare", {"overrides": {"sum": "5x5:l1:block_sharded:tile:f32"}}, "do not divide into 5x5 shards of whole tiles"),
        ("compare", {"before": 3}, "the setting before is an object of settings, not 3"),
        ("compare", {"ttir_to_ttnn_options": ["frobnicate=1"]}, "the options of the pipeline are wrong"),
        ("compare", {"system_desc_path": "none.ttsys"}, "none.ttsys"),
        ("initialize", {"sim": "n7"}, "no system is called n7; there are default, n150"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(command: str, settings: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(WrongRequest, match=said):
        commands.COMMANDS[command](written(tmp_path, TWO), settings)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.mlir", "func.func @f( {", r"a\.mlir:1:\d+: error"),
        ("a.ttnn", "no binary", "is not a binary of TT-MLIR"),
        (
            "a.mlir",
            "func.func @f() { return }",
            "a.mlir is a module of builtin: only modules of TTIR can be compiled",
        ),
    ],
)
def test_files_that_are_none(name: str, text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(WrongRequest, match=said):
        commands.compare(written(tmp_path, text, name), DF)


def test_graphs_grow_with_their_modules() -> None:
    """A node for each operation and argument, an edge for each operand."""
    module = read(MLP).module
    graph = graph_of(module)
    edges = sum(len(node["incomingEdges"]) for node in graph["nodes"])
    operations = [op for op in module.walk() if op.parent_op() is not None and op.parent_op() is not module]
    assert edges == sum(len(op.operands) for op in operations)
    assert len({node["id"] for node in graph["nodes"]}) == len(graph["nodes"])
