"""Programs written as the tables of a binary, run on a simulated chip."""

from __future__ import annotations

from typing import Any

import pytest

from support.ttnn_binaries import Binary
from tt_model.layouts.known_systems import default_system
from tt_model.runtime.devices import SimulatedDevice
from tt_model.runtime.executor import prepare_program, run_program
from tt_model.runtime.problems import RuntimeProblem

torch = pytest.importorskip("torch")


def drawn(*shape: int) -> Any:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape))).to(torch.bfloat16)


def unary(word: str, given: Any, **params: Any) -> Any:
    binary = Binary()
    x = binary.input(list(given.shape))
    y = binary.op("EltwiseOp", type=word, ins=[x], params=params, out=binary.tensor(list(given.shape)))
    binary.op("DeallocateOp", **{"in": x})
    outputs = binary.output(list(given.shape), y)
    binary.op("DeallocateOp", **{"in": y})
    (result,), report = binary.run(outputs, given)
    assert report.leaks == []
    return result


@pytest.mark.parametrize(
    ("word", "params", "wanted"),
    [
        ("Relu", {}, lambda x: torch.relu(x)),
        ("Cbrt", {}, lambda x: torch.sign(x) * x.abs() ** (1 / 3)),
        ("LogicalNot", {}, lambda x: (x == 0).float()),
        ("LeakyRelu", {"parameter": 0.5}, lambda x: torch.where(x > 0, x, 0.5 * x)),
        ("Clamp", {"min": -0.5, "max": 0.25}, lambda x: x.clamp(-0.5, 0.25)),
        ("IsFinite", {}, lambda x: torch.isfinite(x).float()),
    ],
)
def test_operations_of_one_tensor(word: str, params: dict[str, float], wanted: Any) -> None:
    given = drawn(33, 65)
    assert torch.allclose(unary(word, given, **params).float(), wanted(given.float()), rtol=2e-2, atol=1e-6)


def test_a_chain_with_repeated_operands_and_a_product() -> None:
    left, row, weight = drawn(4, 64), drawn(1, 64), drawn(64, 32)
    binary = Binary()
    a, b, w = binary.input([4, 64]), binary.input([1, 64]), binary.input([64, 32])
    total = binary.op("EltwiseOp", type="Subtract", ins=[b, a], out=binary.tensor([4, 64]))
    product = binary.op("MatmulOp", in0=total, in1=w, out=binary.tensor([4, 32]))
    soft = binary.op("SoftmaxOp", **{"in": product}, dimension=-1, out=binary.tensor([4, 32]))
    mean = binary.op(
        "ReductionOp", type="Mean", **{"in": soft}, dim_arg=[1], keep_dim=True, out=binary.tensor([4, 1])
    )
    (result,), report = binary.run(binary.output([4, 1], mean), left, row, weight)
    wanted = (
        torch.softmax(((row - left) @ weight).float(), -1).to(torch.bfloat16).float().mean(1, keepdim=True)
    )
    assert torch.allclose(result.float(), wanted, rtol=1e-2)
    assert len(report.leaks) == 7 and "was not deallocated" in report.leaks[0]
    assert report.peaks["DRAM of chip 0"] >= 7 * 2048


def test_unsigned_numbers_wrap() -> None:
    binary = Binary()
    a, b = binary.input([2, 2], "UInt16"), binary.input([2, 2], "UInt16")
    total = binary.op("EltwiseOp", type="Add", ins=[a, b], out=binary.tensor([2, 2], "UInt16"))
    given = torch.full((2, 2), 65535, dtype=torch.int32).to(torch.uint16)
    (result,), _ = binary.run(binary.output([2, 2], total, "UInt16"), given, given)
    assert result.dtype == torch.uint16 and set(result.flatten().tolist()) == {65534}


def test_slices_go_backwards_and_views_share_memory() -> None:
    given = drawn(4, 6)
    binary = Binary()
    x = binary.input([4, 6], tiled=False)
    cut = binary.op(
        "SliceOp",
        **{"in": x},
        begins=[3, 1],
        ends=[0, 6],
        step=[-2, 2],
        out=binary.tensor([2, 3], tiled=False),
    )
    flat = binary.op("ReshapeOp", **{"in": cut}, shape=[6], out=binary.tensor([6], tiled=False))
    binary.op("DeallocateOp", **{"in": cut})
    (result,), _ = binary.run(binary.output([6], flat), given)
    assert torch.equal(result, given.flip(0)[0:3:2, 1::2].reshape(-1))


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (
            lambda b, x: b.op("DeallocateOp", **{"in": x}) or b.op("DeallocateOp", **{"in": x}),
            r'operation 4 \(DeallocateOp\) at loc\("DeallocateOp"\): tensor 3 is deallocated twice: operation 3 ',
        ),
        (lambda b, x: b.op("DeallocateOp", **{"in": b.inputs[0]}), "is an input of the program"),
        (
            lambda b, x: (b.op("DeallocateOp", **{"in": x}), b.op("SoftmaxOp", **{"in": x}, out=b.tensor([32, 32]))),
            "tensor 3 is used after it was deallocated by operation",
        ),
        (
            lambda b, x: b.op("EltwiseOp", type="Relu", ins=[b.inputs[0]], out=b.tensor([32, 32])),
            "must be on the device: put a ttnn.to_device before",
        ),
        (
            lambda b, x: b.op("EltwiseOp", type="Add", ins=[x], out=b.tensor([32, 32])),
            "Add takes 2 tensors, but the binary passes 1",
        ),
        (lambda b, x: b.op("FrobnicateOp"), "there is no operation FrobnicateOp; known are AllGatherOp"),
        (lambda b, x: b.op("SoftmaxOp", out=b.tensor([32, 32])), "the table SoftmaxOp has no in"),
        (
            lambda b, x: b.op("EmbeddingOp", input=x, weight=x, out=b.tensor([32, 32, 32])),
            "tensor 3 asks for row -?[0-9.]+$",
        ),
        (
            lambda b, x: b.op(
                "EltwiseOp", type="Add", ins=[x, b.op("ReshapeOp", **{"in": x}, shape=[4, 256], out=b.tensor([4, 256]))],
                out=b.tensor([32, 32]),
            ),
            "the shapes 32x32, 4x256 cannot be combined",
        ),
    ],
)  # fmt: skip
def test_what_the_real_one_refuses_is_refused_with_its_place(break_it: Any, message: str) -> None:
    binary = Binary()
    x = binary.input([32, 32])
    break_it(binary, x)
    with pytest.raises(RuntimeProblem, match=message):
        binary.run([binary.inputs[0]], drawn(32, 32))


def test_row_major_tensors_should_become_tiles() -> None:
    binary = Binary()
    x = binary.input([32, 32], tiled=False)
    binary.op("EltwiseOp", type="Relu", ins=[x], out=binary.tensor([32, 32]))
    _, report = binary.run([], drawn(32, 32))
    (warning,) = report.warnings
    assert "is not in tiles, which the operation on a card may refuse" in warning
    with pytest.raises(RuntimeProblem, match=r"is not in tiles.*: put a ttnn\.to_layout to tile before"):
        binary.run([], drawn(32, 32), strict=True)


def test_inputs_are_checked() -> None:
    binary = Binary()
    outputs = binary.output([2, 2], binary.input([2, 2]))
    with pytest.raises(RuntimeProblem, match="Program input size mismatch: main takes 1 tensors, and got 0"):
        binary.run(outputs)
    with pytest.raises(RuntimeProblem, match=r"has shape \(3, 2\), but the program expects \(2, 2\)"):
        binary.run(outputs, drawn(3, 2))
    with pytest.raises(
        RuntimeProblem, match=r"is f32, and bf16 is expected: pass tensor.to\(torch.bfloat16\)"
    ):
        binary.run(outputs, drawn(2, 2).float())


def test_the_device_is_empty_after_a_run() -> None:
    device = SimulatedDevice(default_system(), [0])
    binary = Binary()
    binary.op("EltwiseOp", type="Relu", ins=[binary.input([64, 64])], out=binary.tensor([64, 64]))
    program = prepare_program(
        {"name": "f", "inputs": binary.inputs, "outputs": [], "operations": binary.operations}
    )
    run_program(device, program, [drawn(64, 64)])
    assert list(device.live()) == []
