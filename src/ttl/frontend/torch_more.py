"""More functions of torch and NumPy in a program that is only read: products, windows, grids, choices. Shapes, no data."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ttl.frontend.torch_shapes import Array, broadcast, matmul


def diagonal_matrix(array: Array, offset: int = 0, **keywords: Any) -> Array:
    """``diag``: a matrix of a vector, the diagonal of a matrix."""
    offset = keywords.get("diagonal", keywords.get("k", offset))
    if len(array.shape) == 1:
        extent = array.shape[0] + abs(offset)
        return array.of((extent, extent))
    rows, columns = array.shape
    return array.of((max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0),))


def outer(first: Array, second: Array, **keywords: Any) -> Array:
    """All products."""
    return first.of((first.shape[0], second.shape[0]))


def kron(first: Array, second: Array) -> Array:
    """Kronecker's product."""
    return first.of([a * b for a, b in zip(first.shape, second.shape, strict=True)])


def added_product(bias: Array, first: Array, second: Array, **keywords: Any) -> Array:
    """``addmm``, ``baddbmm``."""
    return matmul(first, second)


def einsum(pattern: str, *arrays: Array) -> Array:
    """``einsum`` with all indices written out."""
    before, _, after = pattern.replace(" ", "").partition("->")
    extents: dict[str, int] = {}
    for names, array in zip(before.split(","), arrays, strict=True):
        extents.update(zip(names, array.shape, strict=True))
    if not after:
        after = "".join(sorted(name for name in extents if before.count(name) == 1))
    return arrays[0].of([extents[name] for name in after])


def grids(*arrays: Array, **keywords: Any) -> list[Array]:
    """``meshgrid``."""
    given = list(arrays[0]) if len(arrays) == 1 and isinstance(arrays[0], (list, tuple)) else list(arrays)
    shape = [each.shape[0] for each in given]
    by_columns = keywords.get("indexing", "ij" if given[0].library == "torch" else "xy") == "xy"
    if by_columns and len(shape) > 1:
        shape[:2] = shape[1::-1]
    return [each.of(shape) for each in given]


def stacked(rows: bool, arrays: Any, **keywords: Any) -> Array:
    """``vstack``, ``hstack``."""
    shapes = [
        each.shape if len(each.shape) > 1 else (1, *each.shape) if rows else each.shape for each in arrays
    ]
    axis = 0 if rows or len(shapes[0]) == 1 else 1
    extents = list(shapes[0])
    extents[axis] = sum(each[axis] for each in shapes)
    return arrays[0].of(extents)  # type: ignore[no-any-return]


def linear(x: Array, weight: Array, bias: Any = None) -> Array:
    """``torch.nn.functional.linear``."""
    return x.of((*x.shape[:-1], weight.shape[0]))


def attention(q: Array, k: Array, v: Array, *more: Any, **keywords: Any) -> Array:
    """``scaled_dot_product_attention``."""
    return q.of((*q.shape[:-1], v.shape[-1]))


def windows(array: Array, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Array:
    """``torch.nn.functional.unfold``: the windows of images as columns."""
    n, c, *extents = array.shape
    size, spread, edge, step = (_two(each) for each in (kernel_size, dilation, padding, stride))
    count = 1
    for axis in (0, 1):
        count *= (extents[axis] + 2 * edge[axis] - spread[axis] * (size[axis] - 1) - 1) // step[axis] + 1
    return array.of((n, c * size[0] * size[1], count))


def convolved(
    array: Array,
    weight: Array,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Array:
    """``torch.nn.functional.conv2d`` and ``conv1d``."""
    n, _, *extents = array.shape
    step, edge, spread = (
        (each,) * len(extents) if isinstance(each, int) else tuple(each)
        for each in (stride, padding, dilation)
    )
    made = [
        (extent + 2 * edge[axis] - spread[axis] * (weight.shape[2 + axis] - 1) - 1) // step[axis] + 1
        for axis, extent in enumerate(extents)
    ]
    return array.of((n, weight.shape[0], *made))


def pooled(
    array: Array, kernel_size: Any, stride: Any = None, padding: Any = 0, *more: Any, **keywords: Any
) -> Array:
    """``torch.nn.functional.max_pool2d`` and ``avg_pool2d``."""
    size, edge = _two(kernel_size), _two(padding)
    step = size if stride is None else _two(stride)
    *outer_extents, h, w = array.shape
    made = [(extent + 2 * edge[axis] - size[axis]) // step[axis] + 1 for axis, extent in enumerate((h, w))]
    return array.of((*outer_extents, *made))


def largest(array: Array, k: int, dim: int = -1, *more: Any, **keywords: Any) -> tuple[Array, Array]:
    """``topk``: values and indices."""
    at = dim % len(array.shape)
    shape = (*array.shape[:at], k, *array.shape[at + 1 :])
    return array.of(shape), array.of(shape, "int64")


def gathered(array: Array, dim: Any, index: Array, **keywords: Any) -> Array:
    """``gather``: as the index."""
    return array.of(index.shape)


def scattered(array: Array, *more: Any, **keywords: Any) -> Array:
    """``scatter``: as the array."""
    return array.of(array.shape)


def padded(array: Array, amounts: Any, *more: Any, **keywords: Any) -> Array:
    """``np.pad``: before and after, for each dimension."""
    if isinstance(amounts, int):
        amounts = [(amounts, amounts)] * len(array.shape)
    if isinstance(amounts[0], int):
        amounts = [tuple(amounts)] * len(array.shape)
    return array.of([extent + sum(each) for extent, each in zip(array.shape, amounts, strict=True)])


def compared(first: Any, *others: Any, **keywords: Any) -> Array:
    """``logical_and``, ``isnan`` and the like."""
    arrays = [each for each in (first, *others) if isinstance(each, Array)]
    shape: Any = arrays[0].shape
    for each in arrays[1:]:
        shape = broadcast(shape, each.shape)
    return arrays[0].of(shape, "bool")


def _two(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else (value[0], value[1])


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "diag": diagonal_matrix, "outer": outer, "ger": outer, "kron": kron, "einsum": einsum, "meshgrid": grids,
    **dict.fromkeys(("addmm", "baddbmm"), added_product), "vstack": partial(stacked, True), "hstack": partial(stacked, False),
    "linear": linear, "scaled_dot_product_attention": attention, "unfold": windows,
    **dict.fromkeys(("conv1d", "conv2d"), convolved), **dict.fromkeys(("max_pool2d", "avg_pool2d"), pooled),
    "topk": largest, "gather": gathered, **dict.fromkeys(("scatter", "scatter_add", "index_fill", "index_add"), scattered),
    **dict.fromkeys(
        ("logical_and", "logical_or", "logical_xor", "logical_not", "isnan", "isinf", "isfinite", "eq", "ne", "lt", "le", "gt", "ge"),
        compared,
    ),
}  # fmt: skip
_METHODS = (
    "diag", "outer", "topk", "gather", "scatter", "scatter_add", "index_fill", "index_add", "logical_and", "logical_or",
    "logical_xor", "logical_not", "isnan", "isinf", "isfinite", "eq", "ne", "lt", "le", "gt", "ge",
)  # fmt: skip
# Those that arrays have as methods.
OF_ARRAYS = {name: FUNCTIONS[name] for name in _METHODS}
