"""``ttmlir-translate --ttnn-to-python``: the script computes what ``ttrt run`` does, bit for bit where the same is computed."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from support.operation_cases import CASES, Case
from support.programs import Outcome, run_ttl
from support.random_programs.ttir.modules import random_module, varied_profile
from support.scripts import NOT_OF_WHOLE_NUMBERS, Script, are_equal, by_runtime, drawn_by_runtime
from support.ttmlir_models import operation, ttnn_module
from tt_model.runtime.numbers import host_dtype
from ttl.ir.failure import NotLegalized
from ttmlir.translate.main import TTMLIR_TRANSLATE

ROOT = Path(__file__).resolve().parents[3]
MODELS = ROOT / "examples" / "models"
WHOLE = ("i32", "i16", "i8")
# The runtime and the library round other intermediate results.
ROUNDED_OTHERWISE = {("cbrt", "f32"), ("cbrt", "bf16"), ("rsqrt", "bf16"), ("conv2d", "f32")}


def _inputs(case: Case, script: Script) -> list[Any]:
    """Random ones; those of a conversion go beyond what the types have, too."""
    inputs = script.drawn()
    return (
        [(values.double() * 40).to(values.dtype) for values in inputs] if case.name == "typecast" else inputs
    )


@pytest.mark.one_of(3)
@pytest.mark.parametrize("name", sorted({case.name for case in CASES}))
def test_an_operation_computes_what_the_runtime_does(name: str) -> None:
    ran = 0
    for index, case in enumerate(one for one in CASES if one.name == name):
        dtype = case.dtypes[index % len(case.dtypes)]
        module = ttnn_module(case.text(dtype, ("any_device", "any_device_tile")[index % 2]))
        if "= [3 : i32, 32 : i32]" in case.attributes:
            with pytest.raises(NotLegalized, match="supports positive steps only"):
                Script(module)
            continue
        if dtype in WHOLE and name in NOT_OF_WHOLE_NUMBERS:
            with pytest.raises(NotLegalized, match="does not take unsigned integers"):
                Script(module)
            continue
        script = Script(module)
        inputs = _inputs(case, script)
        ran += 1
        for ours, theirs in zip(script.run(inputs), by_runtime(module, inputs), strict=True):
            if (name, dtype) in ROUNDED_OTHERWISE:
                assert ours.shape == theirs.shape
                torch.testing.assert_close(ours, theirs, equal_nan=True)
            else:
                assert are_equal(ours, theirs), (case, dtype)
    assert ran


@pytest.mark.parametrize("seed", [2, 7, 9, 12, 27, 41, 61, 130])
def test_random_modules(seed: int) -> None:
    """Sharded tensors, memory that goes on under another name, several functions, results of all operations."""
    written = random_module(seed, varied_profile(seed) if seed % 2 else None)
    module = ttnn_module(written.text)
    script = Script(module)
    names = [op.sym_name.data for op in module.body.block.ops]  # type: ignore[attr-defined]
    for name in written.functions:
        inputs = [
            torch.from_numpy(np.ascontiguousarray(values)).to(getattr(torch, one.dtype))
            if one.dtype.startswith(("float", "bfloat"))
            else torch.from_numpy(np.ascontiguousarray(values)).to(torch.int64).to(getattr(torch, one.dtype))
            for values, one in zip(written.inputs(name), script.names["PROGRAMS"][name].inputs, strict=True)
        ]
        outputs = by_runtime(module, inputs, names.index(name))
        for ours, theirs in zip(script.run(inputs, name), outputs, strict=True):
            assert are_equal(ours, theirs), name


@pytest.mark.parametrize("model", ["mlp", "transformer_layer", "three_operations"])
def test_the_models_of_the_demonstration(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The third calls an operation of TT-Lang, which the script imports."""
    monkeypatch.syspath_prepend(str(MODELS))
    module = ttnn_module((MODELS / f"{model}.mlir").read_text())
    script = Script(module)
    inputs = script.drawn(7)
    assert all(map(are_equal, inputs, drawn_by_runtime(module, 7)))
    from tt_model.layouts.kernel_permissions import allowed

    with allowed(["gated"]):
        expected = by_runtime(module, inputs)
    assert all(map(are_equal, script.run(inputs), expected))
    assert ("from gated import gated" in script.text) == (model == "three_operations")


def test_the_text_is_what_somebody_would_write() -> None:
    module = ttnn_module(
        'func.func @score(%a: tensor<64x32xbf16> loc("images"), %b: tensor<32x8xbf16> loc("weight")) -> tensor<64x8xbf16> {\n'
        "  %0 = tensor.empty() : tensor<64x8xbf16>\n"
        '  %1 = "ttir.matmul"(%a, %b, %0) <{operand_constraints = [#any_device, #any_device, #any_device]}> : '
        '(tensor<64x32xbf16>, tensor<32x8xbf16>, tensor<64x8xbf16>) -> tensor<64x8xbf16> loc("logits")\n'
        "  return %1 : tensor<64x8xbf16>\n}\n"
    )
    text = Script(module).text
    start = text.index("def score(")
    assert text[start : text.index("PROGRAMS = {")].rstrip() == (
        "def score(device, images, weight):\n"
        '    """images: 64x32, weight: 32x8."""\n'
        "    images_on_device = ttnn.to_device(images, device, memory_config=ttnn.DRAM_MEMORY_CONFIG)\n"
        "    images_tiled = ttnn.to_layout(images_on_device, ttnn.TILE_LAYOUT)\n"
        "    ttnn.deallocate(images_on_device, force=False)\n"
        "    weight_on_device = ttnn.to_device(weight, device, memory_config=ttnn.DRAM_MEMORY_CONFIG)\n"
        "    weight_tiled = ttnn.to_layout(weight_on_device, ttnn.TILE_LAYOUT)\n"
        "    ttnn.deallocate(weight_on_device, force=False)\n"
        "    logits = ttnn.matmul(images_tiled, weight_tiled, memory_config=ttnn.DRAM_MEMORY_CONFIG)\n"
        "    ttnn.deallocate(weight_tiled, force=False)\n"
        "    ttnn.deallocate(images_tiled, force=False)\n"
        "    logits_on_host = ttnn.from_device(logits)\n"
        "    ttnn.deallocate(logits, force=False)\n"
        "    logits_rows = ttnn.to_layout(logits_on_host, ttnn.ROW_MAJOR_LAYOUT)\n"
        "    return logits_rows"
    )


def translate(tmp_path: Path, text: str, *arguments: str) -> tuple[int, str, str]:
    path = tmp_path / "model.mlir"
    path.write_text(text)
    output = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    errors = io.StringIO()
    status = TTMLIR_TRANSLATE.run([*arguments, str(path)], io.StringIO(), output, errors)
    output.seek(0)
    return status, output.read(), errors.getvalue()


def test_inputs_and_results_are_kept_and_compared(tmp_path: Path) -> None:
    """The whole script as a user runs it; a file of another type or that is not there is said in one line."""
    module = ttnn_module(operation("add", ["33x40xi32"] * 2, "33x40xi32"))
    (tmp_path / "model.py").write_text(Script(module).text)

    def ran(*arguments: str) -> Outcome:
        return run_ttl(["run", "model.py", "--", *arguments], folder=tmp_path)

    assert ran("--save", "kept").status == 0
    kept = {path.name for path in (tmp_path / "kept").iterdir()}
    assert kept == {
        f"program_0_{name}.{end}" for name in ("input_0", "input_1", "output_0") for end in ("pt", "bin")
    }
    (tmp_path / "kept" / "program_0_output_0.pt").unlink()
    again = ran("--inputs", "kept", "--expect", "kept")
    assert again.status == 0 and "output 0: equal to what was expected" in again.stdout
    assert ran("--seed", "1", "--expect", "kept").status == 1
    missing = ran("--inputs", "nowhere")
    assert missing.status == 1
    assert "there is no nowhere/program_0_input_0.pt" in missing.stderr and "Traceback" not in missing.stderr


TTIR = operation("relu", ["32x32xbf16"], "32x32xbf16")
LAYOUT = "#l = #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<32x32xbf16, #ttnn.buffer_type<{}>>{}>\n"


@pytest.mark.parametrize(
    ("text", "condition", "way_out"),
    [
        (
            "#any_device = #tt.operand_constraint<dram>\n" + TTIR,
            "the tensor tensor<32x32xbf16> has no ttnn.ttnn_layout",
            "as --ttir-to-ttnn-backend-pipeline makes it of TTIR (this holds for ",
        ),
        (
            LAYOUT.format("l1", ", interleaved")
            + "func.func @f(%a: tensor<32x32xbf16, #l>) -> tensor<32x32xbf16, #l> {\n  return %a : tensor<32x32xbf16, #l>\n}\n",
            "its argument a lies in l1",
            "what works: arguments on the host",
        ),
        ("func.func private @f()\n", "the module has no function with a body", ""),
    ],
)
def test_what_cannot_be_written_is_said_and_nothing_is_written(
    text: str, condition: str, way_out: str, tmp_path: Path
) -> None:
    status, output, errors = translate(tmp_path, text, "--ttnn-to-python", "-o", str(tmp_path / "out.py"))
    assert (status, output) == (1, "") and not (tmp_path / "out.py").exists()
    assert f"{tmp_path / 'model.mlir'}:" in errors
    assert condition in errors and way_out in errors


def test_host_types_are_those_of_the_runtime() -> None:
    """What a script's tables call a type is what torch calls it in the runtime."""
    module = ttnn_module(operation("embedding", ["3x5xi32", "40x64xbf16"], "3x5x64xbf16"))
    entry = Script(module).names["PROGRAMS"]["main"]
    assert [one.rows for one in entry.inputs] == [40, 0]
    kinds = [host_dtype(one) for one in map(_data_type, ("u32", "bf16"))]
    assert [getattr(torch, one.dtype) for one in entry.inputs] == kinds


def _data_type(keyword: str) -> Any:
    from tt_model.layouts.enums import DataType

    return DataType.from_keyword(keyword)
