"""Operations of TTNN as kernels on the emulated chip: what they compute, and how far their estimate is from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tt_model.cost.operations import OperationCall, work_of
from tt_model.cost.rates import Rates, chip_of
from tt_model.cost.tensors import TensorOfLayout
from tt_model.emulated.kernel_choice import emulated_cycles, run
from tt_model.layouts.enums import BufferType, DataType, TensorMemoryLayout
from tt_model.layouts.known_systems import system
from tt_model.layouts.layout import MemoryConfigRecord
from tt_model.operations.file_tables import class_in_file

RATES = Rates(chip_of(system("n150").first_chip))
KINDS = {
    "b": TensorMemoryLayout.BlockSharded,
    "h": TensorMemoryLayout.HeightSharded,
    "w": TensorMemoryLayout.WidthSharded,
}
F32 = DataType.Float32
SQUARE = (256, 256)


def tensor(
    shape: tuple[int, ...], where: str = "dram", data_type: DataType = DataType.BFloat16
) -> TensorOfLayout:
    """``where`` is dram, l1, or shards of it: b4x8, h8x1, w1x8."""
    if where in ("dram", "l1"):
        memory = BufferType.DRAM if where == "dram" else BufferType.L1
        config = MemoryConfigRecord(TensorMemoryLayout.Interleaved, memory, (1, 1))
        return TensorOfLayout(shape, data_type, True, config, (1, 1))
    rows, columns = map(int, where[1:].split("x"))
    in_a_row = where[0] == "b" or rows * columns <= 8
    cores = (rows, columns) if in_a_row else (rows * columns // 8, 8)
    if where[0] == "h" and in_a_row:
        cores = (1, rows)
    config = MemoryConfigRecord(KINDS[where[0]], BufferType.L1, (1, 1))
    return TensorOfLayout(shape, data_type, True, config, cores)


def call(kind: str, inputs: list[TensorOfLayout], out: TensorOfLayout, **fields: Any) -> OperationCall:
    of_table = class_in_file(kind, fields)
    assert of_table is not None
    return OperationCall(
        kind=of_table, fields=fields, inputs=tuple(inputs), outputs=(out,), grid=(8, 8), rates=RATES
    )


def eltwise(word: str, *places: str, out: str = "") -> OperationCall:
    """Square tensors in these places."""
    inputs = [tensor(SQUARE, place) for place in places]
    return call("EltwiseOp", inputs, tensor(SQUARE, out or places[0]), type=word)


def product(
    shapes: tuple[tuple[int, ...], tuple[int, ...]], first: str = "dram", out: str = "dram"
) -> OperationCall:
    result = (*shapes[0][:-1], shapes[1][-1])
    return call("MatmulOp", [tensor(shapes[0], first), tensor(shapes[1])], tensor(result, out))


def softmax(x: Any) -> Any:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def identity(x: Any) -> Any:
    return x


def rows(data_type: DataType = DataType.BFloat16) -> tuple[TensorOfLayout, TensorOfLayout]:
    return tensor((2, 64, 96), "dram", data_type), tensor((2, 64, 1), "dram", data_type)


CASES: list[tuple[OperationCall, Callable[..., Any]]] = [
    (eltwise("Relu", "dram"), lambda x: np.maximum(x, 0)),
    (eltwise("Relu", "b8x8"), lambda x: np.maximum(x, 0)),
    (eltwise("Sigmoid", "dram", out="b4x8"), lambda x: 1 / (1 + np.exp(-x))),
    (eltwise("Exp", "h8x1", out="dram"), np.exp),
    (eltwise("Add", "l1", "dram"), np.add),
    (eltwise("Multiply", "w1x8", "w1x8"), np.multiply),
    (eltwise("Maximum", "dram", "dram"), np.maximum),
    (call("EltwiseOp", [tensor((2, 64, 1)), tensor((2, 64, 64))], tensor((2, 64, 64)), type="Add"), np.add),
    (call("EltwiseOp", [tensor(SQUARE), tensor((1, 256)), tensor((1, 1))], tensor(SQUARE), type="Where"),
     lambda c, a, b: np.where(c != 0, a, b)),
    (call("TypecastOp", [tensor(SQUARE)], tensor(SQUARE, "dram", F32)), identity),
    (call("ToMemoryConfigOp", [tensor(SQUARE)], tensor(SQUARE, "b8x8")), identity),
    (call("ToMemoryConfigOp", [tensor(SQUARE, "b4x4")], tensor(SQUARE, "h8x1")), identity),
    (call("TransposeOp", [tensor((2, 64, 96))], tensor((2, 96, 64)), dim0=1, dim1=2), lambda x: x.swapaxes(1, 2)),
    (call("ReductionOp", [rows()[0]], rows()[1], type="Mean", dim_arg=[2]), lambda x: x.mean(-1, keepdims=True)),
    (call("ReductionOp", [rows(F32)[0]], rows(F32)[1], type="Sum", dim_arg=[2]), lambda x: x.sum(-1, keepdims=True)),
    (call("ReductionOp", [rows()[0]], tensor((2, 1, 96)), type="Max", dim_arg=[1]), lambda x: x.max(-2, keepdims=True)),
    (call("SoftmaxOp", [tensor((2, 40, 50))], tensor((2, 40, 50)), dimension=-1), softmax),
    (call("SoftmaxOp", [tensor(SQUARE, "h8x1")], tensor(SQUARE, "h8x1"), dimension=-1), softmax),
    (product(((300, 256), (256, 700))), np.matmul),
    (product(((4, 128, 64), (4, 64, 128))), np.matmul),
    (product((SQUARE, SQUARE), "b8x8", "b8x8"), np.matmul),
    (product((SQUARE, SQUARE), "h8x1", "h8x1"), np.matmul),
    (product(((64, 256), (256, 512)), "w1x8", "w1x16"), np.matmul),
]  # fmt: skip


@pytest.mark.one_of(3)
@pytest.mark.parametrize(
    ("one", "meaning"), CASES, ids=[f"{index}-{one.table}" for index, (one, _) in enumerate(CASES)]
)
def test_a_kernel_computes_what_its_operation_means_in_about_the_estimated_time(
    one: OperationCall, meaning: Callable[..., Any]
) -> None:
    generator = np.random.default_rng(0)
    values = [(generator.integers(-16, 17, given.shape) / 8).astype(np.float32) for given in one.inputs]
    cycles, result = run(one, values)
    wanted = meaning(*values)
    assert np.linalg.norm(result - wanted) < 0.01 * np.linalg.norm(wanted)
    assert cycles == emulated_cycles(one)  # values change nothing
    assert 1 / 1.5 < (RATES.start + work_of(one).cycles) / cycles < 1.5


def test_what_has_no_kernel_says_so() -> None:
    in_rows = TensorOfLayout((64, 64), F32, False, tensor((64, 64)).config, (1, 1))
    assert emulated_cycles(call("EltwiseOp", [in_rows], in_rows, type="Relu")) == "a tensor in rows"
    of_integers = tensor((64, 64), "dram", DataType.UInt32)
    assert emulated_cycles(call("EltwiseOp", [of_integers], of_integers, type="Relu")) == "elements of u32"
    assert emulated_cycles(call("Conv2dOp", [tensor((64, 64))], tensor((64, 64)))) == "Conv2dOp"
    dims = {"dim0": 0, "dim1": 1}
    said = emulated_cycles(call("TransposeOp", [tensor((2, 3, 64))], tensor((3, 2, 64)), **dims))
    assert said == "a transpose of dimensions other than the last two"
