"""Every row of the table of ATen, beside eager torch: many functions in one module, since exporting costs more than running."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from torch.nn import functional as F

import ttmlir.torch
from ttmlir.ir import InsertionPoint
from ttmlir.torch.exporting import needs_decomposition
from ttmlir.torch.functions import composed, indexing, scattering
from ttmlir.torch.functions.integers import INTEGER_RULES
from ttmlir.torch.graph import GraphWalk
from ttmlir.torch.nodes import overload_of
from ttmlir.torch.table import ROWS

Functions = Mapping[str, Callable[..., Any]]


def drawn(*shape: int, seed: int = 0) -> Any:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)))


X, Y = drawn(4, 6), drawn(4, 6, seed=1)
POSITIVE = drawn(4, 6, seed=2).abs() + 0.1
WHOLE = torch.arange(24).reshape(4, 6) % 7
TRUTH = drawn(4, 6, seed=3) > 0
IMAGE = drawn(2, 4, 9, 7)
CUBE = drawn(2, 3, 4)

UNARY = "abs ceil cos exp expm1 floor relu sigmoid sign sin neg square exp2 trunc isnan isinf isfinite tanh round sinh cosh"
POSITIVE_ONLY = "log log1p reciprocal rsqrt sqrt log2 log10"
ELEMENTWISE: Functions = {
    **{name: (lambda name: lambda x, y, p, n, t: getattr(torch, name)(x * 3))(name) for name in UNARY.split()},
    **{name: (lambda name: lambda x, y, p, n, t: getattr(torch, name)(p))(name) for name in POSITIVE_ONLY.split()},
    "silu": lambda x, y, p, n, t: F.silu(x),
    "arithmetic": lambda x, y, p, n, t: 3 - (x + 2) * y / (p + 1) - 0.5 * x,
    "alpha": lambda x, y, p, n, t: torch.add(x, y, alpha=2) + torch.sub(x, 1.5, alpha=2),
    "broadcast": lambda x, y, p, n, t: x[:, :1] + y[:1] + torch.arange(6) * x[0, 0],
    "mixed types": lambda x, y, p, n, t: x * n + t + (n + 1) * 2,
    "halves": lambda x, y, p, n, t: torch.round(n - 3.5 + 0 * x),
    "rounding": lambda x, y, p, n, t: torch.div(x, 0.3, rounding_mode="floor") + torch.div(x, 0.3, rounding_mode="trunc"),
    "floor_divide": lambda x, y, p, n, t: x // 0.3,
    "remainders": lambda x, y, p, n, t: (x % 0.7, torch.fmod(x, 0.7), n % 3),
    "extremes": lambda x, y, p, n, t: torch.maximum(x, y) - torch.minimum(x, p),
    "comparisons": lambda x, y, p, n, t: (x == y, x != y, x >= y, x > 0, n <= 3, n < 2.5, x >= n),
    "logic": lambda x, y, p, n, t: ((x > 0) & (n > 2) | ~t ^ (y < 1), torch.logical_not(x), t.logical_xor(n), t.logical_or(x > 1) & t.logical_and(n)),
    "truth": lambda x, y, p, n, t: ((t * (n > 2)).float(), t + (n > 2), (x > 0).to(torch.int64), n.to(torch.bool)),
    "powers": lambda x, y, p, n, t: (x**2, x**3 + p**-1, p**0.5 + p**-0.5 + p**2.5 + p**1.7, x**0, 2**x, torch.pow(p, torch.tensor(3.0))),
    "where": lambda x, y, p, n, t: (torch.where(t, x, y), torch.where(x > 0, x, 0.0), torch.where(t, 1.0, y), torch.where(x > 0, 1.0, 2.0)),
    "masked_fill": lambda x, y, p, n, t: x.masked_fill(t, -1.0) + y.masked_fill(n > 3, torch.tensor(2.0)),
    "clamp": lambda x, y, p, n, t: (x.clamp(-1, 1), x.clamp(min=0.1), x.clamp(max=p), n.clamp(1, 4), F.hardtanh(x), x.clamp_min(0.2), x.clamp_max(0.3)),
    "activations": lambda x, y, p, n, t: (F.relu6(x * 5), F.leaky_relu(x), F.elu(x), F.hardsigmoid(x * 4), F.hardswish(x * 4), F.softplus(x), F.mish(x), F.selu(x)),
    "gelu": lambda x, y, p, n, t: (F.gelu(x), F.gelu(x, approximate="tanh")),
    "prelu": lambda x, y, p, n, t: F.prelu(x, y[0, :1].abs()),
    "types": lambda x, y, p, n, t: (n.float() / 3, p.long() + 1, x.to(torch.bfloat16) * 2, n.type_as(x)),
    "like": lambda x, y, p, n, t: (torch.zeros_like(x) + y, torch.full_like(x, 3) * y, x.new_ones(6) + y, torch.ones_like(x)),
    "rsub": lambda x, y, p, n, t: torch.rsub(x, y) + torch.rsub(x, 2),
    "inplace": lambda x, y, p, n, t: x.clone().mul_(2).add_(y),
    "known": lambda x, y, p, n, t: x + torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).log() + torch.eye(4, 6),
}  # fmt: skip

PRODUCTS: Functions = {
    "matmul": lambda a, b, v: (a @ b.transpose(1, 2), a[0] @ b[0].t(), a @ v, torch.bmm(a, b.mT), torch.mv(a[0], v), torch.dot(v, v)),
    "addmm": lambda a, b, v: (torch.addmm(v[:3], a[0], b[0].t(), beta=0.5, alpha=2), torch.baddbmm(a[:, :, :3], a, b.mT, beta=0), torch.addmv(a[0, :, 0], a[0], v)),
    "linear": lambda a, b, v: (F.linear(a, b[0], v[:3]), F.linear(a, b[0]), F.linear(v, b[0])),
    "einsum": lambda a, b, v: torch.einsum("bik,bjk->bij", a, b),
    "attention": lambda a, b, v: (F.scaled_dot_product_attention(a, b, b), F.scaled_dot_product_attention(a, b, b, is_causal=True, scale=0.3)),
    "masks": lambda a, b, v: (
        F.scaled_dot_product_attention(a, b, b, attn_mask=a[:, :, :3]),
        F.scaled_dot_product_attention(a, b, b, attn_mask=a[:, :, :3] > -2),
        F.scaled_dot_product_attention(a, b, b, attn_mask=torch.tensor([True, True, False])),
    ),
    "groups": lambda a, b, v: F.scaled_dot_product_attention(a[None].repeat(1, 2, 1, 1), b[None], b[None], enable_gqa=True),
}  # fmt: skip

REDUCTIONS: Functions = {
    "sums": lambda x, t, n: (x.sum(), x.sum(0), x.sum((0, 2), keepdim=True), t.sum(-1), n.sum(0), x.mean(), x.mean((1, 2))),
    "extremes": lambda x, t, n: (x.amax(1), x.max(), x.amin((0, 1)), x.min(), x.max(-1).values, x.min(0, keepdim=True)[0]),
    "positions": lambda x, t, n: (x.max(-1), x.min(0, keepdim=True), x.argmax(), x.argmin(1), n.argmax(0, keepdim=True), t.float().argmax(-1)),
    "orders": lambda x, t, n: (x.topk(3), x.reshape(2, 12).topk(10, largest=False), x.sort(1, descending=True), n.reshape(2, 12)[:, :7].float().sort(stable=True), x.flatten(1).sort()),
    "infinities": lambda x, t, n: (x.masked_fill(x < 0, -torch.inf).flatten().sort().values, (x / t[..., None]).flatten().topk(2).values),
    "gather": lambda x, t, n: (x.gather(2, n[:2, :3, None] % 4), x.gather(0, n[None, :3, :2] % 2), torch.take_along_dim(x, x.argsort(1), 1), n.gather(1, n[:2] % 6)),
    "truth": lambda x, t, n: (t.any(), t.any(0), t.all(), t.all(1), (x > -3).all(-1)),
    "spread": lambda x, t, n: (x.var(0), x.std(-1, keepdim=True), x.var(correction=0), *torch.var_mean(x, dim=1)),
    "softmax": lambda x, t, n: (x.softmax(1), F.log_softmax(x, -1), x.logsumexp(0), x.logsumexp(-1, keepdim=True)),
    "norms": lambda x, t, n: (x.norm(dim=-1), F.normalize(x), torch.linalg.vector_norm(x, 1, (0, 1)), torch.linalg.vector_norm(x, float("inf"))),
    "instance_norm": lambda x, t, n: F.instance_norm(x, weight=x[0, :, 0], bias=x[0, :, 1]),
    "cumsum": lambda x, t, n: (x.cumsum(0), x.cumsum(2)),
    "layer_norm": lambda x, t, n: (F.layer_norm(x, (4,)), F.layer_norm(x, (3, 4), x[0], x[1])),
    "rms_norm": lambda x, t, n: (F.rms_norm(x, (4,)), F.rms_norm(x, (4,), x[0, 0], 1e-3)),
    "group_norm": lambda x, t, n: (F.group_norm(x[:, :2], 2, x[0, 0, :2], x[0, 1, :2]), F.group_norm(n.float(), 3), F.group_norm(x.mT[..., None], 2)),
    "batch_norm": lambda x, t, n: (F.batch_norm(x, x[0, :, 0], x[1, :, 0].abs()), F.batch_norm(x, x[0, :, 0], x[1, :, 0].abs(), x[0, :, 1], x[0, :, 2], eps=0.1)),
}  # fmt: skip

SHAPES: Functions = {
    "reshape": lambda c, w, n: (c.view(6, 4), c.reshape(-1), c.flatten(1), c.unflatten(2, (2, 2)), c.unsqueeze(1).squeeze(1), c[:1].squeeze(), c[:1].squeeze((0,))),
    "permute": lambda c, w, n: (c.permute(2, 0, 1), c.transpose(0, -1), c[0].t(), c.permute(0, 1, 2), c.transpose(1, 1), c.movedim(0, 2)),
    "expand": lambda c, w, n: (c[:, :1].expand(-1, 3, -1) + 1, w[:1].expand(5, 6), w[0].expand(2, 6).reshape(12), c.repeat(2, 1, 2), w.repeat(2, 1, 1)),
    "joins": lambda c, w, n: (torch.cat([c, c * 2], 1), torch.stack([w, w], -1), torch.cat([w, n], 0), torch.cat([c])),
    "parts": lambda c, w, n: (c[:, 1:], c[..., ::2], c[1], c[:, -1], c[:, 0, 1:3], w.narrow(1, 2, 3), c.select(1, 2)),
    "splits": lambda c, w, n: (*w.split(4, 1), *w.split([1, 5], 1), *w.chunk(3, 1), *c.unbind(1), *w.tensor_split(2)),
    "puts": lambda c, w, n: (torch.slice_scatter(w, w[:1] * 2, 0, 2, 3), torch.select_scatter(c, w[0, :4].expand(2, 4), 1, 1)),
    "assigned": lambda c, w, n: assigned(c),
    "six dimensions": lambda c, w, n: (F.pixel_shuffle(c.reshape(1, 4, 2, 3), 2), c.view(1, 2, 1, 3, 2, 2).permute(0, 1, 3, 2, 4, 5).reshape(6, 4)),
    "turned": lambda c, w, n: (c.flip(0, 2), w.roll(2, 1), w.roll((1, -1), (0, 1)), c.rot90(1, (1, 2))),
    "padded": lambda c, w, n: (F.pad(w, (1, 2)), F.pad(c, (0, 0, 1, 1, 0, 2), value=3.0), F.pad(w, (-1, 1))),
    "triangles": lambda c, w, n: (w.tril(), c.triu(1)),
    "embedding": lambda c, w, n: (F.embedding(n % 4, w), F.embedding(n[None], torch.cat([w, w])), F.embedding(torch.tensor([3, 1, 2]), w), F.embedding(torch.arange(2), w), F.embedding(torch.tensor([3, 1] * 12), w)),
    "indexed": lambda c, w, n: (w[torch.tensor([0, 3, 1])], w[:, torch.tensor([[0, 2], [4, 5]])], w[n[0] % 4], w.index_select(1, torch.tensor([5, 0]))),
    "many positions": lambda c, w, n: w.repeat(12, 1)[torch.tensor([7 * number % 48 for number in range(48)])],
    "bags": lambda c, w, n: (
        F.embedding_bag(n % 4, w, mode="sum"),
        F.embedding_bag(n % 4, w, mode="max"),
        F.embedding_bag(n.flatten() % 4, w, torch.tensor([0, 3, 10, 20]), mode="mean"),
        F.embedding_bag(n % 4, w, mode="sum", per_sample_weights=w.abs()),
    ),
}  # fmt: skip

WINDOWS: Functions = {
    "conv2d": lambda i, w: (F.conv2d(i, w, i[0, 0, 0, :4], stride=2, padding=1), F.conv2d(i, w[:, :2], groups=2, dilation=(2, 1))),
    "conv1d": lambda i, w: F.conv1d(i[:, :, 0], w[:, :, 0], padding=1, stride=2),
    "transposed": lambda i, w: F.conv_transpose2d(i, w[:, :3, :2, :2], i[0, 0, 0, :3], stride=2),
    "overlapping": lambda i, w: (
        F.conv_transpose2d(i, w, w[0, 0, 0, :1].expand(4), stride=2, padding=1, output_padding=1),
        F.conv_transpose2d(i, w[:, :2], stride=(1, 3), padding=(3, 0), groups=2, dilation=(2, 1)),
        F.conv_transpose1d(i[:, :, 0], w[:, :, 0], stride=2, padding=2),
    ),
    "parts": lambda i, w: (F.adaptive_max_pool2d(i, 1), F.adaptive_max_pool2d(i, (3, 7))),
    "max_pool2d": lambda i, w: (F.max_pool2d(i, 2), F.max_pool2d(i, 3, 2, 1), F.max_pool2d(i, (2, 3), 2, ceil_mode=True), F.max_pool2d(i, 2, 1, dilation=2)),
    "max_pool2d bf16": lambda i, w: F.max_pool2d(i.bfloat16(), 2),
    "avg_pool2d": lambda i, w: (F.avg_pool2d(i, 2), F.avg_pool2d(i, 3, 2, 1, count_include_pad=False), F.avg_pool2d(i, 2, ceil_mode=True)),
    "adaptive": lambda i, w: (F.adaptive_avg_pool2d(i, 1), F.adaptive_avg_pool2d(i, (3, 2)), F.adaptive_avg_pool2d(i, (9, 7))),
    "nearest": lambda i, w: (F.interpolate(i, scale_factor=2), F.interpolate(i, size=(10, 7)), F.interpolate(i, scale_factor=(1.0, 3.0))),
    "bilinear": lambda i, w: (F.interpolate(i, scale_factor=2, mode="bilinear"), F.interpolate(i, size=(5, 12), mode="bilinear", align_corners=True)),
}  # fmt: skip


# What torch.export leaves as it is: all of these have rows, so that nothing is decomposed.
AS_EXPORTED: Functions = {
    "parts": lambda i, w: (*i.chunk(3, 1), i.narrow(2, 1, 3), i.flatten(1).unflatten(1, (4, 63)).contiguous().detach()),
    "matrices": lambda i, w: (i.mT, i[0, 0].T, i[0, 0, 0].T, torch.ops.aten.numpy_T(i[0]), i.view(1, 2, 2, 2, 9, 7).mT),
    "numbers": lambda i, w: i + torch.arange(7) * torch.arange(1, 8) + torch.zeros(7) - torch.ones(9, 1),
    "dropout": lambda i, w: F.dropout(i, 0.5, training=False),
    "batch_norm": lambda i, w: F.batch_norm(i, i[0, :, 0, 0], i[0, :, 0, 1].abs(), i[0, :, 1, 0], i[0, :, 1, 1]),
    "convolution": lambda i, w: torch.convolution(i, w, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1),
    "core": lambda i, w: (torch.native_layer_norm(i, [7], None, None, 1e-5)[0], F.max_pool2d(i, 2, return_indices=True)[0]),
    "filled": lambda i, w: (torch.fill(torch.empty_like(i), 2.0) + i, torch.fill(i.new_empty(7), 3) * i, i.new_zeros(7) + i, i.new_full((7,), 2.5) + i),
}  # fmt: skip


def assigned(cube: Any) -> Any:
    copy = cube.clone()
    copy[:, 1] = 7.0
    copy[0, 2:] = cube[1, :1]
    return copy


GROUPS: Mapping[str, tuple[Functions, tuple[Any, ...]]] = {
    "elementwise": (ELEMENTWISE, (X, Y, POSITIVE, WHOLE, TRUTH)),
    "products": (PRODUCTS, (drawn(2, 4, 6), drawn(2, 3, 6), drawn(6))),
    "reductions": (REDUCTIONS, (drawn(2, 3, 4), drawn(2, 3) > 0, WHOLE)),
    "shapes": (SHAPES, (CUBE, drawn(4, 6), WHOLE)),
    "windows": (WINDOWS, (IMAGE, drawn(4, 4, 3, 3))),
    "as exported": (AS_EXPORTED, (IMAGE, drawn(4, 4, 3, 3))),
}


class Several(torch.nn.Module):
    def __init__(self, functions: Functions) -> None:
        super().__init__()
        self.functions = functions

    def forward(self, *given: Any) -> Any:
        return {name: function(*given) for name, function in self.functions.items()}


Lowered = dict[str, set[str]]


@pytest.fixture(scope="module")
def lowered() -> Iterator[Lowered]:
    """The overloads that rows are used for while the tests of this module run, and the operations that they become."""
    seen: Lowered = {}
    plain = GraphWalk._lowered

    def noted(self: GraphWalk, node: Any) -> Any:
        block = InsertionPoint.current.block
        before = len(block.operations)
        result = plain(self, node)
        new = [one.operation.name for one in list(block.operations)[before:]]
        seen.setdefault(overload_of(node), set()).update(new)
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GraphWalk, "_lowered", noted)
        yield seen


@pytest.mark.parametrize("group", GROUPS)
def test_functions_give_what_torch_gives(group: str, lowered: Lowered) -> None:
    functions, given = GROUPS[group]
    module = Several(functions).eval()
    got = ttmlir.torch.compile(module, *given).run(*given)
    with torch.no_grad():
        wanted = module(*given)
    wrong = []
    for name in functions:
        results, expected = (torch.utils._pytree.tree_leaves(one[name]) for one in (got, wanted))
        for index, (result, one) in enumerate(zip(results, expected, strict=True)):
            if (result.shape, result.dtype) != (one.shape, one.dtype):
                wrong.append(f"{name} {index}: {result.shape} {result.dtype} for {one.shape} {one.dtype}")
                continue
            digits = 2e-2 if one.dtype is torch.bfloat16 else 1e-5
            if not torch.allclose(result.double(), one.double(), rtol=digits, atol=digits):
                wrong.append(f"{name} {index}: {result} for {one}")
    assert wrong == []


def test_what_has_a_row_is_not_decomposed() -> None:
    functions, given = GROUPS["as exported"]
    program = torch.export.export(Several(functions).eval(), given)
    kept = frozenset((*ROWS, *INTEGER_RULES))
    # Decomposing one of them, torch traces the whole graph again.
    assert [str(node.target) for node in program.graph.nodes if needs_decomposition(node, kept)] == []


# Made for operands, whatever the function: numbers, conversions, dimensions of extent one.
FOR_OPERANDS = {"tensor.empty", "ttir.constant", "ttir.typecast", "ttir.reshape", "ttir.ne"}
# For integers that may be negative: what asks for the sign, and what is made of it.
FOR_SIGNS = {f"ttir.{name}" for name in ["lt", "gt", "ge", "logical_or", "neg", "where", "add", "subtract"]}
OF_INTEGERS = {
    f"ttir.{name}"
    for name in ["div", "remainder", "multiply", "abs", "logical_and", "logical_not", "slice", "broadcast"]
}


# Of test_forms.py, which runs them.
OF_FORMS = {
    "kthvalue.default",
    "median.dim",
    "median.default",
    "diagonal.default",
    "diagonal_scatter.default",
    "unfold.default",
    "max_pool3d.default",
    "max_pool3d_with_indices.default",
    "adaptive_max_pool3d.default",
    "avg_pool3d.default",
    "adaptive_avg_pool3d.default",
}


def _of_integers(name: str) -> set[str]:
    return FOR_SIGNS | OF_INTEGERS if name in INTEGER_RULES else FOR_SIGNS


def test_every_row_is_used_and_says_what_it_becomes(lowered: Lowered) -> None:
    unused = {row.overloads for row in ROWS.values()} - {
        ROWS[name].overloads for name in lowered if name in ROWS
    }
    unused -= {row.overloads for row in (*composed.ROWS, *indexing.ROWS, *scattering.ROWS)}
    unused = {overloads for overloads in unused if not OF_FORMS & set(overloads)}
    assert sorted(unused) == [("ttmlir.builder_op.default",), ("ttmlir.tt_lang_op.default",)]
    unsaid = {
        name: rest
        for name, operations in lowered.items()
        if name in ROWS
        and (
            rest := operations
            - _of_integers(name)
            - FOR_OPERANDS
            - set(re.findall(r"ttir\.\w+", ROWS[name].becomes))
        )
    }
    assert not unsaid, unsaid
