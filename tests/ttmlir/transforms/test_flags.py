"""``ttmlir-opt`` around the pipeline to TTNN: options, ``--explain`` and ``--memory-map``, the older spelling."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from support.ttmlir_programs import ALIASES, A, T, function, operation
from ttmlir.opt.main import TTMLIR_OPT
from ttmlir.transforms.pipelines import PASSES, PIPELINES

PIPELINE = "--ttir-to-ttnn-backend-pipeline"
L1 = "#tt.operand_constraint<l1|scalar|tile|block_sharded|l1_block_sharded>"


def model(shape: str = "64x128xf32", constraint: str = T) -> str:
    body = operation("%0", "relu", "%a", [shape], shape, constraint, location='loc("relu_1")')
    return ALIASES + function(f"%a: tensor<{shape}>", shape, body, "%0")


def run(*arguments: str, text: str | None = None) -> tuple[int, str, str]:
    output, errors = io.StringIO(), io.StringIO()
    given = model() if text is None else text
    status = TTMLIR_OPT.run(arguments, io.StringIO(given), output, errors)
    return status, output.getvalue(), errors.getvalue()


@pytest.mark.parametrize(
    "options",
    [
        "",
        "=enable-optimizer=false",
        "=mesh-shape=1,1",
        "=system-desc-path=",
        "=enable-optimizer=true memory-layout-analysis-enabled=true memreconfig-enabled=false max-legal-layouts=32",
        "=enable-optimizer=true memory-layout-analysis-enabled=true max-legal-layouts=0",
        "=enable-optimizer=true memory-layout-analysis-enabled=true memory-layout-analysis-policy=L1Interleaved",
        "=enable-optimizer=true override-output-layout=relu_1=2x1:l1:height_sharded:tile:f32",
    ],
)
def test_options_are_read(options: str) -> None:
    status, output, errors = run(PIPELINE + options)
    assert (status, errors) == (0, "")
    assert '"ttnn.relu"' in output


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ("mesh-shap=1", "has no option mesh-shap"),
        ("enable-optimizer=maybe", "maybe"),
        ("max-legal-layouts=many", "many"),
        ("max-legal-layouts=-1", "a number of layouts in shards, 0 for none, not -1"),
        ("mesh-shape=1,x", "mesh-shape"),
        ("memory-layout-analysis-policy=Greedy", "DFSharding, L1Interleaved"),
        ("override-output-layout=relu_1", "Invalid format for override grid sizes"),
        ("override-output-layout=relu_1=2x2:l1", "Invalid number of layout parameters"),
        ("override-output-layout=relu_1=2y2:l1:interleaved:tile:f32", "Invalid grid size"),
        ("override-output-layout=relu_1=2x2:system:interleaved:tile:f32", "Invalid memory space"),
        ("override-output-layout=relu_1=2x2:l1:striped:tile:f32", "Invalid tensor memory layout"),
        ("override-output-layout=relu_1=2x2:l1:interleaved:tiles:f32", "Invalid memory layout"),
        ("override-output-layout=relu_1=2x2:l1:interleaved:tile:fp32", "Invalid data type"),
        ("insert-memreconfig=relu_1", "Invalid format for input layouts override"),
        ("insert-memreconfig=relu_1=a", "Invalid operand index"),
    ],
)
def test_a_wrong_option_says_what_is_right(options: str, error: str) -> None:
    status, output, errors = run(f"{PIPELINE}={options}")
    assert (status, output) == (2, "")
    assert error in errors


def test_every_pass_and_pipeline_is_listed() -> None:
    _, output, _ = run("--list-passes")
    listed = {line.split()[0] for line in output.splitlines()}
    assert {kind.name for kind in PASSES} | set(PIPELINES) <= listed
    assert {
        "ttir-to-ttir-decomposition", "inline", "ttir-load-system-desc", "ttir-implicit-device", "ttnn-layout",
        "convert-ttir-to-ttnn", "remove-dead-values", "ttnn-optimizer", "ttnn-decompose-layouts", "ttnn-deallocate",
    } <= listed  # fmt: skip


def test_the_older_spelling_of_the_way_to_ttnn() -> None:
    steps = ("--convert-ttir-to-ttnn", "--remove-dead-values")
    today = run("--ttir-load-system-desc", "--ttir-implicit-device", "--ttnn-layout", *steps)
    assert today[0] == 0
    assert run("--ttir-load-system-desc", "--ttir-layout", *steps) == today
    assert run("--ttir-layout", *steps) == today


def test_layouts_of_metal_are_another_pass() -> None:
    status, _, errors = run("--ttir-load-system-desc", "--ttir-layout")
    assert status != 0
    assert "'builtin.module' op has no tt.device" in errors


def test_the_pipeline_is_its_passes_one_by_one() -> None:
    names = [step.name for step in PIPELINES[PIPELINE[2:]]().passes()]
    assert names == [
        "ttir-to-ttir-decomposition",
        "inline",
        "ttir-load-system-desc",
        "ttir-implicit-device",
        "ttnn-layout",
        "convert-ttir-to-ttnn",
        "remove-dead-values",
        "ttnn-decompose-layouts",
        "ttnn-write-in-place",
        "ttnn-deallocate",
    ]
    assert run(*(f"--{name}" for name in names)) == run(PIPELINE)
    assert run(f"--pass-pipeline=builtin.module({','.join(names)})") == run(PIPELINE)


def test_explain_on_standard_error_and_in_files(tmp_path: Path) -> None:
    status, output, errors = run(PIPELINE, "--explain")
    assert status == 0
    assert output == run(PIPELINE)[1]
    assert "ttnn-layout: the destination of ttir.relu is on DRAM" in errors
    assert run(PIPELINE, f"--explain={tmp_path / 'why.txt'}")[2] == ""
    assert (tmp_path / "why.txt").read_text(encoding="utf-8") == errors
    run(PIPELINE, f"--explain={tmp_path / 'why.json'}")
    assert json.loads((tmp_path / "why.json").read_text(encoding="utf-8"))[0]["operation"] == "argument"


def test_the_input_stands_behind_a_flag_without_value(tmp_path: Path) -> None:
    path = tmp_path / "model.mlir"
    path.write_text(model(), encoding="utf-8")
    status, _, errors = run(PIPELINE, "--memory-map", str(path), text="")
    assert status == 0
    assert errors.startswith("function f, DRAM: 12288 of 1073740800 bytes of every bank")


def test_what_does_not_fit_is_an_error_with_the_map_and_a_warning_without() -> None:
    large = model("1024x1024xf32", L1)
    status, output, errors = run(PIPELINE, "--memory-map", text=large)
    assert (status, output) == (1, "")
    assert "error: 'ttnn.relu' op in function 'f': 3 tensors need 12582912 bytes of every L1 bank" in errors
    assert errors.count("3 tensors need 12582912 bytes") == 1
    assert "note: 1024x1024 f32 in tiles, block_sharded: 4194304 bytes" in errors
    assert "function f, L1: 12582912 of 1465344 bytes of every bank (858.70%)" in errors
    status, output, errors = run(PIPELINE, text=large)
    assert status == 0
    assert '"ttnn.relu"' in output
    assert "warning: 'ttnn.relu' op in function 'f': 3 tensors need" in errors


def test_a_memory_map_needs_a_system() -> None:
    status, _, errors = run("--memory-map", text=model(constraint=A))
    assert status == 1
    assert "a memory map needs the module attributes tt.device and tt.system_desc" in errors


def test_the_optimizers_options_alone() -> None:
    status, _, errors = run(
        "--ttnn-optimizer=memory-layout-analysis-enabled=true memory-layout-analysis-policy=Nothing"
    )
    assert status == 2
    assert "invalid memory layout analysis policy Nothing" in errors
