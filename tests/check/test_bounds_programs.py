"""Programs that leave a tensor, share a pipe or fill a node wrongly: the checker says what the simulator says.

Slices, pipes, L1: code, message and line of the first finding are compared with those of a run without the checker.
"""

from __future__ import annotations

import json
import runpy
import textwrap
from pathlib import Path

import pytest

from support.programs import run_ttl
from support.static_findings import checked_instead
from ttl.check import bounds, pipes, races, resources
from ttl.diag import Diagnostic, Severity

_PROGRAM = """\
import ttl
import ttnn


def tensor(rows, columns):
    return ttnn.ones((rows, columns), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)


@ttl.operation(grid={grid})
def op(x, y):
    node, row = ttl.node()
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    net = ttl.PipeNet([ttl.Pipe(src=(0, 0), dst=(1, 0))])
{body}
    @ttl.datamovement()
    def read():
{read}

    @ttl.datamovement()
    def write():
{write}


op(tensor(128, 128), tensor(128, {columns}))
"""

_FILL = """
    with dfb.reserve() as blk:
        ttl.copy({part}, blk).wait()
"""
_DRAIN = """
    with dfb.wait() as blk:
        ttl.copy(blk, {part}).wait()
"""


def program(*, read: str, write: str, body: str = "", grid: str = "(1, 1)", columns: int = 128) -> str:
    def indented(text: str, by: int) -> str:
        return textwrap.indent(textwrap.dedent(text).strip("\n"), " " * by)

    return _PROGRAM.format(
        grid=grid,
        columns=columns,
        body=indented(body, 4),
        read=indented(read, 8),
        write=indented(write, 8),
    )


def fill(part: str) -> str:
    return _FILL.format(part=part)


def drain(part: str) -> str:
    return _DRAIN.format(part=part)


WRONG = {
    "last turn of a loop": program(read="for n in range(5):" + fill("x[n, 0]"), write="for n in range(5):" + drain("y[0, 0]")),
    "only on the last node": program(
        grid="(5, 1)", read="if True:" + fill("x[0, node]"), write="if True:" + drain("y[0, 0]")
    ),
    "the end of a slice": program(
        body="wide_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 3))",
        read="""
        for n in range(0, 4, 2):
            with wide_dfb.reserve() as blk:
                ttl.copy(x[0, n : n + 3], blk).wait()
        """,
        write="""
        for n in range(2):
            with wide_dfb.wait() as blk:
                ttl.copy(blk, y[n, 0:3]).wait()
        """,
    ),
    "before the beginning": program(read="for n in range(2):" + fill("x[0, n - 1]"), write="for n in range(2):" + drain("y[0, n]")),
    "a helper that two places call": program(
        body="def part(of, n):\n    return of[n * 2, 0]",
        read="for n in range(3):" + fill("part(x, n)"),
        write="for n in range(3):" + drain("y[0, n]"),
    ),
    "blocks of two shapes at a pipe": program(
        grid="(2, 1)",
        body="wide_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 2))",
        read="""
        def send(pipe):
            with dfb.reserve() as blk:
                ttl.copy(x[0, 0], blk).wait()
                ttl.copy(blk, pipe).wait()

        def receive(pipe):
            with wide_dfb.reserve() as blk:
                ttl.copy(pipe, blk).wait()

        net.if_src(send)
        net.if_dst(receive)
        """,
        write="""
        if net.is_src():
            with dfb.wait() as blk:
                ttl.copy(blk, y[0, 0]).wait()
        else:
            with wide_dfb.wait() as blk:
                ttl.copy(blk, y[1, 0:2]).wait()
        """,
    ),
    "a send without a receive": program(
        grid="(2, 1)",
        read="""
        def send(pipe):
            with dfb.reserve() as blk:
                ttl.copy(x[0, 0], blk).wait()
                ttl.copy(blk, pipe).wait()

        net.if_src(send)
        """,
        write="if net.is_src():" + drain("y[0, 0]"),
    ),
    "too much for L1": program(
        body="large_dfb = ttl.make_dataflow_buffer_like(x, shape=(16, 32))",
        read="if True:" + fill("x[0, 0]"),
        write="if True:" + drain("y[0, 0]"),
    ),
    "a part written by every node": program(
        grid="(2, 2)", read="if True:" + fill("x[node, row]"), write="if True:" + drain("y[node, 0]")
    ),
}  # fmt: skip


def found_without_running(path: Path) -> list[Diagnostic]:
    checks = (bounds.check_slices, pipes.check, resources.check, races.check)
    with checked_instead(checks=checks) as found:
        runpy.run_path(str(path))
    return sorted(found, key=lambda each: each.severity is not Severity.ERROR)


@pytest.mark.parametrize("name", WRONG)
def test_the_checker_says_what_a_run_says(name: str, tmp_path: Path) -> None:
    path = tmp_path / "example.py"
    path.write_text(WRONG[name], encoding="utf-8")
    outcome = run_ttl(["run", "--no-check", "--format", "json", "example.py"], folder=tmp_path)
    (dynamic,) = [each for each in map(json.loads, outcome.stderr.splitlines()) if each["severity"] != "note"]
    static = found_without_running(path)[0]
    assert static.primary is not None
    assert (static.code, static.message) == (dynamic["code"], dynamic["message"])
    assert str(static.severity) == dynamic["severity"]
    place = dynamic["primary"]
    span = static.primary.span
    assert (span.line, span.column, span.end_column) == (place["line"], place["column"], place["end_column"])
    kernel = [note for note in dynamic["notes"] if note.startswith("in kernel")]
    assert all(any(own.startswith(note) for own in static.notes) for note in kernel)


def test_nothing_is_said_of_a_program_that_is_right(tmp_path: Path) -> None:
    path = tmp_path / "example.py"
    path.write_text(
        program(
            grid="(2, 2)",
            read="for n in range(2):" + fill("x[2 * node + n, row]"),
            write="for n in range(2):" + drain("y[2 * node + n, row]"),
            columns=64,  # all of y is written
        ),
        encoding="utf-8",
    )
    assert not found_without_running(path)


def test_a_node_that_reads_what_another_one_writes(tmp_path: Path) -> None:
    """A run shows one order of events; that there are others, the checker knows without trying."""
    path = tmp_path / "example.py"
    path.write_text(
        program(
            grid="(2, 1)",
            body="other_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))",
            read="if node == 0:" + fill("x[0, 0]") + "else:" + fill("y[0, 0]"),
            write="if True:" + drain("y[0, node]"),
        ),
        encoding="utf-8",
    )
    (finding,) = found_without_running(path)
    assert (finding.code, finding.severity) == ("TTL1101", Severity.ERROR)
    assert (
        finding.message
        == "the result of operation op depends on the schedule: y is read and written in no defined order"
    )
    assert finding.primary is not None
    assert finding.primary.text == "read here, by kernel read on node (1, 0)"
    assert finding.secondary[-1].text == "written here, by kernel write on node (0, 0)"
