"""The interpreter on modules as text: every operation of TTIR that has a value, storage in TTNN, errors at their place."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from tt_model.operations.dialects import DIALECTS, all_rows
from tt_model.reference.formats import Values
from tt_model.reference.interpreter import InterpretedRun, NotInterpretable, interpret
from tt_model.reference.meanings import meaning_of
from ttl.ir.context import make_context
from ttl.ir.parser import parse_text


def module(text: str) -> ModuleOp:
    return parse_text(make_context(DIALECTS), text, "m.mlir")


def forward(arguments: str, body: str, result: str) -> ModuleOp:
    return module(f"func.func @forward({arguments}) -> {result} {{\n{body}\nreturn %r : {result}\n}}")


def ttir(name: str, operands: str, attributes: str, types: str, result: str) -> str:
    return (
        f"%e = tensor.empty() : {result}\n"
        f'%r = "ttir.{name}"({operands}, %e) <{{{attributes}}}> : ({types}, {result}) -> {result}'
    )


def test_what_has_no_value_in_the_reference() -> None:
    rows = [row for row in all_rows() if row.dialect in ("ttir", "ttnn")]
    without = {row.name for row in rows if meaning_of(row) is None}
    assert without == {
        "ttir.alloc", "ttir.dealloc", "ttir.kernel", "ttir.yield",
        "ttnn.alloc", "ttnn.deallocate", "ttnn.get_device",
    }  # fmt: skip


X = np.arange(12.0).reshape(3, 4) - 5


@pytest.mark.parametrize(
    ("name", "attributes", "result", "expected"),
    [
        ("relu", "operandSegmentSizes = array<i32: 1, 1>", "3x4", np.maximum(X, 0)),
        ("leaky_relu", "operandSegmentSizes = array<i32: 1, 1>, parameter = 5.000000e-01 : f32", "3x4", np.where(X < 0, X / 2, X)),
        ("clamp", "min = -1.0 : f32, max = 3.0 : f32", "3x4", np.clip(X, -1, 3)),
        ("sum", "keep_dim = true, dim_arg = [-1 : i32]", "3x1", X.sum(1, keepdims=True)),
        ("max", "keep_dim = false, dim_arg = [0 : i32]", "4", X.max(0)),
        ("mean", "keep_dim = false", "1", np.array([X.mean()])),
        ("softmax", "dimension = 1 : si32", "3x4", np.exp(X) / np.exp(X).sum(1, keepdims=True)),
        ("transpose", "dim0 = 0 : si32, dim1 = -1 : si32", "4x3", X.T),
        ("reshape", "shape = [2 : i32, 6 : i32]", "2x6", X.reshape(2, 6)),
        ("unsqueeze", "dim = -1 : si32", "3x4x1", X[..., None]),
        ("slice", "begins = [2 : i32, -3 : i32], ends = [0 : i32, -1 : i32], step = [-1 : i32, 1 : i32]", "2x2", X[2:0:-1, -3:-1]),
        ("index", "dim = 1 : i32, begin = 0 : i32, end = -1 : i32, step = 2 : i32", "3x2", X[:, 0:-1:2]),
        ("all_gather", "dim = 0 : si32", "3x4", X),
        ("typecast", "operandSegmentSizes = array<i32: 1, 1>", "3x4", X),
    ],
)  # fmt: skip
def test_operations_of_one_operand(name: str, attributes: str, result: str, expected: np.ndarray) -> None:
    types = ("tensor<3x4xf32>", f"tensor<{result}xf32>")
    (value,) = interpret(
        forward(f"%a: {types[0]}", ttir(name, "%a", attributes, *types), types[1]), "forward", [X]
    )
    np.testing.assert_allclose(value, expected, rtol=1e-14)


def test_squeeze_and_broadcast() -> None:
    body = ttir("squeeze", "%a", "dim = 1 : si32", "tensor<3x1x4xf32>", "tensor<3x4xf32>")
    (value,) = interpret(forward("%a: tensor<3x1x4xf32>", body, "tensor<3x4xf32>"), "forward", [X[:, None]])
    np.testing.assert_array_equal(value, X)
    body = ttir("broadcast", "%a", "dimension = [0]", "tensor<1x4xf32>", "tensor<3x4xf32>")
    (value,) = interpret(forward("%a: tensor<1x4xf32>", body, "tensor<3x4xf32>"), "forward", [X[:1]])
    np.testing.assert_array_equal(value, np.repeat(X[:1], 3, 0))


def test_operations_of_more_operands() -> None:
    segments = "operandSegmentSizes = array<i32: {}, 1>"
    a, b = "tensor<3x4xf32>", "tensor<1x4xf32>"
    body = ttir("subtract", "%a, %b", segments.format(2), f"{a}, {b}", a)
    (value,) = interpret(forward(f"%a: {a}, %b: {b}", body, a), "forward", [X, X[1:2]])
    np.testing.assert_array_equal(value, X - X[1])
    body = ttir("where", "%a, %b, %a", segments.format(3), f"{a}, {b}, {a}", a)
    (value,) = interpret(forward(f"%a: {a}, %b: {b}", body, a), "forward", [X, X[1:2]])
    np.testing.assert_array_equal(value, np.where(X != 0, X[1], X))
    body = ttir("concat", "%a, %b", "dim = -2 : si32", f"{a}, {b}", "tensor<4x4xf32>")
    (value,) = interpret(forward(f"%a: {a}, %b: {b}", body, "tensor<4x4xf32>"), "forward", [X, X[:1]])
    np.testing.assert_array_equal(value, np.concatenate([X, X[:1]]))
    body = ttir("matmul", "%a, %b", "", f"{a}, tensor<4xf32>", "tensor<3xf32>")
    (value,) = interpret(forward(f"%a: {a}, %b: tensor<4xf32>", body, "tensor<3xf32>"), "forward", [X, X[0]])
    np.testing.assert_array_equal(value, X @ X[0])
    body = ttir("embedding", "%a, %b", "", "tensor<2xi32>, tensor<3x4xf32>", "tensor<2x4xf32>")
    (value,) = interpret(
        forward(f"%a: tensor<2xi32>, %b: {a}", body, "tensor<2x4xf32>"), "forward", [[2, 0], X]
    )
    np.testing.assert_array_equal(value, X[[2, 0]])


def test_images() -> None:
    image = np.random.default_rng(1).standard_normal((2, 6, 5, 3))
    types = ("tensor<2x6x5x3xf32>", "tensor<2x3x3x3xf32>")
    body = ttir(
        "max_pool2d", "%a",
        "kernel_height = 2 : si32, kernel_width = 3 : si32, stride_height = 2 : si32, stride_width = 1 : si32, "
        "dilation_height = 1 : si32, dilation_width = 1 : si32, ceil_mode = false, padding_left = 0 : si32, "
        "padding_right = 0 : si32, padding_top = 0 : si32, padding_bottom = 0 : si32", *types,
    )  # fmt: skip
    (value,) = interpret(forward(f"%a: {types[0]}", body, types[1]), "forward", [image])
    windows = np.lib.stride_tricks.sliding_window_view(image, (2, 3), (1, 2))[:, ::2]
    np.testing.assert_array_equal(value, windows.max((-1, -2)))
    ones = "tensor<1x3x2x3xf32>"
    body = ttir(
        "conv2d", "%a, %w",
        "stride_height = 2 : si32, stride_width = 1 : si32, dilation_height = 1 : si32, dilation_width = 1 : si32, "
        "groups = 1 : si32, padding_left = 0 : si32, padding_right = 0 : si32, padding_top = 0 : si32, "
        "padding_bottom = 0 : si32", f"{types[0]}, {ones}", "tensor<2x3x3x1xf32>",
    )  # fmt: skip
    (value,) = interpret(
        forward(f"%a: {types[0]}, %w: {ones}", body, "tensor<2x3x3x1xf32>"),
        "forward",
        [image, np.ones((1, 3, 2, 3))],
    )
    np.testing.assert_allclose(value[..., 0], windows.sum((-1, -2, -3)))


def test_calls_and_constants() -> None:
    text = """
    func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = tensor.empty() : tensor<2xf32>
      %1 = "ttir.add"(%x, %x, %0) <{operandSegmentSizes = array<i32: 2, 1>}> : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %1 : tensor<2xf32>
    }
    func.func @forward() -> (tensor<2xf32>, tensor<2xf32>, tensor<1xi32>) {
      %0 = "ttir.constant"() <{value = dense<[1.5, 2.0]> : tensor<2xf32>}> : () -> tensor<2xf32>
      %1 = call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32>
      %2 = arith.constant dense<7.0> : tensor<2xf32>
      %3 = "ttir.get_dimension_size"(%1) <{dimension = 0 : i32}> : (tensor<2xf32>) -> tensor<1xi32>
      return %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<1xi32>
    }"""
    first, second, size = interpret(module(text), "forward", [])
    assert (first.tolist(), second.tolist(), size.tolist()) == ([3.0, 4.0], [7.0, 7.0], [2.0])


SHARED = """
func.func @forward(%a: tensor<2xf32>) -> tensor<2xf32> {{
  %e = {empty}
  %x = "{dialect}.neg"(%a, %e) <{{operandSegmentSizes = array<i32: 1, 1>}}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %y = "{dialect}.exp"(%a, %e) <{{operandSegmentSizes = array<i32: 1, 1>}}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %x : tensor<2xf32>
}}"""


def test_a_destination_of_two_results() -> None:
    """In TTIR each result is a value; in TTNN both are what was written last."""
    text = SHARED.format(dialect="ttir", empty="tensor.empty() : tensor<2xf32>")
    assert interpret(module(text), "forward", [[1, 2]])[0].tolist() == [-1, -2]
    text = SHARED.format(dialect="ttnn", empty="tensor.empty() : tensor<2xf32>")
    np.testing.assert_allclose(interpret(module(text), "forward", [[1, 2]])[0], np.exp([1, 2]))


NEG = '"ttnn.neg"(%{0}, %{1}) <{{operandSegmentSizes = array<i32: 1, 1>}}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>'


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('"ttnn.deallocate"(%a) : (tensor<2xf32>) -> ()\n%r = ' + NEG.format("a", "b"), "m.mlir:3:6: 'ttnn.neg' op reads operand #0 after it was deallocated"),
        ('%r = ' + NEG.format("a", "b") + '\n"ttnn.deallocate"(%b) : (tensor<2xf32>) -> ()', "m.mlir:4:1: 'func.return' op reads operand #0 after it was deallocated"),
        ('"ttnn.deallocate"(%b) : (tensor<2xf32>) -> ()\n%r = ' + NEG.format("a", "b"), "m.mlir:3:6: 'ttnn.neg' op writes to operand #1 after it was deallocated"),
        ('"ttnn.deallocate"(%a) : (tensor<2xf32>) -> ()\n"ttnn.deallocate"(%a) : (tensor<2xf32>) -> ()\n%r = ' + NEG.format("b", "b"), "m.mlir:3:1: 'ttnn.deallocate' op reads operand #0 after it was deallocated"),
        ('%e = tensor.empty() : tensor<2xf32>\n%r = ' + NEG.format("e", "b"), "m.mlir:3:6: 'ttnn.neg' op reads operand #0, which no operation has written"),
        ('%r = "ttir.reshape"(%a, %b) <{shape = [1 : i32, 2 : i32]}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n%s = arith.negf %r : tensor<2xf32>', "m.mlir:3:6: 'arith.negf' op has no meaning in the reference"),
        ('%r = "ttir.sum"(%a, %b) <{keep_dim = false}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>', "m.mlir:2:6: 'ttir.sum' op cannot reshape array of size 1 into shape (2,)"),
        ('%r = "ttir.sum"(%a, %b) <{keep_dim = true, dim_arg = [3 : i32]}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>', "m.mlir:2:6: 'ttir.sum' op dimension 3 is not one of a tensor of rank 1"),
        ('%r = call @forward(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>', "is call number 100 within each other: forward does not end"),
        ('%r = call @other(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>', "m.mlir:2:6: 'func.call' op calls 'other', which the module does not define"),
    ],
)  # fmt: skip
def test_errors_are_placed_at_the_operation(body: str, message: str) -> None:
    with pytest.raises(NotInterpretable) as raised:
        interpret(
            forward("%a: tensor<2xf32>, %b: tensor<2xf32>", body, "tensor<2xf32>"),
            "forward",
            [[1, 2], [3, 4]],
        )
    assert str(raised.value).endswith(message)


def test_inputs_must_fit() -> None:
    identity = forward("%r: tensor<2xi32>", "", "tensor<2xi32>")
    with pytest.raises(ValueError, match="takes 1 inputs, got 0"):
        interpret(identity, "forward", [])
    with pytest.raises(ValueError, match=r"input 0 of 'forward' is of type tensor<2xi32>, got shape \(3,\)"):
        interpret(identity, "forward", [[1, 2, 3]])
    with pytest.raises(ValueError, match="not whole"):
        interpret(identity, "forward", [[1.5, 2]])
    with pytest.raises(ValueError, match="no function 'main', but forward"):
        interpret(identity, "main", [[1, 2]])


def test_a_run_says_what_was_never_freed_and_watches_operations() -> None:
    body = (
        "%e = tensor.empty() : tensor<2xf32>\n%n = " + NEG.format("a", "e") + "\n%r = " + NEG.format("n", "b")
    )
    run = InterpretedRun()
    names: list[str] = []

    def watch(op: Operation, values: list[Values]) -> None:
        names.append(op.name)

    interpret(
        forward("%a: tensor<2xf32>, %b: tensor<2xf32>", body, "tensor<2xf32>"), "forward", [[1, 2], [3, 4]],
        watch=watch, run=run,
    )  # fmt: skip
    assert names == ["ttnn.neg", "ttnn.neg"]
    assert [op.name for op in run.live] == ["tensor.empty"]
    assert run.operations == 4
