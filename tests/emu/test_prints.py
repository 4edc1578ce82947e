"""What kernels print, in the forms of both generations: text, numbers, tiles."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import ttnn

import ttl
from emu.harness import GENERATIONS, tensor_of, values_of
from support.programs import run_ttl
from ttl.diag import ProgramError
from ttl.emu import CircularBuffer, Kernel, Program, memory_of, run_program
from ttl.kernel_api import call
from ttl.rows.row import Generation
from ttl.settings import override

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_CORE = ((0, 0),)
_HEADER = {"noc": "api/dataflow/dataflow_api.h", "tensix": "api/compute/compute_kernel_api.h"}
_READ = """
constexpr auto args = TensorAccessorArgs<0>();
const auto from = TensorAccessor(args, get_common_arg_val<uint32_t>(0), 4096);
cb_reserve_back(0, 1);
noc_async_read_page(0, from, get_write_ptr(0));
noc_async_read_barrier();
"""


def _kernel(name: str, thread: str, body: str, **options: object) -> Kernel:
    source = (
        f'#include "{_HEADER[thread]}"\n#include "api/debug/dprint.h"\nvoid kernel_main() {{\n{body}\n}}\n'
    )
    return Kernel(
        name=name, source=source, processor="ncrisc" if thread == "noc" else "compute", cores=_CORE, **options
    )  # type: ignore[arg-type]


def printed(generation: Generation, read: str, compute: str = "") -> list[str]:
    """Lines that a kernel prints which reads a tile of 0, 1, 2 ... 1023, and one that it is handed to."""
    memory = memory_of()
    tile = memory.place(tensor_of(np.arange(1024, dtype=np.float32).reshape(32, 32), "float32"))
    hands_over = "cb_push_back(0, 1);" if compute else ""
    kernels = [
        _kernel(
            "read",
            "noc",
            f"{_READ}{read}\n{hands_over}",
            compile_time_args=tile.accessor,
            common_args=(tile.address,),
        )
    ]
    if compute:
        kernels.append(_kernel("compute", "tensix", f"cb_wait_front(0, 1);\n{compute}\ncb_pop_front(0, 1);"))
    buffers = (CircularBuffer(index=0, pages=2, page_bytes=4096, dtype="float32", cores=_CORE),)
    program = Program(generation=generation, kernels=tuple(kernels), circular_buffers=buffers)
    return run_program(program, memory).printed.splitlines()


@pytest.mark.parametrize("generation", GENERATIONS)
def test_a_row_of_a_tile_as_the_compiler_prints_it(generation: Generation) -> None:
    """Row 17 crosses two faces. A page that is printed has been read: it may be popped."""
    numbers = {"cb": "0", "i": "0", "row": "17", "end": "TSLICE_WR_PTR"}
    read, compute = (
        "".join(call(name).spelling[generation][0].pieces(numbers))
        for name in ("dprint_tile_row", "dprint_tile_row_unpack")
    )
    row = " ".join(str(17 * 32 + column) for column in range(32))
    assert printed(generation, f"{read};", f"{compute};") == [f"(0,0):NC: {row}", f"(0,0):TR0: {row}"]


@pytest.mark.parametrize(
    ("generation", "statement"),
    [
        ("0.69", 'DPRINT << "{x} " << 3 << " of " << 2.5f << ENDL()'),
        ("0.81", 'DPRINT("{{x}} {} of {:.1f}\\n", 3, 2.5f)'),
    ],
)
def test_texts_and_numbers(generation: Generation, statement: str) -> None:
    assert printed(generation, f"{statement};") == ["(0,0):NC: {x} 3 of 2.5"]


def test_braces_of_a_text_without_numbers() -> None:
    assert printed("0.81", 'DPRINT("{{}} }}\\n");') == ["(0,0):NC: {} }"]


def test_parts_of_a_tile() -> None:
    part = "TileSlice<64>(0, 0, SliceRange::hw0_32_16(), TSLICE_INPUT_CB, TSLICE_WR_PTR)"
    assert printed("0.81", f'DPRINT("{{}}", {part});') == ["(0,0):NC: 0 16", "512 528"]


def test_what_is_too_long_is_cut_off() -> None:
    whole = "SliceRange{.h0 = 0, .h1 = 32, .hs = 1, .w0 = 0, .w1 = 32, .ws = 1}"
    text = "\n".join(
        printed("0.81", f'DPRINT("{{}}", TileSlice<4096>(0, 0, {whole}, TSLICE_INPUT_CB, TSLICE_WR_PTR));')
    )
    assert text.startswith("(0,0):NC: 0 1 2") and "1023" not in text


def test_the_blocks_of_the_specification_are_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    found = run_ttl(["run", "--target", "emu", str(EXAMPLES / "spec_debug_print.py")], folder=tmp_path)
    assert found.status == 0, found.stderr
    lines = found.stdout.splitlines()
    first = next(number for number, line in enumerate(lines) if "c_blk:" in line)
    values = [line.removeprefix("(0,0):NC: ").split() for line in lines[first + 1 : first + 33]]
    assert all(len(row) == 32 for row in values)
    assert max(abs(float(each)) for row in values for each in row) > 1


@ttl.operation(grid=(1, 1))
def printing(x, y):  # type: ignore[no-untyped-def]
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))

    @ttl.datamovement()
    def read():  # type: ignore[no-untyped-def]
        for row in range(2):
            with x_dfb.reserve() as blk:
                ttl.copy(x[row, 0], blk).wait()

    @ttl.compute()
    def compute():  # type: ignore[no-untyped-def]
        with y_dfb.reserve() as y_blk:
            total = ttl.block.fill(1, shape=(1, 1))
            for row in range(2):
                with x_dfb.wait() as blk:
                    double = blk + blk
                    print("double", row, double)
                    print("only printed", ttl.math.abs(blk))
                    total += double * blk
                    print("total", total)
            y_blk.store(total)

    @ttl.datamovement()
    def write():  # type: ignore[no-untyped-def]
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[0, 0]).wait()


def test_values_of_expressions_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """Used afterwards, only printed, and carried by a loop; what is computed stays the same."""
    device = ttnn.open_device(device_id=0)
    values = np.repeat([[-3.0], [5.0]], 32, axis=0).astype(np.float32) * np.ones((1, 32), np.float32)
    x = ttnn.to_device(tensor_of(values), device)
    y = ttnn.to_device(tensor_of(np.zeros((32, 32), np.float32)), device)
    with override(target="emu"):
        printing(x, y)
    assert np.all(values_of(y) == 1 + 2 * 9 + 2 * 25)
    lines = [line.split(": ", 1) for line in capsys.readouterr().out.splitlines()]
    assert {who for who, _ in lines} == {"(0,0):TR0"}, "labels and rows come from one processor, in order"
    expected = []
    for row, (double, value, total) in enumerate((("-6", "3", "19"), ("10", "5", "69"))):
        for label, number in ((f"double {row}", double), ("only printed", value), ("total", total)):
            expected += [f"{label} value, (1, 1) tiles = (32, 32) elements:", *[" ".join([number] * 32)] * 32]
    assert [text for _, text in lines] == expected


@ttl.operation(grid=(1, 1))
def moving(x, y):  # type: ignore[no-untyped-def]
    dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1), block_count=2)

    @ttl.datamovement()
    def read():  # type: ignore[no-untyped-def]
        print("x is", x, num_pages=2)
        for row in range(3):
            with dfb.reserve() as blk:
                print("fill", dfb)
                ttl.copy(x[row, 0], blk).wait()

    @ttl.datamovement()
    def write():  # type: ignore[no-untyped-def]
        for row in range(3):
            with dfb.wait() as blk:
                print("empty", dfb)
                ttl.copy(blk, y[row, 0]).wait()


def _said(capsys: pytest.CaptureFixture[str], operation: Any, *tensors: Any, target: str) -> list[str]:
    with override(target=target):
        operation(*tensors)
    lines = capsys.readouterr().out.splitlines()
    return [line.split(": ", 1)[1] for line in lines] if target == "emu" else lines


_STATE = re.compile(
    r"(\w+) <dfb: (.* num_pages=2) rd_ptr=(\d+) wr_ptr=(\d+) wr_tile_ptr=(\d+)(?: reserved=\d)? filled=(\d)>"
)


def test_the_whole_state_of_a_buffer_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    device = ttnn.open_device(device_id=0)
    x, y = (ttnn.to_device(tensor_of(np.ones((96, 32), np.float32)), device) for _ in range(2))
    simulated, compiled = (
        [
            found.groups()
            for line in _said(capsys, moving, x, y, target=target)
            if (found := _STATE.fullmatch(line))
        ]
        for target in ("sim", "emu")
    )
    assert len(simulated) == len(compiled) == 6
    for _, _, read, write, tile, filled in compiled:
        assert (int(write) - int(read)) % 4096 == int(filled) * 2048 % 4096 and int(write) == 2048 * int(tile)
    # Who is first may differ; where each end is, and what the buffer is, not.
    for who, own in (("fill", 3), ("empty", 2)):
        simulated_own, compiled_own = (
            [(state[1], state[own]) for state in said if state[0] == who] for said in (simulated, compiled)
        )
        assert simulated_own == compiled_own


@ttl.operation(grid=(1, 1))
def showing(x, r, y):  # type: ignore[no-untyped-def]
    dfb = ttl.make_dataflow_buffer_like(r, shape=(40,))

    @ttl.datamovement()
    def read():  # type: ignore[no-untyped-def]
        print("x", 1, x, "behind", num_pages=4)
        print("r", r, num_pages=2)
        with dfb.reserve() as blk:
            ttl.copy(r[2, :], blk).wait()

    @ttl.datamovement()
    def write():  # type: ignore[no-untyped-def]
        with dfb.wait() as blk:
            print("block", blk)
            ttl.copy(blk, y[0, :]).wait()

    @ttl.compute()
    def compute():  # type: ignore[no-untyped-def]
        print("in compute", x)


def test_pages_of_tensors_and_blocks_without_tiles_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    device = ttnn.open_device(device_id=0)
    tiles = np.arange(96 * 64, dtype=np.float32).reshape(96, 64)
    rows = np.arange(120, dtype=np.float32).reshape(3, 40)
    x, r, y = (
        ttnn.from_torch(torch.from_numpy(array), dtype=ttnn.float32, layout=layout, device=device)
        for array, layout in (
            (tiles, ttnn.TILE_LAYOUT),
            (rows, ttnn.ROW_MAJOR_LAYOUT),
            (rows * 0, ttnn.ROW_MAJOR_LAYOUT),
        )
    )
    with override(target="emu"):
        showing(x, r, y)
    told: dict[str, list[str]] = {}
    for line in capsys.readouterr().out.splitlines():
        who, text = line.split(": ", 1)
        told.setdefault(who, []).append(text)

    def words(values: np.ndarray) -> list[str]:
        return [" ".join(f"{value:g}" for value in row) for row in values]

    pages = [tiles[row : row + 32, column : column + 32] for row in (0, 32) for column in (0, 32)]
    expected = ["x 1 tensor [96, 64] float32 TILE"]
    for number, page in enumerate(pages):
        expected += [f"page {number}:", *words(page)]
    expected += [" behind", "r tensor [3, 40] float32 ROW_MAJOR"]
    for number in range(2):
        expected += [
            f"page {number}:",
            *words(rows[number : number + 1, :32]),
            *words(rows[number : number + 1, 32:]),
        ]
    block = ["block block of dfb, (40,) elements:", *words(rows[2:, :32]), *words(rows[2:, 32:])]
    what = "in compute tensor [96, 64] float32 TILE (a compute kernel cannot reach it)"
    assert told == {"(0,0):NC": expected, "(0,0):BR": block, "(0,0):TR1": [what]}


def test_what_was_printed_before_a_failure_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ProgramError, match="TTL15"):
        printed("0.81", 'DPRINT("got {}\\n", 3); cb_pop_front(0, 1);')
    assert capsys.readouterr().out == "(0,0):NC: got 3\n"
