"""Findings of a small program: what ``ttl run --format json`` says, with the text each finding points at."""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.programs import FILE, run_program

_PROGRAM = """\
import math
import numpy as np
import torch
import ttl
import ttnn

kept = []
TTNN = dict(dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


@ttl.operation(grid={grid})
def op(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    done = ttl.Semaphore()
    net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(0, 0))])
{body}
    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk:
{read}
            ttl.copy(x[0, 0], x_blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
{compute}
            y_blk.store(2 * x_blk)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
{write}
            ttl.copy(y_blk, y[0, 0]).wait()


x = ttnn.ones((64, 64), **TTNN)
y = ttnn.zeros((64, 64), **TTNN)
op(x, y)
{after}
"""


def program(grid: str = "(1, 1)", **places: str) -> str:
    """A correct program with statements put into it: ``body``, ``read``, ``compute``, ``write``, ``after``."""
    indents = {"body": 4, "read": 12, "compute": 12, "write": 12, "after": 0}
    unknown = set(places) - set(indents)
    assert not unknown, unknown
    return _PROGRAM.format(
        grid=grid,
        **{name: textwrap.indent(places.get(name, ""), " " * indent) for name, indent in indents.items()},
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One diagnostic. ``at`` is the source text its primary label underlines, "" without one."""

    code: str
    severity: str
    message: str
    at: str
    notes: tuple[str, ...]
    help: tuple[str, ...]
    fix: dict[str, Any] | None


def findings(source: str, folder: Path, *flags: str) -> list[Finding]:
    """What running ``source`` reports, in order. Fails on anything else on standard error."""
    outcome = run_program(source, folder=folder, flags=["--format", "json", *flags])
    found = []
    for line in outcome.stderr.splitlines():
        assert line.startswith("{"), f"not a finding: {outcome.stderr}"
        found.append(_finding(json.loads(line), folder))
    return found


def only(source: str, folder: Path, *flags: str) -> Finding:
    """The single finding of a program."""
    found = findings(source, folder, *flags)
    assert len(found) == 1, found
    return found[0]


def repaired(source: str, found: list[Finding]) -> str:
    """``source`` with the fixes of its findings applied."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    edits = [edit for each in found if each.fix is not None for edit in each.fix["edits"]]
    for edit in sorted(edits, key=lambda each: (each["line"], each["column"]), reverse=True):
        begin = starts[edit["line"] - 1] + edit["column"] - 1
        end = starts[edit["end_line"] - 1] + edit["end_column"] - 1
        source = source[:begin] + edit["replacement"] + source[end:]
    return source


def _finding(said: dict[str, Any], folder: Path) -> Finding:
    return Finding(
        code=said["code"],
        severity=said["severity"],
        message=said["message"],
        at="" if said["primary"] is None else _text(said["primary"], folder),
        notes=tuple(said["notes"]),
        help=tuple(said["help"]),
        fix=said["fix"],
    )


def _text(place: dict[str, Any], folder: Path) -> str:
    assert Path(place["file"]).name == FILE
    lines = (folder / FILE).read_text(encoding="utf-8").splitlines()
    if place["line"] == place["end_line"]:
        return lines[place["line"] - 1][place["column"] - 1 : place["end_column"] - 1]
    return "\n".join(lines[place["line"] - 1 : place["end_line"]])
