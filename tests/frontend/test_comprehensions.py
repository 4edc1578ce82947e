"""Comprehensions whose variables CPython 3.12 and later mix up with those of a function around: refused there, and only there."""

from __future__ import annotations

import sys

import pytest

from frontend.test_limits import checked
from ttl.frontend import containers

PROGRAM = """\
import ttl, ttnn

m = 1

@ttl.operation(grid=(8, 8))
def op(a):
    n = ttl.node(dims=1)

    @ttl.datamovement()
    def read():
        own = 2
        v = {expression}
        print(n, m, own, v)

op(ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT))
"""
OVERWRITE = [
    "[(lambda: n)() for n in range(3)][0]",
    "sum([sum(n for _ in range(2)) for n in range(3)])",
    "len({(lambda: n)() for n in range(3)})",
    "{k: max([*(n for _ in range(2))]) for k, n in enumerate(range(3))}[0]",
]
KEEP_APART = [
    "[n + 1 for n in range(3)][0]",
    "sum((lambda: n)() for n in range(3))",
    "[(lambda: m)() for m in range(3)][0]",
    "[(lambda: own)() for own in range(3)][0]",
    "[(lambda: k + n)() for k in range(3)][0]",
]


def codes(expression: str) -> list[str]:
    return [finding.code for finding in checked(PROGRAM.format(expression=expression)).findings]


def test_a_comprehension_that_cpython_lets_overwrite_a_variable_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(containers, "INLINED", True)
    assert [codes(expression) for expression in OVERWRITE] == [["TTL1301"]] * len(OVERWRITE)
    assert [codes(expression) for expression in KEEP_APART] == [[]] * len(KEEP_APART)
    (finding,) = checked(PROGRAM.format(expression=OVERWRITE[0])).findings
    assert finding.message == (
        "a comprehension over n, which a function or generator in it reads, where n is also a variable of a function around cannot be compiled"
    )
    assert finding.help == ("give n another name in the comprehension",)


def test_it_is_compiled_where_cpython_keeps_them_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "INLINED", False)
    assert [codes(expression) for expression in (*OVERWRITE, *KEEP_APART)] == [[]] * len(
        (*OVERWRITE, *KEEP_APART)
    )


def test_cpython_overwrites_from_3_12_on() -> None:
    """The premise. Where it fails on a new CPython, that has mended it: let ``INLINED`` end there."""

    def operation() -> int:
        n = 7

        def kernel() -> int:
            assert [(lambda: n)() for n in range(3)] == [0, 1, 2]
            return n

        return kernel()

    assert containers.INLINED is (sys.version_info >= (3, 12))
    assert operation() == (2 if containers.INLINED else 7)
