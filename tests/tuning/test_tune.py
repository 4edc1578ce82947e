"""``ttl tune`` on programs: what it tries, what it refuses, what it writes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from support.programs import Outcome, run_ttl, share_kernels

pytest.importorskip("tomlkit")

PROGRAM = """
import numpy as np
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.tunable(width=[1, 2, 4, 512, 3], where=lambda x, width: width > 8 or x.shape[1] // 32 % width == 0)
@ttl.operation(grid=(1, 1))
def double(x, y, *, width):
    shape = (1, min(width, 8)) if width != 512 else (64, 64)
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=shape)
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=shape)
    columns = x.shape[1] // 32 // width
    kept = columns - {missing} if width == 4 else columns

    @ttl.datamovement()
    def read():
        for column in range(columns):
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[0, column * width : (column + 1) * width], x_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(columns):
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(2 * x_blk)

    @ttl.datamovement()
    def write():
        for column in range(columns):
            with y_dfb.wait() as y_blk:
                if column < kept:
                    ttl.copy(y_blk, y[0, column * width : (column + 1) * width]).wait()


generator = np.random.default_rng(0)
x = ttnn.from_numpy(generator.standard_normal((32, 512)), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((32, 512), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT, device=device)
{call}
"""


def run(folder: Path, *command: str) -> Outcome:
    """A command with results of its own; compiled kernels are those of everybody."""
    kept = folder / "kept"
    if not kept.exists():
        kept.mkdir()
        share_kernels(kept)
    return run_ttl(list(command), folder=folder, environment={"TTL_CACHE_DIR": str(kept)})


def tune(folder: Path, *options: str, missing: int = 0, call: str = "double(x, y)") -> tuple[int, str, str]:
    (folder / "program.py").write_text(PROGRAM.format(missing=missing, call=call))
    outcome = run(folder, "tune", "--jobs", "1", *options, "program.py")
    return outcome.status, outcome.stdout, outcome.stderr


def test_the_fastest_right_one_is_written_and_used(tmp_path: Path) -> None:
    status, told, _ = tune(tmp_path, "--format", "json")
    assert status == 0
    (call,) = json.loads(told)["calls"]
    verdicts = {
        call["configurations"][trial["number"]]["width"]: trial["verdict"] for trial in call["trials"]
    }
    assert verdicts == {1: "measured", 2: "measured", 4: "measured", 512: "refused", 3: "excluded"}
    assert call["best"] == {"width": 4}
    table = tomllib.loads((tmp_path / "ttl.tuned.toml").read_text())
    assert table["double"][0]["config"] == {"width": 4}
    assert run_ttl(["run", "program.py"], folder=tmp_path).stderr == ""
    # What is known is not tried again.
    _, told, _ = tune(tmp_path, "--format", "json")
    assert json.loads(told)["calls"][0]["known"] == 4


def test_a_configuration_with_wrong_results_does_not_win(tmp_path: Path) -> None:
    """The fastest leaves an eighth of the result as it was."""
    status, told, _ = tune(tmp_path, "--format", "json", missing=1)
    assert status == 0
    (call,) = json.loads(told)["calls"]
    assert call["best"] == {"width": 2}
    (wrong,) = [trial for trial in call["trials"] if trial["verdict"] == "wrong"]
    assert call["configurations"][wrong["number"]] == {"width": 4}


def test_both_chips_and_how_one_does_on_the_other(tmp_path: Path) -> None:
    status, told, _ = tune(tmp_path, "--arch", "wormhole,blackhole")
    assert status == 0
    assert "the best of each chip on the others" in told
    table = tomllib.loads((tmp_path / "ttl.tuned.toml").read_text())
    assert [entry["chip"] for entry in table["double"]] == ["wormhole", "blackhole"]


def test_several_shapes_each_and_all_together_with_heat_maps_and_a_page(tmp_path: Path) -> None:
    shapes = ("--shape", "x=32x128,y=32x128", "--shape", "x=64x512", "--shape", "z=32x32")
    status, told, beside = tune(tmp_path, *shapes, "--report", "tuned.json")
    assert status == 0, beside
    assert "For all shapes at once choose width=4" in told
    assert "double on wormhole, 3 shapes" in told and "configuration \\ shape" in told
    assert beside.count("tuning double(") == 3
    # Nothing is called z; that is said, and the others are tuned all the same.
    assert "warning[TTL0120]: --shape had no effect" in beside and "tensors z of other shapes" in beside
    table = tomllib.loads((tmp_path / "ttl.tuned.toml").read_text())
    assert [entry["key"][0] for entry in table["double"]] == [
        "x: 32x512 bfloat16", "x: 32x128 bfloat16", "x: 64x512 bfloat16",
    ]  # fmt: skip
    page = json.loads((tmp_path / "tuned.json").read_text())
    (all_,) = page["together"]
    assert (page["kind"], all_["best"], len(all_["shapes"])) == ("tuning", {"width": 4}, 3)
    # On the second shape another configuration is faster.
    assert [entry["config"]["width"] for entry in table["double"]] == [4, 2, 4]
    ratios = [own / best for own, best in zip(all_["cycles"], all_["best_of_each"], strict=True)]
    assert ratios[0] == ratios[2] == 1 < ratios[1] and all_["mean"] == round(ratios[1] ** (1 / 3), 4)
    (drawn,) = page["maps"]
    assert len(drawn["columns"]) == 3 and drawn["cells"][0][0]["exact"]


@pytest.mark.parametrize("shape", ["x", "x=", "x=32x", "=32x32", "x=32*32", "x=0x32", "x=32x32 y=32x32"])
def test_a_shape_that_is_none_is_refused(shape: str, tmp_path: Path) -> None:
    status, _, beside = tune(tmp_path, "--shape", shape)
    assert status == 2 and "error[TTL0113]" in beside and "write NAME=32x512" in beside


def test_a_shape_that_the_operation_cannot_have_is_said_and_no_other_is_lost(tmp_path: Path) -> None:
    # y has too few columns for it.
    status, told, _ = tune(tmp_path, "--shape", "x=32x1024", "--dry-run")
    assert status == 0
    assert "double(x: 32x1024 bfloat16, y: 32x512 bfloat16) on wormhole\n  not tuned: TTL" in told
    assert "double(x: 32x512 bfloat16, y: 32x512 bfloat16) on wormhole\n  4 of 5" in told


def test_what_people_wrote_stays(tmp_path: Path) -> None:
    mine = '# mine\n[[other]] # a remark\nchip = "wormhole"\ngrid = [1, 1]\nkey = []\nconfig = { a = 1 }\n'
    (tmp_path / "ttl.tuned.toml").write_text(mine)
    tune(tmp_path)
    assert (tmp_path / "ttl.tuned.toml").read_text().startswith(mine)


def test_nothing_is_written_when_only_looking(tmp_path: Path) -> None:
    status, told, beside = tune(tmp_path, "--dry-run")
    assert status == 0
    # Where there is no terminal, one line.
    assert beside == "tuning double(x: 32x512 bfloat16, y: 32x512 bfloat16) on wormhole: 5 configurations\n"
    assert "width=4" in told
    assert not (tmp_path / "ttl.tuned.toml").exists()


def test_a_program_with_nothing_to_choose(tmp_path: Path) -> None:
    status, _, told = tune(tmp_path, call="double(x, y, width=2)")
    assert status == 2
    assert "TTL0120" in told


def test_a_program_that_fails_before_is_told_in_its_words(tmp_path: Path) -> None:
    status, _, told = tune(tmp_path, call="raise ValueError('mine')")
    assert status == 2
    assert "TTL0120" in told


def test_it_is_written_beside_the_file_of_the_operation_or_where_it_is_asked_for(tmp_path: Path) -> None:
    """The operation stands in a package, the chip is a small one."""
    program = PROGRAM.format(missing=0, call="double(x, y)")
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "__init__.py").write_text(program[: program.index("generator =")])
    call = program[program.index("generator =") :]
    (tmp_path / "program.py").write_text(
        f"import numpy as np\nimport ttnn\nfrom kernels import device, double\n{call}"
    )
    arguments = ["tune", "--jobs", "1", "--grid", "4x4"]
    assert run(tmp_path, *arguments, "program.py").status == 0
    assert (tmp_path / "kernels" / "ttl.tuned.toml").is_file()
    assert run_ttl(["run", "--grid", "4x4", "program.py"], folder=tmp_path).stderr == ""
    assert run(tmp_path, *arguments, "--tuned", "mine.toml", "program.py").status == 0
    assert tomllib.loads((tmp_path / "mine.toml").read_text())["double"][0]["config"] == {"width": 4}


PRODUCT = """
import numpy as np
import ttl
import ttnn

device = ttnn.open_device(device_id=0)


@ttl.tunable(inner=[1, 2, 4])
@ttl.operation(grid=(1, 1))
def product(a, b, y, *, inner):
    a_dfb = ttl.make_dataflow_buffer_like(a, shape=(1, inner))
    b_dfb = ttl.make_dataflow_buffer_like(b, shape=(inner, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(1, 1))
    blocks = a.shape[1] // 32 // inner

    @ttl.datamovement()
    def read():
        for block in range(blocks):
            part = slice(block * inner, (block + 1) * inner)
            with a_dfb.reserve() as a_blk, b_dfb.reserve() as b_blk:
                ttl.copy(a[0, part], a_blk).wait()
                ttl.copy(b[part, 0], b_blk).wait()

    @ttl.compute()
    def compute():
        with y_dfb.reserve() as y_blk:
            total = ttl.block.fill(0, shape=(1, 1))
            for _ in range(blocks):
                with a_dfb.wait() as a_blk, b_dfb.wait() as b_blk:
                    total += a_blk @ b_blk
            y_blk.store(total)

    @ttl.datamovement()
    def write():
        with y_dfb.wait() as y_blk:
            ttl.copy(y_blk, y[0, 0]).wait()


generator = np.random.default_rng(0)
a = ttnn.from_numpy(generator.standard_normal((32, 256)), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
b = ttnn.from_numpy(generator.standard_normal((256, 32)), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
y = ttnn.zeros((32, 32), dtype=ttnn.float32, layout=ttnn.TILE_LAYOUT, device=device)
product(a, b, y)
"""


def test_float32_is_multiplied_as_the_matrix_unit_does(tmp_path: Path) -> None:
    """In TF32, which is no mistake of a configuration."""
    (tmp_path / "program.py").write_text(PRODUCT)
    outcome = run(tmp_path, "tune", "--jobs", "1", "--exhaustive", "--format", "json", "program.py")
    (call,) = json.loads(outcome.stdout)["calls"]
    assert {trial["verdict"] for trial in call["trials"]} == {"measured"}
    assert len(call["trials"]) == 3
    assert call["frontier"][0] == call["trials"][call["configurations"].index(call["best"])]["number"]
