"""``ttl tune --schedules``: schedules that are found in operations, tried, written down and used."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

from support.programs import run_ttl

PROGRAM = Path(__file__).parent / "scheduled" / "eight_kernels.py"
WAIT_FOR_THE_NETWORK = {"products", "differences", "maxima", "negated", "rectified", "normal"}


def test_of_eight_kernels_those_that_wait_for_the_network_get_a_schedule(tmp_path: Path) -> None:
    shutil.copy(PROGRAM, tmp_path / "program.py")
    command = ["tune", "--jobs", "1", "--seconds", "300", "--schedules", "program.py"]
    outcome = run_ttl(command, folder=tmp_path, environment={"TTL_CACHE_DIR": str(tmp_path)})
    assert outcome.status == 0, outcome.stderr
    table = tomllib.loads((tmp_path / "ttl.tuned.toml").read_text(encoding="utf-8"))
    assert {name for name, (entry,) in table.items() if "schedule" in entry} == WAIT_FOR_THE_NETWORK
    gains = [float(line.split()[0]) for line in outcome.stdout.splitlines() if "with a schedule" in line]
    assert len([gain for gain in gains if gain >= 1.05]) >= 3, gains
    assert outcome.stdout.count("no schedule makes it faster") == 2
    # Calls of that kind are compiled so, and what they compute stays the same.
    shown = run_ttl(["profile", "program.py"], folder=tmp_path)
    assert f"operation: {table['products'][0]['cycles']:,} cycles" in shown.stdout + shown.stderr
    run = run_ttl(["run", "--target", "emu", "--compare", "program.py"], folder=tmp_path)
    assert run.status == 0, run.stderr


def test_a_wrong_schedule_in_the_file_is_refused(tmp_path: Path) -> None:
    shutil.copy(PROGRAM, tmp_path / "program.py")
    entry = """
[[products]]
chip = "wormhole"
grid = [1, 1]
key = []
config = { block = 1 }
schedule = "hurry()"
"""
    (tmp_path / "ttl.tuned.toml").write_text(entry, encoding="utf-8")
    outcome = run_ttl(["run", "program.py"], folder=tmp_path)
    assert outcome.status != 0
    assert "has a wrong schedule: there is no step hurry" in outcome.stderr


READ = """
import ttl
import ttnn


@ttl.tunable(block=[1, 2])
@ttl.operation(grid=(1, 1))
def negated(x, y, *, block):
    x_dfb = ttl.make_dataflow_buffer_like(x, shape=(block, 1))
    y_dfb = ttl.make_dataflow_buffer_like(y, shape=(block, 1))

    @ttl.datamovement()
    def read():
        for n in range(8 // block):
            with x_dfb.reserve() as x_blk:
                ttl.copy(x[n * block : (n + 1) * block, 0:1], x_blk).wait()

    @ttl.compute()
    def compute():
        for _ in range(8 // block):
            with x_dfb.wait() as x_blk, y_dfb.reserve() as y_blk:
                y_blk.store(-x_blk)

    @ttl.datamovement()
    def write():
        for n in range(8 // block):
            with y_dfb.wait() as y_blk:
                ttl.copy(y_blk, y[n * block : (n + 1) * block, 0:1]).wait()


x = ttnn.ones((256, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
y = ttnn.zeros((256, 32), dtype=ttnn.bfloat16, layout=ttnn.TILE_LAYOUT)
negated(x, y)
"""


def test_a_program_that_is_only_read_is_compiled_by_the_schedule_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(READ, encoding="utf-8")
    entry = """
[[negated]]
chip = "wormhole"
grid = [1, 1]
key = ["x: 256x32 bfloat16", "y: 256x32 bfloat16"]
config = { block = 1 }
schedule = 'prefetch("x_dfb", 4)'
"""
    (tmp_path / "ttl.tuned.toml").write_text(entry, encoding="utf-8")
    shown = run_ttl(["compile", "--print-schedule", "program.py"], folder=tmp_path)
    assert "transform.ttl.insert_prefetch %b0 {distance = 4}" in shown.stdout, shown.stderr


def test_of_an_operation_without_parameters_the_schedule_is_chosen(tmp_path: Path) -> None:
    program = READ.replace("block=[1, 2]", "").replace("x, y, *, block):", "x, y):\n    block = 1")
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    outcome = run_ttl(
        ["tune", "--jobs", "1", "--schedules", "program.py"], folder=tmp_path,
        environment={"TTL_CACHE_DIR": str(tmp_path)},
    )  # fmt: skip
    assert outcome.status == 0 and "times as fast with a schedule" in outcome.stdout, outcome.stderr
    (entry,) = tomllib.loads((tmp_path / "ttl.tuned.toml").read_text(encoding="utf-8"))["negated"]
    assert entry["config"] == {} and entry["schedule"]
    shown = run_ttl(["profile", "program.py"], folder=tmp_path)
    assert f"negated: {entry['cycles']:,} cycles" in shown.stdout + shown.stderr
