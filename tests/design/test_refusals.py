"""What a tile program may not do: refused with what is wrong, where, and the way out, in a check and in a run alike.

And what of Python it may do: CPython is the judge, which runs the function itself over arrays.
"""

from __future__ import annotations

import importlib.util
import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.programs import FILE, run_ttl

Shape = tuple[int, ...]
_HEAD = "import math\nimport numpy as np\nimport ttl\nimport ttnn\n"
_TALL: Mapping[str, Shape] = {"x": (128, 96), "y": (128, 1)}


@dataclass(frozen=True, kw_only=True)
class Case:
    """The body of a tile program, what is in front of it, and its arguments."""

    body: str
    before: str = ""
    shapes: Mapping[str, Shape] | None = None
    """By default two of (128, 96)."""
    call: str = ""
    """The arguments, where not every tensor is passed once."""
    parameters: str = ""
    code: str = ""
    says: str = ""
    help: str = ""
    at: str = ""
    """The source that is marked."""

    @property
    def tensors(self) -> Mapping[str, Shape]:
        return self.shapes or {"x": (128, 96), "y": (128, 96)}

    @property
    def program(self) -> str:
        """The file with the tile program."""
        parameters = self.parameters or ", ".join(self.tensors)
        body = textwrap.indent(textwrap.dedent(self.body).strip("\n"), "    ")
        before = textwrap.dedent(self.before)
        return f"{_HEAD}{before}\n\n@ttl.tile_operation()\ndef program({parameters}):\n{body}\n"

    @property
    def run(self) -> str:
        """The file with a call."""
        made = [
            f"{name} = ttnn.ones({shape}, dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)"
            for name, shape in self.tensors.items()
        ]
        return "\n".join([self.program, "", *made, f"program({self.call or ', '.join(self.tensors)})", ""])


REFUSED = {
    # --- what would do nothing ----------------------------------------------------------------------------------
    "print": Case(
        body="""
            for m in ttl.spatial(x.rows):
                v = ttl.load(x[m])
                print(v)
                ttl.store(y[m], v)
        """,
        code="TTL1810",
        says="print in a tile program has no effect",
        help="program.reference",
        at="print(v)",
    ),
    "a result that is returned": Case(
        body="""
            for m in ttl.spatial(x.rows):
                ttl.store(y[m], ttl.load(x[m]))
            return 3
        """,
        code="TTL0206",
        says="tile program program returned int 3",
        help="drop the return value",
        at="return 3",
    ),
    # --- decisions and loops ------------------------------------------------------------------------------------
    "a condition of a place": Case(
        body="""
            for m in ttl.spatial(x.rows):
                v = ttl.load(x[m])
                if m.start > 1:
                    v = v * 2
                ttl.store(y[m], v)
        """,
        code="TTL1806", at="m.start > 1", says="depends on the position in a loop over blocks", help="a tensor of masks",
    ),
    "a choice by a place": Case(
        body="for m in ttl.spatial(x.rows):\n    ttl.store(y[m], ttl.load(x[m]) * (2 if m.start else 3))",
        code="TTL1806", at="m.start", says="depends on the position in a loop over blocks", help="@ttl.operation",
    ),
    "the text of a place": Case(
        body='for m in ttl.spatial(x.rows):\n    ttl.store(y[m], ttl.load(x[m]) * len(f"{m.start}"))',
        code="TTL1806", at='f"{m.start}"', says="depends on the position in a loop over blocks", help="data",
    ),
    "a comprehension": Case(
        body="[ttl.store(y[m], ttl.load(x[m])) for m in ttl.spatial(x.rows)]",
        code="TTL1807", at="ttl.spatial(x.rows)", says="must be a for statement", help="for m in",
    ),
    "a list of blocks": Case(
        body="for m in list(ttl.spatial(x.rows)):\n    ttl.store(y[m], ttl.load(x[m]))",
        code="TTL1807", at="list(ttl.spatial(x.rows))", says="not an argument", help="for m in",
    ),
    "two loops at once": Case(
        body="for m, n in zip(ttl.spatial(x.rows), ttl.spatial(y.rows)):\n    ttl.store(y[n], ttl.load(x[m]))",
        code="TTL1807", at="zip(ttl.spatial(x.rows), ttl.spatial(y.rows))", says="not an argument", help="for m in",
    ),
    "a target of two names": Case(
        body="for m, n in ttl.spatial(x.rows):\n    ttl.store(y[m], ttl.load(x[m]))",
        code="TTL1807", at="m, n", says="must have one variable", help="for m in",
    ),
    "break": Case(
        body="for m in ttl.temporal(x.rows):\n    ttl.store(y[m], ttl.load(x[m]))\n    break",
        code="TTL1807", at="ttl.temporal(x.rows)", says="has break", help="run to its end",
    ),
    "else of a loop": Case(
        body="for m in ttl.spatial(x.rows):\n    ttl.store(y[m], ttl.load(x[m]))\nelse:\n    pass",
        code="TTL1807", at="ttl.spatial(x.rows)", says="or else", help="run to its end",
    ),
    "return in a loop": Case(
        body="for m in ttl.spatial(x.rows):\n    ttl.store(y[m], ttl.load(x[m]))\n    return",
        code="TTL1807", at="ttl.spatial(x.rows)", says="return", help="run to its end",
    ),
    "a generator": Case(
        before="def rows(x):\n    for m in ttl.spatial(x.rows):\n        yield m",
        body="for m in rows(x):\n    ttl.store(y[m], ttl.load(x[m]))",
        code="TTL1301", at="rows(x)", says="which is a generator",
    ),
    # --- what goes from turn to turn ------------------------------------------------------------------------------
    "a counter": Case(
        body="turn = 0\nfor m in ttl.temporal(x.rows):\n    ttl.store(y[m], ttl.load(x[m]) * turn)\n    turn += 1",
        code="TTL1808", at="turn", says="iterations of a loop over blocks change it", help="range",
    ),
    "a flag": Case(
        body="""
            for m in ttl.spatial(x.rows):
                first = True
                for n in ttl.temporal(x.columns):
                    v = ttl.load(x[m, n])
                    ttl.store(y[m, n], v * 2 if first else v)
                    first = False
        """,
        code="TTL1808", at="first", says="first is read here", help="the variable of the loop",
    ),
    "nothing at first": Case(
        body="""
            for m in ttl.spatial(x.rows):
                total = None
                for n in ttl.temporal(x.columns):
                    v = ttl.load(x[m, n]).sum()
                    total = v if total is None else total + v
                ttl.store(y[m], total)
        """,
        shapes=_TALL, code="TTL1808", at="total", says="total is read here", help="the variable of the loop",
    ),
    "a tuple that changes": Case(
        body="""
            factors = (2, 3)
            for m in ttl.temporal(x.rows):
                ttl.store(y[m], ttl.load(x[m]) * factors[0])
                factors = (factors[1], factors[0])
        """,
        code="TTL1808", at="factors", says="factors is read here", help="the variable of the loop",
    ),
    "a function that changes": Case(
        body="""
            scaled = lambda v: v * 2
            for m in ttl.temporal(x.rows):
                ttl.store(y[m], scaled(ttl.load(x[m])))
                scaled = lambda v: v * 3
        """,
        code="TTL1808", at="scaled", says="scaled is read here", help="the variable of the loop",
    ),
    "a list of accumulators": Case(
        body="""
            for m in ttl.spatial(x.rows):
                totals = [0, 0]
                for n in ttl.temporal(x.columns):
                    totals[0] += ttl.load(x[m, n]).sum()
                ttl.store(y[m], totals[0] + totals[1])
        """,
        shapes=_TALL, code="TTL1310", at="totals[0] += ttl.load(x[m, n]).sum()", says="a list is changed by a loop",
    ),
    "a dict of accumulators": Case(
        body="""
            for m in ttl.spatial(x.rows):
                totals = {"a": 0}
                for n in ttl.temporal(x.columns):
                    totals["a"] += ttl.load(x[m, n]).sum()
                ttl.store(y[m], totals["a"])
        """,
        shapes=_TALL, code="TTL1310", at='totals["a"] += ttl.load(x[m, n]).sum()', says="a dict is changed by a loop",
    ),
    "values appended": Case(
        body="""
            for m in ttl.spatial(x.rows):
                parts = []
                for n in ttl.temporal(x.columns):
                    parts.append(ttl.load(x[m, n]).sum())
                ttl.store(y[m], sum(parts))
        """,
        shapes=_TALL, code="TTL1310", at="parts.append(ttl.load(x[m, n]).sum())", says="a list is changed by a loop",
    ),
    "an object's attribute": Case(
        before="class Total:\n    value = 0",
        body="""
            for m in ttl.spatial(x.rows):
                total = Total()
                for n in ttl.temporal(x.columns):
                    total.value = total.value + ttl.load(x[m, n]).sum()
                ttl.store(y[m], total.value)
        """,
        shapes=_TALL, code="TTL1301", at="total.value = total.value + ttl.load(x[m, n]).sum()", says="assignment to an attribute",
    ),
    "nonlocal": Case(
        body="""
            for m in ttl.spatial(x.rows):
                total = 0
                def add(v):
                    nonlocal total
                    total = total + v
                for n in ttl.temporal(x.columns):
                    add(ttl.load(x[m, n]).sum())
                ttl.store(y[m], total)
        """,
        shapes=_TALL, code="TTL1808", at="ttl.temporal(x.columns)", says="change total by nonlocal", help="return the new total",
    ),
    "a value of another scope": Case(
        before="""
            def summed(total):
                def add(v):
                    nonlocal total
                    total = total + v
                return add, lambda: total
        """,
        body="""
            for m in ttl.spatial(x.rows):
                add, total = summed(ttl.load(y[m]))
                for n in ttl.temporal(x.columns):
                    add(ttl.load(x[m, n]).sum())
                ttl.store(y[m], total())
        """,
        shapes=_TALL, code="TTL1808", at="ttl.temporal(x.columns)", says="change total by nonlocal", help="return the new total",
    ),
    "another shape": Case(
        body="""
            for m in ttl.spatial(x.rows):
                total = ttl.load(x[m, 0:1])
                for n in ttl.temporal(x.columns):
                    total = total.sum() + ttl.load(x[m, n]).sum()
                ttl.store(y[m], total)
        """,
        shapes=_TALL, code="TTL1808", at="total", says="total has (32, 32) elements when an iteration of this loop begins, and (32, 1)", help="of the final shape",
    ),
    "blocks added up": Case(
        body="""
            for m in ttl.spatial(x.rows):
                total = 0
                for n in ttl.temporal(x.columns):
                    total += ttl.load(x[m, n])
                ttl.store(y[m], total.sum())
        """,
        shapes=_TALL, code="TTL1808", at="ttl.temporal(x.columns)", says="total goes from one iteration to the next with the extent of a block of x.shape[1]", help="value.sum(axis)",
    ),
    "a value behind its loop": Case(
        body="""
            for m in ttl.spatial(x.rows):
                for n in ttl.temporal(x.columns):
                    v = ttl.load(x[m, n]).sum()
                ttl.store(y[m], v)
        """,
        shapes=_TALL, code="TTL1311", at="v", says="a loop over blocks assigns it, and this is behind the loop",
    ),
    "the variable of a loop behind it": Case(
        body="for m in ttl.temporal(x.rows):\n    pass\nttl.store(y[m], ttl.load(x[m]))",
        code="TTL1311", at="m", says="the loop has ended",
    ),
    # --- memory ---------------------------------------------------------------------------------------------------
    "a load of what was stored": Case(
        body="for m in ttl.spatial(x.rows):\n    ttl.store(y[m], ttl.load(x[m]))\n    ttl.store(x[m], ttl.load(y[m]) * 2)",
        code="TTL1812", at="ttl.load(y[m])", says="y is loaded after it is stored to", help="two tile programs",
    ),
    "a load of what was stored, as a whole": Case(
        body="ttl.store(y, ttl.load(x))\nttl.store(x, ttl.load(y) * 2)",
        code="TTL1812", at="ttl.load(y)", says="y is loaded after it is stored to", help="use the value that was stored",
    ),
    "a sum in memory": Case(
        body="""
            for m in ttl.spatial(x.rows):
                for n in ttl.temporal(x.columns, 1):
                    ttl.store(y[m], ttl.load(y[m]) + ttl.load(x[m, n]).sum())
        """,
        shapes=_TALL, code="TTL1812", at="ttl.load(y[m])", says="iterations of the loop over x.shape[1] load a part of y that other iterations store to", help="carry a value",
    ),
    "a tensor passed twice, transposed into itself": Case(
        body="""
            for m in ttl.spatial(x.rows):
                for n in ttl.spatial(x.columns):
                    ttl.store(y[n, m], ttl.load(x[m, n]).T)
        """,
        shapes={"a": (128, 128)}, parameters="x, y", call="a, a",
        code="TTL1812", at="ttl.load(x[m, n])", says="x is loaded and stored with different indices", help="store to another tensor",
    ),
    "one loop after the other": Case(
        body="""
            for m in ttl.spatial(x.rows):
                ttl.store(y[m], ttl.load(x[m]) + 1)
            for m in ttl.spatial(x.rows):
                ttl.store(z[m], ttl.load(y[m]) + 1)
        """,
        shapes={"x": (128, 96), "y": (128, 96), "z": (128, 96)},
        code="TTL1812", at="ttl.load(y[m])", says="y is loaded", help="second",
    ),
    "two turns, one part": Case(
        body="for h in ttl.spatial(x.axis(0)):\n    ttl.store(y[h // 2], ttl.load(x[h]))",
        shapes={"x": (8, 64, 64), "y": (8, 64, 64)},
        code="TTL1812", at="ttl.store(y[h // 2], ttl.load(x[h]))", says="different nodes store to the same part of y", help="ttl.temporal",
    ),
    "two loops, one part": Case(
        body="""
            for g in ttl.spatial(4):
                for h in ttl.spatial(4):
                    ttl.store(y[g + h], ttl.load(x[g]) + ttl.load(x[h]))
        """,
        shapes={"x": (8, 64, 64), "y": (8, 64, 64)},
        code="TTL1812", at="ttl.store(y[g + h], ttl.load(x[g]) + ttl.load(x[h]))", says="different nodes store to the same part of y", help="ttl.temporal",
    ),
    "a loop that is in no index": Case(
        body="for m in ttl.spatial(x.rows):\n    ttl.store(y, ttl.load(x[m]).sum(0))",
        shapes={"x": (128, 96), "y": (1, 96)},
        code="TTL1812", at="ttl.store(y, ttl.load(x[m]).sum(0))", says="store to the same part of y", help="index the tensor",
    ),
    "a store that all nodes would do": Case(
        body="for m in ttl.spatial(x.rows):\n    ttl.store(y[m], ttl.load(x[m]))\nttl.store(z, ttl.load(z) + 1)",
        shapes={"x": (128, 96), "y": (128, 96), "z": (32, 32)},
        code="TTL1812", at="ttl.store(z, ttl.load(z) + 1)", says="every node would do it", help="move it into the loop",
    ),
    "a loop that all nodes would do": Case(
        body="""
            for m in ttl.spatial(x.rows):
                ttl.store(y[m], ttl.load(x[m]))
            for m in ttl.temporal(z.rows):
                ttl.store(z[m], ttl.load(z[m]) + 1)
        """,
        shapes={"x": (128, 96), "y": (128, 96), "z": (64, 32)},
        code="TTL1812", at="ttl.store(z[m], ttl.load(z[m]) + 1)", says="every node would do it", help="move it into the loop",
    ),
    "a spatial loop that carries": Case(
        body="total = 0\nfor m in ttl.spatial(x.rows):\n    total += ttl.load(x[m]).sum(0)\nttl.store(y, total)",
        shapes={"x": (128, 96), "y": (1, 96)},
        code="TTL1812", at="ttl.spatial(x.rows)", says="carries total from one iteration to the next", help="ttl.temporal",
    ),
    "a spatial loop in a temporal one": Case(
        body="for m in ttl.temporal(x.rows):\n    for n in ttl.spatial(x.columns):\n        ttl.store(y[m, n], ttl.load(x[m, n]))",
        code="TTL1812", at="ttl.spatial(x.columns)", says="inside a loop that every node runs", help="put it around",
    ),
    "no store": Case(
        body="for m in ttl.spatial(x.rows):\n    ttl.load(x[m])",
        code="TTL1812", at="program", says="tile program program stores nothing", help="ttl.store",
    ),
    # --- values and indices ---------------------------------------------------------------------------------------
    "a part that is not loaded": Case(
        body="for m in ttl.spatial(x.rows):\n    ttl.store(y[m], x[m] + 1)",
        code="TTL1802", at="x[m] + 1", says="x is in memory", help="ttl.load(x[...])",
    ),
    "a part in a function": Case(
        body="for m in ttl.spatial(x.rows):\n    ttl.store(y[m], ttl.math.exp(x[m]))",
        code="TTL1802", at="ttl.math.exp(x[m])", says="x is in memory", help="ttl.load(x[...])",
    ),
    "a part that is stored": Case(
        body="for m in ttl.spatial(x.rows):\n    ttl.store(y[m], x[m])",
        code="TTL1802", at="ttl.store(y[m], x[m])", says="x is in memory", help="ttl.load(x[...])",
    ),
    "a loop over a tensor": Case(
        body="for m in x:\n    ttl.store(y[m], ttl.load(x[m]))",
        code="TTL1801", at="x", says="not over a tensor", help="x.rows",
    ),
    "text as an operand": Case(
        body='ttl.store(y, ttl.load(x) + "a")', code="TTL1804", at='ttl.load(x) + "a"', says="which is not a value of a tile program",
    ),
    "a place as an operand": Case(
        body="for h in ttl.spatial(x.axis(0)):\n    ttl.store(y[h], ttl.load(x[h]) * h)",
        shapes={"x": (4, 32, 32), "y": (4, 32, 32)},
        code="TTL1804", at="ttl.load(x[h]) * h", says="the position or size of a loop's block", help="load it from a tensor",
    ),
    "the extent of a block as an operand": Case(
        body="for m in ttl.spatial(x.rows):\n    v = ttl.load(x[m])\n    ttl.store(y[m], v * v.shape[0])",
        code="TTL1804", at="v * v.shape[0]", says="position or size", help="load it from a tensor",
    ),
    "a mean of blocks": Case(
        body="""
            for m in ttl.spatial(x.rows):
                total = 0
                for n in ttl.temporal(x.columns):
                    total += ttl.load(x[m, n]).mean()
                ttl.store(y[m], total)
        """,
        shapes=_TALL, code="TTL1815", at="ttl.load(x[m, n]).mean()", says="a mean along blocks of a loop", help="x.shape[-1]",
    ),
    "blocks of different loops": Case(
        body="for m in ttl.spatial(x.rows):\n    for n in ttl.spatial(x.rows):\n        ttl.store(y[m, n], ttl.load(x[m]) + ttl.load(x[n]))",
        code="TTL1804", at="ttl.load(x[m]) + ttl.load(x[n])", says="a + b of values with", help="equal, or one of them must be 1",
    ),
    "a block beside one tile": Case(
        body="for m in ttl.spatial(x.rows):\n    ttl.store(y[m], ttl.load(x[m]) + ttl.load(y[0:1]))",
        code="TTL1804", at="ttl.load(x[m]) + ttl.load(y[0:1])", says="a + b of values with", help="equal, or one of them must be 1",
    ),
    "a part that depends on the step": Case(
        body="for m in ttl.spatial(x.rows):\n    ttl.store(y[m], ttl.load(x[m.start : m.start + 1]))",
        code="TTL1803", at="ttl.load(x[m.start : m.start + 1])", says="depends on the step", help="give the loop a step",
    ),
    "the next block": Case(
        body="for m in ttl.spatial(x.rows):\n    ttl.store(y[m], ttl.load(x[m.stop : m.stop + m.size]))",
        code="TTL1803", at="ttl.load(x[m.stop : m.stop + m.size])", says="depends on the step", help="give the loop a step",
    ),
    "a division by zero": Case(
        body="for h in ttl.spatial(x.axis(0)):\n    ttl.store(y[h], ttl.load(x[h // 0]))",
        shapes={"x": (4, 32, 32), "y": (4, 32, 32)},
        code="TTL1803", at="h // 0", says="is divided by int 0", help="a positive integer",
    ),
    "a number for a dimension in tiles": Case(
        body="for m in ttl.spatial(x.rows):\n    ttl.store(y[m], ttl.load(x[m, 0]))",
        code="TTL1803", at="ttl.load(x[m, 0])", says="dimension 1 of x takes :", help="loop over the axis",
    ),
    "too many entries": Case(
        body="ttl.store(y, ttl.load(x[:, :, :]))", code="TTL1803", at="x[:, :, :]", says="has 3 entries", help="or fewer",
    ),
    "a loop over another extent": Case(
        body="for m in ttl.spatial(x.rows):\n    ttl.store(y[m], ttl.load(x[m]))",
        shapes={"x": (128, 96), "y": (96, 96)},
        code="TTL1803", at="ttl.store(y[m], ttl.load(x[m]))", says="dimension 0 of y has 96 elements, and the loop over x.shape[0] goes to 128", help="the same extent",
    ),
    "another shape stored": Case(
        body="for m in ttl.spatial(x.rows):\n    ttl.store(y[m], ttl.load(x[m]).sum())",
        code="TTL1804", at="ttl.store(y[m], ttl.load(x[m]).sum())", says="a value of (32, 1) elements is stored to part of y with (32, 96)", help="index the tensor",
    ),
    "factors that do not fit": Case(
        body="ttl.store(y, ttl.load(x) @ ttl.load(x))",
        code="TTL1804", at="ttl.load(x) @ ttl.load(x)", says="a product of values with (128, 96) and (128, 96) elements", help=".T transposes",
    ),
    "a step that leaves a rest": Case(
        body="for m in ttl.spatial(x.rows, 3):\n    ttl.store(y[m], ttl.load(x[m]))",
        code="TTL1809", at="ttl.spatial(x.rows, 3)", says="has 4 tiles, which is not a multiple of 3", help="leave it out",
    ),
    "a dimension that is not there": Case(
        body="for m in ttl.spatial(x.axis(2)):\n    ttl.store(y[m], ttl.load(x[m]))",
        code="TTL1801", at="x.axis(2)", says="x has 2 dimensions, and no dimension 2", help="from 0 to 1",
    ),
    "an axis that is none": Case(
        body="for m in ttl.spatial(0):\n    ttl.store(y[m], ttl.load(x[m]))",
        code="TTL1801", at="ttl.spatial(0)", says="not over int 0", help="x.rows",
    ),
    "a step of one by one": Case(
        body="for h in ttl.spatial(x.axis(0), 2):\n    ttl.store(y[h], ttl.load(x[h]))",
        shapes={"x": (4, 32, 32), "y": (4, 32, 32)},
        code="TTL1805", at="ttl.spatial(x.axis(0), 2)", says="takes one element in an iteration", help="leave the step out",
    ),
    "a function about blocks": Case(
        body="ttl.store(y, ttl.block.broadcast(ttl.load(x), dims=[0], shape=(4, 3)))",
        code="TTL1810", at="ttl.block.broadcast(ttl.load(x), dims=[0], shape=(4, 3))", says="about the shape of blocks", help="broadcast automatically",
    ),
    "a tensor from outside": Case(
        before="scale = ttnn.ones((1, 1), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)",
        body="ttl.store(y, ttl.load(x) * ttl.load(scale))",
        code="TTL1811", at="scale", says="scale is a tensor from outside of the tile program", help="make it a parameter",
    ),
    "a truth value as an operand": Case(
        body="ttl.store(y, ttl.load(x) * True)", code="TTL1804", at="ttl.load(x) * True", says="is bool True", help="",
    ),
    "the truth of a value": Case(
        body="v = ttl.load(x)\nif v > 0:\n    v = v * 2\nttl.store(y, v)", code="TTL0422", at="v > 0", says="has no truth value",
    ),
}  # fmt: skip


def _first(
    arguments: list[str], case: Case, folder: Path
) -> tuple[str, str, tuple[str, ...], tuple[int, int]]:
    (folder / FILE).write_text(case.run)
    outcome = run_ttl([*arguments, "--format", "json", FILE], folder=folder)
    assert outcome.status == 1, outcome
    if arguments == ["check"]:
        found = json.loads(outcome.stdout)["diagnostics"]
    else:
        lines = (outcome.stdout + outcome.stderr).splitlines()
        found = [one for one in map(json.loads, lines) if one["kind"] == "diagnostic"]
    first = next(one for one in found if one["severity"] == "error")
    place = first["primary"]
    assert place["file"].endswith(FILE), place
    return first["code"], first["message"], tuple(first["help"]), (place["line"], place["column"])


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_in_a_check_as_in_a_run(name: str, tmp_path: Path) -> None:
    case = REFUSED[name]
    checked, ran = (_first(arguments, case, tmp_path) for arguments in (["check"], ["run"]))
    assert checked == ran
    code, message, help_, (line, column) = ran
    assert code == case.code
    assert case.says in message
    assert case.help in " ".join(help_)
    assert case.run.splitlines()[line - 1][column - 1 :].startswith(case.at)


def test_a_call_outside_of_a_tile_program(tmp_path: Path) -> None:
    x = ttnn.ones((32, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
    with pytest.raises(ttl.ProgramError, match=r"TTL1800.*ttl.load\(\) is outside of a tile program"):
        ttl.load(x)


# --- what is right --------------------------------------------------------------------------------------------------

_X = "for m in ttl.spatial(x.rows):\n    "
RIGHT = {
    "in place": Case(body=_X + "ttl.store(x[m], ttl.load(x[m]) + 1)"),
    "a tensor passed twice": Case(body=_X + "ttl.store(y[m], ttl.load(x[m]) + 1)", shapes={"a": (128, 96)}, parameters="x, y", call="a, a"),
    "values that change places": Case(body="a, b = ttl.load(x), ttl.load(y)\nttl.store(y, a)\nttl.store(x, b)"),
    "a tensor stored to twice": Case(body=_X + "v = ttl.load(x[m])\n    ttl.store(y[m], v)\n    ttl.store(x[m], v * 2)"),
    "an alias": Case(before="from ttl import load as take", body=_X + "ttl.store(y[m], take(x[m]) * 2)"),
    "a helper with a loop": Case(
        before="def total(x, m):\n    t = 0\n    for n in ttl.temporal(x.columns):\n        t = t + ttl.load(x[m, n]).sum()\n    return t",
        body=_X + "ttl.store(y[m], total(x, m))", shapes=_TALL,
    ),
    "a method": Case(before="class Scale:\n    @staticmethod\n    def twice(v):\n        return v * 2", body=_X + "ttl.store(y[m], Scale.twice(ttl.load(x[m])))"),
    "a closure with numbers": Case(
        before="def scaled(by):\n    return lambda v: v * by", body="double = scaled(2)\n" + _X + "ttl.store(y[m], double(ttl.load(x[m])))",
    ),
    "recursion": Case(before="def power(v, n):\n    return v if n == 0 else power(v * 2, n - 1)", body=_X + "ttl.store(y[m], power(ttl.load(x[m]), 3))"),
    "a range": Case(body=_X + "t = 0\n    for k in range(3):\n        t += ttl.load(x[m]) * (k + 1)\n    ttl.store(y[m], t)"),
    "while": Case(body=_X + "t, k = ttl.load(x[m]), 0\n    while k < 3:\n        t, k = t * 2, k + 1\n    ttl.store(y[m], t)"),
    "a condition of shapes": Case(body=_X + "t = ttl.load(x[m])\n    if x.shape[0] > 64:\n        t = t * 2\n    ttl.store(y[m], t)"),
    "an assignment in an expression": Case(body=_X + "ttl.store(y[m], (t := ttl.load(x[m])) * 2 + t)"),
    "targets in tuples": Case(body=_X + "a, (b, c) = ttl.load(x[m]), (ttl.load(x[m]) * 2, 3)\n    ttl.store(y[m], a + b * c)"),
    "a starred target": Case(body=_X + "a, *rest = [ttl.load(x[m]) * k for k in range(3)]\n    ttl.store(y[m], a + sum(rest))"),
    "+= makes another value": Case(body=_X + "a = ttl.load(x[m])\n    b = a\n    a += 1\n    ttl.store(y[m], a * 10 + b)"),
    "a list of values": Case(
        body=_X + "vs = [ttl.load(x[m, k : k + 1]) for k in range(3)]\n    vs[1] *= 2\n    vs.append(vs.pop(0))\n    ttl.store(y[m], vs[0] - vs[1] * vs[2])",
        shapes={"x": (128, 96), "y": (128, 32)},
    ),
    "a dict of values": Case(
        body=_X + 'vs = {k: ttl.load(x[m]) * k for k in range(3)}\n    vs["a"] = vs.pop(1)\n    ttl.store(y[m], vs["a"] - vs[2])',
    ),
    "an object of values": Case(
        before="from dataclasses import dataclass\n@dataclass\nclass Pair:\n    a: object\n    b: int",
        body=_X + "pair = Pair(ttl.load(x[m]), 3)\n    ttl.store(y[m], pair.a * pair.b)",
    ),
    "a variable that is set anew in each turn": Case(
        body="step = None\nfor m in ttl.temporal(x.rows):\n    step = 3\n    step += 1\n    ttl.store(y[m], ttl.load(x[m]) * step)",
    ),
    "a name of before for something else": Case(body="v = ttl.load(y)\nfor m in ttl.temporal(x.rows):\n    v = ttl.load(x[m])\n    ttl.store(y[m], v)"),
    "values swapped from turn to turn": Case(
        body=_X + "a, b = 0, 1\n    for n in ttl.temporal(x.columns):\n        a, b = b, a + b + ttl.load(x[m, n]).sum()\n    ttl.store(y[m], a * 2 + b)", shapes=_TALL,
    ),
    "the value of the turn before": Case(
        body=_X + "last, t = 0, 0\n    for n in ttl.temporal(x.columns, 1):\n        now = ttl.load(x[m, n]).sum()\n        t = t + now * last\n        last = now\n    ttl.store(y[m], t)",
        shapes=_TALL,
    ),
    "a name of a loop around": Case(body="for m in ttl.temporal(x.rows):\n    v = ttl.load(x[m])\n    for m in range(3):\n        v = v + m\n    k = m\nttl.store(y, ttl.load(x) * 2)"),
    "comparisons": Case(body=_X + "ttl.store(y[m], (ttl.load(x[m]) == ttl.load(y[m])) * 3 + (ttl.load(x[m]) != 2))"),
    "operators with numbers on the left": Case(body=_X + "v = ttl.load(x[m])\n    ttl.store(y[m], 2 - v + 3 * v - -v + abs(v) + v // 2 + v % 2)"),
    "unused values": Case(body=_X + "u = ttl.math.exp(ttl.load(x[m]))\n    ttl.store(y[m], ttl.load(x[m]) + 1)"),
    "a number": Case(body=_X + "ttl.store(y[m], 3)"),
    "places computed with": Case(
        body="for h in ttl.spatial(4):\n    ttl.store(y[3 - h], ttl.load(x[2 * h // 2]) + ttl.load(x[(h + 1) % 4]))",
        shapes={"x": (4, 32, 64), "y": (4, 32, 64)},
    ),
    "two digits of a place": Case(
        body="for g in ttl.spatial(2):\n    for h in ttl.spatial(3):\n        ttl.store(y[3 * g + h], ttl.load(x[3 * g + h]) * 2)",
        shapes={"x": (6, 32, 64), "y": (6, 32, 64)},
    ),
    "open slices": Case(body=_X + "ttl.store(y[m], ttl.load(x[m, :1]) + ttl.load(x[m, 2:]))", shapes={"x": (128, 96), "y": (128, 32)}),
    "a slice up to the tail": Case(body=_X + "ttl.store(y[m], ttl.load(x[m, 2:3]))", shapes={"x": (100, 70), "y": (100, 6)}),
    "blocks shifted by a tile": Case(
        body="for m in ttl.spatial(y.rows):\n    ttl.store(y[m], ttl.load(x[m.start + 1 : m.stop + 1]))", shapes={"x": (128, 64), "y": (96, 64)},
    ),
    "functions of tails": Case(
        body="for n in ttl.spatial(x.columns):\n    t = 0\n    for m in ttl.temporal(x.rows):\n        t += (ttl.load(x[m, n]) + 1).sum(0)\n    ttl.store(y[:, n], t)",
        shapes={"x": (100, 70), "y": (1, 70)},
    ),
    "a mean of a whole dimension": Case(body=_X + "ttl.store(y[m], ttl.load(x[m]).mean())", shapes={"x": (100, 64), "y": (100, 1)}),
    "a nest of one turn beside others": Case(
        body=_X + "ttl.store(y[m], ttl.load(x[m]))\nfor k in ttl.spatial(z.rows):\n    ttl.store(z[k], ttl.load(z[k]) + 1)",
        shapes={"x": (128, 96), "y": (128, 96), "z": (32, 32)},
    ),
}  # fmt: skip
_modules = count()


def _module(text: str, folder: Path) -> Any:
    path = folder / f"tiles_{next(_modules)}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _judged(case: Case, folder: Path, *more: Any) -> None:
    """Run a program over arrays and in the simulator, and compare all tensors."""
    operation = _module(case.program, folder).program
    random = np.random.default_rng(0)
    arrays = {name: random.integers(-3, 4, shape).astype(np.float64) for name, shape in case.tensors.items()}
    tensors = {
        name: ttnn.Tensor(array.astype(np.float32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
        for name, array in arrays.items()
    }
    names = [name.strip() for name in (case.call or ",".join(case.tensors)).split(",")]
    operation(*(tensors[name] for name in names), *more)
    operation.reference(*(arrays[name] for name in names), *more)
    for name, array in arrays.items():
        np.testing.assert_allclose(tensors[name].numpy(), array, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("name", RIGHT)
def test_it_does_what_cpython_does(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _judged(RIGHT[name], tmp_path)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("number", [3, -1, 0.5, 2.0, np.int64(3), np.float64(0.5)])
def test_numbers_that_are_passed(number: Any, tmp_path: Path) -> None:
    _judged(Case(body=_X + "ttl.store(y[m], ttl.load(x[m]) * k + k)", parameters="x, y, k"), tmp_path, number)


def test_text_and_lists_that_are_passed(tmp_path: Path) -> None:
    body = (
        _X
        + "v = getattr(ttl.math, name)(ttl.load(x[m]))\n    for k in ks:\n        v = v * k\n    ttl.store(y[m], v)"
    )
    _judged(Case(body=body, parameters="x, y, name, ks"), tmp_path, "abs", [2, 3])


def test_a_tensor_that_is_passed_twice_is_another_call(tmp_path: Path) -> None:
    """What was designed for two tensors is not taken for one."""
    body = "for m in ttl.spatial(x.rows):\n    for n in ttl.spatial(x.columns):\n        ttl.store(y[n, m], ttl.load(x[m, n]).T)"
    operation = _module(Case(body=body).program, tmp_path).program
    x, y = (ttnn.ones((64, 64), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT) for _ in range(2))
    operation(x, y)
    with pytest.raises(ttl.ProgramError, match="x and y are the same tensor in this call"):
        operation(x, x)


def test_a_program_in_a_function_and_a_helper_of_another_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scaling.py").write_text(
        "FACTOR = 3\n\ndef scaled(value, by=FACTOR):\n    return value * by\n"
    )
    text = f"""{_HEAD}
from scaling import scaled

def make(factor):
    class Programs:
        @staticmethod
        @ttl.tile_operation()
        def program(x, y):
            for m in ttl.spatial(x.rows):
                ttl.store(y[m], scaled(ttl.load(x[m])) + factor)

    return Programs.program

program = make(2)
other = make(5)
"""
    monkeypatch.syspath_prepend(tmp_path)
    module = _module(text, tmp_path)
    for operation, factor in ((module.program, 2), (module.other, 5)):
        x, y = (ttnn.ones((64, 64), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT) for _ in range(2))
        operation(x, y)
        assert (y.numpy() == 3 + factor).all()


def test_a_call_that_is_written_out_twice_in_a_module(tmp_path: Path) -> None:
    """Checked and run with two kinds of arguments."""
    case = Case(body=_X + "ttl.store(y[m], ttl.load(x[m]) * 2)")
    more = "a = ttnn.ones((64, 70), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)\nprogram(a, a)\nprint(a.numpy().sum())\n"
    (tmp_path / FILE).write_text(case.run + more)
    checked, ran = (run_ttl([command, FILE], folder=tmp_path) for command in ("check", "run"))
    assert (checked.status, ran.status, ran.stderr, ran.stdout) == (0, 0, "", "8960.0\n")
