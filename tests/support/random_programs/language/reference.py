"""What a program means, in plain NumPy: written without the simulator, to be compared with it.

A block is three arrays of one shape: its values, which of its lanes are padding, and which hold nothing that is
defined. Every rule about padding and undefined lanes is said lane by lane, where the simulator keeps extents and
masks. The values of functions whose rounding is the row's own business come from the row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ttl.rows.dtypes import FLOAT32
from ttl.rows.table import op as row_named
from ttl.rows.types import BlockType, Layout

TILE = 32
FLOATS = ("bfloat16", "float32", "float16", "bfloat8_b", "bfloat4_b")
BLOCK_FLOATS = {"bfloat8_b": 7, "bfloat4_b": 3}
INTEGERS = {"int32": (32, True), "uint32": (32, False), "uint16": (16, False), "uint8": (8, False)}
Array = Any


def is_float(dtype: str) -> bool:
    return dtype in FLOATS


def rounded(values: Array, dtype: str) -> Array:
    """The values an element type holds, in the type of arithmetic: float32, or int64 for integers."""
    if dtype in INTEGERS:
        bits, signed = INTEGERS[dtype]
        whole = np.trunc(values).astype(np.int64) if values.dtype.kind == "f" else values
        wrapped = np.mod(whole, 1 << bits)
        return np.where(wrapped >= 1 << (bits - 1), wrapped - (1 << bits), wrapped) if signed else wrapped
    values = np.asarray(values, np.float32)
    match dtype:
        case "float32":
            return values
        case "float16":
            with np.errstate(over="ignore"):
                return values.astype(np.float16).astype(np.float32)
        case "bfloat16":
            word = np.ascontiguousarray(values).view(np.uint32).astype(np.uint64)
            upper = ((word + 0x7FFF + ((word >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
            return np.where(np.isnan(values), np.float32(np.nan), upper)
    return _block_float(values, BLOCK_FLOATS[dtype])


def _block_float(values: Array, bits: int) -> Array:
    """Sixteen neighbours of a row share the exponent of the largest; each keeps ``bits`` bits of magnitude."""
    result = values.astype(np.float64)
    for start in range(0, values.shape[-1], 16):
        group = result[..., start : start + 16]
        largest = np.abs(np.where(np.isfinite(group), group, 0)).max(axis=-1, keepdims=True)
        exponent = np.floor(np.log2(np.where(largest > 0, largest, 1)))
        step = np.exp2(exponent + 1 - bits)
        limit = (2**bits - 1) * step
        kept = np.clip(np.round(group / step) * step, -limit, limit)
        result[..., start : start + 16] = np.where(np.isfinite(group), kept, group)
    return result.astype(np.float32)


def _groups_with(flags: Array) -> Array:
    """Each lane, whether any of the sixteen that share an exponent with it has the flag."""
    spread = flags.copy()
    for start in range(0, flags.shape[-1], 16):
        spread[..., start : start + 16] = flags[..., start : start + 16].any(axis=-1, keepdims=True)
    return spread


@dataclass
class Block:
    """Values (float32 or int64), padding and undefined lanes; ``shape`` is in the layout's unit."""

    shape: tuple[int, ...]
    tiled: bool
    values: Array
    pad: Array
    undefined: Array

    def moved(self, shape: tuple[int, ...], move: Callable[[Array], Array]) -> Block:
        """The block with its lanes elsewhere."""
        return Block(shape, self.tiled, *(move(part) for part in (self.values, self.pad, self.undefined)))


class Tensor:
    """A tensor: what its elements hold, and which of them hold nothing defined."""

    def __init__(self, values: Array, dtype: str, tiled: bool) -> None:
        self.dtype = dtype
        self.tiled = tiled
        kind = np.float32 if is_float(dtype) else np.int64
        self.values = rounded(np.array(values, kind), dtype)
        self.undefined = np.zeros(self.values.shape, bool)

    def region(self, index: Any) -> tuple[slice, ...]:
        """The elements a slice in tiles or elements names."""
        found = []
        index = index if isinstance(index, tuple) else (index,)
        if index[-1] is Ellipsis:
            index = (*index[:-1], *[slice(None)] * (self.values.ndim - len(index) + 1))
        for axis, entry in enumerate(index):
            extent = self.values.shape[axis]
            scale = TILE if self.tiled and axis >= self.values.ndim - 2 else 1
            if isinstance(entry, slice):
                start = 0 if entry.start is None else entry.start * scale
                stop = extent if entry.stop is None else min(extent, entry.stop * scale)
            else:
                start, stop = entry * scale, min(extent, (entry + 1) * scale)
            found.append(slice(start, stop))
        return tuple(found)


def elements(shape: tuple[int, ...], tiled: bool) -> tuple[int, ...]:
    return (*shape[:-2], shape[-2] * TILE, shape[-1] * TILE) if tiled else shape


class Machine:
    """Arithmetic on blocks. ``precision``: one rounding per store, one more per operation (dst16), or none (fp32)."""

    def __init__(self, precision: str = "spec") -> None:
        self.precision = precision

    def read(self, tensor: Tensor, index: tuple[Any, ...], shape: tuple[int, ...]) -> Block:
        """A copy from a tensor slice into a block."""
        region = tensor.region(index)
        values, undefined = tensor.values[region], tensor.undefined[region]
        outer = shape[: len(shape) - 2] if tensor.tiled else shape[: len(shape) - 1]
        inner = values.shape[-2:] if tensor.tiled else values.shape[-1:]
        values, undefined = values.reshape(*outer, *inner), undefined.reshape(*outer, *inner)
        whole = elements(shape, tensor.tiled)
        block = Block(
            shape, tensor.tiled, np.zeros(whole, values.dtype), np.ones(whole, bool), np.zeros(whole, bool)
        )
        where = tuple(slice(0, extent) for extent in values.shape)
        block.values[where] = values
        block.pad[where] = False
        block.undefined[where] = undefined
        return block

    def write(self, tensor: Tensor, index: tuple[Any, ...], block: Block) -> None:
        """A copy from a block to a tensor slice."""
        region = tensor.region(index)
        target = tensor.values[region].shape
        inner = target[-2:] if tensor.tiled else target[-1:]
        cut = (..., *(slice(0, extent) for extent in inner))
        values, undefined = block.values[cut], (block.undefined | block.pad)[cut]
        if tensor.dtype in BLOCK_FLOATS:
            undefined = _groups_with(undefined)
        tensor.values[region] = rounded(values, tensor.dtype).reshape(target)
        tensor.undefined[region] = undefined.reshape(target)

    def store(self, block: Block, dtype: str) -> Block:
        """What a block of an element type holds after a store."""
        if self.precision == "fp32" and is_float(dtype):
            return block
        return self._rounded(block, dtype)

    def _rounded(self, block: Block, dtype: str) -> Block:
        undefined = block.undefined
        if dtype in BLOCK_FLOATS:
            undefined = _groups_with(undefined | block.pad) & ~block.pad
        return Block(block.shape, block.tiled, rounded(block.values, dtype), block.pad, undefined)

    def fill(self, value: float, shape: tuple[int, ...], tiled: bool, integer: bool) -> Block:
        """A block of one number."""
        whole = elements(shape, tiled)
        values = np.full(whole, value, np.int64 if integer else np.float32)
        if self.precision == "dst16" and not integer:
            values = rounded(values, "bfloat16")
        return Block(shape, tiled, values, np.zeros(whole, bool), np.zeros(whole, bool))

    def apply(self, name: str, *args: Any, **params: Any) -> Block:
        """One operation of the language."""
        result = self._applied(name, *args, **params)
        if self.precision == "dst16" and result.values.dtype == np.float32:
            result.values = rounded(result.values, "bfloat16")
        return result

    def _applied(self, name: str, *args: Any, **params: Any) -> Block:
        special: Callable[..., Block] | None = getattr(self, f"_{name}", None)
        if special is not None:
            return special(*args, **params)
        blocks = [arg for arg in args if isinstance(arg, Block)]
        first = blocks[0]
        # A condition and a mask have no part in the type of the result.
        deciding = args[1:] if name == "where" else args[:1] if name.startswith("mask") else args
        integer = all(arg.values.dtype == np.int64 for arg in deciding if isinstance(arg, Block))
        kind = np.int64 if integer else np.float32
        values = [arg.values if isinstance(arg, Block) else kind(arg) for arg in args]
        with np.errstate(all="ignore"):
            if name in ELEMENTWISE:
                result_values = ELEMENTWISE[name](*values, *(kind(value) for value in params.values()))
            else:
                result_values = self._of_row(name, values[0], params)
        if name not in ("where", "mask", "mask_posinf"):
            result_values = np.asarray(result_values).astype(kind)
        pad = np.logical_or.reduce([block.pad for block in blocks])
        undefined = np.logical_or.reduce([block.undefined for block in blocks])
        return Block(first.shape, first.tiled, result_values, pad, undefined)

    def _of_row(self, name: str, values: Array, params: dict[str, Any]) -> Array:
        row = row_named(name)
        given = tuple(params.get(param.name, param.default) for param in row.params)
        return row.evaluate([values], given, BlockType.of(values.shape, FLOAT32, Layout.ROW_MAJOR))

    def _typecast(self, block: Block, dtype: str) -> Block:
        return self._rounded(block, dtype)

    def _transpose(self, block: Block) -> Block:
        return block.moved(block.shape[::-1], lambda part: np.swapaxes(part, -1, -2))

    def _matmul(self, a: Block, b: Block) -> Block:
        left = np.where(a.pad, 0, a.values).astype(np.float64)
        right = np.where(b.pad, 0, b.values).astype(np.float64)
        shape = (*a.shape[:-1], b.shape[-1])
        whole = elements(shape, True)
        tainted_rows = (a.undefined & ~a.pad).any(axis=-1, keepdims=True)
        tainted_columns = (b.undefined & ~b.pad).any(axis=-2, keepdims=True)
        pad = a.pad.all(axis=-1, keepdims=True) | b.pad.all(axis=-2, keepdims=True)
        undefined = np.broadcast_to(tainted_rows | tainted_columns, whole)
        return Block(shape, True, self._product(left, right), np.broadcast_to(pad, whole), undefined)

    def _product(self, left: Array, right: Array) -> Array:
        if self.precision != "dst16":
            return np.matmul(left, right).astype(np.float32)
        total: Array = np.zeros((), np.float32)
        for start in range(0, left.shape[-1], TILE):
            part = np.matmul(left[..., start : start + TILE], right[..., start : start + TILE, :])
            total = rounded((total + part).astype(np.float32), "bfloat16")
        return total

    def _reduce_sum(self, block: Block, dims: Sequence[int], shape: Any = None) -> Block:
        return self._reduce(block, dims, np.add.reduce, 0)

    def _reduce_max(self, block: Block, dims: Sequence[int], shape: Any = None) -> Block:
        lowest = np.iinfo(np.int64).min if block.values.dtype == np.int64 else -np.inf
        return self._reduce(block, dims, np.maximum.reduce, lowest)

    def _reduce(self, block: Block, dims: Sequence[int], function: Any, neutral: float) -> Block:
        rank = len(block.shape)
        axes = tuple(dim % rank for dim in dims)
        wide = np.float64 if block.values.dtype == np.float32 else np.int64
        counted = np.where(block.pad, wide(neutral), block.values.astype(wide))
        values = function(counted, axis=axes, keepdims=True).astype(block.values.dtype)
        pad = block.pad.all(axis=axes, keepdims=True)
        undefined = (block.undefined & ~block.pad).any(axis=axes, keepdims=True)
        shape = tuple(1 if axis in axes else extent for axis, extent in enumerate(block.shape))
        whole = elements(shape, True)
        result = Block(
            shape, True, np.zeros(whole, values.dtype), np.zeros(whole, bool), np.ones(whole, bool)
        )
        where = tuple(slice(0, extent) for extent in values.shape)
        result.values[where], result.pad[where], result.undefined[where] = values, pad, undefined
        return result

    def _broadcast(self, block: Block, dims: Sequence[int], shape: tuple[int, ...]) -> Block:
        rank = len(shape)
        repeated = {dim % rank for dim in dims}
        cut = tuple(slice(0, 1) if axis in repeated else slice(None) for axis in range(rank))
        return block.moved(shape, lambda part: np.broadcast_to(part[cut], elements(shape, True)))

    def _squeeze(self, block: Block, dims: Sequence[int]) -> Block:
        rank = len(block.shape)
        removed = {dim % rank for dim in dims}
        return self._moved(block, tuple(e for axis, e in enumerate(block.shape) if axis not in removed))

    def _unsqueeze(self, block: Block, dims: Sequence[int]) -> Block:
        rank = len(block.shape) + len(dims)
        added = {dim % rank for dim in dims}
        extents = iter(block.shape)
        return self._moved(block, tuple(1 if axis in added else next(extents) for axis in range(rank)))

    def _moved(self, block: Block, shape: tuple[int, ...]) -> Block:
        """The same tiles, in order, in another arrangement."""
        whole = elements(shape, block.tiled)
        if not block.tiled:
            return block.moved(shape, lambda part: part.reshape(whole))
        places = [
            (_tile(old), _tile(new))
            for old, new in zip(np.ndindex(*block.shape), np.ndindex(*shape), strict=True)
        ]

        def arranged(part: Array) -> Array:
            result = np.zeros(whole, part.dtype)
            for source, target in places:
                result[target] = part[source]
            return result

        return block.moved(shape, arranged)


def _tile(index: tuple[int, ...]) -> tuple[Any, ...]:
    *outer, row, column = index
    return (*outer, slice(row * TILE, (row + 1) * TILE), slice(column * TILE, (column + 1) * TILE))


def _floor_divide(a: Array, b: Array) -> Array:
    if a.dtype == np.int64 and b.dtype == np.int64:
        safe = np.where(b == 0, 1, b)
        return np.where(b == 0, 0, (a - np.mod(a, safe)) // safe)
    return np.floor_divide(a, b)


def _modulo(a: Array, b: Array) -> Array:
    if a.dtype == np.int64 and b.dtype == np.int64:
        safe = np.where(b == 0, 1, b)
        return np.where(b == 0, 0, a - safe * np.floor_divide(a, safe))
    rest = np.mod(a, b)
    return np.where(rest == 0, rest.dtype.type(0), rest)


def _extreme(function: Any, x: Array, y: Array) -> Array:
    """The larger or the smaller; -0 is below +0, as if it were the least number below it."""
    least = np.float64(5e-324)
    x, y = np.broadcast_arrays(x, np.asarray(y, x.dtype))
    if x.dtype.kind != "f":
        return function(x, y)
    apart = [
        np.where(each == 0, np.where(np.signbit(each), -least, least), each.astype(np.float64))
        for each in (x, y)
    ]
    chosen = function(*apart)
    return np.where(np.abs(chosen) == least, np.copysign(0.0, chosen), chosen).astype(x.dtype)


def _power(x: Array, exponent: Array) -> Array:
    if exponent == 0:
        return np.ones_like(x)
    result = x
    for _ in range(int(exponent) - 1):
        result = result * x
    return result


def _where(condition: Array, yes: Array, no: Array) -> Array:
    return np.where(condition != 0, yes, no)


ELEMENTWISE: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "truediv": lambda a, b: a / b,
    "floordiv": _floor_divide,
    "mod": _modulo,
    "xor": lambda a, b: a ^ b,
    "max": lambda x, y: _extreme(np.maximum, x, y),
    "min": lambda x, y: _extreme(np.minimum, x, y),
    "rsub": lambda a, b: b - a,
    "pow": _power,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "abs": np.abs,
    "neg": lambda x: -x,
    "square": lambda x: x * x,
    "sqrt": np.sqrt,
    "recip": lambda x: np.float32(1) / x,
    "relu": lambda x: _extreme(np.maximum, x, 0),
    "relu_max": lambda x, high: _extreme(np.maximum, np.minimum(x, high), 0),
    "relu_min": lambda x, low: _extreme(np.maximum, np.maximum(x, low), 0),
    "leaky_relu": lambda x, slope: np.where(x < 0, slope * x, x),
    "prelu": lambda x, slope: np.where(x < 0, slope * x, x),
    "hardtanh": lambda x, low, high: _extreme(np.minimum, _extreme(np.maximum, x, low), high),
    "clamp": lambda x, low, high: _extreme(np.minimum, _extreme(np.maximum, x, low), high),
    "threshold": lambda x, limit, value: np.where(x > limit, value, x),
    "sign": np.sign,
    "signbit": lambda x: np.where((x > 0) | ((x == 0) & (np.copysign(1.0, x) > 0)), 1, 0),
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "frac": lambda x: x - np.trunc(x),
    "where": _where,
    "mask": lambda x, mask: np.where(mask == 1, x.dtype.type(0), x),
    "mask_posinf": lambda x, mask: np.where(mask == 1, np.float32(np.inf), x),
}  # fmt: skip
