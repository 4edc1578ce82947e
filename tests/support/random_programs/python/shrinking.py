"""The smallest program with the same fault: Hypothesis makes the choices of a program simpler, then parts of the text go.

Programs are made from seeds and not by Hypothesis, which takes ten times as long and makes others in each of its versions. Its engine is
given the choices of the one program that is to be smaller.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import itertools
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import hypothesis
from hypothesis.internal.conjecture.engine import ConjectureRunner, RunIsComplete
from hypothesis.internal.escalation import InterestingOrigin

from fuzz.minimise import _smaller
from support.random_programs.python.choosing import Choices
from support.random_programs.python.generate import Generator
from support.random_programs.python.programs import Program

Shows = Callable[[Program], bool]
_PARTS = ("functions", "body", "movement", "compute")


def generated(seed: int, without: Collection[str] = ()) -> Program:
    """The program of a seed. ``without``: as the generator takes it."""
    return Generator(Choices.of(seed), without).program(name=f"seed_{seed}")


def smallest(seed: int, shows: Shows, attempts: int, without: Collection[str] = ()) -> Program:
    """The smallest program that still shows what the program of a seed shows."""
    return shorter(simpler(seed, shows, attempts, without), shows, attempts)


def simpler(seed: int, shows: Shows, attempts: int, without: Collection[str] = ()) -> Program:
    """The program of other choices, as far as Hypothesis comes in so many attempts."""
    choices = Choices.of(seed)
    name, left = f"seed_{seed}", attempts
    best = Generator(choices, without).program(name=name)

    def tried(data: Any) -> None:
        nonlocal best, left
        left -= 1
        replayed = Choices(lambda count: int(data.draw_integer(0, count - 1)))
        program = Generator(replayed, without).program(name=name)
        if left >= 0 and shows(program):
            best = program if len(program.source) <= len(best.source) else best
            data.mark_interesting(InterestingOrigin(AssertionError, "judge", 0, (), ()))

    limits = hypothesis.settings(
        max_examples=attempts, database=None, deadline=None, phases=[hypothesis.Phase.shrink]
    )
    runner = ConjectureRunner(tried, settings=limits, random=Random(0))
    with contextlib.suppress(RunIsComplete):
        runner.cached_test_function(tuple(choices.made))
        # Its name has changed between releases.
        shrink = getattr(runner, "shrink_interesting_test_cases", None) or runner.shrink_interesting_examples
        shrink()
    return best


def shorter(program: Program, shows: Shows, attempts: int) -> Program:
    """The program without the statements and expressions that the fault does not need."""
    program = _without_halves(program, shows)
    changed, done = True, 0
    while changed:
        changed, index = False, 0
        # Where one part could go, the next is tried, and not the first again.
        while (candidate := next(itertools.islice(_shorter(program), index, None), None)) is not None:
            done += 1
            if done > attempts:
                return program
            if len(candidate.source) < len(program.source) and shows(candidate):
                program, changed = candidate, True
            else:
                index += 1
    return program


def _without_halves(program: Program, shows: Shows) -> Program:
    """Statements go by halves, quarters and so on, of the whole and of what is in them."""
    for part in _PARTS:
        size = 1 << 8
        while size:
            start = 0
            while True:
                tree = ast.parse(getattr(program, part))
                bodies = [
                    node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list)
                ]
                places = [(body, first) for body in bodies for first in range(0, len(body), size)]
                if start >= len(places):
                    break
                body, first = places[start]
                body[first : first + size] = [ast.Pass()] if len(body) <= size else []
                candidate = _with(program, part, ast.unparse(tree) + "\n")
                if len(candidate.source) < len(program.source) and shows(candidate):
                    program = candidate
                else:
                    start += 1
            size //= 2
    return program


def _shorter(program: Program) -> Iterator[Program]:
    for part in _PARTS:
        text = getattr(program, part)
        if not text:
            continue
        yield _with(program, part, "")
        for smaller in (*_smaller(text), *_simpler(text)):
            yield _with(program, part, smaller)


def _with(program: Program, part: str, text: str) -> Program:
    fields: dict[str, Any] = {part: text}
    return replace(program, **fields)


def _simpler(text: str) -> Iterator[str]:
    """Each expression replaced by a part of it, or by a number."""
    tree = ast.parse(text)
    places = [
        (number, field, index)
        for number, node in enumerate(ast.walk(tree))
        for field, value in ast.iter_fields(node)
        for index, item in enumerate(value if isinstance(value, list) else [value])
        if isinstance(item, ast.expr)
    ]
    for number, field, index in places:
        for part in range(4):
            changed = copy.deepcopy(tree)
            node = list(ast.walk(changed))[number]
            value = getattr(node, field)
            old = value[index] if isinstance(value, list) else value
            inner = [each for each in ast.iter_child_nodes(old) if isinstance(each, ast.expr)]
            others = [*inner[:2], ast.Name("n", ast.Load()), ast.Constant(0)]
            if part >= len(others) or isinstance(old, ast.Constant):
                continue
            if isinstance(value, list):
                value[index] = others[part]
            else:
                setattr(node, field, others[part])
            with contextlib.suppress(ValueError, AttributeError):
                yield ast.unparse(ast.fix_missing_locations(changed)) + "\n"
