"""Functions of JAX, one for each kind of operation and form of it, with the arrays they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

Case = tuple[Callable[..., Any], tuple[Any, ...]]
_rng = np.random.default_rng(7)


def f(*shape: int) -> Any:
    return _rng.standard_normal(shape).astype(np.float32)


def p(*shape: int) -> Any:
    return (_rng.random(shape) + 0.1).astype(np.float32)


def i(*shape: int, low: int = 0, high: int = 50, dtype: Any = np.int32) -> Any:
    return _rng.integers(low, high, shape).astype(dtype)


def b(*shape: int) -> Any:
    return _rng.random(shape) > 0.5


def bf(*shape: int) -> Any:
    return jnp.asarray(f(*shape), jnp.bfloat16)


def below(function: Callable[..., Any], by: int, *arrays: Any) -> Case:
    """A case whose integers are negative inside: arguments less a number."""
    return (lambda *given: function(*(one - one.dtype.type(by) for one in given))), arrays


UNARY = {
    "abs": f, "cbrt": f, "ceil": f, "cos": f, "exp": f, "expm1": f, "floor": f, "isfinite": f, "log": p, "log1p": p, "sign": f,
    "sin": f, "sqrt": p, "negative": f, "tanh": f, "tan": f, "round": f, "square": f, "sinh": f, "cosh": f, "isinf": f, "isnan": f,
    "reciprocal": p, "logical_not": f, "trunc": f, "exp2": f, "log2": p, "deg2rad": f,
}  # fmt: skip
BINARY = {
    "add": f, "subtract": f, "multiply": f, "divide": p, "maximum": f, "minimum": f, "fmod": p, "remainder": p, "equal": f,
    "not_equal": f, "greater": f, "greater_equal": f, "less": f, "less_equal": f, "power": p, "logical_and": b, "logical_or": b,
    "logical_xor": b, "hypot": f, "logaddexp": f, "floor_divide": p,
}  # fmt: skip
BITS = ("bitwise_and", "bitwise_or", "bitwise_xor")
EXTREME = np.array([[-np.inf, np.inf, 0.0, -0.0, 1e-8, -40.0, 40.0, 0.5]], np.float32)


def _net_loss(weights: Any, images: Any, labels: Any) -> Any:
    """Convolution, maxima of windows, averages of windows, a product, cross entropy."""
    form = ("NHWC", "HWIO", "NHWC")
    hidden = jax.nn.relu(lax.conv_general_dilated(images, weights[0], (1, 1), "SAME", dimension_numbers=form))
    hidden = lax.reduce_window(hidden, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    hidden = lax.reduce_window(hidden, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4
    return -(jax.nn.log_softmax(hidden.reshape(2, -1) @ weights[1]) * labels).sum(-1).mean()


def _loop(x: Any) -> Any:
    def body(at: Any, carried: Any) -> Any:
        return carried * 0.5 + x[at]

    return lax.fori_loop(0, 4, body, jnp.zeros(x.shape[1]))


def _while(x: Any) -> Any:
    return lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] @ s[1] * 0.1), (0, x))[1]


def _scan(x: Any, w: Any) -> Any:
    def step(carried: Any, row: Any) -> Any:
        new = jnp.tanh(carried @ w + row)
        return new, (new, row.sum())

    return lax.scan(step, jnp.zeros(x.shape[1]), x)


CASES: dict[str, Case] = {
    **{name: (getattr(jnp, name), (kind(3, 40),)) for name, kind in UNARY.items()},
    **{name: (getattr(jnp, name), (kind(3, 40), kind(3, 40))) for name, kind in BINARY.items()},
    **{f"{name} of {dtype.__name__}": below(getattr(jnp, name), 60, i(2, 9, high=120, dtype=dtype), i(2, 9, high=120, dtype=dtype)) for name in BITS for dtype in (np.int8, np.int32)},
    **{f"{name} with {mask}": below(lambda x, name=name, mask=mask: getattr(jnp, name)(x, mask), 1000, i(2, 9, high=2000)) for name in BITS for mask in (0, 1, 7, 0x55, -1, -8, 0x7FFFFFFF)},
    "bitwise_not": below(jnp.bitwise_not, 1000, i(2, 9, high=2000)),
    "shifts": below(lambda x: (x << 3, x >> 2, lax.shift_right_logical(x, 5), lax.shift_right_logical(x, 1)), 100000, i(2, 9, high=200000)),
    "extremes": (lambda x: (jnp.tanh(x), jax.nn.sigmoid(x), lax.erf(x), jnp.isinf(x)), (EXTREME,)),
    "erf": (lambda x: (lax.erf(x), lax.erfc(x)), (f(3, 40) * 2,)),
    "gelu": (lambda x: (jax.nn.gelu(x), jax.nn.gelu(x, approximate=False), jax.nn.silu(x), jax.nn.softplus(x), jax.nn.elu(x)), (f(3, 40),)),
    "angles": (lambda x, y: (jnp.arctan2(x, y), jnp.arctan(x * 3), jnp.arcsin(y), jnp.arccos(y), jnp.arcsinh(x * 5), jnp.arccosh(1 + p(3, 40)), jnp.arctanh(y)), (f(3, 40), np.linspace(-0.99, 0.99, 120, dtype=np.float32).reshape(3, 40))),
    "angles of extremes": (lambda x: (jnp.arctan(x), jnp.arctan2(x, x), jnp.arctan2(x, 1 - x), jnp.arctan2(jnp.abs(x), -1.0)), (np.array([-np.inf, np.inf, 0.0, 1.0, -1.0, 1e-8, 1e30], np.float32),)),
    "rsqrt": (lax.rsqrt, (p(3, 4),)),
    "powers": (lambda x: (x**2, x**3, x**0.5, x**-0.5, x**-2, x**1.5, x**0), (p(3, 4),)),
    "powers of negative numbers": (jnp.power, (f(4, 8), np.tile(np.array([2, 3, 0, -1, 1, 4, -2, 5], np.float32), (4, 1)))),
    "round": (lambda x: (jnp.round(x), lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO)), (np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.3, 7.0, 0.49999997], np.float32),)),
    "reduce_precision": (lambda x: lax.reduce_precision(x, 8, 7), (f(3, 4),)),
    "integers": below(lambda x, y: (x + y, x - y, x * y, x // 3, lax.div(x, y), lax.rem(x, y), jnp.maximum(x, y), x > y, x <= y, -x, abs(x), x**3, jnp.sign(x), jnp.clip(x, -5, y)), 40, i(3, 7, high=80), i(3, 7, high=40)),
    "truths": (lambda x, y: (x & y, x | y, x ^ y, ~x, x == y, jnp.maximum(x, y), x + y, x * y, x.sum(), x.all(1), x.any(0), jnp.where(x, 1, 2)), (b(3, 7), b(3, 7))),
    "converts": (lambda x, u, z: (y := u - 900, x.astype(jnp.int32), x.astype(jnp.bfloat16), x.astype(bool), y.astype(jnp.int8), y.astype(jnp.uint8), y.astype(float), z.astype(float), z.astype(jnp.int32)), (f(3, 4) * 9, i(3, 4, high=1800), b(3, 4))),
    "select": (lambda c, x: (jnp.where(c, x, 0.0), jnp.where(c[0, 0], x, -x)), (b(3, 4), f(3, 4))),
    "clamp": (lambda x, y: (jnp.clip(x, -0.5, 0.5), jnp.clip(x, y, 1.0), lax.clamp(y[0, 0], x, y[0, 0] + 1)), (f(3, 4), f(3, 4) * 0.1)),
    "constants": (lambda x: (x + jnp.array([1.0, 2.0, 3.0]), jnp.eye(3), jnp.full((2, 2), 7), jnp.linspace(0, 1, 5), jnp.array([True, False])), (f(3, 3),)),
    # Shapes.
    "reshape": (lambda x: (x.reshape(6, 4), x.reshape(-1), x[0, 0, 0].reshape(1, 1), x.ravel()[:1].reshape(())), (f(2, 3, 4),)),
    "transpose": (lambda x: [x.transpose(order) for order in ((2, 0, 1), (1, 2, 0), (2, 1, 0), (0, 2, 1))], (f(2, 3, 4),)),
    "broadcast": (lambda x, y: (jnp.broadcast_to(x, (5, 3)), jnp.broadcast_to(y[:, None, :, None], (2, 4, 3, 5)), lax.broadcast_in_dim(y, (3, 4, 2), (2, 0)), jnp.broadcast_to(y[0, 0], (2, 2)), x * y), (f(3), f(2, 3))),
    "slice": (lambda x: (x[1:, ::2], x[..., -1], x[0], x[:, None, 1:3], x[::-1, 1]), (f(4, 5),)),
    "concatenate": (lambda x, y: (jnp.concatenate([x, y, x]), jnp.stack([x, x], 1), jnp.hstack([x, x])), (f(2, 3), f(4, 3))),
    "pad": (lambda x: (jnp.pad(x, ((1, 2), (0, 3))), lax.pad(x, 9.0, ((-1, 2, 0), (1, -1, 2))), lax.pad(x, x[0, 0], ((0, 0, 1), (2, 0, 0)))), (f(3, 4),)),
    "reverse": (lambda x: (jnp.flip(x), jnp.flip(x, 1), x[::-1]), (f(3, 8),)),
    "iota": (lambda x: (jnp.arange(300) + x.astype(jnp.int32), lax.broadcasted_iota(jnp.float32, (3, 5), 1), lax.iota(jnp.bfloat16, 40)), (f(300) * 9,)),
    "masks": (lambda x: (jnp.tril(x), jnp.triu(x, 1), jnp.tril(x, -2), jnp.diag(x)), (f(6, 6),)),
    "repeat": (lambda x: (jnp.repeat(x, 3, 1), jnp.tile(x, (2, 3)), jnp.roll(x, 2, 1), jnp.split(x, 2, 1)), (f(2, 4),)),
    # Products.
    "matmul": (lambda x, y: (x @ y, x[0] @ y, x @ y[:, 0], x[0] @ y[:, 0], jnp.outer(x[0], y[0])), (f(3, 4), f(4, 5))),
    "batched": (lambda x, y: (x @ y, jnp.einsum("bij,bkj->bik", x, x), jnp.einsum("bij,bjk->k", x, y), jnp.tensordot(x, y, ((0, 2), (0, 1))), jnp.einsum("bij,bjk->ikb", x, y)), (f(2, 3, 4), f(2, 4, 5))),
    "einsum": (lambda q, k: (jnp.einsum("bqhd,bkhd->bhqk", q, k), jnp.einsum("bqhd,hde->bqe", q, jnp.ones((3, 4, 6)) * 0.1), jnp.einsum("bqhd,bkhd->bh", q, k)), (f(2, 5, 3, 4), f(2, 5, 3, 4))),
    "integer product": (lambda x, y: x @ y, (i(3, 4), i(4, 2))),
    "bf16 product": (lambda x, y: (jnp.dot(x, y, preferred_element_type=jnp.float32), x @ y), (bf(3, 4), bf(4, 2))),
    # Reductions.
    "sum": (lambda x: (x.sum(), x.sum(0), x.sum((0, 2)), x.sum(1, keepdims=True), x.mean(), x.var(1), x.std()), (f(2, 3, 4),)),
    "max": (lambda x: (x.max(), x.max(0), x.min((0, 2)), x.min(), x.max(1, initial=0.7)), (f(2, 3, 4),)),
    "prod": (lambda x: (x.prod(), x.prod(1)), (p(3, 7),)),
    "integer reductions": below(lambda x: (x.sum(1), x.max(), x.min(0), x.prod(1), x.argmax(1), x.argmin(0)), 9, i(3, 5, high=18)),
    "argmax": (lambda x, y: (x.argmax(), x.argmax(0), x.argmin(1), y.argmax(1), y.argmin(), jnp.argmax(x.reshape(2, 3, 4), 1)), (f(4, 6), i(4, 6, low=0, high=3))),
    "cumulative": (lambda x: (jnp.cumsum(x, 1), jnp.cumsum(x), jnp.cumprod(x, 0), lax.cummax(x, 1), jnp.cumsum(x, 1)[:, ::-1]), (p(3, 11),)),
    "norms": (lambda x: (jax.nn.softmax(x), jax.nn.log_softmax(x, 0), jax.nn.logsumexp(x, 1), jax.nn.standardize(x), jnp.linalg.norm(x)), (f(3, 8),)),
    "windows": (lambda x: (
        lax.reduce_window(x, 0.0, lax.add, (1, 2, 3, 1), (1, 2, 1, 1), "SAME"),
        lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
        lax.reduce_window(x, jnp.inf, lax.min, (1, 3, 3, 1), (1, 1, 1, 1), "SAME"),
        lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 1, 2, 1), ((0, 0), (1, 0), (0, 2), (0, 0)), None, (1, 2, 1, 1)),
    ), (f(2, 6, 7, 3),)),
    "numbers at random of a known key": (lambda x: x + jax.random.normal(jax.random.key(3), x.shape), (f(4, 8),)),
    "gradient of maxima in windows": (
        lambda x: jax.grad(lambda v: (lax.reduce_window(v, -jnp.inf, lax.max, (1, 3, 2, 1), (1, 2, 1, 1), "SAME") ** 2).sum())(x),
        (np.round(f(1, 7, 6, 2) * 2),),
    ),
    "gradient of a convolution net": (jax.value_and_grad(_net_loss), ((f(3, 3, 3, 4), f(16, 5)), f(2, 8, 8, 3), np.eye(5, dtype=np.float32)[:2])),
    "pooling of bf16": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), (bf(1, 8, 8, 32),)),
    # Convolutions.
    "conv NHWC": (lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), (f(2, 6, 6, 4), f(3, 3, 4, 5))),
    "conv NCHW": (lambda x, k: lax.conv_general_dilated(x, k, (2, 1), ((0, 1), (1, 1)), rhs_dilation=(1, 2)), (f(1, 4, 8, 8), f(6, 4, 3, 3))),
    "conv of groups": (lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "VALID", feature_group_count=2), (f(1, 4, 5, 5), f(6, 2, 3, 3))),
    "conv 1d": (lambda x, k: lax.conv_general_dilated(x, k, (2,), "SAME", dimension_numbers=("NWC", "WIO", "NWC")), (f(2, 9, 3), f(3, 3, 4))),
    "conv 3d": (lambda x, k: lax.conv_general_dilated(x, k, (1, 2, 1), ((1, 0), (0, 0), (1, 1)), dimension_numbers=("NCDHW", "OIDHW", "NDHWC")), (f(1, 2, 4, 5, 4), f(3, 2, 2, 2, 3))),
    "conv transposed": (lambda x, k: lax.conv_transpose(x, k, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), (f(1, 4, 4, 3), f(3, 3, 3, 2))),
    "conv backwards": (lambda x, k: jax.grad(lambda x, k: lax.conv(x, k, (1, 1), "VALID").sum() ** 2, (0, 1))(x, k), (f(2, 3, 5, 5) * 0.1, f(4, 3, 2, 2) * 0.1)),
    # Places.
    "known places": (lambda x: (x[jnp.array([2, 0, 3])], x[:, jnp.array([4, 1])], x[jnp.array([0, 1]), jnp.array([2, 3])], x[jnp.arange(0, 4, 2)]), (f(4, 5),)),
    "embedding": (lambda x, at: (x[at], jnp.take(x, at[0], axis=1), x[at[0], at[1]]), (f(6, 6), i(2, 4, high=6))),
    "take_along_axis": (lambda x, at: (jnp.take_along_axis(x, at, 1), jnp.take_along_axis(x, at[:, :1], 0)), (f(3, 6), i(3, 2, high=3))),
    "gathered windows": (lambda x, at: jax.vmap(lambda a: lax.dynamic_slice(x, (a, 1), (2, 3)))(at), (f(6, 5), i(4, high=5))),
    "gather of bf16": (lambda x, at: x[at], (bf(16, 8), i(2, 5, high=16))),
    "dynamic slices": (lambda x, at: (lax.dynamic_slice(x, (at, 1), (2, 3)), lax.dynamic_slice(x, (1, at), (2, 3)), lax.dynamic_slice(x, (at, at), (1, 2)), x[at], lax.dynamic_slice(x, (9, -5), (2, 2))), (f(5, 6), np.int32(2))),
    "dynamic updates": (lambda x, y, at: (lax.dynamic_update_slice(x, y, (at, 1)), lax.dynamic_update_slice(x, y, (2, 3)), lax.dynamic_update_slice(x, y, (at, at)), x.at[at].set(7.0), x.at[:, at].set(y[:1, 0])), (f(5, 6), f(2, 3), np.int32(2))),
    "scatters": (lambda x, y, at: (x.at[at].set(y), x.at[at].add(y), x.at[jnp.array([0, 3])].set(y[:2]), x.at[1:3, 2].set(-jnp.inf), x.at[0].add(1.0), x.at[at[0], at[1]].set(5.0), x.at[jnp.array([1, 1])].max(y[:2])), (f(6, 5), f(3, 5), np.array([4, 0, 2], np.int32))),
    "one_hot": (lambda at: jax.nn.one_hot(at, 7), (i(2, 3, high=7),)),
    # Control flow that is known.
    "fori": (_loop, (f(4, 5),)),
    "while": (_while, (f(4, 4),)),
    "scan": (_scan, (f(3, 4), f(4, 4))),
    "cond": (lambda x: (lax.cond(True, jnp.sin, jnp.cos, x), lax.switch(2, [jnp.sin, jnp.cos, jnp.exp], x)), (f(2, 3),)),
    "cond of data": (lambda x: lax.cond(x.sum() > 0, lambda y: y + 1, lambda y: y * 2, x), (f(2, 3),)),
    "switch of data": (lambda x, at: lax.switch(at, [jnp.sin, jnp.cos, jnp.exp], x), (f(2, 3), np.int32(1))),
    "map": (lambda x: lax.map(lambda row: row / row.sum(), x), (p(3, 4),)),
    "associative scan": (lambda x: lax.associative_scan(jnp.add, x), (f(7, 3),)),
    # Order.
    "sort": (lambda x, y: (jnp.sort(x), jnp.sort(x, 0), jnp.argsort(y - 4), jnp.sort(y - 4, descending=True), jnp.median(x)), (f(3, 9), i(3, 9, high=8))),
    "top_k": (lambda x: lax.top_k(x, 3), (f(3, 10),)),
    "searchsorted": (lambda x: jnp.searchsorted(jnp.arange(5.0), x), (p(4) * 4,)),
}  # fmt: skip
