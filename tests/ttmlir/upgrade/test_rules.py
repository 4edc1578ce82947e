"""Operations of text of 2025 and later: what each becomes computes what the operation is defined to compute."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import torch.nn.functional as F

from tt_model.operations.dialects import DIALECTS
from tt_model.reference.interpreter import interpret
from ttl.ir.context import make_context
from ttl.ir.parser import parse_text
from ttl.ir.reports import InvalidIR
from ttmlir.transforms.upgrade.later import upgraded_text
from ttmlir.transforms.upgrade.upgrading import LATER, RULES, WITHOUT_FORM

X = "3x4x8"
SEG = "operandSegmentSizes = array<i32: {}>"


def case(name: str, inputs: str, out: str, attributes: str, wanted: Callable[..., Any]) -> Any:
    """An operation on tensors of these shapes; ``wanted`` computes its results with torch."""
    return pytest.param(
        name, inputs.split(), out.split(), attributes, wanted, id=f"{name} {attributes[:40]}".strip()
    )


UNARY = {
    "abs": torch.abs, "neg": torch.neg, "exp": torch.exp, "sigmoid": torch.sigmoid, "relu": torch.relu, "silu": F.silu, "tanh": torch.tanh,
    "square": torch.square, "mish": F.mish, "relu6": F.relu6, "hardsigmoid": F.hardsigmoid, "softsign": F.softsign, "exp2": torch.exp2,
    "tan": torch.tan, "trunc": torch.trunc, "frac": torch.frac, "selu": F.selu, "sign": torch.sign, "floor": torch.floor,
    "signbit": lambda x: (x < 0).double(), "gelu": F.gelu, "cos": torch.cos, "ceil": torch.ceil, "expm1": torch.expm1,
}  # fmt: skip
BINARY = {
    "add": torch.add, "subtract": torch.sub, "multiply": torch.mul, "div": torch.div, "maximum": torch.maximum, "minimum": torch.minimum,
    "gt": lambda a, b: (a > b).double(), "le": lambda a, b: (a <= b).double(), "logical_and": lambda a, b: ((a != 0) & (b != 0)).double(),
}  # fmt: skip


def attention(q: Any, k: Any, v: Any, mask: Any = None, causal: bool = False, sink: Any = None) -> Any:
    k, v = (one.repeat_interleave(q.shape[1] // one.shape[1], 1) for one in (k, v))
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    if causal:
        rows, columns = scores.shape[-2:]
        scores = scores.masked_fill(torch.ones(rows, columns).triu(columns - rows + 1).bool(), float("-inf"))
    if mask is not None:
        scores = scores + mask
    if sink is not None:
        column = sink.reshape(1, -1, 1, 1).expand(*scores.shape[:3], 1)
        return torch.softmax(torch.cat([scores, column], -1), -1)[..., :-1] @ v
    return torch.softmax(scores, -1) @ v


def conv(x: Any, w: Any, b: Any = None, **how: Any) -> Any:
    return F.conv2d(x, w, None if b is None else b.reshape(-1), **how)


def nhwc(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, *more: function(x.permute(0, 3, 1, 2), *more).permute(0, 2, 3, 1)


def grouped(x: Any, w: Any, b: Any) -> Any:
    return F.group_norm(x.permute(0, 3, 1, 2), 2, w, b, 1e-12).permute(0, 2, 3, 1)


def heads(x: Any) -> tuple[Any, Any, Any]:
    q, k, v = (one.reshape(2, 8, 4, 3).transpose(1, 2) for one in x.split(12, 2))
    return q, k.transpose(-1, -2), v


IMAGE = "stride = array<i32: 2, 1>, padding = array<i32: 1, 0, 1, 0>, dilation = 1 : i32, groups = 1 : i32"
POOL = "kernel = array<i32: 2, 2>, stride = array<i32: 2, 2>, dilation = 1 : i32, padding = 0 : i32, ceil_mode = false"
Q = "2x4x5x8 2x2x6x8 2x2x6x8"
CASES = [
    *(case(name, X, X, "", wanted) for name, wanted in UNARY.items()),
    *(case(name, f"{X} 4x1", X, "", wanted) for name, wanted in BINARY.items()),
    case("leaky_relu", X, X, "parameter = 0.1 : f32", lambda x: F.leaky_relu(x, 0.1)),
    case("where", f"{X} {X} {X}", X, "", lambda c, a, b: torch.where(c != 0, a, b)),
    case("clamp_scalar", X, X, "min = -1 : i32, max = 5.0e-01 : f32", lambda x: x.clamp(-1, 0.5)),
    case("clamp_tensor", f"{X} {X} {X}", X, "", lambda x, a, b: torch.minimum(torch.maximum(x, a), b)),
    case("sum", X, "3x8", "keep_dim = false, dim_arg = [1 : i32]", lambda x: x.sum(1)),
    case("sum", X, "1", "keep_dim = false", lambda x: x.sum().reshape(1)),
    case("mean", X, "3x1x1", "keep_dim = true, dim_arg = [-1 : i32, 1 : i32]", lambda x: x.mean((1, 2), keepdim=True)),
    case("max", X, "3x4", "keep_dim = false, dim_arg = [2 : i32]", lambda x: x.amax(2)),
    case("min", X, "3x4", "keep_dim = false, dim_arg = [2 : i32]", lambda x: x.amin(2)),
    case("prod", X, "4x8", "keep_dim = false, dim_arg = [0 : i32]", lambda x: x.prod(0)),
    case("reduce_or", X, "3x4", "keep_dim = false, dim_arg = [2 : i32]", lambda x: (x != 0).any(2).double()),
    case("reduce_and", X, "3x4", "keep_dim = false, dim_arg = [2 : i32]", lambda x: (x != 0).all(2).double()),
    case("cumsum", X, X, "dim = 1 : i64", lambda x: x.cumsum(1)),
    case("cumsum", X, X, "dim = -1 : i64", lambda x: x.cumsum(-1)),
    case("reshape", X, "12x8", "shape = [12 : i32, 8 : i32]", lambda x: x.reshape(12, 8)),
    case("squeeze", "1x4x8", "4x8", "dim = 0 : si32", lambda x: x.squeeze(0)),
    case("unsqueeze", "4x8", "4x8x1", "dim = -1 : si32", lambda x: x.unsqueeze(-1)),
    case("transpose", X, "8x4x3", "dim0 = 0 : si32, dim1 = -1 : si32", lambda x: x.transpose(0, 2)),
    case("permute", X, "8x3x4", "permutation = array<i64: 2, 0, 1>", lambda x: x.permute(2, 0, 1)),
    case("broadcast", "1x4x1", X, "broadcast_dimensions = array<i64: 3, 1, 8>", lambda x: x.expand(3, 4, 8)),
    case("concat", f"{X} 3x2x8", "3x6x8", "dim = -2 : si32", lambda a, b: torch.cat([a, b], 1)),
    case("slice_static", X, "2x2x8", "begins = [1 : i32, 0 : i32, 0 : i32], ends = [3 : i32, -1 : i32, 8 : i32], step = [1 : i32, 2 : i32, 1 : i32]", lambda x: x[1:3, 0:-1:2]),
    case("index", X, "3x4x3", "dim = 2 : i32, begin = 1 : i32, end = 7 : i32, step = 2 : i32", lambda x: x[:, :, 1:7:2]),
    case("index_select", X, "3x4x4", "dim = 2 : si32, begin = 1 : si32, length = 2 : si32, stride = 4 : si32", lambda x: x[:, :, [1, 2, 5, 6]]),
    case("pad", X, "3x7x7", "padding = array<i32: 0, 0, 2, 1, -1, 0>, value = 5.0e-01 : f32", lambda x: F.pad(x, (-1, 0, 2, 1), value=0.5)),
    case("repeat", X, "6x4x24", "repeat_dimensions = array<i64: 2, 1, 3>", lambda x: x.repeat(2, 1, 3)),
    case("repeat_interleave", X, "3x12x8", "repeats = 3 : ui32, dim = 1 : si32", lambda x: x.repeat_interleave(3, 1)),
    case("reverse", X, X, "dimensions = array<i64: 1, -1>", lambda x: x.flip(1, 2)),
    case("full", "", "3x4", "shape = array<i32: 3, 4>, fill_value = 2.5 : f32", lambda: torch.full((3, 4), 2.5)),
    case("zeros", "", "3x4", "shape = array<i32: 3, 4>", lambda: torch.zeros(3, 4)),
    case("ones", "", "3x4", "shape = array<i32: 3, 4>", lambda: torch.ones(3, 4)),
    case("arange", "", "2x5", "start = 3 : si64, end = 13 : si64, step = 2 : si64, arange_dimension = 1 : i64", lambda: torch.arange(3, 13, 2).expand(2, 5)),
    case("matmul", "2x8x3 2x5x8", "2x3x5", "transpose_a = true, transpose_b = true", lambda a, b: a.mT @ b.mT),
    case("linear", "3x8 8x5 5", "3x5", "transpose_a = false, transpose_b = false", lambda a, b, c: a @ b + c),
    case("dot_general", "4x2x8 2x8x5", "2x4x5", "batch_dims_lhs = array<i64: 1>, contract_dims_lhs = array<i64: 2>, batch_dims_rhs = array<i64: 0>, contract_dims_rhs = array<i64: 1>", lambda a, b: a.permute(1, 0, 2) @ b),
    case("softmax", X, X, "dimension = 1 : si32, numericStable = true", lambda x: torch.softmax(x, 1)),
    case("layer_norm", f"{X} 8 8", X, f"normalized_shape = array<i64: 8>, epsilon = 1.0e-05 : f32, {SEG.format('1, 1, 1')}", lambda x, w, b: F.layer_norm(x, (8,), w, b)),
    case("rms_norm", f"{X} 4x8", X, f"normalized_shape = array<i64: 4, 8>, epsilon = 1.0e-05 : f32, {SEG.format('1, 1, 0')}", lambda x, w: F.rms_norm(x, (4, 8), w, 1e-5)),
    case("group_norm", "2x3x3x4 4 4", "2x3x3x4", f"num_groups = 2 : i64, epsilon = 1.0e-12 : f32, channel_dim = 3 : i64, {SEG.format('1, 0, 1, 1')}", grouped),
    case("batch_norm_inference", "2x4x3x3 4 4 4 4p", "2x4x3x3", "epsilon = 1.0e-05 : f32, dimension = 1 : i32", lambda x, s, o, m, v: F.batch_norm(x, m, v, s, o)),
    case("conv2d", "2x9x7x3 5x3x3x3 1x1x1x5", "2x5x5x5", IMAGE, nhwc(lambda x, w, b: conv(x, w, b, stride=(2, 1), padding=(1, 0)))),
    case("conv2d", "2x3x9x7 5x3x3x3", "2x5x9x7", "batch_dim = 0 : i64, channel_dim = 1 : i64, height_dim = 2 : i64, width_dim = 3 : i64, stride = 1 : i32, padding = 1 : i32, dilation = 1 : i32, groups = 1 : i32", lambda x, w: conv(x, w, padding=1)),
    case("conv2d", "1x8x8x4 4x1x3x3", "1x7x8x4", "stride = 1 : i32, padding = array<i32: 0, 1, 1, 1>, dilation = 1 : i32, groups = 4 : i32", nhwc(lambda x, w: conv(F.pad(x, (1, 1, 0, 1)), w, groups=4))),
    case("max_pool2d", "1x8x8x3", "1x4x4x3", POOL, nhwc(lambda x: F.max_pool2d(x, 2))),
    case("avg_pool2d", "1x8x8x3", "1x4x4x3", f"{POOL}, count_include_pad = true", nhwc(lambda x: F.avg_pool2d(x, 2))),
    case("global_avg_pool2d", "2x8x8x3", "2x1x1x3", "", lambda x: x.mean((1, 2), keepdim=True)),
    case("upsample2d", "1x3x4x2", "1x6x12x2", 'scale_factor = array<i32: 2, 3>, mode = "nearest"', lambda x: x.repeat_interleave(2, 1).repeat_interleave(3, 2)),
    case("scaled_dot_product_attention", Q, "2x4x5x8", f"is_causal = true, {SEG.format('1, 1, 1, 0, 0')}", lambda q, k, v: attention(q, k, v, causal=True)),
    case("scaled_dot_product_attention", f"{Q} 1x1x5x6", "2x4x5x8", f"is_causal = false, {SEG.format('1, 1, 1, 1, 0')}", attention),
    case("scaled_dot_product_attention", f"{Q} 4", "2x4x5x8", f"is_causal = false, {SEG.format('1, 1, 1, 0, 1')}", lambda q, k, v, s: attention(q, k, v, sink=s)),
    case("scaled_dot_product_attention_decode", "1x2x4x8 2x2x6x8 2x2x6x8 2i", "1x2x4x8", f"is_causal = true, {SEG.format('1, 1, 1, 0, 1, 0')}", lambda q, k, v, p: attention(q.permute(1, 2, 0, 3), k, v, mask=torch.where(torch.arange(6) > p.reshape(2, 1, 1, 1), float("-inf"), 0.0)).permute(2, 0, 1, 3)),
    case("concatenate_heads", "2x4x5x3", "2x5x12", "", lambda x: x.transpose(1, 2).reshape(2, 5, 12)),
    case("split_query_key_value_and_split_heads", "2x8x36", "2x4x8x3 2x4x3x8 2x4x8x3", "num_heads = 4 : ui32, transpose_key = true", heads),
    case("embedding", "3x4i 10x6", "3x4x6", "", lambda i, t: t[i.long()]),
    case("mesh_shard", X, X, "shard_type = #ttcore.shard_type<replicate>", lambda x: x),
    case("all_reduce", X, X, "reduce_type = #ttcore.reduce_type<sum>, cluster_axis = 0 : ui32", lambda x: x),
    case("all_gather", X, X, "all_gather_dim = 1 : si32, cluster_axis = 0 : ui32", lambda x: x),
    case("reduce_scatter", X, X, "reduce_type = #ttcore.reduce_type<sum>, scatter_dim = 1 : si32, cluster_axis = 0 : ui32", lambda x: x),
    case("typecast", X, X, "conservative_folding = false", lambda x: x),
]  # fmt: skip
ELSEWHERE = {
    "empty", "constant", "get_dimension_size", "pow", "mesh_partition", "select", "eq", "ne", "ge", "lt", "remainder", "logical_or",
    "logical_xor", "logical_not", "cbrt", "isfinite", "log", "log1p", "reciprocal", "rsqrt", "sin", "sqrt",
}  # fmt: skip


def typed(shape: str) -> str:
    """``3x4i`` are whole numbers, ``4p`` positive ones."""
    bare = shape.rstrip("ip")
    return f"tensor<{bare}x{'i32' if shape.endswith('i') else 'f32'}>"


def drawn(shape: str, seed: int) -> Any:
    extents = [int(extent) for extent in shape.rstrip("ip").split("x")]
    generator = torch.Generator().manual_seed(seed)
    if shape.endswith("i"):
        return torch.randint(0, 6, extents, generator=generator).double()
    values = torch.randn(extents, generator=generator, dtype=torch.float64)
    return values.abs() + 0.5 if shape.endswith("p") else values


def run(text: str, inputs: list[Any]) -> list[Any]:
    module = parse_text(make_context(DIALECTS), upgraded_text(text, "model.mlir"), "model.mlir")
    return [
        torch.from_numpy(np.array(one)) for one in interpret(module, "main", [one.numpy() for one in inputs])
    ]


def written(name: str, inputs: list[str], outs: list[str], attributes: str) -> str:
    arguments = ", ".join(f"%a{at}: {typed(shape)}" for at, shape in enumerate(inputs))
    names = ", ".join(f"%a{at}" for at in range(len(inputs)))
    results, types = ", ".join(map(typed, outs)), ", ".join(map(typed, inputs))
    returned = ", ".join(f"%r#{at}" for at in range(len(outs))) if len(outs) > 1 else "%r"
    count = f":{len(outs)}" if len(outs) > 1 else ""
    properties = f" <{{{attributes}}}>" if attributes else ""
    return (
        f"module attributes {{ttcore.meshes = 1 : i64}} {{\nfunc.func @main({arguments}) -> ({results}) {{\n"
        f'  %r{count} = "ttir.{name}"({names}){properties} : ({types}) -> ({results})\n  return {returned} : {results}\n}}\n}}'
    )


@pytest.mark.parametrize(("name", "inputs", "outs", "attributes", "wanted"), CASES)
def test_what_an_operation_becomes(
    name: str, inputs: list[str], outs: list[str], attributes: str, wanted: Callable[..., Any]
) -> None:
    given = [drawn(shape, seed) for seed, shape in enumerate(inputs)]
    results = run(written(name, inputs, outs, attributes), given)
    expected = wanted(*given)
    for got, want in zip(results, expected if isinstance(expected, tuple) else (expected,), strict=True):
        assert got.shape == want.shape
        # Constants are written in float32.
        assert torch.allclose(got, want.double(), rtol=1e-6, atol=1e-6), name


def test_every_rule_has_a_case() -> None:
    assert set(RULES) - ELSEWHERE == {one.values[0] for one in CASES}


@pytest.mark.parametrize(("exponent", "wanted"), [(2, lambda x: x**2), (0.5, torch.sqrt), (-1, torch.reciprocal), (3, lambda x: x**3), (0, torch.ones_like), (-0.5, torch.rsqrt)])  # fmt: skip
def test_powers(exponent: float, wanted: Callable[..., Any]) -> None:
    x = drawn("4x8p", 0)
    text = f"""func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {{
  %e = "ttir.full"() <{{shape = array<i32: 4, 8>, fill_value = {float(exponent):e} : f32}}> : () -> tensor<4x8xf32>
  %r = "ttir.pow"(%x, %e) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}}"""
    (got,) = run(text, [x])
    assert torch.allclose(got, wanted(x), rtol=1e-6)


@pytest.mark.parametrize("row", [0, 1, 2])
def test_a_cache_is_another_value_from_where_it_is_filled(row: int) -> None:
    text = f"""func.func @main(%c: tensor<3x2x8x4xf32>, %n: tensor<1x2x5x4xf32>) -> (tensor<3x2x8x4xf32>, tensor<3x2x8x4xf32>) {{
  %0 = "ttir.neg"(%c) : (tensor<3x2x8x4xf32>) -> tensor<3x2x8x4xf32>
  "ttir.fill_cache"(%c, %n) <{{batch_offset = {row} : i32}}> : (tensor<3x2x8x4xf32>, tensor<1x2x5x4xf32>) -> ()
  return %0, %c : tensor<3x2x8x4xf32>, tensor<3x2x8x4xf32>
}}"""
    cache, value = drawn("3x2x8x4", 0), drawn("1x2x5x4", 1)
    before, after = run(text, [cache, value])
    wanted = cache.clone()
    wanted[row, :, :5] = value[0]
    assert torch.equal(before, -cache) and torch.equal(after, wanted)


def test_a_row_of_a_cache() -> None:
    text = """func.func @main(%c: tensor<3x2x8x4xf32>, %n: tensor<1x2x3x4xf32>, %i: tensor<1xi32>) -> tensor<3x2x8x4xf32> {
  "ttir.update_cache"(%c, %n, %i) <{batch_offset = 0 : i32}> : (tensor<3x2x8x4xf32>, tensor<1x2x3x4xf32>, tensor<1xi32>) -> ()
  return %c : tensor<3x2x8x4xf32>
}"""
    cache, value = drawn("3x2x8x4", 0), drawn("1x2x3x4", 1)
    (after,) = run(text, [cache, value, torch.tensor([5.0]).double()])
    wanted = cache.clone()
    wanted[:, :, 5] = value[0].transpose(0, 1)
    assert torch.equal(after, wanted)


WRAPPED = """!t = tensor<8x32xbf16>
!m = tensor<8x32xi1>
module @j attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} { ttcore.device_module { builtin.module @j {
  func.func @main(%a: !t {ttcore.argument_type = #ttcore.argument_type<input>, ttir.name = "a"}) -> (!t {ttcore.shard_status = #ttcore.shard_status<unsharded>}) {
  %z = "ttir.zeros"() <{shape = array<i32: 8, 32>}> : () -> !t
  %m = "ttir.gt"(%a, %z) : (!t, !t) -> !m
  %c = "ttcore.composite"(%m, %a, %z) <{composite_name = "tenstorrent.pick", decomposition = @pick}> : (!m, !t, !t) -> !t
  %b = "ttcore.optimization_barrier"(%c) : (!t) -> !t
  return %b : !t }
  func.func private @pick(%m: !m, %a: !t, %b: !t) -> !t {
  %r = "ttir.where"(%m, %a, %b) : (!m, !t, !t) -> !t
  return %r : !t }
 } } }"""


def test_wrappers_composites_and_types() -> None:
    """A module of tt-xla: wrapped, with attributes of its own, masks of i1, a composite and a barrier."""
    text = upgraded_text(WRAPPED, "model.mlir")
    assert "ttcore" not in text and "i1>" not in text and "@pick" not in text
    x = torch.randn(8, 32, dtype=torch.float64)
    (got,) = run(WRAPPED, [x])
    assert torch.equal(got, x.clamp(min=0))


def test_text_of_the_older_date_stays() -> None:
    old = 'func.func @f(%a: tensor<2x2xf32>) { %0 = "ttir.constant"() <{value = dense<1.0> : tensor<2x2xf32>}> : () -> tensor<2x2xf32> return }'
    assert upgraded_text(old) is old
    assert upgraded_text("// ttcore\nfunc.func @f() { return }").endswith("{ return }")


def test_what_has_no_form_is_listed_whole() -> None:
    names = sorted(WITHOUT_FORM & LATER)
    lines = "\n".join(
        f'  %{at} = "ttir.{name}"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>' for at, name in enumerate(names)
    )
    text = f"func.func @f(%a: tensor<4x8xf32>) {{\n{lines}\n  return\n}}"
    with pytest.raises(InvalidIR) as problem:
        upgraded_text(text, "model.mlir")
    report = problem.value.reports[0]
    assert f"{len(names)} of its operations have no form in the dialects of 2024-11-21" in report.message
    for at, (name, note) in enumerate(itertools.zip_longest(names, report.notes[: len(names)])):
        if note is not None and at < 50:
            assert note.span.line == at + 2 and f"'ttir.{name}'" in note.message


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('%0 = "ttir.permute"(%a) <{permutation = array<i64: 0, 0>}> : (T) -> T', "permutation is [0, 0], of 2 dimensions"),
        ('%0 = "ttir.permute"(%a) : (T) -> T', "its attribute permutation is missing, and not a list of whole numbers"),
        ('%0 = "ttir.slice_static"(%a) <{begins = [0 : i32], ends = [1 : i32], step = [1 : i32]}> : (T) -> T', "of 2 dimensions"),
        ('%0 = "ttir.silu"(%a, %a) : (T, T) -> T', "it is not valid in its dialect"),
        ('%0 = "ttir.pow"(%a, %a) : (T, T) -> T', "the exponent is not known"),
        ('%0 = "ttir.sum"(%a) <{keep_dim = false, dim_arg = [5 : i32]}> : (T) -> T', "dim_arg is [5], of 2 dimensions"),
        ('%0 = "ttir.tanh"(%a) : (T) -> tensor<3x3xf32>', "its result is tensor<3x3xf32>, but its conversion computes"),
        ('%0 = "ttcore.composite"(%a) <{decomposition = @nobody}> : (T) -> T', "the function nobody that it calls does not exist"),
        ('%0 = "ttcore.composite"(%a) <{decomposition = @f}> : (T) -> T', "is recursive"),
        ('%0 = "ttir.mesh_partition"(%a) : (T) -> tensor<2x8xf32>', "its result and operand have different shapes"),
        ('%0 = "stablehlo.frobnicate"(%a) : (T) -> T\n %1 = "ttir.tanh"(%0) : (T) -> T', "'stablehlo.frobnicate': it has no form of 2024-11-21"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(line: str, said: str) -> None:
    text = f"func.func @f(%a: T) {{\n{line}\nreturn\n}}".replace("T", "tensor<4x8xf32>")
    with pytest.raises(InvalidIR) as problem:
        upgraded_text(text, "model.mlir")
    assert said in "\n".join(note.message for note in problem.value.reports[0].notes)
