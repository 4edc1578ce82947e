"""Facts about a value before it is evaluated: its possible kinds, its bounds, and the values on which it depends."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import IntEnum
from math import ceil, floor, isfinite
from typing import Any

from ttl.analysis.intervals import ANY, BIT, NATURAL, Interval
from ttl.frontend.classes import Instance
from ttl.frontend.kernel.algebra import TABLE, CellDecision
from ttl.frontend.kernel.bits import MOST_BITS
from ttl.frontend.kernel.carrying import LoopVar
from ttl.frontend.kernel.kinds import ValueKind, kind_of
from ttl.frontend.kernel.merging import kind_of as carried_kind
from ttl.frontend.kernel.tables import as_list
from ttl.frontend.mutable import is_container
from ttl.frontend.operators import SIGNS
from ttl.frontend.reals import NodeFloat
from ttl.frontend.scalars import NodeCondition, NodeInteger, bounds_of
from ttl.frontend.stop import Poisoned, Reject
from ttl.frontend.values import UNBOUND, Poison, is_symbolic

Loops = frozenset[int]
NO_LOOPS: Loops = frozenset()
# The most members of a container that are examined.
_MOST_MEMBERS = 256


class Rank(IntEnum):
    """Kinds of numbers; each kind can hold the kinds before it. ``OPEN`` may be any number, or another value."""

    OPEN = 0
    TRUTH = 1
    INDEX = 2
    REAL = 3


RANKS = {"truth": Rank.TRUTH, "index": Rank.INDEX, "real": Rank.REAL}
_KNOWN = {Rank.TRUTH: ValueKind.NUMBER, Rank.INDEX: ValueKind.NUMBER, Rank.REAL: ValueKind.REAL}
_OF_NODE = {Rank.TRUTH: ValueKind.CONDITION, Rank.INDEX: ValueKind.INTEGER, Rank.REAL: ValueKind.FLOAT}


@dataclass(slots=True, eq=False)
class KnownObject:
    """The single object that a value certainly is."""

    of: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KnownObject) and other.of is self.of

    def __hash__(self) -> int:
        return id(self.of)


@dataclass(slots=True, unsafe_hash=True)
class Fact:
    """An immutable fact about a value."""

    # The kind of number.
    rank: Rank = Rank.OPEN
    # Whether the value depends on the node.
    of_node: bool = False
    # The loops with which it varies: with their iteration, or with values that they carry.
    loops: Loops = NO_LOOPS
    # The other possible kinds, besides a number.
    kinds: frozenset[ValueKind] = frozenset()
    # The bounds of a number; None without bounds.
    bounds: Interval | None = None
    # The object, if it is certainly this one.
    only: KnownObject | None = None
    # The loops around the creation of a container.
    born_in: Loops = NO_LOOPS

    @property
    def value(self) -> Any:
        """The object that the value certainly is; ``UNBOUND`` if that is not known."""
        return UNBOUND if self.only is None else self.only.of

    @property
    def range(self) -> Interval:
        """The bounds of a number."""
        return self.bounds or ANY

    @property
    def is_number(self) -> bool:
        """Whether the value may be a number."""
        return self.rank > Rank.OPEN

    @property
    def is_varying(self) -> bool:
        """Whether the value is known to be, or contain, a number that varies with a loop."""
        return bool(self.loops) and (self.is_number or bool(self.kinds & _WITH_NUMBERS))

    def is_of(self, *kinds: ValueKind) -> bool:
        """Return whether the value can only be of these kinds."""
        return bool(self.kinds) and not self.is_number and self.kinds <= set(kinds)

    @property
    def is_constant(self) -> bool:
        """Whether the value is the same in all iterations on all nodes, and has a meaning outside of them."""
        if self.loops or self.of_node:
            return False
        return self.is_number or self.is_of(ValueKind.TEXT, ValueKind.TUPLE) or self.value is None

    def possible(self) -> set[ValueKind]:
        """The possible kinds of the value, as far as they are known."""
        if not self.is_number:
            return set(self.kinds)
        return {*self.kinds, (_OF_NODE if self.loops or self.of_node else _KNOWN)[self.rank]}

    def joined(self, *others: Fact) -> Fact:
        """Return the fact that holds for any one of several values."""
        facts = [fact for fact in (self, *others) if fact is not NOTHING]
        if not facts:
            return NOTHING
        first = facts[0]
        if all(fact is first for fact in facts):
            return first
        bounds: Interval | None = None
        for fact in facts:
            if fact.bounds is not None:
                bounds = fact.bounds if bounds is None else bounds | fact.bounds
        return Fact(
            max([fact.rank for fact in facts]),
            any(fact.of_node for fact in facts),
            NO_LOOPS.union(*[fact.loops for fact in facts]),
            frozenset[ValueKind]().union(*[fact.kinds for fact in facts]),
            bounds,
            first.only if all(fact.only == first.only for fact in facts) else None,
            NO_LOOPS.union(*[fact.born_in for fact in facts]),
        )

    def under(self, condition: Fact) -> Fact:
        """Return the fact about the value if a condition decides whether it is used."""
        if not condition.of_node and condition.loops <= self.loops:
            return self
        return Fact(
            self.rank, self.of_node or condition.of_node, self.loops | condition.loops, self.kinds, self.bounds, None, self.born_in
        )  # fmt: skip

    def within(self, bounds: Interval) -> Fact:
        """Return the fact about the number with other bounds."""
        return Fact(self.rank, self.of_node, self.loops, self.kinds, bounds)


NOTHING = Fact()
_WITH_NUMBERS = frozenset({ValueKind.TUPLE, ValueKind.LIST, ValueKind.DICT, ValueKind.SET, ValueKind.PRINTED, ValueKind.SEQUENCE})  # fmt: skip


def number(rank: Rank, bounds: Interval = ANY, of: Fact = NOTHING) -> Fact:
    """Return the fact about a number that is computed from ``of``."""
    return Fact(rank, of.of_node, of.loops, frozenset(), BIT if rank is Rank.TRUTH else bounds)


def made(kind: ValueKind, of: Fact = NOTHING, born_in: Loops = NO_LOOPS) -> Fact:
    """Return the fact about a value of a kind that is made from ``of``."""
    return Fact(Rank.OPEN, of.of_node, of.loops, frozenset((kind,)), None, None, born_in)


def deciding(*facts: Fact) -> Fact:
    """Return the dependence of some facts on the node and on loops, without their values."""
    of_node, loops = False, NO_LOOPS
    for fact in facts:
        of_node |= fact.of_node
        loops = loops | fact.loops if fact.loops else loops
    return Fact(Rank.OPEN, of_node, loops) if of_node or loops else NOTHING


def fact_of(value: Any) -> Fact:
    """Return the fact about a value that already exists."""
    if value is UNBOUND:
        return NOTHING
    of_node = is_symbolic(value) or isinstance(value, Poison | LoopVar)
    if isinstance(value, Instance):
        of_node = any(map(is_symbolic, value.ttl_values.values()))
    rank = rank_of(value)
    if rank:
        return Fact(rank, of_node, bounds=_bounds_of(value), only=None if of_node else KnownObject(value))
    try:
        kinds = frozenset({kind_of(value)})
    except (Poisoned, Reject):
        return deciding(Fact(of_node=of_node))
    return Fact(Rank.OPEN, of_node, NO_LOOPS, kinds, None, KnownObject(value))


def rank_of(value: Any) -> Rank:
    """The kind of number of a value."""
    while isinstance(value, LoopVar):
        value = value.prior
    kind = carried_kind(value)
    if type(value) is float:
        return Rank.REAL
    return Rank.OPEN if kind is None else RANKS.get(kind.kind, Rank.OPEN)


def _bounds_of(value: Any) -> Interval:
    match value:
        case float() | NodeFloat():
            ends = (value, value) if isinstance(value, float) else value.bounds
            if ends is not None and all(map(isfinite, ends)):
                return Interval(floor(ends[0]), ceil(ends[1]))
        case int() | NodeInteger():
            return bounds_of(value)
        case NodeCondition():
            return BIT
    return ANY


def members_of(value: Any) -> Fact:
    """Return the fact that holds for each member of a container."""
    value = as_list(value)
    if isinstance(value, dict):
        value = [*value.values()]
    if not isinstance(value, list | tuple):
        return NOTHING
    return NOTHING.joined(*map(fact_of, value[:_MOST_MEMBERS]))


def operated(left: Fact, how: ast.operator, right: Fact) -> Fact:
    """Return the fact about the result of an operator."""
    both = left.joined(right)
    if both.is_number and not both.kinds:
        if isinstance(how, ast.BitAnd | ast.BitOr | ast.BitXor) and both.rank is Rank.TRUTH:
            return both.within(BIT)
        rank = Rank.REAL if isinstance(how, ast.Div) else max(both.rank, Rank.INDEX)
        return number(rank, _range_of(how, left.range, right.range).clipped, both)
    kinds = {kind for kind in both.kinds if kind in _RESULTS}
    return Fact(Rank.OPEN, both.of_node, both.loops, frozenset(kinds))


# Kinds for which the result of an operator, with a number or any other operand, is of the same kind.
_RESULTS = frozenset({ValueKind.TEXT, ValueKind.TUPLE, ValueKind.LIST, ValueKind.EXPRESSION})


def _range_of(how: ast.operator, left: Interval, right: Interval) -> Interval:
    match how:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.FloorDiv():
            return left // right
        case ast.Div():
            down = left // right
            return down if down == ANY else down + BIT
        case ast.Mod() if right.is_positive:
            return Interval(0, None if right.high is None else right.high - 1)
        case ast.BitAnd() if left.is_natural or right.is_natural:
            ends = [end.high for end in (left, right) if end.is_natural and end.high is not None]
            return Interval(0, min(ends, default=None))
        case ast.LShift() if right.is_natural and right.high is not None and right.high <= MOST_BITS:
            return left * Interval(1, 1 << right.high)
        case ast.RShift() if left.is_natural:
            return Interval(0, left.high)
        case ast.BitOr() | ast.BitXor() if left.is_natural and right.is_natural:
            return NATURAL
    return ANY


def needs(how: ast.operator, left: Fact, right: Fact) -> bool:
    """Whether an operator needs numbers that are known while the program is compiled."""
    if is_static(SIGNS[type(how)], left, right):
        return True
    match how:
        case ast.Pow() if right.loops and right.rank is Rank.INDEX and left.is_number:
            base, (low, high) = left.value, right.range
            bits = base.bit_length() - 1 if type(base) is int else -1
            is_power = bits >= 0 and base == 1 << bits
            return not (
                is_power and low is not None and low >= 0 and high is not None and bits * high <= MOST_BITS
            )
        case ast.LShift() | ast.RShift() if right.loops and right.is_number and left.is_number:
            low, high = right.range
            is_short = isinstance(how, ast.RShift) or (high is not None and high <= MOST_BITS)
            return low is None or low < 0 or not is_short
    return False


def compared(sign: str, left: Fact, right: Fact) -> bool | None:
    """Return whether numbers are in a relation, if their bounds decide that; else None."""
    if sign not in _RELATIONS or left.kinds or right.kinds or None in (left.bounds, right.bounds):
        return None
    return (left.range - right.range).decided(_RELATIONS[sign])


_RELATIONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def truth_of(fact: Fact) -> bool | None:
    """Whether a condition holds, if that is known; else None."""
    return bool(fact.value) if isinstance(fact.value, bool | int | str | None.__class__) else None


def is_static(sign: str, left: Fact, right: Fact) -> bool:
    """Return whether an operation needs known values according to the table."""
    rows = TABLE.get(sign)
    return rows is not None and any(
        rows[first][second].decided is CellDecision.STATIC
        for first in left.possible()
        for second in right.possible()
    )


def is_changeable(fact: Fact) -> bool:
    """Return whether a value is a container that can be changed."""
    return is_container(fact.value) or fact.is_of(ValueKind.LIST, ValueKind.DICT, ValueKind.SET)
