"""What models of JAX of today are written with: one function for each form, and arguments for several runs of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

Form = tuple[Callable[..., Any], tuple[tuple[Any, ...], ...]]


def f(*shape: int, seed: int = 0) -> Any:
    """Normal numbers."""
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape).astype(np.float32)


def n(*numbers: int, dtype: Any = np.int32) -> Any:
    """Whole numbers."""
    return np.array(numbers, dtype)


X, CUBE = f(5, 6), f(3, 4, 5)
I, J = n(3, -1), n(0, -2)  # noqa: E741
TWICE = n(1, 1, -4, 9)
WHOLE = np.arange(-12, 12, dtype=np.int32).reshape(4, 6)
HALF = jnp.asarray(X, jnp.bfloat16)
AT = np.array([[0, 2, 4], [1, 1, 3], [0, 0, 0], [5, 5, 2], [-1, 0, 2]], np.int32)
KEY = np.array([0, 42], np.uint32)
SQUARE = (f(3, 3) @ f(3, 3).T + 2 * np.eye(3)).astype(np.float32)


def _at(name: str) -> Callable[..., Any]:
    return lambda x, i, v: getattr(x.at[i], name)(v)


def _dropout(key: Any, x: Any) -> Any:
    keep = jax.random.bernoulli(jax.random.wrap_key_data(key), 0.8, x.shape)
    return jnp.where(keep, x / 0.8, 0)


F6 = f(12, 2, 12)
FORMS: Mapping[str, Form] = {
    # Writing at places.
    **{
        f"at[i].{name}": (_at(name), ((X, I, f(2, 6)), (X, TWICE, f(4, 6)), (CUBE, n(2, 0), f(2, 4, 5)), (WHOLE, n(1, 1, -2), WHOLE[:3])))
        for name in ("add", "multiply", "min", "max")
    },
    "at[i].set": (_at("set"), ((X, I, f(2, 6)), (CUBE, n(2, 0), f(2, 4, 5)), (WHOLE, n(1, -2), WHOLE[:2]), (X, n(7, 1), f(2, 6)))),
    "at[i, j].set": (lambda x, i, j, v: x.at[i, j].set(v), ((X, I, J, f(2)), (CUBE, I - 1, J, f(2, 5)))),
    "at[i, j].add": (lambda x, i, j, v: x.at[i, j].add(v), ((X, n(1, 1), n(2, 2), f(2)), (WHOLE, n(1, 1), n(2, 2), n(7, 9)))),
    "at[:, i].set": (lambda x, i, v: x.at[:, i].set(v), ((X, I, f(5, 2)), (CUBE, I - 1, f(3, 2, 5)))),
    "at[:, i].max": (lambda x, i, v: x.at[:, i].max(v), ((X, I, f(5, 2)),)),
    "at[1:3].multiply": (lambda x, v: x.at[1:3].multiply(v), ((X, f(2, 6)),)),
    "at[::2].set": (lambda x, v: x.at[::2].set(v), ((X, f(3, 6)),)),
    "segment_sum": (lambda x, i: jax.ops.segment_sum(x, i, 4), ((X, n(0, 1, 1, 3, 0)),)),
    "segment_max": (lambda x, i: jax.ops.segment_max(x, i, 4), ((X, n(0, 1, 1, 3, 0)),)),
    "segment_prod": (lambda x, i: jax.ops.segment_prod(x, i, 4), ((X, n(0, 1, 1, 3, 0)),)),
    "gradient of take_along_axis": (lambda x, i: jax.grad(lambda y: (jnp.take_along_axis(y, i, 1) ** 2).sum())(x), ((X, AT % 6),)),
    "gradient of w[i]": (lambda x, i: jax.grad(lambda y: (y[i] ** 2).sum())(x), ((X, TWICE % 5), (CUBE, TWICE % 3))),
    "vmap of at.set": (lambda x, i, v: jax.vmap(lambda y, j, u: y.at[j].set(u))(x, i, v), ((X, n(0, 5, 2, -1, 1), f(5)), (CUBE, n(0, 3, 1), f(3, 5)))),
    "vmap of dynamic_update_slice": (lambda x, i, v: jax.vmap(lambda y, j, u: lax.dynamic_update_slice(y, u, (j, 0)))(x, i, v), ((CUBE, n(0, 3, 1), f(3, 1, 5)),)),
    "vmap of dynamic_slice": (lambda x, i: jax.vmap(lambda y, j: lax.dynamic_slice(y, (j, 0), (2, 5)))(x, i), ((CUBE, n(0, 3, 1)),)),
    "cache of keys": (lambda c, p, v: lax.dynamic_update_slice(c, v, (0, p, 0)), ((f(2, 8, 4), np.int32(3), f(2, 1, 4)),)),
    "put_along_axis": (lambda x, i, v: jnp.put_along_axis(x, i, v, 1, inplace=False), ((X, AT[:, :1] % 6, f(5, 1)),)),
    # Reading at places.
    "w[i]": (lambda w, i: w[i], ((X, I), (CUBE, I - 1), (WHOLE, n(1, -1)), (HALF, I), (X, AT % 5), (f(7), I))),
    "w[i, j]": (lambda w, i, j: w[i, j], ((X, I, J), (CUBE, I - 1, J), (WHOLE, I, J))),
    "w[:, i]": (lambda w, i: w[:, i], ((X, I), (CUBE, I))),
    "take": (lambda w, i: (jnp.take(w, i, axis=1), jnp.take(w, i)), ((X, I),)),
    "take_along_axis": (lambda w, i: jnp.take_along_axis(w, i, 1), ((X, AT), (WHOLE, AT[:4]))),
    # Orders and running.
    "sort": (lambda x: (jnp.sort(x), jnp.argsort(x, 0), jnp.sort(x, descending=True)), ((X,), (WHOLE,))),
    "top_k": (lambda x: lax.top_k(x, 2), ((X,), (WHOLE,), (CUBE,))),
    "sort by keys": (lambda x, v: lax.sort((x, v), num_keys=1), ((X, f(5, 6, seed=1)),)),
    "cumulative": (lambda x: (jnp.cumsum(x, 0), jnp.cumprod(x, 1), lax.cummax(x, 0), lax.cummin(x, 1)), ((X,), (WHOLE[:, :4],))),
    "associative_scan": (lambda x: lax.associative_scan(jnp.add, x), ((f(7),), (f(8, 3),), (f(1, 3),))),
    "associative_scan of pairs": (lambda a, b: lax.associative_scan(lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (a, b)), ((f(6, 3), f(6, 3, seed=1)),)),
    "searchsorted": (lambda x, v: jnp.searchsorted(x, v), ((np.array([1, 3, 5], np.float32), f(4) * 3),)),
    # Moving.
    "roll": (lambda x: (jnp.roll(x, 2, 0), jnp.roll(x, 3), jnp.roll(x, (1, -1), (0, 1))), ((X,), (WHOLE,))),
    "flip": (lambda x: (jnp.flip(x), jnp.flip(x, 0), jnp.rot90(x)), ((X,), (WHOLE,))),
    **{
        f"pad {mode}": ((lambda mode: lambda x: jnp.pad(x, ((1, 2), (2, 1)), mode=mode))(mode), ((X,), (WHOLE,)))
        for mode in ("constant", "reflect", "edge", "wrap", "symmetric")
    },
    "empty slices": (lambda x: (jnp.concatenate([x[:0], x]), jnp.concatenate([x[:, 6:], x], 1), x[:0].sum(0) + x[0]), ((X,),)),
    "six dimensions": (lambda x: (x * 2 + 1, x.sum((1, 3)), x.transpose(0, 2, 4, 1, 3, 5).reshape(12, 8)), ((f(2, 2, 3, 2, 2, 2),),)),
    "windows of swin": (lambda x: x.reshape(1, 2, 4, 2, 4, 3).transpose(0, 1, 3, 2, 4, 5).reshape(-1, 16, 3), ((f(1, 8, 8, 3),),)),
    "eight dimensions": (lambda x: x.reshape(2, 2, 2, 2, 3, 2, 2, 5).transpose(7, 0, 6, 1, 5, 2, 4, 3) * 2, ((f(2, 4, 6, 20),),)),
    "six: arithmetic": (lambda x, b, c: [one.reshape(2, 3, 2, 2, 3, 4) * b + c for one in (x, jnp.where(x > 0, x, 0), x.clip(-1, 1))], ((F6, f(1, 1, 2, 1, 1, 4), f(2, 1, 4)),)),
    "six: reductions": (lambda x: [(y.sum((1, 2)), y.max((1, 4), keepdims=True), y.sum(), jax.nn.softmax(y), y.argmax(1)) for y in (x.reshape(2, 3, 2, 2, 3, 4),)], ((F6,),)),
    "six: movements": (
        lambda x: [
            (jnp.flip(y, (1, 2, 4)), jnp.roll(y, (1, 1), (1, 2)), y[:, 1:, :, 0, :, ::2], jnp.concatenate([y, y], 3), jnp.stack([y[0], -y[0]], 3), jnp.pad(y, ((0, 0), (1, 0)) * 3))
            for y in (x.reshape(2, 3, 2, 2, 3, 4),)
        ],
        ((F6,),),
    ),
    "six: products": (lambda x, y, w: [(s @ y, s @ w, jnp.einsum("abcdef,abcdgf->abcdeg", s, s)) for s in (x.reshape(2, 3, 2, 2, 3, 4),)], ((F6, f(2, 3, 2, 2, 4, 5), f(4, 7)),)),
    "six: known": (lambda x: x.reshape(2, 3, 2, 2, 3, 4) + np.arange(288, dtype=np.float32).reshape(2, 3, 2, 2, 3, 4) + lax.broadcasted_iota(np.float32, (2, 3, 2, 2, 3, 4), 2), ((F6,),)),
    "six: gradient": (jax.grad(lambda x: (jax.nn.softmax(x.reshape(2, 3, 2, 2, 3, 4).transpose(5, 1, 0, 2, 3, 4)) ** 2).sum()), ((F6,),)),
    # Numbers.
    "erf_inv": (lambda x: (lax.erf_inv(jnp.tanh(x)), lax.erf(x), lax.erfc(x)), ((X,), (X * 3,))),
    "trigonometry": (lambda x: (jnp.arctan(x), jnp.arctan2(x, x[::-1]), jnp.arcsin(jnp.tanh(x)), jnp.arccos(jnp.tanh(x)), jnp.arcsinh(x), jnp.arctanh(jnp.tanh(x)), jnp.arccosh(jnp.abs(x) + 1)), ((X,),)),
    "integer matmul": (lambda a, b: a @ b, ((WHOLE, WHOLE.T), (WHOLE.astype(np.int8), WHOLE.T.astype(np.int8)))),
    "int8 products in int32": (lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32), ((WHOLE.astype(np.int8), WHOLE.T.astype(np.int8)),)),
    "dropout with a key": (_dropout, ((KEY, X),)),
    "uniform with a key": (lambda k: jax.random.uniform(jax.random.wrap_key_data(k), (5, 6)), ((KEY,),)),
    "normal with a key": (lambda k: jax.random.normal(jax.random.wrap_key_data(k), (5, 6)), ((KEY,),)),
    "keys": (lambda k: jax.random.key_data(jax.random.split(jax.random.wrap_key_data(k), 3)), ((KEY,),)),
    "categorical with a key": (lambda k, x: jax.random.categorical(jax.random.wrap_key_data(k), x), ((KEY, X),)),
    "known key": (lambda x: x + jax.random.normal(jax.random.key(3), (5, 6)), ((X,),)),
    "one_hot": (lambda i: jax.nn.one_hot(i, 6), ((AT,), (n(1, 0, 7),))),
    "losses": (lambda x, i: -jnp.take_along_axis(jax.nn.log_softmax(x), i[:, None], 1).mean(), ((X, n(0, 5, 2, 1, 1)),)),
    # Matrices.
    "inv": (lambda x: jnp.linalg.inv(x), ((SQUARE,), (np.stack([SQUARE, SQUARE.T * 2]),))),
    "cholesky": (lambda x: jnp.linalg.cholesky(x), ((SQUARE,), (np.stack([SQUARE, SQUARE * 2]),))),
    "triangular_solve": (lambda a, b: jax.scipy.linalg.solve_triangular(a, b, lower=True), ((SQUARE, f(3, 2)), (SQUARE, f(3)))),
    "triangular_solve of both sides": (
        lambda a, b: (
            lax.linalg.triangular_solve(a, b, left_side=False, lower=False),
            lax.linalg.triangular_solve(a, b.T, left_side=True, lower=True, transpose_a=True, unit_diagonal=True),
        ),
        ((SQUARE, f(2, 3)),),
    ),
    "cho_solve": (lambda x, b: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(x), b), ((SQUARE, f(3, 2)),)),
    "solve": (lambda x, b: jnp.linalg.solve(x, b), ((SQUARE, f(3, 2)), (SQUARE, f(3)))),
    "det": (lambda x: jnp.linalg.det(x), ((SQUARE,),)),
    "nonzero of a size": (lambda x: jnp.nonzero(x[0] > 0, size=4, fill_value=-1), ((X,),)),
    "cond": (lambda x: lax.cond(x.sum() > 0, lambda y: y + 1, lambda y: y - 1, x), ((X,), (-X,))),
}  # fmt: skip

# What cannot be done on the card's operations, or is not made of them here: what is said, at the line of the function.
REFUSED: Mapping[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "complex number": (lambda x: (x * np.complex64(1 + 2j)).real, (X,), r"no numbers of the type complex<f32>"),
    "complex constants": (lambda x: (x[0, :2] * np.array([1 + 2j, 3j], np.complex64)).real, (X,), r"no numbers of the type complex<f32>"),
    "fft": (lambda x: jnp.abs(jnp.fft.rfft(x)), (X,), "TTIR has no complex numbers"),
    "nonzero": (lambda x: jnp.nonzero(x > 0), (X,), r"the number of elements depends on their values.*\n.*jnp\.where\(mask, x, 0\)"),
    "boolean indexing": (lambda x: x[x > 0], (X,), r"the number of elements depends on their values.*\n.*jnp\.where\(mask, x, 0\)"),
    "if data": (lambda x: x + 1 if x.sum() > 0 else x - 1, (X,), r"a Python condition depends on the values of an array.*\n.*jnp\.where\(condition, x, y\) or jax\.lax\.cond"),
    "int of data": (lambda x: x * int(x[0, 0]), (X,), "converts an array to a number of Python"),
    "while of data": (lambda x: lax.while_loop(lambda s: s.sum() < 100, lambda s: s * 2, jnp.abs(x)), (X,), "its condition is not known"),
    "float16": (lambda x: x.astype(jnp.float16) * 2, (X,), "TTNN cannot make tensors of f16; use bf16"),
    "eigh": (lambda x: jnp.linalg.eigh(x), (SQUARE,), "JAX computes .eigh. with code for its own platforms"),
    "svd": (lambda x: jnp.linalg.svd(x), (SQUARE,), "JAX computes .eigh. with code for its own platforms"),
    "callback": (lambda x: jax.pure_callback(lambda y: y, jax.ShapeDtypeStruct((5, 6), jnp.float32), x), (X,), "JAX computes .EmitPythonCallback. with code for its own"),
    "lgamma": (lambda x: lax.lgamma(x), (X,), "TTIR has no operation for it"),
}  # fmt: skip
