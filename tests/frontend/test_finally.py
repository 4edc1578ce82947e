"""``try`` with ``finally`` in kernels: what CPython does, node by node, or a refusal."""

from __future__ import annotations

import runpy
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.executions import needs_native
from support.tensors import blank, tiled, values
from ttl.diag import TTLError
from ttl.settings import override

# Each is a function of the node that gives the tile to copy; the first line of what it does may leave before the end.
FUNCTIONS = {
    "straight": """
        k = 0
        try:
            k = k + n
        finally:
            k = k * 2 + 1
        return k
    """,
    "branch": """
        k = 5
        try:
            if n == 0:
                k = 3
            else:
                k = 4
        finally:
            k = k + 2
        return k
    """,
    "break out": """
        k = 0
        for i in range(4):
            try:
                if i > n:
                    break
                k = k + 1
            finally:
                k = k + 2
        return k
    """,
    "continue": """
        k = 0
        for i in range(3):
            try:
                if i == n:
                    continue
                k = k + 2
            finally:
                k = k + 1
        return k
    """,
    "return without a value": """
        k = n

        def inner():
            nonlocal k
            try:
                if n == 1:
                    return
                k = k + 1
            finally:
                k = k + 4

        inner()
        return k
    """,
    "nested": """
        k = 0
        try:
            try:
                k = k + 1
            finally:
                k = k * 3
        finally:
            for i in range(2):
                if i == n:
                    break
                k = k + 1
        return k
    """,
    "return in a loop": """
        k = 0

        def inner():
            nonlocal k
            for i in range(3):
                try:
                    for j in range(3):
                        if i + j == n + 1:
                            return i + 2 * j
                        k = k + 1
                    else:
                        k = k + 10
                finally:
                    k = k + 1
            return 7

        return (inner() + k) % 16
    """,
    "while": """
        k = 0
        while True:
            try:
                k = k + 1
                if k > n + 2:
                    break
                if k == 1:
                    continue
                k = k + n
            finally:
                k = k + 1
        return k
    """,
    "always": """
        k = 1
        try:
            return k + n
        finally:
            m = 3
        return m
    """,
    "nested, left": """
        k = 0
        for i in range(3):
            try:
                try:
                    if i == n:
                        break
                    k = k + 1
                finally:
                    k = k + 2
            finally:
                k = k + 3
        return k
    """,
    "loop inside": """
        k = 0
        try:
            for i in range(3):
                if i > n:
                    break
                k = i
        finally:
            k = k + i
        return k
    """,
}
PROGRAM = """\
import ttl

{functions}

@ttl.operation(grid=(2, 1))
def op(x, y):
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

    @ttl.datamovement()
    def read():
        n = ttl.node(dims=1)
        for tile in ({calls}):
            with dfb.reserve() as blk:
                ttl.copy(x[0, tile], blk).wait()

    @ttl.datamovement()
    def write():
        n = ttl.node(dims=1)
        for i in range({count}):
            with dfb.wait() as blk:
                ttl.copy(blk, y[n, i]).wait()
"""


def program(functions: list[str], folder: Path) -> Any:
    defined = "\n\n".join(
        f"def f{number}(n):\n{textwrap.indent(textwrap.dedent(text).strip(), '    ')}"
        for number, text in enumerate(functions)
    )
    calls = "".join(f"f{number}(n), " for number in range(len(functions)))
    path = folder / "program.py"
    path.write_text(PROGRAM.format(functions=defined, calls=calls, count=len(functions)), encoding="utf-8")
    return runpy.run_path(str(path))


def given(functions: list[str], folder: Path, target: str) -> tuple[list[list[float]], list[list[int]]]:
    """The tiles that nodes copy, and those that CPython says."""
    names = program(functions, folder)
    wanted = [[names[f"f{number}"](node) for number in range(len(functions))] for node in range(2)]
    x = tiled(np.arange(16, dtype=np.float32).repeat(32)[None].repeat(32, 0))
    y = blank((64, 32 * len(functions)))
    with override(target=target):
        names["op"](x, y)
    return values(y)[::32, ::32].tolist(), wanted


@needs_native
@pytest.mark.parametrize("target", ["sim", "emu"])
def test_as_python_does_it(tmp_path: Path, target: str) -> None:
    copied, wanted = given(list(FUNCTIONS.values()), tmp_path, target)
    assert copied == wanted


@needs_native
def test_the_variable_of_a_loop_that_was_left(tmp_path: Path) -> None:
    """As a ``try`` with a ``finally`` becomes one."""
    text = "left = 0\nfor once in (0,):\n    for j in range(3):\n        if j == n:\n            left = 1\n            break\n    if left != 0:\n        break\nreturn 2 * j"
    copied, wanted = given([text], tmp_path, "emu")
    assert copied == wanted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("try:\n    k = n\nexcept ValueError:\n    k = 0\nreturn k", "except cannot be compiled"),
        (
            "k = 0\ntry:\n    if n:\n        return k\nfinally:\n    k = 1\nreturn 2",
            "return of this value in a try",
        ),
        ("try:\n    if n:\n        return 1\nfinally:\n    return 2", "return in finally"),
        (
            "k = 0\nfor i in range(2):\n    try:\n        if n:\n            continue\n        k = 1\n    finally:\n        break\nreturn k",
            "break in finally",
        ),
    ],
)
def test_what_would_come_out_differently_is_refused(text: str, said: str, tmp_path: Path) -> None:
    names = program([text], tmp_path)
    with override(target="emu"), pytest.raises(TTLError) as raised:
        names["op"](tiled(np.zeros((32, 512), np.float32)), blank((64, 32)))
    assert raised.value.diagnostics[0].code == "TTL1301" and said in str(raised.value)
