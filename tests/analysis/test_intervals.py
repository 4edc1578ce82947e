"""The lattice of intervals: joins are least upper bounds, arithmetic contains every result, widening ends."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from random import Random

import pytest

from ttl.analysis.arithmetic import BINARY, INTEGER, RELATIONS, computed
from ttl.analysis.intervals import Interval, assuming, decided, exactly
from ttl.analysis.ranges import RULES

SMALL = range(-4, 5)
BOUNDS = (None, -3, -1, 0, 2, 4)
INTERVALS = [
    Interval(low, high) for low, high in product(BOUNDS, BOUNDS) if low is None or high is None or low <= high
]


def members(interval: Interval) -> list[int]:
    """Those of its numbers that are small."""
    return [number for number in SMALL if holds(interval, number)]


def holds(interval: Interval, number: int) -> bool:
    """Whether a number is in an interval."""
    return (interval.low is None or interval.low <= number) and (
        interval.high is None or number <= interval.high
    )


def test_a_join_has_the_numbers_of_both_and_is_the_least_such() -> None:
    for a, b in product(INTERVALS, INTERVALS):
        joined = a | b
        assert joined == b | a and joined | a == joined
        assert all(holds(joined, number) for number in (*members(a), *members(b)))
        for bound in (joined.low, joined.high):
            assert bound is None or holds(a, bound) or holds(b, bound)


def test_widening_reaches_a_fixed_point_in_three_steps() -> None:
    random = Random(1)
    for start in INTERVALS:
        known, changes = start, 0
        for _ in range(50):
            wider = known.widened(known | random.choice(INTERVALS))
            assert wider | known == wider
            changes += wider != known
            known = wider
        assert changes <= 3


@pytest.mark.parametrize(
    ("interval", "number"),
    [(operator.add, operator.add), (operator.sub, operator.sub), (operator.mul, operator.mul)],
)
def test_arithmetic_contains_every_result(
    interval: Callable[[Interval, Interval], Interval], number: Callable[[int, int], int]
) -> None:
    for a, b in product(INTERVALS, INTERVALS):
        result = interval(a, b)
        assert all(holds(result, number(x, y)) for x, y in product(members(a), members(b)))


@pytest.mark.parametrize("kind", RULES, ids=lambda kind: kind.name)
def test_transfer_functions_contain_what_the_operations_compute(kind: type) -> None:
    """One table says what an operation computes, another what is known of it: they agree, number by number."""
    name: str = kind.name  # type: ignore[attr-defined]
    for a, b in product(INTERVALS, INTERVALS):
        result = RULES[kind](a, b)
        for x, y in product(members(a), members(b)):
            number = computed(name, x, y)
            assert number is None or holds(result, number), (name, a, b, x, y, result)


def test_every_operation_on_integers_has_a_transfer_function() -> None:
    assert {kind.name for kind in RULES} == INTEGER <= set(BINARY)


@pytest.mark.parametrize("predicate", range(10))
def test_comparisons_are_decided_only_where_every_pair_agrees(predicate: int) -> None:
    for a, b in product(INTERVALS, INTERVALS):
        answer = decided(predicate, a, b, same=False)
        if answer is not None:
            assert all(RELATIONS[predicate](x, y) is answer for x, y in product(members(a), members(b)))


@pytest.mark.parametrize("predicate", range(6))
@pytest.mark.parametrize("is_true", [True, False])
def test_what_a_comparison_leaves_of_an_interval_has_all_that_satisfy_it(
    predicate: int, is_true: bool
) -> None:
    for known, number in product(INTERVALS, SMALL):
        left = assuming(predicate, known, exactly(number), holds=is_true)
        satisfying = [x for x in members(known) if RELATIONS[predicate](x, number) is is_true]
        if left is not None:
            assert all(holds(left, x) for x in satisfying) and left | known == known
        assert left is not None or not satisfying


def test_one_number_is_an_interval() -> None:
    assert exactly(3).only == 3 and Interval(3, None).only is None
