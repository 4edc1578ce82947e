"""Programs of ordinary Python inside of kernels, and how they show what they compute.

A program is text: the bodies of a movement kernel ``read`` and a compute kernel ``compute``, functions of the file in front of the
operation, and lines of the operation's own body. ``n`` is the number of the node, ``x`` and ``z`` are its coordinates. What is computed
is shown by ``print``, by ``see(value, place)``, a copy whose source the value chooses (movement), and by ``add(value)``, which fills a
block with it (compute). ``put(value)`` is the same for a block expression, of ``blk``, which holds ``n + 2``.
"""

from __future__ import annotations

import linecache
import re
from dataclasses import dataclass, field
from textwrap import dedent, indent
from types import FunctionType
from typing import Any

from ttl.host import api as ttnn
from ttl.lang.operation import Operation

GRID = (2, 3)
NODES = 6
# Tiles of the table that ``see`` copies from, and places of a node that it copies to; the last is that of ``add``.
TABLE = 16
PLACES = 8

_HEAD = """\
import functools
import itertools
import math
import operator
from collections import namedtuple
from dataclasses import dataclass

import ttl
import ttnn
"""
_OPERATION = """
@ttl.operation(grid=(2, 3))
def op(a, y):
    n = ttl.node(dims=1)
    x, z = ttl.node(dims=2)
"""
_SEE = """\
    seen_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    def see(value, place=0):
        with seen_dfb.reserve() as taken_blk:
            ttl.copy(a[value % 16, 0], taken_blk).wait()
        with seen_dfb.wait() as given_blk:
            ttl.copy(given_blk, y[n * 8 + place, 0]).wait()
"""
_ADD = """\
    sum_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))
    all_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    def add(value):
        with sum_dfb.wait() as before_blk, sum_dfb.reserve() as after_blk:
            after_blk.store(before_blk * 3 + ttl.block.fill(value, shape=(1, 1)))
"""
_PUT = """\
    held_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 1))

    def put(value):
        with sum_dfb.wait() as before_blk, sum_dfb.reserve() as after_blk:
            after_blk.store(before_blk * 3 + value)
"""
_HELD = """\
with held_dfb.reserve() as given_blk:
    given_blk.store(ttl.block.fill(n + 2, shape=(1, 1)))
"""
_BEFORE_ADDING = """\
with sum_dfb.reserve() as first_blk:
    first_blk.store(ttl.block.fill(1, shape=(1, 1)))
"""
_AFTER_ADDING = """\
with sum_dfb.wait() as last_blk, all_dfb.reserve() as all_blk:
    all_blk.store(last_blk)
"""
_WRITE = """
    @ttl.datamovement()
    def write():
        with all_dfb.wait() as blk:
            ttl.copy(blk, y[n * 8 + 7, 0]).wait()
"""


@dataclass(frozen=True, kw_only=True)
class Program:
    """Text of the parts of a program; ``name`` is that of its file."""

    movement: str = ""
    compute: str = ""
    body: str = ""
    functions: str = ""
    name: str = "program"

    @property
    def sees(self) -> bool:
        """Whether the movement kernel copies."""
        return "see(" in self.movement + self.body

    @property
    def adds(self) -> bool:
        """Whether the compute kernel fills blocks."""
        return "add(" in self.compute + self.body or self.computes

    @property
    def computes(self) -> bool:
        """Whether the compute kernel has block expressions of its own."""
        return re.search(r"\b(put\(|blk\b)", self.compute) is not None

    @property
    def own_source(self) -> str:
        """What is special about it."""
        parts = [
            ("functions", self.functions),
            ("operation", self.body),
            ("read", self.movement),
            ("compute", self.compute),
        ]
        return "\n".join(f"# {name}\n{text.strip()}" for name, text in parts if text)

    @property
    def source(self) -> str:
        """The whole file."""
        parts = [_HEAD, dedent(self.functions).strip("\n"), _OPERATION]
        parts += [_SEE] if self.sees else []
        parts += [_ADD] if self.adds else []
        parts += [_PUT] if self.computes else []
        parts += [indent(dedent(self.body).strip("\n"), "    ")]
        if self.movement:
            parts.append(f"\n    @ttl.datamovement()\n    def read():\n{_indented(self.movement)}")
        if self.compute or self.adds:
            body = _indented(self.compute or "pass")
            if self.adds:
                # The program's own statements may return early, so they are a function of their own.
                call = (
                    f"{_HELD}with held_dfb.wait() as blk:\n    computed()\n"
                    if self.computes
                    else "computed()\n"
                )
                body = f"def computed():\n{indent(dedent(body), '    ')}\n\n{call}"
                body = _indented(f"{_BEFORE_ADDING}\n{body}{_AFTER_ADDING}")
            parts.append(f"\n    @ttl.compute()\n    def compute():\n{body}")
        parts += [_WRITE] if self.adds else []
        return "\n".join(part for part in parts if part) + "\n"


def _indented(text: str) -> str:
    return indent(dedent(text).strip("\n"), "        ")


@dataclass
class Loaded:
    """A program that was executed: its operation, and the tensors of a call."""

    program: Program
    operation: Operation
    scope: dict[str, Any] = field(default_factory=dict)

    def tensors(self) -> tuple[ttnn.Tensor, ttnn.Tensor]:
        """The table, whose tiles hold their own numbers from 1 on, and where ``see`` and ``add`` write to."""
        return table(), blank()


def load(program: Program) -> Loaded:
    """Execute the file. ``unload`` forgets its text again."""
    path = path_of(program)
    source = program.source
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    scope: dict[str, Any] = {"__name__": "program", "__file__": path}
    exec(compile(source, path, "exec", dont_inherit=True), scope)
    operation = scope["op"]
    assert isinstance(operation, Operation) and isinstance(operation.function, FunctionType)
    return Loaded(program, operation, scope)


def unload(program: Program) -> None:
    """Forget the text of a program that was loaded."""
    linecache.cache.pop(path_of(program), None)


def path_of(program: Program) -> str:
    """The file that diagnostics name."""
    return f"/python_semantics/{program.name}.py"


def table() -> ttnn.Tensor:
    """Tiles that hold 1, 2, ..."""
    import numpy as np

    rows = np.repeat(np.arange(1, TABLE + 1, dtype=np.int32), 32)
    return ttnn.from_numpy(np.tile(rows[:, None], (1, 32)), ttnn.int32, layout=ttnn.TILE_LAYOUT)


def blank() -> ttnn.Tensor:
    """A tile for every place of every node."""
    return ttnn.zeros((NODES * PLACES * 32, 32), dtype=ttnn.int32, layout=ttnn.TILE_LAYOUT)
