"""Blocks beside values of every kind: each operation of Python is computed as CPython computes it, or refused; never something else."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.ir_events import ir_events
from tests.support.python_events import Events, python_events

from python_semantics.judge import difference
from support.random_programs.python.programs import GRID, Program, load, unload
from ttl.diag import Severity
from ttl.frontend.kernel.algebra import BINARY, EQUALITY, IDENTITY, INPLACE, MEMBERSHIP, ORDER, UNARY
from ttl.frontend.live import lower_call
from ttl.lang.block import Block
from ttl.lang.expr import BlockExpr

_FUNCTIONS = """
@dataclass
class Plain:
    size: int = 2
@dataclass
class Pair:
    one: object
    other: object
Named = namedtuple("Named", "one other")
class Sized:
    def __init__(self, size):
        self.size = size
    def __add__(self, other):
        return other * 2
    def __radd__(self, other):
        return other + self.size
    def __lt__(self, other):
        return other > self.size
"""
_BODY = (
    "own_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))\nnet = ttl.PipeNet([ttl.Pipe((0, 0), (1, 0))])"
)
# One of every kind of value, by an expression that a kernel may have.
VALUES = (
    "2", "-3", "2**31", "0.5", "True", "None", "'up'", "b'up'", "(1, 2)", "[1, 2]", "{'k': 1}", "{1, 2}", "range(3)", "math", "len", "(lambda k: k)",
    "Plain", "Plain()", "Sized(2)", "zip((1, 2))", "n", "n * 2**29", "n * 0.5", "n / 2", "(n > 2)", "('up' if n > 2 else 'down')", "(2 if n > 2 else None)",
    "(n, 1)", "[n, e]", "(e,)", "{'k': e}", "range(n)", "f'{n}'", "e", "(e * n)", "blk", "(e if n > 2 else blk)", "(e if n > 2 else None)", "(e if n > 2 else 2)",
    "own_dfb", "a", "a[n, 0]", "net", "ttnn.int32", "float('nan')", "float('inf')",
)  # fmt: skip
_TO_FORM = {"not x": "not e", "-x": "-e", "+x": "+e", "~x": "~e", "call": "e()", "attribute": "e.real"}
_MOST = 40


def _forms(operation: str) -> list[str]:
    if operation in UNARY:
        one = _TO_FORM.get(operation, f"{operation}(e)")
        return [one, one.replace("e", "blk")] if one.count("e") == 1 else [one]
    if operation in INPLACE:
        pairs = [(left, right) for value in VALUES for left, right in (("e", value), (value, "e"))]
        return [f"c = {left}; c {operation} {right}; c" for left, right in pairs]
    if operation == "divmod":
        return [text for value in VALUES for text in (f"divmod(e, {value})", f"divmod({value}, e)")]
    if operation == "[]":
        return [text for value in VALUES for text in (f"e[{value}]", f"{value}[e]")]
    return [text for value in VALUES for text in (f"e {operation} {value}", f"{value} {operation} e")]


_OTHERS = [
    *(f"ttl.math.{name}(e, {value})" for name in ("max", "eq", "pow", "rsub") for value in VALUES),
    *(f"ttl.block.where(e > n, e, {value})" for value in VALUES),
    *(f"ttl.block.fill({value}, shape=(1, 1)) + e" for value in VALUES),
    *(f"ttl.math.clamp(e, {value}, 90)" for value in VALUES),
    *(f"(e if {value} else blk)" for value in VALUES),
    *(f"{name}(e, {value})" for name in ("max", "min", "pow", "isinstance", "operator.add", "sum") for value in VALUES),
    *(f"e == n == {value}" for value in VALUES),
    *("e.shape", "e.dtype", "blk.shape[0]", "len([e, blk])", "all([e])", "any([blk])", "[e, blk].index(blk)", "sorted([e, blk])", "e < n < 3", "n < 3 < e"),
    *(f"{one} {sign} {other}" for sign in EQUALITY for one, other in (("(e, n)", "(blk, n)"), ("[e, n]", "[e, 2]"), ("(e,)", "(e, n)"), ("(blk,)", "(e, n)"), ("[blk]", "[e, n]"), ("{'k': e}", "{'k': blk}"), ("[(e, n)]", "[(e, n)]"), ("Sized(e)", "Sized(e)"), ("Pair(e, n)", "Pair(e, 2)"), ("Pair(e, n)", "Pair(blk, n)"), ("Named(e, n)", "Named(blk, n)"), ("Named(e, 1)", "(e, 1)"))),
    "operator.eq(e, blk)", "(e, n) in [(blk, n), (e, n)]", "(e, 1) < (e, n)", "Pair(e, 1) in [Pair(blk, 1)]", "[e, n, blk].count(e)",
]  # fmt: skip
OPERATIONS: dict[str, list[str]] = {
    operation: _forms(operation)
    for operation in (*BINARY, *INPLACE, *EQUALITY, *ORDER, *IDENTITY, *MEMBERSHIP, "[]", "and", "or")
}
OPERATIONS["of one"] = [text for operation in UNARY if operation != "repr" for text in _forms(operation)]
OPERATIONS["functions"] = _OTHERS
# What print shows alike wherever it runs.
_SHOWN = (int, float, str, BlockExpr)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("kernel", ["compute", "movement"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_of_a_block_is_computed_or_refused(operation: str, kernel: str) -> None:
    # What a method of a class of the program does is refused in the method.
    forms = [text for text in OPERATIONS[operation] if kernel == "compute" or "Sized" not in text]
    wrong = [
        text
        for start in range(0, len(forms), _MOST)
        for text in _judged(forms[start : start + _MOST], kernel)
    ]
    assert wrong == []


def _judged(forms: list[str], kernel: str) -> list[str]:
    """What is wrong with lines of a kernel."""
    results = _by_cpython(forms, kernel)
    lines = {text: _line(text, results[text], kernel) for text in forms}
    taken = forms
    # What is refused in the same words as a line before is not said again.
    while refused := _refused(_program([lines[text] for text in taken], kernel), len(taken)):
        taken = [text for number, text in enumerate(taken) if number not in refused]
    wrong = [
        f"{text} is taken, CPython raises {result!r}"
        for text in taken
        for result in results[text][:1]
        if isinstance(result, Exception)
    ]
    wrong += [f"{text} is taken in a movement kernel" for text in taken if kernel == "movement" and any(map(_is_computed, results[text]))]  # fmt: skip
    if not wrong:
        wrong += _different(_program([lines[text] for text in taken], kernel))
    return wrong


def _is_computed(result: Any) -> bool:
    return isinstance(result, BlockExpr) and not isinstance(result, Block)


def _line(text: str, results: list[Any], kernel: str) -> str:
    *before, text = text.split("; ")
    if kernel == "compute" and all(isinstance(result, BlockExpr) for result in results):
        text = f"put({text})"
    elif all(isinstance(result, _SHOWN) for result in results):
        text = f"print({text})"
    else:
        text = f"print(({text}) is None)"
    return "; ".join([*before, text])


def _program(lines: list[str], kernel: str) -> Program:
    if kernel == "compute":
        body = "\n".join(["e = blk + 1", *(lines or ["pass"])])
        return Program(compute=body, functions=_FUNCTIONS, body=_BODY, name="blocks")
    inside = "".join(f"    {line}\n" for line in ["e = blk", *lines, "ttl.copy(blk, y[n * 8, 0]).wait()"])
    take = "with own_dfb.reserve() as blk:\n    ttl.copy(a[n, 0], blk).wait()\n"
    return Program(
        movement=f"{take}with own_dfb.wait() as blk:\n{inside}",
        functions=_FUNCTIONS,
        body=_BODY,
        name="blocks",
    )


def _by_cpython(forms: list[str], kernel: str) -> dict[str, list[Any]]:
    """What each line shows, or raises, on the nodes."""
    found: dict[str, list[Any]] = {text: [] for text in forms}

    def probe(number: int, function: Callable[[], Any]) -> None:
        try:
            result = function()
        except Exception as raised:
            result = raised
        found[forms[number]].append(result)

    lines = []
    for number, text in enumerate(forms):
        *statements, _ = text.split("; ")
        if statements:
            lines.append(f"def work(e=e): {'; '.join(statements)}; return c")
            lines.append(f"probe({number}, work)")
        else:
            lines.append(f"probe({number}, lambda: {text})")
    program = _program(lines, kernel)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        loaded = load(program)
    unload(program)
    loaded.scope["probe"] = probe
    python_events(loaded.operation, GRID, *loaded.tensors())
    return found


def _refused(program: Program, count: int) -> set[int]:
    """The numbers of the lines, of so many, that an error names."""
    loaded = load(program)
    try:
        first = next(number for number, line in enumerate(program.source.splitlines(), 1) if line.strip().startswith("e = blk"))  # fmt: skip
        errors = [
            each
            for each in lower_call(loaded.operation, loaded.tensors(), {}).diagnostics
            if each.severity is Severity.ERROR
        ]
        assert all(each.code != "TTL9001" and each.primary is not None for each in errors), errors
        found = {each.primary.span.line - first - 1 for each in errors if each.primary is not None}
        assert all(0 <= number < count for number in found), errors
        return found
    finally:
        unload(program)


def _different(program: Program) -> list[str]:
    loaded = load(program)
    try:
        lowered = lower_call(loaded.operation, loaded.tensors(), {})
        errors = [str(each) for each in lowered.diagnostics if each.severity is Severity.ERROR]
        if errors:
            return errors
        (operation,) = lowered.module.body.block.ops
        found = difference(
            _without_steps(python_events(loaded.operation, GRID, *loaded.tensors())),
            _without_steps(ir_events(operation)),  # type: ignore[arg-type]
        )
        return [] if found is None else [found]
    finally:
        unload(program)


def _without_steps(events: Events) -> Events:
    """What is shown and stored; a choice may be computed in steps of its own."""
    return {key: [event for event in noted if event[0] != "apply"] for key, noted in events.items()}
