"""Every place that counts with costs takes those of ``--costs``: the chip's own cannot be read here, and everybody is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from pathlib import Path

import pytest

from support.programs import TOOLS, run_ttl
from support.syntax_trees import python_files
from ttl.arch import chip_named
from ttl.arch.costs import Costs, Number
from ttl.arch.costs_file import written
from ttl.emu.chip import emulated

CHIP = "wormhole"
SOURCE = Path(__file__).parents[2] / "src"
# The row is repeated: whether the exponential goes through a buffer for that is a matter of costs.
PROGRAM = """import ttl
import ttnn


@ttl.tunable(blocks=[1, 2])
@ttl.operation(grid=(1, 1))
def scaled(x, row, y, *, blocks=1):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(2, 2), block_count=blocks)
    row_dfb = ttl.make_dataflow_buffer_like(row, shape=(1, 2))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(2, 2))

    @ttl.datamovement()
    def read():
        with x_dfb.reserve() as x_blk, row_dfb.reserve() as row_blk:
            ttl.copy(x[0:2, 0:2], x_blk).wait()
            ttl.copy(row[0:1, 0:2], row_blk).wait()

    @ttl.compute()
    def compute():
        with x_dfb.wait() as x_blk, row_dfb.wait() as row_blk, y_dfb.reserve() as y_blk:
            y_blk.store(ttl.math.exp(x_blk) * ttl.block.broadcast(row_blk, dims=[0], shape=(2, 2)))

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0:2, 0:2]).wait()


device = ttnn.open_device(device_id=0)
x, row, y = (
    ttnn.ones((height, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device) for height in (64, 32, 64)
)
scaled(x, row, y)
"""
TILES = """import ttl
import ttnn


@ttl.tile_operation()
def scale(x, y):
    for m in x.rows:
        row = ttl.load(x[m])
        ttl.store(y[m], row / row.sum())


x = ttnn.ones((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((64, 64), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
scale(x, y)
"""
MODEL = """#any = #tt.operand_constraint<dram|l1|tile|any_device_tile>
func.func @forward(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %e = tensor.empty() : tensor<64x64xbf16>
  %r = "ttir.exp"(%x, %e) <{operandSegmentSizes = array<i32: 1, 1>, operand_constraints = [#any, #any]}> : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xbf16>
  return %r : tensor<64x64xbf16>
}
"""
MEASURED = """ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64
PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, trace id counter,  zone name, type, source line, source file, meta data
0,1,1,NCRISC,0,1000,0,7,,,NCRISC-KERNEL,ZONE_START,0,,
0,1,1,NCRISC,0,9000,0,7,,,NCRISC-KERNEL,ZONE_END,0,,
"""


class OwnNumber(Number):
    """A cost of the chip's own, which nobody may count with."""

    read = 0

    @property
    def value(self) -> int:
        OwnNumber.read += 1
        raise AssertionError("one of the chip's own costs was read")


@contextmanager
def unreadable() -> Iterator[None]:
    """The costs of the chip's record cannot be read inside; only a file that has all of them helps."""
    chip = chip_named(CHIP)
    emulated(CHIP)  # there is one of a name, which begins with its own
    own = chip.costs
    object.__setattr__(
        chip, "costs", Costs(**{field.name: object.__new__(OwnNumber) for field in fields(Costs)})
    )
    try:
        yield
    finally:
        object.__setattr__(chip, "costs", own)


def provide(folder: Path) -> None:
    """A file with three times every cost, the programs, and what a card took."""
    numbers = {name: 3 * number.value for name, number in chip_named(CHIP).costs.by_name().items()}
    (folder / "card.toml").write_text(written(CHIP, numbers, ()))
    for name, text in (("scaled.py", PROGRAM), ("tiles.py", TILES), ("measured.csv", MEASURED)):
        (folder / name).write_text(text)


def provide_models(folder: Path) -> None:
    """The same model for both runtimes, and as text."""
    pytest.importorskip("torch")
    from support.metal_binaries import metal_binary
    from support.ttrt_models import exponential

    (folder / "model.mlir").write_text(MODEL)
    (folder / "model.ttnn").write_bytes(exponential())
    (folder / "model.ttm").write_bytes(metal_binary(MODEL).content)


@pytest.mark.parametrize(
    "line",
    [
        "ttl run --target emu --report run.json --perf-csv ops.csv scaled.py",
        "ttl run --target emu --system n300 scaled.py",
        "ttl profile --measured measured.csv scaled.py",
        "ttl design tiles.py",
        "ttrt perf model.ttnn",
        "ttrt perf model.ttm",
        "ttmlir-opt --ttir-to-ttnn-backend-pipeline=enable-optimizer=true model.mlir",
    ],
)
def test_a_command_counts_with_the_costs_of_the_file(tmp_path: Path, line: str) -> None:
    tool, *words = line.split()
    provide(tmp_path)
    if tool != "ttl":
        provide_models(tmp_path)
    OwnNumber.read = 0
    with unreadable():
        outcome = run_ttl(words, folder=tmp_path, environment={"TTL_COSTS": "card.toml"}, tool=TOOLS[tool])
        assert outcome.status == 0, outcome.stderr + outcome.stdout
        assert OwnNumber.read == 0
        with suppress(AssertionError):
            run_ttl(words, folder=tmp_path, tool=TOOLS[tool])
        assert OwnNumber.read, "it counts with no costs, so that nothing is tested here"


def test_who_reads_costs_of_a_chip_by_its_name_knows_the_file() -> None:
    """What no command above goes through: who takes a chip by name, and reads costs, asks ``costed`` for it."""
    own = {"arch", "calibrate", "pipeline.py", "switches.py"}  # these are about the difference
    for file in python_files(SOURCE):
        text = file.read_text(encoding="utf-8")
        named = re.search(r"\bchip_(named|of_arch)\(", text)
        if named and re.search(r"\.(costs|dram_bytes_per_cycle)\b", text) and not own & set(file.parts):
            assert "costed(" in text, file
