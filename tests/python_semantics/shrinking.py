"""The smallest program with the same fault: the shrinker of Hypothesis makes the choices of a program simpler, and leaves some out.

Programs are made from seeds and not by Hypothesis, which takes ten times as long and makes others in each of its versions. Its engine is
given the choices of the one program that is to be smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import hypothesis
from hypothesis.internal.conjecture.engine import ConjectureRunner
from hypothesis.internal.escalation import InterestingOrigin

from python_semantics.choosing import Choices
from python_semantics.generate import Generator
from python_semantics.programs import Program

_ATTEMPTS = 3000


def generated(seed: int) -> Program:
    """The program of a seed."""
    return Generator(Choices.of(seed)).program(name=f"seed_{seed}")


def smallest(seed: int, shows: Callable[[Program], bool], attempts: int = _ATTEMPTS) -> Program:
    """The smallest program that still shows what the program of a seed shows."""
    choices = Choices.of(seed)
    best = Generator(choices).program(name=f"seed_{seed}")

    def tried(data: Any) -> None:
        nonlocal best
        program = Generator(Choices(lambda count: int(data.draw_integer(0, count - 1)))).program(name=f"seed_{seed}")
        if shows(program):
            best = program if len(program.source) <= len(best.source) else best
            data.mark_interesting(InterestingOrigin(AssertionError, "judge", 0, (), ()))

    limits = hypothesis.settings(max_examples=attempts, database=None, deadline=None, phases=[hypothesis.Phase.shrink])
    runner = ConjectureRunner(tried, settings=limits, random=Random(0))
    runner.cached_test_function(tuple(choices.made))
    assert runner.interesting_examples if hasattr(runner, "interesting_examples") else True
    # Its name has changed between releases.
    shrink = getattr(runner, "shrink_interesting_test_cases", None) or runner.shrink_interesting_examples
    shrink()
    return best
