"""Golden results: what is wrong is found, at the operation that does it, and what is right is not blamed."""

from __future__ import annotations

import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tt_model.operations import shared

torch = pytest.importorskip("torch")
import ttmlir
from support.ttmlir_models import HEADER, compiled, golden_run, ttnn_module
from tt_model.binaries.submission import prepared
from tt_model.binaries.tolerance import own_tolerance, units
from tt_model.flatbuffer.encode import encode
from tt_model.flatbuffer.schema import schema
from tt_model.layouts.enums import DataType
from tt_model.layouts.known_systems import default_system
from tt_model.operations.elementwise import TTNNAddOp
from tt_model.operations.operation import TTNNOperation
from tt_model.runtime import steps
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import run_program
from tt_model.runtime.pool import TensorPool
from ttmlir.translate.serialise import ttnn_to_flatbuffer
from ttrt.binary import as_dict
from ttrt.common.api import Run
from ttrt.common.golden import compared
from ttrt.common.programs import initialised, weight_scales

F = DataType.Float32
B = DataType.BFloat16


def binary_op(name: str, result: str, inputs: str, type_: str) -> str:
    return (
        f"%e{result} = tensor.empty() : {type_}\n"
        f'  %{result} = "ttir.{name}"({inputs}, %e{result}) <{{operandSegmentSizes = array<i32: 2, 1>, operand_constraints = '
        f'[#any_device, #any_device, #any_device]}}> : ({type_}, {type_}, {type_}) -> {type_} loc("{name}_{result}")\n  '
    )


T = "tensor<64x64xf32>"
MODEL = (
    HEADER
    + f"func.func @main(%x: {T}, %y: {T}, %k: tensor<2x4x3x3xbf16>, %b: tensor<1x1x1x2xbf16>, %i: tensor<1x9x12x4xbf16>) -> "
    f"({T}, tensor<1x11x12x2xbf16>) {{\n  "
    + binary_op("subtract", "a", "%x, %y", T)
    + f"%et = tensor.empty() : {T}\n"
    f'  %t = "ttir.transpose"(%a, %et) <{{dim0 = 0 : si32, dim1 = 1 : si32, operand_constraints = [#any_device, #any_device]}}> '
    f': ({T}, {T}) -> {T} loc("turn")\n  '
    + binary_op("multiply", "m", "%t, %y", T)
    + binary_op("maximum", "r", "%m, %x", T)
    + "%ec = tensor.empty() : tensor<1x11x12x2xbf16>\n"
    '  %c = "ttir.conv2d"(%i, %k, %b, %ec) <{stride_height = 1 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, '
    "dilation_width = 1 : si32, groups = 1 : si32, padding_left = 1 : si32, padding_right = 1 : si32, padding_top = 2 : si32, "
    "padding_bottom = 2 : si32, operand_constraints = [#any_device, #any_device, #any_device, #any_device]}> : "
    "(tensor<1x9x12x4xbf16>, tensor<2x4x3x3xbf16>, tensor<1x1x1x2xbf16>, tensor<1x11x12x2xbf16>) -> tensor<1x11x12x2xbf16> "
    'loc("window")\n'
    f"  return %r, %c : {T}, tensor<1x11x12x2xbf16>\n}}\n"
)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    compiled(MODEL).store("model.ttnn")
    return "model.ttnn"


def wrong_step(table: str, change: Any) -> Any:
    """The steps of operations with those of one table that are wrong."""
    right = steps.STEPS

    class Wrong:
        def of(self, kind: type[TTNNOperation]) -> Any:
            real, written = right.of(kind), kind.ROW.flatbuffer
            assert real is not None and written is not None
            return (lambda fields: real(change(dict(fields)))) if written.table == table else real

    return Wrong()


def _renamed(word: str, other: str) -> Any:
    return lambda fields: fields | {"type": other} if fields.get("type") == word else fields


WRONG = {
    "subtract as add": ("EltwiseOp", _renamed("Subtract", "Add"), "EltwiseOp Subtract", "subtract_a"),
    "maximum as minimum": ("EltwiseOp", _renamed("Maximum", "Minimum"), "EltwiseOp Maximum", "maximum_r"),
    "other dimensions": ("TransposeOp", lambda fields: fields | {"dim1": 0}, "TransposeOp", "turn"),
    "no bias": (
        "Conv2dOp",
        lambda fields: {name: value for name, value in fields.items() if name != "bias"},
        "Conv2dOp",
        "window",
    ),
    "padding crossed": (
        "Conv2dOp",
        lambda fields: fields | {"padding_height": fields["padding_width"], "padding_width": fields["padding_height"]},
        "Conv2dOp",
        "window",
    ),
}  # fmt: skip


@pytest.mark.parametrize("flag", ["--golden", "--bisect"])
@pytest.mark.parametrize("name", WRONG)
def test_an_operation_that_is_wrong_is_named(
    name: str, flag: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, change, operation_name, location = WRONG[name]
    table = wrong_step(kind, change)
    monkeypatch.setattr(steps, "STEPS", table)
    code, (entry,) = Run({"binary": model, "--golden": flag == "--golden", "--bisect": flag == "--bisect"})()
    assert code == 1 and entry["result"] == "error"
    first = next(line for line in entry["exception"].splitlines() if " loc(" in line)
    assert f" {operation_name}: " in first and first.endswith(f'loc("{location}")')
    assert "this operation causes it" in entry["exception"]


@pytest.mark.parametrize("flag", ["--golden", "--bisect"])
def test_a_run_that_is_right_passes(flag: str, model: str) -> None:
    code, (entry,) = Run({"binary": model, "--golden": flag == "--golden", "--bisect": flag == "--bisect"})()
    assert code == 0, entry


def test_one_wrong_element_of_many_is_found_though_the_correlation_is_high(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = TensorPool.put

    def put(self: TensorPool, described: Any, values: Any, *rest: Any) -> None:
        if self.at is not None and self.at.location == 'loc("multiply_m")' and self.at.kind == "EltwiseOp":
            values = values.clone()
            values[5, 63] += 0.01
        real(self, described, values, *rest)

    monkeypatch.setattr(TensorPool, "put", put)
    code, (entry,) = Run({"binary": model})()
    said = entry["exception"].splitlines()
    assert code == 1
    assert "PCC 1.000000" in said[0] and "worst at [5, 63]" in said[0] and 'at loc("multiply_m")' in said[0]
    assert said[1].startswith("this operation causes it: for the inputs that it got")
    assert said[2] == "around it, at [4:7, 62:64], values and golden ones:"
    assert len(said) == 6 and all(len(line.split("|")) == 2 for line in said[3:])


def test_errors_of_inputs_are_not_the_fault_of_an_operation() -> None:
    """The difference of numbers that are almost the same: all its places are lost, by rounding before it."""
    text = HEADER + (
        "func.func @main(%x: tensor<32x32xbf16>, %y: tensor<32x32xbf16>) -> tensor<32x32xbf16> {\n  "
        + binary_op("add", "a", "%x, %y", "tensor<32x32xbf16>")
        + binary_op("subtract", "s", "%a, %x", "tensor<32x32xbf16>")
        + "return %s : tensor<32x32xbf16>\n}"
    )
    x = torch.full((32, 32), 256.0, dtype=torch.bfloat16)
    y = torch.rand((32, 32), generator=torch.Generator().manual_seed(1)).to(torch.bfloat16)
    bad = golden_run(compiled(text), 0, [x, y]).golden.first_bad(0.99)
    assert bad is not None and not bad.is_to_blame
    assert "but the operation is right for the inputs that it got: rounding errors" in bad.report(0.99)


def test_a_comparison_that_rounding_decides_is_not_blamed() -> None:
    text = HEADER + (
        "func.func @main(%x: tensor<32x32xbf16>, %y: tensor<32x32xbf16>) -> tensor<32x32xbf16> {\n  "
        + binary_op("add", "a", "%x, %y", "tensor<32x32xbf16>")
        + binary_op("eq", "s", "%a, %x", "tensor<32x32xbf16>")
        + binary_op("add", "t", "%s, %s", "tensor<32x32xbf16>")
        + "return %t : tensor<32x32xbf16>\n}"
    )
    x = torch.full((32, 32), 256.0, dtype=torch.bfloat16)
    y = torch.rand((32, 32), generator=torch.Generator().manual_seed(1)).to(torch.bfloat16)
    run = golden_run(compiled(text), 0, [x, y])
    assert run.complaint() == "" and run.golden.comparisons[-1].absolute == 2


def stored_goldens() -> dict[str, Any]:
    """The tables of a binary that has golden tensors of torch for its inputs and operations."""

    @ttmlir.compile((32, 64), (64, 32), goldens=True)
    def layer(x: Any, w: Any) -> Any:
        return torch.exp((x @ w) / 8) + 1

    return as_dict(layer.binary)


def written(values: dict[str, Any]) -> str:
    Path("goldens.ttnn").write_bytes(encode(schema("TTNN/binary.fbs"), values))
    return "goldens.ttnn"


def golden_entries(values: dict[str, Any]) -> dict[str, dict[str, Any]]:
    entries = values["programs"][0]["debug_info"]["golden_info"]["golden_map"]
    return {entry["key"]: entry["value"] for entry in entries}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_golden_tensors_of_the_file_are_compared_with(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = stored_goldens()
    goldens = golden_entries(values)
    code, (entry,) = Run({"binary": written(values)})()
    assert (code, entry["exception"]) == (0, "")
    # Two of the six are of constants, which are folded.
    assert (
        "golden tensors of the binary: 4; of no operation with their name and size: add, div\n"
        in capsys.readouterr().err
    )
    # One number of the product's golden tensor is another one: that operation is named, not one after it.
    data = bytearray(goldens["matmul"]["data"])
    data[4 * 37 : 4 * 38] = struct.pack("<f", 1000.0)
    goldens["matmul"]["data"] = list(data)
    code, (entry,) = Run({"binary": written(values)})()
    first = entry["exception"].splitlines()[0]
    assert code == 1 and entry["code"] == "TTL1708"
    assert " MatmulOp: " in first and "worst at [1, 5]" in first and "for 1000" in first
    assert "rounding errors come from earlier operations" in entry["exception"]


def test_golden_tensors_of_other_inputs_are_not_compared_with(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = stored_goldens()
    info = values["programs"][0]["debug_info"]["golden_info"]
    info["golden_map"] = [entry for entry in info["golden_map"] if entry["key"] != "input_1"]
    code, _ = Run({"binary": written(values)})()
    said = capsys.readouterr().err
    assert code == 0 and "not used, it does not have all inputs with them: add, add_2" in said


def test_a_golden_tensor_that_fits_nowhere_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = stored_goldens()
    goldens = golden_entries(values)
    info = values["programs"][0]["debug_info"]["golden_info"]
    info["golden_map"] = [
        {"key": name, "value": goldens["matmul"]} for name in ("input_0", "input_1", "nowhere")
    ]
    for name in ("input_0", "input_1"):
        info["golden_map"][int(name[-1])]["value"] = goldens[name]
    assert Run({"binary": written(values)})()[0] == 0
    assert "not used, no operation has their name and size: nowhere" in capsys.readouterr().err


def transformer(size: int = 64) -> Any:
    """Two layers of a transformer in bf16 with the same weights: attention of one head, a perceptron, normalisation in bf16."""
    rows, square = ((size, size), "bf16"), ((size, size), "bf16")

    def normalised(x: Any) -> Any:
        centred = x - x.mean(-1, True)
        return centred * torch.rsqrt((centred * centred).mean(-1, True) + 1e-5)

    @ttmlir.compile(
        rows, square, square, square, square, ((size, 4 * size), "bf16"), ((4 * size, size), "bf16")
    )
    def layer(x: Any, q: Any, k: Any, v: Any, o: Any, up: Any, down: Any) -> Any:
        for _ in range(2):
            n = normalised(x)
            scores = ((n @ q) @ (n @ k).t()) * size**-0.5
            x = x + (scores.softmax(-1) @ (n @ v)) @ o
            x = x + torch.nn.functional.gelu(normalised(x) @ up) @ down
        return x

    return layer


def test_a_layer_with_weights_of_trained_size_agrees_and_a_wrong_one_does_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layer = transformer(128)
    layer.binary.store("layer.ttnn")
    arguments = {"binary": "layer.ttnn", "--init": "trained"}
    code, (entry,) = Run(arguments)()
    assert code == 0, entry["exception"]
    # Of unit variance, the same layer adds up its rounding to more than the tolerance.
    code, (entry,) = Run({"binary": "layer.ttnn", "--init": "randn"})()
    assert code == 1 and "rounding errors come from earlier operations" in entry["exception"]
    monkeypatch.setattr(steps, "STEPS", wrong_step("EltwiseOp", _renamed("Gelu", "Relu")))
    code, (entry,) = Run(arguments)()
    assert (
        code == 1
        and "EltwiseOp Gelu" in entry["exception"]
        and "this operation causes it" in entry["exception"]
    )


def test_weights_are_what_only_products_sum_over() -> None:
    program = prepared(transformer().binary, 0)
    assert weight_scales(program) == {1: 1 / 8, 2: 1 / 8, 3: 1 / 8, 4: 1 / 8, 5: 1 / 8, 6: 1 / 16}
    drawn, scaled = (initialised(program, how, 3) for how in ("randn", "trained"))
    assert torch.equal(drawn[0], scaled[0]) and torch.equal(drawn[6] / 16, scaled[6])

    @ttmlir.compile((8, 8), (4, 3, 3, 3), (1, 3, 8, 8))
    def others(x: Any, k: Any, i: Any) -> Any:
        return x @ x, torch.nn.functional.conv2d(i, k, padding=1)

    assert weight_scales(prepared(others.binary, 0)) == {1: pytest.approx(27**-0.5)}


def test_units_and_tolerances() -> None:
    values = np.array([1.0, -1.5, 2.0, 0.0])
    assert units(values, F).tolist() == [2.0**-23, 2.0**-23, 2.0**-22, 2.0**-149]
    assert units(values, B).tolist()[:3] == [2.0**-7, 2.0**-7, 2.0**-6]
    assert units(values, DataType.UInt16).tolist() == [1.0] * 4
    assert units(np.array([1.0, 8.0]), DataType.BFP_BFloat8).tolist() == [0.125, 0.125]
    assert own_tolerance(shared.TTNNTransposeOp, F, values, None).tolist() == [0.0] * 4
    assert own_tolerance(TTNNAddOp, DataType.UInt32, values, None).tolist() == [0.0] * 4
    terms = np.array([100.0] * 4)
    assert (
        own_tolerance(shared.TTNNMatmulOp, F, values, terms) > own_tolerance(TTNNAddOp, F, values, None)
    ).all()


def test_what_a_type_cannot_hold_is_compared_as_what_it_becomes() -> None:
    one = compared("op", "", np.array([1e39, 1.0]), np.array([np.inf, 1.0]), F)
    assert (one.absolute, one.pcc) == (0.0, 1.0)


def test_golden_inputs_of_another_size_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = HEADER + (
        "func.func @main(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {\n  "
        + binary_op("add", "a", "%x, %x", "tensor<32x32xf32>")
        + "return %a : tensor<32x32xf32>\n}"
    )
    small = SimpleNamespace(
        name="input_0", shape=[4], strides=[1], dtype=0, data=np.ones(4, np.float32).tobytes()
    )
    Path("m.ttnn").write_bytes(ttnn_to_flatbuffer(ttnn_module(text), {"input_0": small}))
    code, (entry,) = Run({"binary": "m.ttnn"})()
    said = "the golden tensor input_0 of the binary has 4 elements, and input tensor 1 is 32x32"
    assert (code, entry["exception"]) == (1, said)


def test_a_check_is_for_one_run() -> None:
    """A second run beside the same check compares nothing, and says so."""
    text = HEADER + (
        "func.func @main(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {\n  "
        + binary_op("add", "a", "%x, %x", "tensor<32x32xf32>")
        + "return %a : tensor<32x32xf32>\n}"
    )
    run = golden_run(compiled(text))
    count = len(run.golden.comparisons)
    device = SimulatedDevice(default_system(), [0])
    run_program(device, run.program, run.inputs, before=run.golden.before, observe=run.golden)
    assert len(run.golden.comparisons) == count > 0 and "for one run" in run.golden.stopped
