"""Random programs for the machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from native.machine_programs import Operand, Program
from ttl.rows.dtypes import BFLOAT4_B, BFLOAT8_B, BFLOAT16, FLOAT16, FLOAT32, DType
from ttl.rows.row import Valid

_UNARY = ("abs", "neg", "relu", "square", "tanh", "sigmoid", "floor")
_BINARY = ("add", "sub", "mul", "max", "min", "gt", "rsub")
# Where a last bit of an operand may make a result another number.
JUMPS = frozenset({"gt", "floor"})


class RandomProgram:
    """A program of one seed: up to eight operations on blocks of up to four dimensions."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.program = Program()
        self._dtype: DType = self._choice((BFLOAT16, BFLOAT16, FLOAT32, FLOAT16, BFLOAT8_B))
        rank = self._choice((2, 2, 3, 4))
        self._base = (*self._extents(rank - 2, 2), *self._extents(2, 3))
        self._values = [self._leaf(self._base)]
        makers: tuple[tuple[Callable[[Operand], Operand | None], int], ...] = (
            (self._unary, 3), (self._binary, 4), (self._with_number, 2), (self._new_leaf, 1), (self._reduce, 4),
            (self._broadcast, 5), (self._transpose, 2), (self._matmul, 2), (self._chain, 2), (self._where, 1),
            (self._fill, 1), (self._squeeze, 1), (self._unsqueeze, 1), (self._typecast, 1),
        )  # fmt: skip
        choices = [make for make, weight in makers for _ in range(weight)]
        for _ in range(self.random.integers(1, 9)):
            made = self._choice(choices)(self._choice(self._values))
            if made is not None:
                self._values.append(made)
        self.stored_as: DType = self._choice(
            (self.program.dtype, FLOAT32, BFLOAT16, FLOAT16, BFLOAT8_B, BFLOAT4_B)
        )

    def _choice(self, options: Sequence[Any]) -> Any:
        return options[int(self.random.integers(len(options)))]

    def _chance(self, probability: float) -> bool:
        return bool(self.random.random() < probability)

    def _extents(self, count: int, most: int) -> tuple[int, ...]:
        return tuple(int(each) for each in self.random.integers(1, most + 1, count))

    def _shape(self, operand: Operand) -> tuple[int, ...]:
        return self.program.type(operand).shape

    def _leaf(self, shape: tuple[int, ...]) -> Operand:
        rows, columns = shape[-2] * 32, shape[-1] * 32
        valid: Valid = None
        if self._chance(0.25):
            valid = int(self.random.integers(1, rows + 1)), int(self.random.integers(1, columns))
        return self.program.leaf(*shape, dtype=self._dtype, valid=valid, unrounded=self._chance(0.15))

    def _number(self) -> float:
        return float(self.random.standard_normal())

    def _unary(self, x: Operand) -> Operand:
        if self._chance(0.15):
            return self.program.apply("exp", x, params=(False, 1.0))
        return self.program.apply(self._choice(_UNARY), x)

    def _binary(self, x: Operand) -> Operand:
        same = [value for value in self._values if self._shape(value) == self._shape(x)]
        other = self._choice(same) if self._chance(0.8) else self._leaf(self._shape(x))
        if not self.program.dtypes_mix(x, other):
            other = x
        return self.program.apply(self._choice(_BINARY), x, other)

    def _with_number(self, x: Operand) -> Operand:
        first, second = (x, self._number()) if self._chance(0.5) else (self._number(), x)
        name = self._choice(_BINARY[:-1]) if first is not x else self._choice(_BINARY)
        return self.program.apply(name, first, second)

    def _new_leaf(self, x: Operand) -> Operand:
        return self._leaf(self._shape(x))

    def _some(self, dims: list[int]) -> list[int]:
        count = int(self.random.integers(1, len(dims) + 1))
        return [int(dim) for dim in self.random.permutation(dims)[:count]]

    def _reduce(self, x: Operand) -> Operand:
        rank = len(self._shape(x))
        dims = [dim - rank if self._chance(0.5) else dim for dim in self._some(list(range(rank)))]
        name = self._choice(("reduce_sum", "reduce_max"))
        return self.program.apply(name, x, params=(tuple(dims), None))

    def _broadcast(self, x: Operand) -> Operand | None:
        shape = list(self._shape(x))
        ones = [dim for dim, extent in enumerate(shape) if extent == 1]
        if not ones:
            return None
        dims = self._some(ones)
        for dim in dims:
            shape[dim] = self._base[dim] if len(self._base) == len(shape) else int(self.random.integers(1, 3))
        return self.program.apply("broadcast", x, params=(tuple(dims), tuple(shape)))

    def _transpose(self, x: Operand) -> Operand | None:
        return self.program.apply("transpose", x) if len(self._shape(x)) == 2 else None

    def _matmul(self, x: Operand) -> Operand:
        *outer, _, columns = self._shape(x)
        other = self._leaf((*outer, columns, *self._extents(1, 2)))
        return self.program.apply("matmul", x, other) if self.program.dtypes_mix(x, other) else other

    def _chain(self, x: Operand) -> Operand:
        *outer, rows, columns = self._shape(x)
        total = x
        if self._chance(0.4) or not self.program.dtypes_mix(x, self._values[0]):
            total = self.program.apply("fill", params=(0, self._shape(x), None))
        for inner in self._extents(int(self.random.integers(1, 4)), 2):
            a, b = self._leaf((*outer, rows, inner)), self._leaf((*outer, inner, columns))
            product = self.program.apply("matmul", a, b)
            first, second = (total, product) if self._chance(0.7) else (product, total)
            total = self.program.apply("add", first, second)
        return total

    def _where(self, x: Operand) -> Operand:
        condition = self.program.apply("gt", x, self._number())
        return self.program.apply("where", condition, x, self._number())

    def _fill(self, x: Operand) -> Operand:
        return self.program.apply("fill", params=(self._number(), self._shape(x), None))

    def _squeeze(self, x: Operand) -> Operand | None:
        shape = self._shape(x)
        ones = [dim for dim, extent in enumerate(shape) if extent == 1]
        if not ones or len(shape) == 2:
            return None
        return self.program.apply("squeeze", x, params=((self._choice(ones),),))

    def _unsqueeze(self, x: Operand) -> Operand | None:
        rank = len(self._shape(x))
        place = int(self.random.integers(rank + 1))
        return self.program.apply("unsqueeze", x, params=((place,),)) if rank < 4 else None

    def _typecast(self, x: Operand) -> Operand:
        target = self._choice((BFLOAT16, FLOAT16, BFLOAT8_B, FLOAT32))
        return self.program.apply("typecast", x, params=(target,))
