"""Indices as sums of products, to compare trip counts that depend on shapes nobody has given yet."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import OpResult, SSAValue

from ttl.dialects import ttl as dialect

Term = tuple["Atom", ...]
"""A product of atoms, sorted; empty for the constant."""


@dataclass(frozen=True, order=True, slots=True)
class Atom:
    """What cannot be taken apart further: an extent, a coordinate, a quotient.

    Equal keys are equal values on one node. ``name`` is for messages; ``parts`` are the operands of a quotient,
    remainder, minimum or maximum.
    """

    name: str
    key: Hashable = field(compare=True)
    apply: Callable[..., int] | None = field(default=None, compare=False)
    parts: tuple[Linear, ...] = field(default=(), compare=False)

    @property
    def is_extent(self) -> bool:
        """Whether it is the extent of a tensor, in elements."""
        return isinstance(self.key, tuple) and self.key[0] == "dim"


class Linear:
    """A sum of products of atoms, with integer factors. Equal sums look equal. Immutable."""

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Term, int]) -> None:
        self.terms = {term: factor for term, factor in sorted(terms.items(), key=_by_names) if factor}

    @staticmethod
    def constant(number: int) -> Linear:
        """A number."""
        return Linear({(): number})

    @staticmethod
    def of(atom: Atom) -> Linear:
        """A single atom."""
        return Linear({(atom,): 1})

    @property
    def number(self) -> int | None:
        """The value, if it is a number; else None."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    @property
    def atoms(self) -> frozenset[Atom]:
        """The atoms that no other of the sum computes: those a value has to be chosen for."""
        found: set[Atom] = set()
        for term in self.terms:
            for atom in term:
                found.update(*(part.atoms for part in atom.parts)) if atom.parts else found.add(atom)
        return frozenset(found)

    def __add__(self, other: Linear) -> Linear:
        terms = dict(self.terms)
        for term, factor in other.terms.items():
            terms[term] = terms.get(term, 0) + factor
        return Linear(terms)

    def __sub__(self, other: Linear) -> Linear:
        return self + other.scaled(-1)

    def __mul__(self, other: Linear) -> Linear:
        terms: dict[Term, int] = {}
        for one, first in self.terms.items():
            for two, second in other.terms.items():
                term = tuple(sorted((*one, *two), key=_by_name))
                terms[term] = terms.get(term, 0) + first * second
        return Linear(terms)

    def scaled(self, factor: int) -> Linear:
        """Times a number."""
        return Linear({term: each * factor for term, each in self.terms.items()})

    def at(self, values: Values) -> int:
        """The value where the atoms have these values."""
        total = 0
        for term, factor in self.terms.items():
            for atom in term:
                factor *= _value(atom, values)
            total += factor
        return total

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Linear) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __str__(self) -> str:
        return _joined(self.terms) or "0"

    __repr__ = __str__


Values = Mapping[Atom, int]
"""A number for each atom."""


def _value(atom: Atom, values: Values) -> int:
    if atom.apply is None:
        return values[atom]
    return atom.apply(*(part.at(values) for part in atom.parts))


def _by_name(atom: Atom) -> tuple[str, str]:
    return atom.name, repr(atom.key)


def _by_names(item: tuple[Term, int]) -> list[tuple[str, str]]:
    return [_by_name(atom) for atom in item[0]]


def _joined(terms: Mapping[Term, int]) -> str:
    text = ""
    for term, factor in sorted(terms.items(), key=lambda item: (not item[0], _by_names(item))):
        size = abs(factor)
        parts = [str(size)] if size != 1 or not term else []
        shown = "*".join(parts + [atom.name for atom in term])
        sign = " - " if factor < 0 else " + "
        text += (sign if text else sign.strip(" +")) + shown
    return text


def _floor(first: int, second: int) -> int:
    return first // second


_DERIVED: dict[str, tuple[str, Callable[..., int]]] = {
    "arith.floordivsi": ("//", _floor),
    "arith.divui": ("//", _floor),
    "arith.remui": ("%", lambda first, second: first % second),
    "arith.minsi": ("min", min),
    "arith.maxsi": ("max", max),
}


def derived(sign: str, apply: Callable[..., int], first: Linear, second: Linear) -> Linear:
    """A quotient, remainder, minimum or maximum: a number where it can be, else an atom of its own."""
    one, two = first.number, second.number
    if one is not None and two is not None and not (two == 0 and sign in ("//", "%")):
        return Linear.constant(apply(one, two))
    if sign == "//" and two and all(factor % two == 0 for factor in first.terms.values()):
        return Linear({term: factor // two for term, factor in first.terms.items()})
    if sign in ("//", "%"):
        name = f"{_bracketed(first)} {sign} {_bracketed(second)}"
    else:
        name = f"{sign}({first}, {second})"
    return Linear.of(Atom(f"({name})", (sign, first, second), apply, (first, second)))


def _bracketed(form: Linear) -> str:
    text = str(form)
    return text if len(form.terms) <= 1 or text.startswith("(") else f"({text})"


def linear(value: SSAValue, known: Mapping[SSAValue, Linear] | None = None) -> Linear:
    """An index as a sum of products. What is not arithmetic on indices is an atom, ``known`` values excepted."""
    if known is not None and value in known:
        return known[value]
    if isinstance(value, OpResult):
        found = _of_op(value.op, value, known)
        if found is not None:
            return found
    return Linear.of(Atom(value.name_hint or "a value", ("value", id(value))))


def _tensor(value: SSAValue) -> SSAValue:
    """The tensor itself, of an accessor, too."""
    while isinstance(value, OpResult) and value.op.operands:
        value = value.op.operands[0]
    return value


def _of_op(op: Any, value: OpResult, known: Mapping[SSAValue, Linear] | None) -> Linear | None:
    match op:
        case arith.ConstantOp(value=IntegerAttr() as number):
            return Linear.constant(number.value.data)
        case arith.AddiOp():
            return linear(op.lhs, known) + linear(op.rhs, known)
        case arith.SubiOp():
            return linear(op.lhs, known) - linear(op.rhs, known)
        case arith.MuliOp():
            return linear(op.lhs, known) * linear(op.rhs, known)
        case arith.IndexCastOp():
            return linear(op.operands[0], known)
        case dialect.DimOp():
            extent = op.shape[op.axis]
            if extent >= 0:
                return Linear.constant(extent)
            tensor = _tensor(op.source)
            name = f"{tensor.name_hint or 'a tensor'}.shape[{op.axis}]"
            return Linear.of(Atom(name, ("dim", id(tensor), op.axis)))
        case dialect.NodeOp():
            name = value.name_hint or f"ttl.node(dims={len(op.results)})[{value.index}]"
            return Linear.of(Atom(name, ("node", len(op.results), value.index)))
    derivation = _DERIVED.get(op.name)
    if derivation is None:
        return None
    sign, apply = derivation
    return derived(sign, apply, linear(op.operands[0], known), linear(op.operands[1], known))
