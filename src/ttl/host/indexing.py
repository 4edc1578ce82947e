"""Parts of tensors: ``tensor[...]`` on the host, ``slice``, ``embedding``, ``gather``."""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from ttl.host import engine
from ttl.host.arguments import dtype_of, indices_of, layout_of, place, tensor_of
from ttl.host.computing import computes
from ttl.host.errors import Code, describe, fail
from ttl.host.movement import cast
from ttl.host.shape import dimension, extents_of, stored
from ttl.host.storage import empty
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import Array, DType

__all__ = ("embedding", "gather", "slice")


def logical(tensor: Tensor) -> Array:
    """The stored values in the tensor's own shape."""
    return tensor._data.reshape(tensor.shape)


def derived(array: Array, like: Tensor, function: str, memory_config: Any = None) -> Tensor:
    """A tensor of stored values (not rounded again) that lives where ``like`` does."""
    shape = tuple(array.shape)
    wanted = memory_config
    if wanted is None and (not like.is_sharded() or shape == tuple(like.shape)):
        wanted = like._memory_config
    config = place(wanted, shape, like.layout, like._device)
    whole = array.size == like._data.size and array.flags.c_contiguous and np.shares_memory(array, like._data)
    if whole:
        return Tensor._of(like._alias(), shape, like.dtype, like.layout, like._device, config)
    memory = empty(stored(shape, like.layout), like.dtype)
    np.copyto(memory.array, array.reshape(memory.array.shape))
    return Tensor._of(memory, shape, like.dtype, like.layout, like._device, config)


@computes()
def item(tensor: Tensor, index: Any) -> Tensor:
    """``tensor[index]`` outside of kernels: elements, with integers, slices and ``...``; makes a new tensor."""
    x = tensor_of(tensor, "Tensor.__getitem__")
    parts = index if isinstance(index, tuple) else (index,)
    rank = len(x.shape)
    given = sum(part is not Ellipsis and part is not None for part in parts)
    if given > rank:
        fail(Code.INDEX, f"{given} indices for a tensor of shape {tuple(x.shape)}")
    if sum(part is Ellipsis for part in parts) > 1:
        fail(Code.INDEX, "an index with more than one ...")
    axis, checked = 0, []
    for part in parts:
        if part is Ellipsis:
            axis += rank - given
        elif part is not None:
            part = _checked(part, x.shape[axis], axis, tuple(x.shape))
            axis += 1
        checked.append(part)
    return derived(logical(x)[tuple(checked)], x, "slice")


def _checked(part: Any, extent: int, axis: int, shape: tuple[int, ...]) -> Any:
    if isinstance(part, builtins.slice):
        if part.step is not None and (not isinstance(part.step, int) or part.step < 1):
            fail(Code.INDEX, f"a step of {describe(part.step)}; tensors are sliced in steps of 1 or more")
        try:
            part.indices(extent)
        except TypeError:
            fail(
                Code.INDEX,
                f"bounds of a slice are integers, not {describe(part.start)} and {describe(part.stop)}",
            )
        return part
    try:
        position = operator.index(part)
    except TypeError:
        fail(Code.INDEX, f"a tensor is indexed with integers and slices, not {describe(part)}")
    if not -extent <= position < extent:
        fail(
            Code.INDEX,
            f"index {position} is out of range in dimension {axis} of a tensor of shape {shape}",
            help=f"legal: {-extent} to {extent - 1}" if extent else (),
        )
    return position


@computes("pad_value")
def slice(
    input_tensor: Tensor,
    slice_start: Any,
    slice_end: Any,
    slice_step: Any = None,
    *,
    memory_config: Any = None,
    output_tensor: Any = None,
) -> Tensor:
    """Elements from ``slice_start`` up to ``slice_end`` (not included) in each dimension, by ``slice_step``."""
    x = tensor_of(input_tensor, "slice")
    shape = tuple(x.shape)
    steps = (1,) * len(shape) if slice_step is None else extents_of(slice_step, "the step")
    starts, ends = _bounds(slice_start), _bounds(slice_end)
    if {len(starts), len(ends), len(steps)} != {len(shape)}:
        fail(
            Code.INDEX,
            f"ttnn.slice: {len(starts)} starts and {len(ends)} ends for a tensor of shape {shape}",
        )
    index = []
    for axis, (start, end, step) in enumerate(zip(starts, ends, steps, strict=True)):
        extent = shape[axis]
        start, end = (value + extent if value < 0 else value for value in (start, end))
        if not 0 <= start <= end <= extent or step < 1:
            fail(
                Code.INDEX,
                f"ttnn.slice: {start} to {end} by {step} in dimension {axis} of a tensor of shape {shape}",
            )
        index.append(builtins.slice(start, end, step))
    return _given(derived(logical(x)[tuple(index)], x, "slice", memory_config), output_tensor, "slice")


def _bounds(value: Any) -> list[int]:
    try:
        return [operator.index(bound) for bound in value]
    except TypeError:
        fail(Code.INDEX, f"bounds of a slice are a sequence of integers, not {describe(value)}")


def _given(result: Tensor, output: Any, function: str) -> Tensor:
    if output is None:
        return result
    return engine.finish(engine.loaded(result), result, function, output=output)


@computes("padding_idx", "embeddings_type")
def embedding(
    input_tensor: Tensor,
    weight: Tensor,
    *,
    layout: Any = None,
    dtype: DType | None = None,
    memory_config: Any = None,
    output_tensor: Any = None,
) -> Tensor:
    """Row ``i`` of the weight for each index ``i`` of the input: shape of the input, then the width."""
    indices, table = tensor_of(input_tensor, "embedding"), tensor_of(weight, "embedding", "weight")
    if not table.shape:
        fail(Code.SHAPES, "ttnn.embedding: the weight has no dimensions")
    if indices.dtype.is_float and indices.dtype.bits < 16:
        fail(Code.ELEMENT_TYPE, f"ttnn.embedding: indices of {indices.dtype}", help="use ttnn.uint32")
    wanted = indices_of(indices, "embedding")
    rows = logical(table).reshape(-1, table.shape[-1]).shape[0]
    if wanted.size and not 0 <= wanted.min() <= wanted.max() < rows:
        wrong = wanted.min() if wanted.min() < 0 else wanted.max()
        fail(Code.INDEX, f"ttnn.embedding: index {wrong} into a table of {rows} rows")
    base = table if dtype is None else cast(table, dtype_of(dtype))
    order = layout_of(layout, table.layout)
    values = base.dtype.load(base._data.reshape(rows, -1)[wanted])
    return engine.finish(
        values, base, "embedding", layout=order, memory_config=memory_config, output=output_tensor
    )


@computes("sparse_grad")
def gather(
    input_tensor: Tensor, dim: int, index: Tensor, *, memory_config: Any = None, out: Any = None
) -> Tensor:
    """Values at the positions along ``dim`` that ``index`` gives; the result has the shape of ``index``."""
    x, where = tensor_of(input_tensor, "gather"), tensor_of(index, "gather", "index")
    axis = dimension(dim, len(x.shape), "gather")
    extents = zip(x.shape, where.shape, strict=False)
    if len(x.shape) != len(where.shape) or any(b > a for at, (a, b) in enumerate(extents) if at != axis):
        fail(Code.SHAPES, f"ttnn.gather: an index of shape {tuple(where.shape)} into {tuple(x.shape)}")
    wanted = indices_of(where, "gather")
    if wanted.size and not 0 <= wanted.min() <= wanted.max() < x.shape[axis]:
        fail(Code.INDEX, f"ttnn.gather: an index outside 0 to {x.shape[axis] - 1} in dimension {axis}")
    part = [builtins.slice(extent) for extent in where.shape]
    part[axis] = builtins.slice(None)
    values = np.take_along_axis(logical(x)[tuple(part)], wanted, axis)
    return _given(derived(values, x, "gather", memory_config), out, "gather")
