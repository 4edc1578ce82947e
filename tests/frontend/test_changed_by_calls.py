"""A container is changed by whatever calls what changes it, under whatever name: in a loop that is written out, else it is refused."""

from __future__ import annotations

import pytest

from python_semantics.judge import judged
from support.random_programs.python.programs import Program

CHANGES = {
    "a method with a name": ("xs = [3, 1]\nadd = xs.append", "add(n)"),
    "a method by getattr": ("xs = [3, 1]", "getattr(xs, 'append')(4)"),
    "a method of map": ("xs = [3, 1]", "list(map(xs.append, (0, 0)))"),
    "a method of a dictionary": ("xs = {1: 2}\nf = xs.update", "f({3: 3})"),
    "an operator as a function": ("xs = [3, 1]", "operator.iadd(xs, [1])"),
    "an operator that is handed on": ("xs = [3, 1]", "functools.reduce(operator.iadd, ([1], [2]), xs)"),
    "an operator as a method": ("xs = [3, 1]", "xs.__iadd__([1])"),
    "a method of a set": ("xs = {3, 1}\nf = xs.add", "f(5)"),
    "an item": ("xs = [3, 1]", "operator.delitem(xs, 0)"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_under_a_condition_of_the_node_it_is_refused(name: str) -> None:
    made, change = CHANGES[name]
    judgement = judged(Program(name="changed", movement=f"{made}\nif n:\n    {change}\nprint(len(xs))"))
    assert judgement.verdict == "refused" and judgement.codes == ("TTL1310",), judgement


@pytest.mark.parametrize("name", CHANGES)
def test_elsewhere_it_is_done(name: str) -> None:
    made, change = CHANGES[name]
    judgement = judged(Program(name="changed", movement=f"{made}\n{change}\nprint(len(xs))"))
    assert judgement.verdict == "right", judgement


def test_in_a_loop_each_iteration_does_it() -> None:
    program = "xs = [3, 1]\nadd = xs.append\nfor i in range(4):\n    add(i)\nprint(len(xs), xs[4])"
    judgement = judged(Program(name="changed", movement=program))
    assert judgement.verdict == "right", judgement
