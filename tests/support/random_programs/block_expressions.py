"""Random expressions of blocks, of whole numbers as long as nothing but exact operations made them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from typing import Any

from xdsl.ir import SSAValue

from support.block_kernels import Author
from ttl.rows.dtypes import BFLOAT8_B, BFLOAT16, FLOAT16, FLOAT32, INT32, DType
from ttl.rows.types import Layout

Shape = tuple[int, ...]
# Beyond this, float32 does not hold all whole numbers.
_LIMIT = 2.0**22
_DTYPES = ((BFLOAT16,), (BFLOAT16,), (FLOAT32,), (BFLOAT16, FLOAT32), (BFLOAT16, BFLOAT8_B), (FLOAT16,))
_EXACT = ("abs", "neg", "relu", "square", "sign", "relu_max", "relu_min", "clamp", "leaky_relu")
_PARAMS: dict[str, dict[str, float]] = {
    "relu_max": {"upper_limit": 5}, "relu_min": {"lower_limit": 2}, "clamp": {"min": -3, "max": 4}, "leaky_relu": {"slope": 0.5},
    "elu": {"slope": 0.5},
}  # fmt: skip
_SMOOTH = (
    "exp", "sigmoid", "tanh", "silu", "gelu", "sqrt", "recip", "rsqrt", "log", "sin", "softsign", "elu",
)  # fmt: skip
_BINARY = ("add", "add", "sub", "mul", "mul", "max", "min", "div", "compare", "where", "rsub")


@dataclass(frozen=True)
class Value:
    """A value of the kernel, and how large its elements may be."""

    ssa: SSAValue
    shape: Shape
    bound: float
    exact: bool = True


@dataclass
class Expressions:
    """Writes expressions of blocks; what they are of is in ``pool``."""

    seed: int
    # How many of the numbers beside blocks are known only when the kernel runs, in half of the kernels.
    later: float = 0.5
    choose: random.Random = field(init=False)
    author: Author = field(init=False)

    def __post_init__(self) -> None:
        self.choose = random.Random(self.seed)
        self.integer = self.chance(0.15)
        self.layout = Layout.ROW_MAJOR if self.chance(0.12) else Layout.TILE
        self.dtypes: tuple[DType, ...] = (INT32,) if self.integer else self.choose.choice(_DTYPES)
        fp32 = None if self.integer or self.chance(0.6) else self.chance(0.5)
        # Not of ``choose``: the rest of a kernel does not depend on what is known when.
        known = random.Random(f"{self.seed} known")
        share = self.later if known.random() < 0.5 else 0.0
        full_sync = self.choose.choice((None, None, None, True, False))
        self.author = Author(fp32=fp32, full_sync=full_sync, later=lambda: known.random() < share)
        self.rank = self.choose.choice((2, 2, 2, 3, 4)) if self.tiled else self.choose.choice((1, 2, 3))
        self.counts: dict[str, int] = {}
        self.turns = 1
        self.bound: float | None = 1.0
        self.held: list[SSAValue] = []
        self.pool: list[Value] = []
        self.outputs = 0

    @property
    def tiled(self) -> bool:
        return self.layout is Layout.TILE

    def chance(self, probability: float) -> bool:
        return self.choose.random() < probability

    # --- parts of scenes ---

    def _loop(
        self, body: Callable[..., Sequence[SSAValue]], count: int | None = None, carried: Sequence[Value] = ()
    ) -> tuple[SSAValue, ...]:
        before = self.turns
        count = count or self.choose.randint(1, 3)
        self.turns *= count
        results = self.author.loop(count, [each.ssa for each in carried], body, known=self.chance(0.7))
        self.turns = before
        return results

    @contextmanager
    def _inside(self, *pool: Value) -> Iterator[None]:
        """A scope with these values: the blocks that it waits for are given back at its end."""
        before = self.pool, self.held
        self.pool, self.held = list(pool), []
        yield
        self._release()
        self.pool, self.held = before

    def _release(self) -> None:
        for block in self.held:
            self.author.pop(block)
        self.pool, self.held = [], []

    def _first(self, shape: Shape) -> Value:
        if self.chance(0.5):
            return self._input(shape)
        number = self.choose.choice((0, 0, 1, -2))
        like = self._input(shape)
        return Value(self.author.retype(self._filled(number, shape), like.ssa), shape, 2)

    def _addend(self, shape: Shape) -> Value:
        if self.tiled and not self.integer and self.chance(0.5):
            return self._product(shape)
        self._input(shape)
        if self.chance(0.3):
            self._input(shape)
        first = self.pool[-1]
        value = self._expression(self.choose.randint(0, 2))
        return value if value.shape == shape else first

    def _dfb(self, shape: Shape, *, count: int, blocks: int) -> SSAValue:
        name = f"in_{len(self.counts)}"
        self.counts[name] = blocks * self.turns
        return self.author.dfb(name, shape, self.choose.choice(self.dtypes), layout=self.layout, count=count)

    def _input(self, shape: Shape, *, count: int | None = None) -> Value:
        dfb = self._dfb(shape, count=count or self.choose.randint(1, 3), blocks=1)
        block = self.author.wait(dfb)
        self.held.append(block)
        value = Value(self.author.read(block), shape, 3)
        self.pool.append(value)
        return value

    def _inputs(self) -> None:
        shape = self._shape()
        for _ in range(self.choose.randint(1, 3)):
            self._input(shape)
        if self.tiled and self.chance(0.4):
            self._input(tuple(1 if self.chance(0.5) else extent for extent in shape))

    def _output(self, shape: Shape) -> SSAValue:
        dtype = self.choose.choice(self.dtypes)
        self.outputs += 1
        count = self.choose.randint(1, 2)
        return self.author.dfb(f"out_{self.outputs}", shape, dtype, layout=self.layout, count=count)

    def _send(self, value: Value) -> None:
        self.author.send(value.ssa, self._output(value.shape))

    def _shape(self) -> Shape:
        if not self.tiled:
            return tuple(self.choose.choice((3, 8, 20, 33, 70)) for _ in range(self.rank))
        extents = [self.choose.choice((1, 1, 2, 2, 3)) for _ in range(self.rank)]
        if self.chance(0.2):
            extents[self.choose.choice((-1, -2))] = self.choose.choice((4, 5, 7))
        while prod(extents) > 24:
            extents[extents.index(max(extents))] = 1
        return tuple(extents)

    # --- expressions ---

    def _expression(self, steps: int, start: Value | None = None) -> Value:
        value = start or self.pool[-1]
        for _ in range(steps):
            value = self._step(value)
            self.pool.append(value)
        return value

    def _step(self, value: Value) -> Value:
        roll = self.choose.random()
        if roll < 0.35:
            return self._binary(value)
        if roll < 0.6 or not self.tiled:
            return self._unary(value)
        if self.integer:
            return self._repeated(value) if self.chance(0.4) else self._binary(value)
        kinds = (self._reduced, self._reduced, self._matmul, self._repeated, self._transposed, self._reshaped)
        return self.choose.choice(kinds)(value)

    def _note(self, value: Value) -> None:
        if self.bound is not None:
            self.bound = max(self.bound, value.bound) if value.exact else None

    def _made(
        self, ssa: SSAValue, like: Value, bound: float, *, exact: bool = True, shape: Shape | None = None
    ) -> Value:
        value = Value(ssa, shape or like.shape, bound, like.exact and exact)
        self._note(value)
        return value

    def _row(self, row: str, *operands: Value | float, **params: Any) -> SSAValue:
        given = (each.ssa if isinstance(each, Value) else each for each in operands)
        return self.author.apply(row, *given, **params)

    def _moved(self, row: str, value: Value, to: Shape, /, **params: Any) -> Value:
        return self._made(self._row(row, value, **params), value, value.bound, shape=to)

    def _small(self, value: Value, limit: float = 8) -> Value:
        if value.bound <= limit:
            return value
        return self._made(self._row("clamp", value, min=-limit, max=limit), value, limit)

    def _filled(self, number: float, shape: Shape) -> SSAValue:
        return self.author.apply("fill", value=number, shape=shape, layout=self.layout)

    def _unary(self, value: Value) -> Value:
        if self.integer:
            row = self.choose.choice(("abs", "neg", "relu", "clamp", "number", "number"))
        elif self.chance(0.35):
            return self._smooth(value)
        else:
            row = self.choose.choice((*_EXACT, "number", "number"))
        if row == "number":
            return self._with_number(value)
        if row == "sign" and not value.exact:
            return value
        value = self._small(value) if row == "square" else value
        bounds = {
            "square": value.bound**2,
            "sign": 1,
            "relu_max": 5,
            "relu_min": max(2, value.bound),
            "clamp": 4,
        }
        made = self._row(row, value, **_PARAMS.get(row, {}))
        return self._made(made, value, bounds.get(row, value.bound), exact=row != "leaky_relu")

    def _with_number(self, value: Value) -> Value:
        row = self.choose.choice(("add", "sub", "mul", "max", "min", "rsub", "left"))
        number = self.choose.choice((1, 2, 3, -1))
        if row == "mul":
            value = self._small(value, 2**12)
            return self._made(self._row("mul", value, number), value, value.bound * 3)
        if row == "left":
            return self._made(self._row("sub", number, value), value, value.bound + 3)
        return self._made(self._row(row, value, number), value, value.bound + 3)

    def _smooth(self, value: Value) -> Value:
        row = self.choose.choice(_SMOOTH)
        value = self._small(value, 4)
        if row in ("sqrt", "recip", "rsqrt", "log"):
            positive = self._made(self._row("abs", value), value, 4)
            value = self._made(self._row("add", positive, 1), value, 5)
        bound = 150.0 if row == "exp" else 5.0
        return self._made(self._row(row, value, **_PARAMS.get(row, {})), value, bound, exact=False)

    def _partner(self, value: Value) -> Value:
        fitting = [each for each in self.pool if each.shape == value.shape]
        if fitting and self.chance(0.8):
            return self.choose.choice(fitting)
        narrow = [
            each
            for each in self.pool
            if len(each.shape) == len(value.shape) and each.shape != value.shape
            and all(one in (1, extent) for one, extent in zip(each.shape, value.shape, strict=True))
        ]  # fmt: skip
        if narrow and self.tiled:
            return self._spread(self.choose.choice(narrow), value.shape)
        return self._made(self._filled(self.choose.choice((1, 2, 0)), value.shape), value, 2)

    def _binary(self, value: Value) -> Value:
        other = self._partner(value)
        row = self.choose.choice(_BINARY)
        if row == "div" and self.integer:
            row = "add"
        if self.chance(0.3):
            value, other = other, value
        return self._pair(row, value, other)

    def _pair(self, row: str, value: Value, other: Value) -> Value:
        exact = value.exact and other.exact
        sums = value.bound + other.bound
        match row:
            case "add" | "sub" | "rsub":
                if sums > _LIMIT:
                    return self._small(value)
                return self._made(self._row(row, value, other), value, sums, exact=exact)
            case "mul":
                value, other = self._small(value, 64), self._small(other, 64)
                return self._made(self._row(row, value, other), value, value.bound * other.bound, exact=exact)
            case "div":
                positive = self._made(self._row("abs", other), other, other.bound)
                divisor = self._made(self._row("add", positive, 1), other, other.bound + 1)
                return self._made(self._row("truediv", value, divisor), value, value.bound, exact=False)
            case "compare" if exact:
                comparison = self.choose.choice(("eq", "ne", "lt", "le", "gt", "ge"))
                return self._made(self._row(comparison, value, other), value, 1)
            case "where" if value.exact:
                third = self._partner(value)
                ssa = self._row("where", value, other, third)
                return self._made(ssa, other, max(other.bound, third.bound), exact=exact and third.exact)
            case "compare" | "where":
                row = "max"
        return self._made(self._row(row, value, other), value, max(value.bound, other.bound), exact=exact)

    def _reduced(self, value: Value) -> Value:
        rank = len(value.shape)
        dims = tuple([dim for dim in range(-rank, 0) if self.chance(0.5)] or [-self.choose.randint(1, rank)])
        row = self.choose.choice(("reduce_sum", "reduce_max"))
        count = prod(32 * value.shape[dim] if dim >= -2 else value.shape[dim] for dim in dims)
        value = self._small(value, 8)
        shape = tuple(1 if dim - rank in dims else extent for dim, extent in enumerate(value.shape))
        bound = value.bound * (count if row == "reduce_sum" else 1)
        made = self._made(self._row(row, value, dims=dims, shape=None), value, bound, shape=shape)
        if self.chance(0.25):
            return made
        if self.chance(0.3):
            made = self._unary(made)
        return self._moved("broadcast", made, value.shape, dims=dims, shape=value.shape)

    def _spread(self, value: Value, shape: Shape) -> Value:
        dims = tuple(dim for dim in range(-len(shape), 0) if value.shape[dim] != shape[dim])
        return self._moved("broadcast", value, shape, dims=dims, shape=shape)

    def _repeated(self, value: Value) -> Value:
        """Along dimensions of extent 1, within tiles too where they are among the last two."""
        ones = [dim - len(value.shape) for dim, extent in enumerate(value.shape) if extent == 1]
        dims = tuple(dim for dim in ones if self.chance(0.6))
        if not dims:
            return self._unary(value)
        extents = [*value.shape]
        for dim in dims:
            extents[dim] = self.choose.randint(1, 3)
        if prod(extents) > 24:
            return self._unary(value)
        return self._moved("broadcast", value, tuple(extents), dims=dims, shape=tuple(extents))

    def _transposed(self, value: Value) -> Value:
        if len(value.shape) != 2:
            return self._reshaped(value)
        return self._moved("transpose", value, value.shape[::-1])

    def _reshaped(self, value: Value) -> Value:
        rank = len(value.shape)
        outer = [dim for dim, extent in enumerate(value.shape[:-2]) if extent == 1]
        if outer and self.chance(0.6):
            dim = self.choose.choice(outer)
            shape = tuple(extent for each, extent in enumerate(value.shape) if each != dim)
            return self._moved("squeeze", value, shape, dims=(dim,))
        if rank == 4:
            return self._unary(value)
        dim = self.choose.randint(0, rank if self.chance(0.15) else rank - 2)
        shape = (*value.shape[:dim], 1, *value.shape[dim:])
        return self._moved("unsqueeze", value, shape, dims=(dim,))

    def _matmul(self, value: Value) -> Value:
        return self._times(self._small(value, 4), self.choose.choice((1, 2, 3)))

    def _times(self, value: Value, columns: int) -> Value:
        *outer, _, depth = value.shape
        is_turned = len(value.shape) == 2 and self.chance(0.35)
        is_shared = not is_turned and bool(outer) and self.chance(0.3)
        shape = (columns, depth) if is_turned else (depth, columns) if is_shared else (*outer, depth, columns)
        right = self._input(shape, count=2).ssa
        self.pool.pop()
        if is_turned:
            right = self.author.apply("transpose", right)
        if is_shared:
            added = tuple(range(len(outer)))
            right = self.author.apply("unsqueeze", right, dims=added)
            right = self.author.apply("broadcast", right, dims=added, shape=(*outer, depth, columns))
        product = self.author.apply("matmul", value.ssa, right)
        bound = value.bound * 3 * 32 * depth
        return self._made(product, value, bound, shape=(*value.shape[:-1], columns))

    def _product(self, shape: Shape) -> Value:
        left = self._input((*shape[:-1], self.choose.choice((1, 2, 3))))
        return self._times(left, shape[-1])
