"""Runs after the first are a loop over what it computed: the same to the bit, and refused as it would be."""

from __future__ import annotations

from typing import Any

import pytest

from support.ttnn_binaries import Binary
from tt_model.runtime.executor import PreparedProgram, run_program
from tt_model.runtime.problems import RuntimeProblem

torch = pytest.importorskip("torch")


def drawn(*shape: int, seed: int = 0) -> Any:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(torch.bfloat16)


def long_way(binary: Binary, program: PreparedProgram, *inputs: Any) -> Any:
    """What the steps give: with an observer nothing is left out."""
    (result,), report = run_program(binary.device(), program, list(inputs), observe=lambda pool, step: None)
    return result, report


def layer() -> tuple[Binary, PreparedProgram]:
    """``softmax(x @ w.T * 0.5 + b)``."""
    binary = Binary()
    x, w, b = binary.input([4, 64]), binary.input([32, 64]), binary.input([1, 32])
    half = binary.op(
        "FullOp", device={"global_id": 0}, fill_value=0.5, num_shards=1, out=binary.tensor([1, 1])
    )
    turned = binary.op("TransposeOp", **{"in": w}, dim0=0, dim1=1, out=binary.tensor([64, 32]))
    product = binary.op("MatmulOp", in0=x, in1=turned, out=binary.tensor([4, 32]))
    scaled = binary.op("EltwiseOp", type="Multiply", ins=[product, half], out=binary.tensor([4, 32]))
    moved = binary.op("EltwiseOp", type="Add", ins=[scaled, b], out=binary.tensor([4, 32]))
    binary.op("DeallocateOp", **{"in": scaled})
    soft = binary.op("SoftmaxOp", **{"in": moved}, dimension=-1, out=binary.tensor([4, 32]))
    return binary, binary.prepared(binary.output([4, 32], soft))


def test_later_runs_give_the_same_to_the_bit_and_say_the_same() -> None:
    binary, program = layer()
    device, (w, b) = binary.device(), (drawn(32, 64), drawn(1, 32))
    for number in range(4):
        x = drawn(4, 64, seed=number)
        (result,), report = run_program(device, program, [x, w, b])
        wanted, said = long_way(binary, program, x, w, b)
        assert torch.equal(result, wanted)
        assert (report.leaks, report.warnings, report.peaks) == (said.leaks, said.warnings, said.peaks)
        assert report.leaks
    calls = program.recorded[0].plan.calls_of_last_run
    assert calls == 5, (
        "the product, the factor, the sum, the softmax, its rounding; the transposed weight is known"
    )


def test_what_becomes_of_a_weight_counts() -> None:
    binary, program = layer()
    device, x, w, b = binary.device(), drawn(4, 64), drawn(32, 64), drawn(1, 32)
    changes = [
        lambda: None,
        lambda: w.mul_(2),
        lambda: w.set_(drawn(32, 64, seed=3)),
        lambda: setattr(w, "data", drawn(32, 64, seed=4)),
        lambda: setattr(w, "data", drawn(64, 32, seed=5).t()),
    ]
    for change in changes:
        for _ in range(2):
            change()
            (result,), _ = run_program(device, program, [x, w, b])
            assert torch.equal(result, long_way(binary, program, x, w, b)[0])


def test_one_tensor_given_twice_is_two_the_next_time() -> None:
    binary = Binary()
    one, other = binary.input([32, 32]), binary.input([32, 32])
    result = binary.op("EltwiseOp", type="Subtract", ins=[one, other], out=binary.tensor([32, 32]))
    program = binary.prepared(binary.output([32, 32], result))
    device, x, y = binary.device(), drawn(32, 32), drawn(32, 32, seed=1)
    assert not run_program(device, program, [x, x])[0][0].any()
    assert torch.equal(run_program(device, program, [x, y])[0][0], x - y)
    assert torch.equal(run_program(device, program, [y, x])[0][0], y - x)


def test_an_output_is_the_users_own() -> None:
    binary = Binary()
    x = binary.input([32, 32])
    program = binary.prepared(binary.output([32, 32], x))
    device, given = binary.device(), drawn(32, 32)
    for _ in range(3):
        (result,), _ = run_program(device, program, [given])
        assert torch.equal(result, given)
        result.zero_()
    assert given.any()


def test_what_is_refused_is_refused_with_its_place_in_a_later_run_too() -> None:
    binary = Binary()
    ids, table = binary.input([1, 32], "UInt32", tiled=False), binary.input([64, 32], tiled=False)
    rows = binary.op("EmbeddingOp", input=ids, weight=table, out=binary.tensor([1, 32, 32]))
    program = binary.prepared(binary.output([1, 32, 32], rows))
    device, weight = binary.device(), drawn(64, 32)
    for number in (1, 2, 64, 3):
        given = torch.full((1, 32), number, dtype=torch.uint32)
        if number < 64:
            (result,), _ = run_program(device, program, [given, weight])
            assert torch.equal(result[0], weight[number].expand(32, 32))
            continue
        with pytest.raises(RuntimeProblem, match=r"EmbeddingOp.*asks for row 64 of a table of 64"):
            run_program(device, program, [given, weight])
    with pytest.raises(RuntimeProblem, match=r"input 1 of main has shape \(32, 32\)"):
        run_program(device, program, [torch.zeros((1, 32), dtype=torch.uint32), drawn(32, 32)])


def test_other_strides_and_other_devices_go_the_long_way() -> None:
    binary, program = layer()
    x, w, b = drawn(4, 64), drawn(32, 64), drawn(1, 32)
    wanted = long_way(binary, program, x, w, b)[0]
    device = binary.device()
    for given in (x, x, x.t().contiguous().t(), x):
        (result,), _ = run_program(device, program, [given, w, b])
        assert torch.allclose(result.float(), wanted.float(), atol=1e-2)
    (result,), report = run_program(binary.device(), program, [x, w, b])
    assert torch.equal(result, wanted) and report.peaks
