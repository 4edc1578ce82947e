"""Random programs for the machine: the expressions of random kernels, over leaves with padding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from native.machine_programs import Operand, Program
from support.random_programs.block_expressions import Expressions, Shape, Value
from ttl.rows.dtypes import BFLOAT4_B, BFLOAT8_B, BFLOAT16, FLOAT16, FLOAT32, DType
from ttl.rows.table import op
from ttl.rows.types import Layout

# Where a last bit of an operand may make a result another number.
JUMPS = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "sign", "floor"})


class _Author(Program):
    """Takes the parameters of an operation by name."""

    def apply(self, row: str, *operands: Any, **params: Any) -> Operand:
        given = tuple(params.get(param.name, param.default) for param in op(row).params)
        return super().apply(row, *operands, params=given)


@dataclass
class RandomProgram(Expressions):
    """A program of one seed: up to eight steps on blocks of up to four dimensions."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.integer, self.layout = False, Layout.TILE
        self.random = np.random.default_rng(self.seed)
        self.program = self.author = _Author()
        dtype = self.choose.choice((BFLOAT16, BFLOAT16, FLOAT32, FLOAT16, BFLOAT8_B))
        self.dtypes: tuple[DType, ...] = (dtype, *((FLOAT32,) if self.chance(0.3) else ()))
        self.rank = self.choose.choice((2, 2, 3, 4))
        self._inputs()
        self._expression(self.choose.randint(1, 8))
        last = self.program.dtype
        self.stored_as: DType = self.choose.choice((last, FLOAT32, BFLOAT16, FLOAT16, BFLOAT8_B, BFLOAT4_B))

    def values(self, shape: Shape) -> np.ndarray:
        """Whole numbers, where every sum of them is exact in any order; else any."""
        if self.bound is not None:
            return self.random.integers(-3, 4, shape).astype(np.float64)
        return self.random.standard_normal(shape) / 2

    def _input(self, shape: Shape, *, count: int | None = None) -> Value:
        rows, columns = shape[-2] * 32, shape[-1] * 32
        valid = (
            (self.choose.randint(1, rows), self.choose.randint(1, columns - 1)) if self.chance(0.25) else None
        )
        unrounded = self.chance(0.15)
        leaf = self.program.leaf(
            *shape, dtype=self.choose.choice(self.dtypes), valid=valid, unrounded=unrounded
        )
        self.pool.append(Value(leaf, shape, 3))
        return self.pool[-1]

    def _step(self, value: Value) -> Value:
        own: tuple[Callable[[Value], Value], ...] = (self._typecast, self._chain, self._floor)
        return self.choose.choice(own)(value) if self.chance(0.2) else super()._step(value)

    def _floor(self, value: Value) -> Value:
        return self._made(self._row("floor", value), value, value.bound + 1)

    def _typecast(self, value: Value) -> Value:
        dtype = self.choose.choice(self.dtypes)
        return self._made(self._row("typecast", value, dtype=dtype), value, value.bound, exact=False)

    def _chain(self, value: Value) -> Value:
        """A sum of products of matrices, from zero or from a value on."""
        total = self._filled(0, value.shape) if self.chance(0.4) else value.ssa
        *outer, rows, columns = value.shape
        bound = value.bound
        for _ in range(self.choose.randint(1, 3)):
            inner = self.choose.randint(1, 2)
            a, b = self._input((*outer, rows, inner)), self._input((*outer, inner, columns))
            self.pool = self.pool[:-2]
            pair = [total, self.author.apply("matmul", a.ssa, b.ssa)]
            total = self.author.apply("add", *(pair if self.chance(0.7) else reversed(pair)))
            bound += 9 * 32 * inner
        return self._made(total, value, bound)
