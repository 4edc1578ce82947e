"""What a program shows does not change with a rewrite that leaves its meaning in Python alone."""

from __future__ import annotations

from functools import cache

import pytest

from python_semantics.findings import findings
from python_semantics.judge import cpython, judged
from python_semantics.rewrites import REWRITES, rewritten
from support.random_programs.python.programs import Program

_EVERYTHING = Program(
    name="everything",
    movement="""
        total = 0
        def add(k, times=2):
            nonlocal total
            if k > 4:
                return -1
            total += k * times + n
            if k == 3:
                return total
            return k
        double = lambda k: 2 * k
        side = 5 if n > 2 else 7
        if z > 0:
            step = 1
        else:
            step = x + 2
        for i in range(n + 1):
            if i == 2:
                continue
            if i > 3:
                break
            total += double(i)
            print("turn", i, add(i), 0 < i < n)
        for i in range(3):
            step = max(step, i)
        while total > 3 and step < 6:
            step += 1
            total -= min(n, step)
            if n in (2, 5):
                print("less", total)
            elif n == 4:
                print("least")
        found = n or side
        both = x and found
        print(found, both, total + step - side, double(add(1)), add(n, 3))
    """,
)
_MOST = 3


@cache
def _programs() -> list[Program]:
    """The program above, and findings that the reader takes."""
    found = [each.program for each in findings() if each.gap is None and each.group not in (6, 8)]
    return [_EVERYTHING, *found]


def test_there_are_thirty_and_more() -> None:
    assert len(REWRITES) >= 30


@pytest.mark.one_of(3)
@pytest.mark.parametrize("name", REWRITES)
def test_a_rewrite_leaves_what_is_shown_alone(name: str) -> None:
    pairs = ((each, rewritten(each, name)) for each in _programs())
    taken = [(before, after) for before, after in pairs if after is not None][:_MOST]
    assert taken and taken[0][0] is _EVERYTHING, "the rewrite fits nowhere"
    for before, after in taken:
        assert cpython(before) == cpython(after), after.source
        judgement = judged(after)
        assert judgement.verdict == "right", str(judgement)
