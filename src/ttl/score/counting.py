"""How many operations the matrix products of a NumPy function take: the arithmetic that a task needs, whoever does it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ttl.score.arrays import Array


class CountedArray(np.ndarray[Any, Any]):
    """An array that counts the products it takes part in; what is computed of it is one, too."""

    flops: list[int]

    def __array_finalize__(self, other: Any) -> None:
        self.flops = getattr(other, "flops", None) or [0]

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        out = kwargs.get("out")
        if out is not None:
            kwargs["out"] = tuple(_plain(item) for item in out)
        result = getattr(ufunc, method)(*map(_plain, inputs), **kwargs)
        if ufunc is np.matmul and method == "__call__":
            self.flops[0] += 2 * int(np.size(result)) * int(np.shape(inputs[0])[-1])
        return _like(result, self.flops)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        before = self.flops[0]
        result = super().__array_function__(func, types, args, kwargs)
        if func in (np.dot, np.inner, np.tensordot, np.einsum) and self.flops[0] == before:
            self.flops[0] += _of_product(func, args)
        return _like(result, self.flops)


def counted(
    function: Callable[..., Any],
    tensors: Sequence[Mapping[str, Any]],
    inputs: Mapping[str, Array],
    call: Callable[[Any, Sequence[Mapping[str, Any]], Mapping[str, Array]], Any],
) -> int:
    """Operations of one call, made by ``call``; 0 where the function does not take such arrays, or uses another library."""
    flops = [0]
    try:
        call(function, tensors, {name: _like(values, flops) for name, values in inputs.items()})
    except Exception:
        return 0
    return flops[0]


def _like(value: Any, flops: list[int]) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    result = value.view(CountedArray)
    result.flops = flops
    return result


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, CountedArray) else value


def _of_product(func: Any, args: Sequence[Any]) -> int:
    """Twice the number of products, from the extents."""
    if func is np.einsum and isinstance(args[0], str):
        extents: dict[str, int] = {}
        subscripts = args[0].split("->")[0].replace(" ", "").split(",")
        for letters, array in zip(subscripts, args[1:], strict=False):
            extents.update(zip(letters, np.shape(array), strict=False))
        return 2 * math.prod(extents.values()) if len(args) > 2 else 0
    if func is np.tensordot:
        return 0
    first, second = np.shape(args[0]), np.shape(args[1])
    shared = first[-1] if first else 1
    return int(2 * math.prod(first) * math.prod(second) // max(shared, 1))
