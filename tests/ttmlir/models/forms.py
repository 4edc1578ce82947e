"""What models of PyTorch of today are written with: one function for each form, and arguments for several runs of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.nn import functional as F

Form = tuple[Callable[..., Any], tuple[tuple[Any, ...], ...]]


def f(*shape: int, seed: int = 0) -> Any:
    """Normal numbers."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed + sum(shape)))


def n(*numbers: int, dtype: Any = torch.int64) -> Any:
    """Whole numbers."""
    return torch.tensor(numbers, dtype=dtype)


def written(change: Callable[..., Any]) -> Callable[..., Any]:
    """What a tensor is after something was written into a copy of it."""

    def function(x: Any, *more: Any) -> Any:
        copy = x.clone()
        change(copy, *more)
        return copy

    return function


@written
def _row(x: Any, i: Any, v: Any) -> None:
    x[i] = v


@written
def _rows_and_columns(x: Any, i: Any, j: Any, v: Any) -> None:
    x[i, j] = v


@written
def _column(x: Any, i: Any, v: Any) -> None:
    x[:, i] = v


@written
def _between(x: Any, i: Any, j: Any, v: Any) -> None:
    x[i, :, j] = v


@written
def _number(x: Any, i: Any) -> None:
    x[i] = 2.5


@written
def _mask(x: Any, m: Any) -> None:
    x[m] = -1.0


@written
def _mask_of_rows(x: Any, m: Any) -> None:
    x[m] = 0.5


@written
def _known(x: Any, v: Any) -> None:
    x[torch.tensor([2, 0])] = v


@written
def _added_to_slice(x: Any, v: Any) -> None:
    x[1:3] += v


@written
def _steps(x: Any, v: Any) -> None:
    x[::2] = v


X, I, J = f(5, 6), n(3, -1), n(0, -2)  # noqa: E741
CUBE = f(3, 4, 5)
WHOLE = torch.arange(-12, 12).reshape(4, 6)
HALF = f(5, 6).bfloat16()
MASK = f(5, 6, seed=3) > 0
IMAGE = f(2, 4, 9, 7)
LINE = f(2, 4, 9)
AT = torch.tensor([[0, 2, 4], [1, 1, 3]])
UNIQUE = torch.tensor([[0, 2, 4, 1, 3, 0], [1, 3, 0, 2, 4, 1]])
ORDERED = torch.tensor([[3.0, 1.0, 2.0, -5.0, 0.0, 9.0], [1.5, -1.5, 0.25, 8.0, -8.0, 2.0]])

SIX, SQUARES = f(2, 3, 2, 2, 3, 4), f(3, 5, 5)
FORMS: Mapping[str, Form] = {
    # Writing at places.
    "x[i] = v": (_row, ((X, I, f(2, 6)), (X, n(0, 4), f(2, 6)), (X, I, f(6)), (CUBE, n(2, 0), f(2, 4, 5)), (WHOLE, n(1, -1), WHOLE[:2] * 2), (HALF, I, f(2, 6).bfloat16()))),
    "x[i, j] = v": (_rows_and_columns, ((X, I, J, f(2)), (CUBE, n(-1, 0), n(1, -4), f(2, 5)), (WHOLE, n(1, -1), J, n(7, -7)))),
    "x[:, i] = v": (_column, ((X, I, f(5, 2)), (CUBE, n(-1, 0), f(3, 2, 5)))),
    "x[i, :, j] = v": (_between, ((CUBE, n(-1, 0), n(1, -4), f(2, 4)),)),
    "x[i] = number": (_number, ((X, I), (CUBE, n(1)))),
    "x[mask] = number": (_mask, ((X, MASK), (CUBE, CUBE > 0))),
    "x[mask of rows] = number": (_mask_of_rows, ((X, MASK[:, 0]), (CUBE, CUBE[:, :, 0] > 0))),
    "x[known] = v": (_known, ((X, f(2, 6)), (CUBE, f(2, 4, 5)))),
    "x[1:3] += v": (_added_to_slice, ((X, f(2, 6)), (WHOLE, WHOLE[:2]))),
    "x[::2] = v": (_steps, ((X, f(3, 6)), (CUBE, f(2, 4, 5)))),
    "index_put": (lambda x, i, v: x.index_put((i,), v), ((X, I, f(2, 6)), (CUBE, n(2, 0), f(4, 5)))),
    "index_put accumulate": (lambda x, i, v: x.index_put((i,), v, accumulate=True), ((X, n(1, 1, -4, 0), f(4, 6)), (WHOLE, n(1, 1), WHOLE[:2]))),
    "index_put accumulate of two": (lambda x, i, j, v: x.index_put((i, j), v, accumulate=True), ((X, n(1, 1, -1), n(2, 2, 0), f(3)), (CUBE, n(1, 1, -1), n(2, 2, 0), f(3, 5)))),
    "index_copy": (lambda x, i, v: x.index_copy(0, i, v), ((X, n(3, 1), f(2, 6)), (CUBE, n(2, 0), f(2, 4, 5)))),
    "index_copy of columns": (lambda x, i, v: x.index_copy(1, i, v), ((X, n(3, 1), f(5, 2)), (CUBE, n(2, 0), f(3, 2, 5)))),
    "index_add": (lambda x, i, v: x.index_add(0, i, v, alpha=2), ((X, n(3, 3, 1), f(3, 6)), (WHOLE, n(1, 1), WHOLE[:2]))),
    "index_fill": (lambda x, i: x.index_fill(1, i, 7), ((X, n(3, 1)), (WHOLE, n(0, 5)))),
    "scatter": (lambda x, i, v: x.scatter(1, i, v), ((X, UNIQUE[:, :2], f(2, 2)), (X, UNIQUE[:1, :5], f(3, 6)), (WHOLE, UNIQUE[:, :3], WHOLE))),
    "scatter along the first": (lambda x, i, v: x.scatter(0, i, v), ((X, UNIQUE, f(2, 6)), (CUBE, (CUBE[:1] > 0).long(), CUBE * 2))),
    "scatter number": (lambda x, i: x.scatter(1, i, 1.5), ((X, AT), (HALF, AT))),
    "one hot": (lambda i: torch.zeros(3, 5).scatter_(1, i, 1.0), ((n(4, 0, 2).reshape(3, 1),),)),
    "scatter_add": (lambda x, i, v: x.scatter_add(1, i, v), ((X, n(1, 1, 5, 0).reshape(2, 2), f(2, 2)), (WHOLE, n(1, 1, 5, 0).reshape(2, 2), WHOLE))),
    "scatter_add along the first": (lambda x, i, v: x.scatter_add(0, i, v), ((X, AT, f(2, 3)),)),
    "scatter of sums": (lambda x, i, v: x.scatter(1, i, v, reduce="add"), ((X, AT, f(2, 3)),)),
    **{
        f"scatter_reduce {kind}": (
            (lambda kind: lambda x, i, v: x.scatter_reduce(1, i, v, kind))(kind),
            ((X, n(1, 1, 5, 0, 0, 0).reshape(2, 3), f(2, 3)), (WHOLE.int(), n(1, 1, 5, 0, 0, 0).reshape(2, 3), WHOLE.int())),
        )
        for kind in ("sum", "prod", "mean", "amax", "amin")
    },
    **{
        f"scatter_reduce {kind} alone": (
            (lambda kind: lambda x, i, v: x.scatter_reduce(0, i, v, kind, include_self=False))(kind),
            ((X, n(1, 1, 4, 1, 0, 0).reshape(2, 3), f(2, 3)),),
        )
        for kind in ("sum", "prod", "mean", "amax", "amin")
    },
    "graph: messages": (lambda x, s, d: torch.zeros_like(x).index_add(0, d, x[s]), ((X, n(0, 1, 4, 2), n(2, 2, 0, 3)),)),
    "graph: messages of edges": (lambda x, e: torch.zeros(5, 6).scatter_add(0, e[1].unsqueeze(-1).expand(-1, 6), x.index_select(0, e[0])), ((X, n(0, 1, 4, 2, 2, 2, 0, 3).reshape(2, 4)),)),
    "cache of keys": (lambda c, p, v: c.index_copy(2, p, v), ((f(1, 2, 8, 4), n(3), f(1, 2, 1, 4)), (f(1, 2, 8, 4), n(3, 4), f(1, 2, 2, 4)))),
    "masked_scatter": (lambda x, m, v: x.masked_scatter(m, v), ((X, MASK, f(40)), (CUBE, CUBE[:, :, :1] > 0, f(60)), (WHOLE, WHOLE % 3 == 0, WHOLE * 5))),
    "masked_fill": (lambda x, m: (x.masked_fill(m, -1.0), x.masked_fill(m, float("-inf")).softmax(-1)), ((X, MASK & (MASK.cumsum(1) < 5)),)),
    "put": (lambda x, i, v: x.put(i, v), ((X, n(0, 29, -2), f(3)),)),
    "diagonal_scatter": (lambda x, v: x.diagonal_scatter(v), ((X, f(5)),)),
    # Reading at places.
    "w[i]": (lambda w, i: w[i], ((X, I), (CUBE, I - 1), (WHOLE, n(1, -1)), (HALF, I), (X, AT), (CUBE, n(0, 2, 1, 1).reshape(2, 2)), (f(7), I))),
    "w[i, j]": (lambda w, i, j: w[i, j], ((X, I, J), (CUBE, I - 1, J), (WHOLE, I, J), (X, AT, AT), (X, n(0, 1, 2).reshape(3, 1), J))),
    "w[:, i]": (lambda w, i: w[:, i], ((X, I), (CUBE, I), (WHOLE, n(1, -1)))),
    "w[..., i]": (lambda w, i: w[..., i], ((X, I), (CUBE, I), (f(2, 3, 4, 5), I))),
    "w[i, :, j]": (lambda w, i, j: w[i, :, j], ((CUBE, n(-1, 0), J),)),
    "w[:, i, j]": (lambda w, i, j: w[:, i, j], ((CUBE, n(-1, 0), J), (f(2, 4, 5, 3), n(-1, 0), J))),
    "w[i, j, k]": (lambda w, i, j, k: w[i, j, k], ((CUBE, n(-1, 0), J, n(4, -5)),)),
    "w[known, i]": (lambda w, i: w[torch.arange(5), i], ((X, n(0, 5, -1, 2, 2)), (f(5, 3, 4), n(0, 2, -1, 1, 1)))),
    "last token": (lambda x, i: x[torch.arange(x.shape[0]), i], ((CUBE, n(3, 0, -1)),)),
    "w[mask] sum": (lambda w, m: torch.where(m, w, 0.0).sum(), ((X, MASK),)),
    "index_select": (lambda w, i: w.index_select(1, i), ((X, n(0, 5, 5)), (CUBE, n(3, 0)), (WHOLE, n(3, 0)))),
    "gather": (lambda w, i: w.gather(1, i), ((X, AT), (WHOLE, AT), (HALF, AT))),
    "take": (lambda w, i: w.take(i), ((X, n(0, 29, -1, 7)), (CUBE, AT))),
    "take_along_dim": (lambda w, i: torch.take_along_dim(w, i, 1), ((X, AT[0].expand(5, 3)),)),
    "embedding of bfloat16": (lambda w, i: F.embedding(i, w), ((HALF, AT),)),
    # Orders.
    "topk": (lambda x: x.topk(2), ((ORDERED,), (CUBE,), (WHOLE,), (ORDERED.bfloat16(),))),
    "topk least": (lambda x: x.topk(3, dim=0, largest=False, sorted=True), ((X,), (CUBE,))),
    "sort": (lambda x: x.sort(-1), ((ORDERED,), (CUBE,), (WHOLE,), (n(3, -1, 2, 2),))),
    "sort down": (lambda x: x.sort(0, descending=True), ((X,), (WHOLE,))),
    "argsort": (lambda x: (x.argsort(), x.argsort(0, descending=True), x.argsort(stable=True)), ((X,),)),
    "kthvalue": (lambda x: (x.kthvalue(2), x.median(1), x.median()), ((X,),)),
    "unique positions": (lambda x: x.argmax(-1), ((X,), (WHOLE,))),
    "greatest with positions": (
        lambda x: (*x.max(1, keepdim=True), *x.min(0), x.argmax(), x.argmin(1, keepdim=True), *torch.aminmax(x, dim=1)),
        ((X,), (WHOLE,), (torch.tensor([[2**24, 2**24 + 1, 5], [7, -(2**30), 2**30]], dtype=torch.int32),)),
    ),
    "searchsorted": (lambda x, v: torch.searchsorted(x, v), ((n(1, 3, 5).float(), f(4) * 3),)),
    "bucketize": (lambda v: (torch.bucketize(v, torch.tensor([0.0, 0.5, 1.0])), torch.bucketize(v, torch.tensor([0.0, 0.5, 1.0]), right=True)), ((f(4, 3),),)),
    # Running.
    "cumsum": (lambda x: (x.cumsum(0), x.cumsum(-1)), ((X,), (WHOLE,), (CUBE,), (MASK,))),
    "cumprod": (lambda x: (x.cumprod(0, dtype=x.dtype), x.cumprod(-1, dtype=x.dtype)), ((X,), (WHOLE[:, :3].int(),), (CUBE,), (HALF,))),
    "cummax": (lambda x: (*x.cummax(1), *x.cummin(0)), ((X,), (WHOLE,))),
    "logcumsumexp": (lambda x: x.logcumsumexp(1), ((X,),)),
    "diff": (lambda x: (x.diff(), x.diff(dim=0, n=2)), ((X,), (WHOLE,))),
    # Moving.
    "roll": (lambda x: (x.roll(2, 0), x.roll((1, -1), (0, 1)), x.roll(3), x.roll(-7, -1)), ((X,), (WHOLE,), (CUBE,))),
    "flip": (lambda x: (x.flip(0), x.flip(-1), x.flip(0, 1)), ((X,), (WHOLE,), (CUBE,), (MASK,))),
    "flips": (lambda x: (x.fliplr(), x.flipud(), x.rot90()), ((X,), (WHOLE,))),
    **{
        f"pad {mode}": (
            (lambda mode: lambda x: (F.pad(x, (1, 2, 2, 1), mode=mode), F.pad(x, (0, 3, 1, 0), mode=mode)))(mode),
            ((IMAGE,), (f(3, 4, 5),)),
        )
        for mode in ("reflect", "replicate", "circular", "constant")
    },
    **{
        f"pad {mode} of lines": (
            (lambda mode: lambda x: F.pad(x, (2, 1), mode=mode))(mode), ((LINE,), (LINE.bfloat16(),))
        )
        for mode in ("reflect", "replicate", "circular")
    },
    **{
        f"pad {mode} of volumes": (
            (lambda mode: lambda x: F.pad(x, (2, 1, 1, 0, 1, 1), mode=mode))(mode), ((f(1, 2, 3, 4, 5),),)
        )
        for mode in ("reflect", "replicate", "circular")
    },
    "pad of integers": (lambda x: (F.pad(x, (1, 2), value=3), F.pad(x, (-1, 1, 1, 0))), ((WHOLE,), (WHOLE.int(),))),
    "unfold": (lambda x: (F.unfold(x, 3), F.unfold(x, (2, 3), padding=1, stride=2), F.unfold(x, 2, dilation=2)), ((IMAGE,),)),
    "fold": (lambda x: F.fold(x, (9, 7), 3, padding=1, stride=2), ((f(2, 36, 20),),)),
    "fold of patches": (lambda x: F.fold(F.unfold(x, 2, stride=2), (4, 6), 2, stride=2), ((f(1, 3, 4, 6),),)),
    "tensor.unfold": (lambda x: (x.unfold(1, 3, 1), x.unfold(0, 2, 2), x.unfold(-1, 2, 3)), ((X,), (CUBE,), (WHOLE,))),
    "pixel_shuffle": (lambda x: (F.pixel_shuffle(x, 2), F.pixel_unshuffle(x, 2), F.channel_shuffle(x, 2)), ((f(2, 4, 4, 6),),)),
    "repeat_interleave": (lambda x: (x.repeat_interleave(2, 0), x.repeat_interleave(3, 1)), ((X,), (WHOLE,))),
    "meshgrid": (lambda a, b: torch.meshgrid(a, b, indexing="ij"), ((f(3), f(4)),)),
    "diagonals": (lambda x: (x.diagonal(), x.diagonal(1), torch.diag(x[0]), torch.diag_embed(x), x[:, :5].trace()), ((X,),)),
    "stacks": (lambda x: (torch.hstack([x, x]), torch.vstack([x, x]), torch.dstack([x, x]), torch.tile(x, (2, 1))), ((X,), (WHOLE,))),
    "unflatten and swap": (lambda x: (x.unflatten(1, (2, 3)).swapaxes(0, 2), torch.movedim(x, 0, 1)), ((X,),)),
    "triangles": (lambda x: (x.tril(), x.triu(1), torch.tril(torch.ones(5, 5)) @ x), ((X,), )),
    "triangles of integers": (lambda x: (x.tril(), x.triu(-1)), ((WHOLE,),)),
    # Windows.
    **{
        f"{name} {size}": (
            (lambda function, size: lambda x: function(x, size))(getattr(F, name), size), ((x,),)
        )
        for name, x, sizes in (
            ("adaptive_avg_pool1d", LINE, (1, 3, 4)),
            ("adaptive_max_pool1d", LINE, (1, 3, 4)),
            ("adaptive_avg_pool2d", IMAGE, (1, (3, 7), (4, 5), (None, 2))),
            ("adaptive_max_pool2d", IMAGE, (1, (3, 7), (4, 5), (None, 2))),
            ("adaptive_avg_pool3d", f(1, 2, 4, 5, 6), (1, (2, 5, 3), (3, 2, 4))),
            ("adaptive_max_pool3d", f(1, 2, 4, 5, 6), (1, (2, 5, 3), (3, 2, 4))),
        )
        for size in sizes
    },
    "pools of lines": (lambda x: (F.avg_pool1d(x, 3, 2), F.max_pool1d(x, 2), F.avg_pool1d(x, 3, padding=1), F.max_pool1d(x, 3, 2, 1)), ((LINE,),)),
    "pools of volumes": (lambda x: (F.avg_pool3d(x, 2), F.max_pool3d(x, 2), F.max_pool3d(x, (1, 2, 3), stride=(1, 2, 2))), ((f(1, 2, 4, 5, 6),),)),
    "pools of one image": (lambda x: (F.avg_pool2d(x, 2), F.max_pool2d(x, 2), F.adaptive_avg_pool2d(x, 2)), ((IMAGE[0],),)),
    "lp_pool2d": (lambda x: F.lp_pool2d(x, 2.0, 2), ((IMAGE,),)),
    "interpolate": (lambda x: (F.interpolate(x, scale_factor=2), F.interpolate(x, size=(4, 5), mode="bilinear"), F.interpolate(x, scale_factor=2, mode="bicubic")), ((IMAGE,),)),
    "interpolate of lines": (lambda x: (F.interpolate(x, scale_factor=2), F.interpolate(x, size=5, mode="linear")), ((LINE,),)),
    "interpolate area": (lambda x: F.interpolate(x, size=(3, 2), mode="area"), ((IMAGE,),)),
    # Numbers.
    "fake_quantize": (lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 3, -128, 127), ((X,), (X * 20,))),
    "fake_quantize by tensors": (lambda x, s, z: torch.fake_quantize_per_tensor_affine(x, s, z, -128, 127), ((X, torch.tensor(0.1), torch.tensor(3, dtype=torch.int32)),)),
    "fake_quantize of channels": (lambda x, s, z: torch.fake_quantize_per_channel_affine(x, s, z, 0, -128, 127), ((X, f(5).abs() + 0.05, n(0, 1, -2, 3, 0, dtype=torch.int32)),)),
    "integer matmul": (lambda a, b: a @ b, ((WHOLE, WHOLE.T.contiguous()), (WHOLE.int(), WHOLE.int().T.contiguous()), (WHOLE.to(torch.int8), WHOLE.to(torch.int8).T.contiguous()))),
    "integer linear": (lambda a, b: F.linear(a.int(), b.int()), ((WHOLE.to(torch.int8), WHOLE.to(torch.int8)),)),
    "_int_mm": (lambda a, b: torch._int_mm(a, b), ((torch.randint(-128, 127, (32, 16)).to(torch.int8), torch.randint(-128, 127, (16, 24)).to(torch.int8)),)),
    "integer bmm": (lambda a: torch.bmm(a, a.mT), ((WHOLE.reshape(2, 3, 4).int(),),)),
    "weight only int8": (lambda x, w, s: F.linear(x, w.float() * s[:, None]), ((X, WHOLE.to(torch.int8), f(4)),)),
    "erfinv": (lambda x: (torch.erfinv(x.tanh()), torch.erf(x), torch.erfc(x)), ((X,),)),
    "trigonometry": (lambda x: (x.atan(), torch.atan2(x, x.flip(0)), x.tan(), x.tanh().asin(), x.tanh().acos(), x.asinh(), x.tanh().atanh(), (x.abs() + 1).acosh()), ((X,),)),
    "activations": (lambda x: (F.celu(x), F.softsign(x), F.tanhshrink(x), F.hardshrink(x), F.softshrink(x), F.threshold(x, 0.1, 2.0), F.logsigmoid(x), F.glu(x), F.softmin(x, 1)), ((X,),)),
    "norms": (lambda x: (x.norm(), F.cosine_similarity(x, x + 1), F.pairwise_distance(x, x + 1)), ((X,),)),
    "losses": (lambda x, i: (F.cross_entropy(x, i), F.nll_loss(x.log_softmax(1), i), F.mse_loss(x, x * 2), F.l1_loss(x, x * 2), F.smooth_l1_loss(x, x * 2), F.huber_loss(x, x * 2), F.binary_cross_entropy_with_logits(x, x.sigmoid()), F.kl_div(x.log_softmax(1), x.softmax(1), reduction="batchmean")), ((X, n(0, 5, 2, 2, 1)),)),
    "cross_entropy of smoothed labels": (lambda x, i: F.cross_entropy(x, i, label_smoothing=0.1, ignore_index=-100), ((X, n(0, 5, -100, 2, 1)),)),
    "one_hot": (lambda i: F.one_hot(i, 6), ((n(0, 5, 2),), (AT,))),
    "isin and where": (lambda i: (torch.isin(i, torch.tensor([1, 3])), torch.where(i > 2)[0].shape[0] if False else i), ((AT,),)),
    "nan_to_num": (lambda x: torch.nan_to_num(x / 0.0), ((WHOLE.float(),),)),
    "lerp": (lambda x: (torch.lerp(x, x * 2, 0.3), torch.addcmul(x, x, x, value=2), torch.addcdiv(x, x, x.abs() + 1)), ((X,),)),
    "outer": (lambda a, b: (torch.outer(a, b), torch.kron(a[:2], b[:2]), torch.cross(a[:3], b[:3], dim=0), torch.tensordot(a, a, 1)), ((f(4), f(5)),)),
    "einsum": (lambda x: (torch.einsum("ij,kj->ik", x, x), torch.einsum("ij->j", x), torch.einsum("ij,ij->i", x, x)), ((X,),)),
    "renorm": (lambda x: torch.renorm(x, 2, 0, 1.0), ((X,),)),
    "logic of integers": (lambda x: (x // 3, x % 3, x << 1, x >> 1, x & 5, ~x, x.abs(), -x), ((WHOLE,), (WHOLE.int(),))),
    "rnn": (lambda x: torch.nn.functional.normalize(x).cumsum(1).clamp(-1, 1), ((X,),)),
    # More than five dimensions.
    "windows of swin": (lambda x: x.view(1, 2, 4, 2, 4, 3).permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, 16, 3), ((f(1, 8, 8, 3),),)),
    "windows of swin, back": (lambda x: (x.view(1, 2, 2, 4, 4, 3).transpose(2, 3) * 2).reshape(1, 8, 8, 3), ((f(4, 16, 3),),)),
    "eight dimensions": (lambda x: (x.view(2, 2, 2, 2, 3, 2, 2, 5).permute(0, 1, 3, 5, 2, 4, 6, 7).exp(), x.view(2, 2, 2, 2, 3, 2, 2, 5).permute(7, 0, 6, 1, 5, 2, 4, 3)), ((f(2, 4, 6, 20),),)),
    "six: arithmetic": (lambda x, b, c: (x + b, x * c, x.clamp(-1, 1), torch.where(x > 0, x, 0.0), x.bfloat16() * 2, (x * 3).int()), ((SIX, f(1, 1, 2, 1, 1, 4), f(2, 1, 4)),)),
    "six: reductions": (lambda x: (x.sum((1, 2)), x.mean((1, 4), keepdim=True), x.sum(), x.amax((0, 5)), x.var((2, 3)), x.softmax(-1), x.cumsum(2), *x.max(2), x.argmax(1)), ((SIX,),)),
    "six: movements": (lambda x: (x.flip((1, 2, 4)), x.roll((1, 1), (1, 2)), x[:, 1:, :, 0, :, ::2], torch.cat([x, x], 3), torch.stack([x, -x], -1).flatten(-2), *x.unbind(1), x[:, :1].expand(2, 3, 2, 2, 3, 4)), ((SIX,),)),
    "six: products": (lambda x, y, w: (x @ y, F.linear(x, w), F.layer_norm(x, (3, 4)), torch.einsum("abcdef,abcdgf->abcdeg", x, x)), ((SIX, f(2, 1, 1, 2, 4, 5), f(7, 4)),)),
    # Matrices.
    "inv": (torch.linalg.inv, ((SQUARES,), (SQUARES[0],), (torch.tensor([[0.0, 2, 0], [1, 0, 3], [0, 0, -4]]),))),
    "solve": (torch.linalg.solve, ((SQUARES, f(3, 5, 2)), (SQUARES, f(5, 2)), (SQUARES[1], f(5)))),
    "solve from the right": (lambda a, b: torch.linalg.solve(a, b, left=False), ((SQUARES, f(3, 2, 5)),)),
    "determinants": (lambda x: (torch.det(x), *torch.linalg.slogdet(x), torch.logdet(x @ x.mT + 3 * torch.eye(x.shape[-1])), torch.linalg.matrix_power(x, -2)), ((SQUARES,), (torch.eye(3)[n(1, 2, 0)],))),
    "cholesky": (lambda x: torch.linalg.cholesky(x @ x.T + torch.eye(3)), ((f(3, 3),),)),
    "triangular solve": (lambda x, b: torch.linalg.solve_triangular(x.tril() + 3 * torch.eye(3), b, upper=False), ((f(3, 3), f(3, 2)),)),
}  # fmt: skip

# What cannot be done on the card's operations, or is not made of them here: what is said, at the line of the function.
REFUSED: Mapping[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "nonzero": (lambda x: torch.nonzero(x), (MASK,), "the number of elements depends on values of elements"),
    "x[mask]": (lambda x, m: x[m], (X, MASK), r"torch\.where\(mask, x, 0\), which keeps the shape"),
    "masked_select": (lambda x, m: x.masked_select(m), (X, MASK), r"torch\.where\(mask, x, 0\)"),
    "unique": (lambda x: torch.unique(x), (WHOLE,), "the number of elements depends on values of elements"),
    "bincount": (lambda i: torch.bincount(i, minlength=6), (n(0, 5, 5),), "the number of elements depends on"),
    "if data": (lambda x: x + 1 if x.sum() > 0 else x - 1, (X,), r"decides by what is in a tensor.*\n.*torch\.where\(condition, x, y\)"),
    "int of data": (lambda x: x * int(x[0, 0].item()), (WHOLE,), "decides by what is in a tensor"),
    "item": (lambda x: x * x.max().item(), (X,), r"a number is taken out of a tensor.*\n.*x\.max\(\) for x\.max\(\)\.item\(\)"),
    "w[number]": (lambda w, i: w[i], (X, torch.tensor(-2)), r"w\[i\.reshape\(1\)\]\[0\] for w\[i\]"),
    "fft": (lambda x: torch.fft.rfft(x).abs(), (X,), "complex numbers are not supported.*\n.*the matrices of cosines and sines"),
    "random": (lambda x: x + torch.rand_like(x), (X,), "it draws random numbers"),
    "many rows to invert": (lambda x: torch.linalg.inv(x), (f(200, 200),), "a matrix of 200 rows.*\n.*at most 128 rows"),
    "many rows": (lambda x: torch.linalg.cholesky(x), (f(200, 200),), "a matrix of 200 rows.*\n.*at most 128 rows"),
    "qr": (lambda x: torch.linalg.qr(x), (f(3, 3),), "no such decomposition"),
    "half": (lambda x: x.half() * 2, (X,), r"no tensors of float16.*\n.*tensor\.to\(torch\.bfloat16\)"),
    "double": (lambda x: x.double().sum(), (X,), "no tensors of float64"),
    "values of a mask": (_row, (X, MASK[:, 0], f(int(MASK[:, 0].sum()), 6)), r"the number of elements|one value for each element that the mask selects"),
    "positions of maxima": (lambda x: F.max_pool2d(x, 2, return_indices=True), (IMAGE,), "positions of maxima are not available"),
    "products of int64": (lambda x: x.cumprod(1), (WHOLE,), "its int64 may need more than 32 bits"),
    "many updates": (lambda x, i: x.index_add(0, i, x[i]), (torch.zeros(20000, 2), torch.zeros(20000, dtype=torch.int64)), "20,000 updates, each compared with the numbers of 20,000 rows"),
    "six dimensions apart": (lambda x: x.unfold(5, 2, 1), (SIX,), "has 6 dimensions, and more than 5 of them cannot be joined"),
    "lgamma": (lambda x: torch.lgamma(x), (X,), "TTIR has no operation for it"),
}  # fmt: skip
