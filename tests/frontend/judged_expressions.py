"""Expressions in a kernel, judged by CPython: what each is on every node, by the IR and by Python itself."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

from tests.support.ir_events import ir_events
from tests.support.python_events import printed_text

from ttl.dialects import ttl as ir
from ttl.frontend.file import lower_file

# What the nodes of a row, and of a column, have for n and m.
N = (-70000, -7, -1, 0, 1, 3, 100001)
M = (1, 2, 8)
NAMES = {"X": N, "Y": M}
_HEAD = f"""import collections, dataclasses, enum, functools, itertools, math, operator, ttl, ttnn
X = {list(N)}
Y = {list(M)}
@dataclasses.dataclass(frozen=True, order=True)
class Size:
    rows: int
    cols: int = 2
SIZE = Size(1)
@ttl.operation(grid=({len(N)}, {len(M)}))
def f(a, c):
    dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    other = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    net = ttl.PipeNet([ttl.Pipe((0, 0), (1, 0))])
    @ttl.datamovement()
    def r():
        x, y = ttl.node(dims=2)
        n, m = X[x], Y[y]
"""
# Expressions of one program.
_MOST = 40
_TAIL = """
a, c = (ttnn.zeros((2048, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT) for _ in range(2))
f(a, c)
"""


@dataclass
class Judged:
    """An expression: on every node its value by Python, or what it raises; the same by the IR; what is said of its line."""

    python: dict[tuple[int, int], Any] = field(default_factory=dict)
    ours: dict[tuple[int, int], str] = field(default_factory=dict)
    codes: list[str] = field(default_factory=list)

    @property
    def raised(self) -> list[Exception]:
        """What Python raises on the nodes where it does."""
        return [value for value in self.python.values() if isinstance(value, Exception)]

    def differences(self) -> list[str]:
        """Nodes where the two have other values."""
        if not self.ours and self.raised:
            return []
        return [
            f"n={n}, m={m}: {shown(value)} by Python, {self.ours.get((n, m))} compiled"
            for (n, m), value in self.python.items()
            if not isinstance(value, Exception) and self.ours.get((n, m)) != shown(value)
        ]


def shown(value: Any) -> str:
    """A value as ``print(*value)`` or ``print(value)`` shows it."""
    if isinstance(value, dict):
        value = [*value.values()]
    return printed_text(*value) if isinstance(value, tuple | list | set) else printed_text(value)


def _names() -> dict[str, Any]:
    scope: dict[str, Any] = {"dfb": object(), "a": object()}
    exec(_HEAD[: _HEAD.index("@ttl.operation")], scope)
    return scope


def by_python(code: tuple[CodeType, CodeType], names: dict[str, Any], n: int, m: int) -> Any:
    """What CPython makes of an expression, behind statements, on one node."""
    scope = {**names, "n": n, "m": m, "x": N.index(n), "y": M.index(m)}
    try:
        exec(code[0], scope)
        return eval(code[1], scope)
    except Exception as raised:
        return raised


def judged(expressions: list[str], folder: Path) -> list[Judged]:
    """Every expression, or one behind statements and semicolons, by Python and by the IR that it is compiled to: some at a time, in programs of their own."""
    parts = [expressions[start : start + _MOST] for start in range(0, len(expressions), _MOST)]
    return [result for part in parts for result in _judged(part, folder)]


def _judged(expressions: list[str], folder: Path) -> list[Judged]:
    results = [Judged() for _ in expressions]
    lines, names = [], _names()
    for number, (expression, result) in enumerate(zip(expressions, results, strict=True)):
        with warnings.catch_warnings(action="ignore"):
            statements, _, expression = expression.rpartition("; ")
            code = compile(statements, "statements", "exec"), compile(expression, "expression", "eval")
        for n in N:
            for m in M:
                result.python[n, m] = by_python(code, names, n, m)
        sample = next((v for v in result.python.values() if not isinstance(v, Exception)), None)
        is_several = isinstance(sample, tuple | list | dict | set)
        values = f"({expression}).values()" if isinstance(sample, dict) else expression
        # In a function of its own: what is evaluated twice is no more than it.
        call = f"{statements and statements + '; '}print('@{number}', {'*' if is_several else ''}({values}))"
        lines.append(f"        def e{number}(): {call}\n        e{number}()\n")
    path = folder / "expressions.py"
    first = _HEAD.count("\n") + 1
    unsafe = {number for number, result in enumerate(results) if result.raised}
    for _ in range(3):
        path.write_text(_HEAD + "".join(lines) + _TAIL)
        lowered = lower_file(str(path))
        for finding in lowered.diagnostics:
            assert finding.primary is not None, finding
            position = (finding.primary.span.line - first) // 2
            assert 0 <= position < len(results), (finding, path)
            results[position].codes.append(finding.code)
            # Once more without it: an operation with findings is not compiled.
            lines[position] = "        pass\n" * 2
        if not lowered.diagnostics and not unsafe:
            break
        for number in unsafe:  # read, and not run: where Python raises, the IR may do anything
            lines[number] = "        pass\n" * 2
        unsafe = set()
    assert [*lowered.module.body.block.ops], (path, lowered.diagnostics)
    (operation,) = lowered.module.body.block.ops
    assert isinstance(operation, ir.OperationOp)
    for (node, _), events in ir_events(operation).items():
        for _, text in events:
            number, _, value = text.rstrip("\n").removeprefix("@").partition(" ")
            results[int(number)].ours[N[node // len(M)], M[node % len(M)]] = value
    return results
