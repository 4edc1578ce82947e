"""Every statement is evaluated once: none of what was evaluated is undone and evaluated again.

Statements are evaluated more than once where the program says so: in loops that are unrolled, in both ways of a branch, for each part of
a value that the node selects. All of these evaluations are kept: whatever an operation of the IR was made for that does something, it is in
the module.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from tests.frontend.test_constructs import OPERATIONS, tensors
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.traits import is_side_effect_free

from python_semantics.findings import findings
from support.random_programs.python.programs import Program, load, unload
from support.random_programs.python.shrinking import generated
from ttl.frontend import flow
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.file import lower_file
from ttl.frontend.kernel import selecting
from ttl.frontend.kernel.builder import Builder
from ttl.frontend.live import lower_call

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


class Evaluations:
    """Statements that were evaluated, and the operations that were made in them."""

    def __init__(self) -> None:
        self.evaluated: Counter[ast.stmt] = Counter()
        self._made: list[Operation] = []

    @contextmanager
    def counted(self) -> Iterator[Evaluations]:
        evaluated, emit = flow.evaluated, Builder.emit

        def count(reader: Evaluator, statement: ast.stmt, *how: Any) -> Any:
            if not how:
                self.evaluated[statement] += 1
            return evaluated(reader, statement, *how)

        def note(builder: Builder, operation: Any) -> Any:
            self._made.append(operation)
            return emit(builder, operation)

        with (
            mock.patch.object(flow, "evaluated", count),
            mock.patch.object(selecting, "evaluated", count),
            mock.patch.object(Builder, "emit", note),
        ):
            yield self

    def undone(self, module: ModuleOp) -> list[str]:
        """The operations that do something and are not in the module: the evaluation that made them was undone."""
        return [
            str(operation)
            for operation in self._made
            if not is_side_effect_free(operation) and not module.is_ancestor(operation)
        ]


def construct(name: str) -> Callable[[], Any]:
    return lambda: lower_call(OPERATIONS[name], tensors(), {})


def program(made: Program) -> Callable[[], Any]:
    def read() -> Any:
        try:
            loaded = load(made)
            return lower_call(loaded.operation, loaded.tensors(), {})
        finally:
            unload(made)

    return read


def corpus() -> Iterator[tuple[str, Callable[[], Any]]]:
    for name in OPERATIONS:
        yield f"construct {name}", construct(name)
    for path in sorted(EXAMPLES.glob("*.py")):
        yield f"example {path.stem}", lambda path=path: lower_file(str(path))  # type: ignore[misc]
    for finding in findings():
        yield f"finding {finding.name}", program(finding.program)
    for seed in range(40):
        yield f"seed {seed}", program(generated(seed))


CORPUS = dict(corpus())


@pytest.mark.one_of(4)
@pytest.mark.parametrize("name", CORPUS)
def test_no_evaluation_is_undone(name: str) -> None:
    evaluations = Evaluations()
    with evaluations.counted():
        lowered = CORPUS[name]()
    if any(finding.severity.name == "ERROR" for finding in lowered.diagnostics):
        return  # what is refused is given up in the middle
    assert evaluations.evaluated or not lowered.calls
    assert evaluations.undone(lowered.module) == []


def counts(text: str) -> dict[str, int]:
    with Evaluations().counted() as evaluations:
        lowered = program(Program(name="counted", movement=text))()
    assert not lowered.diagnostics
    return {ast.unparse(statement): count for statement, count in evaluations.evaluated.items()}


def test_each_way_and_each_iteration_that_is_unrolled_is_evaluated_once() -> None:
    """Both ways of a branch, four iterations, and a loop of the IR."""
    text = "if n:\n    print(1)\nelse:\n    print(2)\nprint(3)\nk = 0\nwhile k < 4:\n    print('k')\n    k += 1\nfor i in range(9):\n    print(i)"
    found = counts(text)
    assert {key: found[key] for key in ("print(1)", "print(2)", "print(3)", "print('k')", "print(i)")} == {
        "print(1)": 1, "print(2)": 1, "print(3)": 1, "print('k')": 4, "print(i)": 1,
    }  # fmt: skip


# Loops of three iterations, and the statement in them of which is asked how often it is evaluated.
LOOPS = {
    "a format": ("for i in range(3):\n    print(f'{i:>3}')", 3),
    "a text": ("for i in range(3):\n    print('%d' % i)", 3),
    "a text without a format": ("for i in range(3):\n    print(f'{i}')", 1),
    "an exponent": ("for i in range(3):\n    print(3**i)", 3),
    "a power of two": ("for i in range(3):\n    print(2**i)", 1),
    "a shift": ("k = 0\nfor i in range(3):\n    k += i\n    print(1 << k)", 3),
    "a short shift": ("for i in range(3):\n    print(1 << i)", 1),
    "a list of texts": ("names = ['a', 'b', 'c']\nfor i in range(3):\n    print(names[i])", 3),
    "a list of numbers": ("numbers = [5, 1, 7]\nfor i in range(3):\n    print(numbers[i])", 1),
    "a dictionary": ("names = {'0': 4, '1': 5, '2': 6}\nfor i in range(3):\n    print(names[str(i)])", 3),
    "a list that is changed": ("kept = []\nfor i in range(3):\n    kept.append(i)\nprint(kept[2])", 3),
    "a list that a function changes": (
        "kept = []\ndef keep(what):\n    kept.append(what)\nfor i in range(3):\n    keep(i)\nprint(kept[2])",
        3,
    ),
    "a list of the iteration": ("for i in range(3):\n    own = []\n    own.append(i)\n    print(own[0])", 1),
    "a number of a function": ("import math\nfor i in range(3):\n    print(math.sqrt(i))", 3),
    "a number that follows": ("for i in range(3):\n    last = i * n\nprint(last)", 3),
    "a number that is carried": ("last = 0\nfor i in range(3):\n    last = i * n\nprint(last)", 1),
    "a condition of a comprehension": ("for i in range(3):\n    print([k for k in (0, 1, 2) if k > i][:0])", 3),
    "a length": ("for i in range(3):\n    print([*range(i)][:0])", 3),
    "under a condition that never holds": ("for i in range(3):\n    if i > 5:\n        print(f'{i:>3}')\n    print(i)", 1),
    "text of a loop around": ("for i in range(3):\n    for j in range(5):\n        print(f'{i:>3}{j}')", 3),
    "a length of a loop around": ("for i in range(1, 4):\n    for j in range(i):\n        print(f'{j:>3}')", 6),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_unrolled_where_it_has_to_be(name: str) -> None:
    text, times = LOOPS[name]
    statement = next(line.strip() for line in reversed(text.split("\n")) if line.startswith("    "))
    assert counts(text)[ast.unparse(ast.parse(statement))] == times
