"""Whether 32 bits are enough for a function's 64-bit integers, and the bound of its arguments for which they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from tt_model.integers import bounds
from tt_model.integers.intervals import Interval
from tt_model.integers.kinds import WIDEST, IntegerKind, kind_of
from tt_model.stablehlo.dialect import HLOReduce, HLOReduceWindow
from tt_model.stablehlo.known import Known
from tt_model.stablehlo.signs import Signs, is_end_of_type


@dataclass(frozen=True)
class Widths:
    """The widths of integers that a function needs.

    Arguments:
        exponent: the exponent of the bound of arguments.
        bounded: the arguments that the bound applies to.
        limits: the range of an argument, by position, if it is smaller than that of its type.
        folded: operations with known results, on numbers that 32 bits cannot hold.
        too_wide: operations for which 32 bits are not enough, with the reason.
    """

    exponent: int = bounds.EXPONENTS[0]
    bounded: frozenset[SSAValue] = frozenset()
    limits: Mapping[int, Interval] = field(default_factory=dict)
    folded: frozenset[Operation] = frozenset()
    too_wide: tuple[tuple[Operation, str], ...] = ()


def has_wide_integers(op: Operation) -> bool:
    """Whether an operation, or one inside it, has a result with integers of 64 bits."""
    return any(_wide(result) is not None for inner in op.walk() for result in inner.results)


def widths_of(function: FuncOp) -> Widths:
    """Return the widths for the largest sufficient bound.

    If even the smallest bound is not sufficient, they have the operations that are too wide. Results of calls and loops
    are unknown.
    """
    if len(function.body.blocks) != 1 or not has_wide_integers(function):
        return Widths()
    known = Known()
    folded = frozenset(op for op in function.body.block.ops if _is_folded(op, known))
    for exponent in bounds.EXPONENTS:
        signs = Signs(known, exponent)
        too_wide = tuple(_too_wide(function, known, signs))
        if not too_wide:
            break
    limits = _limits(function, exponent, signs)
    bounded = frozenset(argument for at, argument in enumerate(function.body.block.args) if at in limits)
    return Widths(exponent, bounded, limits, folded, too_wide)


def _wide(value: SSAValue) -> IntegerKind | None:
    """The integer type of a value, if it has more bits than the device; otherwise None."""
    kind = kind_of(value.type.element_type) if isinstance(value.type, TensorType) else None
    return kind if kind is not None and kind.width > WIDEST else None


def _is_folded(op: Operation, known: Known) -> bool:
    if not op.operands or not op.results or any(known[result] is None for result in op.results):
        return False
    return any(_is_beyond(operand, known) for operand in op.operands)


def _operands_that_count(op: Operation, known: Known) -> list[SSAValue]:
    """The operands, without initial values of reductions that are the end of their type and so change nothing."""
    if not isinstance(op, HLOReduce | HLOReduceWindow):
        return list(op.operands)
    count = len(op.operands) // 2
    return [*op.operands[:count], *(one for one in op.operands[count:] if not is_end_of_type(one, known))]


def _is_beyond(value: SSAValue, known: Known) -> bool:
    """Whether a value is known to have numbers that the device cannot hold."""
    kind, table = _wide(value), known[value]
    if kind is None or table is None or not table.size:
        return False
    return not bounds.is_held((int(table.min()), int(table.max())), kind)


def _too_wide(function: FuncOp, known: Known, signs: Signs) -> Iterator[tuple[Operation, str]]:
    # Results that are too wide because an operand is.
    following: set[SSAValue] = set()
    for op in function.body.block.ops:
        if any(operand in following for operand in op.operands):
            following.update(op.results)
            continue
        wrong: list[tuple[SSAValue, Callable[[IntegerKind, Interval], str], Interval]] = []
        for result in op.results:
            if _wide(result) is not None and known[result] is None:
                signs.interval(result)
                if result in signs.too_wide:
                    wrong.append((result, bounds.for_any_input, signs.too_wide[result]))
        if not op.results or any(known[result] is None for result in op.results):
            for one in _operands_that_count(op, known):
                if _is_beyond(one, known):
                    wrong.append((one, bounds.known_beyond, signs.interval(one)))
        if wrong:
            value, said, interval = wrong[0]
            kind = _wide(value)
            assert kind is not None
            following.update(op.results)
            yield op, said(kind, interval)


def _limits(function: FuncOp, exponent: int, signs: Signs) -> dict[int, Interval]:
    """Return the limits of arguments that an integer of 64 bits depends on, if narrower than those of their types."""
    limits: dict[int, Interval] = {}
    for index, argument in enumerate(function.body.block.args):
        if argument not in signs.asked or not isinstance(argument.type, TensorType):
            continue
        within = bounds.limits_of(kind_of(argument.type.element_type), exponent)
        if within is not None:
            limits[index] = within
    return limits
