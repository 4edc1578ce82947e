"""What every part of the generator uses: choices drawn from the seed, and the values made so far.

A value carries what decides whether a result is the same in any order of evaluation: whether its elements are
whole and how large they can be. Sums and products of small whole numbers are exact in float32, so most programs
are compared bit by bit; what is not exact goes through well-conditioned operations only and has a tolerance.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

from support.random_programs.language.reference import FLOATS, INTEGERS, is_float
from support.random_programs.language.spec import Inner, Instr, Port, Shape, Style, TensorSpec

# Whole numbers up to here are exact in float32, with room for a sum.
LARGEST_EXACT = 2**23
# Sums whose order is free stay this small, so that their error does, too.
LARGEST_INEXACT = 2**15
_INT_LIMIT = 2**40
_FLOAT_WEIGHTS = (8, 5, 2, 2, 1)
INTEGER_BOUNDS = {name: 2.0 ** (bits - signed) for name, (bits, signed) in INTEGERS.items()}


@dataclass(frozen=True, kw_only=True)
class Value:
    """A value of the compute kernel. ``inner`` are the dims (-1, -2) along which only lane 0 is defined."""

    name: str
    shape: Shape
    integer: bool = False
    dtype: str = ""
    whole: bool = True
    bound: float = 4.0
    exact: bool = True
    finite: bool = True
    inner: frozenset[int] = frozenset()

    def same_kind(self, other: Value) -> bool:
        return (self.shape, self.integer, self.inner) == (other.shape, other.integer, other.inner)


class Choices:
    """The seed's random numbers, and the program as far as it is written."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.tensors: list[TensorSpec] = []
        self.inputs: list[Port] = []
        self.inner: list[Inner] = []
        self.outputs: list[Port] = []
        self.body: list[Instr] = []
        self.values: list[Value] = []
        self.count = 0
        self.tiled = True
        self.padded = False
        # Whether nodes differ in their number of items: by "x" or "y" where they exchange blocks.
        self.ragged_by = ""
        # Where the tensor is written that is read and written by one kernel.
        self.turn = ""
        self.inexact: set[str] = set()
        self.wide = self.random.choice(("int32", "uint32"))

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *options: Any) -> Any:
        return self.random.choice(options)

    def name(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def dtype(self, integer: bool) -> str:
        if integer:
            return str(self.pick(self.wide, self.wide, "uint16", "uint8"))
        floats = FLOATS if self.tiled else FLOATS[:3]
        return self.random.choices(floats, _FLOAT_WEIGHTS[: len(floats)])[0]

    def style(self) -> Style:
        return self.random.choices(("with", "explicit", "inferred"), (4, 3, 2))[0]

    def _spec(self, name: str) -> TensorSpec:
        return next(each for each in self.tensors if each.name == name)

    def _emit(self, result: Value, op: str, *args: Any, **params: Any) -> Value:
        self._add("op", result.name, result, *args, op=op, params=tuple(params.items()))
        return self._checked(result)

    def _add(self, kind: Any, name: str, like: Value, *args: Any, **more: Any) -> None:
        """A statement whose result has the shape of a value, and is an integer if that is."""
        made = Instr(name=name, kind=kind, args=args, shape=like.shape, integer=like.integer, **more)
        self.body.append(made)

    def _checked(self, value: Value) -> Value:
        """Keep magnitudes where arithmetic stays exact, or at least finite."""
        limit = _INT_LIMIT if value.integer else LARGEST_EXACT
        self.values.append(value)
        if value.bound < limit or (value.bound == float("inf") and self.chance(0.5)):
            return value
        return self._clamped(value, -8, 8)

    def _clamped(self, value: Value, low: float, high: float) -> Value:
        whole = value.whole and low == int(low) and high == int(high)
        result = replace(value, name=self.name("t"), bound=max(abs(low), abs(high)), whole=whole)
        return self._emit(result, self.pick("clamp", "clamp", "hardtanh") if not value.integer else "clamp",
                          value.name, min=low, max=high)  # fmt: skip

    def _unused(self) -> list[Value]:
        """Values that nothing was made of yet."""
        used = {arg for instr in self.body for arg in instr.args}
        return [value for value in self.values if value.name not in used]

    def _partner(self, value: Value) -> Value | None:
        fits = [each for each in self.values if each.same_kind(value) and self._types_mix(each, value)]
        unused = [each for each in self._unused() if each in fits and each.name != value.name]
        fits = unused if unused and self.chance(0.6) else fits
        return self.random.choice(fits) if fits else None

    def _types_mix(self, a: Value, b: Value) -> bool:
        return not a.integer or not b.integer or {a.dtype, b.dtype} != {"int32", "uint32"}

    def _joined(self, a: Value, b: Value, bound: float, **changes: Any) -> Value:
        dtype = ""
        if a.integer:
            dtype = a.dtype if INTEGERS[a.dtype][0] >= INTEGERS[b.dtype][0] else b.dtype
        base = Value(
            name=self.name("t"), shape=a.shape, integer=a.integer, dtype=dtype, whole=a.whole and b.whole,
            bound=bound, exact=a.exact and b.exact, finite=a.finite and b.finite, inner=a.inner,
        )  # fmt: skip
        return replace(base, **changes)

    def _number(self, value: Value) -> float:
        whole = value.integer or self.chance(0.5)
        return self.random.randint(-3, 3) if whole else self.pick(0.5, -1.25, 2.0, 0.1)

    def _like(self, value: Value) -> TensorSpec | None:
        """A tensor whose element type a block of this value may have."""
        fits = [t for t in self.tensors if is_float(t.dtype) is not value.integer and t.tiled is self.tiled]
        fits = [t for t in fits if not value.integer or t.dtype in (self.wide, "uint16", "uint8")]
        return self.random.choice(fits) if fits else None

    def _stored(self, value: Value, name: str, dtype: str) -> Value:
        if value.integer:
            return replace(value, name=name, dtype=dtype, bound=INTEGER_BOUNDS[dtype])
        holds = dtype == "float32" or (value.bound <= 128 and dtype in ("bfloat16", "float16"))
        return replace(value, name=name, whole=value.whole and holds)
