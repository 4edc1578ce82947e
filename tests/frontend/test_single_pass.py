"""Every statement is evaluated once: none of what was evaluated is undone and evaluated again.

Statements are evaluated more than once where the program says so: in loops that are written out, in both ways of a branch, for each part of
a value that the node selects. All of these evaluations are kept. One that is undone is counted here.
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

from python_semantics.findings import findings
from support.random_programs.python.programs import Program, load, unload
from support.random_programs.python.shrinking import generated
from ttl.frontend import flow
from ttl.frontend.evaluator import Evaluator
from ttl.frontend.file import lower_file
from ttl.frontend.kernel import selecting
from ttl.frontend.live import lower_call

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
# The mechanism that is left: a loop of the IR that needs something known while the kernel is compiled is undone, and written out.
UNROLLED = "StaticNeeded: it is not told before that the loop has to be written out"


class Evaluations:
    """Statements that were evaluated, by the state of the log of changes when they began, and those that were undone."""

    def __init__(self) -> None:
        self.evaluated: Counter[ast.stmt] = Counter()
        self.undone: list[str] = []
        self._begun: list[tuple[Evaluator, int, ast.stmt]] = []

    @contextmanager
    def counted(self) -> Iterator[Evaluations]:
        evaluated, undo = flow.evaluated, Evaluator.undo

        def count(reader: Evaluator, statement: ast.stmt, *how: Any) -> Any:
            if not how:
                self.evaluated[statement] += 1
                self._begun.append((reader, reader.mark(), statement))
            return evaluated(reader, statement, *how)

        def note(reader: Evaluator, mark: int) -> None:
            gone = [begun for begun in self._begun if begun[0] is reader and begun[1] >= mark]
            self._begun = [begun for begun in self._begun if begun not in gone]
            self.undone += [ast.unparse(statement).split("\n")[0] for _, _, statement in gone]
            undo(reader, mark)

        with (
            mock.patch.object(flow, "evaluated", count),
            mock.patch.object(selecting, "evaluated", count),
            mock.patch.object(Evaluator, "undo", note),
        ):
            yield self


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
WRITTEN_OUT = frozenset(
    {
        "construct iterators_are_used_up",
        "construct values_kept_alive",
        "finding a buffer chosen by the number of a loop",
        "finding the number of a loop in a loop after both",
    }
)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name, marks=pytest.mark.xfail(strict=True, reason=UNROLLED) if name in WRITTEN_OUT else ()
        )
        for name in CORPUS
    ],
)
def test_no_evaluation_is_undone(name: str) -> None:
    with Evaluations().counted() as evaluations:
        lowered = CORPUS[name]()
    if any(finding.severity.name == "ERROR" for finding in lowered.diagnostics):
        return  # what is refused is given up in the middle
    assert evaluations.evaluated or not lowered.calls
    assert evaluations.undone == []


def test_the_count_counts() -> None:
    """Both ways of a branch, four iterations, and a loop of the IR."""
    text = "if n:\n    print(1)\nelse:\n    print(2)\nprint(3)\nk = 0\nwhile k < 4:\n    print('k')\n    k += 1\nfor i in range(9):\n    print(i)"
    with Evaluations().counted() as evaluations:
        program(Program(name="counted", movement=text))()
    counts = {ast.unparse(statement): count for statement, count in evaluations.evaluated.items()}
    assert {key: counts[key] for key in ("print(1)", "print(2)", "print(3)", "print('k')", "print(i)")} == {
        "print(1)": 1, "print(2)": 1, "print(3)": 1, "print('k')": 4, "print(i)": 1,
    }  # fmt: skip
    assert evaluations.undone == []


def test_a_loop_that_is_written_out_after_all_is_seen() -> None:
    text = "for i in range(4):\n    print(f'{i:>3}')"
    with Evaluations().counted() as evaluations:
        program(Program(name="counted", movement=text))()
    assert evaluations.undone == ["for i in range(4):", "print(f'{i:>3}')"]
