"""Integers at the ends of their types, beside the framework: what conversions, signs, quotients, bits and places do there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

_ENDS = {
    "int8": [-128, -3, -1, 0, 1, 5, 126, 127],
    "int16": [-32768, -129, -1, 0, 1, 127, 128, 32767],
    "int32": [-(2**31), -(2**31) + 1, -65537, -1, 0, 255, 2**24 + 1, 2**31 - 1],
    "uint8": [0, 1, 2, 127, 128, 129, 254, 255],
}
_FLOATS = np.array(
    [-300.7, -128.9, -3.5, -0.5, 0, 0.5, 3.7, 127.9, 128, 200, 255.5, 256, 300, 40000, -70000, 2147483520]
)


def ends(dtype: str, *shape: int) -> np.ndarray[Any, Any]:
    return np.array(_ENDS[dtype], dtype).reshape(shape or (8,))


def check_jax(function: Callable[..., Any], *arrays: Any) -> None:
    """Every result is that of JAX, in its type."""
    jax = pytest.importorskip("jax")
    import ttmlir.jax

    wanted = jax.tree.leaves(jax.jit(function)(*arrays))
    given = jax.tree.leaves(ttmlir.jax.compile(function, *arrays)(*arrays))
    _check(wanted, given)


def check_torch(function: Callable[..., Any], *arrays: Any) -> None:
    """Every result is that of torch, in its type."""
    torch = pytest.importorskip("torch")
    import ttmlir.torch

    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, *given: Any) -> Any:
            return tuple(function(*given))

    tensors = [torch.from_numpy(np.asarray(one)) for one in arrays]
    _check(Model()(*tensors), ttmlir.torch.compile(Model(), *tensors)(*tensors))


def _check(wanted: Sequence[Any], given: Sequence[Any]) -> None:
    for number, (expected, got) in enumerate(zip(wanted, given, strict=True)):
        expected, got = np.asarray(expected), np.asarray(got)
        assert expected.dtype == got.dtype, number
        np.testing.assert_array_equal(got, expected, err_msg=f"result {number}")


def test_jax_converts() -> None:
    types = ("int8", "int16", "int32", "uint8", "uint16", "uint32", "float32")
    wild = np.array([*_FLOATS, -3e9, 3e9, 1e30, -1e30, np.nan, np.inf, -np.inf], np.float32)

    def model(floats: Any, *given: Any) -> list[Any]:
        return [one.astype(dtype) for one in (floats, *given) for dtype in types]

    check_jax(model, wild, *(ends(dtype) for dtype in _ENDS))


def test_torch_converts() -> None:
    import torch

    types = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.float32)

    def model(floats: Any, *given: Any) -> list[Any]:
        return [one.to(dtype) for one in (floats, *given) for dtype in types]

    check_torch(model, np.array(_FLOATS, np.float32), *(ends(dtype) for dtype in _ENDS))


def test_jax_knows_signs_at_the_ends() -> None:
    from jax import lax
    from jax import numpy as jnp

    def model(a: Any, b: Any) -> list[Any]:
        results = [getattr(jnp, name)(a, b) for name in ("less", "greater_equal", "maximum", "minimum")]
        results += [lax.div(a, b), lax.rem(a, b), a // b, a % b, jnp.abs(a), jnp.sign(a)]
        return [*results, a + b < 0, jnp.clip(a, -5, 2**30), jnp.max(a, initial=-5), jnp.sort(a)]

    column, row = np.repeat(ends("int32"), 8), np.tile(ends("int32"), 8)
    check_jax(model, column, row)


def test_jax_shifts_and_takes_bits() -> None:
    from jax import lax
    from jax import numpy as jnp

    by = np.array([-5, 0, 1, 7, 8, 31, 32, 40], np.int32)

    def model(a: Any, b: Any, n: Any) -> list[Any]:
        results = [jnp.left_shift(a, n), jnp.right_shift(a, n), lax.shift_right_logical(a, n), a >> 31]
        results += [jnp.bitwise_and(b, b[::-1]), jnp.bitwise_or(b, b[::-1]), jnp.bitwise_xor(b, b[::-1])]
        return [*results, a & 0xFF00, a | -256, a ^ 0x7FFFFFFF, ~a, jnp.bitwise_or.reduce(b)]

    check_jax(model, ends("int32"), ends("int8"), by)


def test_jax_reads_places_below_zero() -> None:
    import jax
    from jax import lax
    from jax import numpy as jnp

    def model(a: Any, i: Any, j: Any) -> list[Any]:
        moved = lax.dynamic_update_slice(a, a[:1] + 1, (j, 0))
        return [
            jnp.take(a, i, axis=0, mode="clip"),
            a[i],
            lax.dynamic_slice(a, (j, 0), (1, 4)),
            moved,
            a.at[i].add(7),
        ]

    places = jax.numpy.asarray([-9, -1, 0, 1, 5], "int8")
    check_jax(model, ends("int32", 2, 4), places, np.int32(-1))


def test_jax_sums_products_in_a_wider_type() -> None:
    from jax import lax
    from jax import numpy as jnp

    def model(a: Any) -> list[Any]:
        return [
            lax.dot(a, a.T, preferred_element_type=jnp.int32),
            lax.dot(a, a.T),
            jnp.sum(a),
            jnp.prod(a, dtype=a.dtype),
        ]

    check_jax(model, ends("int8", 2, 4))


def test_jax_weights_of_8_bits_are_what_they_are() -> None:
    """A table of more than 1,024 elements is an argument of the program."""
    from jax import numpy as jnp

    weights = np.random.default_rng(0).integers(-128, 128, (33, 33)).astype(np.int8)
    check_jax(
        lambda x: [
            x @ jnp.asarray(weights).astype("float32"),
            jnp.asarray(weights.astype("int32")).astype("float32"),
        ],
        np.eye(33, dtype=np.float32),
    )


def test_torch_knows_signs_at_the_ends() -> None:
    import torch

    def model(a: Any, b: Any) -> list[Any]:
        results = [
            torch.lt(a, b),
            torch.ge(a, b),
            torch.maximum(a, b),
            torch.minimum(a, b),
            -a,
            a.abs(),
            a.sign(),
        ]
        results += [
            a - b,
            3 - a,
            a.amax(),
            a.amin(),
            a.argmax(),
            a.argmin(),
            a.clamp(-5, 7),
            a.max(0).values,
            a.relu(),
        ]
        return [
            *results,
            *(torch.div(a, 7, rounding_mode=mode) for mode in ("floor", "trunc")),
            a % 7,
            torch.fmod(a, -7),
        ]

    check_torch(model, np.repeat(ends("int32"), 8), np.tile(ends("int32"), 8))


def test_torch_shifts_and_takes_bits() -> None:
    import torch

    def model(a: Any, b: Any) -> list[Any]:
        results = [
            a << 3,
            a >> 31,
            a & 0xFF,
            a | -256,
            a ^ 5,
            ~a,
            b & b.flip(0),
            b | b.flip(0),
            b ^ b.flip(0),
        ]
        return [
            *results,
            torch.bitwise_left_shift(a, b.int() & 31),
            a.reshape(2, 4) @ a.reshape(4, 2),
            a.prod(dtype=a.dtype),
        ]

    check_torch(model, ends("int32"), ends("int8"))


def test_torch_reads_places_from_the_end() -> None:
    import torch

    places = np.array([-2, -1, 0, 1], np.int64)
    check_torch(
        lambda a, i: [a[i], torch.gather(a, 1, i.reshape(2, 2) % 4), a.cumsum(1)], ends("int8", 2, 4), places
    )


def test_int64_that_32_bits_may_not_hold_is_refused() -> None:
    """By the model where any inputs do it, else for the inputs that may do it."""
    torch = pytest.importorskip("torch")
    import ttmlir.torch
    from tt_model.runtime.problems import RuntimeProblem

    class Product(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, count: int) -> None:
            super().__init__()
            self.count = count

        def forward(self, x: Any) -> Any:
            return x**self.count

    with pytest.raises(
        ttmlir.CompileError, match=rf"{__file__}:\d+: aten.pow.Tensor_Scalar: its int64 may need more"
    ):
        ttmlir.torch.compile(Product(5), ((4,), "i64"))
    square = ttmlir.torch.compile(Product(2), ((4,), "i64"))
    assert square(torch.tensor([-3, 0, 7, 16383])).tolist() == [9, 0, 49, 268402689]
    with pytest.raises(RuntimeProblem, match="inputs from -16384 to 16383"):
        square(torch.tensor([1, 2, 3, 1 << 20]))
