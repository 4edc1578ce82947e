"""Indices as sums of products, to compare trip counts that depend on shapes that are not known."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import OpResult, SSAValue

from ttl.analysis.arithmetic import BINARY
from ttl.dialects import ttl as dialect


@dataclass(frozen=True, order=True, slots=True)
class Indeterminate:
    """A quantity that is not a sum or product: an extent, a coordinate, a quotient.

    Equal keys are equal values on one node. ``name`` is for messages; ``parts`` are the operands of a quotient,
    remainder, minimum or maximum.
    """

    name: str
    key: Hashable = field(compare=True)
    apply: Callable[..., int] | None = field(default=None, compare=False)
    parts: tuple[Polynomial, ...] = field(default=(), compare=False)

    @property
    def is_extent(self) -> bool:
        """Whether it is the extent of a tensor, in elements."""
        return isinstance(self.key, tuple) and self.key[0] == "dim"


Monomial = tuple[Indeterminate, ...]
"""A product of indeterminates, sorted; empty for the constant."""


class Polynomial:
    """A sum of products of indeterminates, with integer factors. Equal sums look equal. Immutable."""

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        self.terms = {term: factor for term, factor in sorted(terms.items(), key=_by_names) if factor}

    @staticmethod
    def constant(number: int) -> Polynomial:
        """A number."""
        return Polynomial({(): number})

    @staticmethod
    def of(indeterminate: Indeterminate) -> Polynomial:
        """A single indeterminate."""
        return Polynomial({(indeterminate,): 1})

    @property
    def number(self) -> int | None:
        """The value, if it is a number; else None."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    @property
    def indeterminates(self) -> frozenset[Indeterminate]:
        """The indeterminates without parts, also those within parts of others: their values can be chosen freely."""
        indeterminates: set[Indeterminate] = set()
        for term in self.terms:
            for indeterminate in term:
                indeterminates.update(
                    *(part.indeterminates for part in indeterminate.parts)
                ) if indeterminate.parts else indeterminates.add(indeterminate)
        return frozenset(indeterminates)

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for term, factor in other.terms.items():
            terms[term] = terms.get(term, 0) + factor
        return Polynomial(terms)

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + other.scaled(-1)

    def __mul__(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, int] = {}
        for one, first in self.terms.items():
            for two, second in other.terms.items():
                term = tuple(sorted((*one, *two), key=_by_name))
                terms[term] = terms.get(term, 0) + first * second
        return Polynomial(terms)

    def scaled(self, factor: int) -> Polynomial:
        """Multiply by a number."""
        return Polynomial({term: number * factor for term, number in self.terms.items()})

    def at(self, values: Values) -> int:
        """Evaluate for values of the indeterminates."""
        total = 0
        for term, factor in self.terms.items():
            for indeterminate in term:
                factor *= _value(indeterminate, values)
            total += factor
        return total

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __str__(self) -> str:
        return _joined(self.terms) or "0"

    __repr__ = __str__


Values = Mapping[Indeterminate, int]
"""A number for each indeterminate."""


def _value(indeterminate: Indeterminate, values: Values) -> int:
    if indeterminate.apply is None:
        return values[indeterminate]
    return indeterminate.apply(*(part.at(values) for part in indeterminate.parts))


def _by_name(indeterminate: Indeterminate) -> tuple[str, str]:
    return indeterminate.name, repr(indeterminate.key)


def _by_names(item: tuple[Monomial, int]) -> list[tuple[str, str]]:
    return [_by_name(indeterminate) for indeterminate in item[0]]


def _joined(terms: Mapping[Monomial, int]) -> str:
    text = ""
    for term, factor in sorted(terms.items(), key=lambda item: (not item[0], _by_names(item))):
        size = abs(factor)
        parts = [str(size)] if size != 1 or not term else []
        shown = "*".join(parts + [indeterminate.name for indeterminate in term])
        sign = " - " if factor < 0 else " + "
        text += (sign if text else sign.strip(" +")) + shown
    return text


# Operations that are not sums of products, and their Python spelling; ``BINARY`` computes them.
_DERIVED: dict[str, str] = {
    "arith.floordivsi": "//",
    "arith.divui": "//",
    "arith.remui": "%",
    "arith.minsi": "min",
    "arith.maxsi": "max",
}


def derived(sign: str, apply: Callable[..., int], first: Polynomial, second: Polynomial) -> Polynomial:
    """Return a quotient, remainder, minimum or maximum.

    It is a number for two numbers, a polynomial if a number divides all factors of the dividend of ``//``, else an
    indeterminate; a division by zero is an indeterminate, too.
    """
    one, two = first.number, second.number
    if one is not None and two is not None and not (two == 0 and sign in ("//", "%")):
        return Polynomial.constant(apply(one, two))
    if sign == "//" and two and all(factor % two == 0 for factor in first.terms.values()):
        return Polynomial({term: factor // two for term, factor in first.terms.items()})
    if sign in ("//", "%"):
        name = f"{_bracketed(first)} {sign} {_bracketed(second)}"
    else:
        name = f"{sign}({first}, {second})"
    return Polynomial.of(Indeterminate(f"({name})", (sign, first, second), apply, (first, second)))


def _bracketed(form: Polynomial) -> str:
    text = str(form)
    return text if len(form.terms) <= 1 or text.startswith("(") else f"({text})"


def polynomial(value: SSAValue, known: Mapping[SSAValue, Polynomial] | None = None) -> Polynomial:
    """Return an index as a sum of products. A value that is not arithmetic on indices is an indeterminate, unless ``known``."""
    if known is not None and value in known:
        return known[value]
    if isinstance(value, OpResult):
        result = _of_op(value.op, value, known)
        if result is not None:
            return result
    return Polynomial.of(Indeterminate(value.name_hint or "a value", ("value", id(value))))


def _tensor(value: SSAValue) -> SSAValue:
    """Return the tensor behind an accessor, or the tensor itself."""
    while isinstance(value, OpResult) and value.op.operands:
        value = value.op.operands[0]
    return value


def _of_op(op: Any, value: OpResult, known: Mapping[SSAValue, Polynomial] | None) -> Polynomial | None:
    match op:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return Polynomial.constant(number.value.data)
        case arith.AddiOp():
            return polynomial(op.lhs, known) + polynomial(op.rhs, known)
        case arith.SubiOp():
            return polynomial(op.lhs, known) - polynomial(op.rhs, known)
        case arith.MuliOp():
            return polynomial(op.lhs, known) * polynomial(op.rhs, known)
        case arith.IndexCastOp():
            return polynomial(op.operands[0], known)
        case dialect.DimOp():
            extent = op.shape[op.axis]
            if extent >= 0:
                return Polynomial.constant(extent)
            tensor = _tensor(op.source)
            name = f"{tensor.name_hint or 'a tensor'}.shape[{op.axis}]"
            return Polynomial.of(Indeterminate(name, ("dim", id(tensor), op.axis)))
        case dialect.NodeOp():
            name = value.name_hint or f"ttl.node(dims={len(op.results)})[{value.index}]"
            return Polynomial.of(Indeterminate(name, ("node", len(op.results), value.index)))
    sign = _DERIVED.get(op.name)
    if sign is None:
        return None
    return derived(
        sign, BINARY[op.name], polynomial(op.operands[0], known), polynomial(op.operands[1], known)
    )
