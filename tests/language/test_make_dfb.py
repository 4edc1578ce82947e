"""``ttl.make_dfb``: buffers of element types that are named, of counts, and of tiles of any size (newer language, section 3)."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import ttnn

import ttl
from support.compiled import complaints_about, emitted_file
from support.kernel_check import needs_compiler
from support.programs import run_ttl
from ttl.rows.dtypes import BFLOAT8_B, BFLOAT16, DTYPES, FLOAT32, UINT16
from ttl.rows.table import OPS
from ttl.rows.types import TILE_HEIGHTS, TILE_WIDTHS, BlockType, Layout

torch = pytest.importorskip("torch")


def doubled(dtype: Any, **options: Any) -> tuple[Any, Any]:
    """What a program with a buffer of an element type in the middle makes of one tile, and the buffer's type."""
    seen = []

    @ttl.operation(grid=(1, 1))
    def double(x, y):
        x_dfb = ttl.make_dataflow_buffer_like(x, shape=(1, 1))
        middle = ttl.make_dfb(dtype, (1, 1), **options)
        y_dfb = ttl.make_dfb(ttnn.float32, shape=(1, 1), block_count=1)
        seen.append((middle.dtype, middle.shape, middle.block_count))

        @ttl.datamovement()
        def read():
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[0, 0], x_blk).wait()

        @ttl.compute()
        def compute():
            with x_dfb.wait() as x_blk, middle.reserve() as blk:
                blk.store(2 * x_blk)
            with middle.wait() as blk, y_dfb.reserve() as y_blk:
                y_blk.store(blk)

        @ttl.datamovement()
        def write():
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[0, 0]).wait()

    x = ttnn.from_torch(torch.linspace(-1, 1, 1024).reshape(32, 32), layout=ttnn.TILE_LAYOUT)
    y = ttnn.zeros((32, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT)
    double(x, y)
    return ttnn.to_torch(y).numpy(), seen[0]


@pytest.mark.parametrize(
    ("dtype", "element"),
    [
        ("bf16", BFLOAT16), ("bfloat16", BFLOAT16), (torch.bfloat16, BFLOAT16), (ttnn.bfloat16, BFLOAT16),
        ("float32", FLOAT32), ("fp32", FLOAT32), ("f32", FLOAT32), (torch.float32, FLOAT32),
        ("bfp8", BFLOAT8_B), ("bfloat8_b", BFLOAT8_B), (ttnn.bfloat8_b, BFLOAT8_B),
    ],
)  # fmt: skip
def test_names_of_element_types(dtype: Any, element: Any) -> None:
    """A buffer rounds to the element type that its name, or torch's or ttnn's, stands for."""
    values, (kind, shape, count) = doubled(dtype)
    assert (kind, shape, count) == (element, (1, 1), 2)
    exact = 2 * torch.linspace(-1, 1, 1024).reshape(32, 32).numpy()
    np.testing.assert_array_equal(values, element.load(element.store(exact)))


def test_every_element_type_has_a_buffer() -> None:
    kinds = []

    @ttl.operation(grid=(1, 1))
    def make():
        kinds.extend(ttl.make_dfb(dtype.name, (1, 2)).dtype for dtype in DTYPES)
        kinds.append(ttl.make_dfb("u16", (2, 1, 1), 32, address_scope="local").dtype)

        @ttl.compute()
        def compute():
            pass

    make()
    assert kinds == [*DTYPES, UINT16]


@pytest.mark.parametrize(
    ("call", "code", "words"),
    [
        ("ttl.make_dfb('bf17', (1, 1))", "TTL0417", "`dtype` must be an element type, not text 'bf17'"),
        ("ttl.make_dfb(torch.int64, (1, 1))", "TTL0417", "`dtype` must be an element type"),
        ("ttl.make_dfb(16, (1, 1))", "TTL0417", "must be an element type"),
        ("ttl.make_dfb(x, (1, 1))", "TTL0417", "takes an element type, not a tensor"),
        ("ttl.make_dfb('bf16', 4)", "TTL0320", "block shape (4,) has 1 dimension"),
        (
            "ttl.make_dfb('bf16', (1, 0))",
            "TTL0323",
            "a block shape must be a positive int or a tuple of them",
        ),
        ("ttl.make_dfb('bf16', (1, 1), 0)", "TTL0321", "block_count must be a positive int, not int 0"),
        ("ttl.make_dfb('bf16', (1, 1), 33)", "TTL0321", "block_count must be at most 32 here, not 33"),
        ("ttl.make_dfb('bf16', (1, 1), tile=(3, 32))", "TTL0343", "not tuple (3, 32)"),
        ("ttl.make_dfb('bf16', (1, 1), tile=(32, 8))", "TTL0343", "16 or 32 wide"),
        ("ttl.make_dfb('bf16', (1, 1), tile=16)", "TTL0343", "not int 16"),
        ("ttl.make_dfb('bf16', (1, 1), address_scope='all')", "TTL0344", "not str 'all'"),
        ("ttl.make_dfb('bf16', (1, 1), address_scope=1)", "TTL0344", "not int 1"),
        ("ttl.make_tensor_backed_dfb(x, (1, 1))", "TTL0347", "this one is in DRAM"),
        ("ttl.reconfigure_dfbs(None)", "TTL0247", "is not in TT-Lang"),
        ("ttl.make_dfb('bf16', (1, 1), 2, (32, 32), 'local')", "TTL0223", "too many arguments, it takes 4"),
    ],
)
@pytest.mark.parametrize("verb", ["run", "check"])
def test_wrong_arguments(call: str, code: str, words: str, verb: str, tmp_path: Path) -> None:
    """What a run refuses, ``ttl check`` finds, in the same words."""
    program = f"""
import torch
import ttl
import ttnn


@ttl.operation(grid=(1, 1))
def op(x):
    dfb = {call}

    @ttl.compute()
    def compute():
        pass


op(ttnn.ones((32, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT))
"""
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    arguments = ["run", "--no-check"] if verb == "run" else ["check"]
    said = run_ttl([*arguments, "program.py"], folder=tmp_path)
    assert code in said.stderr + said.stdout
    assert words in said.stderr + said.stdout


def test_in_a_kernel() -> None:
    @ttl.operation(grid=(1, 1))
    def op():
        @ttl.compute()
        def compute():
            ttl.make_dfb("bf16", (1, 1))

    with pytest.raises(ttl.ProgramError, match="TTL0211"):
        op()


# --- tiles of other sizes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", TILE_WIDTHS)
@pytest.mark.parametrize("height", TILE_HEIGHTS)
def test_types_of_tiles(height: int, width: int) -> None:
    """Elements and bytes count the rows and columns of the tile; block floats have an exponent for 16 elements."""
    block = BlockType.of((2, 3, 4), BFLOAT16, Layout.TILE, (height, width))
    assert block.elements == (2, 3 * height, 4 * width)
    assert block.nbytes == 24 * height * width * 2
    exponents = -(-height * width // 16 // 16) * 16
    assert BFLOAT8_B.bytes_of((height, width)) == height * width + exponents
    assert BFLOAT8_B.bytes_of((32, 32)) == BFLOAT8_B.tile_bytes
    assert block.with_dtype(FLOAT32).tile == block.with_shape((1, 1)).tile == (height, width)


def test_products_and_views_of_small_tiles() -> None:
    """A product of HxK and KxW has tiles of HxW; a transpose exchanges both; a reduction leaves one row of each tile."""
    rows = {row.name: row for row in OPS}
    a = BlockType.of((1, 2), FLOAT32, Layout.TILE, (8, 32))
    b = BlockType.of((2, 1), FLOAT32, Layout.TILE, (32, 16))
    product = rows["matmul"].infer((a, b), ())
    assert isinstance(product, BlockType) and (product.tile, product.elements) == ((8, 16), (8, 16))
    wrong = rows["matmul"].infer((b, a), ())
    assert not isinstance(wrong, BlockType) and wrong.code == "TTL0342"
    turned = rows["transpose"].infer((b,), ())
    assert isinstance(turned, BlockType) and (turned.tile, turned.elements) == ((16, 32), (16, 64))
    impossible = rows["transpose"].infer((a,), ())
    assert not isinstance(impossible, BlockType) and impossible.code == "TTL0342"
    assert "would become tiles of 32x8" in impossible.message
    sum_ = rows["add"].infer((a, a.with_shape((1, 2))), ())
    assert isinstance(sum_, BlockType) and sum_.tile == (8, 32)
    mixed = rows["add"].infer((a, BlockType.of((1, 2), FLOAT32)), ())
    assert not isinstance(mixed, BlockType) and mixed.code == "TTL0342"


SMALL = """
import numpy as np
import ttl
import ttnn

ROWS, COLUMNS = TILE = {tile}
DTYPE = ttnn.{dtype}


@ttl.operation(grid=(2, 1))
def small(a, y):
    row, _ = ttl.node(dims=2)
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, 2))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 2))
    in_dfb = ttl.make_dfb(DTYPE, (1, 2), tile=TILE)
    out_dfb = ttl.make_dfb(DTYPE, (1, 2), tile=TILE)
    net = ttl.PipeNet([ttl.Pipe((0, 0), (1, 0)), ttl.Pipe((1, 0), (0, 0))])
    sent_dfb = ttl.make_dfb(DTYPE, (1, 2), tile=TILE)

    @ttl.datamovement()
    def read():
        with a_dfb.reserve() as blk:
            ttl.copy(a[row, :], blk).wait()
        with a_dfb.wait() as blk, sent_dfb.reserve() as sent:
            for i in range(ROWS):
                for j in range(2 * COLUMNS):
                    ttl.raw_element_write(sent, i, j, ttl.raw_element_read(blk, i, j))
        with sent_dfb.wait() as sent, in_dfb.reserve() as received:
            net.if_src(lambda pipe: ttl.copy(sent, pipe).wait())
            net.if_dst(lambda pipe: ttl.copy(pipe, received).wait())

    @ttl.compute()
    def compute():
        with in_dfb.wait() as x, out_dfb.reserve() as z:
            z.store(ttl.math.relu(x) * 2 + x * x - x)

    @ttl.datamovement()
    def write():
        with out_dfb.wait() as z, y_dfb.reserve() as blk:
            for i in range(32):
                for j in range(64):
                    if i < ROWS and j < 2 * COLUMNS:
                        ttl.raw_element_write(blk, i, j, ttl.raw_element_read(z, i, j))
                    else:
                        ttl.raw_element_write(blk, i, j, 0.0)
        with y_dfb.wait() as blk:
            ttl.copy(blk, y[row, :]).wait()


values = np.random.default_rng(0).integers(-8, 8, (64, 64)).astype(np.float32)
on = dict(dtype=DTYPE, layout=ttnn.TILE_LAYOUT, device=ttnn.open_device(device_id=0))
y = ttnn.zeros((64, 64), **on)
small(ttnn.Tensor(values, **on), y)
sent = np.roll(values, 32, axis=0)
wanted = np.maximum(sent, 0) * 2 + sent * sent - sent
wanted[(np.arange(64) % 32) >= ROWS] = 0
wanted[:, 2 * COLUMNS :] = 0
print(np.array_equal(y.numpy(), wanted))
"""


@pytest.mark.parametrize(
    ("tile", "dtype", "chip"),
    [
        ((1, 32), "bfloat16", "wormhole"),
        ((2, 16), "float32", "blackhole"),
        ((4, 32), "float32", "wormhole"),
        ((8, 16), "bfloat16", "wormhole"),
        ((16, 32), "bfloat16", "blackhole"),
        ((32, 16), "float32", "wormhole"),
    ],
)
def test_small_tiles_are_computed_alike(tile: tuple[int, int], dtype: str, chip: str, tmp_path: Path) -> None:
    """Exact numbers, so that NumPy, simulator and emulated chip have the same ones; ``--compare`` sees every block."""
    (tmp_path / "small.py").write_text(SMALL.format(tile=tile, dtype=dtype))
    for how in (["--arch", chip], ["--arch", chip, "--target", "emu", "--compare"]):
        outcome = run_ttl(["run", *how, "small.py"], folder=tmp_path)
        assert outcome.status == 0 and outcome.stdout.startswith("True\n"), (outcome.stdout, outcome.stderr)


CAST = {
    "    out_dfb = ttl.make_dfb(DTYPE,": "    OTHER = ttnn.float32 if DTYPE is ttnn.bfloat16 else ttnn.bfloat16\n    out_dfb = ttl.make_dfb(OTHER,",
    "relu(x) * 2 + x * x - x": "relu(ttl.math.typecast(x, OTHER)) * 2 + ttl.math.typecast(x * x - x, OTHER)",
}  # fmt: skip


@pytest.mark.headers
@needs_compiler
@pytest.mark.parametrize("height", [height for height in TILE_HEIGHTS if height < 32])
def test_the_real_headers_accept_kernels_of_small_tiles(height: int, tmp_path: Path) -> None:
    """Expressions, conversions, pipes and single elements, for both generations of the headers."""
    emitted = []
    for number, (width, dtype) in enumerate(itertools.product(TILE_WIDTHS, ("bfloat16", "float32"))):
        for changes in ({}, CAST):
            program = SMALL.format(tile=(height, width), dtype=dtype)
            for before, after in changes.items():
                assert before in program
                program = program.replace(before, after)
            path = tmp_path / f"small{number}{len(changes)}.py"
            path.write_text(program)
            emitted.append(emitted_file(path))
            assert emitted[-1].refused == ()
    assert complaints_about(emitted) == []


@pytest.mark.parametrize(
    ("tile", "dtype"), [((1, 32), "bfloat16"), ((16, 16), "float32"), ((2, 32), "float32")]
)
def test_small_tiles_are_converted_alike(tile: tuple[int, int], dtype: str, tmp_path: Path) -> None:
    program = SMALL.format(tile=tile, dtype=dtype)
    for before, after in CAST.items():
        program = program.replace(before, after)
    (tmp_path / "small.py").write_text(program)
    for how in ([], ["--target", "emu", "--compare"]):
        outcome = run_ttl(["run", *how, "small.py"], folder=tmp_path)
        assert outcome.status == 0 and outcome.stdout.startswith("True\n"), (outcome.stdout, outcome.stderr)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"x * x - x": "ttl.transpose(ttl.transpose(x))"}, "transpose needs the four faces"),
        (
            {"    net =": "    ttl.make_dfb(ttnn.bfloat8_b, (1, 1), tile=TILE)\n    net ="},
            "block floats are packed in whole tiles",
        ),
        ({"z.store(": "print(x)\n            z.store("}, "a print has whole ones"),
    ],
)
def test_small_tiles_that_are_not_compiled(changes: dict[str, str], words: str, tmp_path: Path) -> None:
    program = SMALL.format(tile=(16, 16), dtype="float32")
    for before, after in changes.items():
        assert before in program
        program = program.replace(before, after)
    (tmp_path / "small.py").write_text(program)
    outcome = run_ttl(["compile", "small.py"], folder=tmp_path)
    assert outcome.status == 1
    assert "error[TTL1419]: " in outcome.stderr and " has tiles of 16x16, and " in outcome.stderr
    assert words in outcome.stderr


def test_descriptions_name_the_tile(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(SMALL.format(tile=(8, 32), dtype="bfloat16"))
    outcome = run_ttl(["compile", "-o", "made", "small.py"], folder=tmp_path)
    assert outcome.status == 0, outcome.stderr
    for name, words in (
        ("run.py", "ttnn.CBFormatDescriptor(2, ttnn.bfloat16, 512, ttnn.TileDescriptor(8, 32))"),
        ("host.cpp", ".set_page_size(2, 512).set_tile_dims(2, tt::tt_metal::Tile({8, 32}))"),
    ):
        (file,) = (tmp_path / "made").rglob(name)
        assert words in file.read_text()
