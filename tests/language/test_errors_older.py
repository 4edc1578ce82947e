"""Older spellings (LANGUAGE.md): they work, with one note each; the fix in the note makes the program new."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.findings import findings, program, repaired

# Place, statement, code of the note, whether the note has a fix.
_OLDER = [
    ("body", "ttl.make_dataflow_buffer_like(x, (1, 1), buffer_factor=3)", "TTL1201", True),
    ("body", "ttl.make_circular_buffer_like(x, shape=(1, 1))", "TTL1208", True),
    ("body", "ttl.Pipe(src_core=(0, 0), dst=(0, 0))", "TTL1202", True),
    ("body", "ttl.Pipe(src=(0, 0), dst_core=(0, 0))", "TTL1211", True),
    ("body", "ttl.Pipe(src=(0, 0), dst_core_range=(slice(0, 1), 0))", "TTL1211", True),
    ("compute", "ttl.core(dims=1) + ttl.node(dims=1)", "TTL1207", True),
    ("compute", "y_blk.store(x_blk); y_blk.store(x_blk, acc=True); print(y_blk + 1)", "TTL1205", True),
    ("compute", "y_blk.store(ttl.exp(x_blk)); print(y_blk + 1)", "TTL1210", True),
    ("compute", "y_blk.store(ttl.math.fill(0, shape=(1, 1))); print(y_blk + 1)", "TTL1210", True),
    ("compute", "y_blk.store(ttl.math.transpose(x_blk)); print(y_blk + 1)", "TTL1210", True),
    ("compute", "y_blk.store(ttl.math.broadcast(x_blk, y_blk, dims=[0])); print(y_blk + 1)", "TTL1210", True),
    ("compute", "y_blk.store(ttl.math.fill(x_blk, 1.0)); print(y_blk + 1)", "TTL1210", True),
    (
        "compute",
        "y_blk.store(ttl.math.reduce_sum(x_blk, x_blk, dims=[0])); print(y_blk + 1)",
        "TTL1213",
        True,
    ),
    ("compute", "y_blk.store(2 ** ttl.math.reduce_max(x_blk, 1.0, [-1])); print(y_blk + 1)", "TTL1213", True),
    ("compute", "y_blk.store(ttl.block.broadcast(x_blk, dims=[0])); print(y_blk + 1)", "TTL1214", True),
    ("compute", "y_blk.store(1 - ttl.block.broadcast(x_blk, [0, 1])); print(y_blk + 1)", "TTL1214", True),
    (
        "compute",
        "y_blk.store(x_blk / ttl.block.broadcast(x_blk, dims=-1)); print(y_blk + 1)",
        "TTL1214",
        True,
    ),
    ("compute", "y_blk.store(2 / ttl.add(x_blk, x_blk)); print(y_blk + 1)", "TTL1217", True),
    ("compute", "y_blk.store(ttl.math.matmul(x_blk, x_blk)); print(y_blk + 1)", "TTL1217", True),
    ("compute", "print('x', thread='math', _dump_dst_registers=True)", "TTL1216", True),
    ("compute", "print(_dump_dst_registers=True)", "TTL1216", False),
    ("compute", "assert net.pipes[0].has_current_core()", "TTL1218", False),
    ("after", "from ttl import ttl", "TTL1215", True),
    ("after", "from ttl import ttl as tt", "TTL1215", True),
    ("after", "ttl.CircularBuffer", "TTL1208", True),
    ("after", "op(x, y, options='--no-ttl-maximize-dst')", "TTL1203", True),
    ("after", "ttl.kernel(grid=(1, 1))(lambda: None)", "TTL1206", True),
    ("after", "ttl.operation(math_fidelity='HiFi4')", "TTL1203", True),
    ("after", "ttl.operation(options='--fp32-dest-acc-en --no-dst-full-sync-en')", "TTL1203", True),
    ("after", "ttl.operation(options='--no-ttl-reduce-full-fp32', grid=(1, 1))", "TTL1203", True),
]


@pytest.mark.parametrize(("place", "statement", "code", "fixed"), _OLDER, ids=[case[1] for case in _OLDER])
def test_an_older_spelling(place: str, statement: str, code: str, fixed: bool, tmp_path: Path) -> None:
    source = program(**{place: statement})
    found = findings(source, tmp_path)
    assert [(each.code, each.severity) for each in found] == [(code, "note")], found
    assert (found[0].fix is not None) == fixed
    if fixed:
        newer = repaired(source, found)
        assert newer != source
        assert findings(newer, tmp_path) == []
    else:
        assert found[0].help


_PUSH_AND_POP = """\
import ttl
import ttnn


@ttl.kernel(grid=(1, 1))
def double(x, y):
    x_dfb = ttl.make_circular_buffer_like(x, shape=(1, 1), buffer_factor=2)
    y_dfb = ttl.make_circular_buffer_like(y, shape=(1, 1), buffer_factor=2)

    @ttl.datamovement()
    def read():
        x_blk = x_dfb.reserve()
        ttl.copy(x[ttl.core()[0], 0], x_blk).wait()
        x_dfb.push()

    @ttl.compute()
    def compute():
        x_blk = x_dfb.wait()
        y_blk = y_dfb.reserve()
        y_blk.store(ttl.sqrt(x_blk))
        x_dfb.pop()
        y_dfb.push()

    @ttl.datamovement()
    def write():
        y_blk = y_dfb.wait()
        ttl.copy(y_blk, y[0, 0]).wait()
        y_dfb.pop()

    return ttl.Program(compute, read, write)(x, y)


x = ttnn.full((32, 32), 4, dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
double(x, y)
double(x, y)
assert float(ttnn.to_torch(y).max()) == 2
"""


def test_a_whole_program_of_the_first_specification_runs(tmp_path: Path) -> None:
    found = findings(_PUSH_AND_POP, tmp_path)
    assert {each.severity for each in found} == {"note"}
    expected = ["TTL1206", "TTL1208", "TTL1201", "TTL1209", "TTL1207", "TTL1204", "TTL1210", "TTL1212"]
    assert [each.code for each in found] == expected, "one note per spelling, in the order of execution"
    twice = ["TTL1208", "TTL1201", "TTL1204", "TTL1212"]
    assert [each.code for each in found if each.message.endswith("(2 places)")] == twice


def test_the_fixes_leave_nothing_older(tmp_path: Path) -> None:
    newer = repaired(_PUSH_AND_POP, findings(_PUSH_AND_POP, tmp_path))
    assert [each.code for each in findings(newer, tmp_path)] == []


@pytest.mark.parametrize("options", ["--unknown", "--fp32-dest-acc-en --O3"])
def test_unknown_flags_are_named(options: str, tmp_path: Path) -> None:
    found = findings(program(after=f"ttl.operation(options={options!r})"), tmp_path)
    assert [each.code for each in found] == ["TTL0215"]
    assert options.split()[-1] in found[0].message
