"""0.18, "Raw element access" and 0.21, "Reading an index": in the simulator, and the same on the emulated chip."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.compiled import complaints_about, emitted_file
from support.failing import deadlocks, fails
from support.kernel_check import needs_compiler
from support.tensors import blank, numbers, row_major, tiled, values
from ttl import settings
from ttl.check.file import check_file

NAN = float("nan")
FLOATS = [ttnn.bfloat16, ttnn.float32]


@pytest.fixture(params=["sim", "emu"])
def target(request: pytest.FixtureRequest) -> Iterator[str]:
    """What runs the operations; the emulated chip is compared with the simulator."""
    with settings.override(target=request.param, compare=request.param == "emu"):
        yield request.param


def moved(
    given: ttnn.Tensor,
    out: ttnn.Tensor,
    work: Callable[[Any], None],
    shape: Any = (1, 1),
    *,
    grid: Any = (1, 1),
) -> Any:
    """What ``out`` holds after ``work`` was done to a block of ``given`` that was copied, and was copied to ``out``."""

    @ttl.operation(grid=grid)
    def op(x: Any, y: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(x, shape=shape)

        @ttl.datamovement()
        def move() -> None:
            with dfb.reserve() as blk:
                ttl.copy(x[...] if len(shape) != 2 else x[0 : shape[0], 0 : shape[1]], blk).wait()
                work(blk)
                ttl.copy(blk, y[...] if len(shape) != 2 else y[0 : shape[0], 0 : shape[1]]).wait()

    op(given, out)
    return values(out)


@pytest.mark.parametrize("dtype", FLOATS)
def test_an_element_is_where_its_coordinates_say(dtype: Any, target: str) -> None:
    """Over tiles, faces and rows: the block is turned around element by element, at places of every face."""
    before = numbers(64, 96, low=-100, high=100)

    def swap(blk: Any) -> None:
        for row in range(0, 64, 9):
            for column in range(0, 48, 5):
                left = ttl.raw_element_read(blk, row, column)
                right = ttl.raw_element_read(blk, row, 95 - column)
                ttl.raw_element_write(blk, row, column, right)
                ttl.raw_element_write(blk, row, 95 - column, value=left)

    wanted = before.copy()
    wanted[0:64:9, 0:48:5], wanted[0:64:9, 95:47:-5] = before[0:64:9, 95:47:-5], before[0:64:9, 0:48:5]
    assert (moved(tiled(before, dtype), blank((64, 96), dtype), swap, (2, 3)) == wanted).all()


@pytest.mark.parametrize("dtype", FLOATS)
def test_row_major_blocks_of_any_rank(dtype: Any, target: str) -> None:
    before = numbers(3, 4, 32)

    def fill(blk: Any) -> None:
        first = ttl.raw_element_read(blk, 2, 3, 31)
        for i in range(3):
            ttl.raw_element_write(blk, i, 1, 7 + i, first)

    wanted = before.copy()
    for i in range(3):
        wanted[i, 1, 7 + i] = before[2, 3, 31]
    out = blank((3, 4, 32), dtype, ttnn.ROW_MAJOR_LAYOUT)
    assert (moved(row_major(before, dtype), out, fill, (3, 4, 32)) == wanted).all()


def test_a_float32_is_cut_off_for_bfloat16(target: str) -> None:
    given = [1.999, -1.999, 3.14159265, 1e-45, float("inf"), -0.0, 2.0**127]

    def write(blk: Any) -> None:
        ttl.raw_element_read(blk, 0, 0)
        for i in range(7):
            ttl.raw_element_write(blk, 0, i, given[i])

    found = moved(tiled(np.zeros((32, 32))), blank((32, 32)), write)[0, :7]
    for number, written in zip(found, given, strict=True):
        (bits,) = struct.unpack("<I", struct.pack("<f", written))
        assert struct.pack("<f", number) == struct.pack("<I", bits & 0xFFFF0000)


def test_all_six_comparisons_of_numbers_and_of_what_is_none(target: str) -> None:
    pairs = [
        (1.0, 2.0),
        (2.0, 1.0),
        (1.5, 1.5),
        (-0.0, 0.0),
        (NAN, 1.0),
        (1.0, NAN),
        (NAN, NAN),
        (math.inf, 1.0),
    ]
    given = np.zeros((32, 32), np.float32)
    given[0, :8], given[1, :8] = zip(*pairs, strict=True)

    def compare(blk: Any) -> None:
        for i in range(8):
            a, b = ttl.raw_element_read(blk, 0, i), ttl.raw_element_read(blk, 1, i)
            said = 0
            if a < b:
                said += 1
            if a <= b:
                said += 2
            if a > b:
                said += 4
            if a >= b:
                said += 8
            if a == b:
                said += 16
            if a != b:
                said += 32
            ttl.raw_element_write(blk, 2, i, said * 1.0)

    found = moved(tiled(given, ttnn.float32), blank((32, 32), ttnn.float32), compare)[2, :8]
    truth = [
        (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b) + 32 * (a != b) for a, b in pairs
    ]
    assert found.tolist() == truth


def test_arithmetic_on_what_was_read_is_that_of_python(target: str) -> None:
    def compute(blk: Any) -> None:
        a, b = ttl.raw_element_read(blk, 0, 0), ttl.raw_element_read(blk, 0, 1)
        ttl.raw_element_write(blk, 1, 0, a + b)
        ttl.raw_element_write(blk, 1, 1, a - 2 * b)
        ttl.raw_element_write(blk, 1, 2, a * b)
        ttl.raw_element_write(blk, 1, 3, a / b)
        ttl.raw_element_write(blk, 1, 4, -a)
        ttl.raw_element_write(blk, 1, 5, abs(b))
        ttl.raw_element_write(blk, 1, 6, min(a, b))
        ttl.raw_element_write(blk, 1, 7, max(a, b, 0.25))
        total = 0.0
        for i in range(4):
            total += ttl.raw_element_read(blk, 0, i)
        ttl.raw_element_write(blk, 1, 8, total)

    given = np.zeros((32, 32), np.float32)
    a, b, c, d = given[0, :4] = 1.1, -7.3, 3.3, 1e-3
    a, b, c, d = map(float, given[0, :4])
    truth = [a + b, a - 2 * b, a * b, a / b, -a, abs(b), min(a, b), max(a, b, 0.25), a + b + c + d]
    found = moved(tiled(given, ttnn.float32), blank((32, 32), ttnn.float32), compute)[1, :9]
    assert found.tolist() == [float(np.float32(number)) for number in truth]


def test_an_element_read_before_a_write_is_the_one_that_was_there(target: str) -> None:
    def rotate(blk: Any) -> None:
        first = ttl.raw_element_read(blk, 0, 0)
        ttl.raw_element_write(blk, 0, 0, ttl.raw_element_read(blk, 0, 1))
        second = ttl.raw_element_read(blk, 0, 0)
        ttl.raw_element_write(blk, 0, 1, first)
        ttl.raw_element_write(blk, 0, 2, second)

    before = numbers(32, 32)
    wanted = before.copy()
    wanted[0, :3] = before[0, 1], before[0, 0], before[0, 1]
    assert (moved(tiled(before), blank((32, 32)), rotate) == wanted).all()


@ttl.operation(grid=(2, 1))
def gather(ids: Any, table: Any, out: Any) -> None:
    """Each node takes four rows of tiles by their numbers, and a run of rows behind them."""
    i_dfb = ttl.make_dataflow_buffer_like(ids, shape=(1, 1))
    t_dfb = ttl.make_dataflow_buffer_like(table, shape=(1, 1))
    x, _ = ttl.node(dims=2)

    @ttl.datamovement()
    def read() -> None:
        with i_dfb.reserve() as blk:
            ttl.copy(ids[0, x], blk).wait()
        with i_dfb.wait() as blk:
            count = ttl.read_index(blk, 1, 0)
            for k in range(4):
                row = ttl.read_index(blk, 0, k)
                with t_dfb.reserve() as t_blk:
                    ttl.copy(table[row, 0], t_blk).wait()
            last = 0
            for k in range(count):
                last = k
            with t_dfb.reserve() as t_blk:
                ttl.copy(table[last : last + 1, 0:1], t_blk).wait()

    @ttl.datamovement()
    def write() -> None:
        for k in range(5):
            with t_dfb.wait() as blk:
                ttl.copy(blk, out[5 * x + k, 0]).wait()


ROWS = np.repeat(np.arange(8, dtype=np.float32), 32)[:, None] * np.ones((1, 32), np.float32)


def gathered(dtype: Any, **changed: float) -> Any:
    ids = np.zeros((32, 64), np.float32)
    ids[0, :4], ids[0, 32:36], ids[1, 0], ids[1, 32] = (3, 0, 7, 1), (2, 2, 6, 5), 3, 8
    for place, value in changed.items():
        ids[0, int(place[1:])] = value
    out = blank((320, 32))
    given = (
        ttnn.from_numpy(ids.astype(np.int64), dtype, layout=ttnn.TILE_LAYOUT)
        if "uint" in str(dtype).lower()
        else tiled(ids, dtype)
    )
    gather(given, tiled(ROWS), out)
    return values(out)[::32, 0].tolist()


@pytest.mark.parametrize("dtype", [*FLOATS, ttnn.uint32, ttnn.uint16, ttnn.uint8])
def test_an_index_is_a_bound_of_slices_and_loops(dtype: Any, target: str) -> None:
    assert gathered(dtype) == [3, 0, 7, 1, 2, 2, 2, 6, 5, 7]


@pytest.mark.parametrize("dtype", FLOATS)
def test_fractions_are_cut_off_and_minus_zero_is_zero(dtype: Any, target: str) -> None:
    assert gathered(dtype, c0=3.75, c1=-0.0)[:2] == [3, 0]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("value", [NAN, -1.0, -0.5, 3e9, math.inf])
def test_what_is_no_index_is_found_where_it_is_read(dtype: Any, value: float, target: str) -> None:
    with settings.override(compare=False):
        shown = "-0.5" if value == -0.5 else "nan" if value != value else r"-1|inf|3e\+09|3\.00312e\+09"
        with fails("TTL0354", match=rf"read_index\(\) read ({shown})"):
            gathered(dtype, c34=value)


@pytest.mark.parametrize("dtype", [ttnn.float32, ttnn.uint32])
def test_an_index_that_leaves_the_tensor_is_found_where_it_is_used(dtype: Any, target: str) -> None:
    with settings.override(compare=False), fails("TTL0507", match="index 8 is out of range in dimension 0"):
        gathered(dtype, c33=8)


def test_a_coordinate_that_was_read_is_looked_at(target: str) -> None:
    @ttl.operation(grid=(1, 1))
    def op(x: Any) -> None:
        dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

        @ttl.datamovement()
        def fill() -> None:
            with dfb.reserve() as blk:
                ttl.copy(x[0, 0], blk).wait()

        @ttl.datamovement()
        def use() -> None:
            with dfb.wait() as blk:
                at = ttl.read_index(blk, 0, 0)
                ttl.raw_element_write(blk, 0, at, 5.0)
                ttl.copy(blk, x[0, 0]).wait()

    given = np.zeros((32, 32), np.float32)
    given[0, 0] = 31
    tensor = tiled(given)
    op(tensor)
    assert values(tensor)[0, 31] == 5
    given[0, 0] = 32
    match = "coordinate 32 is out of range in dimension 1 of a block of dfb, which has 32"
    with settings.override(compare=False), fails("TTL0352", match=match):
        op(tiled(given))


# --- what is refused, by the run and by the check alike -----------------------------------------------------------

PROGRAM = """
import ttl
import ttnn


@ttl.example(ttl.TensorSpec((32, 64), ttnn.DTYPE), ttl.TensorSpec((32, 64), ttnn.DTYPE))
@ttl.operation(grid=(1, 2))
def op(x, y):
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    n, m = ttl.node(dims=2)

    @ttl.datamovement()
    def read():
        with dfb.reserve() as blk:
            FILL

    @ttl.KIND()
    def use():
        with dfb.wait() as blk:
            USE


x = ttnn.ones((32, 64), dtype=ttnn.DTYPE, layout=ttnn.TILE_LAYOUT)
op(x, ttnn.ones((32, 64), dtype=ttnn.DTYPE, layout=ttnn.TILE_LAYOUT))
"""
FILL, OUT = "ttl.copy(x[0, m], blk).wait()", "; ttl.copy(blk, y[0, m]).wait()"
READ = "ttl.raw_element_read(blk, 0, 0)"
MISUSES = {
    "compute kernel": ("TTL0350", "raw_element_read\\(\\) in compute kernel use", FILL, READ, {"KIND": "compute"}),
    "a buffer": ("TTL0351", "takes a block, not dataflow buffer dfb", FILL, "ttl.raw_element_read(dfb, 0, 0)", {}),
    "a tensor": ("TTL0351", "takes a block, not", FILL, "ttl.raw_element_read(x, 0, 0)", {}),
    "integers": ("TTL0351", "raw_element_read\\(\\) of a block of dfb of int32", FILL, READ, {"DTYPE": "int32"}),
    "block floats": ("TTL0351", "of bfloat8_b", FILL, "ttl.read_index(blk, 0, 0)", {"DTYPE": "bfloat8_b"}),
    "an index of a reserved block": ("TTL0351", "acquired with reserve", FILL + "; ttl.read_index(blk, 0, 0)", READ, {}),
    "too few coordinates": ("TTL0352", "1 coordinate, and a block of dfb has 2 dimensions", FILL, "ttl.raw_element_read(blk, 0)", {}),
    "too many coordinates": ("TTL0352", "3 coordinates", FILL, "ttl.raw_element_read(blk, 0, 0, 0)", {}),
    "none": ("TTL0352", "0 coordinates", FILL, "ttl.raw_element_read(blk)", {}),
    "beyond": ("TTL0352", "coordinate 32 is out of range in dimension 0", FILL, "ttl.raw_element_read(blk, 32, 0)", {}),
    "negative": ("TTL0352", "coordinate -1 is out of range", FILL, "ttl.raw_element_read(blk, -1, 0)", {}),
    "a fraction": ("TTL0352", "as coordinate in dimension 1", FILL, "ttl.raw_element_read(blk, 0, 1.5)", {}),
    "beyond on one node": ("TTL0352", "coordinate 32 is out of range in dimension 0", FILL, "ttl.raw_element_read(blk, 32 * m, 0)", {}),
    "beyond in one turn": ("TTL0352", "coordinate 32 is out of range", FILL, "[ttl.raw_element_read(blk, 0, c) for c in range(33)]", {}),
    "a text": ("TTL0353", "writes a number, not", FILL, READ + "; ttl.raw_element_write(blk, 0, 0, 'a')", {}),
    "a block as value": ("TTL0353", "not a block", FILL, READ + "; ttl.raw_element_write(blk, 0, 0, blk)", {}),
    "no value": ("TTL0353", "writes a number", FILL, READ + "; ttl.raw_element_write(blk)", {}),
    "unwritten": ("TTL0301", "read element by element before anything was written", READ + "; " + FILL, READ, {}),
    "a copy under way": ("TTL0305", "read element by element while a copy is still writing it", "xf = ttl.copy(x[0, m], blk); " + READ + "; xf.wait()", READ, {}),
    "written under a copy": ("TTL0306", "written element by element while a copy is still reading", FILL, "xf = ttl.copy(blk, y[0, m]); ttl.raw_element_write(blk, 0, 0, 1.0); xf.wait()", {}),
    "read under a copy": ("TTL0306", "read element by element while a copy is still reading", FILL, "xf = ttl.copy(blk, y[0, m]); " + READ + "; xf.wait()", {}),
    "written before read": ("TTL0304", "written element by element before its data was read", FILL, "ttl.raw_element_write(blk, 0, 0, 1.0)", {}),
    "after the pop": ("TTL0307", "read element by element after it was popped", FILL, READ + "; blk.pop(); " + READ, {}),
}  # fmt: skip


def program(tmp_path: Path, fill: str, use: str, **options: str) -> Path:
    text = PROGRAM.replace("FILL", "\n            ".join(fill.split("; ")))
    text = text.replace("USE", "\n            ".join(use.split("; ")))
    for name, value in ({"KIND": "datamovement", "DTYPE": "bfloat16"} | options).items():
        text = text.replace(name, value)
    path = tmp_path / "mine.py"
    path.write_text(text)
    return path


@pytest.mark.parametrize("misuse", MISUSES)
def test_run_and_check_refuse_the_same(misuse: str, tmp_path: Path) -> None:
    code, match, fill, use, options = MISUSES[misuse]
    path = program(tmp_path, fill, use, **options)
    with fails(code, match=match):
        exec(compile(path.read_text(), str(path), "exec"), {"__name__": "mine"})
    found = [item for item in check_file(str(path), settings.current()).findings if item.code == code]
    assert found, "the check finds nothing"
    assert found[0].primary is not None
    assert "element" in found[0].message or "coordinate" in found[0].message or "index" in found[0].message


def test_a_program_without_a_mistake_is_checked_to_its_end(tmp_path: Path) -> None:
    path = program(tmp_path, FILL, READ + OUT)
    checked = check_file(str(path), settings.current())
    assert not checked.findings and not checked.not_checked


@pytest.mark.parametrize(
    ("use", "why"),
    [
        ("for k in range(ttl.read_index(blk, 0, 0)): other_dfb.wait().pop()", "how often a loop runs"),
        ("if ttl.raw_element_read(blk, 0, 0) > 0: other_dfb.wait().pop()", "which way a condition goes"),
        ("while ttl.raw_element_read(blk, 0, 0) > 0: other_dfb.wait().pop()", "how often a while loop runs"),
    ],
)
def test_counts_that_depend_on_an_element_are_said_not_to_be_known(
    use: str, why: str, tmp_path: Path
) -> None:
    path = program(tmp_path, FILL, use)
    made = "    other_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))\n"
    path.write_text(path.read_text().replace("    n, m", f"{made}    n, m"))
    checked = check_file(str(path), settings.current())
    assert any(
        f"{why} depends on an element of a block that the kernel reads" in said
        for said in checked.not_checked
    )
    assert not any(item.code.startswith("TTL091") for item in checked.findings)


def test_a_deadlock_that_an_element_decides_is_found_when_it_happens() -> None:
    @ttl.operation(grid=(1, 1))
    def op(x: Any, y: Any) -> None:
        i_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))

        @ttl.datamovement()
        def read() -> None:
            with i_dfb.reserve() as blk:
                ttl.copy(x[0, 0], blk).wait()
            with i_dfb.wait() as blk:
                for _ in range(ttl.read_index(blk, 0, 0)):
                    with x_dfb.reserve() as x_blk:
                        ttl.copy(x[0, 0], x_blk).wait()

        @ttl.datamovement()
        def write() -> None:
            for m in range(3):
                with x_dfb.wait() as blk:
                    ttl.copy(blk, y[m, 0]).wait()

    op(tiled(np.full((32, 32), 3)), blank((96, 32)))
    with deadlocks("write waits for block 3 of x_dfb"):
        op(tiled(np.full((32, 32), 2)), blank((96, 32)))


def test_a_second_call_sees_other_elements() -> None:
    """A launch whose elements were read is not replayed."""
    for wanted in (3.0, 5.0, 7.0):
        assert moved(
            tiled(np.full((32, 32), wanted)),
            blank((32, 32)),
            lambda blk: ttl.raw_element_write(blk, 0, 1, 2 * ttl.raw_element_read(blk, 0, 0)),
        )[0, 1] == 2 * wanted  # fmt: skip


# --- one body -----------------------------------------------------------------------------------------------------


@ttl.operation(grid=(1, 1))
def argmax(x: Any, out: Any) -> None:
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 2))
    y_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 2))
    out_dfb = ttl.make_dataflow_buffer_like(out, shape=(1, 1))
    with x_dfb.reserve() as blk:
        ttl.copy(x[0, 0:2], blk).wait()
    with x_dfb.wait() as blk, y_dfb.reserve() as y_blk:
        y_blk.store(blk * 2)
    with y_dfb.wait() as y_blk, out_dfb.reserve() as out_blk:
        best = ttl.raw_element_read(y_blk, 0, 0)
        at = 0
        for column in range(1, 64):
            value = ttl.raw_element_read(y_blk, 0, column)
            if value > best:
                best = value
                at = column
        ttl.raw_element_write(out_blk, 0, 0, best)
        ttl.raw_element_write(out_blk, 0, 1, at * 1.0)
    with out_dfb.wait() as out_blk:
        ttl.copy(out_blk, out[0, 0]).wait()


def test_elements_in_one_body(target: str) -> None:
    given, out = numbers(32, 64, seed=3), blank((32, 32))
    argmax(tiled(given), out)
    assert values(out)[0, :2].tolist() == [2 * given[0].max(), given[0].argmax()]


ONE_BODY = """
import ttl
import ttnn


@ttl.example(ttl.TensorSpec((32, 32), ttnn.bfloat16), ttl.TensorSpec((32, 32), ttnn.bfloat16))
@ttl.operation(grid=(1, 1))
def op(x, y):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    with x_dfb.reserve() as blk:
        ttl.copy(x[0, 0], blk).wait()
        v = ttl.raw_element_read(blk, 0, 0)
    with x_dfb.wait() as blk, y_dfb.reserve() as y_blk:
        USE
    with y_dfb.wait() as y_blk:
        ttl.copy(y_blk, y[0, 0]).wait()
"""


@pytest.mark.parametrize(
    ("use", "code", "match"),
    [
        (
            "y_blk.store(blk * v)",
            "TTL1606",
            "v is a value of the data movement thread and is used by the compute thread",
        ),
        ("y_blk.store(blk if v > 0 else -blk)", "TTL1606", "v is a value of the data movement thread"),
        ("y_blk.store(blk * 2 if ttl.raw_element_read(blk, 0, 0) > 0 else blk)", "TTL160", ""),
    ],
)
def test_an_element_that_another_thread_needs_is_refused(
    use: str, code: str, match: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(ONE_BODY.replace("USE", use))
    found = [
        item for item in check_file(str(path), settings.current()).findings if item.code.startswith(code)
    ]
    assert found and match in found[0].message


def test_a_condition_on_an_element_over_work_of_another_thread_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        ONE_BODY.replace(
            "USE", "if v > 0:\n            y_blk.store(blk * 2)\n        else:\n            y_blk.store(blk)"
        )
    )
    codes = [item.code for item in check_file(str(path), settings.current()).findings]
    assert "TTL1605" in codes


@pytest.mark.headers
@needs_compiler
def test_the_real_headers_accept_the_kernels(tmp_path: Path) -> None:
    path = program(
        tmp_path,
        FILL,
        "at = ttl.read_index(blk, 0, 0); " + READ + "; ttl.raw_element_write(blk, 0, at, 1.5)" + OUT,
    )
    assert complaints_about([emitted_file(path)]) == []
    path = program(
        tmp_path,
        FILL,
        "a = ttl.raw_element_read(blk, 0, ttl.read_index(blk, 0, 0)); ttl.raw_element_write(blk, 0, 0, a)"
        + OUT,
        DTYPE="float32",
    )
    assert complaints_about([emitted_file(path)]) == []


# --- pages --------------------------------------------------------------------------------------------------------


def paged(given: ttnn.Tensor, out: ttnn.Tensor, shape: Any, pages: Any) -> Any:
    """What ``out`` holds, a page each turn, after the pages of a tensor were copied by their numbers, given in a tensor."""
    ids = np.zeros((32, 32), np.float32)
    ids[0, : len(pages)] = pages
    count = len(pages)

    @ttl.operation(grid=(1, 1))
    def op(numbers: Any, x: Any, y: Any) -> None:
        ids_dfb = ttl.make_dataflow_buffer_like(numbers, shape=(1, 1))
        dfb = ttl.make_dataflow_buffer_like(x, shape=shape)

        @ttl.datamovement()
        def read() -> None:
            with ids_dfb.reserve() as blk:
                ttl.copy(numbers[0, 0], blk).wait()
            with ids_dfb.wait() as blk:
                for k in range(count):
                    with dfb.reserve() as x_blk:
                        ttl.copy_tensor_page(x, ttl.read_index(blk, 0, k), x_blk).wait()

        @ttl.datamovement()
        def write() -> None:
            for k in range(count):
                with dfb.wait() as blk:
                    ttl.copy(blk, y[k : k + 1, :]).wait()

    op(tiled(ids, ttnn.float32), given, out)
    return values(out)


def test_a_page_of_a_tiled_tensor_is_a_tile(target: str) -> None:
    tiles = np.repeat(np.repeat(np.arange(6, dtype=np.float32).reshape(2, 3), 32, 0), 32, 1)
    found = paged(tiled(tiles), blank((128, 32)), (1, 1), [4, 0, 5, 2])
    assert found[::32, 0].tolist() == [4, 0, 5, 2] and (found == np.repeat(found[::32, :1], 32, 0)).all()


def test_a_page_of_a_row_major_tensor_is_a_row(target: str) -> None:
    rows = numbers(5, 64)
    given, out = row_major(rows), blank((4, 64), layout=ttnn.ROW_MAJOR_LAYOUT)
    assert (paged(given, out, (1, 64), [4, 0, 3, 3]) == rows[[4, 0, 3, 3]]).all()


def test_a_page_that_there_is_not_is_found(target: str) -> None:
    given, out = row_major(numbers(5, 64)), blank((1, 64), layout=ttnn.ROW_MAJOR_LAYOUT)
    with settings.override(compare=False), fails("TTL0507", match="index 5 is out of range in dimension 0"):
        paged(given, out, (1, 64), [5])


PAGES = {
    "compute kernel": ("TTL0501", r"ttl\.copy_tensor_page\(\) in compute kernel use", "ttl.copy_tensor_page(x, 0, blk)", "compute"),
    "a buffer": ("TTL0502", "copy_tensor_page\\(\\) from a whole tensor to dataflow buffer dfb", "ttl.copy_tensor_page(x, 0, dfb)", ""),
    "no tensor": ("TTL0502", "copy_tensor_page\\(\\) from a block to a block", "ttl.copy_tensor_page(blk, 0, blk)", ""),
    "a fraction": ("TTL0506", "not a float", "ttl.copy_tensor_page(x, 0.5, blk)", ""),
    "beyond": ("TTL0507", "index 1 is out of range in dimension 0", READ + "; ttl.copy_tensor_page(x, 2, blk).wait()", ""),
    "negative": ("TTL0507", "index -1 is out of range", READ + "; ttl.copy_tensor_page(x, -1, blk).wait()", ""),
}  # fmt: skip


@pytest.mark.parametrize("misuse", PAGES)
def test_run_and_check_refuse_the_same_pages(misuse: str, tmp_path: Path) -> None:
    code, match, use, kind = PAGES[misuse]
    path = program(tmp_path, FILL, use, **({"KIND": kind} if kind else {}))
    with fails(code, match=match):
        exec(compile(path.read_text(), str(path), "exec"), {"__name__": "mine"})
    assert code in [item.code for item in check_file(str(path), settings.current()).findings]


# --- receives -----------------------------------------------------------------------------------------------------


def test_a_node_knows_from_how_many_pipes_it_receives(target: str) -> None:
    """0.21, "PipeNet.destination_count"."""

    @ttl.operation(grid=(3, 1))
    def op(x: Any, y: Any) -> None:
        net = ttl.PipeNet(
            [ttl.Pipe((0, 0), (1, 0)), ttl.Pipe((0, 0), (slice(1, 3), 0)), ttl.Pipe((1, 0), (0, 0))]
        )
        dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
        node, _ = ttl.node(dims=2)

        @ttl.datamovement()
        def read() -> None:
            with dfb.reserve() as blk:
                ttl.copy(x[0, 0], blk).wait()
                ttl.raw_element_read(blk, 0, 0)
                ttl.raw_element_write(blk, 0, 0, 10.0 * net.destination_count() + node)

        @ttl.datamovement()
        def write() -> None:
            with dfb.wait() as blk:
                ttl.copy(blk, y[node, 0]).wait()

    out = blank((96, 32))
    op(tiled(numbers(32, 32)), out)
    assert values(out)[::32, 0].tolist() == [10, 21, 12]
