"""The function of a tile program over NumPy arrays, in float64: its own Python runs, and debuggers can step in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import numpy as np

from ttl.design.operation import names_of_programs
from ttl.lang.check import fail
from ttl.lang.nests import BODY, LoopNest
from ttl.lang.tiles import TILES, Fraction, TileInMemory, TileLoop, TilePart, TileTensor, TileValue
from ttl.rows.dtypes import FLOAT32, DType
from ttl.rows.row import Op, Params
from ttl.rows.types import TILE, BlockType, Layout
from ttl.rules import design as rules
from ttl.rules import tiles

# The most tiles in a block of a loop whose step the designer chooses.
_STEP = 4


class ArrayValue(TileValue):
    """A value backed by an array."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array, np.float64)

    def _apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> Any:
        for at, operand in enumerate(operands):
            if isinstance(operand, TileInMemory):
                fail(tiles.not_loaded(operand, at))
        arrays = [operand.array if isinstance(operand, ArrayValue) else operand for operand in operands]
        match op.family:
            case "elementwise":
                shape = np.broadcast_shapes(*(np.shape(array) for array in arrays))
                whole = [
                    np.broadcast_to(array, shape) if isinstance(array, np.ndarray) else array
                    for array in arrays
                ]
                type_ = BlockType.of(shape, FLOAT32, Layout.ROW_MAJOR)
                return ArrayValue(op.reference(whole, params, type_))
            case "product":
                return ArrayValue(np.matmul(*arrays))
            case "reduction":
                reduce = np.max if op.pool == "max" else np.sum
                return ArrayValue(reduce(arrays[0], axis=tuple(params[0]), keepdims=True))
            case "transposition":
                return ArrayValue(np.swapaxes(arrays[0], -1, -2))
            case "conversion":
                return self
        fail(rules.not_in_tile_programs(op.label))

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    @property
    def dtype(self) -> DType:
        return FLOAT32

    def __array__(self, *options: Any, **more: Any) -> Any:
        return np.asarray(self.array, *options, **more)


class ArrayBlock:
    """The block that a loop over tiles yields in an iteration."""

    __slots__ = ("size", "start")

    def __init__(self, start: int, size: int) -> None:
        self.start, self.size = start, size

    @property
    def stop(self) -> int:
        """The end of the block, in tiles."""
        return self.start + self.size


class _Arrays:
    """Runs a tile program over arrays."""

    def load(self, part: TilePart) -> ArrayValue:
        """Return part of an array, with its current contents."""
        return ArrayValue(np.array(part.tensor.tensor[_index(part)], np.float64))

    def store(self, part: TilePart, value: Any) -> None:
        """Write to part of an array."""
        target = part.tensor.tensor
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = ArrayValue(np.full(target[_index(part)].shape, value))
        if isinstance(value, TileInMemory):
            fail(tiles.not_loaded(value, 1))
        if not isinstance(value, ArrayValue):
            fail(tiles.no_value("what is stored", value))
        if target[_index(part)].shape != value.shape:
            fail(tiles.other_shape(part.tensor.name, target[_index(part)].shape, value.shape))
        target[_index(part)] = value.array

    def choice(self, values: tuple[Any, ...]) -> Any:
        """Return the first value."""
        return values[0]

    def blocks(self, loop: TileLoop) -> Iterator[Any]:
        """Yield every iteration."""
        units = loop.axis.units
        if loop.axis.unit == 1:
            return iter(range(units))
        step = loop.step
        if step is None or isinstance(step, Fraction):
            step = max(number for number in range(1, _STEP + 1) if units % number == 0)
        if units % step:
            fail(rules.not_divided(loop.axis.name, units, step))
        return (ArrayBlock(start, step) for start in range(0, units, step))


def _index(part: TilePart) -> tuple[Any, ...]:
    rank = len(part.tensor.shape)
    entries: list[Any] = []
    for dimension, entry in enumerate(part.index):
        tiled = dimension >= rank - 2
        match entry:
            case ArrayBlock() if tiled:
                entries.append(slice(entry.start * TILE, entry.stop * TILE))
            case slice(start=int() | None as start, stop=int() | None as stop, step=None):
                unit = TILE if tiled else 1
                ends = (None if end is None else end * unit for end in (start, stop))
                entries.append(slice(*ends))
            case int() if not tiled:
                entries.append(entry)
            case _:
                fail(tiles.no_entry(part.tensor.name, dimension, entry, tiled=tiled))
    return tuple(entries)


def over_arrays(function: FunctionType, nest: LoopNest | None = None) -> Callable[..., None]:
    """Return the function of a tile program over arrays, with its loop nest; it writes its results to its arguments."""

    def run(*arguments: Any, **keywords: Any) -> None:
        execution = _Arrays()

        def given(name: str, value: Any) -> Any:
            return TileTensor(execution, name, value) if isinstance(value, np.ndarray) else value

        names = function.__code__.co_varnames
        program = function if nest is None else _within(function, nest)
        token = TILES.set(execution)
        try:
            program(
                *(given(name, value) for name, value in zip(names, arguments, strict=False)),
                **{name: given(name, value) for name, value in keywords.items()},
            )
        finally:
            TILES.reset(token)

    return run


def _within(function: FunctionType, nest: LoopNest) -> Callable[..., None]:
    """Wrap a function of blocks in the loops around it."""
    names: dict[str, Any] = {**names_of_programs(), BODY: function}
    exec(nest.text("program", function.__code__.co_varnames[: function.__code__.co_argcount]), names)
    program: Callable[..., None] = names["program"]
    return program
