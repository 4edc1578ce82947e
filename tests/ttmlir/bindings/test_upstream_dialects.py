"""``arith``, ``tensor`` and ``scf`` of ``ttmlir.dialects``, under the names and with the arguments of MLIR's own bindings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ttmlir.dialects import arith, func, scf, tensor, tt, ttir, ttkernel, ttnn
from ttmlir.ir import (
    BF16Type,
    Context,
    DenseElementsAttr,
    F16Type,
    F32Type,
    IndexType,
    InsertionPoint,
    IntegerType,
    Location,
    Module,
    RankedTensorType,
    ShapedType,
    StringAttr,
)


@pytest.fixture(autouse=True)
def context() -> Iterator[Context]:
    with Context() as ctx, Location.unknown():
        tt.register_dialect(ctx)
        yield ctx


def lines(body: Any) -> list[str]:
    """The operations that ``body`` makes in a function of two floats, an index and an integer, as text."""
    f32, index, i32 = F32Type.get(), IndexType.get(), IntegerType.get_signless(32)
    module = Module.create()
    with InsertionPoint(module.body):
        function = func.FuncOp("f", ([f32, f32, index, i32], []))
        with InsertionPoint(function.add_entry_block()):
            body(*function.arguments)
            func.ReturnOp([])
    assert module.operation.verify()
    assert str(Module.parse(str(module))) == str(module)
    inside = str(module).partition(" {\n    ")[2].rpartition("    return")[0]
    return [line.strip() for line in inside.splitlines()]


def test_results_of_arithmetic_follow_from_the_operands() -> None:
    def body(x: Any, y: Any, n: Any, k: Any) -> None:
        arith.addf(x, y)
        arith.MulFOp(x, y)
        arith.maximumf(x, y)
        arith.negf(x)
        arith.AddIOp(k, k)
        arith.floordivsi(k, k)
        less = arith.cmpi(arith.CmpIPredicate.slt, k, k)
        arith.select(less, x, y)
        arith.cmpf(arith.CmpFPredicate.OEQ, x, y)
        arith.truncf(F16Type.get(), x)
        arith.IndexCastOp(out=IntegerType.get_signless(32), in_=n)

    assert lines(body) == [
        "%0 = arith.addf %arg0, %arg1 : f32",
        "%1 = arith.mulf %arg0, %arg1 : f32",
        "%2 = arith.maximumf %arg0, %arg1 : f32",
        "%3 = arith.negf %arg0 : f32",
        "%4 = arith.addi %arg3, %arg3 : i32",
        "%5 = arith.floordivsi %arg3, %arg3 : i32",
        "%6 = arith.cmpi slt, %arg3, %arg3 : i32",
        "%7 = arith.select %6, %arg0, %arg1 : f32",
        "%8 = arith.cmpf oeq, %arg0, %arg1 : f32",
        "%9 = arith.truncf %arg0 : f32 to f16",
        "%10 = arith.index_cast %arg2 : index to i32",
    ]


def test_tensors_of_extents_and_an_element_type() -> None:
    f32 = F32Type.get()

    def body(x: Any, y: Any, n: Any, k: Any) -> None:
        made = tensor.EmptyOp([2, 3], f32)
        tensor.empty([n, 3], f32)
        tensor.empty(RankedTensorType.get([4], f32), [])
        tensor.EmptyOp([2], f32, encoding=StringAttr.get("e"))
        tensor.extract(made.result, [n, n])
        tensor.insert(x, made.result, [n, n])
        tensor.dim(made.result, n)
        tensor.cast(RankedTensorType.get([ShapedType.get_dynamic_size(), 3], f32), made.result)

    assert lines(body) == [
        "%0 = tensor.empty() : tensor<2x3xf32>",
        "%1 = tensor.empty(%arg2) : tensor<?x3xf32>",
        "%2 = tensor.empty() : tensor<4xf32>",
        '%3 = tensor.empty() : tensor<2xf32, "e">',
        "%extracted = tensor.extract %0[%arg2, %arg2] : tensor<2x3xf32>",
        "%inserted = tensor.insert %arg0 into %0[%arg2, %arg2] : tensor<2x3xf32>",
        "%dim = tensor.dim %0, %arg2 : tensor<2x3xf32>",
        "%cast = tensor.cast %0 : tensor<2x3xf32> to tensor<?x3xf32>",
    ]
    with pytest.raises(TypeError, match="expected the type of the elements"):
        tensor.empty([2, 3])


def test_loops_and_conditions() -> None:
    def body(x: Any, y: Any, n: Any, k: Any) -> None:
        zero, one = (arith.ConstantOp.create_index(value).result for value in (0, 1))
        loop = scf.ForOp(zero, n, one, [x])
        with InsertionPoint(loop.body):
            scf.YieldOp([arith.addf(loop.inner_iter_args[0], y)])
        choice = scf.IfOp(arith.constant(IntegerType.get_signless(1), 1), [F32Type.get()], hasElse=True)
        with InsertionPoint(choice.then_block):
            scf.yield_([loop.results[0]])
        with InsertionPoint(choice.else_block):
            scf.yield_([y])

    assert lines(body)[2:] == [
        "%0 = scf.for %arg4 = %c0 to %arg2 step %c1 iter_args(%arg5 = %arg0) -> (f32) {",
        "%2 = arith.addf %arg5, %arg1 : f32",
        "scf.yield %2 : f32",
        "}",
        "%true = arith.constant true",
        "%1 = scf.if %true -> (f32) {",
        "scf.yield %0 : f32",
        "} else {",
        "scf.yield %arg1 : f32",
        "}",
    ]


def test_a_loop_of_python_makes_a_loop() -> None:
    def body(x: Any, y: Any, n: Any, k: Any) -> None:
        for i in scf.for_(0, n):
            arith.index_cast(IntegerType.get_signless(32), i)
            scf.yield_([])
        for _, carried, _ in scf.for_(n, iter_args=[x]):
            scf.yield_([arith.mulf(carried, y)])

    text = lines(body)
    assert "scf.for %arg4 = %c0 to %arg2 step %c1 {" in text
    assert "%1 = arith.mulf %arg5, %arg1 : f32" in text


def test_parameters_of_functions_are_words_with_underscores() -> None:
    """And those of classes are as the dialect has them; both take both."""
    assert list(inspect.signature(ttnn.full).parameters) == ["result", "device", "fill_value", "loc", "ip"]
    assert "fillValue" in inspect.signature(ttnn.FullOp).parameters
    assert list(inspect.signature(ttir.add).parameters)[:4] == [
        "results_",
        "inputs",
        "outputs",
        "operand_constraints",
    ]
    assert "num_pages" in inspect.signature(ttkernel.cb_push_back).parameters
    assert list(inspect.signature(ttir.sum).parameters)[-3:] == ["dim_arg", "loc", "ip"]
    with pytest.raises(TypeError, match="unexpected keyword argument 'fill'"):
        ttnn.full(F32Type.get(), fill=1.0)


def test_bits_of_bfloat16() -> None:
    bits = np.array([0x3F80, 0x4000], dtype=np.uint16)
    assert (
        str(DenseElementsAttr.get(bits, type=BF16Type.get()))
        == "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xbf16>"
    )


def test_locations_as_text() -> None:
    assert str(Location.unknown()) == "loc(unknown)"
    assert str(Location.file("a.py", 1, 2)) == 'loc("a.py":1:2)'
    assert str(Location.name("x").attr) == 'loc("x")'
