"""How far a tile program's results may be from its function over arrays in float64: an error goes along with every value.

What an operation adds is said by its row: for the type that the registers hold, where the emulated chip computes; a few of
the last bits of float32, where the simulator does. What enters with an error leaves with the largest change that it makes to
the result at either end of its interval; what goes to a tensor is rounded at either end. As in ``differential.errors``,
a value of 32 bits on the chip may have been in a buffer that the matrix unit reads, which keeps ten bits of a mantissa. A maximum
along rows keeps eight bits of a value that was computed (the table *How exact* in docs/reference/differences.md, which
``differential.exactness`` measures).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np

from differential.errors import truncated
from differential.exactness import BFLOAT16_CUT
from support.random_programs.language.reference import rounded
from ttl.design.reference import ArrayBlock, ArrayValue, _Arrays, _index
from ttl.lang.tiles import TILES, TileLoop, TilePart, TileTensor
from ttl.rows.hardware import EXACT
from ttl.rows.row import Op, Params

Array = Any
Registers = Literal["simulator", "16 bits", "32 bits"]
_EPSILON = 2.0**-23
# Of functions of the simulator, in last bits.
_FUNCTION = 16


@dataclass(frozen=True, kw_only=True, slots=True)
class Expected:
    """What a tensor holds at the end, and how far each element may be off."""

    values: Array
    error: Array


class _Measured(ArrayValue):
    __slots__ = ("error",)

    def __init__(self, array: Array, error: Array) -> None:
        super().__init__(array)
        self.error = np.broadcast_to(error, self.array.shape)

    def _apply(self, op: Op, operands: tuple[Any, ...], params: Params) -> Any:
        execution = TILES.get()
        assert isinstance(execution, _Measuring)
        central = super()._apply(op, operands, params).array
        blocks = [operand for operand in operands if isinstance(operand, _Measured)]
        entering = [execution.entering(block) for block in blocks]
        sizes = [np.abs(block.array) for block in blocks]
        error, size, terms = np.zeros(central.shape), np.abs(central), 1
        if op.family == "product":
            (a, b), (c, d) = sizes, entering
            error, size = a @ d + c @ b + c @ d, a @ b
            terms = max(block.array.shape[-1] for block in blocks)
        elif op.pool == "sum":
            error, size = (
                super(_Measured, self)._apply(op, (ArrayValue(of),), params).array
                for of in (entering[0], sizes[0])
            )
            terms = blocks[0].array.size // max(central.size, 1)
        elif any(one.any() for one in entering):
            for signs in product((1, -1), repeat=len(blocks)):
                moved = iter(
                    ArrayValue(b.array + s * e) for b, s, e in zip(blocks, signs, entering, strict=True)
                )
                given = tuple(
                    next(moved) if isinstance(operand, _Measured) else operand for operand in operands
                )
                error = np.maximum(error, np.abs(super()._apply(op, given, params).array - central))
        if (
            op.pool == "max"
            and -1 in params[0]
            and execution.registers == "32 bits"
            and blocks[0].error.any()
        ):
            error = error + BFLOAT16_CUT * size
        return _Measured(central, error + execution.own(op, central, size, terms))


class _Measuring(_Arrays):
    """Runs a tile program over arrays with errors. Loops take one tile at a time, which rounds most often."""

    def __init__(self, registers: Registers, dtypes: Mapping[str, str]) -> None:
        self.registers, self.dtypes = registers, dtypes
        self.errors: dict[int, Array] = {}

    def entering(self, value: _Measured) -> Array:
        """The error of an operand where it is computed with."""
        if self.registers != "32 bits":
            return value.error
        lost = np.abs(value.array - truncated(value.array.astype(np.float32)))
        return value.error + np.where(value.error > 0, np.abs(value.array) * 2.0**-10, lost)

    def own(self, op: Op, central: Array, size: Array, terms: int) -> Array:
        """What an operation itself may be off."""
        if op.family == "transposition" or op.pool == "max" or op.traits & {"closed", "comparison"}:
            return np.zeros(central.shape)
        if self.registers == "simulator":
            last = terms + 1 if terms > 1 else 1 if op.tolerance is EXACT else _FUNCTION
            return last * _EPSILON * (size + (op.tolerance is not EXACT))
        tolerance = op.tolerance["float32" if self.registers == "32 bits" else "bfloat16"]
        if op.tolerance is EXACT and self.registers == "16 bits":
            return np.abs(rounded(central, "bfloat16") - central)
        return tolerance.absolute + tolerance.relative * size

    def load(self, part: TilePart) -> ArrayValue:
        value = super().load(part)
        array = part.tensor.tensor
        error = self.errors.setdefault(id(array), np.zeros(array.shape))
        return _Measured(value.array, np.array(error[_index(part)]))

    def store(self, part: TilePart, value: Any) -> None:
        super().store(part, value)
        array, index, dtype = part.tensor.tensor, _index(part), self.dtypes[part.tensor.name]
        kept = rounded(value.array, dtype).astype(np.float64)
        either = [rounded(value.array + sign * value.error, dtype) - kept for sign in (1, -1)]
        array[index] = kept
        self.errors.setdefault(id(array), np.zeros(array.shape))[index] = np.max(np.abs(either), axis=0)

    def blocks(self, loop: TileLoop) -> Iterator[Any]:
        if loop.axis.unit == 1 or isinstance(loop.step, int):
            return super().blocks(loop)
        return (ArrayBlock(start, 1) for start in range(loop.axis.units))


def expected(
    function: Callable[..., None],
    tensors: Mapping[str, Array],
    registers: Registers,
    dtypes: Mapping[str, str],
) -> dict[str, Expected]:
    """What each tensor holds after the function of a tile program, and how far an execution may be off."""
    execution = _Measuring(registers, dtypes)
    arrays = {name: np.array(array, np.float64) for name, array in tensors.items()}
    token = TILES.set(execution)
    try:
        with np.errstate(all="ignore"):
            function(**{name: TileTensor(execution, name, array) for name, array in arrays.items()})
    finally:
        TILES.reset(token)
    return {
        name: Expected(values=array, error=execution.errors.get(id(array), np.zeros(array.shape)))
        for name, array in arrays.items()
    }
