"""Smaller operations: gated activations, losses, comparisons of whole tensors, quantisation, scattering, files."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ttl.host import engine
from ttl.host.arguments import device_of, dtype_of, floats, indices_of, number_of, tensor_of
from ttl.host.calling import named, public
from ttl.host.computing import computes
from ttl.host.errors import Code, describe, fail
from ttl.host.indexing import derived, logical
from ttl.host.movement import clone, to_device
from ttl.host.reductions import sum
from ttl.host.shape import broadcast, dimension
from ttl.host.storage import TensorMemory
from ttl.host.tensor import Tensor
from ttl.rows.dtypes import BFLOAT16, DTYPES, INT32, UINT32, DType
from ttl.rows.types import TILE, Layout

__all__ = (
    "LossReductionMode", "allclose", "dequantize", "dump_tensor", "element_size", "fill", "geglu", "glu", "has_tile_padding",
    "index_fill", "l1_loss", "load_tensor", "manual_seed", "move", "mse_loss", "narrow", "nonzero",
    "pearson_correlation_coefficient", "quantize", "reallocate", "reglu", "roll", "scatter", "scatter_add", "swiglu",
    "tile_size",
)  # fmt: skip

# --- gated activations ------------------------------------------------------------------------------------------------


def _gated(name: str, activation: str) -> Callable[..., Tensor]:
    def function(input_tensor: Tensor, dim: int = -1) -> Any:
        x = floats(input_tensor, name)
        axis = dimension(dim, len(x.shape), name)
        extent = x.shape[axis]
        if extent % 2:
            fail(Code.SHAPES, f"ttnn.{name}: {extent} elements along dimension {dim} have no halves")
        values, before = engine.loaded(x), (slice(None),) * axis
        left, right = (values[(*before, part)] for part in (slice(extent // 2), slice(extent // 2, None)))
        return left * engine.activate(right, activation, name), x

    summary = f"The first half times {activation} of the second half, along a dimension."
    return computes(result="memory_config")(named(function, name, summary))


glu, reglu, geglu, swiglu = (
    _gated("glu", "sigmoid"), _gated("reglu", "relu"), _gated("geglu", "gelu"), _gated("swiglu", "silu"),
)  # fmt: skip

# --- comparisons of whole tensors -------------------------------------------------------------------------------------


def _pair(a: Any, b: Any, name: str) -> tuple[Any, Any]:
    first, second = (_numbers(operand, name).astype(np.float64) for operand in (a, b))
    if first.shape != second.shape:
        fail(Code.SHAPES, f"ttnn.{name}: shapes {first.shape} and {second.shape}")
    return first, second


def _numbers(value: Any, name: str) -> Any:
    if isinstance(value, Tensor):
        return _array(value, name)
    if type(value).__module__.partition(".")[0] == "torch":
        return value.detach().to("cpu").double().numpy()
    try:
        return np.asarray(value, np.float64)
    except (TypeError, ValueError):
        fail(Code.WRONG_KIND, f"ttnn.{name} compares tensors, not {describe(value)}")


def _array(value: Any, name: str) -> Any:
    """The values of a tensor, or of its first shard, as an array."""
    tensor = tensor_of(value, name)
    return np.asarray(engine.in_numpy(tensor if tensor.shards is None else tensor.shards[0]))


@public()
def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements of two tensors, of TT-NN or torch, are equal within ``atol + rtol |b|``."""
    first, second = _pair(a, b, "allclose")
    return bool(np.allclose(first, second, rtol, atol, equal_nan))


@public()
def pearson_correlation_coefficient(expected: Any, actual: Any) -> float:
    """How well the elements of two tensors go together: 1 for equal ones."""
    return correlation(*_pair(expected, actual, "pearson_correlation_coefficient"))


def correlation(expected: Any, actual: Any) -> float:
    """Pearson's correlation coefficient of two arrays; 1 where both are the same constant, 0 where one is constant."""
    x, y = (
        np.nan_to_num(np.asarray(values, np.float64).reshape(-1), nan=0.0, posinf=0.0, neginf=0.0)
        for values in (expected, actual)
    )
    if np.array_equal(x, y):
        return 1.0
    x, y = x - x.mean(), y - y.mean()
    size = float(np.sqrt((x * x).sum() * (y * y).sum()))
    return float((x * y).sum() / size) if size else 0.0


class LossReductionMode:
    """The reduction of the losses of single elements."""

    NONE = "NONE"
    SUM = "SUM"
    MEAN = "MEAN"

    def __init__(self, *unnamed: Any, **named: Any) -> None:
        fail(Code.SIGNATURE, "ttnn.LossReductionMode has the members NONE, SUM and MEAN and is not called")


def _loss(name: str, summary: str, formula: Callable[[Any], Any]) -> Callable[..., Tensor]:
    def function(
        input_reference: Tensor, input_prediction: Tensor, *, reduction: Any = LossReductionMode.NONE
    ) -> Any:
        a, b = floats(input_reference, name, "reference"), floats(input_prediction, name, "prediction")
        broadcast(a.shape, b.shape, name)
        losses = formula(engine.loaded(a) - engine.loaded(b))
        if reduction == LossReductionMode.NONE:
            return losses, a
        return losses.mean() if reduction == LossReductionMode.MEAN else losses.sum(), a

    summary = f"{summary} of two tensors, element by element, their sum or their mean."
    return computes(result="memory_config")(named(function, name, summary))


mse_loss = _loss("mse_loss", "Squared differences", lambda x: x * x)
l1_loss = _loss("l1_loss", "Absolute differences", abs)

# --- filling, moving, scattering --------------------------------------------------------------------------------------


@computes(result="memory_config output_tensor")
def fill(input_tensor: Tensor, fill_value: float) -> Any:
    """One value everywhere, in the shape and type of a tensor."""
    x = tensor_of(input_tensor, "fill")
    value = number_of(fill_value, "fill", "fill_value")
    return np.full(tuple(x.shape), value, np.float32 if x.dtype.is_float else np.int64), x


@computes()
def roll(input_tensor: Tensor, shifts: Any, dim: Any = None) -> Tensor:
    """Shift elements along dimensions; those beyond the end return at the start."""
    x = tensor_of(input_tensor, "roll")
    if dim is None:
        return derived(np.roll(logical(x), shifts), x, "roll")
    axes = tuple(dimension(axis, len(x.shape), "roll") for axis in _several(dim))
    return derived(np.roll(logical(x), tuple(_several(shifts)), axes), x, "roll")


def _several(value: Any) -> list[int]:
    return [operator.index(number) for number in (value if isinstance(value, (list, tuple)) else (value,))]


@computes()
def narrow(input_tensor: Tensor, dim: int, start: int, length: int) -> Tensor:
    """``length`` elements from ``start`` along a dimension."""
    x = tensor_of(input_tensor, "narrow")
    axis = dimension(dim, len(x.shape), "narrow")
    if not 0 <= start <= start + length <= x.shape[axis]:
        fail(Code.INDEX, f"ttnn.narrow: elements {start} to {start + length} of {x.shape[axis]}")
    return derived(logical(x)[(slice(None),) * axis + (slice(start, start + length),)], x, "narrow")


@computes("reduce", result="memory_config")
def scatter(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Any:
    """The input with the elements of ``src`` at the positions along ``dim`` that ``index`` gives."""
    values, places, source, x = _scattered("scatter", input, dim, index, src)
    values[places] = source
    return values, x


@computes(result="memory_config")
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Any:
    """The input with the elements of ``src`` added at the positions along ``dim`` that ``index`` gives."""
    values, places, source, x = _scattered("scatter_add", input, dim, index, src)
    np.add.at(values, places, source)
    return values, x


def _scattered(name: str, input: Any, dim: int, index: Any, src: Any) -> tuple[Any, Any, Any, Tensor]:
    """Return a copy of the input's values, the places in it, the elements for these places, and the input."""
    x, given, where = tensor_of(input, name), tensor_of(src, name, "source"), indices_of(index, name)
    axis = dimension(dim, len(x.shape), name)
    if where.ndim != len(x.shape) or any(a > b for a, b in zip(where.shape, given.shape, strict=False)):
        fail(
            Code.SHAPES,
            f"ttnn.{name}: an index of shape {where.shape} for {tuple(given.shape)} into {tuple(x.shape)}",
        )
    if where.size and not 0 <= where.min() <= where.max() < x.shape[axis]:
        fail(Code.INDEX, f"ttnn.{name}: an index outside 0 to {x.shape[axis] - 1} in dimension {axis}")
    source = np.asarray(engine.in_numpy(given))[tuple(map(slice, where.shape))]
    places = list(np.indices(where.shape, sparse=True))
    places[axis] = where
    return np.array(engine.in_numpy(x)), tuple(places), source, x


@computes(result="memory_config")
def index_fill(input: Tensor, dim: int, index: Tensor, value: float) -> Any:
    """The input with one value at the indices along a dimension."""
    x, where = tensor_of(input, "index_fill"), indices_of(index, "index_fill").reshape(-1)
    axis = dimension(dim, len(x.shape), "index_fill")
    if where.size and not 0 <= where.min() <= where.max() < x.shape[axis]:
        fail(Code.INDEX, f"ttnn.index_fill: an index outside 0 to {x.shape[axis] - 1}")
    values = np.array(engine.in_numpy(x))
    values[(slice(None),) * axis + (where,)] = number_of(value, "index_fill", "value")
    return values, x


@computes()
def nonzero(input_tensor: Tensor, *, memory_config: Any = None) -> list[Tensor]:
    """How many elements of [1, 1, 1, n] are not 0, and their positions, those first: [count], [positions]."""
    x = tensor_of(input_tensor, "nonzero")
    values = logical(x).reshape(-1)
    where = np.flatnonzero(values)
    order = np.concatenate([where, np.setdiff1d(np.arange(values.size), where)]).astype(np.int64)
    counts = np.zeros((1, 1, 1, 8), np.int64)
    counts[..., 0] = where.size
    results = (counts, order.reshape(1, 1, 1, -1))
    return [engine.finish(result, x, "nonzero", dtype=UINT32, layout=Layout.ROW_MAJOR) for result in results]


# --- quantisation -----------------------------------------------------------------------------------------------------


def _quantisation(name: str, summary: str, to: DType, formula: Callable[..., Any]) -> Callable[..., Tensor]:
    """Make a function of values, a scale and a zero point; the default type of its result is ``to``."""

    def function(
        input_tensor: Tensor,
        scale: Any,
        zero_point: Any,
        *,
        axis: int | None = None,
        dtype: Any = None,
        memory_config: Any = None,
    ) -> Tensor:
        x = floats(input_tensor, name) if name == "quantize" else tensor_of(input_tensor, name)
        factor, zero = (_along(operand, x, axis, name) for operand in (scale, zero_point))
        values = formula(_array(x, name), factor, zero)
        return engine.finish(values, x, name, dtype=dtype_of(dtype, to), memory_config=memory_config)

    return computes()(named(function, name, summary))


quantize = _quantisation(
    "quantize", "``round(x / scale) + zero_point``, within -128 and 127; int32.", INT32,
    lambda x, scale, zero: np.clip(np.rint(x / scale) + zero, -128, 127).astype(np.int64),
)  # fmt: skip
dequantize = _quantisation(
    "dequantize", "``(x - zero_point) * scale``; bfloat16 unless another type is given.", BFLOAT16,
    lambda x, scale, zero: ((x - zero) * scale).astype(np.float32),
)  # fmt: skip


def _along(value: Any, tensor: Tensor, axis: int | None, name: str) -> Any:
    if not isinstance(value, Tensor):
        return np.float32(number_of(value, name, "scale or zero point"))
    values = _array(value, name).astype(np.float32)
    if axis is None or values.size == 1:
        return values.reshape(-1)[0] if values.size == 1 else values
    shape = [1] * len(tensor.shape)
    shape[dimension(axis, len(tensor.shape), name)] = -1
    return values.reshape(shape)


# --- the rest -----------------------------------------------------------------------------------------------------------


@public()
def move(input_tensor: Tensor, *, memory_config: Any = None) -> Tensor:
    """The tensor elsewhere in memory; the old one can no longer be used."""
    moved = clone(input_tensor, memory_config=memory_config)
    input_tensor.deallocate()
    return moved


reallocate = move


@public()
def dump_tensor(file_name: Any, tensor: Tensor) -> None:
    """Write a tensor to a file, for ``load_tensor``."""
    x = tensor_of(tensor, "dump_tensor")
    if x.shards is not None:
        fail(
            Code.UNSUPPORTED,
            "ttnn.dump_tensor of a tensor on a mesh",
            help="write the shards: ttnn.get_device_tensors",
        )
    shape = np.array(x.shape, np.int64)
    with open(file_name, "wb") as file:
        np.savez(file, data=x._data, shape=shape, type=x.dtype.name, layout=x.layout.value)


@public()
def load_tensor(file_name: Any, *, device: Any = None) -> Tensor:
    """The tensor that ``dump_tensor`` wrote to a file."""
    target = device_of(device)
    try:
        contents = np.load(file_name)
    except (OSError, EOFError) as problem:
        fail(Code.REFUSED, f"ttnn.load_tensor: {describe(str(file_name))} can't be read: {problem}")
    with contents:
        dtype = next(dtype for dtype in DTYPES if dtype.name == str(contents["type"]))
        shape, order = tuple(map(int, contents["shape"])), Layout(str(contents["layout"]))
        tensor = Tensor._of(TensorMemory(contents["data"]), shape, dtype, order)
    return tensor if target is None else to_device(tensor, target)


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
    x = tensor_of(tensor, "has_tile_padding")
    if x.layout is not Layout.TILE:
        return False
    extents = x.shape[-2:] if dim is None else (x.shape[dimension(dim, len(x.shape), "has_tile_padding")],)
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
    return sum(input_tensor, list(dims), True, memory_config=memory_config)


@computes(result="memory_config output_tensor")
def dropout(input_tensor: Tensor, *, probability: float, scale: float, seed: int = 0) -> Any:
    """Elements times ``scale``, and 0 with a probability."""
    x = floats(input_tensor, "experimental.dropout")
    share = number_of(probability, "dropout", "probability")
    stays = np.random.default_rng(seed).random(tuple(x.shape)) >= share
    return _array(x, "dropout") * stays * np.float32(number_of(scale, "dropout", "scale")), x
