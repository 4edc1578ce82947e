"""Running a program that may never end: its loops count, and processor time and memory are limited.

The counting is put into the syntax tree, at the places of the loops it counts, so the text of the program, its
lines and its columns stay what they are, and a run ends at the same step every time. Processor time is only the
backstop for loops that are not the program's.
"""

from __future__ import annotations

import ast
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

TICK = "__tick__"
# Rounds of loops, over a whole program; the longest of the seeds takes about 500.
ROUNDS = 20_000
SECONDS = 10.0
MEMORY = 3 << 30


class TooManyRounds(BaseException):
    """The program's own loops went on for too long. Not an ``Exception``: programs do not catch it by accident."""


class TooLong(BaseException):
    """Something other than a loop of the program took too long."""


class Counter:
    """What the loops of a program call."""

    def __init__(self, rounds: int) -> None:
        self.left = rounds

    def __call__(self) -> bool:
        self.left -= 1
        if self.left < 0:
            raise TooManyRounds
        return True


class _Counting(ast.NodeTransformer):
    def _call(self, place: ast.AST) -> ast.Call:
        call = ast.Call(func=ast.Name(id=TICK, ctx=ast.Load()), args=[], keywords=[])
        for node in ast.walk(call):
            ast.copy_location(node, place)
        return call

    def _loop(self, node: Any) -> Any:
        self.generic_visit(node)
        node.body.insert(0, ast.copy_location(ast.Expr(value=self._call(node)), node))
        return node

    visit_For = visit_While = visit_AsyncFor = visit_FunctionDef = visit_AsyncFunctionDef = _loop

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.ifs.insert(0, self._call(node.target))
        return node


def compiled(source: str, file: str) -> CodeType:
    """The program with counting loops. Raises ``SyntaxError`` for what is not Python."""
    tree = ast.parse(source, file)
    return compile(_Counting().visit(tree), file, "exec", dont_inherit=True)


@contextmanager
def limits(seconds: float = SECONDS, memory: int = MEMORY) -> Iterator[None]:
    """``TooLong`` after ``seconds`` of processor time, ``MemoryError`` beyond ``memory`` further bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_address_space() + memory, hard))
    timed = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGVTALRM, _too_long) if timed else None
    if timed:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        if timed:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _too_long(number: int, frame: object) -> None:
    raise TooLong


def _address_space() -> int:
    with open("/proc/self/statm", encoding="ascii") as statistics:
        return int(statistics.read().split()[0]) * resource.getpagesize()
