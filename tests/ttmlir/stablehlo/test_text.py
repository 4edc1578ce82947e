"""``ttmlir-opt`` over StableHLO: both forms of text, what each operation becomes, options, and what is refused."""

from __future__ import annotations

import io
from importlib.util import find_spec

import pytest

from ttmlir.opt.main import TTMLIR_OPT

PIPELINE = "--stablehlo-to-ttir-pipeline"
HAS_JAXLIB = find_spec("jaxlib") is not None


def run(text: str, *arguments: str) -> tuple[int, str, str]:
    output, errors = io.StringIO(), io.StringIO()
    status = TTMLIR_OPT.run(arguments, io.StringIO(text), output, errors)
    return status, output.getvalue(), errors.getvalue()


def function(arguments: dict[str, str], result: str, *lines: str) -> str:
    head = ", ".join(f"%{name}: tensor<{type}>" for name, type in arguments.items())
    body = "\n  ".join(lines)
    return f"func.func @f({head}) -> tensor<{result}> {{\n  {body}\n  return %r : tensor<{result}>\n}}\n"


def unary(name: str, result: str = "2x3xf32", operand: str = "2x3xf32", attributes: str = "") -> str:
    line = f'%r = "{name}"(%a) {attributes} : (tensor<{operand}>) -> tensor<{result}>'
    return function({"a": operand}, result, line)


def binary(name: str, result: str = "2x3xf32", operand: str = "2x3xf32", attributes: str = "") -> str:
    type = f"tensor<{operand}>"
    line = f'%r = "{name}"(%a, %b) {attributes} : ({type}, {type}) -> tensor<{result}>'
    return function({"a": operand, "b": operand}, result, line)


def reduction(body: str, dims: str, result: str) -> str:
    return function(
        {"a": "2x3xf32", "i": "f32"},
        result,
        f'%r = "stablehlo.reduce"(%a, %i) <{{dimensions = array<i64: {dims}>}}> ({{',
        "^bb0(%x: tensor<f32>, %y: tensor<f32>):",
        f'%z = "{body}"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>',
        '"stablehlo.return"(%z) : (tensor<f32>) -> ()',
        f"}}) : (tensor<2x3xf32>, tensor<f32>) -> tensor<{result}>",
    )


ONE_TO_ONE = {
    "abs": "abs", "cbrt": "cbrt", "ceil": "ceil", "cosine": "cos", "exponential": "exp", "floor": "floor", "negate": "neg",
    "rsqrt": "rsqrt", "sine": "sin", "sqrt": "sqrt", "log_plus_one": "log1p", "exponential_minus_one": "expm1", "sign": "sign",
    "add": "add", "divide": "div", "maximum": "maximum", "minimum": "minimum", "multiply": "multiply", "subtract": "subtract",
    "remainder": "remainder",
}  # fmt: skip
DIRECTIONS = ("EQ", "NE", "GE", "GT", "LE", "LT")
TILES = "operand_constraints = [{}]"


@pytest.mark.parametrize("name", ONE_TO_ONE)
def test_operations_of_the_same_meaning(name: str) -> None:
    count = 2 if name in ("add", "divide", "maximum", "minimum", "multiply", "subtract", "remainder") else 1
    text = (binary if count == 2 else unary)(f"stablehlo.{name}")
    status, output, errors = run(text, PIPELINE)
    assert (status, errors) == (0, "")
    tiles = ", ".join(["#any_device_tile"] * (count + 1))
    assert f'"ttir.{ONE_TO_ONE[name]}"(' in output
    assert f"<{{operandSegmentSizes = array<i32: {count}, 1>, operand_constraints = [{tiles}]}}>" in output


def test_each_operation_has_its_lines() -> None:
    """What text of these becomes, as the real project's tests have it."""
    expected = {
        **{binary("stablehlo.compare", "2x3xi1", attributes=f"<{{comparison_direction = #stablehlo<comparison_direction {word}>}}>"): (f'"ttir.{word.lower()}"(', "-> tensor<2x3xbf16>") for word in DIRECTIONS},
        **{binary(f"stablehlo.{name}", "2x3xi1", "2x3xi1"): (f'"ttir.logical_{name}"(%arg0, %arg1',) for name in ("and", "or", "xor")},
        unary("stablehlo.not", "2x3xi1", "2x3xi1"): ('"ttir.logical_not"(%arg0',),
        unary("stablehlo.is_finite", "2x3xi1"): ('"ttir.isfinite"(%arg0', "-> tensor<2x3xbf16>"),
        unary("stablehlo.convert", "2x3xbf16"): ('"ttir.typecast"(%arg0', "-> tensor<2x3xbf16>"),
        unary("stablehlo.convert", "2x3xi64", "2x3xi32"): ('"ttir.typecast"(%arg0', "-> tensor<2x3xi32>"),
        unary("stablehlo.convert", "2x3xf64", "2x3xf64"): ('"ttir.typecast"(%arg0', "(%arg0: tensor<2x3xf32>)"),
        unary("stablehlo.transpose", "4x2x3xf32", "2x3x4xf32", "<{permutation = array<i64: 2, 0, 1>}>"): ("<{dim0 = 2 : si32, dim1 = 1 : si32", "tensor<2x4x3xf32>", "<{dim0 = 1 : si32, dim1 = 0 : si32"),
        unary("stablehlo.reshape", "6xf32"): ("shape = [6 : i32]",),
        unary("stablehlo.reshape", "f32", "1x1xf32"): ("shape = [1 : i32]", "-> tensor<1xf32>"),
        unary("stablehlo.slice", "1x2xf32", attributes="<{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 1, 3>, strides = array<i64: 1, 1>}>"): ("begins = [0 : i32, 1 : i32], ends = [1 : i32, 3 : i32]", "step = [1 : i32, 1 : i32]"),
        unary("stablehlo.broadcast_in_dim", "2x3xf32", "f32", "<{broadcast_dimensions = array<i64>}>"): ('"ttir.broadcast"(%arg0', "dimension = []", "(tensor<1xf32>, tensor<2x3xf32>)"),
        unary("stablehlo.broadcast_in_dim", "4x3xf32", "1x3xf32", "<{broadcast_dimensions = array<i64: 0, 1>}>"): ("dimension = [0, 1]",),
        binary("stablehlo.concatenate", "2x6xf32", attributes="<{dimension = 1 : i64}>"): ('"ttir.concat"(%arg0, %arg1', "dim = 1 : si32"),
        unary("stablehlo.get_dimension_size", "i32", attributes="<{dimension = 1 : i64}>"): ("<{dimension = 1 : i32}>", "-> tensor<1xi32>"),
        reduction("stablehlo.add", "1", "2xf32"): ('"ttir.sum"(%arg0', "dim_arg = [1 : i32], keep_dim = false"),
        reduction("stablehlo.maximum", "0, 1", "f32"): ('"ttir.max"(%arg0', "dim_arg = [0 : i32, 1 : i32], keep_dim = false", "-> tensor<1xf32>"),
        function({"a": "2x3xi1", "b": "2x3xf32"}, "2x3xf32", '%r = "stablehlo.select"(%a, %b, %b) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>'): ('"ttir.where"(%arg0, %arg1, %arg1', "operandSegmentSizes = array<i32: 3, 1>", "(%arg0: tensor<2x3xbf16>"),
        function({"l": "f32", "a": "2xf32", "h": "f32"}, "2xf32", '%r = "stablehlo.clamp"(%l, %a, %h) : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>'): ('"ttir.maximum"(%arg0, %arg1', '"ttir.minimum"('),
        function({"a": "2xf32"}, "2xf32", '%l = "stablehlo.constant"() <{value = dense<-1.0> : tensor<f32>}> : () -> tensor<f32>', '%r = "stablehlo.clamp"(%l, %a, %l) : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>'): ('"ttir.clamp"(%arg0', "max = -1.000000e+00 : f32, min = -1.000000e+00 : f32"),
        function({}, "i1", '%r = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>'): ("dense<1.000000e+00> : tensor<1xbf16>",),
        function({}, "2xi64", '%r = "stablehlo.constant"() <{value = dense<[5, -2]> : tensor<2xi64>}> : () -> tensor<2xi64>'): ("dense<[5, -2]> : tensor<2xi32>",),
        function({}, "f64", '%r = "stablehlo.constant"() <{value = dense<0.1> : tensor<f64>}> : () -> tensor<f64>'): ("dense<1.000000e-01> : tensor<1xf32>",),
        function({}, "2xf32", '%r = "arith.constant"() <{value = dense<2.0> : tensor<2xf32>}> : () -> tensor<2xf32>'): ("dense<2.000000e+00> : tensor<2xf32>",),
    }  # fmt: skip
    for text, parts in expected.items():
        status, output, errors = run(text, PIPELINE)
        assert (status, errors) == (0, ""), text
        for part in parts:
            assert part in output, (part, output)


def test_a_product_as_it_stands_and_one_that_is_arranged() -> None:
    numbers = "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [{}], rhs_contracting_dimensions = [{}]"

    def product(left: int, right: int, second: str) -> str:
        dot = f"<{{dot_dimension_numbers = #stablehlo.dot<{numbers.format(left, right)}>}}>"
        line = f'%r = "stablehlo.dot_general"(%a, %b) {dot} : (tensor<2x4x8xf32>, tensor<{second}>) -> tensor<2x4x3xf32>'
        return function({"a": "2x4x8xf32", "b": second}, "2x4x3xf32", line)

    _, output, _ = run(product(2, 1, "2x8x3xf32"), PIPELINE)
    assert output.count('"ttir.') == 1 and '"ttir.matmul"(%arg0, %arg1' in output
    _, output, _ = run(product(2, 2, "2x3x8xf32"), PIPELINE)
    assert output.count('"ttir.transpose"') == 1 and '"ttir.matmul"(%arg0, ' in output


def test_composites_are_calls_of_what_they_are_made_of() -> None:
    text = (
        function({"a": "2xf32"}, "2xf32", '%r = "stablehlo.composite"(%a) <{name = "my.op", decomposition = @g, version = 1 : i32}> : (tensor<2xf32>) -> tensor<2xf32>')
        + 'func.func private @g(%a: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = "stablehlo.abs"(%a) : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n'
    )  # fmt: skip
    status, output, _ = run(text, PIPELINE)
    assert status == 0 and "call @g(" in output and '"ttir.abs"' in output
    status, _, errors = run(text, f"{PIPELINE}=enable-composite-to-call=false")
    assert status == 1 and "failed to legalize operation 'stablehlo.composite'" in errors
    status, _, errors = run(text.replace("@g,", "@h,"), PIPELINE)
    assert status == 1 and "is not a function of the module" in errors


def test_an_operation_of_tt_lang() -> None:
    def call(roles: str) -> str:
        words = (
            f'{{arg_roles = "{roles}", kernel_id = "pkg.softmax::v1", shard_spec = "", version_tag = "1"}}'
        )
        line = f'%r = "stablehlo.custom_call"(%a) {{call_target_name = "tt.tt_lang_op", mhlo.frontend_attributes = {words}}} : (tensor<32x32xf32>) -> tensor<32x32xf32>'
        return function({"a": "32x32xf32"}, "32x32xf32", line)

    _, output, _ = run(call("in,out"), PIPELINE)
    assert '"ttir.tt_lang_op"(%arg0, %0) <{arg_roles = "in,out", kernel_id = "pkg.softmax::v1"' in output
    for roles, message in (
        ("", "no kernel_id or no arg_roles"),
        ("in,on", "'on', which is neither in nor out"),
        ("in,in,out", "2 in and 1 out, and it has 1 operands and 1 results"),
    ):
        status, _, errors = run(call(roles), PIPELINE)
        assert status == 1 and message in errors


PRETTY = """func.func @f(%a: tensor<2x4xf32>, %b: tensor<4x3xf32>) -> tensor<2x3xi1> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %c = stablehlo.constant dense<0.5> : tensor<2x3xf32>
  %1 = stablehlo.compare GT, %0, %c : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return %1 : tensor<2x3xi1>
}
"""


@pytest.mark.skipif(not HAS_JAXLIB, reason="the pretty form is read with jaxlib")
def test_the_pretty_form_is_the_generic_one() -> None:
    status, generic, errors = run(PRETTY)
    assert (status, errors) == (0, "")
    assert (
        '"stablehlo.compare"(%0, %1) <{comparison_direction = #stablehlo<comparison_direction GT>}>'
        in generic
    )
    assert run(generic, PIPELINE) == run(PRETTY, PIPELINE)
    # Places are those of the text that was given.
    wrong = PRETTY.replace("compare GT, %0, %c", "compare GT, %0, %d")
    status, _, errors = run(f"// a line\n// -----\n{wrong}", "--split-input-file")
    assert status == 1 and "<stdin>:6:34: error: use of undeclared SSA value name" in errors
    bits = "func.func @f(%a: tensor<2xi32>) -> tensor<2xi32> {\n  %0 = stablehlo.popcnt %a : tensor<2xi32>\n  return %0 : tensor<2xi32>\n}\n"
    status, _, errors = run(bits, PIPELINE)
    assert (
        status == 1
        and "<stdin>:2:8: error: failed to legalize operation 'stablehlo.popcnt'" in errors
        and "  %0 = stablehlo.popcnt %a" in errors
    )


def test_without_jaxlib_the_pretty_form_says_what_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "jaxlib.mlir", None)
    status, _, errors = run(PRETTY)
    assert status == 1
    assert (
        "<stdin>:2:8: error: the pretty form of StableHLO is read with jaxlib: pip install 'ttlang[jax]'"
        in errors
    )


def test_all_that_is_refused_is_said_in_one_run() -> None:
    text = function(
        {"a": "2x3xf32", "c": "2x3xcomplex<f32>"},
        "2x3xf32",
        '%0 = "chlo.next_after"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>',
        '%1 = "chlo.lgamma"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>',
        '%r = "stablehlo.custom_call"(%1) {call_target_name = "Unknown"} : (tensor<2x3xf32>) -> tensor<2x3xf32>',
    )
    status, output, errors = run(text, PIPELINE)
    assert (status, output) == (1, "")
    for line, name in (
        (2, "chlo.next_after"),
        (3, "chlo.lgamma"),
        (4, "stablehlo.custom_call"),
        (1, "func.func"),
    ):
        assert f"<stdin>:{line}:" in errors and f"failed to legalize operation '{name}'" in errors, errors
    assert "the custom call '@Unknown' is not supported" in errors and "complex<f32>" in errors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('%r = "stablehlo.add"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>', "expected 2 operands, but found 1"),
        ('%r = "stablehlo.compare"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>', "requires attribute 'comparison_direction'"),
        ('%r = "stablehlo.abs"(%a) : (tensor<2x3xf32>) -> tensor<3x2xf32>', "requires compatible types"),
        ('%r = "stablehlo.nothing"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>', "stablehlo.nothing"),
        ('%r = "stablehlo.transpose"(%a) <{permutation = array<i64: 0, 7>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>', "it is not valid StableHLO"),
        ('%r = "stablehlo.reshape"(%a) : (tensor<2x3xf32>) -> tensor<7xf32>', "must have the same number of elements"),
    ],
)  # fmt: skip
def test_text_that_is_wrong(text: str, message: str) -> None:
    result = text.rpartition("tensor<")[2].rstrip(">")
    status, output, errors = run(function({"a": "2x3xf32"}, result, text), PIPELINE)
    assert (status, output) == (1, "")
    assert message in errors and "<stdin>:2:" in errors, errors
