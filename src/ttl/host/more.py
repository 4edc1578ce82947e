"""Smaller operations: gated activations, losses, comparisons of whole tensors, quantisation, scattering, files."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ttl.host import engine
from ttl.host.arguments import device_of, dtype_of, number_of, tensor_of
from ttl.host.attention import floats, integers
from ttl.host.calling import public
from ttl.host.errors import Code, describe, fail
from ttl.host.indexing import derived, logical
from ttl.host.matmul import activate
from ttl.host.movement import clone, to_device
from ttl.host.shape import broadcast, dimension
from ttl.host.spread import computes
from ttl.host.storage import Memory
from ttl.host.tensor import Tensor
from ttl.ops.dtypes import DTYPES, INT32
from ttl.ops.types import TILE, Layout

# --- gated activations ------------------------------------------------------------------------------------------------


def _gated(name: str, activation: str) -> Callable[..., Tensor]:
    def function(input_tensor: Tensor, dim: int = -1, *, memory_config: Any = None) -> Tensor:
        found = floats(input_tensor, name, "input")
        axis = dimension(dim, len(found.shape), name)
        extent = found.shape[axis]
        if extent % 2:
            fail(Code.SHAPES, f"ttnn.{name}: {extent} elements along dimension {dim} have no halves")
        values = engine.loaded(found)
        left, right = (
            values[(slice(None),) * axis + (part,)] for part in (slice(extent // 2), slice(extent // 2, None))
        )
        return engine.finish(
            left * activate(right, activation, name), found, name, memory_config=memory_config
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The first half times {activation} of the second half, along a dimension."
    return computes()(function)


glu, reglu, geglu, swiglu = (
    _gated("glu", "sigmoid"), _gated("reglu", "relu"), _gated("geglu", "gelu"), _gated("swiglu", "silu"),
)  # fmt: skip

# --- comparisons of whole tensors -------------------------------------------------------------------------------------


def _pair(a: Any, b: Any, name: str) -> tuple[Any, Any]:
    first, second = (each if not isinstance(each, Tensor) else _array(each, name) for each in (a, b))
    arrays = []
    for each in (first, second):
        if not isinstance(each, np.ndarray):
            each = _numbers(each, name)
        arrays.append(each.astype(np.float64))
    if arrays[0].shape != arrays[1].shape:
        fail(Code.SHAPES, f"ttnn.{name}: shapes {arrays[0].shape} and {arrays[1].shape}")
    return arrays[0], arrays[1]


def _array(tensor: Tensor, name: str) -> Any:
    found = tensor_of(tensor, name)
    if found.shards is not None:
        found = found.shards[0]
    return np.asarray(found.dtype.load(found._data)).reshape(found.shape)


def _numbers(value: Any, name: str) -> Any:
    if type(value).__module__.partition(".")[0] == "torch":
        return value.detach().to("cpu").double().numpy()
    try:
        return np.asarray(value, np.float64)
    except (TypeError, ValueError):
        fail(Code.WRONG_KIND, f"ttnn.{name} compares tensors, not {describe(value)}")


@public()
def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements of two tensors, of TT-NN or torch, are equal within ``atol + rtol |b|``."""
    first, second = _pair(a, b, "allclose")
    return bool(np.allclose(first, second, rtol, atol, equal_nan))


@public()
def pearson_correlation_coefficient(expected: Any, actual: Any) -> float:
    """How well the elements of two tensors go together: 1 for equal ones."""
    first, second = _pair(expected, actual, "pearson_correlation_coefficient")
    return correlation(first, second)


def correlation(expected: Any, actual: Any) -> float:
    """Pearson's correlation coefficient of two arrays; 1 where both are the same constant, 0 where one is constant."""
    x, y = (
        np.nan_to_num(np.asarray(each, np.float64).reshape(-1), nan=0.0, posinf=0.0, neginf=0.0)
        for each in (expected, actual)
    )
    if np.array_equal(x, y):
        return 1.0
    x, y = x - x.mean(), y - y.mean()
    size = float(np.sqrt((x * x).sum() * (y * y).sum()))
    return float((x * y).sum() / size) if size else 0.0


def _loss(name: str, summary: str, of: Callable[[Any], Any]) -> Callable[..., Tensor]:
    def function(
        input_reference: Tensor,
        input_prediction: Tensor,
        *,
        reduction: Any = LossReductionMode.NONE,
        memory_config: Any = None,
    ) -> Tensor:
        a, b = floats(input_reference, name, "reference"), floats(input_prediction, name, "prediction")
        broadcast(a.shape, b.shape, name)
        values = of(engine.loaded(a) - engine.loaded(b))
        if reduction != LossReductionMode.NONE:
            values = values.mean() if reduction == LossReductionMode.MEAN else values.sum()
            values = np.asarray(values, np.float32) if not hasattr(values, "reshape") else values
        return engine.finish(values, a, name, memory_config=memory_config)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{summary} of two tensors, element by element, their sum or their mean."
    return computes()(function)


class LossReductionMode:
    """What becomes of the losses of single elements."""

    NONE = "NONE"
    SUM = "SUM"
    MEAN = "MEAN"

    def __init__(self, *unnamed: Any, **named: Any) -> None:
        fail(Code.SIGNATURE, "ttnn.LossReductionMode has the members NONE, SUM and MEAN and is not called")


mse_loss = _loss("mse_loss", "Squared differences", lambda x: x * x)
l1_loss = _loss("l1_loss", "Absolute differences", abs)

# --- filling, moving, scattering --------------------------------------------------------------------------------------


@computes()
def fill(
    input_tensor: Tensor, fill_value: float, *, memory_config: Any = None, output_tensor: Any = None
) -> Tensor:
    """One value everywhere, in the shape and type of a tensor."""
    found = tensor_of(input_tensor, "fill")
    value = number_of(fill_value, "fill", "fill_value")
    values = np.full(tuple(found.shape), value, np.float32 if found.dtype.is_float else np.int64)
    return engine.finish(values, found, "fill", memory_config=memory_config, output=output_tensor)


@computes()
def roll(input_tensor: Tensor, shifts: Any, dim: Any = None) -> Tensor:
    """Elements moved on along dimensions; what leaves at the end comes in at the start."""
    found = tensor_of(input_tensor, "roll")
    axes = None if dim is None else tuple(dimension(each, len(found.shape), "roll") for each in _several(dim))
    return derived(
        np.roll(logical(found), tuple(_several(shifts)) if axes is not None else shifts, axes), found, "roll"
    )


def _several(value: Any) -> list[int]:
    return [operator.index(each) for each in (value if isinstance(value, (list, tuple)) else (value,))]


@computes()
def narrow(input_tensor: Tensor, dim: int, start: int, length: int) -> Tensor:
    """``length`` elements from ``start`` along a dimension."""
    found = tensor_of(input_tensor, "narrow")
    axis = dimension(dim, len(found.shape), "narrow")
    if not 0 <= start <= start + length <= found.shape[axis]:
        fail(Code.INDEX, f"ttnn.narrow: elements {start} to {start + length} of {found.shape[axis]}")
    return derived(logical(found)[(slice(None),) * axis + (slice(start, start + length),)], found, "narrow")


@computes("reduce")
def scatter(input: Tensor, dim: int, index: Tensor, src: Tensor, *, memory_config: Any = None) -> Tensor:
    """The input with the elements of ``src`` at the positions along ``dim`` that ``index`` gives."""
    return _scattered("scatter", input, dim, index, src, memory_config)


@computes()
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor, *, memory_config: Any = None) -> Tensor:
    """The same, added to what is there."""
    return _scattered("scatter_add", input, dim, index, src, memory_config)


def _scattered(name: str, input: Any, dim: int, index: Any, src: Any, memory_config: Any) -> Tensor:
    found, given, where = tensor_of(input, name), tensor_of(src, name, "source"), integers(index, name)
    axis = dimension(dim, len(found.shape), name)
    if where.ndim != len(found.shape) or any(a > b for a, b in zip(where.shape, given.shape, strict=False)):
        fail(
            Code.SHAPES,
            f"ttnn.{name}: an index of shape {where.shape} for {tuple(given.shape)} into {tuple(found.shape)}",
        )
    if where.size and not 0 <= where.min() <= where.max() < found.shape[axis]:
        fail(Code.INDEX, f"ttnn.{name}: an index outside 0 to {found.shape[axis] - 1} in dimension {axis}")
    values = np.array(found.dtype.load(found._data)).reshape(found.shape)
    source = np.asarray(given.dtype.load(given._data)).reshape(given.shape)[tuple(map(slice, where.shape))]
    at = list(np.indices(where.shape, sparse=True))
    at[axis] = where
    if name == "scatter":
        values[tuple(at)] = source
    else:
        np.add.at(values, tuple(at), source)
    return engine.finish(values, found, name, memory_config=memory_config)


@computes()
def index_fill(input: Tensor, dim: int, index: Tensor, value: float, *, memory_config: Any = None) -> Tensor:
    """The input with one value at the indices along a dimension."""
    found, where = tensor_of(input, "index_fill"), integers(index, "index_fill").reshape(-1)
    axis = dimension(dim, len(found.shape), "index_fill")
    if where.size and not 0 <= where.min() <= where.max() < found.shape[axis]:
        fail(Code.INDEX, f"ttnn.index_fill: an index outside 0 to {found.shape[axis] - 1}")
    values = np.array(found.dtype.load(found._data)).reshape(found.shape)
    values[(slice(None),) * axis + (where,)] = number_of(value, "index_fill", "value")
    return engine.finish(values, found, "index_fill", memory_config=memory_config)


@computes()
def nonzero(input_tensor: Tensor, *, memory_config: Any = None) -> list[Tensor]:
    """How many elements of [1, 1, 1, n] are not 0, and their positions, those first: [count], [positions]."""
    found = tensor_of(input_tensor, "nonzero")
    values = logical(found).reshape(-1)
    where = np.flatnonzero(values)
    order = np.concatenate([where, np.setdiff1d(np.arange(values.size), where)]).astype(np.int64)
    counts = np.zeros((1, 1, 1, 8), np.int64)
    counts[..., 0] = where.size
    uint32 = next(each for each in DTYPES if each.name == "uint32")
    made = (counts, order.reshape(1, 1, 1, -1))
    return [engine.finish(each, found, "nonzero", dtype=uint32, layout=Layout.ROW_MAJOR) for each in made]


# --- quantisation -----------------------------------------------------------------------------------------------------


@computes()
def quantize(
    input_tensor: Tensor,
    scale: Any,
    zero_point: Any,
    *,
    axis: int | None = None,
    dtype: Any = None,
    memory_config: Any = None,
) -> Tensor:
    """``round(x / scale) + zero_point``, within -128 and 127; int32."""
    found = floats(input_tensor, "quantize", "input")
    factor, zero = (_along(each, found, axis, "quantize") for each in (scale, zero_point))
    values = np.clip(np.rint(_array(found, "quantize") / factor) + zero, -128, 127).astype(np.int64)
    return engine.finish(values, found, "quantize", dtype=dtype_of(dtype, INT32), memory_config=memory_config)


@computes()
def dequantize(
    input_tensor: Tensor,
    scale: Any,
    zero_point: Any,
    *,
    axis: int | None = None,
    dtype: Any = None,
    memory_config: Any = None,
) -> Tensor:
    """``(x - zero_point) * scale``; bfloat16 unless another type is given."""
    found = tensor_of(input_tensor, "dequantize")
    factor, zero = (_along(each, found, axis, "dequantize") for each in (scale, zero_point))
    values = ((_array(found, "dequantize") - zero) * factor).astype(np.float32)
    return engine.finish(values, found, "dequantize", dtype=dtype_of(dtype), memory_config=memory_config)


def _along(value: Any, tensor: Tensor, axis: int | None, name: str) -> Any:
    if not isinstance(value, Tensor):
        return np.float32(number_of(value, name, "scale or zero point"))
    found = _array(value, name).astype(np.float32)
    if axis is None or found.size == 1:
        return found.reshape(-1)[0] if found.size == 1 else found
    shape = [1] * len(tensor.shape)
    shape[dimension(axis, len(tensor.shape), name)] = -1
    return found.reshape(shape)


# --- the rest -----------------------------------------------------------------------------------------------------------


@public()
def move(input_tensor: Tensor, *, memory_config: Any = None) -> Tensor:
    """The tensor elsewhere in memory; the old one can no longer be used."""
    made: Tensor = clone(input_tensor, memory_config=memory_config)
    input_tensor.deallocate()
    return made


reallocate = move


@public()
def dump_tensor(file_name: Any, tensor: Tensor) -> None:
    """Write a tensor to a file, for ``load_tensor``."""
    found = tensor_of(tensor, "dump_tensor")
    if found.shards is not None:
        fail(
            Code.UNSUPPORTED,
            "ttnn.dump_tensor of a tensor on a mesh",
            help="write the shards: ttnn.get_device_tensors",
        )
    with open(file_name, "wb") as file:
        np.savez(
            file,
            data=found._data,
            shape=np.array(found.shape, np.int64),
            type=found.dtype.name,
            layout=found.layout.value,
        )


@public()
def load_tensor(file_name: Any, *, device: Any = None) -> Tensor:
    """The tensor that ``dump_tensor`` wrote to a file."""
    target = device_of(device)
    try:
        kept = np.load(file_name)
    except (OSError, EOFError) as problem:
        fail(Code.REFUSED, f"ttnn.load_tensor: {describe(str(file_name))} can't be read: {problem}")
    with kept:
        dtype = next(each for each in DTYPES if each.name == str(kept["type"]))
        made = Tensor._of(
            Memory(kept["data"]), tuple(map(int, kept["shape"])), dtype, Layout(str(kept["layout"]))
        )
    return made if target is None else to_device(made, target)


@public()
def element_size(dtype: Any) -> int:
    """Bytes of an element."""
    return dtype_of(dtype).element_bytes


@public()
def tile_size(dtype: Any) -> int:
    """Bytes of a tile."""
    return dtype_of(dtype).tile_bytes


@public()
def has_tile_padding(tensor: Tensor, *, dim: int | None = None) -> bool:
    """Whether a tensor is padded to whole tiles (in one dimension)."""
    found = tensor_of(tensor, "has_tile_padding")
    if found.layout is not Layout.TILE:
        return False
    extents = (
        found.shape[-2:]
        if dim is None
        else (found.shape[dimension(dim, len(found.shape), "has_tile_padding")],)
    )
    return any(extent % TILE for extent in extents)


@public()
def manual_seed(seeds: Any, *, device: Any = None, user_ids: Any = None) -> None:
    """Accepted for ``sampling``; ``ttnn.rand`` takes its seed as an argument, or from torch's generator."""
    number_of(seeds, "manual_seed", "the seed")


@computes()
def fast_reduce_nc(
    input_tensor: Tensor, *, dims: Any, output: Any = None, memory_config: Any = None
) -> Tensor:
    """The sum over outer dimensions, which stay with extent 1."""
    from ttl.host.reductions import sum

    made: Tensor = sum(input_tensor, list(dims), True, memory_config=memory_config)
    return made


@computes()
def dropout(
    input_tensor: Tensor,
    *,
    probability: float,
    scale: float,
    seed: int = 0,
    memory_config: Any = None,
    output_tensor: Any = None,
) -> Tensor:
    """Elements times ``scale``, and 0 with a probability."""
    found = floats(input_tensor, "experimental.dropout", "input")
    kept = np.random.default_rng(seed).random(tuple(found.shape)) >= number_of(
        probability, "dropout", "probability"
    )
    values = _array(found, "dropout") * kept * np.float32(number_of(scale, "dropout", "scale"))
    return engine.finish(
        values, found, "experimental.dropout", memory_config=memory_config, output=output_tensor
    )
