"""Operators of the kernel domain: the table in ``algebra`` decides by the kinds of the operands."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from ttl.frontend import refusals, special_methods
from ttl.frontend.classes import is_compared_here
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.kernel import comparing
from ttl.frontend.kernel.algebra import BITS, EQUALITY, IDENTITY, TABLE, WHICH_OBJECT, Cell, CellDecision
from ttl.frontend.kernel.bits import MOST_BITS, on_bits
from ttl.frontend.kernel.iterators import MemberIterator
from ttl.frontend.kernel.kinds import NUMBERS_OF_NODE, ValueKind, kind_of, stand_in
from ttl.frontend.kernel.objects import TracedExpr, require_one_object
from ttl.frontend.kernel.selected import Selected
from ttl.frontend.kernel.selecting import Selecting
from ttl.frontend.kernel.tables import plain
from ttl.frontend.mutable import is_container
from ttl.frontend.operators import ALIKE, BINARY, INPLACE, RELATION, SIGNS, UNARY, IdentityEq, alike, is_any
from ttl.frontend.reals import NodeFloat, as_real, real_operands
from ttl.frontend.scalars import NodeCondition, NodeInteger, NodeRatio, both, compare, either, negated
from ttl.frontend.stop import Reject, static_needed
from ttl.frontend.unknown import ReadArray
from ttl.frontend.values import RangeValue, Sequential, is_symbolic, sequential

_PLAIN = (str, bytes, int, float, tuple, list, dict, set, NodeInteger, NodeCondition, None.__class__)
_HOW = {sign: how for how, sign in SIGNS.items()}


# Kinds of values with elements: their comparisons return elements 0 and 1.
_ELEMENTS = frozenset({ValueKind.EXPRESSION, ValueKind.BLOCK})


_IN_PLACE = "an assignment in place to a value that is a block on some nodes, where it changes the block, and an expression on others"


class KernelOperators:
    """Transfer functions of operators."""

    def __init__(self, reader: Evaluator, selecting: Selecting, python: Callable[..., Any]) -> None:
        self._reader = reader
        self._selecting = selecting
        self._python = python

    # --- of two values ------------------------------------------------------------------------------------------

    def operated(self, how: ast.operator, left: Any, right: Any) -> Any:
        """``left + right`` and so on."""
        return self._operated(SIGNS[type(how)], BINARY[type(how)], left, right)

    def inplace(self, statement: ast.AugAssign, current: Any, value: Any) -> Any:
        """The result of ``current += value``."""
        self._reader.place = statement
        if is_container(current):
            self._reader.domain.require_mutable(current)
        if isinstance(current, TracedExpr) and current.may_be_block:
            raise Reject(
                refusals.not_on_node(_IN_PLACE, "write a = a + b, which makes a new expression of both")
            )
        how = type(statement.op)
        return self._operated(f"{SIGNS[how]}=", INPLACE[how], current, value)

    def _operated(self, sign: str, function: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
        first, second = kind_of(left), kind_of(right)
        if first is ValueKind.OBJECT or second is ValueKind.OBJECT:
            left, right = plain(left), plain(right)
            first, second = kind_of(left), kind_of(right)
        cell = TABLE[sign][first][second]
        if cell.decided is CellDecision.KNOWN:
            if first is ValueKind.TEXT and sign.startswith("%") and is_symbolic(right):
                raise static_needed("the text of a number")
            return self._python(function, left, right)
        if cell.decided is not CellDecision.COMPUTED:
            return undone(self._python, cell, function, left, right)
        if ValueKind.CHOICE in (first, second):
            return self._selecting.mapped(
                [left, right],
                lambda operands: self._operated(sign, function, *operands),
                branching=not _are_plain(left, right),
            )
        if ValueKind.INSTANCE in (first, second):
            special = special_methods.applied(self._reader, function, (left, right), {})
            if special is not special_methods.NOT_SPECIAL:
                return special
            if first is ValueKind.TEXT:
                raise Reject(
                    refusals.of_read_object(ast.unparse(self._reader.place), right.ttl_kind.ttl_name)
                )
            return self._python(function, left, right)
        if second is ValueKind.SEQUENCE:
            return self._python(function, left, self._reader.domain.members(right, self._reader.place))
        return self._computed(sign.rstrip("="), function, left, right)

    def _computed(self, sign: str, function: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
        """The result of an operator of numbers, or of a number and a block."""
        if sign in BITS and _is_truth(left) and _is_truth(right):
            result = _of_truths(sign, left, right)
            if result is not None:
                return result
        if sign == "**" and isinstance(right, NodeCondition) and isinstance(left, int):
            return self._selecting.chosen(right, lambda: int(left), lambda: 1, self._reader.place)
        left, right = self._as_number(left, right), self._as_number(right, left)
        whole = isinstance(left, int | NodeInteger) and isinstance(right, int | NodeInteger)
        if whole and sign in BITS:
            return self._python(_bitwise(sign), left, right)
        if whole and sign == "**" and isinstance(right, NodeInteger):
            return self._power_of_two(left, right)
        left, right = self._python(real_operands, _HOW[sign](), left, right)
        return self._python(function, left, right)

    def _power_of_two(self, base: Any, exponent: NodeInteger) -> Any:
        """The result of ``2 ** n``, or of another power of two to the power of ``n``."""
        low, high = exponent.bounds
        bits = base.bit_length() - 1 if isinstance(base, int) else -1
        if bits < 0 or base != 1 << bits or low is None or low < 0 or high is None or bits * high > MOST_BITS:
            raise static_needed("the exponent of a power")
        return 1 if bits == 0 else self._python(on_bits, "<<", 1, exponent * bits)

    def _as_number(self, value: Any, other: Any) -> Any:
        """Return a truth value of the node as 0 or 1 if the other operand is a number."""
        if not isinstance(value, NodeCondition) or not isinstance(
            other, int | float | NodeInteger | NodeFloat | NodeRatio | NodeCondition
        ):
            return value
        return self.as_integer(value)

    def as_integer(self, condition: NodeCondition) -> Any:
        """A condition as 0 or 1."""
        return self._selecting.chosen(condition, lambda: 1, lambda: 0, self._reader.place)

    # --- of one value -------------------------------------------------------------------------------------------

    def signed(self, how: ast.unaryop, value: Any) -> Any:
        """``-value`` and so on."""
        if isinstance(how, ast.Not):
            return negated(self.truth(value))
        kind = kind_of(value)
        cell = TABLE[SIGNS[type(how)]][kind][ValueKind.OBJECT]
        function = UNARY[type(how)]
        if cell.decided is CellDecision.KNOWN:
            return self._python(function, value)
        if cell.decided is not CellDecision.COMPUTED:
            return undone(self._python, cell, function, value)
        if kind is ValueKind.CHOICE:
            return self._selecting.mapped([value], lambda item: self.signed(how, *item), branching=None)
        if kind is ValueKind.CONDITION:
            value = self.as_integer(value)
        if isinstance(how, ast.Invert) and isinstance(value, NodeInteger):
            return -value - 1
        if isinstance(value, NodeRatio):
            value = self._python(as_real, value)
        return self._python(function, value)

    def truth(self, value: Any) -> Any:
        """A value as a condition: a Python truth value, or one known on the node."""
        if isinstance(value, NodeCondition | bool):
            return value
        if type(value) is Selected:
            return self._selecting.mapped([value], lambda item: self.truth(*item), branching=None)
        if isinstance(value, NodeInteger):
            return compare("ne", value, 0)
        if isinstance(value, NodeFloat | NodeRatio):
            return self._python(comparing.nonzero, value)
        if isinstance(value, Sequential):
            return self.truth(value.length)
        cell = TABLE["bool"][kind_of(value)][ValueKind.OBJECT]
        if cell.decided in (CellDecision.KNOWN, CellDecision.COMPUTED):
            return self._python(bool, value)
        return undone(self._python, cell, bool, value)

    # --- comparisons --------------------------------------------------------------------------------------------

    def related(self, relation: ast.cmpop, left: Any, right: Any) -> Any:
        """``left < right`` and so on."""
        sign, first, second = SIGNS[type(relation)], kind_of(left), kind_of(right)
        if first is ValueKind.OBJECT or second is ValueKind.OBJECT:
            left, right = plain(left), plain(right)
            first, second = kind_of(left), kind_of(right)
            fields = comparing.fields_of_both(sign, left, right)
            if fields is not None and is_compared_here(fields):
                if sign not in EQUALITY:
                    return self.related(relation, *fields)
                equal = self.related(ALIKE, *fields)
                return negated(equal) if sign == "!=" else equal
        cell = TABLE[sign][first][second]
        if cell.decided is CellDecision.COMPUTED:
            return self._related(sign, relation, (first, second), left, right)
        function = operator.contains if isinstance(relation, ast.In | ast.NotIn) else RELATION[type(relation)]
        if _ELEMENTS & {first, second} and function in comparing.OF_ELEMENTS:
            function = comparing.OF_ELEMENTS[function]
        operands = (right, left) if function is operator.contains else (left, right)
        if sign in IDENTITY:
            require_one_object(left, right)
        if cell.decided is CellDecision.KNOWN:
            if sign in IDENTITY and _is_other_object(left, right):
                raise Reject(refusals.not_on_node(WHICH_OBJECT.text, WHICH_OBJECT.instead))
            result = self._python(function, *operands)
        elif _is_never_equal(sign, left, right):
            result = sign == "!="
        else:
            result = undone(self._python, cell, function, *operands)
        return negated(result) if isinstance(relation, ast.NotIn) else result

    def _related(
        self, sign: str, relation: ast.cmpop, kinds: tuple[ValueKind, ValueKind], left: Any, right: Any
    ) -> Any:
        if ValueKind.CHOICE in kinds:
            return self._selecting.mapped(
                [left, right], lambda item: self.related(relation, *item), branching=None
            )
        if isinstance(relation, ast.In | ast.NotIn):
            inside = self._contains(right, left)
            return negated(inside) if isinstance(relation, ast.NotIn) else inside
        if ValueKind.INSTANCE in kinds and sign not in IDENTITY:
            function = RELATION[type(relation)]
            special = special_methods.applied(self._reader, function, (left, right), {})
            if special is not special_methods.NOT_SPECIAL:
                return special
            if kinds[1] in _ELEMENTS:
                mirrored = comparing.RELATION[comparing.MIRRORED[sign]]
                return self.related(relation if isinstance(relation, IdentityEq) else mirrored, right, left)
            if sign in EQUALITY:
                return (left is right) is (sign == "==")
            return self._python(function, stand_in(left), stand_in(right))
        if _ELEMENTS & set(kinds) and sign not in IDENTITY:
            if isinstance(relation, IdentityEq):
                return self._python(alike, stand_in(left), stand_in(right))
            if kinds[0] not in _ELEMENTS:  # the operand that is a block computes the result
                sign, left, right = comparing.MIRRORED[sign], right, left
            function = RELATION[type(comparing.RELATION[sign])]
            return self._python(comparing.OF_ELEMENTS.get(function, function), left, right)
        if sign in IDENTITY:
            same: Any = False
            if _is_truth(left) and _is_truth(right):
                same = comparing.numbers("==", left, right, self.as_integer)
            return negated(same) if sign == "is not" else same
        if kinds in (
            (ValueKind.TUPLE, ValueKind.TUPLE),
            (ValueKind.LIST, ValueKind.LIST),
            (ValueKind.DICT, ValueKind.DICT),
        ):
            are_blocks = type(relation) in (ast.Eq, ast.NotEq) and comparing.hold_elements(left, right)
            if not are_blocks and not is_compared_here(left) and not is_compared_here(right):
                return self._python(RELATION[type(relation)], left, right)
            if kinds[0] is ValueKind.DICT:
                equal = comparing.dictionaries(self._reader, relation, left, right)
                return negated(equal) if sign == "!=" else equal
            return comparing.sequences(self._reader, relation, left, right)
        if not all(isinstance(value, (int, float, *NUMBERS_OF_NODE)) for value in (left, right)):
            if sign in EQUALITY:
                return sign == "!="  # a number never equals a value that is not a number
            return self._python(RELATION[type(relation)], stand_in(left), stand_in(right))
        if not any(isinstance(value, NUMBERS_OF_NODE) for value in (left, right)):
            return self._python(RELATION[type(relation)], left, right)
        return self._python(comparing.numbers, sign, left, right, self.as_integer)

    def _contains(self, container: Any, value: Any) -> Any:
        ranged = sequential(container)
        if (
            ranged is not None
            and isinstance(ranged, RangeValue)
            and (isinstance(value, NodeInteger | NodeCondition) or not isinstance(container, range))
        ):
            if isinstance(value, NodeCondition):
                value = self.as_integer(value)
            low, high = (
                (ranged.start, ranged.stop) if ranged.step > 0 else (ranged.stop + 1, ranged.start + 1)
            )
            inside = both(self.truth(value >= low), self.truth(value < high))
            if abs(ranged.step) == 1:
                return inside
            return both(inside, self.truth((value - ranged.start) % abs(ranged.step) == 0))
        members: Any = container
        if isinstance(container, MemberIterator):
            members = self._until(container, value)
            if isinstance(members, bool):
                return members
        if isinstance(members, tuple | list | set | frozenset | dict) and (
            is_compared_here(value) or any(map(is_compared_here, members))
        ):
            return is_any(self._reader, value, members)
        if is_symbolic(value) or isinstance(container, Sequential):
            raise static_needed("what is looked for")
        return self._python(operator.contains, container, value)

    def _until(self, container: MemberIterator, value: Any) -> Any:
        """Compare the members of an iterator with a value until one equals it, and return whether one does.

        If Python itself cannot compare a member with the value, return that member and all later ones instead.
        """
        for member in container:
            if is_compared_here(value) or is_compared_here(member):
                return [member, *self._reader.domain.quietly(lambda: list(container))]
            if self._python(operator.contains, (member,), value):
                return True
        return False


def undone(python: Callable[..., Any], cell: Cell, function: Callable[..., Any], *values: Any) -> Any:
    """Raise the table's error for an operation that is not computed; return only arrays of unknown contents."""
    if cell.decided is CellDecision.REFUSED:
        raise Reject(refusals.not_on_node(cell.text, cell.instead))
    # Python reports wrong kinds of operands best. If the kinds are right, a known value is needed.
    if any(isinstance(value, NUMBERS_OF_NODE) for value in values):
        known = [stand_in(value) for value in values]
        if cell.decided is CellDecision.RAISES or function.__module__ == "_operator":
            result = python(function, *known)
            if isinstance(result, ReadArray) and result.members is None:
                return result  # only its shape and element type are known, and no number decides them
        raise static_needed(cell.text or "a number")
    if cell.decided is CellDecision.RAISES:
        return python(function, *values)
    raise static_needed(cell.text)


def _is_never_equal(sign: str, left: Any, right: Any) -> bool:
    """Return whether the operation is ``==`` or ``!=`` of a number and an object whose class defines no equality."""
    for number, other in ((left, right), (right, left)):
        if isinstance(number, NUMBERS_OF_NODE) and kind_of(other) is ValueKind.OBJECT:
            equal: Any = type(other).__eq__
            # None has its own comparison since CPython 3.14.
            return sign in EQUALITY and (
                equal is object.__eq__ or other is None or isinstance(other, range | slice)
            )
    return False


def _is_other_object(left: Any, right: Any) -> bool:
    """Whether two equal immutable values are different objects here. Python may use one object for both, or two."""
    return (
        left is not right
        and type(left) is type(right)
        and isinstance(left, int | float | str | bytes | tuple)
        and not isinstance(left, bool)
        and not is_symbolic(left)
        and not is_symbolic(right)
        and bool(left == right)
    )


def _are_plain(*values: Any) -> bool:
    """Whether values, or all parts of selected values, are of plain types, whose operators do nothing but compute."""
    return all(
        _are_plain(*(part for _, part in value.parts))
        if type(value) is Selected
        else isinstance(value, _PLAIN)
        for value in values
    )


def _bitwise(sign: str) -> Callable[[Any, Any], Any]:
    def computed(left: Any, right: Any) -> Any:
        left, right = (int(value) if isinstance(value, bool) else value for value in (left, right))
        if isinstance(left, int) and isinstance(right, int):
            return BINARY[_HOW[sign]](left, right)  # type: ignore[index]
        return on_bits(sign, left, right)

    return computed


def _of_truths(sign: str, left: Any, right: Any) -> Any:
    match sign:
        case "&":
            return both(left, right)
        case "|":
            return either(left, right)
        case "^":
            return either(both(left, negated(right)), both(negated(left), right))
    return None


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool | NodeCondition)
